"""Matches removed, renamed, annotated and merged; and what `check` finds."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.analysis.store import Wanted, analysis_of, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.collection.importing import import_files
from sixprime.bot.archive.collection.names import join
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.events import Way, Wire
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.protocols.formats.record import Match, Player
from tests.support.archive.imported import add, played
from tests.support.archive.told import MORNING, WHO, began, fibs_match, settings_in, told
from tests.support.engine.analyses import analyse_match

SETTINGS = AnalysisSettings.of("beginner")
MATCHES = played(60, 3)


def named(match: Match, first: str, second: str) -> Match:
    return replace(match, players=(Player(first), Player(second)), date=None, started=None)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Match 1 is ours and analysed, 2 and 3 are imported, 4 goes on."""
    folder = tmp_path_factory.mktemp("made")
    live = LiveArchive(settings_in(folder))
    live.note(Wire(WHO, MORNING, Way.HEARD, "hello"))
    for event in told(fibs_match(5)):
        live.note(event)
    live.note(Wire(WHO, MORNING, Way.HEARD, "bye"))
    live.finish(WHO)
    add(live, named(MATCHES[0], "lasse", "ben"))
    add(live, named(MATCHES[1], "ben", "ada"))
    for row in live.rows():
        analysis = analyse_match(live.match(row.id), SETTINGS)
        keep(live, SETTINGS.key, [(Wanted(row.id, row.noted), packed(analysis))])
    live.note(replace(began(3, resumed=False), who=replace(WHO, opponent="zoe")))
    live.close()
    return folder


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Archive:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return Archive(settings_in(tmp_path))


def said(archive: Archive, *words: object) -> int:
    return main(
        ["archive", *map(str, words), "--database", str(archive.settings.database)]
    )  # fmt: skip


def wrong(archive: Archive) -> list[str]:
    return [f"{each.match}: {each.what}" for each in findings(archive)]


def test_what_is_removed_is_gone_and_can_be_imported_again(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "again.sgf"
    path.write_text(FORMATS["sgf"].write(MATCHES[2]))
    (added,) = import_files(archive, [path]).added
    assert said(archive, "remove", "--opponent", "ada") == 2
    assert "would remove 1 match (3); say --yes" in capsys.readouterr().err
    assert said(archive, "remove", "--opponent", "ada", "--yes") == 0
    assert said(archive, "remove", added, 1) == 0
    assert {row.id for row in archive.rows()} == {2, 4}
    assert wrong(archive) == []
    assert import_files(archive, [path]).skipped == 0
    assert said(archive, "remove", 4) == 2
    assert "match 4 goes on" in capsys.readouterr().err
    assert said(archive, "remove") == 2
    assert said(archive, "remove", 99) == 2
    archive.close()


def test_a_player_is_renamed_in_rows_records_and_analyses(archive: Archive) -> None:
    with closing(archive):
        assert said(archive, "rename", WHO.opponent, "Benjamin", "--match", 1) == 0
        assert said(archive, "rename", "lasse", "Lasse H.") == 0
        names = [[player.name for player in archive.match(each).players] for each in (1, 2, 3)]
        assert names == [["anna", "Benjamin"], ["Lasse H.", "ben"], ["ben", "ada"]]
        for match_id, both in zip((1, 2, 3), names, strict=True):
            analysis = analysis_of(archive, match_id, SETTINGS.key)
            assert analysis is not None
            assert list(analysis.players) == both
        assert wrong(archive) == []
        assert add(archive, named(MATCHES[0], "Lasse H.", "ben")) is None
        assert said(archive, "rename", "ada", "ben") == 2
        assert said(archive, "rename", "nobody", "somebody") == 2
        assert said(archive, "rename", "zoe", "Zoe") == 2


def test_a_remark_stands_in_the_match_and_is_found(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(archive):
        assert said(archive, "annotate", 1, "my best match") == 0
        assert said(archive, "annotate", 2, "--date", "2026-11-03", "--event", "Cup") == 0
        assert archive.match(1).comment == "my best match"
        assert archive.match(2).event == "Cup"
        assert archive.row(2).started == dt.datetime(2026, 11, 3, tzinfo=dt.UTC)
        capsys.readouterr()
        for text, found in (("BEST", [1]), ("cup", [2])):
            assert said(archive, "list", "--text", text, "--json") == 0
            assert [row["id"] for row in json.loads(capsys.readouterr().out)] == found
        assert said(archive, "annotate", 1, "") == 0
        assert archive.match(1).comment == ""
        assert said(archive, "annotate", 1, "--date", "2026-11-03") == 2
        assert said(archive, "annotate", 99, "x") == 2
        assert wrong(archive) == []


def test_the_same_match_under_two_names_becomes_one(archive: Archive) -> None:
    with closing(archive):
        other = replace(named(MATCHES[0], "Llabba", "ben"), date=dt.date(2026, 11, 3))
        second = add(archive, other)
        assert second is not None
        assert said(archive, "annotate", second, "theirs") == 0
        assert said(archive, "merge") == 0
        assert len(archive.rows()) == 5  # nobody said that they are one player
        assert said(archive, "merge", 2, second) == 2
        join(archive, "Llabba", "lasse")
        assert wrong(archive) == [f"2: is the same match as {second} (`archive merge`)"]
        assert said(archive, "merge") == 0
        assert {row.id for row in archive.rows() if row.opponent == "ben"} == {1, 2}
        match = archive.match(2)
        assert (match.players[0].name, match.comment[-6:]) == ("lasse", "theirs")
        assert match.date == dt.date(2026, 11, 3)
        assert wrong(archive) == []
        assert said(archive, "merge", 2, 3) == 2
        assert said(archive, "merge", 2) == 2


@pytest.mark.parametrize(
    ("damage", "told_"),
    [
        ("UPDATE matches SET record = '{' WHERE id = 2", "2: its record cannot be read"),
        ("UPDATE matches SET their_score = 44 WHERE id = 2", "2: their_score is 44, but"),
        ("UPDATE matches SET opponent = 'x' WHERE id = 3", "3: opponent is x, but"),
        ("UPDATE matches SET digest = 'x' WHERE id = 1", "1: its fingerprint is not"),
        ("DELETE FROM events WHERE number = 5 AND match_id = 1", "1: 137 events noted, 136"),
        ("UPDATE events SET body = '[1]' WHERE number = 5 AND match_id = 1", "1: not an event"),
        ("UPDATE events SET number = 999 WHERE number = 5", "1: events 1 to 999 are numbered"),
        ("DELETE FROM wires", "1: its raw log has 0 bytes"),
        ("UPDATE wires SET lines = X'78'", "1: its raw log cannot be unpacked"),
        ("UPDATE matches SET filed = 3 WHERE id = 1", "1: its files are older"),
        ("UPDATE matches SET stem = 'x' WHERE id = 1", "1: no file x is in"),
        ("UPDATE analyses SET body = 'x' WHERE match_id = 3", "3: its analysis beginner-"),
        ("UPDATE analyses SET match_id = 77 WHERE match_id = 3", "0: foreign_key_check: analyses"),
        ("INSERT INTO names VALUES ('a', 'b', 0)", "0: the player b has aliases"),
    ],
)
def test_what_does_not_fit_is_found(archive: Archive, damage: str, told_: str) -> None:
    assert wrong(archive) == []
    archive.close()
    path = str(archive.settings.database).removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as lite:
        assert lite.execute(damage).rowcount > 0
        lite.commit()
    with closing(Archive(archive.settings)) as again:
        assert any(each.startswith(told_) for each in wrong(again)), wrong(again)
    if "file" not in told_:  # of which --database knows nothing
        assert said(archive, "check", "--json") == 1
