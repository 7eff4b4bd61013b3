"""`sixprime warmup`: everything that a first use would otherwise wait for.

Kernels are compiled once an installation and bearoff databases built once a user; each is a row of
STEPS, done in order, and each says how long it took.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

Report = Callable[[int, int], None]  # done, out of


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to get ready; doing it again when it is ready costs nearly nothing."""

    what: str
    do: Callable[[Report], None]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Set the example; there are no options."""
    parser.epilog = "example: sixprime warmup"


def run(options: argparse.Namespace) -> int:
    """Do every step."""
    from bot.cli.progress import bar

    start = time.perf_counter()
    for step in STEPS:
        begun = time.perf_counter()
        with bar(step.what) as report:
            step.do(report)
        print(f"{step.what}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
    print(f"ready after {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0


def _compile_rules(report: Report) -> None:
    from engine.position import Position
    from engine.rules import legal_plays

    legal_plays(Position.start(), (3, 1))


def _compile_bearoff(report: Report) -> None:
    from engine.bearoff import OneSided, OneSidedDatabase, TwoSided, TwoSidedDatabase

    OneSidedDatabase.built(OneSided(1)).tables()
    TwoSidedDatabase.built(TwoSided(6, 1))


def _one_sided(report: Report) -> None:
    from engine.bearoff import one_sided

    one_sided(progress=report)


def _two_sided(report: Report) -> None:
    from engine.bearoff import two_sided

    two_sided(progress=report)


STEPS: tuple[Step, ...] = (
    Step("compiling the move generator", _compile_rules),
    Step("compiling the bearoff kernels", _compile_bearoff),
    Step("one-sided bearoff database, 6 points", _one_sided),
    Step("two-sided bearoff database, 6 checkers on 6 points", _two_sided),
)
