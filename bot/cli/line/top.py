"""`sixprime`: all commands, in the order of its help."""

from __future__ import annotations

from sixprime.bot.cli.line import collection, engine, lab, operator, strength
from sixprime.bot.cli.line.command import Option, ShellCommand, flag

SIXPRIME = ShellCommand(
    "sixprime",
    "play rated backgammon on FIBS servers, with an engine of its own",
    options=(
        Option(("--version",), "show the version and exit", action="version"),
        flag("--debug", "show a traceback when something fails"),
    ),
    groups={
        "play or watch": (operator.WEB, operator.DEMO, operator.SANDBOX),
        "ask about positions, scores and strengths": (
            engine.HINT, engine.STUDY, engine.ROLLOUT, engine.MET_COMMAND, lab.LEVELS_COMMAND,
        ),
        "study and keep matches": (
            collection.ANALYSE, collection.QUIZ, collection.COMPARE, collection.ARCHIVE_COMMAND,
            collection.CONVERT, collection.TRANSCRIBE,
        ),
        "run a bot": (
            operator.INIT, operator.CONFIG_COMMAND, operator.DOCTOR, operator.PLAY,
            operator.STATUS, operator.CONTROL, operator.REPLAY, engine.WARMUP,
        ),
        "use the engine elsewhere": (
            engine.RUN, engine.DECIDE, engine.EXTERNAL, engine.UBGI, engine.BEAROFF,
        ),
        "measure and train": (
            engine.REFEREE, strength.STRENGTH, lab.BENCH, lab.BENCHANALYSIS,
            lab.BENCHPLAY, lab.BENCHSTART, lab.TRAIN,
        ),
        "get help in the shell": (operator.COMPLETIONS, operator.MAN, operator.SCHEMA),
    },
    examples="sixprime demo",
    about="Plays rated backgammon on FIBS servers, with an engine of its own.",
    word="COMMAND",
)  # fmt: skip
COMMANDS = {command.name: command for command in SIXPRIME.parts}
