"""All commands and their parts as argparse knows them, for completions and man pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from sixprime.bot.cli.main import COMMANDS, build_parser


@dataclass(frozen=True)
class CommandPart:
    words: tuple[str, ...]  # after `sixprime`
    line: str
    parser: argparse.ArgumentParser

    @property
    def actions(self) -> list[argparse.Action]:
        """Its options and arguments, except hidden ones."""
        return [each for each in self.parser._actions if each.help is not argparse.SUPPRESS]

    @property
    def parts(self) -> dict[str, str]:
        """Its subcommands, and what each does."""
        return {
            each.dest: each.help or ""
            for action in self.parser._actions
            if isinstance(action, argparse._SubParsersAction)
            for each in action._choices_actions
        }

    @property
    def options(self) -> list[argparse.Action]:
        """Those that begin with a dash."""
        return [each for each in self.actions if each.option_strings]


def verbs() -> list[CommandPart]:
    """`sixprime` and everything below it."""
    top = build_parser(None)
    commands = (_below((name,), line, build_parser(name)) for name, (_, line) in COMMANDS.items())
    return [
        CommandPart((), top.description or "", top),
        *(each for found in commands for each in found),
    ]


def _below(
    words: tuple[str, ...], line: str, parent: argparse.ArgumentParser
) -> Iterator[CommandPart]:
    for action in parent._actions:
        if isinstance(action, argparse._SubParsersAction):
            verb = CommandPart(words, line, action.choices[words[-1]])
            yield verb
            for part, said in verb.parts.items():
                yield from _below((*words, part), said, verb.parser)


def takes_value(action: argparse.Action) -> bool:
    """Does a word follow the option?"""
    return action.nargs != 0


def values(action: argparse.Action) -> list[str]:
    """Its choices, if it has any."""
    return [] if action.choices is None else [str(each) for each in action.choices]
