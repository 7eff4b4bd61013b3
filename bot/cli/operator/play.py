"""`sixprime play`: the bots of a settings file, until they are stopped."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveAway, ArchiveError, TooOld
from sixprime.bot.archive.writer import ArchiveThreads
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.line.operator import REFUSED
from sixprime.bot.cli.operator.web import listening
from sixprime.bot.cli.settingsfile import settings_file
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.control import controlsocket, instance
from sixprime.bot.control.controlsocket import Occupied, listen, own_place, remove
from sixprime.bot.control.overview import Overview, folders_of
from sixprime.bot.control.requests import answering, carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.notices.delivery import Couriers, OperatorNotice, secrets_of
from sixprime.bot.notices.troublewatch import TroubleWatch
from sixprime.bot.process.logs import LogTail, configure
from sixprime.bot.process.signals import stop_signals
from sixprime.bot.recording import opponents
from sixprime.bot.recording.dialects import DialectFile, place_for
from sixprime.bot.recording.tape import Tape
from sixprime.bot.settings.blanking import Blank
from sixprime.bot.settings.file import chosen, load_config
from sixprime.bot.settings.notices import Topic
from sixprime.bot.settings.passwords import (
    Secret,
    find_database_password,
    find_password,
    passwords_in,
)
from sixprime.bot.settings.schema import AUTO, ArchiveSettings, Config
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import ConfigError, InputError, Unavailable
from sixprime.engine.system.wholefiles import safe_part

ONCE_LOOK_S = 0.2  # a match is longer


def play(options: Namespace) -> int:
    """Play until stopped; return 77 after a refused login, 1 after other failures."""
    early: list[int] = []  # SIGHUPs of before the bots run, which then read the settings again
    signal.signal(signal.SIGHUP, lambda number, _: early.append(number))

    options.config = settings_file(options.config)

    def read() -> Config:
        config = load_config(options.config)
        return config.model_copy(update={"profiles": chosen(config, options.profile)})

    with refusing(ConfigError):
        config = read()
        passwords = {bot.name: find_password(bot.account) for bot in config.profiles}
        couriers = Couriers(config.notices)
        secrets = _secrets(config, [password.text for password in passwords.values()])
    tail = LogTail()
    with refusing(OSError, at="logging.file"):
        configure(config.logging, secrets, tail=tail)
    with (
        closing(couriers),
        closing(ArchiveThreads()) as archives,
        refusing(controlsocket.Occupied),
        instance.playing_alone(config.profiles),
        _listening(config, options) as listener,
    ):
        try:
            with refusing(ConfigError):
                service = Service(config, passwords, recorder=archives.recorder_of)
        except ArchiveAway as error:  # not the user's mistake: systemd may try again
            couriers.post(OperatorNotice("archive", "", f"play did not start: {error}"))
            print(f"sixprime play: {error}", file=sys.stderr)
            return 1
        except ArchiveError as error:
            topic: Topic = "upgrade" if isinstance(error, TooOld) else "archive"
            couriers.post(OperatorNotice(topic, "", f"play did not start: {error}"))
            raise UsageError(str(error)) from error
        with refusing(InputError):
            _record(options.record, service, passwords)
        place = place_for(config.profiles[0].archive)
        dialects = DialectFile(place)
        known = {opponents.key(bot.profile): bot.client.desk.known for bot in service.bots}
        met = opponents.OpponentFile(place.with_name(opponents.NAME), known, Blank(secrets))
        for bot in service.bots:
            bot.known.dialect = dialects.dialect_of(bot.profile.server)
        steering = Steering(service, read, lambda to: configure(to, secrets, tail=tail))
        watch = TroubleWatch(config.notices, service.status, couriers.post, folders_of(config))
        overview = Overview(service, folders_of(config), tail)
        beside = [dialects.keep, met.keep, archives.keep_tidy, overview.run]
        if couriers.ways:
            beside.append(watch.run)
        if options.once:
            beside.append(partial(_stop_after_a_match, service))
        pages = _pages(config, service, steering, overview)
        welcome = asyncio.run(_play(service, steering, (*beside, *pages), listener, options, early))
    if not welcome:
        return REFUSED
    return 1 if any(bot.broken for bot in service.bots) else 0


def _record(file: Path | None, service: Service, passwords: Mapping[str, Secret]) -> None:
    """Record each bot's conversation, if the operator asks for it."""
    for bot in () if file is None else service.bots:
        assert file is not None
        several = f".{safe_part(bot.profile.name)}" if len(service.bots) > 1 else ""
        path = file.with_name(f"{file.stem}{several}{file.suffix}")
        tape = Tape(path, bot.profile, passwords[bot.profile.name].text)
        bot.dial, bot.on_order = tape.recording(bot.dial, bot.known), tape.ordered


@contextmanager
def _listening(config: Config, options: Namespace) -> Iterator[socket.socket | None]:
    """Open the control socket; UsageError if another process holds it, and so plays these bots."""
    path, log = config.control.socket, structlog.get_logger("bot.control")
    is_chosen = path != AUTO
    if path is None:
        yield None
        return
    if not is_chosen:
        path = own_place(options.config, options.profile)
    try:
        listener = listen(path)
    except Unavailable as error:
        if is_chosen or isinstance(error, Occupied):
            raise UsageError(str(error)) from error
        log.warning("no control socket", why=str(error))
        yield None
        return
    log.debug("listening for control", socket=str(path))
    try:
        yield listener
    finally:
        remove(path, listener)


async def _play(
    service: Service,
    steering: Steering,
    beside: Sequence[Callable[[], Coroutine[Any, Any, None]]],
    listener: socket.socket | None,
    options: Namespace,
    early: list[int],
) -> bool:
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > 2:
            raise SystemExit(130)
        service.request_stop(Stop.FINISH if options.finish and asked == 1 else Stop.SAVE)

    async def reload() -> None:
        while True:
            await hung_up.wait()
            hung_up.clear()
            await carry_out(steering, {"action": "reload"}, "SIGHUP")

    hung_up = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, hung_up.set)
    if early:
        hung_up.set()
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        stack.enter_context(stop_signals(stop))
        if listener is not None:
            await stack.enter_async_context(answering(steering, listener))
        others = [group.create_task(each) for each in (reload(), *(run() for run in beside))]
        welcome = await service.run(stay=options.stay)
        for other in others:
            other.cancel()
    return welcome


async def _stop_after_a_match(service: Service) -> None:
    """Ask each bot, in its first match, to stop at the end of it."""
    while True:
        for bot in service.bots:
            if bot.client.playing and bot.client.stopping.how is Stop.NO:
                bot.log.info("stopping", how=Stop.FINISH.name.lower())
                bot.request_stop(Stop.FINISH)
        await asyncio.sleep(ONCE_LOOK_S)


def _pages(
    config: Config, service: Service, steering: Steering, overview: Overview
) -> Iterator[Callable[[], Coroutine[Any, Any, None]]]:
    """Yield the work of serving pages, if the settings ask for them."""
    if config.web.listen is None:
        return
    settings = config.profiles[0].archive
    archive = None if settings.database is None else Archive(settings)
    serving, listener = listening(
        config.web, archive, matches_folder(settings), (service, steering, overview)
    )

    async def serve() -> None:
        address = Endpoint(*listener.getsockname()[:2])
        structlog.get_logger("web").info("serving pages", address=f"http://{address.in_url}/")
        served = asyncio.create_task(serving.serve(sockets=[listener]))
        try:
            await asyncio.shield(served)
        finally:  # cancelled, it would leave its own tasks behind
            serving.should_exit = True
            await served

    yield serve


def matches_folder(archive: ArchiveSettings) -> Path:
    """The folder of matches in the browser, beside the archive."""
    return place_for(archive).with_name("web-matches")


def _secrets(config: Config, passwords: list[str]) -> list[str]:
    """List all passwords, also of databases, to keep them out of the log."""
    found = [*passwords, *secrets_of(config.notices)]
    for profile in config.profiles:
        if beside := find_database_password(profile.archive):
            found.append(beside.text)
        found += passwords_in(profile.archive.database or "")
    return found
