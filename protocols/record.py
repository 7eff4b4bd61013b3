"""Match, Game, Turn: the one in-memory record that every format reads and writes.

Everything is frozen. Players are seats 0 and 1, as in a Match ID; plays are in the mover's own
numbering, as everywhere. A game is the list of what happened, in order; `Replay` turns it into
positions and match states, and refuses what cannot have happened on a board. Whether a play uses as
many dice as it must is for engine.game to say: nothing here lists legal plays.

A resignation that ended a game always stands in the record as an offer and its acceptance, also
where a file only says who won.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, IntEnum
from typing import NamedTuple

from engine.position import (
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
    Variant,
)

Seven = tuple[float, ...]  # W, WG, WBG, LG, LBG, cubeless equity, cubeful equity (MWC in matches)


class BadMatchFile(ValueError):
    """A file is not what it should be; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class BadRecord(ValueError):
    """What the record says cannot have happened; the text says why."""


class CannotCarry(ValueError):
    """A format has no way to write something that the record holds; the text says what."""


class Mark(IntEnum):
    """How bad a decision was."""

    NONE = 0
    DOUBTFUL = 1
    BAD = 2
    VERY_BAD = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """How an evaluation was made."""

    plies: int
    cubeful: bool = True
    deterministic: bool = True
    noise: float = 0.0
    prune: bool = False


@dataclass(frozen=True, slots=True)
class Rollout:
    """A rolled-out evaluation: one row of numbers for a play, two (no double, take) for a cube."""

    trials: int
    outputs: tuple[Seven, ...]
    errors: tuple[Seven, ...]  # standard errors of `outputs`
    settings: str = ""  # as the program that rolled out wrote them
    cubeless_score: float = 0.0  # of a play


@dataclass(frozen=True, slots=True)
class Candidate:
    """One play with its worth for the player who makes it."""

    play: Play
    probabilities: tuple[float, ...]  # W, WG, WBG, LG, LBG
    equity: float  # cubeful; EMG in match play
    by: Settings | Rollout


@dataclass(frozen=True, slots=True)
class CubeWorth:
    """What not doubling and double/take are worth to the doubler."""

    no_double: Seven
    double_take: Seven  # money: already times 2
    by: Settings | Rollout


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine thought of one decision, at the time or later."""

    candidates: tuple[Candidate, ...] = ()  # best first
    chosen: int | None = None  # which of them was played
    cube: CubeWorth | None = None  # of doubling before this roll, or of this cube action
    luck: float | None = None  # of the roll, for the roller
    luck_mark: int = 0  # 2 very lucky, 1 lucky, -1 and -2 unlucky
    mark: Mark = Mark.NONE  # of the play, or of the cube action itself
    cube_mark: Mark = Mark.NONE  # of not doubling before the roll
    to_roll_out: tuple[int, ...] = ()  # candidates a user has marked
    roll_out_cube: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A roll and what was done with it: None while the dice lie unplayed, () for a dance.

    Where something happened between roll and play, a Turn without the play comes first and a Turn
    of the same dice with it later.
    """

    seat: int
    dice: Dice  # in the order of the file; the order has no meaning
    play: Play | None = None
    analysis: Analysis | None = None
    comment: str = ""


class CubeStep(Enum):
    """What can be done with the cube. A raccoon is one more beaver."""

    DOUBLE = "double"
    BEAVER = "beaver"
    TAKE = "take"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Cube:
    """A double or an answer to one."""

    seat: int
    step: CubeStep
    analysis: Analysis | None = None
    comment: str = ""


class ResignStep(Enum):
    """The life of an offer to resign."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Resignation:
    """`games` is 1 for a single game, 2 a gammon, 3 a backgammon; `seat` is who acts."""

    seat: int
    step: ResignStep
    games: int = 1
    comment: str = ""


class Break(Enum):
    """How a match is interrupted and taken up again."""

    LEFT = "left"
    DROPPED = "dropped"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True)
class Interruption:
    """A player left or lost the connection, or the match was resumed."""

    seat: int
    kind: Break
    at: datetime | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """The board is set by hand, or known only from here on: what was before does not matter."""

    on_roll: int
    position: Position  # as `on_roll` sees it
    cube: int = 1
    cube_owner: int | None = None
    comment: str = ""


Action = Turn | Cube | Resignation | Interruption | Setup


class Ending(Enum):
    """How a game ended."""

    BORNE_OFF = "borne off"
    DROPPED = "dropped"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class Result:
    """Who won how many points, the cube included."""

    winner: int
    points: int
    ending: Ending


@dataclass(frozen=True, slots=True)
class Statistics:
    """Sums over a game in the layout of SGF's GS property; see formats-and-interop.md part 3.5."""

    moves: tuple[float, ...]
    cube: tuple[float, ...]
    dice: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """One game; `result` is None while it is unfinished."""

    score: tuple[int, int] = (0, 0)  # before it
    crawford: bool = False
    actions: tuple[Action, ...] = ()
    result: Result | None = None
    cube: int = 1  # at the start; more than 1 only after automatic doubles
    statistics: Statistics | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat there; None is unknown."""

    name: str
    rating_before: float | None = None
    rating_after: float | None = None
    experience_before: int | None = None
    experience_after: int | None = None
    level: str = ""  # of our engine, where it played


@dataclass(frozen=True, slots=True)
class Rules:
    """What the games are played by."""

    crawford: bool = True
    jacoby: bool = False  # money only
    beavers: int = 0
    cube: bool = True
    variant: Variant = Variant.STANDARD


@dataclass(frozen=True, slots=True)
class Match:
    """A match, or a money session: length 0."""

    players: tuple[Player, Player]
    length: int
    games: tuple[Game, ...] = ()
    rules: Rules = field(default_factory=Rules)
    date: date | None = None
    started: datetime | None = None
    ended: datetime | None = None
    place: str = ""  # for our own matches: the server
    event: str = ""
    round: str = ""
    annotator: str = ""
    comment: str = ""

    @property
    def score(self) -> tuple[int, int]:
        """Points of the seats after the last game."""
        if not self.games:
            return 0, 0
        last = self.games[-1]
        won = [0, 0] if last.result is None else points_by_seat(last.result)
        return last.score[0] + won[0], last.score[1] + won[1]

    @property
    def finished(self) -> bool:
        """Is the match won, or the session's last game over?"""
        if self.length:
            return max(self.score) >= self.length
        return bool(self.games) and self.games[-1].result is not None

    @property
    def winner(self) -> int | None:
        """The seat that won the match, or is ahead when a session is over."""
        first, second = self.score
        return int(second > first) if self.finished and first != second else None


def points_by_seat(result: Result) -> list[int]:
    """What seats 0 and 1 get."""
    return [result.points if seat == result.winner else 0 for seat in (0, 1)]


def is_crawford(match_length: int, score: tuple[int, int], rules: Rules, earlier: bool) -> bool:
    """Is a game at this score the Crawford game, if none (`earlier`) has been played yet?"""
    away = [match_length - points for points in score]
    return rules.crawford and match_length > 1 and not earlier and away.count(1) == 1


def settled(game: Game) -> tuple[Action, ...]:
    """The actions without rolls that a later Turn of the same dice plays."""
    kept: list[Action] = []
    played = False
    for action in reversed(game.actions):
        if isinstance(action, Turn):
            if action.play is None and played:
                continue
            played = True
        elif isinstance(action, Setup):
            played = False
        kept.append(action)
    return tuple(reversed(kept))


class Moment(NamedTuple):
    """An action and the board it was done on, as `state.on_roll` sees it."""

    action: Action
    position: Position
    state: MatchState


def moments(match: Match, game: Game) -> Iterator[Moment]:
    """Every action of a game with the board before it."""
    replay = Replay(match.length, match.rules, game)
    for action in game.actions:
        replay.expect(action)
        yield Moment(action, replay.position, replay.state)
        replay.apply(action)


def outcome(match: Match, game: Game) -> Result | None:
    """The result that the actions lead to; None if they do not end the game."""
    replay = Replay(match.length, match.rules, game)
    for action in game.actions:
        replay.apply(action)
    return replay.result


class Replay:
    """A game played through; `position` is always as `state.on_roll` sees it."""

    def __init__(self, length: int, rules: Rules, game: Game) -> None:
        self.position = Position.start(rules.variant)
        self.state = MatchState(
            length=length,
            score=game.score,
            cube=game.cube,
            crawford=game.crawford,
            jacoby=rules.jacoby and length == 0,
            beavers=rules.beavers if length == 0 else 0,
        )
        self.result: Result | None = None
        self._begun = False  # before it, nobody knows who is on roll

    def expect(self, action: Action) -> None:
        """Let the first action of a game say who begins."""
        if not self._begun and isinstance(action, Turn | Cube):
            self._begun = True
            self.state = self.state.with_(on_roll=action.seat, to_act=action.seat)

    def apply(self, action: Action) -> None:
        """One action further; BadRecord if it cannot happen now."""
        self.expect(action)
        if isinstance(action, Interruption):
            return
        if self.result is not None:
            raise BadRecord("the game is over already")
        if isinstance(action, Setup):
            self._set_up(action)
        elif isinstance(action, Resignation):
            self._resign(action)
        elif self.state.resigned:
            raise BadRecord("a resignation waits for an answer")
        elif isinstance(action, Turn):
            self._turn(action)
        else:
            self._cube(action)

    def _set_up(self, setup: Setup) -> None:
        try:
            self.position = setup.position.checked()
        except IllegalPosition as error:
            raise BadRecord(str(error)) from error
        self._begun = True
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
        if not all(1 <= die <= 6 for die in turn.dice):
            raise BadRecord(f"a die shows 1 to 6, not {turn.dice[0]} and {turn.dice[1]}")
        if turn.play is None:
            self.state = self.state.with_(dice=turn.dice)
            return
        check_play(self.position, turn.play, turn.dice)
        after = self.position.after(turn.play)
        other = 1 - turn.seat
        self.position = after.flipped()
        self.state = self.state.with_(on_roll=other, to_act=other, dice=None)
        if after.is_over():
            games = after.result()
            undoubled = self.state.cube_owner is None and self.state.cube == 1
            if self.state.jacoby and undoubled:
                games = 1
            self._end(turn.seat, games, Ending.BORNE_OFF, Phase.OVER)

    def _cube(self, cube: Cube) -> None:
        state, other = self.state, 1 - cube.seat
        if cube.seat != state.to_act or state.dice is not None:
            raise BadRecord(f"this player cannot {cube.step.value} now")
        if cube.step is CubeStep.DOUBLE:
            if state.doubled:
                raise BadRecord("a double waits for an answer")
            if state.cube_owner not in (None, cube.seat):
                raise BadRecord("the cube belongs to the other player")
            self.state = state.with_(doubled=True, to_act=other)
        elif not state.doubled:
            raise BadRecord(f"nobody has doubled, so there is nothing to {cube.step.value}")
        elif cube.step is CubeStep.BEAVER:
            self.state = state.with_(
                cube=2 * state.cube, cube_owner=1 - state.on_roll, to_act=other
            )
        elif cube.step is CubeStep.TAKE:
            self.state = state.with_(
                cube=2 * state.cube,
                cube_owner=1 - state.on_roll,
                doubled=False,
                to_act=state.on_roll,
            )
        else:
            self._end(other, 1, Ending.DROPPED, Phase.DROPPED)

    def _resign(self, resignation: Resignation) -> None:
        state, seat = self.state, resignation.seat
        if not 1 <= resignation.games <= 3:
            raise BadRecord("a resignation is of 1, 2 or 3 games")
        if resignation.step is ResignStep.OFFERED:
            if state.resigned:
                raise BadRecord("a resignation waits for an answer")
            self.state = state.with_(resigned=resignation.games, to_act=1 - seat)
        elif not state.resigned or seat != state.to_act:
            raise BadRecord("there is no resignation to answer")
        elif resignation.step is ResignStep.ACCEPTED:
            self._end(seat, state.resigned, Ending.RESIGNED, Phase.RESIGNED)
        else:
            waits = 1 - state.on_roll if state.doubled else state.on_roll
            self.state = state.with_(resigned=0, to_act=waits)

    def _end(self, winner: int, games: int, ending: Ending, phase: Phase) -> None:
        self.result = Result(winner, games * self.state.cube, ending)
        self.state = self.state.with_(phase=phase)


def check_play(position: Position, play: Play, dice: Dice) -> None:
    """BadRecord unless the steps can be made with these dice on this board, rear checkers first.

    Whether more dice could have been used is not looked at.
    """
    left = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    for step in rear_first(play):
        if not left:
            raise BadRecord(f"{play_words(play)} has too many steps")
        left.remove(_die_for(position, step, left))
        position = position.after((step,))


def _die_for(position: Position, step: Step, left: list[int]) -> int:
    """The die of `left` this step uses up."""
    why = blocked(position, step)
    if why:
        raise BadRecord(f"{step_words(step)}: {why}")
    pips = step.start - step.end
    if pips in left:
        return pips
    larger = [die for die in left if step.end == OFF and die > pips]
    if larger and not any(position.mine[step.start : 6]):
        return min(larger)
    raise BadRecord(f"{step_words(step)} does not fit the dice")


def blocked(position: Position, step: Step) -> str:
    """Why no die at all lets this step be made; empty if one does."""
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


def can_move(position: Position, dice: Dice) -> bool:
    """Is there any step at all that one of the dice allows?"""
    for die in set(dice):
        for start in range(1, BAR + 1):
            step = Step(start, max(start - die, OFF))
            exact = start >= die or not any(position.mine[start:6])
            if exact and not blocked(position, step):
                return True
    return False


def rear_first(play: Play) -> Play:
    """The steps in descending order of start, then of end: legal whenever any order is."""
    return tuple(sorted(play, reverse=True))


def step_words(step: Step) -> str:
    """`24/18`, `bar/20`, `6/off`."""
    start = "bar" if step.start == BAR else str(step.start)
    end = "off" if step.end == OFF else str(step.end)
    return f"{start}/{end}"


def play_words(play: Play) -> str:
    """The steps one after the other."""
    return " ".join(step_words(step) for step in play)


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 with or without a mark at its start, or else Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
