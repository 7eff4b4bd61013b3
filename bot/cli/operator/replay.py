"""`sixprime replay`: a recorded session with the bot of today."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.logs import configure
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.recording.replay import replayed
from sixprime.bot.recording.sessionfile import RecordedSession, read_session
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.file import chosen, load_config
from sixprime.bot.settings.schema import ArchiveSettings, Logging, Profile
from sixprime.bot.settings.values import Section
from sixprime.engine.system.errors import ConfigError, InputError

MOST_SHOWN = 20
S = TypeVar("S", bound=Section)


def replay_session(options: Namespace) -> int:
    with refusing(InputError), refusing(OSError, at=options.file):
        session = read_session(options.file)
    profile = _profile(options, session)
    configure(Logging(level="warning"))

    def show(at: float, mark: str, text: str) -> None:
        for line in text.splitlines() or [""]:
            print(f"{at:10.3f} {mark} {printable(line)}")

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        differences = runner.run(replayed(session, profile, show))
    for difference in differences[:MOST_SHOWN]:
        print(printable(str(difference)))
    more = len(differences) - MOST_SHOWN
    print(f"... and {more} more" if more > 0 else counted(len(differences), "difference"))
    return 1 if differences else 0


def without_files(section: S) -> S:
    """Return the section without its paths: a recording may come from anybody.

    `replay` opens only the files that its user names, with `--config` also those in that file.
    """
    values = {name: getattr(section, name) for name in type(section).model_fields}
    kept: dict[str, Any] = {
        name: without_files(value) if isinstance(value, Section) else None
        for name, value in values.items()
        if isinstance(value, Section | Path)
    }
    if isinstance(section, ArchiveSettings):
        kept["database"] = None
    return section.model_copy(update=kept)


def _profile(options: Namespace, session: RecordedSession) -> Profile:
    """Return the bot's settings, from the file or the recording."""
    try:
        recorded = without_files(Profile.model_validate_json(session.settings or ""))
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
