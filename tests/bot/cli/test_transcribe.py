"""`sixprime transcribe`: lines of a match survive a kill, are archived, and gnubg reads it."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.bot.transcribing.handmatch import Asks
from sixprime.bot.transcribing.sheet import EntrySheet
from sixprime.protocols.formats.record import Match, Turn
from sixprime.protocols.formats.sgf.match import read_sgf, write_sgf
from tests.support.gnubg.program import typed
from tests.support.handwritten import LIVE, fields_of, next_entry
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import CHROMIUM, Served, browsing

TURNS = 60
HEAD = ["# notes of an evening", "players Anna, Ben", "match 7", "event Cup", "date 2026-05-01"]


@pytest.fixture(scope="module", autouse=True)
def _no_browser_outlives_its_module() -> Iterator[None]:
    """Its loop would run below every later test that has one of its own."""
    yield
    CHROMIUM.close()


def lines_of_a_match(seed: int) -> tuple[list[str], Match]:
    """A match of 60 turns and more, with illegal plays and turns taken back, and its record."""
    chance, sheet, lines = random.Random(seed), EntrySheet(), list(HEAD)
    for line in HEAD:
        sheet.write(line)
    assert sheet.match is not None
    while sheet.match.asks is not Asks.KEEPING:
        if len(lines) % 20 == 19 and sheet.match.asks is Asks.ROLL:
            lines.append("undo 2")
        else:
            lines.append(next_entry(sheet.match, chance, illegal=0.04))
        sheet.write(lines[-1])
    turns = [turn for game in sheet.record.games for turn in game.actions if isinstance(turn, Turn)]
    assert len(turns) >= TURNS
    assert any(turn.illegal for turn in turns)
    assert "undo 2" in lines
    return lines, sheet.record


def archived(folder: Path) -> list[Match]:
    place = f"sqlite:///{folder / 'archive.db'}"
    archive = Archive(ArchiveSettings(database=place, folder=None))
    try:
        return [archive.match(row.id) for row in archive.rows()]
    finally:
        archive.close()


def enter(folder: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, *more: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return main(["transcribe", *more, "--database", f"sqlite:///{folder / 'archive.db'}"])


@pytest.mark.patient
def test_a_match_survives_a_kill_in_its_middle(tmp_path: Path) -> None:
    lines, record = lines_of_a_match(9)
    file, out = tmp_path / "final.txt", tmp_path / "final.sgf"
    words = [sys.executable, "-m", "sixprime", "transcribe", str(file), "--out", str(out)]
    words += ["--database", f"sqlite:///{tmp_path / 'archive.db'}"]
    half = len(lines) // 2
    with subprocess.Popen(words, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write("".join(f"{line}\n" for line in lines[:half]))
        process.stdin.flush()
        while not file.exists() or file.read_text().count("\n") < half:
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    rest = "".join(f"{line}\n" for line in lines[half:])
    subprocess.run(words, input=rest, text=True, check=True)
    assert file.read_text().splitlines() == lines
    assert archived(tmp_path) == [record]
    (again,) = read_sgf(out.read_text()).matches
    assert again.score == record.score


@pytest.mark.gnubg
def test_gnubg_reads_what_was_transcribed(tmp_path: Path) -> None:
    for seed in (9, 17, 37):
        _, record = lines_of_a_match(seed)
        check_in_gnubg(record, tmp_path)


def check_in_gnubg(record: Match, folder: Path) -> None:
    """Gnubg loads it, and exports the same games and results."""
    (folder / "ours.sgf").write_text(write_sgf(record))
    said = typed("load match ours.sgf\nsave match theirs.sgf\n", folder)
    assert "rror" not in said
    (theirs,) = read_sgf((folder / "theirs.sgf").read_text()).matches
    assert [(game.score, game.result) for game in theirs.games] == [
        (game.score, game.result) for game in record.games
    ]
    assert [plays_of(theirs), theirs.event] == [plays_of(record), "Cup"]


def plays_of(match: Match) -> list[tuple[int, list[int], list[tuple[int, int]]]]:
    return [
        (turn.seat, sorted(turn.dice), sorted(turn.play or ()))
        for game in match.games
        for turn in game.actions
        if isinstance(turn, Turn)
    ]


def test_a_text_is_read_archived_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, record = lines_of_a_match(4)
    out = tmp_path / "out.mat"
    assert enter(tmp_path, lines, monkeypatch, "--out", str(out)) == 0
    assert archived(tmp_path) == [record]
    assert "7 point match" in out.read_text()
    assert enter(tmp_path, lines, monkeypatch) == 0
    assert capsys.readouterr().out.endswith("already archived\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("31: 8/3", "line 3: 8/3 cannot be made with 3 and 1. `!` behind the play"),
        ("hello", "line 3: hello is no entry"),
        ("take", "line 3: Enter the dice of the opening first"),
        ("undo", "line 3: There is nothing to take back"),
        ("33", "line 3: Equal dice"),
        ("match 5", ""),
    ],
)
def test_a_text_ends_at_its_first_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    line: str, why: str,
) -> None:  # fmt: skip
    file = tmp_path / "notes.txt"
    code = enter(tmp_path, ["players a, b", "match 3", line], monkeypatch, str(file))
    error = capsys.readouterr().err
    assert (code, error.startswith(f"sixprime transcribe: {why}")) == (
        (2, True) if why else (0, False)
    )
    assert line in file.read_text().splitlines() or why


@pytest.mark.slow
@needs_chromium
def test_the_same_match_is_entered_in_the_browser_with_a_kill_in_its_middle(
    tmp_path: Path,
) -> None:
    lines, record = lines_of_a_match(9)
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play")
        page.click("#live summary")
        for name in ("name", "other", "event", "date"):
            page.fill(f"#live input[name={name}]", LIVE[name])
        page.click("#live button")
        page.wait_for_selector("#table[data-shown]")
        key = page.url.rpartition("/")[2]
        entered = lines[len(HEAD) :]
        for number, line in enumerate(entered):
            if number == len(entered) // 2:
                before = served.store.open_match(key)
                served.kill()
                served.start()
                assert served.store.open_match(key) == before
            for deed, fields in deeds_of(line, served, key):
                post = f"""async ([deed, fields]) => {{
                    const page = await (await fetch(location.pathname)).text();
                    const token = /name="token" value="([^"]+)"/.exec(page)[1];
                    const body = new URLSearchParams({{ ...fields, token }});
                    return (await fetch("/play/{key}/" + deed, {{ method: "POST", body }})).status;
                }}"""
                assert page.evaluate(post, [deed, fields]) == 200, (line, deed)
        page.goto(f"{served.url}/play/{key}")
        page.wait_for_selector("#table[data-shown]")
        person.acts(lambda: page.click("button[data-deed=finish]"))
        assert "The match is over" in page.inner_text("#says")
    (kept,) = archived(tmp_path)
    assert (kept.games, kept.players, kept.event) == (record.games, record.players, "Cup")


def deeds_of(line: str, served: Served, key: str) -> list[tuple[str, dict[str, str]]]:
    """The deeds of the page for a line."""
    if line != "undo 2":
        deed, fields = fields_of(line)
        if line.isdigit() and _dances(line, served, key):
            return [(deed, fields), ("confirm", {})]
        return [(deed, fields)]
    match = served.store.open_match(key)
    before = match.taken_back
    match.take_turn_back()
    match.take_turn_back()
    return [("back", {})] * (match.taken_back - before)


def _dances(line: str, served: Served, key: str) -> bool:
    match = served.store.open_match(key)
    match.enter((int(line[0]), int(line[1])))
    return match.may_confirm
