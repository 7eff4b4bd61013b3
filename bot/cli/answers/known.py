"""`sixprime schema`: the type of the JSON of each command, and its schema."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.answers import collection, engine, operator
from sixprime.bot.cli.answers.schemas import DIALECT, Schema, Schemas
from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.engine.system.errors import nearest_or_all

ANSWERS: dict[str, Any] = {  # by the words of the command
    "hint": engine.HintedPlays | engine.HintedCube,
    "position": engine.StudiedPosition,
    "rollout": engine.RolledOut,
    "met show": engine.EquityTable,
    "met score": engine.ScoreFacts,
    "levels list": engine.LevelsListed,
    "levels show": engine.LevelsShown,
    "levels likeness": collection.LikenessOfLevel,
    "levels learn": collection.PortraitLearned,
    "analyse": collection.AnalysedFile,
    "quiz": collection.QuestionsDue,
    "compare": collection.AnalysesCompared,
    "archive list": list[collection.ListedMatch],
    "archive show": collection.ShownMatch,
    "archive import": collection.FilesImported,
    "archive analyse": collection.MatchesAnalysed,
    "archive stats": collection.ArchiveStatistics,
    "archive errors": collection.ErrorsOfArchive,
    "archive openings": collection.OpeningsOfArchive,
    "archive decisions": collection.DecisionsWritten,
    "archive alias": collection.NamesOfPlayers,
    "archive players": collection.PlayersOfArchive,
    "archive copy": collection.ArchiveCopied,
    "archive backup": collection.ArchiveCopied,
    "archive remove": collection.MatchesRemoved,
    "archive rename": collection.PlayerRenamed,
    "archive annotate": collection.MatchAnnotated | collection.MoveAnnotated,
    "archive merge": collection.MatchesMerged,
    "archive check": collection.FindingsOfCheck,
    "doctor": operator.Findings,
    "status": operator.BotsOfProcess,
    "decide": engine.DecidedMove | engine.DecidedCube | engine.QuestionRefused,
    "bearoff check": engine.BearoffFile,
    "bearoff entry": engine.BearoffEntry,
}
WITHOUT_OPTION = ("decide",)  # it always prints JSON


def print_schemas(options: Namespace) -> int:
    """Print the schema of a command, or the names of all that have one."""
    words = " ".join(options.command_words)
    if not words:
        print("\n".join(ANSWERS))
    elif words in ANSWERS:
        print(json.dumps(schema_of(words), indent=2))
    else:
        raise UsageError(f"no JSON of {words!r}{nearest_or_all(words, ANSWERS)}")
    return 0


def schema_of(words: str) -> Schema:
    """Return the JSON Schema of what the command of these words prints with `--json`."""
    schemas = Schemas()
    whole = schemas.of(ANSWERS[words])
    title = f"sixprime {words} {'--json' * (words not in WITHOUT_OPTION)}".rstrip()
    about = {"$schema": DIALECT, "title": title, "description": help_of(words)}
    return about | whole | {"$defs": dict(sorted(schemas.named.items()))}


def help_of(words: str) -> str:
    """Return the help of `--json`, or of a command that prints nothing else."""
    command = dict(every_command(SIXPRIME))[tuple(words.split())]
    helps = {name: option.help for option in command.flags for name in option.names}
    return command.line if words in WITHOUT_OPTION else helps["--json"]
