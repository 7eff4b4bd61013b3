"""`sixprime warmup`: does everything that the first command would otherwise wait for."""

from __future__ import annotations

import argparse
import sys
import time


def arguments(parser: argparse.ArgumentParser) -> None:
    """Set the example; there are no options."""
    parser.epilog = "example: sixprime warmup"


def run(options: argparse.Namespace) -> int:
    """Do every preparation."""
    from sixprime.bot.cli.ready import PREPARATIONS, prepare

    start = time.perf_counter()
    for each in PREPARATIONS:
        prepare(each)
    print(f"ready after {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0
