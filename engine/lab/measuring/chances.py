"""Compares a net with our own rollouts on many positions, ordinary and odd.

Twenty-one reference positions are too few: a net trained until those are right has memorised them.
Here are hundreds, drawn as in training but with other seeds, so a net is as far off here as in real
play. They are rolled out to the end of the game: a truncated rollout would ask the net that it is
meant to judge.
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
from sixprime.engine.lab.training.starts import KINDS, Kind, odd_starts, starts_of
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.rollout import RolloutSettings, of_position

FAMILIES: dict[str, Kind | None] = {  # None: from games of our own
    "ordinary": None,
    **{kind.__name__: kind for kind in KINDS},
}
MARGIN, WANDER = np.float32(0.16), 0.1  # as in training: plays that much worse occur too


class Sample(NamedTuple):
    """Contact positions, and the chances that rollouts gave them."""

    boards: NDArray[np.int8]  # [n, 2, 25], of the player on roll
    kinds: NDArray[np.int8]  # [n], places in FAMILIES
    chances: NDArray[np.float32]  # [n, 5]
    errors: NDArray[np.float32]  # [n, 5], their standard errors
    about: str  # JSON: settings, weights, date


def load(path: Path | None = None) -> Sample:
    """A set from its file, or the project's."""
    path = path or benchmarkfile.shipped("chances.npz")
    found = Sample(**benchmarkfile.read(path, Sample._fields, "chances"))
    count = len(found.boards)
    if not count == len(found.kinds) == len(found.chances) == len(found.errors) > 0:
        raise BadBenchmark(f"{path}: the chances do not belong to the positions")
    return found


def drawn(brain: Brain, family: str, count: int, seed: int) -> NDArray[np.int8]:
    """Positions in contact, each from another game: int8[count, 2, 25]."""
    kind = FAMILIES[family]
    if kind is None:
        starts, turns, spread = odd_starts(seed), selfplay.LONGEST_GAME, 50
    else:  # of the positions of one game few are kept
        starts, turns, spread = starts_of(kind, seed, 4 * count), 1, 1
    boards = np.zeros((2 * spread * count, 2, 25), np.int8)
    course = Course(starts, turns, seed, MARGIN, WANDER)
    collect(CubelessPlayer(brain, workspace(brain)), course, boards)
    boards = np.unique(boards[~selfplay.races(boards)], axis=0)
    order = np.random.default_rng(seed).permutation(len(boards))
    return np.asarray(boards[order[:count]])


def judged(
    brain: Brain,
    count: int,
    settings: RolloutSettings,
    threads: int,
    report: Callable[[int, int], None],
) -> dict[str, Any]:
    """The fields of a Sample but `about`: `count` positions of each family, rolled out."""
    boards = np.concatenate([drawn(brain, each, count, settings.seed) for each in FAMILIES])
    chances, errors = [], []
    for board in boards:
        position = Position.from_array(board)
        (rolled,) = of_position(position, MatchState(), settings).run(brain, threads=threads)
        chances.append(rolled.outcomes)
        errors.append(rolled.outcome_errors)
        report(len(chances), len(boards))
    return {
        "boards": boards,
        "kinds": np.repeat(np.arange(len(FAMILIES), dtype=np.int8), count),
        "chances": np.array(chances, np.float32),
        "errors": np.array(errors, np.float32),
    }


def compared(seen: NDArray[np.float32], sample: Sample) -> dict[str, dict[str, Any]]:
    """By family: how many positions, how far off the chances are, and how often all are close.

    `off` are root mean squares with the noise of the rollouts taken out of them.
    """
    found = {}
    for place, family in enumerate(FAMILIES):
        own = sample.kinds == place
        if not own.any():
            continue
        gaps = seen[own] - sample.chances[own]
        beyond = (gaps**2).mean(0) - (sample.errors[own] ** 2).mean(0)
        found[family] = {
            "positions": int(own.sum()),
            "off": [round(float(each), 5) for each in np.sqrt(np.maximum(beyond, 0.0))],
            "bias": [round(float(each), 5) for each in gaps.mean(0)],
            f"within_{CLOSE}": round(float((np.abs(gaps).max(1) <= CLOSE).mean()), 4),
        }
    return found
