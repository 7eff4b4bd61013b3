"""A copy of an archive holds the same rows, whatever it was interrupted by."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, update

from sixprime.bot.analysis.store import Wanted, asked_level, keep, note_level, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection import copying
from sixprime.bot.archive.collection.changing import duplicates
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.collection.copying import copy_archive
from sixprime.bot.archive.collection.exporting import export
from sixprime.bot.archive.collection.names import join
from sixprime.bot.archive.collection.streaming import readable_ids
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.tables import events, matches, metadata, notes, wires, words
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.events import Evidence, Way, Wire
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.analysis.settings import AnalysisSettings
from tests.support.archive.imported import add, played
from tests.support.archive.told import (
    MORNING,
    POSTGRES,
    WHO,
    fibs_match,
    needs_postgres,
    settings_in,
    told,
)
from tests.support.engine.analyses import analyse_match

SETTINGS = AnalysisSettings.of("beginner")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with something in every table; the file of its database."""
    settings = settings_in(tmp_path_factory.mktemp("filled"))
    live = LiveArchive(settings)
    live.note(Evidence(WHO, MORNING, "nobody plays", ("S what?",)))
    match = fibs_match(5)
    for number, event in enumerate(told(match)):
        live.note(event)
        if number < 9:
            live.note(Wire(WHO, MORNING, Way.HEARD, f"line {number} \x01 Zo\u00eb \U0001f3b2"))
    live.finish(WHO)
    for each in played(300, 6):
        add(live, each)
    for row in live.rows()[1:]:
        analysis = analyse_match(live.match(row.id), SETTINGS)
        for key in ("expert-0123456789ab", SETTINGS.key, "Zeta-0123456789ab"):
            keep(live, key, [(Wanted(row.id, row.noted), packed(analysis))])
    note_level(live, "casual")
    join(live, "Llabba", "lasse", ours=True)
    with live.writing() as connection:
        connection.execute(insert(notes).values(match_id=2, text="my best\nmatch"))
        connection.execute(insert(words).values(match_id=1, body='{"event": "Cup"}'))
    live.close()
    assert settings.database is not None
    return Path(settings.database.removeprefix("sqlite:///"))


def archive_at(url: str) -> Archive:
    return Archive(ArchiveSettings(database=url, folder=None))


def dump(path: Path) -> list[str]:
    """SQLite's own, sorted: it gives rows in the order in which they were written."""
    with closing(sqlite3.connect(path)) as lite:
        found = sorted(lite.iterdump())
    assert all(any(f'"{each.name}"' in line for line in found) for each in metadata.sorted_tables)
    return found


def said(*words: object) -> int:
    return main(["archive", *map(str, words)])


def test_a_copy_holds_every_row(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said("copy", filled, tmp_path / "second.db") == 0
    assert "7 matches" in capsys.readouterr().out
    assert dump(tmp_path / "second.db") == dump(filled)
    assert said("copy", filled, tmp_path / "second.db", "--json") == 0
    assert json.loads(capsys.readouterr().out)["written"] == 0


@pytest.mark.postgres
@needs_postgres
def test_there_and_back_over_a_server_nothing_changes(filled: Path, tmp_path: Path) -> None:
    settings_in(tmp_path, "postgres")
    assert POSTGRES
    for first, second in ((f"sqlite:///{filled}", POSTGRES), (POSTGRES, f"sqlite:///{tmp_path}/b")):
        with closing(archive_at(first)) as source, closing(archive_at(second)) as target:
            copy_archive(source, target)
            ids = readable_ids(source)
            assert list(findings(target)) == list(findings(source))
            assert duplicates(target) == duplicates(source)
            written = [
                list(export(each, ids, tmp_path / "x", ["mat"])) for each in (source, target)
            ]
            assert written[0] == written[1]
            assert len(written[0]) == len(ids) > 0
            assert asked_level(target) == "casual"
    assert dump(tmp_path / "b") == dump(filled)
    with closing(archive_at(POSTGRES)) as archive:  # and it goes on with numbers of its own
        (more,) = played(900, 1)
        assert add(archive, more) == 8
        live = LiveArchive(ArchiveSettings(database=POSTGRES, folder=None))
        for event in told(fibs_match(7)):
            live.note(event)
        live.close()


COPY = """
import os, signal, sys
from sqlalchemy import event
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection import copying
from sixprime.bot.settings.schema import ArchiveSettings
copying.TOGETHER = 3
source, target = (Archive(ArchiveSettings(database=url, folder=None)) for url in sys.argv[1:3])
left = int(sys.argv[3])
@event.listens_for(target._engine, "after_cursor_execute")
def die(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
copying.copy_archive(source, target)
print("done")
"""


def killed_ten_times(first: str, second: str) -> None:
    """Each run gets a little further, and the last is left alone."""
    for after in (1, 2, 13, 14, 15, 16, 17, 20, 30, 40, 0):
        run = subprocess.run(
            [sys.executable, "-c", COPY, first, second, str(after)],
            capture_output=True, check=False,
        )  # fmt: skip
        assert run.returncode == (-signal.SIGKILL if after else 0), run.stderr
    assert run.stdout == b"done\n"


def test_a_copy_that_is_killed_goes_on(filled: Path, tmp_path: Path) -> None:
    killed_ten_times(f"sqlite:///{filled}", f"sqlite:///{tmp_path}/second.db")
    assert dump(tmp_path / "second.db") == dump(filled)


@pytest.mark.postgres
@needs_postgres
def test_a_copy_to_a_server_that_is_killed_goes_on(filled: Path, tmp_path: Path) -> None:
    settings_in(tmp_path, "postgres")
    assert POSTGRES
    killed_ten_times(f"sqlite:///{filled}", POSTGRES)
    killed_ten_times(POSTGRES, f"sqlite:///{tmp_path}/second.db")
    assert dump(tmp_path / "second.db") == dump(filled)


def test_an_older_copy_is_brought_up_to_date(filled: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.db"
    second.write_bytes(filled.read_bytes())
    with closing(archive_at(f"sqlite:///{second}")) as target, target.writing() as connection:
        connection.execute(delete(events).where(events.c.id > 20))
        connection.execute(update(matches).where(matches.c.id == 3).values(state="playing"))
        connection.execute(insert(events).values(
            id=999, match_id=1, number=999, at=MORNING, kind="Rated", body="{}"))  # fmt: skip
    assert said("copy", filled, second) == 0
    assert dump(second) == dump(filled)


def test_a_match_analysed_anew_is_replaced_in_an_older_copy(filled: Path, tmp_path: Path) -> None:
    """Its rows have other keys, and the same values that may occur once."""
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    for path in (first, second):
        path.write_bytes(filled.read_bytes())
    with closing(archive_at(f"sqlite:///{first}")) as source:
        data = packed(analyse_match(source.match(2), SETTINGS))
        keep(source, SETTINGS.key, [(Wanted(2, 0), data)])
    assert said("copy", first, second) == 0
    assert dump(second) == dump(first)


def test_neither_the_log_of_the_copy_nor_a_transaction_grows_with_the_archive(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MOST_BYTES", 100_000)
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    first.write_bytes(filled.read_bytes())
    logs: list[int] = []

    def watch(done: int, total: int) -> None:
        logs.append(second.with_name("second.db-wal").stat().st_size)

    with closing(archive_at(f"sqlite:///{first}")) as source:
        with source.writing() as connection:
            lines = [{"match_id": 1, "lines": random.randbytes(20_000)} for _ in range(1_000)]
            connection.execute(insert(wires), lines)
        with closing(archive_at(f"sqlite:///{second}")) as target:
            copy_archive(source, target, watch)
            with target.reading() as connection:
                written = connection.execute(select(wires.c.lines).where(wires.c.match_id == 1))
                assert [row.lines for row in written][-1_000:] == [row["lines"] for row in lines]
    assert second.stat().st_size > 20_000_000
    assert max(logs) < 6_000_000


@pytest.mark.parametrize(
    "change", ["UPDATE notes SET text = 'ours'", "DELETE FROM errors WHERE id = 1"]
)
def test_a_copy_that_is_changed_meanwhile_is_told(
    filled: Path, tmp_path: Path, change: str
) -> None:
    second = tmp_path / "second.db"

    def disturb(done: int, total: int) -> None:
        if 2 * done >= total:
            with closing(sqlite3.connect(second)) as lite, lite:
                lite.execute(change)

    with (
        closing(archive_at(f"sqlite:///{filled}")) as source,
        closing(archive_at(f"sqlite:///{second}")) as target,
        pytest.raises(ArchiveError, match="was changed while copying"),
    ):
        copy_archive(source, target, disturb)


def test_another_archive_is_not_overwritten(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Archive(settings_in(tmp_path))) as other:
        add(other, played(700, 1)[0])
        with (
            closing(archive_at(f"sqlite:///{filled}")) as source,
            pytest.raises(ArchiveError, match="holds match 1, which the source has not"),
        ):
            copy_archive(source, other)
        assert len(other.rows()) == 1
    assert said("copy", filled, filled) == 2
    assert said("copy", tmp_path / "nothing.db", tmp_path / "new.db") == 2
    assert "no archive at" in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


def test_a_place_that_cannot_be_written_is_told_in_words(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("x" * 254)
    assert said("backup", path, "--database", f"sqlite:///{filled}") == 2
    assert capsys.readouterr().err.endswith(" File name too long\n")


def test_a_backup_is_whole_or_not_there(filled: Path, tmp_path: Path) -> None:
    source = ("--database", f"sqlite:///{filled}")
    path = tmp_path / "backup.db"
    assert said("backup", path, *source) == 0
    assert dump(path) == dump(filled)
    assert list(tmp_path.iterdir()) == [path]
    assert said("backup", path, *source) == 2
    path.write_bytes(b"an old one")
    assert said("backup", path, "--replace", *source) == 0
    assert dump(path) == dump(filled)
    assert said("backup", tmp_path, *source) == 0
    assert len(list(tmp_path.iterdir())) == 2
