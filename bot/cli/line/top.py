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
    groups={
        "play or watch": (operator.WEB, operator.DEMO, operator.SANDBOX),
        "ask about a position": (engine.HINT, engine.STUDY, engine.ROLLOUT),
        "ask about a score": (engine.MET_COMMAND,),
        "learn from matches": (collection.ANALYSE, collection.QUIZ, collection.COMPARE),
        "keep matches": (collection.ARCHIVE_COMMAND, collection.CONVERT, collection.TRANSCRIBE),
        "run a bot": (
            operator.INIT, operator.CONFIG_COMMAND, operator.DOCTOR, operator.PLAY,
            operator.STATUS, operator.CONTROL, operator.REPLAY,
        ),
        "choose a strength": (lab.LEVELS_COMMAND,),
        "use the engine elsewhere": (
            engine.RUN, engine.DECIDE, engine.EXTERNAL, engine.UBGI, engine.BEAROFF,
        ),
        "measure": (
            engine.REFEREE, lab.STRENGTH, lab.BENCH, lab.BENCHANALYSIS, lab.BENCHPLAY,
            lab.BENCHSTART,
        ),
        "train": (lab.TRAIN,),
        "start fast": (engine.WARMUP,),
        "get help in the shell": (operator.COMPLETIONS, operator.MAN),
    },
    examples="sixprime demo",
    about="Plays rated backgammon on FIBS servers, with an engine of its own.",
    word="COMMAND",
)  # fmt: skip
COMMANDS = {command.name: command for command in SIXPRIME.parts}
