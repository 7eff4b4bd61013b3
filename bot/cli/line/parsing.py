"""Parses words by the declared commands, with argparse, and writes help."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from sixprime.bot.cli.line.command import HELP, OneOf, Option, Part, ShellCommand
from sixprime.bot.cli.line.errors import in_one_line
from sixprime.bot.cli.line.values import text
from sixprime.engine.system.errors import nearest

FEW = 10  # choices that an error lists
_NO_VALUE = re.compile(r"(--[a-z-]+)=--")  # argparse would make a list of nothing of it


class Parser(argparse.ArgumentParser):
    """A parser of argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the fault, and exit with 2."""
        print(f"{self.prog}: {in_one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(2)


class _Help(argparse.Action):
    """`--help`; unlike argparse's own, it fails where the disk is full."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(parser.format_help(), end="", flush=True)
        parser.exit()


class _Version(argparse.Action):
    """`--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from sixprime.bot.process.release import build, installed  # importlib.metadata is slow

        print(f"sixprime {installed()}\n{build()}", flush=True)
        parser.exit()


_ACTIONS = {"help": _Help, "version": _Version}


def parse(words: Sequence[str], top: ShellCommand) -> tuple[ShellCommand, argparse.Namespace]:
    """Return the command that the words name, and its options; exit with 2 if they are wrong."""
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    command, path, examples = top, list[str](), ""
    while command.parts:
        parser = parser_of(path, command, examples)
        leading = list(takewhile(lambda word: word.startswith("-"), words))
        parser.parse_args(leading)
        if len(leading) == len(words):
            parser.error(f"the following arguments are required: {command.word}")
        name = words[len(leading)]
        known = {part.name: part for part in command.parts}
        if name not in known:
            parser.error(f"argument {command.word}: {_no_such(name, known)}")
        examples = epilog_of(command, examples)
        command, words = known[name], words[len(leading) + 1 :]
        path.append(name)
    parser = parser_of(path, command, examples)
    for word in words:
        if found := _NO_VALUE.fullmatch(word):
            parser.error(f"argument {found[1]}: expected one argument")
    words = list(_renewed(words, command, parser.prog))
    return command, parser.parse_args(words, argparse.Namespace(words=tuple(path)))


def _renewed(words: Sequence[str], command: ShellCommand, name: str) -> Iterator[str]:
    """Yield the words with the new names of options; say so on stderr for each old one."""
    now = {option.old: option.names[0] for option in command.flags if option.old}
    options = len(list(takewhile(lambda word: word != "--", words)))
    for place, word in enumerate(words):
        old, sign, value = word.partition("=")
        if place < options and old in now:
            print(f"{name}: {old} is now {now[old]}", file=sys.stderr)
            word = f"{now[old]}{sign}{value}"
        yield word


def parser_of(path: Sequence[str], command: ShellCommand, above: str = "") -> Parser:
    """The parser of a command by its words; `above` are the examples of the command above."""
    width = shutil.get_terminal_size().columns - 2  # as argparse counts
    parser = Parser(
        prog=" ".join(("sixprime", *path)),
        description=wrapped(command.description, width),
        epilog=wrapped(epilog_of(command, above), width),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _declare(parser, (HELP, *command.options), width)
    if command.parts:
        shown = " ".join(f"[{option.names[0]}]" for option in command.flags)
        parser.usage = f"{parser.prog} {shown} {command.word} ..."
        for heading, parts in command.groups.items():
            group = parser.add_argument_group(heading)
            for part in parts:
                group.add_argument(part.name, nargs="?", help=_escaped(part.line))  # only shown
    return parser


def epilog_of(command: ShellCommand, above: str = "") -> str:
    """Join examples and notes; a part without examples shows `above`, its command's own."""
    lines = command.examples.strip().splitlines()
    if len(lines) == 1:
        lines = [f"example: {lines[0]}"]
    elif lines:
        lines = ["examples:", *(f"  {line}" for line in lines)]
    if command.notes:
        lines += [*([""] if len(lines) > 1 else []), *command.notes.strip().splitlines()]
    if not command.examples and above:
        lines.append(above)
    return "\n".join(lines)


def wrapped(prose: str, width: int) -> str:
    """Wrap paragraphs to the width, and leave examples alone."""
    return "\n".join(
        line
        if line.startswith((" ", "example"))
        else textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in prose.splitlines()
    )


def _declare(container: Any, parts: Iterable[Part], width: int) -> None:
    for part in parts:
        if isinstance(part, Option):
            container.add_argument(*part.names, **_settings(part))
        elif isinstance(part, OneOf):
            _declare(container.add_mutually_exclusive_group(), part.options, width)
        else:
            about = wrapped(part.about, width - 2) or None  # argparse indents it
            _declare(container.add_argument_group(part.title, about), part.options, width)


def _settings(option: Option) -> dict[str, Any]:
    """The arguments of argparse's `add_argument`."""
    found: dict[str, Any] = {"help": _escaped(option.help), "default": option.default}
    if option.action in _ACTIONS:
        return found | {"action": _ACTIONS[option.action], "nargs": 0}
    if option.action != "store":
        found["action"] = option.action
    if option.takes_value:
        found |= {"type": _reader(option), "nargs": option.nargs}
        found["metavar"] = option.metavar or f"{{{','.join(map(str, option.choices))}}}"
    if option.dest:
        found["dest"] = option.dest
    if option.required:
        found["required"] = True
    return found


def _reader(option: Option) -> Callable[[str], Any]:
    """Read a word as the option's value.

    An empty word would be the working folder as a file, and the default as a name. Python reads
    `1_0` and the digits of other scripts as numbers, which are slips of the hand.
    """

    def read(word: str) -> Any:
        if not word and option.kind is not text:
            raise argparse.ArgumentTypeError("'' names nothing")
        value = option.kind(word)
        if isinstance(value, int | float) and ("_" in word or not word.isascii()):
            raise argparse.ArgumentTypeError(f"invalid number: {word!r}")
        if option.choices and value not in option.choices:
            raise argparse.ArgumentTypeError(_no_such(word, option.choices))
        return value

    read.__name__ = option.kind.__name__  # for argparse's "invalid int value"
    return read


def _no_such(word: str, known: Iterable[object]) -> str:
    """Say that there is no such choice, with the nearest, or with all if they are few."""
    names = list(map(str, known))
    near = nearest(word, names)
    if near or len(names) > FEW:
        return f"no {word!r}{near}"
    return f"invalid choice: {word!r} (choose from {', '.join(map(repr, names))})"


def _escaped(help_text: str) -> str:
    return help_text.replace("%", "%%")
