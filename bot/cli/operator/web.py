"""`sixprime web`: a board to play on, positions and an archive, in the browser."""

from __future__ import annotations

import asyncio
import re
import subprocess
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import ValidationError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.ready import helping, left_for_later, report_done
from sixprime.bot.client.service import Service
from sixprime.bot.control.overview import Overview
from sixprime.bot.control.steering import Steering
from sixprime.bot.process.logs import configure
from sixprime.bot.settings.archiveplace import address_of
from sixprime.bot.settings.faults import reason_of
from sixprime.bot.settings.schema import ArchiveSettings, Logging, WebSettings
from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import InputError, Unavailable
from sixprime.engine.system.wholefiles import private_folder
from sixprime.protocols.formats.ids import BadId
from sixprime.protocols.formats.pasted import read_position
from sixprime.protocols.formats.record import step_of_move

if TYPE_CHECKING:
    import uvicorn

HELPERS = 2  # processes that compile; more of them wait for each other's kernels
_MOVE = re.compile(r"([1-9]\d{0,17})\.([1-9]\d{0,3})\.([1-9]\d{0,3})", re.ASCII)  # of the archive
_OPTIONS: dict[str | int, str] = {
    "listen": "--listen", "names": "--name", "proxies": "--proxy", "database": "--database",
}  # fmt: skip


def serve_pages(options: Namespace) -> int:
    configure(Logging())
    place = options.database or address_of(str(options.matches / "archive.db"))
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
    page = "" if options.position is None else page_of(options.position, archive)
    serving, listener = listening(settings, archive, options.matches, missing=left_for_later())
    address = Endpoint(Endpoint.parse(options.listen).host, listener.getsockname()[1])
    print(f"http://{address.in_url}/{page}", flush=True)
    serving.run(sockets=[listener])
    return 0


def page_of(text: str, archive: Archive) -> str:
    """Return the page from which a position, or a move of an archived match, is played on."""
    if (place := _MOVE.fullmatch(text)) is None:
        with refusing(BadId, at=f"--position {text[:40]}"):
            read_position(text)
        return f"position?id={quote(text)}"
    match, game, move = map(int, place.groups())
    with refusing(ArchiveError, InputError, at=f"--position {text}"):
        step = step_of_move(archive.match(match), game, move)
    return f"archive/{match}?step={step}"


def listening(
    settings: WebSettings,
    archive: Archive | None,
    matches: Path,
    bots: tuple[Service, Steering, Overview] | None = None,
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
        live = None if bots is None else LiveBots(*bots)
        first = FirstStart(missing, prepare_elsewhere, min(usable_cores(), HELPERS))
        return server(settings, listener, archive, matches, live, first), listener


async def prepare_elsewhere(key: str) -> None:
    """Do a preparation in another process, which ends when this is cancelled; Unavailable."""
    begun = time.perf_counter()
    nothing = subprocess.DEVNULL
    helper = await asyncio.create_subprocess_exec(
        *helping(key), stdin=nothing, stdout=nothing, stderr=nothing
    )
    try:
        if await helper.wait():
            raise Unavailable(f"sixprime warmup {key} fails")
    finally:
        if helper.returncode is None:
            helper.terminate()
            await helper.wait()
    report_done(key, time.perf_counter() - begun)
