"""Rollouts of close decisions after a search: `Evaluation.rollout`, the level `roller`.

The search comes first. Plays close to its best, or both sides of a close cube decision, are then
rolled out with the same dice in rounds. Each round drops plays that are clearly behind; the rollout
ends when one is left, the trials are done or time is up. If nothing is close, or the first round
does not end in time, the search decides.

"Clearly" refers to differences of paired trials, which vary less than two separate rollouts. The
search counts as some trials more (`Rolling.weight`): it errs most where trials vary most, and a few
of them know less than it does. Sometimes it errs far more; so it counts less the more the trials
disagree with it. The same trials give the same answer with any number of threads; only the number
of trials within a time limit depends on the machine.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.luck import WORTH
from sixprime.engine.position import Dice, MatchState, Position, chances_of
from sixprime.engine.search.cube import CubeContext, judged
from sixprime.engine.search.plies import Candidate, Evaluation, Rolling, Search, Seen
from sixprime.engine.search.rollout import Rolled, Rollout, of_cube, of_plays
from sixprime.engine.search.trials import COLUMNS, RolloutSettings, play_trials

ROUND = 36  # trials of each rival in a round, one for every first roll
PIECE = 4  # trials that a thread plays before it checks the clock
EQUAL = 0.002  # EMG; rivals certainly closer count as equal
FIRST_GUESS_S = 0.02  # for a trial
TAILS = 4  # degrees of freedom: sometimes a search is far off
CAUTION = 2.0  # times the last pieces: the time that another one must have

Worths = NDArray[np.float64]  # [..., trials]
StillOpen = Callable[[list[int], Worths], list[int]]  # picks the open ones, by their worths


class Weighing(NamedTuple):
    """The weights of the search and of the trials after it."""

    search: int  # trials that the search counts as where both agree
    clear: float  # standard deviations that make a difference certain
    unit: float  # EMG per unit of worth

    def of_search(self, trials: Worths, searched: float) -> float:
        """Return the number of trials that the search counts as beside these.

        Its errors have Student's distribution, whose width a single trial does not show.
        """
        gap = float(trials.mean()) - searched
        if self.search == 0 or gap == 0.0 or len(trials) < 2:
            return float(self.search)
        expected = float(trials.var(ddof=1)) * (1 / len(trials) + 1 / self.search)
        return self.search * (TAILS + 1) * expected / (TAILS * expected + gap * gap)

    def mean(self, trials: Worths, searched: float) -> float:
        weight = self.of_search(trials, searched)
        return (float(trials.sum()) + weight * searched) / (len(trials) + weight)

    def settles(self, gains: Worths, searched: float) -> bool:
        """Return whether the sign of the mean is certain, or certainly does not matter."""
        if len(gains) < 2:
            return False
        count = len(gains) + self.of_search(gains, searched)
        doubt = self.unit * self.clear * float(gains.std(ddof=1)) / math.sqrt(count)
        mean = self.unit * abs(self.mean(gains, searched))
        return mean > doubt or mean + doubt < EQUAL


class RollingSearch(Search):
    """A search followed by rollouts where the evaluation asks for them."""

    def __init__(self, brain: Brain, threads: int = 1, seed: int = 1) -> None:
        super().__init__(brain, threads, seed)
        self._seed = seed
        self._trial_s = FIRST_GUESS_S  # seconds that a trial of this decision takes

    def plays(
        self,
        position: Position,
        match: MatchState,
        dice: Dice,
        evaluation: Evaluation,
        seconds: float | None = None,
        made: Position | None = None,
    ) -> Sequence[Candidate]:
        """Do as Search.plays; rolled-out plays come first, the longest rollouts before others."""
        end = _end(seconds)
        found = super().plays(position, match, dice, evaluation, seconds, made)
        rolling = evaluation.rollout
        if rolling is None:
            return found
        rivals = _rivals(found, evaluation.plies, rolling, made)
        if len(rivals) < 2:
            return found
        plays = [each.play for each in rivals]
        settings = self._settings(rolling, evaluation)
        rollout = of_plays(position, match, plays, settings)
        context = CubeContext.of(match)
        weighing = Weighing(rolling.weight, rolling.clear, _emg_per_worth(context))
        searched = np.array([each.equity for each in rivals]) / weighing.unit
        if not self._roll(rollout, end, partial(_still_ahead, searched, weighing)):
            return found
        trials = [rows[:, WORTH] for rows in rollout.results]
        worths = _weighed(trials, searched, weighing)
        rolled = [
            _with(each, _of_worth(figures, worth, context))
            for each, figures, worth in zip(rivals, rollout.rolled(), worths, strict=True)
        ]
        rest = [each for each in found if each not in rivals]
        return sorted(rolled, key=_longest_first) + rest

    def see(
        self,
        position: Position,
        match: MatchState,
        evaluation: Evaluation,
        seconds: float | None = None,
    ) -> Seen:
        """Do as Search.see; doubling and not doubling are both rolled out, or neither."""
        rolling = evaluation.rollout
        if rolling is None:
            return super().see(position, match, evaluation, seconds)
        end = _end(seconds)
        seen = super().see(position, match, evaluation, seconds)
        if not _is_open(seen, match, rolling.cube_within):
            return seen
        rollout = of_cube(position, match, self._settings(rolling, evaluation))
        context = CubeContext.of(match)
        weighing = Weighing(rolling.cube_weight, rolling.clear, _emg_per_worth(context))
        searched = seen.no_double, seen.double_take
        passed = float(cube_kernel.pass_worth(0, context.cube, context.rules, context.chances))

        def still_open(both: list[int], worths: Worths) -> list[int]:
            return both if _cube_is_open(worths, searched, passed, weighing) else []

        if not self._roll(rollout, end, still_open):
            return seen
        no_double, double_take = worths = [
            weighing.mean(rows[:, WORTH], worth)
            for rows, worth in zip(rollout.results, searched, strict=True)
        ]
        rolled = tuple(
            _of_worth(figures, worth, context)
            for figures, worth in zip(rollout.rolled(), worths, strict=True)
        )
        return Seen(chances_of(rolled[0].outcomes), no_double, double_take, rolled)

    def _settings(self, rolling: Rolling, evaluation: Evaluation) -> RolloutSettings:
        return RolloutSettings(
            trials=rolling.trials,
            cubeful=evaluation.cubeful,
            truncate=rolling.truncate,
            seed=self._seed,
        )

    def _roll(self, rollout: Rollout, end: float, still_open: StillOpen) -> bool:
        """Roll out until the trials are done, time is up, or `still_open` names none of a round.

        False if time ran out in the first round: the search knows more than so few trials.
        """
        self._trial_s = FIRST_GUESS_S
        rivals = list(range(len(rollout.alternatives)))
        done, trials = 0, rollout.settings.trials
        while len(rivals) > 1 and done < trials:
            count = min(ROUND, trials - done)
            rows = self._round(rollout, rivals, done, count, end)
            for i, each in zip(rivals, rows, strict=True):
                rollout.results[i] = np.concatenate([rollout.results[i], each])
            if len(rows[0]) < count:
                return done > 0
            done += count
            worths = np.stack([rollout.results[i][:, WORTH] for i in rivals])
            rivals = still_open(rivals, worths)
        return True

    def _round(
        self, rollout: Rollout, rivals: Sequence[int], first: int, count: int, end: float
    ) -> list[NDArray[np.float64]]:
        """Play this many trials of each rival; equally fewer of each if time is up."""
        pieces = [
            (i, at, min(PIECE, first + count - at))
            for at in range(first, first + count, PIECE)
            for i in rivals
        ]
        rows: list[NDArray[np.float64] | None] = [None] * len(pieces)
        places, hand_out = iter(range(len(pieces))), threading.Lock()

        def work() -> None:
            while True:
                with hand_out:
                    place = next(places, None)
                if place is None:
                    return
                i, at, trials = pieces[place]
                began = time.monotonic()
                if began + CAUTION * self._trial_s * trials > end:
                    return
                alternative, settings = rollout.alternatives[i], rollout.settings
                rows[place] = play_trials(
                    rollout.match, alternative, settings, at, trials, self.brain
                )
                took = (time.monotonic() - began) / trials
                self._trial_s = max(took, 0.8 * self._trial_s)

        if self._pool is None:
            work()
        else:
            for each in [self._pool.submit(work) for _ in range(self.threads)]:
                each.result()
        return _of_each(rows, len(rivals))


def _of_each(rows: Sequence[NDArray[np.float64] | None], rivals: int) -> list[NDArray[np.float64]]:
    """Join the leading pieces that every rival has."""
    whole = next((i for i, each in enumerate(rows) if each is None), len(rows)) // rivals
    played = [each for each in rows[: whole * rivals] if each is not None]
    if not played:
        return [np.zeros((0, COLUMNS)) for _ in range(rivals)]
    return [np.concatenate(played[i::rivals]) for i in range(rivals)]


def _end(seconds: float | None) -> float:
    return math.inf if seconds is None else time.monotonic() + seconds


def _emg_per_worth(context: CubeContext) -> float:
    return context.cubeful(1.0).equity - context.cubeful(0.0).equity


def _of_worth(rolled: Rolled, worth: float, context: CubeContext) -> Rolled:
    """Return the rollout with another worth than the mean of its trials."""
    equity, mwc = context.cubeful(worth)
    return replace(rolled, equity=equity, mwc=mwc)


# --- plays


def _rivals(
    found: Sequence[Candidate], plies: int, rolling: Rolling, made: Position | None
) -> list[Candidate]:
    """Return the plays that the search leaves open, and the play that was made."""
    least = found[0].equity - rolling.within
    close = [each for each in found if each.plies == plies and each.equity >= least]
    close = close[: rolling.plays]
    if len(close) > 1:
        close += [each for each in found if each.result == made and each not in close]
    return close


def _still_ahead(
    searched: NDArray[np.float64], weighing: Weighing, rivals: list[int], worths: Worths
) -> list[int]:
    """Return the plays that are neither clearly behind the best nor equal to it."""
    place = int(np.argmax(_weighed(worths, searched[rivals], weighing)))
    best = rivals[place]
    return [
        i
        for i, each in zip(rivals, worths, strict=True)
        if i == best or not weighing.settles(worths[place] - each, searched[best] - searched[i])
    ]


def _weighed(
    trials: Sequence[Worths] | Worths, searched: NDArray[np.float64], weighing: Weighing
) -> list[float]:
    """Return the worth of each play.

    A search is off by nearly as much for one play as for another. So it counts in the differences
    from one of the best, and not in the worth of that play.
    """
    most = max(map(len, trials))
    sums = [
        float(each.sum()) + weighing.search * worth if len(each) == most else -math.inf
        for each, worth in zip(trials, searched, strict=True)
    ]
    anchor = int(np.argmax(sums))
    found = float(trials[anchor].mean())
    return [
        found + weighing.mean(each - trials[anchor][: len(each)], worth - searched[anchor])
        for each, worth in zip(trials, searched, strict=True)
    ]


def _with(candidate: Candidate, rolled: Rolled) -> Candidate:
    return candidate._replace(
        equity=rolled.equity, mwc=rolled.mwc, outcomes=chances_of(rolled.outcomes), rolled=rolled
    )


def _longest_first(candidate: Candidate) -> tuple[float, float]:
    trials = 0 if candidate.rolled is None else candidate.rolled.trials
    return -trials, -candidate.equity


# --- the cube


def _is_open(seen: Seen, match: MatchState, within: float) -> bool:
    """Return whether the double, or the answer to it, is close."""
    decision = judged(seen.no_double, seen.double_take, match)
    if not decision.available:
        return False
    gain = min(decision.double_take, decision.double_pass) - decision.no_double
    take = decision.double_pass - decision.double_take
    return abs(gain) < within or (abs(take) < within and gain > -within)


def _cube_is_open(
    worths: Worths, searched: tuple[float, float], passed: float, weighing: Weighing
) -> bool:
    no_double, double_take = worths
    saw_no_double, saw_double_take = searched
    taking = weighing.settles(double_take - passed, saw_double_take - passed)
    if weighing.mean(double_take, saw_double_take) < passed:
        doubling = weighing.settles(double_take - no_double, saw_double_take - saw_no_double)
    else:
        doubling = weighing.settles(passed - no_double, passed - saw_no_double)
    return not (doubling and taking)
