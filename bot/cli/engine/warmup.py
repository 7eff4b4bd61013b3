"""`sixprime warmup`: prepares all that the first command would wait for."""

from __future__ import annotations

import argparse
import sys
import time


def arguments(parser: argparse.ArgumentParser) -> None:
    from sixprime.bot.cli.ready import PREPARATIONS

    keys = [each.key for each in PREPARATIONS]
    parser.epilog = "example: sixprime warmup"
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"some of {', '.join(keys)} (all)")


def run(options: argparse.Namespace) -> int:
    """Do all preparations, or the named ones in their order."""
    from sixprime.bot.cli.main import UsageError
    from sixprime.bot.cli.ready import PREPARATIONS, prepare, shared

    known = {each.key: each for each in PREPARATIONS}
    unknown = [key for key in options.what if key not in known]
    if unknown:
        raise UsageError(f"{unknown[0]}: there are {', '.join(known)}")
    start = time.perf_counter()
    chosen = [known[key] for key in options.what]
    with shared([] if chosen else PREPARATIONS):
        for each in chosen or PREPARATIONS:
            prepare(each)
    print(f"ready after {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0
