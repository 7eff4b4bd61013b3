"""`sixprime replay`: a recorded session with the bot of today."""

from __future__ import annotations

import asyncio
from argparse import Namespace

from pydantic import ValidationError

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.logs import configure
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.recording.replay import replayed
from sixprime.bot.recording.sessionfile import RecordedSession, read_session
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.file import chosen, load_config
from sixprime.bot.settings.schema import Logging, Profile
from sixprime.engine.system.errors import ConfigError, InputError

MOST_SHOWN = 20


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


def _profile(options: Namespace, session: RecordedSession) -> Profile:
    """Return the bot's settings, from the file or the recording."""
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
