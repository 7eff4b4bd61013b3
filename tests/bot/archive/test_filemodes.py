"""What the program keeps is for its user alone, whatever the umask; files of others stay."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.matchfiles import FORMATS, write_match
from sixprime.bot.process.rotation import RotatedFile
from sixprime.bot.sandbox.store import Store
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.system.wholefiles import write_whole
from tests.support.formats.played import random_match


@pytest.fixture(params=[0o000, 0o022], autouse=True)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_the_program_makes_is_for_its_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "sixprime"
    RotatedFile(folder / "logs" / "bot.log", 0, 0, 0).close()
    archive = Archive(ArchiveSettings(database=f"sqlite:///{folder}/archive.db"))
    Store(folder / "sandbox.db").close()
    write_match(random_match(9), folder / "matches", "match", FORMATS)
    with archive.writing():
        made = {path.name: mode(path) for path in (tmp_path / "state").rglob("*")}
    folders = {name: made.pop(name) for name in ("sixprime", "logs", "matches")}
    assert set(folders.values()) == {0o700} == {mode(tmp_path / "state")}
    archive.close()
    assert {"bot.log", "archive.db", "archive.db-wal", "sandbox.db", "match.sgf"} <= set(made)
    assert set(made.values()) == {0o600}


def test_what_was_there_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    log, match = tmp_path / "bot.log", tmp_path / "match.mat"
    for path in (log, match):
        path.touch()
        path.chmod(0o640)
    RotatedFile(log, 0, 0, 0).close()
    write_match(random_match(9), tmp_path, "match", ["mat"])
    assert (mode(tmp_path), mode(log), mode(match)) == (0o755, 0o640, 0o640)


def test_what_the_user_asks_for_gets_the_mode_of_any_new_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "converted.mat", "text")
    (tmp_path / "other").touch()
    assert mode(tmp_path / "converted.mat") == mode(tmp_path / "other")
