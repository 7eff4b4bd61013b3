"""`sixprime web`: a board to play on, positions and an archive, in the browser."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.cli.ready import PLAYING, get_ready

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime web --archive sqlite:///archive/sixprime.db\n"
        "then open the address that it prints; anywhere but on this machine a password is needed"
    )
    parser.add_argument(
        "--listen", default="127.0.0.1:8760", metavar="HOST:PORT", help="(127.0.0.1:8760)"
    )
    parser.add_argument(
        "--archive", metavar="URL", help="an archive to show and to add finished matches to"
    )
    parser.add_argument(
        "--matches", type=Path, metavar="FOLDER", help="where matches are kept (./web-matches)",
        default=Path("web-matches"),
    )  # fmt: skip
    parser.add_argument(
        "--password-file", type=Path, metavar="FILE", help="whose first line lets people in"
    )
    parser.add_argument(
        "--watch-password-file", type=Path, metavar="FILE", help="the same, only to watch"
    )
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="another name of this server"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    try:
        import uvicorn

        from sixprime.bot.web.app import Site, application
        from sixprime.bot.web.coach import Coach
        from sixprime.bot.web.guard import Passwords
        from sixprime.bot.web.library import Library
        from sixprime.bot.web.matchstore import MatchStore
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: pip install 'sixprime[web]'") from error
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.tables import ArchiveError
    from sixprime.bot.settings.schema import ArchiveSettings

    host, _, port = options.listen.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen {options.listen}: HOST:PORT is needed, such as 127.0.0.1:8760")
    passwords = Passwords(
        _first_line(options.password_file), _first_line(options.watch_password_file)
    )
    if host not in LOOPBACK and not passwords.needed:
        raise UsageError(f"--listen {host}: other machines need a password (--password-file)")
    archive = None
    if options.archive is not None:
        with refusing(ArchiveError):
            archive = Archive(ArchiveSettings(database=options.archive, folder=None))
    get_ready(*PLAYING)
    names = {*options.name, host, *(LOOPBACK if host in LOOPBACK else ())}
    site = Site(MatchStore(options.matches), Library(archive), Coach())
    with refusing(OSError, at=options.listen):
        listener = socket.create_server(
            (host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    port = str(listener.getsockname()[1])
    shown = {f"[{name}]" if ":" in name else name for name in names}
    hosts = {*options.name, *(f"{name}:{port}" for name in shown)}
    settings = uvicorn.Config(
        application(site, hosts, passwords), log_config=None, access_log=False,
        server_header=False, limit_concurrency=500, timeout_graceful_shutdown=2, ws="none",
    )  # fmt: skip
    print(f"http://{options.listen.rpartition(':')[0]}:{port}/", flush=True)
    uvicorn.Server(settings).run(sockets=[listener])
    return 0


def _first_line(path: Path | None) -> str | None:
    if path is None:
        return None
    with refusing(OSError, at=path):
        text = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    if not text:
        raise UsageError(f"{path}: the first line is empty, and should be a password")
    return text
