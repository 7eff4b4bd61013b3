"""The replay of a recorded game: positions and match states from a list of actions.

A replay refuses actions that are impossible on the board, and values that no game has, so analyses
and formats can handle every accepted game. engine.game computes the result of an action. A play may
use fewer dice than it must: this module lists no legal plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sixprime.engine.game import (
    beavered,
    doubled,
    dropped,
    played,
    resignation_accepted,
    resignation_withdrawn,
    resigned,
    taken,
    won,
)
from sixprime.engine.position import (
    BAR,
    OFF,
    POINTS,
    Dice,
    IllegalPosition,
    MatchState,
    Phase,
    Play,
    Position,
    Step,
    each_die,
    is_roll,
)
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.record import (
    Action,
    BadRecord,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Match,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
    is_double,
)

ENDINGS = {
    Phase.OVER: Ending.BORNE_OFF,
    Phase.DROPPED: Ending.DROPPED,
    Phase.RESIGNED: Ending.RESIGNED,
}
CUBE_STEPS = {
    CubeStep.DOUBLE: doubled,
    CubeStep.BEAVER: beavered,
    CubeStep.TAKE: taken,
    CubeStep.DROP: dropped,
}


SEATS = (0, 1)
MOST_POINTS = 999_999  # of a score; files have no more digits
MOST_CUBE = 1 << 62


class Moment(NamedTuple):
    """An action and the board before it, as `state.on_roll` sees it."""

    action: Action
    position: Position
    state: MatchState


def moments(match: Match, game: Game) -> Iterator[Moment]:
    """Yield every action of a game with the board before it."""
    replay = Replay(match.length, match.rules, game)
    for action in game.actions:
        replay.expect(action)
        yield Moment(action, replay.position, replay.state)
        replay.apply(action)


def replayed(length: int, rules: Rules, game: Game) -> Replay:
    """Return a game played to the end of its actions; BadRecord if one is impossible."""
    replay = Replay(length, rules, game)
    for action in game.actions:
        replay.apply(action)
    return replay


def outcome(match: Match, game: Game) -> GameResult | None:
    """Return the result of the actions; None if they do not end the game."""
    return replayed(match.length, match.rules, game).result


def board_at_end(match: Match) -> tuple[Position, MatchState]:
    """Return the last board of a match as the player on roll sees it, and its state."""
    if not match.games:
        raise BadRecord("no game has begun")
    replay = replayed(match.length, match.rules, match.games[-1])
    if replay.result is not None:
        raise BadRecord("the last game is over, so there is no position to look at")
    return replay.position, replay.state


def is_behind(match: Match, seat: int) -> bool:
    """Return whether this seat ends with fewer points, or as many and more pips."""
    ours, theirs = match.score[seat], match.score[1 - seat]
    if ours != theirs or not match.games or match.games[-1].result is not None:
        return ours < theirs
    game = match.games[-1]
    try:
        replay = replayed(match.length, match.rules, game)
    except BadRecord:
        return False  # not known
    pips = replay.position.pips()
    return pips[0] > pips[1] if replay.state.on_roll == seat else pips[1] > pips[0]


class Replay:
    """A game played through; `position` is always as `state.on_roll` sees it."""

    def __init__(self, length: int, rules: Rules, game: Game) -> None:
        check_score(game.score)
        if 0 < length <= max(game.score):
            raise BadRecord(f"a {length} point match is over at this score")
        check_cube(game.cube)
        self.position = Position.start(rules.variant)
        self.state = MatchState(
            length=length,
            score=game.score,
            cube=game.cube,
            crawford=game.crawford,
            jacoby=rules.jacoby and length == 0,
            beavers=rules.beavers if length == 0 else 0,
        )
        self.result: GameResult | None = None
        self._begun = False  # before, it is unknown who is on roll
        self._interrupted = False  # since the last action

    def expect(self, action: Action) -> None:
        """Note the player on roll, if unknown, and the losses of an interruption."""
        if self._interrupted and not isinstance(action, Interruption):
            self._forget(action)
        if not self._begun and isinstance(action, Turn | Cube):
            self._begun = True
            if action.seat != self.state.on_roll:
                self.position = self.position.flipped()
            self.state = self.state.with_(on_roll=action.seat, to_act=action.seat)

    def apply(self, action: Action) -> None:
        """Play one action; BadRecord if it cannot happen now."""
        seat = action.on_roll if isinstance(action, SetBoard) else action.seat
        if seat not in SEATS:
            raise BadRecord(f"there is no seat {seat}")
        self.expect(action)
        if isinstance(action, Interruption):
            self.withdraw_resignation()
            self._interrupted = True
            return
        if self.result is not None:
            raise BadRecord("the game is over already")
        if isinstance(action, SetBoard):
            self._set_up(action)
        elif isinstance(action, Resignation):
            self._resign(action)
        elif self.state.resigned:
            raise BadRecord("a resignation waits for an answer")
        elif isinstance(action, Turn):
            self._turn(action)
        else:
            self._cube(action)

    def _forget(self, action: Action) -> None:
        """Forget a pending roll or double that this action repeats; a server may drop it."""
        self._interrupted = False
        state = self.state
        if state.doubled and (is_double(action) or isinstance(action, Turn)):
            self.state = state.with_(doubled=False, to_act=state.on_roll)
        elif sorted(state.dice or ()) != sorted(getattr(action, "dice", ())):
            self.state = state.with_(dice=None)

    def _set_up(self, setup: SetBoard) -> None:
        check_cube(setup.cube)
        if setup.cube_owner not in (None, *SEATS):
            raise BadRecord(f"there is no seat {setup.cube_owner} to own the cube")
        if setup.position.checkers != self.position.checkers:
            raise BadRecord(f"this game is played with {self.position.checkers} checkers")
        try:
            self.position = setup.position.checked()
        except IllegalPosition as error:
            raise BadRecord(str(error)) from error
        self._begun = False
        self.state = self.state.with_(
            on_roll=setup.on_roll,
            to_act=setup.on_roll,
            cube=setup.cube,
            cube_owner=setup.cube_owner,
            dice=None,
            doubled=False,
            resigned=0,
        )

    def _turn(self, turn: Turn) -> None:
        if turn.seat != self.state.on_roll:
            raise BadRecord("it is the other player's turn")
        if self.state.doubled:
            raise BadRecord("a double waits for an answer")
        lying = self.state.dice
        if lying is not None and sorted(lying) != sorted(turn.dice):
            raise BadRecord("the dice rolled before have not been played")
        if not is_roll(turn.dice):
            raise BadRecord(f"a die shows 1 to 6, not {turn.dice[0]} and {turn.dice[1]}")
        if turn.play is None:
            self.state = self.state.with_(dice=turn.dice)
            return
        if turn.illegal:
            _check_by_hand(self.position, turn.play)
        else:
            check_play(self.position, turn.play, turn.dice)
        self.position, self.state = played(self.position, self.state, turn.play)
        self._end_if_won()

    def _cube(self, cube: Cube) -> None:
        state = self.state
        if cube.seat != state.to_act or state.dice is not None:
            raise BadRecord(f"this player cannot {cube.step.value} now")
        if cube.step is CubeStep.DOUBLE:
            if state.doubled:
                raise BadRecord("a double waits for an answer")
            if state.cube_owner not in (None, cube.seat):
                raise BadRecord("the cube belongs to the other player")
        elif not state.doubled:
            raise BadRecord(f"nobody has doubled, so there is nothing to {cube.step.value}")
        check_cube(state.cube * (4 if cube.step is CubeStep.BEAVER else 2))
        self.state = CUBE_STEPS[cube.step](state)
        self._end_if_won()

    def _resign(self, resignation: Resignation) -> None:
        state, seat = self.state, resignation.seat
        if not 1 <= resignation.games <= 3:
            raise BadRecord("a resignation is of 1, 2 or 3 games")
        if resignation.step is ResignStep.OFFERED:
            if state.resigned:
                raise BadRecord("a resignation waits for an answer")
            self.state = resigned(state, seat, resignation.games)
        elif not state.resigned or seat != state.to_act:
            raise BadRecord("there is no resignation to answer")
        elif resignation.step is ResignStep.ACCEPTED:
            self.state = resignation_accepted(state)
            self._end_if_won()
        else:
            self.withdraw_resignation()

    def withdraw_resignation(self) -> None:
        """Withdraw the offer to resign, if there is one."""
        if self.state.resigned and self.result is None:
            self.state = resignation_withdrawn(self.state)

    def drop_roll(self, *, begun: bool) -> None:
        """Ignore the rolled dice; without `begun` the player on roll is unknown."""
        self.state = self.state.with_(dice=None)
        self._begun = begun

    def _end_if_won(self) -> None:
        if game := won(self.position, self.state):
            self.result = GameResult(game.winner, game.points, ENDINGS[self.state.phase])


def check_score(score: tuple[int, int]) -> None:
    """Refuse a score that no game has, before or after it."""
    if not all(0 <= points <= MOST_POINTS for points in score):
        raise BadRecord(f"no game has the score {score[0]}-{score[1]}")


def check_cube(cube: int) -> None:
    """Refuse a number that no cube shows."""
    if not 1 <= cube <= MOST_CUBE or cube & (cube - 1):
        raise BadRecord(f"no cube shows {cube}")


def games_of(points: int, cube: int) -> int:
    """Return the number of games in these points: 1, 2 or 3."""
    return min(max(-(-points // cube), 1), 3)


def fits(position: Position, hops: Iterable[tuple[int, int]], dice: Dice) -> bool:
    """Return whether each step, rear checkers first, uses a die of just its length.

    Most plays do; `check_play` also accepts the others.
    """
    mine, theirs = list(position.mine), position.theirs
    left = list(each_die(dice))
    for start, end in sorted(hops, reverse=True):
        if start - end not in left or not (start <= BAR and OFF <= end <= POINTS):
            return False
        if not mine[start - 1] or (start != BAR and mine[BAR - 1]):
            return False
        if any(mine[6:]) if end == OFF else theirs[POINTS - end] > 1:
            return False
        left.remove(start - end)
        mine[start - 1] -= 1
        if end != OFF:
            mine[end - 1] += 1
    return True


def check_play(position: Position, play: Play, dice: Dice) -> None:
    """Refuse steps that these dice cannot make on this board, rear checkers first.

    A play that leaves playable dice over is accepted.
    """
    if fits(position, play, dice):
        return
    left = list(each_die(dice))
    for step in rear_first(play):
        if not left:
            raise BadRecord(f"{format_steps(play)} has too many steps")
        left.remove(_die_for(position, step, left))
        position = position.after((step,))


def _check_by_hand(position: Position, play: Play) -> None:
    """Refuse steps without a checker, or to a place that is held."""
    for step in play:
        if not can_be_put(position, step):
            raise BadRecord(f"{format_steps((step,))} cannot be played even against the rules")
        position = position.after((step,))


def can_be_put(position: Position, step: Step) -> bool:
    """Return whether a hand can make this step, ignoring the rules."""
    start, end = step
    if not (1 <= start <= BAR and OFF <= end <= POINTS and start != end):
        return False
    held = end != OFF and position.theirs[POINTS - end] > 1
    return position.mine[start - 1] > 0 and not held


def _die_for(position: Position, step: Step, left: list[int]) -> int:
    """Return the die of `left` that this step uses."""
    why = blocked(position, step)
    if why:
        raise BadRecord(f"{format_steps((step,))}: {why}")
    pips = step.start - step.end
    if pips in left:
        return pips
    larger = [die for die in left if step.end == OFF and die > pips]
    if larger and not any(position.mine[step.start : 6]):
        return min(larger)
    raise BadRecord(f"{format_steps((step,))} does not fit the dice")


def blocked(position: Position, step: Step) -> str:
    """Return the reason why no die allows this step; empty if one does."""
    start, end = step
    if not (1 <= start <= BAR and OFF <= end < start and end <= POINTS):
        return "there is no such step"
    if not position.mine[start - 1]:
        return "no checker stands there"
    if position.mine[BAR - 1] and start != BAR:
        return "a checker is on the bar"
    if end == OFF:
        return "not all checkers are home" if any(position.mine[6:]) else ""
    return "the point is made by the opponent" if position.theirs[POINTS - end] > 1 else ""


def steps(position: Position, die: int) -> Iterator[Step]:
    """Yield every legal step with this die, rear checkers first."""
    for start in range(BAR, 0, -1):
        if not position.mine[start - 1]:
            continue
        step = Step(start, max(start - die, OFF))
        if (start >= die or not any(position.mine[start:6])) and not blocked(position, step):
            yield step


def can_move(position: Position, dice: Dice) -> bool:
    return any(True for die in set(dice) for _ in steps(position, die))


def rear_first(play: Play) -> Play:
    """Sort the steps by descending start, then end: legal whenever any order is."""
    return tuple(sorted(play, reverse=True))
