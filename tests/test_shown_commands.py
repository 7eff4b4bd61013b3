"""Every command that README.md and the pages of docs/ show is one that the program takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from tests.support.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SPAN = re.compile(rf"(?<!`)`(?:sixprime ([^`\n]+)|((?:{'|'.join(COMMANDS)}) [^`\n:]+))`(?!`)")
TYPED = re.compile(r"^(?:\$ )?sixprime ([^#\n&]+)", re.MULTILINE)
NAMED = ("arguments are required", "expected one argument")  # a sentence about the command


def shown_commands(page: str) -> list[list[str]]:
    """The words of commands in sentences, tables and transcripts, without `sixprime`."""
    blocks = re.findall(r"^```\n(.+?)^```", page.replace("\\\n", " "), re.MULTILINE | re.DOTALL)
    typed = [line for block in blocks for line in TYPED.findall(block)]
    return [shlex.split(line) for line in [*typed, *map("".join, SPAN.findall(page))]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_pages_are_taken(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in shown_commands(page.read_text(encoding="utf-8")):
        code: int | str | None = 0
        try:
            parse(words, SIXPRIME)
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr().err
        assert not code or any(name in said for name in NAMED), f"{' '.join(words)}: {said}"


def test_shown_commands_are_those_of_code_alone() -> None:
    page = (
        "`sixprime hint A`, `archive list --me`, `archive.folder: x`, `ls`\n"
        "```\n$ sixprime web \\\n  --port 1  # x\n```\n"
    )
    assert shown_commands(page) == [
        ["web", "--port", "1"],
        ["hint", "A"],
        ["archive", "list", "--me"],
    ]
