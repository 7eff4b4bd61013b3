"""`sixprime man`: manual pages and the list of all commands, written from the declared commands."""

from __future__ import annotations

import re
import sys
from argparse import Namespace

from sixprime.bot.cli.line.command import HELP, ShellCommand, each_option, every_command
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.line.parsing import epilog_of, parser_of
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.process.printable import counted
from sixprime.engine.system.wholefiles import write_whole

LIST = """\
# All commands

Each has `--help` with an example; `sixprime man` writes manual pages, `sixprime completions` \
completes in bash, zsh and fish.

to | commands
---|---
{rows}

[Installing](installing.md) says how an extra is installed.
"""


def print_pages(options: Namespace) -> int:
    """Print a page, or write all of them into a folder."""
    pages = {words: page(words, command) for words, command in every_command(SIXPRIME)}
    if options.list:
        sys.stdout.write(list_of_commands())
        return 0
    if options.out is None:
        words = tuple(options.command_words)
        if words not in pages:
            raise UsageError(f"no command {' '.join(words)!r}")
        sys.stdout.write(pages[words])
        return 0
    with refusing(OSError, at=options.out):
        options.out.mkdir(parents=True, exist_ok=True)
        for words, text in pages.items():
            write_whole(options.out / f"{_name(words)}.1", text)
    print(f"{options.out}: {counted(len(pages), 'page')}")
    return 0


def page(words: tuple[str, ...], command: ShellCommand) -> str:
    """The manual page of a command, in roff."""
    usage = parser_of(words, command).format_usage().removeprefix("usage: ")
    lines = [
        f'.TH "{_name(words).upper()}" 1 "" "sixprime" "Sixprime"',
        ".SH NAME",
        f"{_roff(_name(words))} \\- {_roff(command.line)}",
        ".SH SYNOPSIS",
        _roff(re.sub(r"\s+", " ", usage).strip()),
        ".SH DESCRIPTION",
        _roff(command.description),
    ]
    if command.parts:
        lines.append(".SH COMMANDS")
        for part in command.parts:
            lines += [".TP", f".B {_roff(part.name)}", _roff(part.line)]
    lines.append(".SH OPTIONS")
    for option in (HELP, *each_option(command.options)):
        lines += [".TP", f".B {_roff(option.title)}", _roff(option.help) or "\\&"]
    if epilog := epilog_of(command):
        lines += [".SH EXAMPLES", ".nf", _roff(epilog), ".fi"]
    if words:
        lines += [".SH SEE ALSO", "sixprime(1)"]
    return "\n".join(lines) + "\n"


def _name(words: tuple[str, ...]) -> str:
    return "-".join(("sixprime", *words))


def _roff(text: str) -> str:
    """Escape all that roff would take for a command."""
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    )
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in escaped.split("\n"))


def list_of_commands() -> str:
    """The page docs/commands.md."""
    rows = []
    for topic, commands in SIXPRIME.groups.items():
        named = (
            f"`sixprime {command.name}`{f' ({command.remark})' if command.remark else ''}"
            for command in commands
        )
        rows.append(f"{topic} | {', '.join(named)}")
    return LIST.format(rows="\n".join(rows))
