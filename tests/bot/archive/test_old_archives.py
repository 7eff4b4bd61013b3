"""What commit 6bea236 wrote is read today as it was read then."""

from __future__ import annotations

import datetime as dt
import json
import lzma
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from sixprime.bot.analysis.store import analysis_of
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import STEPS
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.eventjson import body_of
from sixprime.bot.matchlog.events import (
    Acted,
    GameOver,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
)
from sixprime.bot.sandbox.config import load_sandbox
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.settings.levels import load_levels
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.analysis.valuesjson import match_to_json
from sixprime.engine.position import Step
from sixprime.protocols.formats.record import BadRecord, Ending, GameResult, Turn
from sixprime.protocols.formats.recordjson import from_json, to_json
from tests.support.archive.earlier import lost, unanalysed
from tests.support.places import DATA

THEN = DATA / "6bea236"
SAID: dict[str, Any] = json.loads(lzma.decompress((THEN / "said.json.xz").read_bytes()))
MATCHES = sorted(SAID["records"])
KINDS = {
    *("MatchBegan", "GameBegan", "Acted", "Resigning", "GameOver"),
    *("MatchSaved", "MatchOver", "Recalled", "Rated", "Evidence"),
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The archive of then, before anybody has opened it."""
    path = tmp_path / "archive.db"
    path.write_bytes(lzma.decompress((THEN / "archive.db.xz").read_bytes()))
    return path


def settings_of(database: Path) -> ArchiveSettings:
    return ArchiveSettings(database=f"sqlite:///{database}", folder=None)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    return capsys.readouterr().out


INTERNAL = {"winner", "noted", "stem"}  # numbers of the database, which nobody is shown now


def words_of(text: str) -> list[list[str]]:
    """The words of each line, but 0.2 names UTC, and no unknown time."""
    known = text.replace("started (UTC)", "started", 1)
    known = known.replace(" 00:00 ", " ").replace("T00:00:00+00:00", "")
    return [line.split() for line in known.strip().splitlines()]


def test_an_archive_of_then_is_brought_up_to_date_and_keeps_what_it_holds(database: Path) -> None:
    def rows(table: str) -> list[Any]:
        with closing(sqlite3.connect(database)) as lite:
            return lite.execute(f"SELECT * FROM {table}").fetchall()

    tables = ("matches", "events", "wires", "strays", "analyses", "sources")
    before = {table: rows(table) for table in tables}
    assert all(before.values())
    assert {row[4] for row in before["events"]} == KINDS
    for _ in range(2):
        Archive(settings_of(database)).close()
        assert rows("sixprime_schema") == [(max(STEPS),)]
        assert {table: rows(table) for table in tables} == before


def test_an_archive_of_then_is_listed_shown_and_counted_as_then(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = ("--database", f"sqlite:///{database}")
    then = words_of(SAID["list"])
    now = words_of(said(capsys, "archive", "list", *source))
    assert [line[: len(old)] for line, old in zip(now, then, strict=True)] == then  # PR follows
    rows = json.loads(said(capsys, "archive", "list", "--json", *source))
    assert lost(SAID["rows"], rows) == []
    stats = json.loads(said(capsys, "archive", "stats", "--json", *source))
    assert lost(SAID["stats"], stats) == []
    for match in MATCHES:
        now = words_of(said(capsys, "archive", "show", match, *source))
        then = [line for line in words_of(SAID["show"][match]) if line[0] not in INTERNAL]
        assert [line for line in then if line not in now] == []
        assert said(capsys, "archive", "show", match, "--raw", *source) == SAID["raw"][match]
        shown = json.loads(said(capsys, "archive", "show", match, "--json", *source))
        assert shown["record"] == SAID["records"][match]


def test_an_archive_of_then_is_exported_as_then(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    said(capsys, "archive", "export", str(out), "--database", f"sqlite:///{database}")
    assert {path.suffix for path in out.iterdir()} == {".fibs", ".sgf", ".mat"}
    now = {path.name: path.read_text() for path in out.iterdir()}
    assert any("LU[" in text for text in now.values())  # SGF has the analyses, too, by now
    then = {name: unanalysed(name, text) for name, text in SAID["files"].items()}
    found = {name: unanalysed(name, text) for name, text in now.items()}
    # SGF has the experience beside the rating by now, as gnubg writes it
    assert {name: re.sub(r" \(Exp \d+\)\]", "]", text) for name, text in found.items()} == then


def test_files_exported_then_are_known_again_by_the_archive_of_then(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [name for name in SAID["files"] if "unfinished" not in name]
    for name in names:
        (tmp_path / name).write_text(SAID["files"][name])
    files = (str(tmp_path / name) for name in names)
    told = said(
        capsys, "archive", "import", *files, "--json", "--database", f"sqlite:///{database}"
    )
    expected = {"added": [], "skipped": len(names), "broken": {}}
    assert lost(expected, json.loads(told)) == []


def test_analyses_of_then_are_read(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    with closing(Archive(settings_of(database))) as archive:
        for match, expected in SAID["analyses"].items():
            analysis = analysis_of(archive, int(match), SAID["settings"])
            assert analysis is not None
            assert lost(expected, json.loads(json.dumps(match_to_json(analysis)))) == []
            source = ("--database", f"sqlite:///{database}")
            said(capsys, "archive", "show", match, "--html", str(page), *source)
            assert expected["level"] in page.read_text()


def test_events_and_records_are_written_as_then(database: Path) -> None:
    with closing(Archive(settings_of(database))) as archive:
        told = [each for row in archive.rows() for each in archive.events(row.id)]
        events = [body_of(each) for each in told if not isinstance(each, BadRecord)]
        assert len(events) == len(told)
    with closing(sqlite3.connect(database)) as lite:
        bodies = [row[0] for row in lite.execute("SELECT body FROM events")]
        records = [
            row[0] for row in lite.execute("SELECT record FROM matches WHERE record NOT NULL")
        ]
    assert sorted(events) == sorted(bodies)
    assert records
    assert [to_json(from_json(each)) for each in records] == records


def test_a_match_saved_then_is_ended_now_as_the_same_match(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Match 3, at 0-0 with one game dropped by our double's answer; here the server goes on."""
    with closing(LiveArchive(settings_of(database))) as archive:
        before = [each for each in archive.events(3) if not isinstance(each, BadRecord)]
        who, at = before[0].who, before[0].at + dt.timedelta(days=300)
        assert isinstance(before[-1], MatchSaved)
        known = len(archive.rows())
        unrated = PlayerRating()
        archive.note(MatchStarted(who, at, 2, True, (0, 1), unrated, unrated, "expert"))
        archive.note(GameStarted(who, at, (0, 1), crawford=True))
        archive.note(Acted(who, at, Turn(1, (3, 1), (Step(8, 5), Step(6, 5)))))
        archive.note(GameOver(who, at, GameResult(1, 1, Ending.RESIGNED), (0, 2)))
        archive.note(MatchOver(who, at, 1, (0, 2)))
        archive.finish(who)
        assert len(archive.rows()) == known
        assert list(archive.events(3))[: len(before)] == before
    source = ("--database", f"sqlite:///{database}")
    rows = json.loads(said(capsys, "archive", "list", "--json", *source))
    assert [row["state"] for row in rows if row["id"] == 3] == ["over"]
    record = json.loads(said(capsys, "archive", "show", "3", "--json", *source))["record"]
    assert [game["result"]["ending"] for game in record["games"]] == ["dropped", "resigned"]


@pytest.mark.parametrize("words", [("list",), ("stats",), ("show", "3")])
def test_an_archive_of_tomorrow_is_refused_in_one_line(
    words: tuple[str, ...], database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Archive(settings_of(database)).close()
    with closing(sqlite3.connect(database)) as lite:
        lite.execute("UPDATE sixprime_schema SET version = 99")
        lite.commit()
    before = database.read_bytes()
    assert main(["archive", *words, "--database", f"sqlite:///{database}"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "has version 99" in line
    assert "too old" in line
    assert database.read_bytes() == before


@pytest.mark.parametrize("name", ["fibs.yaml", "tigergammon.yaml"])
def test_settings_of_then_say_what_they_said(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(THEN / "config")  # beside them, their paths are what they were
    now = said(capsys, "config", "show", name)
    assert lost(yaml.safe_load(SAID["config"][name]), yaml.safe_load(now)) == []


def test_settings_of_the_sandbox_and_levels_of_then_are_read() -> None:
    sandbox = json.loads(load_sandbox(THEN / "config" / "sandbox.yaml").model_dump_json())
    assert lost(SAID["sandbox"], sandbox) == [".dialect.board_words: 'both', now None"]
    for word, missing in (("b", ("board",)), ("board", ("b",)), ("both", ())):
        assert Dialect.model_validate({"board_words": word}).missing == missing
    assert load_levels(THEN / "config" / "levels.yaml")
