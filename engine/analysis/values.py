"""The result of analysing a match, as values that can be stored as JSON.

A turn is one player's: the decision to double or not (and the opponent's answer), the roll, the
play. `seat`, whose turn it is, sees the positions. Equities are EMG (+1 is winning the cube as it
stands; for money, points per unit of the cube) for the player of the turn, also in a double and its
answer. An error is 0 or negative for its maker. Its `cost` is the same in MWC, or in points for
money, where `mwc` is None.

Nothing here evaluates: engine.analysis.examiner does, or another program did.
engine.analysis.judging derives errors and sums, engine.analysis.valuesjson converts to JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum

from sixprime.engine.analysis.statistics import (
    Figures,
    PlayerStatistics,
    SessionTotals,
    figures,
    luck_adjusted,
    session,
)
from sixprime.engine.position import Chances, Dice, MatchState, Play, Position

Seven = tuple[float, ...]  # Chances, cubeless equity, cubeful equity (MWC in matches)


class Mark(IntEnum):
    NONE = 0
    DOUBTFUL = 1
    BAD = 2
    VERY_BAD = 3


class CubeError(Enum):
    """The ways to go wrong with the cube; PlayerStatistics has a field for each."""

    MISSED_BELOW_CP = "missed double below CP"
    MISSED_ABOVE_CP = "missed double above CP"
    WRONG_BELOW_DP = "wrong double below DP"
    WRONG_ABOVE_TG = "wrong double above TG"
    WRONG_TAKE = "wrong take"
    WRONG_PASS = "wrong pass"


class Answered(Enum):
    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"


# -- findings


@dataclass(frozen=True, slots=True)
class Verdict:
    error: float = 0.0  # EMG
    cost: float = 0.0  # MWC or points
    mark: Mark = Mark.NONE
    kind: CubeError | None = None  # for an error with the cube


@dataclass(frozen=True, slots=True)
class EvalContext:
    """The settings of an evaluation: gnubg's evalcontext."""

    plies: int
    cubeful: bool = True
    deterministic: bool = True
    noise: float = 0.0
    prune: bool = False


@dataclass(frozen=True, slots=True)
class RolloutResult:
    """A rolled-out evaluation: one row of numbers for a play, two (no double, take) for a cube."""

    trials: int
    outputs: tuple[Seven, ...]
    errors: tuple[Seven, ...]  # standard errors of `outputs`
    settings: str = ""  # in the other program's words
    cubeless_score: float = 0.0  # of a play

    @property
    def plies(self) -> int:
        """0: only `settings` says how deep each trial searched."""
        return 0


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """A play that was or could have been made, and its worth for its player."""

    play: Play
    probabilities: tuple[float, ...]  # W, WG, WBG, LG, LBG
    equity: float  # cubeful
    by: EvalContext | RolloutResult
    mwc: float | None = None


@dataclass(frozen=True, slots=True)
class CubeWorth:
    """The worth of no double and of double/take to the doubler; judging.cube_worth makes it."""

    no_double: Seven
    double_take: Seven  # money: already times 2
    by: EvalContext | RolloutResult


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    played: Play
    candidates: tuple[RankedPlay, ...]  # best first; the first few, and the play made
    chosen: int | None  # index of the play made; None if it was illegal
    legal: int  # the number of legal plays; 1 if forced, or a dance
    verdict: Verdict

    @property
    def best(self) -> RankedPlay | None:
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True, slots=True)
class CubeAnalysis:
    """The decision to double or not, and the answer."""

    equities: tuple[float, float, float]  # no double, double/take, double/pass
    mwc: tuple[float, float, float] | None  # of the same three
    outcomes: Chances
    by: EvalContext | RolloutResult
    proper: str  # the right cube action, in gnubg's words
    close: bool  # counts as a close decision; always, if the cube was turned
    doubled: bool
    answer: Answered | None
    double_verdict: Verdict  # of doubling or not doubling, for the player of the turn
    answer_verdict: Verdict | None  # for the opponent


@dataclass(frozen=True, slots=True)
class TurnAnalysis:
    """One player's turn, or as much of it as happened."""

    seat: int
    position: Position  # before the roll, as `seat` sees it
    cube: int  # before any double of this turn
    stake: int  # the cube when the dice fell: after a double, a beaver
    cube_owner: int | None
    action: int  # index of the turn's first settled action: the double, or else the roll
    roll: int | None = None  # index of the roll
    cube_analysis: CubeAnalysis | None = None
    dice: Dice | None = None
    luck: float | None = None
    luck_cost: float | None = None
    luck_mark: int = 0  # 2 very lucky .. -2 very unlucky
    move: MoveAnalysis | None = None


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    score: tuple[int, int]  # before it
    crawford: bool
    turns: tuple[TurnAnalysis, ...]
    winner: int | None  # None: unfinished
    points: int
    statistics: tuple[PlayerStatistics, PlayerStatistics]


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """A match, or a money session (length 0)."""

    players: tuple[str, str]
    length: int
    jacoby: bool
    beavers: int
    games: tuple[GameAnalysis, ...]
    settings: str  # AnalysisSettings.key
    level: str  # AnalysisSettings.level
    date: str = ""  # ISO

    @property
    def statistics(self) -> tuple[PlayerStatistics, PlayerStatistics]:
        """Each player's statistics, summed over the games."""
        none = PlayerStatistics()
        first, second = (
            sum((game.statistics[seat] for game in self.games), none) for seat in (0, 1)
        )
        return first, second

    def figures(self, seat: int) -> Figures:
        """Return rates, results and ratings over the whole match."""
        both = self.statistics
        return figures(both[seat], both[1 - seat], self.length)

    def session(self, seat: int) -> SessionTotals | None:
        """Return points per finished game; None in a match."""
        if self.length:
            return None
        done = [game.statistics for game in self.games if game.winner is not None]
        pairs = ((both[seat], both[1 - seat]) for both in done)
        return session((mine.result, luck_adjusted(mine, theirs)) for mine, theirs in pairs)

    def state(self, game: GameAnalysis, turn: TurnAnalysis, *, rolled: bool = False) -> MatchState:
        """Return the state before a turn, or with `rolled` after any double, before the play."""
        turned = rolled and turn.stake != turn.cube
        return MatchState(
            length=self.length,
            score=game.score,
            on_roll=turn.seat,
            to_act=turn.seat,
            cube=turn.stake if rolled else turn.cube,
            cube_owner=1 - turn.seat if turned else turn.cube_owner,
            crawford=game.crawford,
            jacoby=self.jacoby,
            beavers=self.beavers,
        )

    def turn_of(self, error: Error) -> TurnAnalysis:
        return self.games[error.game].turns[error.turn]

    def state_at(self, error: Error) -> MatchState:
        """Return the state at the decision, with the dice if it was a play."""
        turn, rolled = self.turn_of(error), error.what is What.PLAY
        state = self.state(self.games[error.game], turn, rolled=rolled)
        return state.with_(dice=turn.dice if rolled else None)

    def errors(self) -> list[Error]:
        """Return every decision that was not the best, worst first."""
        errors = [
            Error(number, index, what, seat, verdict)
            for number, game in enumerate(self.games)
            for index, turn in enumerate(game.turns)
            for what, seat, verdict in decisions(turn)
            if verdict.error < 0
        ]
        return sorted(errors, key=lambda error: (error.verdict.error, error.game, error.turn))


class What(Enum):
    DOUBLE = "double"
    ANSWER = "answer"
    PLAY = "play"


@dataclass(frozen=True, slots=True)
class Error:
    """An error in `games[game].turns[turn]` of the analysis."""

    game: int
    turn: int
    what: What
    seat: int
    verdict: Verdict

    @property
    def place(self) -> str:
        """The name of the decision in the match, such as 0.4.play."""
        return f"{self.game}.{self.turn}.{self.what.value}"


def decisions(turn: TurnAnalysis) -> Iterator[tuple[What, int, Verdict]]:
    """Yield the decisions of a turn with seat and verdict."""
    cube = turn.cube_analysis
    if cube is not None:
        yield What.DOUBLE, turn.seat, cube.double_verdict
        if cube.answer_verdict is not None:
            yield What.ANSWER, 1 - turn.seat, cube.answer_verdict
    if turn.move is not None:
        yield What.PLAY, turn.seat, turn.move.verdict
