"""`sixprime sandbox`: the FIBS-compatible server with its house players."""

from __future__ import annotations

import asyncio
import logging
from argparse import Namespace
from typing import Any, TextIO, cast

import structlog

from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.process.console import Console
from sixprime.bot.sandbox.config import SandboxConfig, load_sandbox
from sixprime.bot.sandbox.run import run_sandbox
from sixprime.engine.position import variant_named
from sixprime.engine.system.errors import ConfigError, Unavailable


def serve(options: Namespace) -> int:
    console = cast(TextIO, Console())
    structlog.configure(logger_factory=structlog.WriteLoggerFactory(console))
    logging.basicConfig(stream=console, format="%(message)s")  # asyncio's words
    chosen: dict[str, Any] = {
        "listen": options.listen,
        "house": tuple(options.house) if options.house else None,
        "database": options.database,
        "seed": options.seed,
        "chaos": options.chaos,
    }
    with refusing(ConfigError, Unavailable):
        config = load_sandbox(options.config) if options.config else SandboxConfig()
        if options.variant is not None:
            played = {"variant": variant_named(options.variant)}
            chosen["dialect"] = config.dialect.model_copy(update=played)
        config = config.model_copy(update={k: v for k, v in chosen.items() if v is not None})
        with refusing(OSError, at=f"--listen {config.listen}"):
            asyncio.run(run_sandbox(config))
    return 0
