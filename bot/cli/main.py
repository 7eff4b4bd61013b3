"""The one entry point. A command's module is imported only when that command is run or explained.

Each module in a room of bot/cli offers `arguments(parser)`, which declares its options (and sets an
`epilog` with an example), and `run(options) -> int`, which does the work and returns the exit code.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from sixprime.bot.process.printable import discard, printable
from sixprime.engine.system.errors import nearest

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

# what `sixprime --help` lists, in its order: the module below bot/cli, and what it does in a line
_TABLE = """\
operator.init        asks four questions and writes settings for a bot
operator.play        logs in and plays until stopped
operator.replay      runs the bot against a recorded session, without a server
operator.status      shows what the bots of a running process are doing
operator.control     steers the bots of a running process
operator.config      checks, shows or writes the settings of `sixprime play`
operator.sandbox     runs a FIBS-compatible server with house players on this machine
operator.web         shows a board to play on, positions and an archive in the browser
operator.demo        plays a rated match between two bots on a server of its own, and shows it
collection.archive   lists, shows, exports, imports, analyses and counts archived matches
collection.convert   converts match files, and draws boards as text, HTML, PDF and PNG
collection.analyse   reports how well and how luckily recorded matches were played
collection.compare   compares the analysis in a file of XG or gnubg with ours
collection.quiz      asks you again about positions that were misplayed
engine.hint          ranks plays or the cube action of a position
engine.rollout       plays a position out many times to compare plays or cube actions
engine.position      counts pips, race, cube points and rolls of a position
engine.met           shows match equity tables: chances, take points, gammon values
lab.levels           lists strength levels and shows what they mean
engine.decide        answers JSON lines about positions with JSON lines about plays and cubes
engine.external      opens gnubg's external player socket, so that gnubg plays against the engine
engine.referee       lets gnubg play matches against the engine and reports how they went
engine.ubgi          speaks the Universal Backgammon Interface on standard input and output
engine.bearoff       writes bearoff databases in gnubg's own file format, and shows what they say
lab.train            trains nets by self-play alone (needs the extra `train`)
lab.bench            measures speeds and prints one JSON object
lab.benchanalysis    measures how fast match files are analysed and prints one JSON object
lab.benchplay        measures what playing costs and how fast it answers, and prints one JSON object
lab.benchstart       measures how long first and later starts take, as one JSON object
lab.strength         plays many games between two players, and scores their decisions
operator.completions prints what bash, zsh or fish completes after `sixprime`
operator.man         prints manual pages
engine.warmup        compiles kernels and builds bearoff databases in advance
"""
COMMANDS: dict[str, tuple[str, str]] = {
    module.partition(".")[2]: (module, line)
    for module, line in (row.split(maxsplit=1) for row in _TABLE.splitlines())
}


BEGIN = """\
Sixprime plays backgammon on FIBS servers, with an engine of its own.

  sixprime demo                             watch two bots play a match
  sixprime init                             write settings for a bot of yours
  sixprime play                             log in and play until stopped
  sixprime web                              play against it in the browser
  sixprime hint 4HPwATDgc/ABMA --dice 31    ask it about a position
  sixprime analyse match.mat                see what a match cost you

`sixprime --help` lists all commands, `sixprime COMMAND --help` explains one.
"""


MOST = 2**63 - 1  # what a database and a kernel can hold


def at_least(least: float, kind: type[int | float] = int) -> Callable[[str], Any]:
    """The type of an option: a number, by default a whole one, of at least `least`."""

    def number(word: str) -> float:
        value = kind(word)
        if not value >= least:  # `nan` is not
            raise argparse.ArgumentTypeError(f"{word}: at least {least} is needed")
        if value > MOST:
            raise argparse.ArgumentTypeError(f"{word}: at most {MOST} is possible")
        return value

    return number


def text(word: str) -> str:
    """The type of an option that may be empty; others, such as names of files, may not."""
    return word


class UsageError(Exception):
    """Bad input from the user; the text is one clear line, and the exit code is 2."""


@contextmanager
def refusing(*errors: type[Exception], at: object = None) -> Iterator[None]:
    """Turns these errors into a UsageError; `at` says where they happened."""
    try:
        yield
    except BrokenPipeError:
        raise
    except errors as error:
        reason = _in_words(error) if isinstance(error, OSError) else str(error)
        place = getattr(error, "filename", None) if at is None else at
        raise UsageError(reason if place is None else f"{place}: {reason}") from error


MOST_THREADS = 256


def threads(word: str) -> int:
    """The type of an option: how many threads."""
    number = int(word)
    if not 1 <= number <= MOST_THREADS:
        raise UsageError(f"--threads {word}: 1 to {MOST_THREADS} are possible")
    return number


def new_file(word: str) -> Path:
    """The type of an option: where to write, refused before anybody has waited for the result."""
    path = Path(word)
    with refusing(OSError, at=path):  # too long for a name
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent}: no such folder")
        if path.is_dir():
            raise UsageError(f"{path}: is a folder")
    return path


def database(word: str) -> str:
    """The type of an option: where an archive is, without a password."""
    from sixprime.bot.settings.passwords import passwords_in

    if passwords_in(word):
        raise UsageError(
            "no password on a command line, where everybody can read it: use settings, or libpq's "
            "PGPASSFILE or PGPASSWORD"
        )
    return word


def write_out(path: Path, text: str | bytes) -> None:
    """Write a file that the user has named, whole or not at all; UsageError."""
    from sixprime.engine.system.wholefiles import write_whole

    with refusing(OSError, at=path):
        write_whole(path, text)


class Skipped:
    """What a command could not do, out of many things: it reports each in one line and goes on."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.code = 0  # of the whole command

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Skips the rest of the block if it fails; a UsageError still ends the command."""
        try:
            yield
        except (BrokenPipeError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001 - one failure does not stop the rest
            self.report(place, _reason(error, place))

    def report(self, place: str, why: str) -> None:
        """Say on stderr what was left out, and why."""
        self.code = 1
        print(f"sixprime {self.command}: {printable(f'{place}: {why}')}", file=sys.stderr)


def _reason(error: Exception, place: str = "") -> str:
    """The error in one line, with its class if it is one that we did not expect."""
    if isinstance(error, OSError):
        file = str(error.filename or place)
        return _in_words(error) if file == place else f"{file}: {_in_words(error)}"
    first = next(iter(str(error).strip().splitlines()), "")
    return first if isinstance(error, ValueError) else f"{type(error).__name__}: {first}"


def _in_words(error: OSError) -> str:
    """What the system says; asyncio adds what every user sees anyway."""
    code = error.errno or 0
    return os.strerror(code) if code > 0 else error.strerror or str(error) or type(error).__name__


FEW = 10  # choices: an error lists no more


class Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        """A parser, or that of a subcommand, whose help leaves its examples alone."""
        super().__init__(**settings, formatter_class=HelpText)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse what this parser does not know, so that the error names the subcommand."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, []

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuse `--option=--`, of which argparse makes a list of nothing."""
        found = super()._get_values(action, arg_strings)
        if action.nargs is None and found == []:
            raise argparse.ArgumentError(action, "expected one argument")
        return found

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Refuse an empty word: as a file it would be the working folder, as a name the default.

        Python reads `1_0` and the digits of other scripts as numbers, too: a slip of the hand.
        """
        may_be = action.type is text or isinstance(action, argparse._SubParsersAction)
        if not arg_string and not may_be:
            raise argparse.ArgumentError(action, "'' names nothing")
        value = super()._get_value(action, arg_string)
        if isinstance(value, int | float) and ("_" in arg_string or not arg_string.isascii()):
            raise argparse.ArgumentError(action, f"invalid number: {arg_string!r}")
        return value

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit, but let `main` report help that could not be written."""
        sys.stdout.flush()
        super().exit(status, message)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write help; argparse would say nothing of a full disk."""
        (file or sys.stderr).write(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Suggest the nearest choice, or list all if they are few."""
        if action.choices is not None and value not in action.choices:
            near = nearest(str(value), map(str, action.choices))
            if near or len(list(action.choices)) > FEW:
                raise argparse.ArgumentError(action, f"no {value!r}{near}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Print what is wrong in one line, and exit with 2."""
        self.exit(2, f"{self.prog}: {in_one_line(message)} (see {self.prog} --help)\n")


def in_one_line(error: str) -> str:
    """An error that quotes what was typed: short, and without characters that steer a terminal."""
    short = _LONG.sub(lambda word: f"{word[0][:SHOWN]}...", error)
    return printable(short).replace("\n", "?")


SHOWN = 80  # characters of a word in an error
_LONG = re.compile(r"\S{250,}")


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Help that wraps prose to the terminal and leaves examples alone."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = (list(part) for _, part in groupby(text.splitlines(), _is_prose))
        return "\n".join(
            textwrap.fill(" ".join(part), width, break_long_words=False, break_on_hyphens=False)
            if _is_prose(part[0]) and any(len(line) > width for line in part)
            else super(HelpText, self)._fill_text("\n".join(part), width, indent)
            for part in parts
        )


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith((" ", "example"))


class Version(argparse.Action):
    """`--version`; looks the version up only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from sixprime.bot.process.release import installed

        print(f"sixprime {installed()}")
        parser.exit()


def build_parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser of the whole command line; only the chosen command's options are filled in."""
    parser = Parser(
        prog="sixprime",
        description="Plays rated backgammon on FIBS servers, with an engine of its own.",
        epilog="example: sixprime demo",
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    parser.add_argument(
        "--debug", action="store_true", help="show a traceback when something fails"
    )
    verbs = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, line) in COMMANDS.items():
        verb = verbs.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if name == chosen:
            module = _module(name)
            module.arguments(verb)
            _share_examples(verb)
            verb.set_defaults(run=module.run)
    return parser


def _share_examples(verb: argparse.ArgumentParser) -> None:
    """Subcommands end their help with the command's examples."""
    parts = (each for each in verb._actions if isinstance(each, argparse._SubParsersAction))
    for part in (each for found in parts for each in found.choices.values()):
        if "example" not in (part.epilog or ""):
            part.epilog = "\n".join(text for text in (part.epilog, verb.epilog) if text)
        _share_examples(part)


def run(arguments: Sequence[str] | None = None) -> None:
    """The entry point of the console script."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    for stream, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:  # closed; the next file that is opened would be it
            setattr(sys, stream, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without a ±; files are bytes
    warnings.showwarning = _in_one_line
    if "play" in words:  # a closing terminal must not end the imports; play handles it
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.exit(main(words))


def _in_one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"sixprime: {message}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    """Run one command; every expected failure is one line on stderr."""
    chosen = next((word for word in arguments if word in COMMANDS), "")
    name = f"sixprime {chosen}".rstrip()
    try:
        code = _run(arguments, chosen)
        sys.stdout.flush()  # report a full disk here, not when Python exits
    except UsageError as error:
        if "--debug" in arguments:
            raise
        print(f"{name}: {in_one_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `sixprime ... | head`
        discard(sys.stdout)
        return 0
    except Exception as error:  # the last line of defence: no traceback for users
        if "--debug" in arguments:
            raise
        kind = f"{type(error).__name__}: " if isinstance(error, ValueError) else ""
        print(f"{name}: {kind}{in_one_line(_reason(error))}", file=sys.stderr)
        if isinstance(error, OSError):
            discard(sys.stdout)
        return 1
    return code


def _run(arguments: list[str], chosen: str) -> int:
    if not arguments:
        print(BEGIN, end="")
        return 0
    words = [f"XGID={word}" if _BARE_XGID.match(word) else word for word in arguments]
    options = build_parser(chosen).parse_args(words)
    return int(options.run(options))


_BARE_XGID = re.compile(r"-[-A-Pa-p]{25}:")  # argparse would take it for an option


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"sixprime.bot.cli.{COMMANDS[name][0]}")
