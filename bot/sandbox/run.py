"""A sandbox from its settings: dice, house players, faults, signals."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from sixprime.bot.process.signals import stop_signals
from sixprime.bot.sandbox.config import SandboxConfig
from sixprime.bot.sandbox.network.proxy import ChaosProxy
from sixprime.bot.sandbox.serve import SandboxServer
from sixprime.engine.bearoff.hypergammon import needs
from sixprime.engine.dice import Seeded, Unpredictable, roll
from sixprime.engine.position import Dice
from sixprime.engine.search.players import WITHOUT_ENGINE, BackgammonPlayer, player_named
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.engine.system.errors import ConfigError


async def run_sandbox(config: SandboxConfig) -> None:
    """Serve until SIGINT or SIGTERM."""
    try:
        host, port = Endpoint.parse(config.listen, LOOPBACK)
    except ValueError as error:
        raise ConfigError(f"listen: {config.listen}: {error}") from error
    missing = needs(config.dialect.variant)
    if missing and not WITHOUT_ENGINE.keys() >= set(config.house):
        raise ConfigError(f"house: {missing}")
    server = SandboxServer(config, dice_source(config.seed), _player)
    stop = asyncio.Event()
    with stop_signals(stop.set):
        if config.chaos is None:
            await _run(server, host, port, stop)
        else:
            await _run_behind_faults(config.chaos, server, (host, port), stop)


async def _run_behind_faults(
    seed: int, server: SandboxServer, address: tuple[str, int], stop: asyncio.Event
) -> None:
    inner = asyncio.create_task(server.run(LOOPBACK, 0, stop))
    inner.add_done_callback(lambda _: stop.set())  # the proxy ends with the server
    await server.listening.wait()
    try:
        await _run(ChaosProxy(seed, LOOPBACK, server.port), *address, stop)
    finally:
        stop.set()
        await inner


async def _run(
    server: SandboxServer | ChaosProxy, host: str, port: int, stop: asyncio.Event
) -> None:
    announcement = asyncio.create_task(_announce(server, host))
    await server.run(host, port, stop)
    await announcement


async def _announce(server: SandboxServer | ChaosProxy, host: str) -> None:
    await server.listening.wait()
    sys.stderr.write(f"listening on {host}:{server.port}\n")
    sys.stderr.flush()


def dice_source(seed: int | None) -> Callable[[], Dice]:
    """Return a source of rolls, which a seed makes repeatable."""
    source = Unpredictable() if seed is None else Seeded(seed % 2**32)
    return lambda: roll(source)


def _player(level: str) -> BackgammonPlayer:
    try:
        return player_named(level)
    except ValueError as error:
        raise ConfigError(str(error)) from error
