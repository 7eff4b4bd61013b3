"""A net compared with our own rollouts on hundreds of positions, ordinary and odd.

The reference positions are too few: a net trained until they are right has memorised them. These
are drawn as in training but with other seeds, so a net is as far off here as in real play. They are
rolled out to the end of the game, one ply ahead for the turns that matter: a judge that plays as
badly as the net errs as it does. gnubg rolls out some of them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring.benchmarksets import read_set, shipped
from sixprime.engine.lab.measuring.gnubg import printed_chances, printed_rollout
from sixprime.engine.lab.measuring.references import CLOSE
from sixprime.engine.lab.training import selfplay
from sixprime.engine.lab.training.starts import KINDS, Kind, odd_starts, starts_of
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.rollout import RolloutSettings, of_position
from sixprime.engine.search.trials import RolloutPlayer

FAMILIES: dict[str, Kind | None] = {  # None: from games of our own
    "ordinary": None,
    **{kind.__name__: kind for kind in KINDS},
}
MARGIN, WANDER = np.float32(0.16), 0.1  # as in training: plays that much worse occur too
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
    """Read a set from its file, or the project's."""
    path = path or shipped("chances.npz")
    sample = read_set(Sample, path, "chances")
    count = len(sample.boards)
    if not count or any(len(array) != count for array in sample[1:-1]):
        raise LabError(f"{path}: the chances do not belong to the positions")
    return sample


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


def judged(
    brain: Brain,
    count: int,
    settings: RolloutSettings,
    threads: int,
    report: Callable[[int, int], None],
) -> dict[str, Any]:
    """Roll out `count` positions of each family; return the fields of a Sample but `about`."""
    boards = np.concatenate([drawn(brain, family, count, settings.seed) for family in FAMILIES])
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
        "gnubg": np.full((len(boards), OUTPUTS), np.nan, np.float32),
        "gnubg_errors": np.full((len(boards), OUTPUTS), np.nan, np.float32),
    }


def rolled_by_gnubg(
    sample: Sample,
    asked: dict[int, str],
    trials: int,
    threads: int,
    report: Callable[[int, int], None],
) -> Sample:
    """Add gnubg's rollouts, to the end and one ply ahead; `asked` has Position IDs by place."""
    gnubg, errors = sample.gnubg.copy(), sample.gnubg_errors.copy()

    def roll(place: int) -> None:
        terminal = printed_rollout(asked[place], trials, plies=1)
        gnubg[place], errors[place] = printed_chances(terminal)

    with ThreadPoolExecutor(threads) as pool:  # each waits for a gnubg of its own
        for done, _ in enumerate(pool.map(roll, asked), 1):
            report(done, len(asked))
    return sample._replace(gnubg=gnubg, gnubg_errors=errors)


def by_gnubg(sample: Sample) -> tuple[NDArray[np.bool_], Sample]:
    """Return a mask of the positions that gnubg rolled out, and these with its chances."""
    asked = ~np.isnan(sample.gnubg[:, 0])
    chosen = {name: array[asked] for name, array in sample._asdict().items() if name != "about"}
    theirs = {"chances": chosen["gnubg"], "errors": chosen["gnubg_errors"]}
    return asked, Sample(**chosen | theirs, about=sample.about)


def agreement(sample: Sample) -> dict[str, Any]:
    """Compare our rollouts with gnubg's, the noise of both taken out, as `compared` does."""
    asked, theirs = by_gnubg(sample)
    noise = np.hypot(theirs.errors, sample.errors[asked])
    return compared(sample.chances[asked], theirs._replace(errors=noise))


def compared(seen: NDArray[np.float32], sample: Sample) -> dict[str, dict[str, Any]]:
    """Return the number of positions by family, the errors, and the share with all chances close.

    `off` holds root mean squares with the noise of the rollouts taken out.
    """
    rows = {}
    for place, family in enumerate(FAMILIES):
        own = sample.kinds == place
        if not own.any():
            continue
        gaps = seen[own] - sample.chances[own]
        beyond = (gaps**2).mean(0) - (sample.errors[own] ** 2).mean(0)
        rows[family] = {
            "positions": int(own.sum()),
            "off": [round(float(error), 5) for error in np.sqrt(np.maximum(beyond, 0.0))],
            "bias": [round(float(gap), 5) for gap in gaps.mean(0)],
            f"within_{CLOSE}": round(float((np.abs(gaps).max(1) <= CLOSE).mean()), 4),
        }
    return rows
