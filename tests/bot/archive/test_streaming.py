"""Records are read once, in batches, and on many cores as on one."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection import streaming
from sixprime.bot.archive.collection.changing import annotate, duplicates
from sixprime.bot.archive.collection.checking import Finding, findings
from sixprime.bot.archive.collection.exporting import export
from sixprime.bot.archive.collection.names import join
from sixprime.bot.archive.collection.streaming import readable_ids, stored, streamed
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.cli.main import main
from sixprime.bot.process.workers import Pool, cores
from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.protocols.formats import recordjson
from sixprime.protocols.formats.record import Match, Player
from tests.support.archive.imported import add, played
from tests.support.archive.told import WHO, fibs_match, settings_in, told

COUNT = 7  # imported; one more is ours, and one a duplicate


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of ours with a note, imported ones, and the second of these again."""
    live = LiveArchive(settings_in(tmp_path_factory.mktemp("made")))
    for event in told(fibs_match(5)):
        live.note(event)
    live.finish(WHO)
    annotate(live, 1, "a good one", {})
    matches = played(60, COUNT)
    other = replace(matches[1], players=(Player("Llabba"), Player("Zoe")))
    for match in (*matches, other):
        assert add(live, match)
    first, second = (player.name for player in matches[1].players)
    join(live, "Llabba", first)
    join(live, "Zoe", second)
    live.close()
    assert live.settings.database is not None
    return Path(live.settings.database.removeprefix("sqlite:///"))


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Iterator[Archive]:
    path = shutil.copy(made, tmp_path)
    with closing(Archive(ArchivePlace(f"sqlite:///{path}", folder=None))) as found:
        yield found


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with cores(1) as found:
        yield found


@pytest.fixture(params=["here", "processes"])
def place(request: pytest.FixtureRequest, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> str:
    """Batches are worked on in this process or in others."""
    monkeypatch.setattr(streaming, "BATCH", 2)
    monkeypatch.setattr(streaming, "usable_cores", lambda: 2)
    monkeypatch.setattr(streaming, "MANY", {"here": 1_000, "processes": 1}[request.param])
    monkeypatch.setattr(streaming, "cores", lambda: nullcontext(pool))
    return str(request.param)


def test_a_batch_holds_what_the_archive_says_of_each_match(archive: Archive) -> None:
    ids = readable_ids(archive)
    with archive.reading() as connection:
        batch = stored(connection, [*ids, 99])
    assert [each.row.id for each in batch] == ids
    assert [each.match() for each in batch] == [archive.match(each) for each in ids]
    assert list(batch[ids.index(1)].bad_events()) == []
    assert batch[ids.index(1)].match().comment.endswith("a good one")


def test_no_batch_is_read_before_it_is_needed(archive: Archive, place: str) -> None:
    ids, batches = readable_ids(archive), []

    def read(connection: Connection, some: Sequence[int]) -> list[int]:
        batches.append(list(some))
        return list(some)

    seen: list[tuple[int, int]] = []
    results = streamed(archive, ids, read, int, lambda *done: seen.append(done))
    assert next(results) == ids[0]
    if place == "here":
        assert batches == [ids[:2]]
    assert [ids[0], *results] == ids
    assert [each for some in batches for each in some] == ids
    assert seen[0] == (2, COUNT + 2)
    assert seen[-1] == (COUNT + 2, COUNT + 2)


def test_check_parses_each_record_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    with archive.writing() as connection:  # no duplicates, which are compared again
        connection.exec_driver_sql(f"UPDATE matches SET state = 'saved' WHERE id = {COUNT + 2}")
    parsed, parse = [], recordjson.from_json

    def counting(text: str) -> Match:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(recordjson, "from_json", counting)
    assert list(findings(archive)) == []
    assert len(parsed) == len(set(parsed)) == COUNT + 1


def test_no_record_is_parsed_to_find_duplicates(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    with archive.writing() as connection:
        connection.exec_driver_sql(f"UPDATE matches SET state = 'saved' WHERE id = {COUNT + 2}")
    monkeypatch.delattr(recordjson, "from_json")
    assert duplicates(archive) == []


def test_check_merge_and_export_do_the_same_everywhere(
    archive: Archive, place: str, tmp_path: Path
) -> None:
    path = str(archive.settings.database).removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as lite, lite:
        lite.execute("UPDATE matches SET record = '{' WHERE id = 5")
        lite.execute("UPDATE matches SET length = 44 WHERE id = 7")
        lite.execute("DELETE FROM openings WHERE match_id IN (3, 6)")
    wrong = list(findings(archive))
    again = f"is the same match as {COUNT + 2} (`archive merge`)"
    assert {each.match for each in wrong} == {3, 5, 7}
    assert Finding(3, again) in wrong
    assert duplicates(archive) == [[3, COUNT + 2]]
    folder = tmp_path / "exported"
    ids = readable_ids(archive)
    exported = list(export(archive, ids, folder, ["mat", "sgf"]))
    assert [each.match_id for each in exported] == ids
    assert [each.match_id for each in exported if each.fault] == [5]
    files = [path for each in exported if each.written for path in each.written.files]
    assert sorted(folder.iterdir()) == sorted(files)
    assert len(files) == 2 * (COUNT + 1)
    with pytest.raises(OSError, match="Not a directory"):
        list(export(archive, ids, files[0], ["mat"]))
    assert main(["archive", "merge", "--database", str(archive.settings.database)]) == 0
    assert duplicates(archive) == []
