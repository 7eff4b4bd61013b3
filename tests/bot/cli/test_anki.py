"""`sixprime quiz --anki`: the deck, read by hand, tells what `archive errors` tells."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.values import MatchAnalysis
from tests.support.archive.collected import MATCHES, analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
pytest.importorskip("genanki")
PLAYER = MATCHES[0].players[0].name


class Note(NamedTuple):
    guid: str
    board: str  # SVG
    question: str
    answer: str
    tags: list[str]


class Deck(NamedTuple):
    names: dict[str, str]  # by number
    notes: list[Note]


def read(path: Path) -> Deck:
    """Read an .apkg: a zip with an SQLite collection, and media under numbers."""
    with zipfile.ZipFile(path) as packed:
        collection = path.with_suffix(".anki2")
        collection.write_bytes(packed.read("collection.anki2"))
        media = {
            name: packed.read(number) for number, name in json.loads(packed.read("media")).items()
        }
    with closing(sqlite3.connect(collection)) as lite:
        [(decks,)] = lite.execute("SELECT decks FROM col")
        rows = lite.execute("SELECT guid, flds, tags FROM notes ORDER BY id").fetchall()
        assert lite.execute("SELECT count(*) FROM cards").fetchone() == (len(rows),)
    notes = []
    for guid, fields, tags in rows:
        picture, question, answer = fields.split("\x1f")
        [name] = re.findall(r'<img src="([^"]+)">', picture)
        notes.append(Note(guid, media.pop(name).decode(), question, answer, tags.split()))
    assert not media
    return Deck({number: deck["name"] for number, deck in json.loads(decks).items()}, notes)


@pytest.fixture
def source(archive: Archive) -> list[str]:
    return ["--database", str(archive.settings.database), "--player", PLAYER]


def written(path: Path, source: list[str], *more: str) -> Deck:
    assert main(["quiz", "--anki", str(path), *source, *more]) == 0
    return read(path)


def errors(source: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["archive", "errors", "--json", "--most", "1000", *source]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["worst"]
    return found


def test_the_cards_are_the_errors(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = written(tmp_path / "deck.apkg", source)
    assert f"Sixprime: {PLAYER}'s errors" in deck.names.values()
    worst = [error for error in errors(source, capsys) if error["given"] >= 0.04]
    assert len(worst) == len(deck.notes) > 10
    for note, error in zip(deck.notes, worst, strict=True):  # worst first
        assert f"gave away {error['given']:.3f} (" in note.answer
        assert f"match {error['match']}, game {error['game']}, turn {error['turn']}" in note.answer
        for name in error["ids"]:
            assert name in note.answer
        is_play = error["what"] == "play"
        assert error["what"] in note.tags
        assert ("checker-play" if is_play else "cube") in note.tags
        assert {"opening", "play-with-contact", "race", "bearoff"} & set(note.tags)
        assert f"{PLAYER}: " in note.question
        assert (
            "play " if is_play else "double" if error["what"] == "double" else "take"
        ) in note.question
        assert " · " in note.question
        shape = ElementTree.fromstring(note.board)
        assert shape.tag.endswith("svg")
        words = [set((each.get("class") or "").split()) for each in shape.iter()]
        assert 2 < sum(bool({"checker", "off"} & each) for each in words) <= 30
        dice = [each.text for each in shape.iter() if each.tag.endswith("title")]
        assert any(text and text.isdecimal() for text in dice) == is_play


def test_the_answer_ranks_the_plays_and_marks_the_one_that_was_made(
    source: list[str], tmp_path: Path, analyses: list[MatchAnalysis]
) -> None:
    deck = written(tmp_path / "deck.apkg", source, "--at-least", "0.001")
    seen = 0
    for note in deck.notes:
        rows = re.findall(
            r'<tr(?:( class="played[^"]*")| class="moveodd")?><td class="[^"]*">(.*?)</td>'
            r'<td class="[^"]*">(.*?)</td>',
            note.answer,
        )
        if "play" not in note.tags:
            assert [name for _, name, _ in rows] == ["no double", "double, take", "double, pass"]
            continue
        seen += 1
        assert 2 <= len(rows) <= 6
        equities = [float(equity) for _, _, equity in rows]
        assert equities == sorted(equities, reverse=True)
        [(place, words)] = [(i, words) for i, (mark, words, _) in enumerate(rows) if mark]
        [(given,)] = (re.findall(r"gave away (\d+\.\d+) ", note.answer),)
        assert equities[0] - equities[place] == pytest.approx(float(given), abs=0.0011)
        assert f"Played {words}." in note.answer
    assert seen


def test_another_import_updates_the_same_cards(source: list[str], tmp_path: Path) -> None:
    first = written(tmp_path / "one.apkg", source)
    second = written(tmp_path / "two.apkg", source, "--most", "5")
    assert second.names == first.names
    assert [note.guid for note in second.notes] == [note.guid for note in first.notes[:5]]
    assert len({note.guid for note in first.notes}) == len(first.notes)


def test_a_place_that_cannot_be_written_is_refused(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quiz", "--anki", str(tmp_path / "no" / "deck.apkg"), *source]) == 2
    assert "no such folder" in capsys.readouterr().err
