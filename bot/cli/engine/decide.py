"""`sixprime decide`: JSON lines on standard input, answered on standard output."""

from __future__ import annotations

import argparse
import sys

from sixprime.bot.cli.leveloptions import engine_of, level_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        'example: echo \'{"position": "4HPwATDgc/ABMA", "dice": [3, 1]}\' | sixprime decide'
    )
    level_arguments(parser, "expert")


def run(options: argparse.Namespace) -> int:
    """Answer standard input on standard output, until it ends."""
    from sixprime.bot.interfaces.jsonlines import answer_all

    answer_all(sys.stdin.buffer, sys.stdout, engine_of(options))
    return 0
