"""`sixprime doctor`: everything that a bot needs, looked at before it plays."""

from __future__ import annotations

import datetime as dt
import getpass
import json
import os
import re
import socket
import stat
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError, file_of
from sixprime.bot.cli.columns import say
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.operator.asking import status_of
from sixprime.bot.cli.ready import missing_preparations
from sixprime.bot.cli.settingsfaults import faults_of
from sixprime.bot.cli.settingsfile import settings_file
from sixprime.bot.control.overview import folders_of
from sixprime.bot.process.diskroom import free_mib
from sixprime.bot.process.printable import counted, duration, printable
from sixprime.bot.settings.file import load_config
from sixprime.bot.settings.passwords import find_password
from sixprime.bot.settings.schema import Config
from sixprime.engine.compiling.preparations import PLAYING
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import ConfigError

ENOUGH_MIB = 500
CONNECT_WITHIN_S = 10.0
PROMPTS = {"fibs": b"login:", "bgammon": b"log in"}
SERVERS_TIME = re.compile(r"\( \w{3} (\w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4}) UTC \)")
MOST_SKEW_S = 120.0


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at, and what to do if it is wrong."""

    what: str
    right: bool
    says: str
    do: str = ""


def examine(options: Namespace) -> int:
    """Print a line for each thing; return 1 if one is wrong."""
    options.config = settings_file(options.config)
    findings = list(_findings(options.config, connect=options.connect))
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = "ok   " if finding.right else "FAULT"
            say(printable(f"{mark} {finding.what}: {finding.says}"))
            if finding.do:
                say(printable(f"      {finding.do}"))
    return 0 if all(finding.right for finding in findings) else 1


def _findings(path: Path, *, connect: bool) -> Iterator[Checked]:
    try:
        config = load_config(path)
        faults = faults_of(config)
    except ConfigError as error:
        faults = error.faults
        config = None
    for fault in faults:
        yield Checked("settings", False, fault, f"mend {path}")
    if not faults:
        yield Checked("settings", True, str(path))
    if config is None:
        return
    yield from _passwords(config)
    yield from _ports(config, path)
    for folder in sorted(set(folders_of(config))):
        yield _disk(folder)
    yield from _archives(config)
    yield _clock(path)
    yield _kernels()
    if connect:
        yield from _servers(config)


def _passwords(config: Config) -> Iterator[Checked]:
    for profile in config.profiles:
        what, account = f"password of {profile.account.user}", profile.account
        try:
            find_password(account.model_copy(update={"password_prompt": False}))
        except ConfigError as error:
            places = [account.password_env, "account.password_file"]
            yield Checked(what, False, str(error), f"set {' or '.join(filter(None, places))}")
            continue
        file = account.password_file and account.password_file.expanduser()
        if file and file.exists() and file.stat().st_mode & stat.S_IROTH:
            yield Checked(what, False, f"everybody can read {file}", f"chmod 600 {file}")
        else:
            yield Checked(what, True, "there is one")


def _ports(config: Config, path: Path) -> Iterator[Checked]:
    """Yield whether each port is free, or ours."""
    try:
        bots = status_of(path)
    except (UsageError, ConfigError):
        bots = []
    for setting, address in (("metrics", config.metrics.listen), ("web", config.web.listen)):
        if address is None:
            continue
        what, place = f"{setting}.listen", Endpoint.parse(address)
        if bots:
            yield Checked(what, True, f"{address} is held by {counted(len(bots), 'running bot')}")
            continue
        try:
            family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
            socket.create_server(place, family=family).close()
        except OSError as error:
            yield Checked(what, False, f"{address}: {error.strerror or error}",
                          f"stop what listens there, or change {what}")  # fmt: skip
        else:
            yield Checked(what, True, f"{address} is free")


def _archives(config: Config) -> Iterator[Checked]:
    for settings in {profile.archive: None for profile in config.profiles}:
        if settings.database is None:
            continue
        file = file_of(settings.database)
        if file is not None and not file.exists():
            yield Checked("archive", True, f"{file} is made at the first start")
            continue
        try:
            archive = Archive(settings)
        except ArchiveError as error:
            yield Checked("archive", False, str(error), "see `sixprime archive check --help`")
        else:
            archive.close()
            yield Checked("archive", True, "it opens")


def _disk(folder: Path) -> Checked:
    """Look at the nearest folder that is there."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    what, free = f"disk of {folder}", free_mib(folder)
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        mine = f"make it a folder of this user: chown {getpass.getuser()} {there}"
        return Checked(what, False, f"nothing can be written to {there}", mine)
    if free is None:
        return Checked(what, False, f"{there} gives no answer", "is the disk mounted?")
    says = f"{free} MiB are free"
    if free < ENOUGH_MIB:
        return Checked(what, False, says, f"make room: {ENOUGH_MIB} MiB last for years")
    return Checked(what, True, says)


def _clock(path: Path) -> Checked:
    """A clock before the settings were written is wrong."""
    written, now = path.stat().st_mtime, time.time()
    if now < written:
        return Checked("clock", False, f"{path} was written {written - now:.0f} s in the future",
                       "set the clock; dates of matches would be wrong")  # fmt: skip
    return Checked("clock", True, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now)))


def _skew(place: str, greeting: bytes) -> Iterator[Checked]:
    """Compare the clock with that of a server whose greeting shows it."""
    shown = SERVERS_TIME.search(greeting.decode("latin-1"))
    if shown is None:
        return
    with suppress(ValueError):  # it only looks like a time
        then = dt.datetime.strptime(f"{' '.join(shown[1].split())} +0000", "%b %d %H:%M:%S %Y %z")
        ahead_s = (dt.datetime.now(dt.UTC) - then).total_seconds()
        what, way = f"clock beside {place}", "ahead" if ahead_s > 0 else "behind"
        if abs(ahead_s) > MOST_SKEW_S:
            yield Checked(what, False, f"it is {duration(abs(ahead_s))} {way}",
                          "set the clock, as by `timedatectl set-ntp true`")  # fmt: skip
        else:
            yield Checked(what, True, f"both agree within {MOST_SKEW_S:g} s")


def _kernels() -> Checked:
    missing = missing_preparations(*PLAYING)  # others may wait for their first use
    if missing:
        return Checked("engine", False, f"not compiled yet: {', '.join(missing)}",
                       "sixprime warmup compiles it, else the first start does")  # fmt: skip
    return Checked("engine", True, "compiled")


def _servers(config: Config) -> Iterator[Checked]:
    for server in {profile.server: None for profile in config.profiles}:
        place, prompt = Endpoint(server.host, server.port), PROMPTS[server.kind]
        try:
            with socket.create_connection(place, CONNECT_WITHIN_S) as line:
                line.settimeout(CONNECT_WITHIN_S)
                greeting = b""
                while prompt not in greeting.lower() and (more := line.recv(4_096)):
                    greeting = (greeting + more)[-65_536:]
        except OSError as error:
            yield Checked("server", False, f"{place}: {error.strerror or error}",
                          "is the address right, and the network there?")  # fmt: skip
            continue
        if prompt in greeting.lower():
            yield Checked("server", True, f"{place} asks for a login")
            yield from _skew(str(place), greeting)
        else:
            yield Checked("server", False, f"{place} does not ask for a login",
                          f"is it a server of the kind {server.kind}?")  # fmt: skip
