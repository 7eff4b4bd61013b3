"""Stored forms of b9b16e8 are read, and written again byte for byte; see tests/data/b9b16e8."""

from __future__ import annotations

import datetime as dt
import json
import lzma
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.analysis.store import analysis_of, packed, unpacked
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.eventjson import KINDS, body_of, event_of, kind_of
from sixprime.bot.matchlog.events import Who
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.bot.web.play.boardmatch import match_from_plain, match_to_plain
from sixprime.engine.analysis.valuesjson import figures_to_json
from sixprime.engine.codec import line_of
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.recordjson import from_json, to_json
from tests.support.archive.earlier import lost, unanalysed
from tests.support.places import DATA

THEN = DATA / "b9b16e8"
SAID: dict[str, Any] = json.loads(lzma.decompress((THEN / "said.json.xz").read_bytes()))
ANSWERS: dict[str, list[Any]] = json.loads(
    lzma.decompress((THEN / "answers.json.xz").read_bytes()),
    parse_float=lambda text: round(float(text), 9),
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "archive.db"
    path.write_bytes(lzma.decompress((THEN / "archive.db.xz").read_bytes()))
    return path


@pytest.fixture
def archive(database: Path) -> Iterator[Archive]:
    with closing(Archive(ArchiveSettings(database=f"sqlite:///{database}", folder=None))) as opened:
        yield opened


def rows(database: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as lite:
        return lite.execute(query).fetchall()


def test_events_are_written_byte_for_byte(database: Path, archive: Archive) -> None:
    stored = rows(database, "SELECT kind, body FROM events ORDER BY match_id, number")
    assert {kind for kind, _ in stored} == set(KINDS) - {"Sending"}
    told = [each for row in archive.rows() for each in archive.events(row.id)]
    events = [each for each in told if not isinstance(each, BadRecord)]
    assert sorted((kind_of(each), body_of(each)) for each in events) == sorted(stored)


def test_records_are_written_byte_for_byte(database: Path) -> None:
    stored = rows(database, "SELECT record FROM matches WHERE record NOT NULL")
    assert stored
    assert [(to_json(from_json(record)),) for (record,) in stored] == stored


def test_analyses_are_written_byte_for_byte(database: Path) -> None:
    stored = rows(database, "SELECT summary, body FROM analyses")
    assert len(stored) == 3
    for summary, body in stored:
        again = packed(unpacked(body))
        assert zlib.decompress(again.body) == zlib.decompress(body)
        assert again.summary == summary


def test_a_saved_board_match_is_written_as_it_was() -> None:
    match = match_from_plain(SAID["board"])
    assert match.record.players[0].name == "Zoë"
    assert match.begun
    plain = match_to_plain(match)  # fields may be added
    assert line_of({name: plain[name] for name in SAID["board"]}) == line_of(SAID["board"])


def test_analyses_have_the_figures_that_they_had(archive: Archive) -> None:
    for match, figures in SAID["figures"].items():
        analysis = analysis_of(archive, int(match), SAID["settings"])
        assert analysis is not None
        now, then = (
            json.loads(json.dumps(each), parse_float=lambda number: round(float(number), 9))
            for each in (figures_to_json(analysis), figures)
        )
        assert now == then


def test_the_archive_says_what_it_said(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(verb: str, *words: str) -> str:
        assert main(["archive", verb, *words, "--database", f"sqlite:///{database}"]) == 0
        return capsys.readouterr().out

    assert lost(SAID["rows"], json.loads(said("list", "--json"))) == []
    assert lost(SAID["stats"], json.loads(said("stats", "--json"))) == []
    for match, record in SAID["records"].items():
        assert json.loads(said("show", match, "--json"))["record"] == record
        assert said("show", match, "--raw") == SAID["raw"][match]
    carried = (row["id"] for row in SAID["rows"] if row["opponent"] != "dora")
    out = tmp_path / "out"
    said("export", str(out), *(word for each in carried for word in ("--match", str(each))))
    now = {path.name: unanalysed(path.name, path.read_text()) for path in out.iterdir()}
    assert now == {name: unanalysed(name, text) for name, text in SAID["files"].items()}


@pytest.mark.parametrize("words", ANSWERS)
def test_questions_about_many_matches_are_answered_as_then(
    words: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sums of floating point numbers may be added up in another order now."""
    code, then = ANSWERS[words]
    assert main(["archive", *words.split(), "--database", f"sqlite:///{database}"]) == code == 0
    now = json.loads(capsys.readouterr().out, parse_float=lambda text: round(float(text), 9))
    assert lost(then, now) == []


@pytest.mark.parametrize(
    ("word", "body", "why"),
    [
        (
            "Acted",
            '{"action":{"kind":"Turn","seat":0,"dice":[1]}}',
            r"action\.dice: 1 items where 2",
        ),
        ("Acted", '{"action":{"kind":"Trun"}}', "action: no kind 'Trun'"),
        ("GameBegan", '{"score":[0,"1"],"crawford":true}', r"score\[1\]: '1' is not of type int"),
        ("GameBegan", '{"score":[0,1],"crawford":1}', "crawford: 1 is not of type bool"),
        ("Rated", "{", "not JSON"),
        ("Tarde", "{}", "Tarde"),
    ],
)
def test_a_broken_event_says_where(word: str, body: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        event_of(word, Who("s", "a", "b"), dt.datetime.now(dt.UTC), body)
