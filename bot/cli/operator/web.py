"""`sixprime web`: a board to play on, positions and an archive, in the browser."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from pydantic import ValidationError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.ready import left_for_later, prepare_elsewhere
from sixprime.bot.client.service import Service
from sixprime.bot.control.steering import Steering
from sixprime.bot.process.logs import LogTail, configure
from sixprime.bot.settings.archiveplace import address_of
from sixprime.bot.settings.faults import reason_of
from sixprime.bot.settings.schema import ArchiveSettings, Logging, WebSettings
from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.wholefiles import private_folder

if TYPE_CHECKING:
    import uvicorn

HELPERS = 2  # processes that compile; more of them wait for each other's kernels
_OPTIONS: dict[str | int, str] = {
    "listen": "--listen", "names": "--name", "proxies": "--proxy", "database": "--archive",
}  # fmt: skip


def serve_pages(options: Namespace) -> int:
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
    serving, listener = listening(settings, archive, options.matches, missing=left_for_later())
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
    missing: Sequence[str] = (),
) -> tuple[uvicorn.Server, socket]:
    """Return a server of the pages and the socket that it listens on; UsageError.

    `missing`: preparations that other processes do meanwhile.
    """
    try:
        from sixprime.bot.web.bots.livebots import LiveBots
        from sixprime.bot.web.frame.firststart import FirstStart
        from sixprime.bot.web.serving import listen, server
    except ImportError as error:
        where = "" if bots is None else "web.listen: "
        raise UsageError(f"{where}{error.name} is missing: pip install 'sixprime[web]'") from error
    with refusing(Unavailable, at=None if bots is None else "web.listen"):
        listener = listen(settings)
        live = None if bots is None else LiveBots(*bots, archive, tail)
        first = FirstStart(missing, prepare_elsewhere, min(usable_cores(), HELPERS))
        return server(settings, listener, archive, matches, live, first), listener
