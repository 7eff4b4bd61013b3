"""The level, table and engine that options choose."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.cli.ready import get_ready
from sixprime.engine.compiling.preparations import PLAYING
from sixprime.engine.nets.weights import BadWeights
from sixprime.engine.search import matchequity
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.equityfile import BadEquityTable
from sixprime.engine.search.levels import PRESETS, Level, UnknownLevel, preset
from sixprime.engine.system.errors import ConfigError


def met_of(options: Namespace) -> str | None:
    """Return the chosen match equity table; UsageError if there is no such table."""
    met: str | None = options.met
    if met is not None:
        with refusing(BadEquityTable):
            matchequity.load_table(met)
    return met


def level_of(options: Namespace) -> Level:
    """Return the chosen level, with the chosen table; UsageError if there is no such level."""
    met, level = met_of(options), level_named(options.level, options.levels_file)
    return level if met is None else replace(level, met=met)


def level_named(name: str, file: Path | None) -> Level:
    """Return the level of a name, of `pr N` or of a rating such as 1650; UsageError."""
    if file is None and not name.isdecimal():
        with refusing(UnknownLevel):
            return preset(name)
    from sixprime.bot.settings.levels import load_levels, read_level  # slow, and seldom needed

    with refusing(ConfigError):
        return read_level(name, PRESETS if file is None else load_levels(file))


def threads_of(options: Namespace, level: Level) -> int:
    """Return the number of threads: --threads, or the level's own."""
    chosen: int = level.cores if options.threads is None else options.threads
    return chosen


def engine_of(options: Namespace, ready: tuple[str, ...] = ()) -> Engine:
    """Make an engine of the chosen level, with at least these preparations, or all to play."""
    level = level_of(options)
    cores = threads_of(options, level)
    get_ready(*(ready or PLAYING), then=PLAYING)
    with refusing(BadWeights):
        return Engine(level, threads=cores, weights=options.weights)
