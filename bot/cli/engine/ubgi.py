"""`sixprime ubgi`: the Universal Backgammon Interface on standard input and output."""

from __future__ import annotations

import argparse

from sixprime.bot.cli.declaring import flag

EPILOG = """\
example:
  printf 'position gnubgid 4HPwATDgc/ABMA\\ndice 3 1\\ngo role chequer\\n' | sixprime ubgi

The option Variant (key game.variant) chooses the game, which positions do not tell: standard,
nackgammon, hypergammon-1, hypergammon-2 or hypergammon-3.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    from sixprime.bot.cli.leveloptions import level_arguments

    parser.epilog = EPILOG
    level_arguments(parser, "world-class")
    flag(parser, "--draft", "greet as draft 0.01 does, with `readyok` instead of `ubgiok`")


def run(options: argparse.Namespace) -> int:
    """Answer until `quit` or the end of input."""
    import contextlib
    import sys

    import structlog

    from sixprime.bot.cli.leveloptions import engine_of, level_of
    from sixprime.bot.interfaces.ubgi import UbgiConversation, converse, with_engine
    from sixprime.engine.search.levels import PRESETS

    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    level = level_of(options)
    levels = {**PRESETS, level.name: level}
    brain = engine_of(options).search.brain
    conversation = UbgiConversation(
        with_engine(levels, brain),
        tuple(levels),
        level.name,
        threads=options.threads or level.cores,
        draft=options.draft,
    )
    with contextlib.suppress(KeyboardInterrupt):
        converse(sys.stdin.buffer, sys.stdout.buffer, conversation)
    return 0
