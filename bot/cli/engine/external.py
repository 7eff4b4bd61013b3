"""`sixprime external`: gnubg's external player socket."""

from __future__ import annotations

import argparse

from sixprime.bot.cli.declaring import flag

EPILOG = """\
example:
  sixprime external --level world-class
  gnubg -t                          in another terminal, and there:
  set player 0 external 127.0.0.1:4322
  new match 5
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    from sixprime.bot.cli.leveloptions import level_arguments

    parser.epilog = EPILOG
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:4322",
        help="or the path of a Unix socket (default: %(default)s)",
    )
    level_arguments(parser, "world-class")
    flag(
        parser,
        "--no-jacoby",
        "gnubg plays money games without the Jacoby rule, which it does not announce",
    )
    flag(
        parser,
        "--beavers",
        "gnubg allows beavers in money games; if it does not, gnubg stops at one",
    )
    flag(parser, "--never-resign", "play lost games to their end")


def run(options: argparse.Namespace) -> int:
    import asyncio
    import contextlib
    import signal

    from sixprime.bot.cli.leveloptions import engine_of
    from sixprime.bot.cli.main import refusing
    from sixprime.bot.interfaces.external import ExternalEngine, ExternalServer, parse_listen, serve
    from sixprime.bot.process.logs import configure
    from sixprime.bot.settings.schema import Logging
    from sixprime.protocols.engines.external import SessionRules

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
    import sys

    print(f"listening on {address}; in gnubg: set player 0 external {address}", file=sys.stderr)
