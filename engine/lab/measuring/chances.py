"""Compares a net with our own rollouts on many positions, ordinary and odd.

Twenty-one reference positions are too few: training until those are right means learning them by
heart. Here are hundreds, drawn as in training but with other seeds, so a net is as far off here as
in real play.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, workspace
from sixprime.engine.lab.measuring import benchmarkfile
from sixprime.engine.lab.measuring.benchmarkfile import BadBenchmark
from sixprime.engine.lab.measuring.references import CLOSE
from sixprime.engine.lab.training import selfplay
from sixprime.engine.lab.training.starts import odd_starts, slow_starts
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.rollout import RolloutSettings, of_position

KINDS = ("ordinary", "slow")  # from games of our own; from endings, back games, primes, blitzes
MARGIN, WANDER = np.float32(0.16), 0.1  # as in training: plays that much worse occur too


class Sample(NamedTuple):
    """Contact positions, and the chances that rollouts gave them."""

    boards: NDArray[np.int8]  # [n, 2, 25], of the player on roll
    kinds: NDArray[np.int8]  # [n], places in KINDS
    chances: NDArray[np.float32]  # [n, 5]
    errors: NDArray[np.float32]  # [n, 5], their standard errors
    about: str  # JSON: settings, weights, date

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        benchmarkfile.save(path, self._asdict())


def load(path: Path | None = None) -> Sample:
    """A set from its file, or the project's."""
    path = path or benchmarkfile.shipped("chances.npz")
    found = Sample(**benchmarkfile.read(path, Sample._fields, "chances"))
    count = len(found.boards)
    if not count == len(found.kinds) == len(found.chances) == len(found.errors) > 0:
        raise BadBenchmark(f"{path}: the chances do not belong to the positions")
    return found


def drawn(brain: Brain, kind: str, count: int, seed: int) -> NDArray[np.int8]:
    """So many positions in contact, each from another game: int8[count, 2, 25]."""
    starts, turns = odd_starts(seed), selfplay.LONGEST_GAME
    if kind == "slow":
        starts, turns = slow_starts(seed, 4 * count), 1
    spread = 1 if kind == "slow" else 50  # of the positions of one game few are kept
    boards = np.zeros((2 * spread * count, 2, 25), np.int8)
    course = Course(starts, turns, seed, MARGIN, WANDER)
    collect(CubelessPlayer(brain, workspace(brain)), course, boards)
    boards = boards[~selfplay.races(boards)]
    order = np.random.default_rng(seed).permutation(len(boards))
    return np.asarray(boards[order[:count]])


def judged(
    brain: Brain,
    count: int,
    settings: RolloutSettings,
    threads: int,
    report: Callable[[int, int], None],
) -> dict[str, Any]:
    """The fields of a Sample but `about`: `count` positions of each kind, rolled out."""
    boards = np.concatenate([drawn(brain, kind, count, settings.seed) for kind in KINDS])
    chances, errors = [], []
    for board in boards:
        position = Position.from_array(board)
        (rolled,) = of_position(position, MatchState(), settings).run(brain, threads=threads)
        chances.append(rolled.outcomes)
        errors.append(rolled.outcome_errors)
        report(len(chances), len(boards))
    return {
        "boards": boards,
        "kinds": np.repeat(np.arange(len(KINDS), dtype=np.int8), count),
        "chances": np.array(chances, np.float32),
        "errors": np.array(errors, np.float32),
    }


def compared(seen: NDArray[np.float32], sample: Sample) -> dict[str, dict[str, Any]]:
    """By kind: how many positions, how far off the chances are, and how often all are close.

    `off` are root mean squares with the noise of the rollouts taken out of them.
    """
    found = {}
    for place, kind in enumerate(KINDS):
        own = sample.kinds == place
        gaps = seen[own] - sample.chances[own]
        beyond = (gaps**2).mean(0) - (sample.errors[own] ** 2).mean(0)
        found[kind] = {
            "positions": int(own.sum()),
            "off": [round(float(each), 5) for each in np.sqrt(np.maximum(beyond, 0.0))],
            "bias": [round(float(each), 5) for each in gaps.mean(0)],
            f"within_{CLOSE}": round(float((np.abs(gaps).max(1) <= CLOSE).mean()), 4),
        }
    return found
