"""`sixprime warmup`: everything that a first use would otherwise wait for.

Kernels are compiled once an installation and bearoff databases built once a user; each is a row of
STEPS, done in order, and each says how long it took. A command that needs some of them calls
`get_ready` first, which is silent but for the first time.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Report = Callable[[int, int], None]  # done, out of


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to get ready; doing it again when it is ready costs nearly nothing."""

    key: str
    what: str
    do: Callable[[Report], None]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Set the example; there are no options."""
    parser.epilog = "example: sixprime warmup"


def run(options: argparse.Namespace) -> int:
    """Do every step."""
    start = time.perf_counter()
    for step in STEPS:
        _take(step)
    print(f"ready after {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0


def get_ready(*keys: str) -> None:
    """Do those of these steps that this installation has not done yet, and say so; all if none."""
    marks = _marks()
    missing = [s for s in STEPS if (not keys or s.key in keys) and not (marks / s.key).exists()]
    if not missing:
        return
    print("first use since an installation or update, this happens once:", file=sys.stderr)
    for step in missing:
        _take(step)


def mark_all() -> None:
    """Let `get_ready` take everything as done, without doing it."""
    for step in STEPS:
        _mark(step)


def _take(step: Step) -> None:
    from sixprime.bot.cli.progress import bar

    begun = time.perf_counter()
    with bar(step.what) as report:
        step.do(report)
    print(f"{step.what}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
    try:
        _mark(step)
    except OSError:  # then it is said again next time
        return


def _mark(step: Step) -> None:
    marks = _marks()
    marks.mkdir(parents=True, exist_ok=True)
    (marks / step.key).touch()


def _marks() -> Path:
    """Holds a file for each step that is done; beside the kernels, so it goes when they go.

    numba compiles anew for sources that lie elsewhere, or were written again: other marks.
    """
    engine = importlib.import_module("sixprime.engine")  # chooses the folder
    sources = Path(engine.__path__[0])
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
    from sixprime.engine.analysis.values import AnalysisSettings
    from sixprime.engine.nets.weights import load_brain
    from sixprime.engine.position import MatchState, Position, Step

    play = (Step(8, 5), Step(6, 5))
    turn = Happened(1, Position.start(), MatchState(), 0, 0, dice=(3, 1), play=play)
    Examiner(load_brain(), AnalysisSettings.of("expert")).turn(turn)


STEPS: tuple[Step, ...] = (
    Step("rules", "compiling the move generator", _compile_rules),
    Step("bearoff", "compiling the bearoff kernels", _compile_bearoff),
    Step("one-sided", "building the one-sided bearoff database, 6 points", _one_sided),
    Step("two-sided", "building the two-sided bearoff database, 6 checkers", _two_sided),
    Step("nets", "compiling the nets", _compile_nets),
    Step("search", "compiling the search", _compile_search),
    Step("analysis", "compiling the analysis", _compile_analysis),
)
PLAYING = ("rules", "bearoff", "one-sided", "two-sided", "nets", "search")  # all but analysis
