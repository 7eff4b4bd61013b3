"""Rollouts: the worth of a position, found by playing it out many times.

The same settings give the same numbers however the trials (engine.search.trials) are shared out,
interrupted or resumed. Alternatives (plays, or doubling and not) meet the same dice.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.luck import WORTH
from sixprime.engine.position import CUBE_ACTIONS, MatchState, Play, Position
from sixprime.engine.search import cube as cubes
from sixprime.engine.search.cube import CubeContext, CubeDecision
from sixprime.engine.search.trials import (
    COLUMNS,
    PLAIN,
    Alternative,
    BadRollout,
    RolloutSettings,
    play_trials,
)
from sixprime.engine.system.wholefiles import written_whole

__all__ = [
    "CHUNK", "LOOK", "Alternative", "BadRollout", "Rolled", "Rollout", "RolloutSettings",
    "of_cube", "of_plays", "of_position", "play_trials", "verdict",
]  # fmt: skip

CHUNK = 36  # trials handed out at a time
LOOK = 4 * CHUNK  # trials between checks for plays that are behind
DIAL_S = 10  # before we give up on a silent scheduler
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile)  # a state


@dataclass(frozen=True, slots=True)
class Rolled:
    """The result of one alternative, as the root player sees it."""

    name: str
    trials: int
    outcomes: tuple[float, ...]  # the five chances
    outcome_errors: tuple[float, ...]  # their standard errors
    equity: float  # per cube before the decision; EMG in a match
    error: float  # its standard error
    mwc: float | None  # None for money
    mwc_error: float | None = None
    reduction: float | None = None  # factor of the reduced variance; None: not reduced


Progress = Callable[[int, int], None]  # gets trials done and in all, after each round
Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Sequence[Any]]


@dataclass
class Rollout:
    """A rollout of some alternatives, with the trials done so far."""

    match: MatchState
    alternatives: Sequence[Alternative]
    settings: RolloutSettings
    results: list[NDArray[np.float64]] = field(default_factory=list)  # [trials so far, COLUMNS]
    weights: str = ""  # digest of the nets that play, kept with saved trials
    stopped: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        if any(each.position.is_hypergammon() for each in self.alternatives):
            raise BadRollout("hypergammon is not rolled out: it is known exactly, as `hint` says")
        self.settings.checked()
        if not self.results:
            self.results = [np.zeros((0, COLUMNS)) for _ in self.alternatives]
            self.stopped = [False] * len(self.alternatives)

    def run(
        self,
        brain: Brain,
        *,
        threads: int = 1,
        progress: Progress | None = None,
        save: Path | None = None,
        spread: Spread | None = None,
    ) -> list[Rolled]:
        """Play the missing trials, saving after each round if asked; `spread` distributes chunks.

        `spread(function, calls)` must return the results of the calls in their order; the default
        uses threads of this process, which run in parallel as kernels release the GIL.
        """
        share = spread or _threaded(threads)
        total = self.settings.trials * len(self.alternatives)
        while calls := self._round(4 * threads):
            arguments = [
                (self.match, self.alternatives[i], self.settings, first, count, brain)
                for i, first, count in calls
            ]
            for (i, _, _), rows in zip(calls, share(play_trials, arguments), strict=True):
                self.results[i] = np.concatenate([self.results[i], rows])
            self._stop()
            if save is not None:
                self.save(save)
            if progress is not None:
                progress(sum(len(rows) for rows in self.results), total)
        return self.rolled()

    def _round(self, most: int) -> list[tuple[int, int, int]]:
        """Return the next `most` chunks (alternative, first trial, count), alternatives abreast.

        If alternatives may be given up, it returns all chunks until the next check, which must come
        after the same trials with any number of threads.
        """
        calls: list[tuple[int, int, int]] = []
        ahead = [len(rows) for rows in self.results]
        end = self.settings.trials
        if self._may_stop() and not all(self.stopped):
            done = [n for n, stopped in zip(ahead, self.stopped, strict=True) if not stopped]
            end, most = min(end, LOOK * (min(done) // LOOK + 1)), LOOK * len(ahead)
        while len(calls) < most:
            open_ = [i for i, n in enumerate(ahead) if n < end and not self.stopped[i]]
            if not open_:
                break
            i = min(open_, key=lambda each: ahead[each])
            count = min(CHUNK - ahead[i] % CHUNK, end - ahead[i])
            calls.append((i, ahead[i], count))
            ahead[i] += count
        return calls

    def _may_stop(self) -> bool:
        behind = self.settings.stop_at > 0 and len(self.alternatives) > 1
        return behind or self.settings.stop_at_error > 0

    def _stop(self) -> None:
        """Give up alternatives clearly behind the best, and stop well-known ones."""
        if not self._may_stop():
            return
        rolled = self.rolled()
        open_ = [(i, each) for i, each in enumerate(rolled) if not self.stopped[i]]
        if not open_ or any(each.trials % LOOK for _, each in open_):
            return
        best = max(rolled, key=lambda each: each.equity)
        for i, each in open_:
            joint = math.hypot(best.error, each.error)
            lost = best.equity - each.equity
            behind = self.settings.stop_at > 0 and lost > self.settings.stop_at * joint
            known = self.settings.stop_at_error > 0 and each.error <= self.settings.stop_at_error
            if each.trials >= self.settings.stop_after and (behind or known):
                self.stopped[i] = True

    def rolled(self) -> list[Rolled]:
        """Return the means and standard errors of the trials so far."""
        return [
            _summary(alternative, rows, self.match, self.settings.reduce_variance)
            for alternative, rows in zip(self.alternatives, self.results, strict=True)
        ]

    def save(self, path: Path) -> None:
        """Write everything to one file, whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {
            f"results{i}": rows for i, rows in enumerate(self.results)
        }
        arrays |= {"what": np.array(self._what()), "stopped": np.array(self.stopped)}
        arrays["until"] = np.array(self._until())
        with written_whole(path) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def resume(self, path: Path) -> None:
        """Continue from a saved file; BadRollout if it belongs to another rollout."""
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                what = str(file["what"])
                results = [file[f"results{i}"] for i in range(len(self.alternatives))]
                stopped = [bool(each) for each in file["stopped"]]
                same_end = str(file["until"]) == self._until()
        except _UNREADABLE as error:
            why = getattr(error, "strerror", None) or "not a saved rollout"
            raise BadRollout(f"{path}: {why}") from error
        if what != self._what() or any(rows.shape[1:] != (COLUMNS,) for rows in results):
            raise BadRollout(f"{path}: saved from another position, match, weights or settings")
        self.results = results
        self.stopped = stopped if same_end else [False] * len(results)

    def _what(self) -> str:
        """Return the identity of the rollout, without its length, which may grow later."""
        endless = replace(self.settings, trials=1, stop_at=0.0, stop_at_error=0.0, stop_after=0)
        of = [repr(self.match), repr(list(self.alternatives)), repr(endless)]
        return json.dumps([*of, self.weights])

    def _until(self) -> str:
        settings = self.settings
        return json.dumps([settings.stop_at, settings.stop_at_error, settings.stop_after])


def of_plays(
    position: Position, match: MatchState, plays: Sequence[Play], settings: RolloutSettings
) -> Rollout:
    """Return a rollout that compares plays of a roll."""
    _not_the_opening(settings)
    context = CubeContext.of(match)
    owner = cube_kernel.THEIRS - context.owner
    return Rollout(
        match,
        [
            Alternative(str(i), position.after(play).flipped(), 1, context.cube, owner, True)
            for i, play in enumerate(plays)
        ],
        settings,
    )


def of_cube(position: Position, match: MatchState, settings: RolloutSettings) -> Rollout:
    """Return a rollout that compares "no double" with "double, take"."""
    _not_the_opening(settings)
    context = CubeContext.of(match)
    theirs = cube_kernel.THEIRS
    return Rollout(
        match,
        [
            Alternative(CUBE_ACTIONS[0], position, 0, context.cube, context.owner, False),
            Alternative(CUBE_ACTIONS[1], position, 0, 2 * context.cube, theirs, False),
        ],
        settings,
    )


def of_position(position: Position, match: MatchState, settings: RolloutSettings) -> Rollout:
    """Return a rollout of the worth to the player on roll, who may double."""
    context = CubeContext.of(match)
    doubles = not settings.opening
    alternative = Alternative("position", position, 0, context.cube, context.owner, doubles)
    return Rollout(match, [alternative], settings)


def _not_the_opening(settings: RolloutSettings) -> None:
    if settings.opening:
        raise BadRollout("the opening roll comes before any play or double: roll out a position")


def verdict(rollout: Rollout) -> CubeDecision:
    """Judge the cube action by a rollout of `of_cube`."""
    no_double, double_take = (float(rows[:, WORTH].mean()) for rows in rollout.results)
    return cubes.judged(no_double, double_take, rollout.match)


def _threaded(threads: int) -> Spread:
    def share(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Sequence[Any]:
        if threads == 1:
            return [function(*call) for call in calls]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda call: function(*call), calls))

    return share


def _possible(means: NDArray[np.float64]) -> tuple[float, ...]:
    """Make mean chances consistent: variance reduction over few trials can break their order."""
    win, *least = (float(x) for x in means)
    win = min(max(win, 0.0), 1.0)
    chances = [win]
    for most, rarer in ((win, least[:2]), (1.0 - win, least[2:])):
        for chance in rarer:
            most = min(max(chance, 0.0), most)
            chances.append(most)
    return tuple(chances)


def _summary(
    alternative: Alternative, rows: NDArray[np.float64], match: MatchState, reduced: bool
) -> Rolled:
    count = len(rows)
    if count == 0:
        return Rolled(alternative.name, 0, (0.0,) * 5, (0.0,) * 5, 0.0, 0.0, None)
    means = rows.mean(axis=0)
    errors = np.zeros(COLUMNS)
    if count > 1:
        errors = rows.std(axis=0, ddof=1) / math.sqrt(count)
    reduction = None
    if reduced and errors[WORTH] > 0:
        reduction = float((errors[PLAIN] / errors[WORTH]) ** 2)
    context = CubeContext.of(match)
    equity, mwc = context.cubeful(float(means[WORTH]))
    above, _ = context.cubeful(float(means[WORTH] + errors[WORTH]))
    return Rolled(
        alternative.name,
        count,
        _possible(means[:WORTH]),
        tuple(float(x) for x in errors[:WORTH]),
        equity,
        above - equity,
        mwc,
        None if mwc is None else float(errors[WORTH]),
        reduction,
    )
