"""Completions are asked of the shells, man pages of groff."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.shared import FILTERS, LEVELS, READABLE, TABLES
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.bot.cli.operator.man import page
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.matchequity import names
from sixprime.engine.search.plies import FILTERS as MOVE_FILTERS
from sixprime.protocols.readers import READERS
from tests.support.places import ROOT

BASH = """
source {script}
COMP_WORDS=({line} "{word}")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_sixprime
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "source {script}; complete -C '{line} {word}'"


@pytest.fixture(params=["bash", "fish"])
def shell(request: pytest.FixtureRequest) -> str:
    shell = str(request.param)
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}, which is not installed")
    return shell


def script_for(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completions", shell]) == 0
    script = tmp_path / f"sixprime.{shell}"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    return script


@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [
        ("sixprime", "hi", {"hint"}),
        ("sixprime", "arch", {"archive"}),
        ("sixprime archive", "import", {"import"}),
        ("sixprime hint", "--lev", {"--level", "--levels-file"}),
        ("sixprime completions", "fi", {"fish"}),
        ("sixprime --debug archive export", "--pla", {"--played-at", "--player"}),
        ("sixprime archive list --result", "wo", {"won"}),
        ("sixprime hint --level", "gr", {"grandmaster"}),
        ("sixprime met show", "wool", {"woolsey"}),
        ("sixprime convert --from", "bgr", {"bgroom"}),
        ("sixprime play --profile", "ann", {"anna"}),
    ],
)
def test_a_shell_offers_what_can_follow(
    shell: str,
    line: str,
    word: str,
    offered: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sixprime.yaml").write_text(
        "account: {user: me}\nprofiles: {anna: {}, ben: {account: {user: b}}}\n"
    )
    (tmp_path / "sixprime").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m sixprime "$@"\n')
    (tmp_path / "sixprime").chmod(0o755)
    program = {"bash": BASH, "fish": FISH}[shell]
    words = program.format(script=script_for(shell, tmp_path, capsys), line=line, word=word)
    run = subprocess.run(
        [shell, "-c", words], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert {each.split("\t")[0] for each in run.stdout.splitlines()} == offered, run.stderr


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh, which is not installed")
def test_zsh_reads_its_completions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = script_for("zsh", tmp_path, capsys)
    run = subprocess.run(["zsh", "-n", script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_command_has_a_page(tmp_path: Path) -> None:
    assert main(["man", "--out", str(tmp_path)]) == 0
    assert {f"sixprime-{name}.1" for name in COMMANDS} < {each.name for each in tmp_path.iterdir()}


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff, which is not installed")
def test_groff_finds_nothing_to_warn_of() -> None:
    pages = "".join(page(*each) for each in every_command(SIXPRIME))
    groff = ["groff", "-man", "-ww", "-z", "-Tutf8"]
    run = subprocess.run(groff, input=pages, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_page_of_no_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", "hunt"]) == 2
    assert "no command 'hunt'" in capsys.readouterr().err


def test_shells_offer_the_names_that_there_are() -> None:
    assert tuple(PRESETS) == LEVELS
    assert names() == TABLES
    assert tuple(MOVE_FILTERS) == FILTERS
    assert tuple(reader.name for reader in READERS) == READABLE


def test_the_page_of_all_commands_is_written_from_their_declarations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["man", "--list"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/commands.md").read_text(encoding="utf-8")
