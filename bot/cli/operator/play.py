"""`sixprime play`: logs in and plays until stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sixprime.bot.client.service import Service
    from sixprime.bot.settings.schema import Config

EPILOG = """\
example:
  SIXPRIME_PASSWORD=... sixprime play --config config/fibs.yaml
"""
DEFAULT = Path("config/fibs.yaml")
REFUSED = 77  # exit code after a refused login: do not start us again


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "--config", metavar="FILE", type=Path, default=DEFAULT, help=f"settings ({DEFAULT})"
    )
    parser.add_argument("--profile", metavar="NAME", help="only this bot of the file")
    parser.add_argument(
        "--finish",
        action="store_true",
        help="on SIGTERM and Ctrl-C end the match first; a second one leaves it saved",
    )
    parser.add_argument(
        "--stay",
        action="store_true",
        help=f"after a refused login stay, unhealthy, instead of exiting with {REFUSED}, so that "
        "a supervisor that restarts whatever ends does not knock for ever",
    )


def run(options: argparse.Namespace) -> int:
    """Play until stopped."""
    import asyncio

    from sixprime.bot.archive.tables import ArchiveAway, ArchiveError
    from sixprime.bot.archive.writer import ArchiveThreads
    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.client.service import Service
    from sixprime.bot.logs import configure
    from sixprime.bot.settings.file import ConfigError, NoProfile, chosen, load
    from sixprime.bot.settings.levels import BadLevel
    from sixprime.bot.settings.passwords import NoPassword, find_password

    with refusing(ConfigError, NoProfile, NoPassword):
        config = load(options.config)
        profiles = chosen(config, options.profile)
        config = config.model_copy(update={"profiles": profiles})
        passwords = {profile.name: find_password(profile.account) for profile in profiles}
        secrets = _secrets(config, [each.text for each in passwords.values()])
    with refusing(OSError, at="logging.file"):
        configure(config.logging, secrets)
    try:
        with refusing(BadLevel):
            service = Service(config, passwords, recorder=ArchiveThreads().recorder_of)
    except ArchiveAway as error:  # not the user's mistake: systemd may try again
        print(f"sixprime play: {error}", file=sys.stderr)
        return 1
    except ArchiveError as error:
        raise UsageError(str(error)) from error
    welcome = asyncio.run(_play(service, finish=options.finish, stay=options.stay))
    return 0 if welcome else REFUSED


async def _play(service: Service, *, finish: bool, stay: bool) -> bool:
    import asyncio
    import signal

    from sixprime.bot.client.stopping import Stop

    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > 2:
            raise SystemExit(130)
        service.request_stop(Stop.FINISH if finish and asked == 1 else Stop.SAVE)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    return await service.run(stay=stay)


def _secrets(config: Config, passwords: list[str]) -> list[str]:
    """All passwords, including those of databases, to keep them out of the log."""
    from sixprime.bot.settings.passwords import find_database_password, passwords_in

    found = list(passwords)
    for profile in config.profiles:
        if beside := find_database_password(profile.archive):
            found.append(beside.text)
        found += passwords_in(profile.archive.database or "")
    return found
