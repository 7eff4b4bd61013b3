"""The JSON of commands that evaluate positions."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from sixprime.engine.bearoff.databases import Equities
from sixprime.engine.bearoff.files import Hypergammon, OneSided, TwoSided
from sixprime.engine.bearoff.hypergammon import HypergammonFigures
from sixprime.engine.position import Chances, Dice
from sixprime.engine.search.plies import Pass, Rolling
from sixprime.engine.search.rollout import Rolled, RolloutSettings
from sixprime.engine.study.counts import ChanceRule, RaceCount
from sixprime.engine.study.cubepoints import TurningPoints
from sixprime.engine.study.takepoints import CubeWindow

Three = tuple[float, float, float]


class PlayEvaluated(TypedDict):
    """A play and its worth for the player who makes it."""

    move: str  # empty where no checker can move
    result: str  # Position ID after the play, the opponent on roll
    equity: float  # per current cube; EMG in a match
    mwc: float | None  # None for money
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    plies: int  # turns that the search looked ahead
    trials: NotRequired[int]  # of a rollout, where the level rolls out
    errors: NotRequired[list[float]]  # standard error of the equity that was rolled out
    chance: NotRequired[float]  # with which people of the level's PR choose the play


class PlaysAtDepth(TypedDict):
    """One depth of `--plies`, with its plays."""

    plies: int
    plays: list[PlayEvaluated]


class HintedPlays(TypedDict):
    """The plays of a roll, best first."""

    position: str  # Position ID
    match: str | None  # Match ID; None for a match that is too long for one
    dice: Dice
    kind: Literal["move"]
    move: NotRequired[str]  # the play that a level like people makes
    plays: list[PlayEvaluated]  # the same as `candidates`, by its former name
    candidates: list[PlayEvaluated]
    by_plies: NotRequired[list[PlaysAtDepth]]


class EquitiesOfCube(TypedDict):
    """Equities for the player on roll, per current cube."""

    no_double: float
    double_take: float
    double_pass: float


class CubeFigures(TypedDict):
    """The worth of doubling, and the right actions."""

    kind: Literal["cube"]
    double: bool
    take: bool  # the opponent takes a double
    action: str  # in gnubg's words
    equities: EquitiesOfCube
    mwc: Three | None  # of no double, double and take, double and pass; None for money
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    trials: NotRequired[int]  # of a rollout, where the level rolls out
    errors: NotRequired[list[float]]  # standard errors of both cubes that were rolled out
    chances: NotRequired[dict[str, float]]  # with which people of the level's PR act
    cubeless: float  # equity if nobody turns the cube any more
    cubeless_money: float  # the same for money, without the Jacoby rule
    market_window: dict[str, tuple[float, float]]  # chances of winning where it opens and closes
    bluff: float | None  # chance of a wrong answer above which a double gains


class CubeAtDepth(CubeFigures):
    """The cube as one depth of `--plies` judged it."""

    plies: int


class HintedCube(CubeFigures):
    """The cube action of a position."""

    position: str  # Position ID
    match: str | None  # Match ID; None for a match that is too long for one
    by_plies: NotRequired[list[CubeAtDepth]]


class PlayDecided(TypedDict):
    """A play, as deep as the level searched it."""

    move: str  # empty where no checker can move
    result: str  # Position ID after the play, the opponent on roll
    equity: float  # per current cube; EMG in a match
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    chance: NotRequired[float]  # with which people of the level's PR choose the play


class DecidedMove(TypedDict):
    """An answer to a question with dice."""

    id: object  # of the question
    kind: Literal["move"]
    move: str  # the best, or the play that a level like people makes
    result: str  # Position ID after it, the opponent on roll
    equity: float
    candidates: list[PlayDecided]  # every legal play, best first


class DecidedCube(TypedDict):
    """An answer to a question without dice."""

    id: object  # of the question
    kind: Literal["cube"]
    double: bool
    take: bool  # the opponent takes a double
    action: str  # in gnubg's words
    equities: EquitiesOfCube
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    chances: NotRequired[dict[str, float]]  # with which people of the level's PR act


class QuestionRefused(TypedDict):
    """An answer to a bad line."""

    id: object  # of the question; None if it has none that can be read
    error: str


class RolledOut(TypedDict):
    """A rollout: its settings, and its candidates, best first."""

    settings: RolloutSettings
    candidates: list[Rolled]
    action: NotRequired[str]  # cube action in gnubg's words, where it was the question


Sides = Literal["on_roll", "other"]


class RaceOfSides(TypedDict):
    """A race without a cube; the player on roll comes first."""

    effective_pips: tuple[float, float]
    wastage: tuple[float, float]  # effective pips beyond the pip count
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    trials: int  # 0 where the chances are exact


class _Says(TypedDict):
    says: str  # cube action


class PositionsCube(TypedDict):
    """The cube action of the position."""

    action: str  # in gnubg's words
    equities: Three  # of no double, double and take, double and pass
    bluff: float | None  # chance of a wrong answer above which a double gains


class PointsOfCube(TypedDict):
    """Chances of winning from which actions are right, for a cube turned from `cube`."""

    cube: int
    dead: TurningPoints  # nobody turns the cube again
    live: TurningPoints  # both players turn it at the perfect moment
    effective: TurningPoints  # between dead and live, by the efficiency
    redoubled: TurningPoints | None  # dead after the other's redouble, which costs nothing


class RollOfPosition(TypedDict):
    """A roll and its best play."""

    dice: Dice
    move: str
    equity: float


class StudiedPosition(TypedDict):
    """Counts, race, cube points and rolls of a position."""

    position: str  # Position ID
    pips: dict[Sides, int]
    races: dict[Literal["race", "one_checker"], RaceOfSides]
    counts: dict[str, Annotated[RaceCount, _Says]]
    rules: dict[str, ChanceRule]
    probabilities: Chances  # win, gammon, backgammon, losing a gammon, losing a backgammon
    cube: PositionsCube
    efficiency: float  # of the cube, 0 (dead) to 1 (live)
    gammon_values: dict[Sides, tuple[float, float]]  # of a gammon and a backgammon beyond a win
    cube_points: dict[Sides, list[PointsOfCube]]
    average: NotRequired[float]  # equity over all rolls
    rolls: NotRequired[list[RollOfPosition]]


class EquityTable(TypedDict):
    """Chances of winning the match."""

    table: str
    before: list[list[float]]  # row: points that the player needs; column: the opponent
    post_crawford: tuple[list[float], list[float]]  # of the player who needs more than 1


class ScoreFacts(TypedDict):
    """A score: the chance of winning the match, and each player's windows by cube."""

    table: str
    chance: float  # of yours, to win the match
    you: list[CubeWindow]
    they: list[CubeWindow]


class _Counted(TypedDict):
    kind: Literal["one-sided", "two-sided", "hypergammon"]
    entries: int


class _Placed(TypedDict):
    entry: int  # number from 0 on
    position: str  # Position ID


class CubelessEntry(TypedDict):
    """An entry of a two-sided database without the cube."""

    cubeless: float  # money equity for a stake of 1


class OneSidedEntry(TypedDict):
    """An entry of a one-sided database: how soon a side is off."""

    mean: float  # rolls
    deviation: float  # standard deviation, in rolls
    effective_pips: float
    off: NotRequired[list[float]]  # chance to be off after 0, 1, ... rolls
    first_off: NotRequired[list[float]]  # chance that the first checker is off by then


BearoffFile = (
    Annotated[OneSided, _Counted] | Annotated[TwoSided, _Counted] | Annotated[Hypergammon, _Counted]
)
BearoffEntry = (
    Annotated[OneSidedEntry, _Placed]
    | Annotated[Equities, _Placed]
    | Annotated[CubelessEntry, _Placed]
    | Annotated[HypergammonFigures, _Placed]
)


class SearchDescribed(TypedDict):
    """The search of a level."""

    plies: int
    prune: bool
    keep: int  # replies of a node that pruning leaves
    rolls: int  # of a ply after the first
    cubeful: bool
    noise: NotRequired[float]  # standard deviation of the chance of winning
    deterministic: bool  # the position alone decides the noise
    filter: NotRequired[str]
    passes: NotRequired[list[Pass | None]]  # of a filter of its own
    efficiency: NotRequired[dict[str, float]]  # of the cube, by contact, bearoff and race
    rollout: NotRequired[Rolling]


class PersonsCube(TypedDict):
    """Cube decisions like people's."""

    pr: float


class LevelDescribed(TypedDict):
    """A level, as settings and files of levels take it."""

    pr: NotRequired[float]  # plays like people of this PR
    seed: NotRequired[int]  # one of these people
    portrait: NotRequired[list[float]]  # a player's differences from people of the PR
    deterministic: NotRequired[bool]
    checker: NotRequired[SearchDescribed]
    cube: NotRequired[SearchDescribed | PersonsCube]
    target_rating: NotRequired[float | str]
    bounds: NotRequired[dict[Literal["least", "most"], float]]  # ratings
    seconds: NotRequired[float]  # most time of a decision
    threads: NotRequired[int]  # 0 takes all cores
    met: NotRequired[str]
    bearoff: NotRequired[dict[Literal["one_sided", "two_sided"], str | None]]


class _Rated(TypedDict):
    rating: int | None  # as measured; None where it was not


LevelsListed = dict[str, Annotated[LevelDescribed, _Rated]]


class LevelsShown(TypedDict):
    """One level by its name, as a file of levels has it."""

    levels: dict[str, LevelDescribed]
