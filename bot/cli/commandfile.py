"""`sixprime run`: files of commands, a line each, as typed after `sixprime`."""

from __future__ import annotations

import io
import shlex
import sys
from argparse import Namespace

from sixprime.bot.cli.files import data_of
from sixprime.bot.cli.line.errors import UsageError, in_one_line, refusing
from sixprime.bot.cli.line.top import COMMANDS
from sixprime.bot.cli.main import main
from sixprime.protocols.formats.record import decode, split_lines

_INTERRUPTED = 130  # exit code of a command that Ctrl-C ended


def run_file(options: Namespace) -> int:
    """Run the lines in their order; return the exit code of the first that fails, or 0."""
    with refusing(OSError, at=options.file):
        lines = split_lines(decode(data_of(options.file)))
    commands = {number: _checked(line, number, options) for number, line in enumerate(lines, 1)}
    result = 0
    for number, words in commands.items():
        code = _exit_code(words) if words else 0
        if code:
            place, typed = f"{options.file}: line {number}", shlex.join(words)
            said = in_one_line(f"{place}: exit code {code} from: {typed}")
            print(f"sixprime run: {said}", file=sys.stderr)
            result = result or code
        if code == _INTERRUPTED or (code and not options.keep_going):
            return code
    return result


def command(line: str) -> int:
    """Run a line of a command file, and return its exit code; ValueError if a quote is open."""
    return _exit_code(words_of(line))


def words_of(line: str) -> list[str]:
    """Return the words of a line, with a shell's quotes and comments; ValueError."""
    text = io.StringIO(line)
    lexer = shlex.shlex(text, posix=True)  # reads one blank beyond a word
    lexer.whitespace_split, lexer.commenters = True, ""  # its comments begin within words too
    words: list[str] = []
    while not line[text.tell() :].lstrip(lexer.whitespace).startswith("#"):
        word = lexer.get_token()
        if word is None:
            break
        words.append(word)
    return words


def _checked(line: str, number: int, options: Namespace) -> list[str]:
    """Return the words of a line; UsageError before anything runs if it can never run."""
    place = f"{options.file}: line {number}"
    with refusing(ValueError, at=place):
        words = words_of(line)
    name = next((word for word in words if not word.startswith("-")), "")
    if name in COMMANDS and COMMANDS[name].alone:
        raise UsageError(f"{place}: {name} cannot be in a command file: {COMMANDS[name].alone}")
    return words


def _exit_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as error:  # of the parser
        return int(error.code or 0)
