"""`sixprime man`: manual pages, generated from what `--help` says."""

from __future__ import annotations

import argparse
import re
import sys

from sixprime.bot.cli.declaring import file
from sixprime.bot.cli.everycommand import CommandPart, takes_value, verbs
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.process.printable import counted
from sixprime.engine.system.wholefiles import write_whole


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime man hint | man -l -\n         sixprime man --out ~/.local/share/man/man1"
    )
    parser.add_argument("command_words", nargs="*", metavar="COMMAND", help="whose page to print")
    file(parser, "--out", "write the pages of all commands into this folder", metavar="FOLDER")


def run(options: argparse.Namespace) -> int:
    pages = {verb.words: verb for verb in verbs()}
    if options.out is None:
        words = tuple(options.command_words)
        if words not in pages:
            raise UsageError(f"no command {' '.join(words)!r}")
        sys.stdout.write(page(pages[words]))
        return 0
    with refusing(OSError, at=options.out):
        options.out.mkdir(parents=True, exist_ok=True)
        for verb in pages.values():
            write_whole(options.out / f"{_name(verb)}.1", page(verb))
    print(f"{options.out}: {counted(len(pages), 'page')}")
    return 0


def page(verb: CommandPart) -> str:
    usage = verb.parser.format_usage().removeprefix("usage: ")
    parts = [
        f'.TH "{_name(verb).upper()}" 1 "" "sixprime" "Sixprime"',
        ".SH NAME",
        f"{_roff(_name(verb))} \\- {_roff(verb.line)}",
        ".SH SYNOPSIS",
        _roff(re.sub(r"\s+", " ", usage).strip()),
    ]
    if verb.parser.description:
        parts += [".SH DESCRIPTION", _roff(verb.parser.description)]
    if verb.parts:
        parts.append(".SH COMMANDS")
        for name, said in verb.parts.items():
            parts += [".TP", f".B {_roff(name)}", _roff(said)]
    shown = [each for each in verb.actions if not isinstance(each, argparse._SubParsersAction)]
    if shown:
        parts.append(".SH OPTIONS")
        for each in shown:
            parts += [".TP", f".B {_roff(_title(each, verb))}", _roff(_help(each, verb)) or "\\&"]
    if verb.parser.epilog:
        parts += [".SH EXAMPLES", ".nf", _roff(verb.parser.epilog), ".fi"]
    if verb.words:
        parts += [".SH SEE ALSO", "sixprime(1)"]
    return "\n".join(parts) + "\n"


def _name(verb: CommandPart) -> str:
    return "-".join(("sixprime", *verb.words))


def _title(action: argparse.Action, verb: CommandPart) -> str:
    """An option or argument with what follows it, as in the help."""
    if not action.option_strings:
        return str(action.metavar or action.dest)
    formatter = verb.parser._get_formatter()
    value = f" {formatter._format_args(action, action.dest.upper())}" if takes_value(action) else ""
    return ", ".join(action.option_strings) + value


def _help(action: argparse.Action, verb: CommandPart) -> str:
    return verb.parser._get_formatter()._expand_help(action) if action.help else ""


def _roff(text: str) -> str:
    """Escapes all that roff would take for a command."""
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    )
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in escaped.split("\n"))
