"""The options that choose a level, the same for every command that thinks."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file, option
from sixprime.bot.cli.main import refusing, threads

if TYPE_CHECKING:
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.levels import Level


def level_arguments(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--level",
        default=default,
        metavar="L",
        help=f"a level, or a rating such as 1650 (default: {default})",
    )
    file(parser, "--levels-file", "more levels, as in config/levels.yaml")
    met_argument(parser)
    option(parser, "--threads", "N", "how many, instead of the level's own", threads)
    file(parser, "--weights", "nets, instead of those that ship")


def met_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--met", metavar="TABLE",
        help="match equity table: a name (sixprime met list) or gnubg's XML file",
    )  # fmt: skip


def met_of(options: argparse.Namespace) -> str | None:
    """The chosen match equity table; UsageError if there is no such table."""
    from sixprime.engine.search.equityfile import BadEquityTable
    from sixprime.engine.search.matchequity import load

    met: str | None = options.met
    if met is not None:
        with refusing(BadEquityTable):
            load(met)
    return met


def level_of(options: argparse.Namespace) -> Level:
    """The chosen level, with the chosen table; UsageError if there is no such level."""
    met, level = met_of(options), _level_of(options)
    return level if met is None else replace(level, met=met)


def _level_of(options: argparse.Namespace) -> Level:
    from sixprime.engine.search.levels import PRESETS, UnknownLevel, preset

    wanted: str | dict[str, int] = options.level
    with refusing(UnknownLevel):
        if options.level.isdecimal():
            wanted = {"target_rating": int(options.level)}
        elif options.levels_file is None:
            return preset(options.level)
    from sixprime.bot.settings.levels import load_levels, read_level
    from sixprime.engine.system.errors import ConfigError

    with refusing(ConfigError):
        own = {} if options.levels_file is None else load_levels(options.levels_file)
        return read_level(wanted, PRESETS | own)


def threads_of(options: argparse.Namespace, level: Level) -> int:
    """The number of threads: --threads, or the level's own."""
    chosen: int = level.cores if options.threads is None else options.threads
    return chosen


def engine_of(options: argparse.Namespace, ready: tuple[str, ...] = ()) -> Engine:
    """An engine of the chosen level, with at least these preparations, or all to play."""
    from sixprime.bot.cli.ready import PLAYING, get_ready
    from sixprime.engine.nets.weights import BadWeights
    from sixprime.engine.search.decide import Engine

    level = level_of(options)
    cores = threads_of(options, level)
    get_ready(*(ready or PLAYING), then=PLAYING)
    with refusing(BadWeights):
        return Engine(level, threads=cores, weights=options.weights)
