"""One match between two levels, with the errors of both and the luck taken out of the result.

Everything is judged at 0-ply without noise, so the errors are meaningful only for levels that
search no deeper: expert and below. The luck is unbiased at any level: the value of a roll minus the
average over all rolls has expectation zero, even if the values are wrong.

The levels decide on the kernels' arrays: through engine.search.acting a turn of 0.45 ms would take
0.2 ms longer.

Seats are 0 and 1, the players as they were given. A board is int8[2, 25] as its player on roll
sees it. Errors are EMG, positive; a result is a match winning chance of seat 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.game import Answer, GameWon, is_crawford, score_after
from sixprime.engine.kernels import choosing
from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels import luck as luck_kernel
from sixprime.engine.kernels import tree as kernel
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS, POINTS
from sixprime.engine.lab.tallies import Sums
from sixprime.engine.position import MAX_CHECKERS, MatchState, Position
from sixprime.engine.search.cube import CubeContext, CubeDecision, judged
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.plies import KEEP, Evaluation, Search, terms_of

if TYPE_CHECKING:
    from sixprime.engine.search.levels import Level

CLOSE = 0.16  # EMG, the cost of doubling below which the decision counts as close
REPLIES = 4  # plays that pruning leaves to measure the luck of a roll
LONGEST = 3000  # turns; a game still going on then is a bug
TRUTH = Evaluation(prune=False)
LUCK, JUDGE = -1, -2  # evaluations that measure luck and errors, in place of a seat

Board = NDArray[np.int8]


@dataclass(slots=True)
class Rate(Sums):
    """Errors per decision, and their interval: sums over matches."""

    decisions: int = 0
    error: float = 0.0
    decisions2: float = 0.0  # the squares of a match's numbers
    error2: float = 0.0
    product: float = 0.0

    def note(self, error: float) -> None:
        """Add one decision of the match that is being played."""
        self.decisions += 1
        self.error += error

    def closed(self) -> Rate:
        """Return the sums of a match that is over."""
        count, error = self.decisions, self.error
        return Rate(count, error, count * count, error * error, count * error)

    @property
    def mean(self) -> float:
        """EMG per decision, 0 without decisions."""
        return self.error / self.decisions if self.decisions else 0.0

    @property
    def deviation(self) -> float:
        """The standard error of the mean."""
        if not self.decisions:
            return 0.0
        r = self.mean
        spread = self.error2 - 2 * r * self.product + r * r * self.decisions2
        return float(np.sqrt(max(spread, 0.0)) / self.decisions)


@dataclass(slots=True)
class MatchTally(Sums):
    """Sums over matches; `adjusted` is the result of seat 0 with the luck taken out."""

    matches: int = 0
    won: int = 0
    adjusted: float = 0.0
    adjusted2: float = 0.0
    checker: list[Rate] = field(default_factory=lambda: [Rate(), Rate()])  # unforced plays
    cube: list[Rate] = field(default_factory=lambda: [Rate(), Rate()])  # close or actual ones
    turns: int = 0

    def all_decisions(self, seat: int) -> Rate:
        """Return plays and cube decisions of a player together."""
        both = Rate()
        both.add(self.checker[seat])
        both.add(self.cube[seat])
        return both


class LevelTurn(NamedTuple):
    """A turn before the roll."""

    board: Board
    plain: MatchState  # with the score, as the mover sees it, without the cube
    mover: int  # the seat
    cube: tuple[int, int]  # its value, and its owner as the mover sees it

    def state(self) -> MatchState:
        """Return the state with the cube added."""
        owner = (self.mover, None, 1 - self.mover)[self.cube[1]]
        return self.plain.with_(cube=self.cube[0], cube_owner=owner)


class LevelMatch:
    """Two levels about to play matches of one length."""

    def __init__(self, brain: Brain, levels: tuple[Level, Level], length: int) -> None:
        self._length = length
        self._stop = np.zeros(1, np.int64)
        self._draws = np.zeros(2, np.uint64)  # of random noise
        self._checker = (levels[0].checker, levels[1].checker)
        self._cube = (levels[0].cube, levels[1].cube)
        self._people = [
            Engine(each, brain=brain) if each.person or each.cube_person else None
            for each in levels
        ]
        self._search = Search(brain)
        self._scratch = self._search.scratches[0]
        self._terms: dict[tuple[MatchState, Evaluation, int], kernel.SearchTerms] = {}
        self._openings: dict[MatchState, dict[tuple[int, int, int], float]] = {}

    def play(self, seed: int, number: int) -> MatchTally:
        """Play match number `number` of a series: the same at any time, on any machine."""
        tally = MatchTally()
        score, luck = self.to_the_end(seed, number, tally)
        won = int(score[0] > score[1])
        adjusted = won - luck
        return MatchTally(
            1, won, adjusted, adjusted * adjusted,
            [rate.closed() for rate in tally.checker],
            [rate.closed() for rate in tally.cube],
            tally.turns,
        )  # fmt: skip

    def to_the_end(
        self, seed: int, number: int, tally: MatchTally
    ) -> tuple[tuple[int, int], float]:
        """Play on and return the score and seat 0's luck: in MWC, or points for a money game."""
        draws = np.random.default_rng([seed, number])
        self._draws[:] = draws.integers(1, 1 << 63), 0
        score = (0, 0)
        luck = 0.0
        crawford_is_over = False
        while True:
            crawford = is_crawford(self._length, score, played_before=crawford_is_over)
            crawford_is_over = crawford_is_over or crawford
            start = MatchState(self._length, score, 0, 0, crawford=crawford)
            game, lucky = self._game(start, draws, tally)
            luck += lucky
            score = score_after(score, game)
            if max(score) >= self._length:
                return score, luck

    def _game(
        self, start: MatchState, draws: np.random.Generator, tally: MatchTally
    ) -> tuple[GameWon, float]:
        """Play a game and return its end and the luck of seat 0."""
        board = Position.start().array()
        mover, dice, luck = self._opening(start, draws)
        cube, owner = 1, cube_kernel.CENTRED  # the owner as the mover sees it
        for number in range(LONGEST):
            tally.turns += 1
            turn = LevelTurn(board, _seen_by(start, mover), mover, (cube, owner))
            if number > 0:
                turned = self._turns_cube(turn, tally)
                if turned == "pass":
                    return GameWon(mover, cube), luck
                if turned == "take":
                    cube, owner = 2 * cube, cube_kernel.THEIRS
                    turn = turn._replace(cube=(cube, owner))
                high, low = draws.integers(1, 7, size=2)
                dice = int(high), int(low)
                lucky = self._luck(turn, dice)
                luck += lucky if mover == 0 else -lucky
            board = self._after(turn, dice, tally)
            if not board[0].any():
                position = Position.from_array(board)
                return GameWon(mover, cube * position.result()), luck
            board = board[::-1].copy()
            mover, owner = 1 - mover, cube_kernel.THEIRS - owner
        raise RuntimeError(f"a game did not end in {LONGEST} turns: a level must be wrong")

    # --- dice

    def _opening(
        self, start: MatchState, draws: np.random.Generator
    ) -> tuple[int, tuple[int, int], float]:
        """Roll for the first move: the seat, the dice, and the luck of that for seat 0."""
        first = second = 0
        while first == second:
            first, second = (int(die) for die in draws.integers(1, 7, size=2))
        mover = 0 if first > second else 1
        dice = max(first, second), min(first, second)
        if start not in self._openings:
            self._openings[start] = self._values_of_openings(start)
        values = self._openings[start]
        return mover, dice, values[mover, *dice] - sum(values.values()) / len(values)

    def _values_of_openings(self, start: MatchState) -> dict[tuple[int, int, int], float]:
        """Return the MWC of seat 0 by mover and dice."""
        values = {}
        total = 1.0 if start.length else 0.0  # of both sides' worths
        board, out = Position.start().array(), np.zeros(luck_kernel.RESULTS)
        for mover in range(2):
            terms = self._terms_for(_seen_by(start, mover), TRUTH, LUCK)
            for high in range(2, 7):
                for low in range(1, high):
                    self._put(board, (1, cube_kernel.CENTRED))
                    luck_kernel.value_of_roll(self._scratch.search(terms), 0, high, low, out)
                    worth = float(out[luck_kernel.WORTH])
                    values[mover, high, low] = worth if mover == 0 else total - worth
        return values

    def _luck(self, turn: LevelTurn, dice: tuple[int, int]) -> float:
        """Return the luck of the mover's roll, in MWC."""
        value, average, luck = np.zeros((3, luck_kernel.RESULTS))
        self._put(turn.board, turn.cube)
        search = self._scratch.search(self._terms_for(turn.plain, TRUTH, LUCK))
        luck_kernel.luck_of_roll(search, 0, *dice, False, value, average, luck)
        return float(luck[luck_kernel.WORTH])

    # --- the cube

    def _turns_cube(self, turn: LevelTurn, tally: MatchTally) -> str:
        """Use the mover's right to double, or not: "", "take" or "pass"."""
        board, plain, mover, cube = turn
        if not cube_kernel.may_double(0, *cube, CubeContext.of(plain).rules):
            return ""
        state = turn.state()
        truth = self._verdict(board, state, cube, TRUTH, JUDGE)
        answered = min(truth.double_take, truth.double_pass)
        if not self._doubles(turn):
            if truth.optimal - min(truth.double_take, 1.0) < CLOSE:
                tally.cube[mover].note(truth.optimal - truth.no_double)
            return ""
        tally.cube[mover].note(truth.optimal - answered)
        taker = 1 - mover
        gain = truth.double_pass - truth.double_take  # of the taker, by taking
        if self._takes(turn):
            tally.cube[taker].note(max(-gain, 0.0))
            return "take"
        tally.cube[taker].note(max(gain, 0.0))
        return "pass"

    def _doubles(self, turn: LevelTurn) -> bool:
        """Return whether the mover doubles."""
        evaluation, person = self._cube[turn.mover], self._people[turn.mover]
        if person is not None:
            return person.cube(Position.from_array(turn.board), turn.state()).doubles
        return self._verdict(turn.board, turn.state(), turn.cube, evaluation, turn.mover).double

    def _takes(self, turn: LevelTurn) -> bool:
        """Return whether the other takes the mover's double."""
        taker = 1 - turn.mover
        if (person := self._people[taker]) is not None:
            answer = person.answer(Position.from_array(turn.board), turn.state())
            return answer is not Answer.PASS
        return self._verdict(turn.board, turn.state(), turn.cube, self._cube[taker], taker).take

    def _verdict(
        self,
        board: Board,
        state: MatchState,
        cube: tuple[int, int],
        evaluation: Evaluation,
        seat: int,
    ) -> CubeDecision:
        walk = self._scratch.walk
        terms = self._terms_for(_plain(state), evaluation, seat)
        plies, stop = evaluation.plies, self._stop
        choosing.look_before(self._scratch.search(terms), board, cube, plies, stop)
        return judged(float(walk.worths[0, 0]), float(walk.worths[0, 1]), state)

    # --- plays

    def _after(self, turn: LevelTurn, dice: tuple[int, int], tally: MatchTally) -> Board:
        """Return the board after the mover's play, still as the mover sees it."""
        board, plain, mover, cube = turn
        work = self._scratch.work
        count = generate(board, *dice, work.rolled)
        if count < 2:
            return work.rolled.results[0].copy() if count else board
        best = self._scored(board, plain, cube, count, TRUTH, JUDGE)
        truth = work.scores[:count].copy()
        results = work.rolled.results[:count].copy()
        chosen = self._chosen(turn, dice, results, best)
        lost = float(truth[best] - truth[chosen])
        tally.checker[mover].note(lost / self._mwc_per_emg(plain, cube[0]))
        after: Board = results[chosen]
        return after

    def _chosen(
        self, turn: LevelTurn, dice: tuple[int, int], results: NDArray[np.int8], best: int
    ) -> int:
        """Return the index of the mover's play; `best` is the judge's at 0-ply."""
        evaluation, person = self._checker[turn.mover], self._people[turn.mover]
        if person is not None:
            decision = person.move(Position.from_array(turn.board), turn.state(), dice)
            return index_of(results, decision.played.result.array())
        if evaluation.plies > 0:
            position = Position.from_array(turn.board)
            ranked = self._search.plays(position, turn.state(), dice, evaluation)
            return index_of(results, ranked[0].result.array())
        if evaluation.noise > 0:
            plain, count = turn.plain, len(results)
            return self._scored(turn.board, plain, turn.cube, count, evaluation, turn.mover)
        return best

    def _mwc_per_emg(self, plain: MatchState, cube: int) -> float:
        chances = CubeContext.of(plain).chances
        won, lost = cube_kernel.won(chances, 0, cube), cube_kernel.lost(chances, 0, cube)
        return max(0.5 * float(won - lost), 1e-9)

    def _scored(
        self,
        board: Board,
        plain: MatchState,
        cube: tuple[int, int],
        count: int,
        evaluation: Evaluation,
        seat: int,
    ) -> int:
        """Return the best play at 0-ply, as the search would choose it."""
        work = self._scratch.work
        settings = np.array((MAX_CHECKERS, 0, evaluation.cubeful), np.int64)  # no reply is left out
        terms = self._terms_for(plain, evaluation, seat)._replace(settings=settings)
        kernel.score_results(self._scratch.search(terms), board, 0, *cube, count)
        scores = work.scores[:count]
        best = int(scores.argmax())
        same = np.flatnonzero(scores == scores[best])
        if len(same) > 1:  # the cubeless equity decides
            outcomes = work.outcomes[same, :OUTPUTS].astype(np.float64)
            cubeless = outcomes @ POINTS.astype(np.float64)
            best = int(same[cubeless.argmax()])
        return best

    # --- kept for many decisions

    def _put(self, board: Board, cube: tuple[int, int]) -> None:
        """Put a board and a cube at the root of the next search."""
        walk = self._scratch.walk
        walk.boards[0] = board
        walk.known[0] = -1
        walk.states[0, 0] = cube
        walk.counts[0] = 1

    def _terms_for(
        self, plain: MatchState, evaluation: Evaluation, seat: int
    ) -> kernel.SearchTerms:
        """Return search terms for a match at its score, for a seat, LUCK or JUDGE."""
        key = plain, evaluation, seat
        terms = self._terms.get(key)
        if terms is None:
            keep = KEEP if evaluation.prune and evaluation.noise == 0.0 else 0
            if seat == LUCK:
                keep = REPLIES
            draws = None if evaluation.deterministic else self._draws
            settings = (MAX_CHECKERS, keep, evaluation.cubeful)
            terms = terms_of(
                CubeContext.of(plain),
                settings,
                evaluation.noise,
                draws,
                efficiencies=evaluation.efficiency.known(),
            )
            self._terms[key] = terms
        return terms


def index_of(results: NDArray[np.int8], after: Board) -> int:
    """Return the place of a board among the results of a roll."""
    return int(np.flatnonzero((results == after).all(axis=(1, 2)))[0])


def _seen_by(start: MatchState, mover: int) -> MatchState:
    return start if start.on_roll == mover else start.with_(on_roll=mover, to_act=mover)


def _plain(state: MatchState) -> MatchState:
    return state.with_(cube=1, cube_owner=None)
