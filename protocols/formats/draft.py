"""A match while a file is read: every action is checked against the board.

`add_action` and `turn_cube` refuse actions that cannot have happened. `add_roll`, `cube`, `won` and
`begin_game` are tolerant and leave remarks: they put a missing action in if only one is possible,
make an illegal play by hand and mark it, and leave nonsense out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest

from sixprime.engine.game import is_crawford
from sixprime.engine.position import Dice, Position, Step, Variant, is_roll
from sixprime.engine.system.errors import InputError, shortened
from sixprime.protocols.formats.hops import by_hand, play_meant
from sixprime.protocols.formats.ids import BEAVERS, MAX_LENGTH
from sixprime.protocols.formats.legality import legal_plays, uses_enough
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.reading import Remarks, count
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    Cube,
    CubeStep,
    Ending,
    Game,
    Marks,
    Match,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
    on_line,
    points_by_seat,
)
from sixprime.protocols.formats.replay import Replay, can_move, games_of, outcome

VARIANT_UNKNOWN = "a variant of the game that we do not play"


@contextmanager
def understood() -> Iterator[None]:
    """Raise BadMatchFile where values of a file are missing, or not of the expected type."""
    try:
        yield
    except BadMatchFile:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        known = isinstance(error, InputError)
        raise BadMatchFile(0, str(error) if known else f"not understood: {error!r}") from error


def rules_of(
    length: int,
    crawford: object,
    jacoby: object,
    beavers: object,
    variant: Variant = Variant.STANDARD,
    *,
    automatic: object = False,
) -> Rules:
    """Return the rules that a file switches on, if they belong to this kind of play."""
    money = length == 0
    return Rules(
        crawford=bool(crawford) or money,
        jacoby=bool(jacoby) and money,
        beavers=BEAVERS if beavers and money else 0,
        automatic_doubles=1 if automatic and money else 0,
        variant=variant,
    )


class MatchDraft:
    """The games of a match as they are read; `match` has all other facts."""

    def __init__(self, match: Match, remarks: Remarks) -> None:
        self.match = match
        self.games: list[Draft] = []
        self.remarks = remarks
        self._crawford_seen = False

    def begin_game(self, line: int, score: tuple[int, int]) -> None:
        """Begin another game; the first that can be the Crawford game is one."""
        length, rules = self.match.length, self.match.rules
        if self.games:
            self.games[-1].followed_by(line, score)
        crawford = rules.crawford and is_crawford(length, score, played_before=self._crawford_seen)
        self._crawford_seen |= crawford
        self.games.append(Draft(line, length, rules, Game(score, crawford), self.remarks))

    def done(self) -> Match:
        """Return the match as far as it was read; results may show the Jacoby rule.

        A game with a double cannot be the Crawford game, which then is not in the file.
        """
        pairs = zip_longest(self.games, self.games[1:])
        jacoby = self.match.rules.jacoby or any(one.shows_jacoby(next_) for one, next_ in pairs)
        known = jacoby == self.match.rules.jacoby
        match = replace(self.match, rules=replace(self.match.rules, jacoby=jacoby))
        games = []
        for game in (draft.done() for draft in self.games):
            doubled = any(isinstance(action, Cube) for action in game.actions)
            crawford = game.crawford and not doubled
            result = game.result if known else outcome(match, game)
            games.append(replace(game, crawford=crawford, result=result))
        return with_rules_shown(replace(match, games=tuple(games)))


class Draft:
    """A game as it is read; `line` is where it begins."""

    def __init__(
        self, line: int, length: int, rules: Rules, game: Game, remarks: Remarks | None = None
    ) -> None:
        count("games")
        self.remarks = remarks or Remarks()  # of the file
        self.length = length
        self.rules = rules
        self.game = game
        with on_line(line):
            self.replay = Replay(length, rules, game)
        self.actions: list[Action] = list(game.actions)
        self.said_points: int | None = None  # the winner's points in the file
        self._rolled = line  # where the last roll stands

    def add_action(self, line: int, action: Action) -> None:
        """Add an action; BadMatchFile with this line if it cannot have happened."""
        count("actions")
        if isinstance(action, Turn) and action.analysis is not None:
            count("candidates", len(action.analysis.candidates))
        with on_line(line):
            self.replay.apply(action)
        self.actions.append(action)

    def turn_cube(self, line: int, cube: Cube) -> None:
        """Add a double or its answer; doubling a double is a beaver."""
        if cube.step is CubeStep.DOUBLE and self.replay.state.doubled:
            cube = replace(cube, step=CubeStep.BEAVER)
        self.add_action(line, cube)

    def add_roll(self, line: int, turn: Turn, hops: Sequence[Step] | None) -> None:
        """Add a roll and its moves: () if the file says that there is none, None if it is silent.

        A roll without a play stays on the board; if the game goes on, it was played somehow.
        """
        if self._is_over(line):
            return
        dice = turn.dice
        if not is_roll(dice):
            self.remarks.add(line, f"no dice show {dice[0]}{dice[1]}", "left out")
            return
        if self.replay.state.doubled:
            self._taken(line)
        self._turn_to(line, turn.seat, dice)
        self._rolled = line
        self.add_action(line, self._turn(line, turn, hops))

    def _turn(self, line: int, turn: Turn, hops: Sequence[Step] | None) -> Turn:
        position = self.position_of(turn.seat)
        if hops is None and can_move(position, turn.dice):
            return turn
        turn = as_played(position, turn, hops or ())
        return self._illegal(line, turn, turn.illegal) if turn.illegal else turn

    def _illegal(self, line: int, turn: Turn, why: str) -> Turn:
        self.remarks.add(line, f"illegal: {why}")
        return replace(turn, play=turn.play or (), illegal=f"line {line}: {why}")

    def _turn_to(self, line: int, seat: int, dice: Dice | None = None) -> None:
        """Put this seat on roll: play the dice rolled, and skip a turn if one is missing."""
        lying, on_roll = self.replay.state.dice, self.replay.state.on_roll
        if lying is not None:
            if seat == on_roll and dice and sorted(dice) == sorted(lying):
                return
            turn, last = Turn(on_roll, lying), self.actions[-1]
            if isinstance(last, Turn):
                turn = last
                self.actions.pop()
            legal = legal_plays(self.replay.position, lying)
            if len(legal) == 1:
                forced = f"{format_steps(legal[0])} is forced"
                self.remarks.add(self._rolled, "no play is given", forced)
                turn = replace(turn, play=legal[0])
            else:
                turn = self._illegal(self._rolled, turn, "no play is given")
            self.add_action(line, turn)
        begun = any(isinstance(action, Turn | Cube) for action in self.actions)
        if begun and seat != self.replay.state.on_roll and self.replay.result is None:
            self.remarks.add(line, "the other player's turn before this is missing")
            self.pass_to(line, seat, f"line {line}: a turn is missing here")

    def pass_to(self, line: int, seat: int, why: str, position: Position | None = None) -> None:
        """Put this seat on roll, with the board as it is, or as this seat sees it."""
        state, position = self.replay.state, position or self.position_of(seat)
        self.add_action(line, SetBoard(seat, position, state.cube, state.cube_owner, why))

    def set_shown_board(self, line: int, seat: int, position: Position) -> None:
        """Set the board that the file shows with this seat on roll, if no play led there."""
        if self.replay.state.dice is None and self.position_of(seat) != position:
            self.remarks.add(line, "the board does not follow from the plays", "set")
        self._turn_to(line, seat)
        if self.position_of(seat) != position:
            self.pass_to(line, seat, f"line {line}: the board as the file shows it", position)

    def _taken(self, line: int) -> None:
        """Add the take of a double after which the game goes on."""
        if not _is_beaver(self.actions[-1]):
            self.remarks.add(line, "the double before this has no answer", "taken")
        self.add_action(line, Cube(self.replay.state.to_act, CubeStep.TAKE))

    def _is_over(self, line: int) -> bool:
        self.withdraw_resignation()
        if self.replay.result is not None:
            self.remarks.add(line, "the game is over before this", "left out")
        return self.replay.result is not None

    def cube(self, line: int, cube: Cube) -> None:
        """Add a double or its answer, as the file says."""
        if self._is_over(line):
            return
        state = self.replay.state
        if cube.step in (CubeStep.TAKE, CubeStep.DROP):
            if not state.doubled:
                self.remarks.add(
                    line, f"nobody has doubled before this {cube.step.value}", "doubled"
                )
                self._turn_to(line, 1 - cube.seat)
                self.add_action(line, Cube(1 - cube.seat, CubeStep.DOUBLE))
            elif cube.seat != state.to_act:
                self.remarks.add(line, "the wrong player answers the double")
                cube = replace(cube, seat=state.to_act)
        elif state.doubled and cube.seat != state.to_act:
            self.remarks.add(line, f"this player cannot {cube.step.value} now", "left out")
            return
        elif not state.doubled:
            cube = replace(cube, step=CubeStep.DOUBLE)
            self._turn_to(line, cube.seat)
        self.turn_cube(line, cube)

    def say(self, text: str, marks: Marks | None = None) -> None:
        """Comment on the last turn or action of the cube, or on the game before any."""
        for place in range(len(self.actions) - 1, -1, -1):
            action = self.actions[place]
            if isinstance(action, Turn | Cube):
                words = "\n".join(filter(None, (action.comment, text)))
                marks = marks or action.marks
                self.actions[place] = replace(action, comment=words, marks=marks)
                return
        words = "\n".join(filter(None, (self.game.comment, text)))
        self.game = replace(self.game, comment=words)

    def withdraw_resignation(self) -> None:
        """Drop an offer to resign that a broken connection left unanswered."""
        if self.replay.state.resigned and self.replay.result is None:
            self.replay.withdraw_resignation()
            self.actions.pop()

    def drop_roll(self, line: int, seat: int, dice: Dice | None = None) -> None:
        """Forget unplayed dice if the other player goes on, or if other dice or the cube follow.

        `set turn` and `set dice` leave such rolls in files of gnubg.
        """
        last = self.actions[-1] if self.actions else None
        if not isinstance(last, Turn) or last.play is not None or self.replay.result is not None:
            return
        if seat == last.seat and dice is not None and sorted(dice) == sorted(last.dice):
            return
        self.actions.pop()
        begun = bool(self.actions) and not isinstance(self.actions[-1], SetBoard)
        self.replay.drop_roll(begun=begun)
        if begun and seat != last.seat:  # out of turn: only a board set by hand can say so
            state, position = self.replay.state, self.replay.position.flipped()
            self.add_action(line, SetBoard(seat, position, state.cube, state.cube_owner))

    def position_of(self, seat: int) -> Position:
        """Return the board as this seat sees it now, as if it were on roll."""
        replay = self.replay
        return replay.position if seat == replay.state.on_roll else replay.position.flipped()

    def won(self, line: int, winner: int, points: int | None) -> None:
        """End the game as the file says: by a resignation, unless the board shows the win."""
        self.said_points = points
        result, cube = self.replay.result, self.replay.state.cube
        enough = (None, self.length, self.length - self.game.score[winner])
        if result is None:
            games = 1 if points is None else games_of(points, cube)
            if points not in (*enough, games * cube):
                why = f"{points} points is no result with the cube at {cube}"
                made = (self.replay.state.resigned or games) * cube
                self.remarks.add(line, why, f"taken for {made}")
            if not self.replay.state.resigned:
                self.add_action(line, Resignation(1 - winner, ResignStep.OFFERED, games))
            self.add_action(
                line, Resignation(winner, ResignStep.ACCEPTED, self.replay.state.resigned)
            )
        elif result.winner != winner:
            self.remarks.add(line, "the other player has won the game on the board")
        elif result.ending is not Ending.RESIGNED:
            fitting = (*enough, result.points, cube if self.may_show_jacoby() else None)
            if points not in fitting:
                self.remarks.add(line, f"the board shows a win of {result.points}, not of {points}")

    def followed_by(self, line: int, score: tuple[int, int]) -> None:
        """Check the score before the next game, which may show the winner of this one."""
        if self.length == 0 and score == (0, 0):
            return  # sessions are often written without scores
        gains = [after - before for before, after in zip(self.game.score, score, strict=True)]
        result = self.replay.result
        if result is None:
            if gains != [0, 0]:
                self.remarks.add(line, "the game before this has no end")
        else:
            results = [result]
            if self.may_show_jacoby():
                results.append(replace(result, points=self.replay.state.cube))
            if gains not in map(points_by_seat, results):
                shown = f"the score {score[0]}-{score[1]}"
                self.remarks.add(line, f"{shown} does not follow from the game before")

    def done(self) -> Game:
        """Return the game as far as it was read."""
        return replace(self.game, actions=tuple(self.actions), result=self.replay.result)

    def may_show_jacoby(self) -> bool:
        """Return whether a gammon ended this game that the Jacoby rule makes a single game."""
        result, state = self.replay.result, self.replay.state
        return (
            self.length == 0
            and result is not None
            and result.ending is Ending.BORNE_OFF
            and result.points > state.cube
            and state.cube_owner is None
        )

    def shows_jacoby(self, following: Draft | None) -> bool:
        """Return whether the file's result or the next score counts such a gammon once."""
        result, cube = self.replay.result, self.replay.state.cube
        if result is None or not self.may_show_jacoby():
            return False
        seat = result.winner
        gain = following.game.score[seat] - self.game.score[seat] if following else None
        return cube in (self.said_points, gain)


def as_played(position: Position, turn: Turn, hops: Sequence[Step]) -> Turn:
    """Return the turn with the play that these moves mean; an illegal one says why it is."""
    dice = turn.dice
    if not hops:
        illegal = "nothing is played" if can_move(position, dice) else ""
        return replace(turn, play=(), illegal=illegal)
    play = play_meant(position, dice, hops)
    if play is None:
        why = f"{format_steps(tuple(hops))} cannot be played with {dice[0]} and {dice[1]}"
        return replace(turn, play=by_hand(position, hops), illegal=shortened(why))
    part = not uses_enough(position, play, dice)
    why = f"{format_steps(play)} is not the whole play" if part else ""
    return replace(turn, play=play, illegal=why)


def with_rules_shown(match: Match) -> Match:
    """Return a money session with beavers and automatic doubles allowed, if it has any.

    Few formats have a field for them.
    """
    if match.length or not match.games:
        return match
    rules = match.rules
    if any(map(_is_beaver, (action for game in match.games for action in game.actions))):
        rules = replace(rules, beavers=max(rules.beavers, BEAVERS))
    doubles = max(game.cube.bit_length() - 1 for game in match.games)
    rules = replace(rules, automatic_doubles=max(rules.automatic_doubles, doubles))
    return replace(match, rules=rules)


def _is_beaver(action: Action) -> bool:
    return isinstance(action, Cube) and action.step is CubeStep.BEAVER


def check_length(line: int, length: int) -> None:
    """Refuse a length out of range with BadMatchFile."""
    if not 0 <= length <= MAX_LENGTH:
        raise BadMatchFile(line, f"matches go up to {MAX_LENGTH} points, not {length}")
