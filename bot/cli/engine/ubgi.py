"""`sixprime ubgi`: the Universal Backgammon Interface on standard input and output."""

from __future__ import annotations

import contextlib
import sys
from argparse import Namespace

import structlog

from sixprime.bot.cli.levels import engine_of, level_of
from sixprime.bot.interfaces.ubgi import UbgiConversation, converse, with_engine
from sixprime.engine.search.levels import PRESETS


def converse_in_ubgi(options: Namespace) -> int:
    """Answer until `quit` or the end of input."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    level = level_of(options)
    name = level.name.replace(" ", "")  # lists of options are words
    levels = {**PRESETS, name: level}
    brain = engine_of(options).search.brain
    conversation = UbgiConversation(
        with_engine(levels, brain),
        tuple(levels),
        name,
        threads=options.threads or level.cores,
        draft=options.draft,
    )
    with contextlib.suppress(KeyboardInterrupt):
        converse(sys.stdin.buffer, sys.stdout.buffer, conversation)
    return 0
