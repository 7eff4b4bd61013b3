"""`sixprime sandbox`: the FIBS-compatible server with its house players."""

from __future__ import annotations

import argparse
from typing import Any, TextIO, cast

from sixprime.bot.cli.declaring import file, option
from sixprime.bot.cli.positionoptions import VARIANTS
from sixprime.engine.position import variant_named

EPILOG = """\
example:
  sixprime sandbox --house simple --db sandbox.db
  telnet localhost 4321        in another terminal; log in as 'guest'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    file(parser, "--config", "settings, see config/sandbox.yaml")
    parser.add_argument("--listen", metavar="HOST:PORT", help="where to listen (127.0.0.1:4321)")
    parser.add_argument(
        "--house",
        metavar="LEVEL",
        nargs="+",
        action="extend",
        help="house players that accept invitations, one for each level named",
    )
    file(parser, "--db", "keep accounts and matches here")
    parser.add_argument("--seed", metavar="N", type=int, help="reproducible dice")
    parser.add_argument(
        "--variant", choices=VARIANTS, metavar="V", help=f"what is played: {', '.join(VARIANTS)}"
    )
    option(parser, "--chaos", "SEED", "put a fault injector between clients and server", int)


def run(options: argparse.Namespace) -> int:
    import asyncio
    import logging

    import structlog

    from sixprime.bot.cli.main import refusing
    from sixprime.bot.process.console import Console
    from sixprime.bot.sandbox.config import SandboxConfig, load_sandbox
    from sixprime.bot.sandbox.run import run_sandbox
    from sixprime.bot.sandbox.store import StoreError
    from sixprime.engine.system.errors import ConfigError

    console = cast(TextIO, Console())
    structlog.configure(logger_factory=structlog.WriteLoggerFactory(console))
    logging.basicConfig(stream=console, format="%(message)s")  # asyncio's words
    chosen: dict[str, Any] = {
        "listen": options.listen,
        "house": tuple(options.house) if options.house else None,
        "database": options.db,
        "seed": options.seed,
        "chaos": options.chaos,
    }
    with refusing(ConfigError, StoreError):
        config = load_sandbox(options.config) if options.config else SandboxConfig()
        if options.variant is not None:
            played = {"variant": variant_named(options.variant)}
            chosen["dialect"] = config.dialect.model_copy(update=played)
        config = config.model_copy(update={k: v for k, v in chosen.items() if v is not None})
        with refusing(OSError, at=f"--listen {config.listen}"):
            asyncio.run(run_sandbox(config))
    return 0
