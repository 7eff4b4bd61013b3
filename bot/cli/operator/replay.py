"""`sixprime replay`: runs the bot against a recorded session."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file
from sixprime.bot.process.printable import counted, printable

if TYPE_CHECKING:
    from sixprime.bot.recording.sessionfile import RecordedSession
    from sixprime.bot.settings.schema import Profile

EPILOG = """\
Prints the conversation: `S` the server, `C` the bot, `+` what the bot says only now, `-` what it
said only then. Exits with 0 if nothing differs, else with 1. It uses no network and no archive;
plays and cube decisions are those of the recording.

example:
  sixprime replay trouble.txt
"""
MOST_SHOWN = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", type=Path, help="from `sixprime play --record`")
    file(parser, "--config", "settings, instead of those in the recording")
    parser.add_argument("--profile", metavar="NAME", help="which bot of that file (the first)")


def run(options: argparse.Namespace) -> int:
    import asyncio

    from sixprime.bot.cli.main import refusing
    from sixprime.bot.process.logs import configure
    from sixprime.bot.recording.replay import replayed
    from sixprime.bot.recording.sessionfile import BadRecording, read_session
    from sixprime.bot.recording.virtualtime import VirtualLoop
    from sixprime.bot.settings.schema import Logging

    with refusing(BadRecording), refusing(OSError, at=options.file):
        session = read_session(options.file)
    profile = _profile(options, session)
    configure(Logging(level="warning"))

    def show(at: float, mark: str, text: str) -> None:
        for line in text.splitlines() or [""]:
            print(f"{at:10.3f} {mark} {printable(line)}")

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        differences = runner.run(replayed(session, profile, show))
    for each in differences[:MOST_SHOWN]:
        print(printable(str(each)))
    more = len(differences) - MOST_SHOWN
    print(f"... and {more} more" if more > 0 else counted(len(differences), "difference"))
    return 1 if differences else 0


def _profile(options: argparse.Namespace, session: RecordedSession) -> Profile:
    """The bot's settings: those of the file, or of the recording."""
    from pydantic import ValidationError

    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.settings.file import chosen, load_config
    from sixprime.bot.settings.schema import Profile
    from sixprime.engine.system.errors import ConfigError

    try:
        recorded = Profile.model_validate_json(session.settings or "")
    except ValidationError as error:
        recorded = None
        if options.config is None:
            raise UsageError(f"{options.file}: no settings in it: use --config") from error
    if options.config is None:
        assert recorded is not None
        return recorded
    with refusing(ConfigError):
        profile = chosen(load_config(options.config), options.profile)[0]
    if recorded is None:
        return profile
    return profile.model_copy(update={"account": recorded.account, "server": recorded.server})
