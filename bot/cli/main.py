"""The one entry point. A command's module is imported only when that command is run or explained.

Each module under bot/cli offers `arguments(parser)`, which declares its options (and sets an
`epilog` with an example), and `run(options) -> int`, which does the work and returns the exit code.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

# name -> what it does, in one line. The module is bot.cli.<name>.
COMMANDS: dict[str, str] = {
    "play": "logs in and plays until stopped",
    "status": "what the bots of a running process are doing",
    "config": "checks, shows or writes the settings of `sixprime play`",
    "sandbox": "a FIBS-compatible server with house players, on this machine",
    "demo": "a server, two bots and a rated match on this machine, shown as they happen",
    "archive": "lists, shows, exports, imports, analyses and counts the matches that were kept",
    "convert": "match files between FIBS oldmoves, SGF and .mat",
    "analyse": "how well and how luckily the players of recorded matches played",
    "hint": "ranks plays or the cube action of a position",
    "rollout": "plays a position out many times to compare plays or cube actions",
    "levels": "lists strength levels and shows what they mean",
    "decide": "answers JSON lines about positions with JSON lines about plays and cubes",
    "external": "gnubg's external player socket: gnubg itself can have our decisions",
    "referee": "gnubg plays matches against us and reports how they went",
    "ubgi": "the Universal Backgammon Interface on standard input and output",
    "bearoff": "writes bearoff databases in gnubg's own file format, and shows what they say",
    "train": "teaches nets from nothing but their own play (needs the extra `train`)",
    "bench": "measures speeds and prints one JSON object",
    "benchanalysis": "measures how fast match files are analysed and prints one JSON object",
    "benchplay": "measures what playing costs and how fast it answers, and prints one JSON object",
    "strength": "plays many games between two players, and scores their decisions",
    "warmup": "compiles kernels and builds the bearoff databases, so that nothing waits later",
}


class UsageError(Exception):
    """Bad input from the user; the text is one clear line, and the exit code is 2."""


def build_parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser of the whole command line; only the chosen command's options are filled in."""
    parser = argparse.ArgumentParser(
        prog="sixprime",
        description="Plays rated backgammon on FIBS servers, with an engine of its own.",
        epilog="example: sixprime demo",
    )
    parser.add_argument("--version", action="version", version=f"sixprime {_version()}")
    parser.add_argument(
        "--debug", action="store_true", help="show a traceback when something fails"
    )
    verbs = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, line in COMMANDS.items():
        verb = verbs.add_parser(
            name,
            help=line,
            description=line[0].upper() + line[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            module = _module(name)
            module.arguments(verb)
            verb.set_defaults(run=module.run)
    return parser


def run(arguments: Sequence[str] | None = None) -> None:
    """What the console script calls."""
    sys.exit(main(sys.argv[1:] if arguments is None else list(arguments)))


def main(arguments: list[str]) -> int:
    """Run one command; every expected failure is one line on stderr."""
    chosen = next((word for word in arguments if word in COMMANDS), None)
    options = build_parser(chosen).parse_args(arguments)
    try:
        return int(options.run(options))
    except UsageError as error:
        if options.debug:
            raise
        print(f"sixprime {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `sixprime ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # the last line of defence: no traceback for users
        if options.debug:
            raise
        print(f"sixprime {options.command}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"bot.cli.{name}")


def _version() -> str:
    from importlib.metadata import version

    return version("sixprime")
