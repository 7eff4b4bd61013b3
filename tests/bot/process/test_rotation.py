"""A log is bounded, loses no line, and follows who moves it away."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.process.rotation import DAY_S, RotatedFile
from sixprime.engine.system.wholefiles import shifted


def _files(path: Path) -> list[Path]:
    """The file and the older ones, the oldest first."""
    return sorted(path.parent.glob(f"{path.name}*"), key=lambda each: each.name, reverse=True)


@given(
    most=st.integers(0, 60),
    keep=st.integers(0, 4),
    lines=st.lists(st.text("aé\n", max_size=20), max_size=40),
)
def test_what_is_kept_are_the_last_lines_and_no_file_is_too_large(
    tmp_path_factory: pytest.TempPathFactory, most: int, keep: int, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("log") / "a.log"
    file = RotatedFile(path, most, 0, keep)
    for line in lines:
        file.write(line)
    file.close()
    found = _files(path)
    assert len(found) <= keep + 1
    written = "".join(lines).encode()
    kept = b"".join(each.read_bytes() for each in found)
    assert written.endswith(kept)
    if len(found) <= keep:
        assert kept == written
    longest = max([len(line.encode()) for line in lines], default=0)
    assert not most or all(each.stat().st_size <= max(most, longest) for each in found)
    assert all(each.stat().st_mode & 0o077 == 0 for each in found)


def test_a_new_day_begins_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    file = RotatedFile(path, 0, 1, 5)
    file.write("yesterday\n")
    path.chmod(0o640)
    os.utime(path, (0, path.stat().st_mtime - DAY_S))
    file.write("today\n")
    file.write("still today\n")
    file.close()
    assert path.read_text() == "today\nstill today\n"
    assert path.stat().st_mode & 0o777 == 0o640  # who could read it still can
    assert (tmp_path / "a.log.1").read_text() == "yesterday\n"


def test_a_file_that_was_moved_or_deleted_is_begun_anew_without_a_signal(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.log"
    file = RotatedFile(path, 0, 0, 5)
    file.write("one\n")
    path.rename(tmp_path / "moved")  # as logrotate does
    file.write("two\n")
    assert path.read_text() == "two\n"
    path.unlink()
    path.parent.rmdir()
    file.write("three\n")
    assert path.read_text() == "three\n"
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.write("four\n")


def test_nothing_is_written_to_a_file_that_was_moved_away(tmp_path: Path) -> None:
    """With logrotate's `create 0640 root adm` we may not open the new one; the old one goes."""
    path, moved = tmp_path / "a.log", tmp_path / "a.log.1"
    file = RotatedFile(path, 0, 0, 5)
    file.write("one\n")
    path.rename(moved)
    path.mkdir()
    with pytest.raises(IsADirectoryError):  # so the line goes to stderr
        file.write("two\n")
    path.rmdir()
    file.write("three\n")
    assert (moved.read_text(), path.read_text()) == ("one\n", "three\n")
    file.close()


def test_a_file_that_cannot_be_rotated_grows_on(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    file = RotatedFile(path, 4, 0, 1)
    (tmp_path / "a.log.1" / "in the way").mkdir(parents=True)
    for line in ("one\n", "two\n", "three\n"):
        file.write(line)
    file.close()
    assert path.read_text() == "one\ntwo\nthree\n"


def test_writers_of_one_file_rotate_it_without_losing_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.log"

    def write(name: str) -> None:
        file = RotatedFile(path, 500, 0, 1_000)
        for number in range(300):
            file.write(f"{name}{number}\n")
        file.close()

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    lines = [line for each in tmp_path.iterdir() for line in each.read_text().splitlines()]
    assert sorted(lines) == sorted(f"{name}{number}" for name in "abc" for number in range(300))


def test_shifting_nothing_is_nothing(tmp_path: Path) -> None:
    shifted(tmp_path / "none", 3)
    assert not list(tmp_path.iterdir())
