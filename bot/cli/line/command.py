"""Commands and options as values: help, completions and manual pages are views of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sixprime.bot.cli.line.values import at_least


@dataclass(frozen=True, slots=True)
class Option:
    """An option, or an argument, whose name has no dash."""

    names: tuple[str, ...]
    help: str = ""
    kind: Callable[[str], Any] = str
    metavar: str | tuple[str, ...] = ""
    default: Any = None
    choices: tuple[Any, ...] = ()  # other words are refused
    offers: str | tuple[str, ...] = ()  # words that shells complete, or the list of such words
    nargs: str | int | None = None
    action: str = "store"
    required: bool = False
    dest: str = ""
    old: str = ""  # its former name, which works until the next release

    @property
    def is_argument(self) -> bool:
        return not self.names[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        return self.action not in ("store_true", "help", "version")

    @property
    def value(self) -> str:
        """Its value as help shows it."""
        if isinstance(self.metavar, tuple):
            return " ".join(self.metavar)
        word = self.metavar or f"{{{','.join(map(str, self.choices))}}}"
        shown = {"?": f"[{word}]", "*": f"[{word} ...]", "+": f"{word} [{word} ...]"}
        return shown.get(str(self.nargs), word) if self.takes_value else ""

    @property
    def title(self) -> str:
        """Its names and value, as a manual page shows them."""
        return self.value if self.is_argument else f"{', '.join(self.names)} {self.value}".strip()


HELP = Option(("-h", "--help"), "show this help and exit", action="help")


@dataclass(frozen=True, slots=True)
class OneOf:
    """Options that exclude each other."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Options under a heading of their own."""

    title: str
    options: tuple[Option | OneOf, ...]
    about: str = ""


Part = Option | OneOf | Group


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command with its options, or with commands of its own."""

    name: str
    line: str  # of a list of commands
    work: str = ""  # module below bot/cli and function: "engine.hint:show_hint"
    options: tuple[Part, ...] = ()
    groups: Mapping[str, tuple[ShellCommand, ...]] = field(default_factory=dict)  # by heading
    examples: str = ""  # one a line
    notes: str = ""  # paragraphs, one a line
    about: str = ""  # instead of the line, in its own help
    word: str = "VERB"  # for one of its parts
    needs: tuple[str, str] | None = None  # a library, and the extra that installs it
    remark: str = ""  # in the list of all commands
    alone: str = ""  # the reason why it cannot be in a command file

    @property
    def description(self) -> str:
        return self.about or f"{self.line[0].upper()}{self.line[1:]}."

    @property
    def parts(self) -> list[ShellCommand]:
        return [part for parts in self.groups.values() for part in parts]

    @property
    def arguments(self) -> list[Option]:
        return [option for option in each_option(self.options) if option.is_argument]

    @property
    def flags(self) -> list[Option]:
        """Its options, which begin with a dash."""
        options = each_option((HELP, *self.options))
        return [option for option in options if not option.is_argument]


def each_option(parts: tuple[Part, ...]) -> Iterator[Option]:
    """Yield the options, inside groups too."""
    for part in parts:
        if isinstance(part, Option):
            yield part
        else:
            yield from each_option(part.options)


def verbs(*parts: ShellCommand) -> Mapping[str, tuple[ShellCommand, ...]]:
    """The parts of a command under their usual heading."""
    return {"verbs": parts}


def every_command(
    command: ShellCommand, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], ShellCommand]]:
    """Yield the command and all below it, each with its words after `sixprime`."""
    yield words, command
    for part in command.parts:
        yield from every_command(part, (*words, part.name))


# --- the usual kinds of options


def argument(name: str, metavar: str, text: str = "", **more: Any) -> Option:
    """An argument, which is known by its place."""
    return Option((name,), text, metavar=metavar, **more)


def flag(name: str, text: str, old: str = "") -> Option:
    """An option without a value."""
    return Option((name,), text, action="store_true", default=False, old=old)


def option(
    names: str,
    metavar: str | tuple[str, ...],
    text: str = "",
    kind: Callable[[str], Any] = str,
    **more: Any,
) -> Option:
    """An option with a value; several names stand in one word, with spaces."""
    return Option(tuple(names.split()), text, kind, metavar, **more)


def choice(name: str, choices: tuple[str, ...], text: str = "", **more: Any) -> Option:
    """An option or argument that takes one of these words."""
    return Option((name,), text, choices=choices, **more)


def number(
    name: str, default: float, text: str = "", metavar: str = "N", least: float = 0, old: str = ""
) -> Option:
    """An option with a number of the same type as its default."""
    kind = at_least(least, type(default))
    return Option((name,), text or f"default {default}", kind, metavar, default, old=old)


def file(
    names: str, text: str, metavar: str = "FILE", kind: Callable[[str], Any] = Path, **more: Any
) -> Option:
    """An option with the name of a file."""
    return option(names, metavar, text, kind, **more)
