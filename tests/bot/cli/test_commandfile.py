"""`sixprime run`: the lines of a command file."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime
from sixprime.bot.cli.commandfile import words_of
from sixprime.bot.cli.line.parsing import epilog_of, parse
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.cli.main import main
from tests.support.places import INTEROP

SCORE, ITS_SHARE = "met score 3-5 7", "33.13"  # as docs/gnubg.md has it
OTHER, OTHERS_SHARE = "met score 5-3 7", "66.87"
BROKEN = "met score 9-9 7"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run `commands.txt` with this content."""
    monkeypatch.chdir(tmp_path)

    def run(text: str | bytes, *options: str) -> int:
        data = text.encode() if isinstance(text, str) else text
        Path("commands.txt").write_bytes(data)
        return main(["run", "commands.txt", *options])

    return run


def test_lines_run_in_their_order(run: Callable[..., int], capsys: Capture) -> None:
    lines = f"\ufeff# a test\r\n\r\n{SCORE}  # mine\r\n   {OTHER}\r\nmet list --help"
    assert run(lines) == 0
    said = capsys.readouterr()
    assert re.search(f"(?s){ITS_SHARE}.*{OTHERS_SHARE}.*usage: sixprime met list", said.out)
    assert said.err == ""


def test_quotes_are_those_of_a_shell(run: Callable[..., int]) -> None:
    match = INTEROP / "oldmoves-2games.sgf"
    assert run(f"convert {match} 'a match #1.mat'\nconvert {match} b#2.mat\n") == 0
    assert {path.name for path in Path().glob("*.mat")} == {"a match #1.mat", "b#2.mat"}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [(BROKEN, 2), ("hnit", 2), ("met score 3-5", 2), ("analyse none.sgf nor.sgf", 1)],
)
def test_the_first_failure_ends_the_run_and_is_named(
    wrong: str, code: int, run: Callable[..., int], capsys: Capture
) -> None:
    assert run(f"\n{SCORE}\n{wrong}\n{OTHER}\n") == code
    said = capsys.readouterr()
    assert ITS_SHARE in said.out
    assert OTHERS_SHARE not in said.out
    last = said.err.splitlines()[-1]
    assert last.startswith("sixprime run: commands.txt: line 3: exit code ")
    assert last.endswith(f" from: {wrong}")


def test_a_run_may_go_on_after_failures(run: Callable[..., int], capsys: Capture) -> None:
    assert run(f"analyse no.sgf nor.sgf\n{SCORE}\nhnit\n{OTHER}\n", "--keep-going") == 1
    said = capsys.readouterr()
    assert ITS_SHARE in said.out
    assert OTHERS_SHARE in said.out
    assert re.findall(r"^sixprime run: commands.txt: (line \d)", said.err, re.MULTILINE) == [
        "line 1",
        "line 3",
    ]


def test_ctrl_c_ends_the_run_even_if_it_may_go_on(
    run: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sixprime.bot.cli.engine.met.list_tables", interrupted)
    assert run(f"met list\n{SCORE}\n", "--keep-going") == 130
    assert capsys.readouterr().out == ""


def test_commands_without_an_end_are_refused_before_anything_runs(
    run: Callable[..., int], capsys: Capture
) -> None:
    alone = [name for name, command in COMMANDS.items() if command.alone]
    assert sorted(alone) == ["external", "play", "run", "sandbox", "web"]
    for name in alone:
        assert run(f"{SCORE}\n\n--debug {name} x\n", "--keep-going") == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith(
            f"sixprime run: commands.txt: line 3: {name} cannot be in a command file: it "
        )


def test_an_open_quote_is_refused_before_anything_runs(
    run: Callable[..., int], capsys: Capture
) -> None:
    assert run(f"{SCORE}\nconvert 'a b.sgf c.mat\n") == 2
    assert capsys.readouterr() == ("", "sixprime run: commands.txt: line 2: No closing quotation\n")


def test_a_file_that_is_missing_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", str(tmp_path / "none.txt")]) == 2
    assert f"{tmp_path}/none.txt: No such file" in capsys.readouterr().err


def test_commands_come_from_standard_input_too_and_none_reads_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    text = io.BytesIO(f"decide\n{SCORE}\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(text))
    assert main(["run", "-"]) == 0
    assert ITS_SHARE in capsys.readouterr().out


def test_python_runs_a_line(capsys: Capture) -> None:
    assert sixprime.command(f"{SCORE}  # mine") == 0
    assert ITS_SHARE in capsys.readouterr().out
    assert sixprime.command("hnit") == 2
    with pytest.raises(ValueError, match="No closing quotation"):
        sixprime.command("hint '")


def test_the_file_in_the_help_holds_commands() -> None:
    lines = re.findall(r"^  (?!sixprime )(.+)", epilog_of(COMMANDS["run"]), re.MULTILINE)
    commands = [words for line in lines if (words := words_of(line))]
    assert len(commands) == 3
    for words in commands:
        parse(words, SIXPRIME)


LINES = [
    "a  b\tc",
    "a # b",
    "# a",
    "a#b #c",
    "'#a' \"#b\" \\#c",
    "'a b'c\"d e\" ''",
    "a \"it's\" '\"'",
    "a\\ b \\\\ 'c\\d'",
    '"a\\"b" # it\'s',
    "é 'ü ß'",
]


def test_words_are_those_of_bash() -> None:
    script = "\n".join(f"printf '%s\\0' {line}\necho" for line in LINES)
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True)
    # Without a word printf prints one empty one.
    theirs = [line.split("\0")[:-1] for line in said.stdout.splitlines()]
    assert [words_of(line) or [""] for line in LINES] == theirs


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))


@given(st.lists(TEXTS), TEXTS)
def test_quoted_words_come_back_whatever_the_comment(words: list[str], comment: str) -> None:
    assert words_of(shlex.join(words)) == words
    assert words_of(f"{shlex.join(words)} #{comment}") == words
