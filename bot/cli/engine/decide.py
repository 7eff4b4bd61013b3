"""`sixprime decide`: JSON lines on standard input, answered on standard output."""

from __future__ import annotations

import sys
from argparse import Namespace

from sixprime.bot.cli.levels import engine_of
from sixprime.bot.interfaces.jsonlines import answer_all


def answer_lines(options: Namespace) -> int:
    """Answer standard input on standard output, until it ends."""
    answer_all(sys.stdin.buffer, sys.stdout, engine_of(options))
    return 0
