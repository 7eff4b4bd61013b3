"""`sixprime`: all commands, in the order of its help."""

from __future__ import annotations

from sixprime.bot.cli.line import collection, engine, lab, operator
from sixprime.bot.cli.line.command import Option, ShellCommand, flag

SIXPRIME = ShellCommand(
    "sixprime",
    "play rated backgammon on FIBS servers, with an engine of its own",
    options=(
        Option(("--version",), "show the version and exit", action="version"),
        flag("--debug", "show a traceback when something fails"),
    ),
    parts=(
        operator.WEB,
        operator.DEMO,
        operator.SANDBOX,
        engine.HINT,
        engine.STUDY,
        engine.ROLLOUT,
        engine.MET_COMMAND,
        collection.ANALYSE,
        collection.QUIZ,
        collection.COMPARE,
        collection.ARCHIVE_COMMAND,
        collection.CONVERT,
        operator.INIT,
        operator.CONFIG_COMMAND,
        operator.PLAY,
        operator.STATUS,
        operator.CONTROL,
        operator.REPLAY,
        lab.LEVELS_COMMAND,
        engine.DECIDE,
        engine.EXTERNAL,
        engine.UBGI,
        engine.BEAROFF,
        engine.REFEREE,
        lab.STRENGTH,
        lab.BENCH,
        lab.BENCHANALYSIS,
        lab.BENCHPLAY,
        lab.BENCHSTART,
        lab.TRAIN,
        engine.WARMUP,
        operator.COMPLETIONS,
        operator.MAN,
    ),
    examples="sixprime demo",
    about="Plays rated backgammon on FIBS servers, with an engine of its own.",
    word="COMMAND",
)
COMMANDS = {command.name: command for command in SIXPRIME.parts}
