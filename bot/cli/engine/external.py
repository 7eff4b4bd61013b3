"""`sixprime external`: gnubg's external player socket."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from argparse import Namespace

from sixprime.bot.cli.levels import engine_of
from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.interfaces.external import ExternalEngine, ExternalServer, parse_listen, serve
from sixprime.bot.process.logs import configure
from sixprime.bot.settings.schema import Logging
from sixprime.protocols.engines.external import SessionRules


def serve_gnubg(options: Namespace) -> int:
    configure(Logging())
    with refusing(ValueError, at=f"--listen {options.listen}"):
        address = parse_listen(options.listen)
    rules = SessionRules(jacoby=not options.no_jacoby, beavers=options.beavers)
    player = ExternalEngine(engine_of(options))

    async def listen() -> None:
        serving = asyncio.current_task()
        if serving is not None:  # ends as on Ctrl-C, and removes its socket
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
        server = ExternalServer(player, rules, resigns=not options.never_resign)
        await serve(address, server, _announce)

    with refusing(OSError, at=f"--listen {address}"), contextlib.suppress(asyncio.CancelledError):
        asyncio.run(listen())
    return 0


def _announce(address: object) -> None:
    print(f"listening on {address}; in gnubg: set player 0 external {address}", file=sys.stderr)
