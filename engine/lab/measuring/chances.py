"""A net compared with our own rollouts on hundreds of positions, ordinary and odd.

The reference positions are too few: a net trained until they are right has memorised them. These
are drawn as in training but with other seeds, so a net is as far off here as in real play. They are
rolled out to the end of the game, one ply ahead for the turns that matter: a judge that plays as
badly as the net errs as it does. gnubg rolls out some of them, too. A judge that is not ours comes
as a file of positions with chances.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.kernels.network import OUTPUTS, POINTS
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring.benchmarksets import (
    begun,
    judged_in_time,
    read_set,
    saving,
    shipped,
)
from sixprime.engine.lab.measuring.gnubg import printed_chances
from sixprime.engine.lab.measuring.references import CLOSE
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.lab.training import selfplay
from sixprime.engine.lab.training.starts import KINDS, Kind, odd_starts, starts_of
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import Chances, MatchState, Position, turned_chances
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.rollout import RolloutSettings, of_position
from sixprime.engine.search.trials import RolloutPlayer

FAMILIES: dict[str, Kind | None] = {  # None: from games of our own
    "ordinary": None,
    **{kind.__name__: kind for kind in KINDS},
}
MARGIN, WANDER = np.float32(0.16), 0.1  # as in training: plays that much worse occur too
NEIGHBOURS = 50  # positions of a foreign judge that may come from one game
ONE_PLY = RolloutPlayer(Evaluation(1), Evaluation(1))


class Sample(NamedTuple):
    """Contact positions, and the chances that rollouts gave them."""

    boards: NDArray[np.int8]  # [n, 2, 25], of the player on roll
    kinds: NDArray[np.int8]  # [n], places in FAMILIES
    chances: NDArray[np.float32]  # [n, 5]
    errors: NDArray[np.float32]  # [n, 5], their standard errors
    gnubg: NDArray[np.float32]  # [n, 5], by gnubg's rollouts; NaN where it was not asked
    gnubg_errors: NDArray[np.float32]  # [n, 5]
    about: str  # JSON: settings, weights, date


def load_sample(path: Path | None = None) -> Sample:
    """Read the positions of a file, or of the project's, that have been rolled out."""
    sample = read_sample(path or shipped("chances.npz"))
    return _chosen(sample, ~np.isnan(sample.chances[:, 0]))


def read_sample(path: Path) -> Sample:
    """Read a set from its file, with positions that wait for their rollouts."""
    sample = read_set(Sample, path, "chances")
    count = len(sample.boards)
    if not count or any(len(array) != count for array in sample[1:-1]):
        raise LabError(f"{path}: the chances do not belong to the positions")
    return sample


def _chosen(sample: Sample, which: NDArray[np.bool_]) -> Sample:
    arrays = {name: array[which] for name, array in sample._asdict().items() if name != "about"}
    return Sample(**arrays, about=sample.about)


def drawn(brain: Brain, family: str, count: int, seed: int) -> NDArray[np.int8]:
    """Draw positions in contact, each from another game: int8[count, 2, 25]."""
    kind = FAMILIES[family]
    if kind is None:
        starts, turns, spread = odd_starts(seed), selfplay.LONGEST_GAME, 50
    else:  # of the positions of one game few are kept
        starts, turns, spread = starts_of(kind, seed, 4 * count), 1, 1
    boards = np.zeros((2 * spread * count, 2, 25), np.int8)
    course = Course(starts, turns, seed, MARGIN, WANDER)
    collect(CubelessPlayer(brain, scratch_for(brain)), course, boards)
    boards = np.unique(boards[~selfplay.races(boards)], axis=0)
    order = np.random.default_rng(seed).permutation(len(boards))
    return np.asarray(boards[order[:count]])


def to_the_end(settings: RolloutSettings, deep_turns: int) -> RolloutSettings:
    """Return the settings without a cube: `deep_turns` turns one ply ahead, the rest at 0-ply."""
    return replace(
        settings,
        cubeful=False,
        players=(ONE_PLY, ONE_PLY),
        later=(RolloutPlayer(), RolloutPlayer()),
        later_after=deep_turns,
    )


def begun_for(brain: Brain, count: int, seed: int, path: Path, about: dict[str, Any]) -> Sample:
    """Return the part of a set in the file, or `count` positions of each family to roll out."""

    def undone() -> Sample:
        boards = np.concatenate([drawn(brain, family, count, seed) for family in FAMILIES])
        kinds = np.repeat(np.arange(len(FAMILIES), dtype=np.int8), count)
        ours, our_errors, theirs, their_errors = np.full(
            (4, len(boards), OUTPUTS), np.nan, np.float32
        )
        return Sample(boards, kinds, ours, our_errors, theirs, their_errors, json.dumps(about))

    return begun(read_sample, undone, path, about)


def roll_out(
    brain: Brain,
    sample: Sample,
    path: Path,
    settings: RolloutSettings,
    threads: int,
    report: Callable[[int, int], None],
) -> None:
    """Roll out the positions that have no chances yet, in place and in the file."""
    missing = np.flatnonzero(np.isnan(sample.chances[:, 0]))
    with saving(path, sample) as now_and_then:
        for done, place in enumerate(missing, len(sample.boards) - len(missing) + 1):
            position = Position.from_array(sample.boards[place])
            (rolled,) = of_position(position, MatchState(), settings).run(brain, threads=threads)
            sample.chances[place], sample.errors[place] = rolled.outcomes, rolled.outcome_errors
            report(done, len(sample.boards))
            now_and_then()


def roll_out_by_gnubg(
    sample: Sample,
    path: Path,
    asked: dict[int, str],
    rollout: Callable[[str], str],
    threads: int,
    report: Callable[[int, int], None],
) -> None:
    """Add gnubg's rollouts where they are missing; `asked` has Position IDs by place."""
    missing = [place for place in asked if np.isnan(sample.gnubg[place, 0])]

    def roll(place: int) -> tuple[Chances, Chances]:
        return printed_chances(rollout(asked[place]))

    rolled = judged_in_time(roll, missing, threads, float("inf"))
    with saving(path, sample) as now_and_then:
        for done, (place, found) in enumerate(rolled, len(asked) - len(missing) + 1):
            sample.gnubg[place], sample.gnubg_errors[place] = found
            report(done, len(asked))
            now_and_then()


def by_gnubg(sample: Sample) -> tuple[NDArray[np.bool_], Sample]:
    """Return a mask of the positions that gnubg rolled out, and these with its chances."""
    asked = ~np.isnan(sample.gnubg[:, 0])
    chosen = _chosen(sample, asked)
    return asked, chosen._replace(chances=chosen.gnubg, errors=chosen.gnubg_errors)


def agreement(sample: Sample) -> dict[str, Any]:
    """Compare our rollouts with gnubg's, the noise of both taken out, as `compared` does."""
    asked, theirs = by_gnubg(sample)
    noise = np.hypot(theirs.errors, sample.errors[asked])
    return compared(sample.chances[asked], theirs._replace(errors=noise))


def compared(seen: NDArray[np.float32], sample: Sample) -> dict[str, dict[str, Any]]:
    """Return the number of positions by family, the errors, and the share with all chances close.

    `off` holds root mean squares with the noise of the rollouts taken out; the first has the
    interval `win_interval_95`.
    """
    rows = {}
    for place, family in enumerate(FAMILIES):
        own = sample.kinds == place
        if not own.any():
            continue
        gaps = seen[own] - sample.chances[own]
        beyond = (gaps**2 - sample.errors[own] ** 2).astype(np.float64)
        off = np.sqrt(np.maximum(beyond.mean(0), 0.0))
        ends = np.sqrt(np.maximum(Mean.of_values(beyond[:, 0]).interval, 0.0))
        rows[family] = {
            "positions": int(own.sum()),
            "off": [round(float(error), 5) for error in off],
            "win_interval_95": [round(float(end), 5) for end in ends],
            "bias": [round(float(gap), 5) for gap in gaps.mean(0)],
            f"within_{CLOSE}": round(float((np.abs(gaps).max(1) <= CLOSE).mean()), 4),
        }
    return rows


# --- judges that are not ours -------------------------------------------------------------------


class ForeignJudge(NamedTuple):
    """Positions after a play, and what somebody else's rollouts gave the mover."""

    boards: NDArray[np.int8]  # [n, 2, 25], of the opponent, who is on roll
    chances: NDArray[np.float64]  # [n, 5], of the mover
    equities: NDArray[np.float64]  # [n], cubeless, of the mover
    errors: NDArray[np.float64]  # [n], standard errors of the equities


class Squares(NamedTuple):
    """The squared errors of a player, position by position."""

    win: NDArray[np.float64]
    equity: NDArray[np.float64]


def squares_off(seen: NDArray[np.float32], judge: ForeignJudge) -> Squares:
    """Return the errors of float32[n, 5], the chances that a player sees for the side on roll."""
    mover = np.array([turned_chances(row) for row in seen])
    equities = (mover * POINTS).sum(axis=1) - 1
    return Squares((mover[:, 0] - judge.chances[:, 0]) ** 2, (equities - judge.equities) ** 2)


def root_mean_square(squares: NDArray[np.float64]) -> Mean:
    """Return the root of a mean of squares; its interval heeds that neighbours err alike."""
    mean = _of_neighbours(squares)
    root = math.sqrt(mean.mean)
    return Mean(root, mean.half_width / (2 * root) if root else 0.0)


def roots_apart(first: NDArray[np.float64], other: NDArray[np.float64]) -> Mean:
    """Return by how much the first root mean square is larger, paired position by position."""
    roots = [root_mean_square(squares).mean for squares in (first, other)]
    if not all(roots):
        return Mean(roots[0] - roots[1], math.inf)
    leaning = first / (2 * roots[0]) - other / (2 * roots[1])  # a position moves the roots by that
    return Mean(roots[0] - roots[1], _of_neighbours(leaning).half_width)


def _of_neighbours(values: NDArray[np.float64]) -> Mean:
    """Return the mean of values in the order of their games, from means of NEIGHBOURS."""
    parts = np.array_split(values, max(len(values) // NEIGHBOURS, min(len(values), 20)))
    spread = Mean.of_values(np.array([part.mean() for part in parts]))
    return Mean(float(values.mean()), spread.half_width)
