"""One-off preparations: compiling kernels, building bearoff databases.

Kernels are compiled once per installation and bearoff databases are built once per user; each is a
row of PREPARATIONS, done in order, and each says how long it took. A command that needs some of
them calls `get_ready` first, which is silent unless something is missing.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

Report = Callable[[int, int], None]  # done, out of


@dataclass(frozen=True, slots=True)
class Preparation:
    """One thing to get ready; doing it again when it is ready costs nearly nothing."""

    key: str
    what: str
    do: Callable[[Report], None]


def get_ready(*keys: str) -> None:
    """Do what this installation has not done yet, and say so; `keys` limits it, none means all."""
    marks = _marks()
    wanted = [each for each in PREPARATIONS if not keys or each.key in keys]
    missing = [each for each in wanted if not (marks / each.key).exists()]
    if missing:
        print("first use since an installation or update, this happens once:", file=sys.stderr)
    for each in missing:
        prepare(each)


def prepare(preparation: Preparation) -> None:
    """Do it even if it was done before, and report the time it took."""
    from sixprime.bot.cli.main import refusing
    from sixprime.bot.cli.progress import bar
    from sixprime.engine.nets.weights import BadWeights

    begun = time.perf_counter()
    with bar(preparation.what) as report, refusing(BadWeights):
        preparation.do(report)
    print(f"{preparation.what}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
    with suppress(OSError):  # then it is reported again next time
        mark(preparation)


def mark(preparation: Preparation) -> None:
    """Record it as done for `get_ready`."""
    marks = _marks()
    marks.mkdir(parents=True, exist_ok=True)
    (marks / preparation.key).touch()


def _marks() -> Path:
    """The folder with a file for each thing done; kept, and deleted, with the kernels.

    Named after the sources' path and time, since numba recompiles when either changes.
    """
    import sixprime.engine  # sets NUMBA_CACHE_DIR

    sources = Path(sixprime.engine.__path__[0])
    written = max(source.stat().st_mtime_ns for source in sources.rglob("*.py"))
    stamp = hashlib.sha256(f"{sources} {written}".encode()).hexdigest()[:8]
    return Path(os.environ["NUMBA_CACHE_DIR"]) / f"ready-{stamp}"


def _compile_rules(report: Report) -> None:
    from sixprime.engine.position import Position
    from sixprime.engine.rules import legal_plays

    legal_plays(Position.start(), (3, 1))


def _compile_bearoff(report: Report) -> None:
    from sixprime.engine.bearoff.databases import (
        OneSided,
        OneSidedDatabase,
        TwoSided,
        TwoSidedDatabase,
    )

    OneSidedDatabase.built(OneSided(1)).tables()
    TwoSidedDatabase.built(TwoSided(6, 1))


def _one_sided(report: Report) -> None:
    from sixprime.engine.bearoff.databases import one_sided

    one_sided(progress=report)


def _two_sided(report: Report) -> None:
    from sixprime.engine.bearoff.databases import two_sided

    two_sided(progress=report)


def _compile_nets(report: Report) -> None:
    from sixprime.engine.nets.evaluate import Evaluator
    from sixprime.engine.position import Position

    Evaluator().outcomes(Position.start())


def _compile_search(report: Report) -> None:
    from sixprime.engine.position import Position
    from sixprime.engine.search.decide import Engine

    engine = Engine("world-class")
    engine.move(Position.start(), dice=(3, 1))
    engine.cube(Position.start())


def _compile_analysis(report: Report) -> None:
    from sixprime.engine.analysis.examiner import Examiner, Happened
    from sixprime.engine.analysis.settings import AnalysisSettings
    from sixprime.engine.nets.weights import load_brain
    from sixprime.engine.position import MatchState, Position, Step

    play = (Step(8, 5), Step(6, 5))
    turn = Happened(1, Position.start(), MatchState(), 0, 0, dice=(3, 1), play=play)
    Examiner(load_brain(), AnalysisSettings.of("expert")).turn(turn)


def _compile_rollouts(report: Report) -> None:
    from sixprime.engine.position import MatchState, Position
    from sixprime.engine.search.rollout import RolloutSettings, of_position, play_trials

    rollout = of_position(Position.start(), MatchState(), RolloutSettings(trials=1))
    play_trials(rollout.match, rollout.alternatives[0], rollout.settings, 0, 1)


PREPARATIONS: tuple[Preparation, ...] = (
    Preparation("rules", "compiling the move generator", _compile_rules),
    Preparation("bearoff", "compiling the bearoff kernels", _compile_bearoff),
    Preparation("one-sided", "building the one-sided bearoff database, 6 points", _one_sided),
    Preparation("two-sided", "building the two-sided bearoff database, 6 checkers", _two_sided),
    Preparation("nets", "compiling the nets", _compile_nets),
    Preparation("search", "compiling the search", _compile_search),
    Preparation("analysis", "compiling the analysis", _compile_analysis),
    Preparation("rollouts", "compiling the rollouts", _compile_rollouts),
)
PLAYING = (
    "rules",
    "bearoff",
    "one-sided",
    "two-sided",
    "nets",
    "search",
)  # all but analysis and rollouts
