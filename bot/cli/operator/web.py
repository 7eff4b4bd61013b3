"""`sixprime web`: a board to play on, positions and an archive, in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file, option
from sixprime.bot.cli.main import UsageError, database, refusing
from sixprime.bot.cli.ready import PLAYING, get_ready
from sixprime.bot.settings.archiveplace import address_of
from sixprime.engine.system.endpoint import Endpoint

if TYPE_CHECKING:
    import uvicorn

    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.client.service import Service
    from sixprime.bot.control.steering import Steering
    from sixprime.bot.process.logs import LogTail
    from sixprime.bot.settings.schema import WebSettings


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime web --archive sqlite:///archive/sixprime.db\n"
        "Open the address that it prints. Beyond this machine it needs a password."
    )
    option(parser, "--listen", "HOST:PORT", "(127.0.0.1:8760)", default="127.0.0.1:8760")
    parser.add_argument(
        "--archive", "--database", metavar="URL", type=database,
        help="to show, and to add finished matches to (archive.db in the folder of --matches)",
    )  # fmt: skip
    parser.add_argument(
        "--matches", type=Path, metavar="FOLDER", help="where matches are kept (./web-matches)",
        default=Path("web-matches"),
    )  # fmt: skip
    file(parser, "--password-file", "whose first line is the password")
    file(parser, "--watch-password-file", "the same, but only to watch")
    file(parser, "--token-file", "whose first line is taken instead of the password")
    parser.add_argument(
        "--proxy", action="append", default=[], metavar="ADDRESS",
        help="a reverse proxy whose X-Forwarded-For we trust",
    )  # fmt: skip
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="another name of this server"
    )


_OPTIONS: dict[str | int, str] = {
    "listen": "--listen", "names": "--name", "proxies": "--proxy", "database": "--archive",
}  # fmt: skip


def run(options: argparse.Namespace) -> int:
    from pydantic import ValidationError

    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.tables import ArchiveError
    from sixprime.bot.process.logs import configure
    from sixprime.bot.settings.faults import reason_of
    from sixprime.bot.settings.schema import ArchiveSettings, Logging, WebSettings
    from sixprime.engine.system.wholefiles import private_folder

    configure(Logging())
    place = options.archive or address_of(str(options.matches / "archive.db"))
    try:
        kept = ArchiveSettings(database=place, folder=None)
        settings = WebSettings(
            listen=options.listen,
            names=tuple(options.name),
            password_file=options.password_file,
            watch_password_file=options.watch_password_file,
            token_file=options.token_file,
            proxies=tuple(options.proxy),
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise UsageError(f"{_OPTIONS[fault['loc'][0]]}: {reason_of(fault)}") from None
    with refusing(OSError, at=options.matches):
        private_folder(options.matches)
    with refusing(ArchiveError, OSError):
        archive = Archive(kept)
    serving, listener = listening(settings, archive, options.matches)
    get_ready(*PLAYING)
    address = Endpoint(Endpoint.parse(options.listen).host, listener.getsockname()[1])
    print(f"http://{address.in_url}/", flush=True)
    serving.run(sockets=[listener])
    return 0


def listening(
    settings: WebSettings,
    archive: Archive | None,
    matches: Path,
    bots: tuple[Service, Steering] | None = None,
    tail: LogTail | None = None,
) -> tuple[uvicorn.Server, socket]:
    """A server of the pages and the socket that it listens on; UsageError."""
    try:
        from sixprime.bot.web.bots.livebots import LiveBots
        from sixprime.bot.web.serving import CannotServe, listen, server
    except ImportError as error:
        where = "" if bots is None else "web.listen: "
        raise UsageError(f"{where}{error.name} is missing: pip install 'sixprime[web]'") from error
    with refusing(CannotServe, at=None if bots is None else "web.listen"):
        listener = listen(settings)
        live = None if bots is None else LiveBots(*bots, archive, tail)
        return server(settings, listener, archive, matches, live), listener
