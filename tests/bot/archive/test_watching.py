"""A watched folder: complete files are imported once, and whatever happens, the watch goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import Imported
from sixprime.bot.archive.collection.watching import FolderWatch
from sixprime.bot.cli.main import main
from sixprime.protocols.formats import mat
from tests.support.archive.imported import played
from tests.support.archive.told import settings_in

ONE, TWO = (mat.write_mat(match) for match in played(31, 2))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with closing(Archive(settings_in(tmp_path))) as archive:
        yield archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "evenings"
    folder.mkdir()
    return folder


def look(watch: FolderWatch, archive: Archive) -> Imported:
    return watch.import_ready(archive, strict=False, processes=1)


def test_a_file_is_imported_once_it_stays_the_same_for_two_looks(
    archive: Archive, folder: Path
) -> None:
    watch, path = FolderWatch([folder]), folder / "deep" / "one.mat"
    path.parent.mkdir()
    assert look(watch, archive).files == 0
    for end in (100, len(ONE) // 2, len(ONE)):  # while it is written, whole or not
        path.write_text(ONE[:end])
        assert look(watch, archive).files == 0
    assert len(look(watch, archive).added) == 1
    for _ in range(3):
        assert look(watch, archive).files == 0
    assert (watch.total.files, len(watch.total.added)) == (1, 1)


def test_a_copy_is_not_imported_again_and_a_fault_is_told_once(
    archive: Archive, folder: Path
) -> None:
    watch, bad = FolderWatch([folder]), folder / "bad.sgf"
    (folder / "one.mat").write_text(ONE)
    (folder / "notes.txt").write_text("bread, butter")
    bad.write_text("nothing")
    look(watch, archive)
    assert len(look(watch, archive).broken) == 1
    shutil.copy(folder / "one.mat", folder / "copy.mat")
    os.utime(bad, (1, 1))  # touched, and as bad as before
    look(watch, archive)
    news = look(watch, archive)
    assert (news.files, news.added, news.skipped, news.broken) == (2, [], 1, [])
    bad.write_text(TWO)  # mended
    bad.rename(folder / "two.mat")
    look(watch, archive)
    assert len(look(watch, archive).added) == 1
    assert (len(watch.total.added), watch.total.skipped, len(watch.total.broken)) == (2, 1, 1)


def test_archives_are_watched_too(archive: Archive, folder: Path) -> None:
    watch = FolderWatch([folder])
    with zipfile.ZipFile(folder / "all.zip", "w") as packed:
        packed.writestr("one.mat", ONE)
        packed.writestr("two.mat", TWO)
    look(watch, archive)
    assert len(look(watch, archive).added) == 2
    assert look(watch, archive).files == 0


def test_a_folder_that_vanishes_is_waited_for(archive: Archive, folder: Path) -> None:
    watch = FolderWatch([folder])
    (folder / "one.mat").write_text(ONE)
    look(watch, archive)
    aside = folder.rename(folder.with_name("aside"))
    assert look(watch, archive).files == 0
    assert watch.trouble == f"no folder {folder}"
    aside.rename(folder)
    look(watch, archive)
    assert len(look(watch, archive).added) == 1
    assert watch.trouble == ""


def test_a_busy_archive_gets_the_files_later(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = FolderWatch([folder])
    for name, text in (("one.mat", ONE), ("two.mat", TWO)):
        (folder / name).write_text(text)
    look(watch, archive)
    database = str(archive.settings.database).removeprefix("sqlite:///")
    with archive.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")  # the pool gives it out again
    with closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert look(watch, archive).added == []
        assert "locked" in watch.trouble
        other.rollback()
    assert len(look(watch, archive).added) == 2
    assert watch.trouble == ""
    assert (watch.total.files, watch.total.skipped) == (2, 0)


def test_the_command_reports_what_came_and_ends_when_it_is_stopped(
    tmp_path: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "one.mat").write_text(ONE)
    (folder / "bad.sgf").write_text("nothing")
    looks = iter(range(3))

    def sleep(_: float) -> None:
        if next(looks, None) is None:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("time.sleep", sleep)
    before = signal.getsignal(signal.SIGTERM)
    words = [
        "archive",
        "import",
        "--watch",
        str(folder),
        "--database",
        f"sqlite:///{tmp_path}/a.db",
    ]
    try:
        assert main(words) == 1
        told = capsys.readouterr()
        assert told.out == (
            f"{folder}/one.mat: read\n1 match added, 0 already archived, 1 of 2 files refused\n"
        )
        assert told.err == (
            f"watching {folder}\n"
            f"sixprime archive: {folder}/bad.sgf:1: no game tree in it (read as SGF)\n"
        )
        looks = iter(range(3))
        assert main([*words, "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["skipped"] == 1
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_folder_to_watch_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = ["--database", f"sqlite:///{tmp_path}/a.db"]
    assert main(["archive", "import", "--watch", str(tmp_path / "no"), *source]) == 2
    assert "no folder to watch" in capsys.readouterr().err
    assert main(["archive", "import", *source]) == 2
    assert "say which files or folders" in capsys.readouterr().err


@pytest.mark.patient
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_cleanly(number: int, tmp_path: Path, folder: Path) -> None:
    words = [sys.executable, "-m", "sixprime", "archive", "import", "--watch"]
    words += ["--database", f"sqlite:///{tmp_path}/a.db"]
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "watching .\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "0 matches added, 0 already archived\n", "")
