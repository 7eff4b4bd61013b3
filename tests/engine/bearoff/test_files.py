"""Bearoff files: byte for byte gnubg's, whole or not there, refused when they are not whole."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from sixprime.engine import cache_folder
from sixprime.engine.bearoff import databases as bearoff
from sixprime.engine.bearoff import files as bearofffiles
from sixprime.engine.bearoff.databases import OneSidedDatabase, TwoSidedDatabase
from sixprime.engine.bearoff.files import (
    SUMS,
    BadDatabase,
    Hypergammon,
    Kind,
    OneSided,
    TwoSided,
    build,
)

pytestmark = pytest.mark.patient

MAKEBEAROFF = Path("/usr/games/makebearoff")

# From the manual's tables and, for variants, from the format sheet.
DIGESTS: list[tuple[Kind, str]] = [
    (OneSided(1), "c789f049ec98ce4e307b471257999f39"),
    (OneSided(2), "b6e61c1625ae4b3b164e93ab064192b9"),
    (OneSided(3), "346dae6139ccb4b227c534373e5c52e4"),
    (OneSided(4), "653255f5f9f22fd50277f7ff25b2a343"),
    (OneSided(5), "2064f9a56b23117d053a573c96a92fa2"),
    (OneSided(6), "3dc7b833c4670849cee00479a9e21b49"),
    (OneSided(7), "67235c8e0ee152df5daf36cbeae5b3c2"),
    (OneSided(6, gammons=False), "e1eb4384961f2e074ef3344178de5a51"),
    (OneSided(6, compressed=False), "bf8b9e05a2cf10550a644810272f05a4"),
    (OneSided(4, gammons=False, compressed=False), "7a5b9a6313660f8482f1bfbabd359798"),
    (OneSided(6, normal=True), "166635744ebc32c2deb6d21bb2d3134b"),
    (OneSided(4, normal=True), "5f26057e178f0edb000fe326d5c50b1c"),
    (TwoSided(6, 1), "7ed6f8e7fce16ea2b80e07a4a516653c"),
    (TwoSided(6, 2), "e9d760bf213841c285245ed757a52f4d"),
    (TwoSided(6, 3), "9d67da3db32ad4720cc38eecf9a67967"),
    (TwoSided(6, 4), "9156f37032d1d4b0352a41186e632dfc"),
    (TwoSided(6, 5), "0db19ab08feae1feb33ddbd709479f62"),
    (TwoSided(6, 6), "44b6040b49b46cb9dd2ce8caa947044d"),
    (TwoSided(6, 7), "9eb8b042d4d2ddf8d40e74a892745ad5"),
    (TwoSided(6, 6, cubeful=False), "4c4a0bffa23477cadf7321bc787ff534"),
]
LARGE: list[tuple[Kind, str]] = [
    (OneSided(8), "a4acbb5c7e9e1f08e561afe0af934e5c"),
    (OneSided(9), "9c4ddab4e51c3e668c9c97b8f8768dbc"),
    (OneSided(10), "81b3898f06bbd08ee8295a839251a10a"),
    (TwoSided(6, 8), "fcdbbc80b7ef84ddc81b839d0f26bed1"),
    (TwoSided(6, 9), "a11b2d410d51401143d05e73f9ffac15"),
]


def digest(kind: Kind, threads: int = 1) -> str:
    md5 = hashlib.md5(kind.header)
    for piece in build(kind, threads=threads):
        md5.update(piece.data)
    return md5.hexdigest()


@pytest.mark.parametrize(("kind", "expected"), DIGESTS, ids=lambda value: str(value)[:60])
def test_the_bytes_are_those_of_the_manual(kind: Kind, expected: str) -> None:
    assert digest(kind) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), LARGE, ids=lambda value: str(value)[:60])
def test_the_bytes_of_large_databases_are_those_of_the_manual(kind: Kind, expected: str) -> None:
    assert digest(kind) == expected


def test_threads_do_not_change_a_byte() -> None:
    assert digest(TwoSided(6, 4), threads=3) == dict(DIGESTS)[TwoSided(6, 4)]


@pytest.mark.gnubg
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (TwoSided(8, 3), ["-t", "8x3"]),
        (TwoSided(3, 4), ["-t", "3x4"]),
        (TwoSided(1, 2), ["-t", "1x2"]),
        (TwoSided(7, 3, cubeful=False), ["-t", "7x3", "-C"]),
        (OneSided(7, normal=True), ["-o", "7", "-n"]),
        (OneSided(5, gammons=False, compressed=False), ["-o", "5", "-g", "-c"]),
    ],
    ids=lambda value: str(value)[:60],
)
def test_makebearoff_writes_the_same(kind: Kind, options: list[str], tmp_path: Path) -> None:
    if not MAKEBEAROFF.exists():
        pytest.skip("makebearoff (Debian package gnubg) is not installed")
    file = tmp_path / "theirs.bd"
    subprocess.run(
        [MAKEBEAROFF, *options, "-f", file],
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert digest(kind) == hashlib.md5(file.read_bytes()).hexdigest()


def test_a_written_file_is_the_whole_database_and_may_lack_the_header(tmp_path: Path) -> None:
    bearofffiles.write_database(OneSided(3), tmp_path / "a.bd")
    bearofffiles.write_database(OneSided(3), tmp_path / "b.bd", header=False)
    whole = (tmp_path / "a.bd").read_bytes()
    assert hashlib.md5(whole).hexdigest() == dict(DIGESTS)[OneSided(3)]
    assert (tmp_path / "b.bd").read_bytes() == whole[40:]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bd", "b.bd"]


def test_progress_ends_at_its_end() -> None:
    for kind in (OneSided(6), OneSided(3), TwoSided(6, 3), OneSided(4, normal=True)):
        seen: list[tuple[int, int]] = []

        def report(done: int, total: int, seen: list[tuple[int, int]] = seen) -> None:
            seen.append((done, total))

        build(kind, report)
        assert seen == sorted(seen)
        assert seen[-1][0] == seen[-1][1]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("bearoff")
    kinds: dict[str, Kind] = {
        "compressed": OneSided(3),
        "no gammons": OneSided(3, gammons=False),
        "dense": OneSided(3, compressed=False),
        "normal": OneSided(3, normal=True),
        "two-sided": TwoSided(4, 2),
    }
    contents = {}
    for name, kind in kinds.items():
        bearofffiles.write_database(kind, folder / name)
        contents[name] = (folder / name).read_bytes()
    return contents


def opened(path: Path) -> OneSidedDatabase | TwoSidedDatabase:
    is_two_sided = path.read_bytes()[6:8] == b"TS"
    return TwoSidedDatabase.open(path) if is_two_sided else OneSidedDatabase.open(path)


@pytest.mark.parametrize("name", ["compressed", "no gammons", "dense", "normal", "two-sided"])
def test_a_file_of_any_other_size_is_refused(
    name: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    path, whole = tmp_path / "file.bd", files[name]
    path.write_bytes(whole)
    opened(path)
    for cut in (1, 2, 7, len(whole) // 2, len(whole) - 41, len(whole) - 40):
        path.write_bytes(whole[:-cut])
        with pytest.raises(BadDatabase, match="cut off"):
            opened(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(BadDatabase, match="too long"):
        opened(path)


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"gnubg-OS-03",
        b"x" * 100,
        b"gnubg-OS-99-15-1-1-0".ljust(39, b"x") + b"\n" + bytes(1000),
        b"gnubg-OS-03-14-1-1-0".ljust(39, b"x") + b"\n" + bytes(1000),
        b"gnubg-OS-0x-15-1-1-0".ljust(39, b"x") + b"\n" + bytes(1000),
        b"gnubg-TS-06-06-1".ljust(39, b"y") + b"\n" + bytes(1000),
        b"gnubg-TS-06-06-7".ljust(39, b"x") + b"\n" + bytes(1000),
        b"\xff" * 4000,
    ],
)
def test_a_foreign_file_is_refused(contents: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.bd"
    path.write_bytes(contents)
    for database in (OneSidedDatabase, TwoSidedDatabase):
        with pytest.raises(BadDatabase, match=r"file\.bd"):
            database.open(path)


def test_the_other_kind_of_file_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "file.bd"
    path.write_bytes(files["two-sided"])
    with pytest.raises(BadDatabase, match="a two-sided database, not a one-sided"):
        OneSidedDatabase.open(path)
    path.write_bytes(files["dense"])
    with pytest.raises(BadDatabase, match="a one-sided database, not a two-sided"):
        TwoSidedDatabase.open(path)


@pytest.mark.parametrize("name", ["no gammons", "dense"])
def test_words_that_are_no_distribution_are_refused(
    name: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    path, whole = tmp_path / "file.bd", bytearray(files[name])
    whole[-20] ^= 0x10
    path.write_bytes(whole)
    with pytest.raises(BadDatabase, match="not a distribution"):
        OneSidedDatabase.open(path).tables()


@pytest.mark.parametrize("kind", SUMS, ids=lambda kind: kind.name)
def test_the_checksums_are_those_of_the_databases(kind: Kind) -> None:
    whole = kind.header + b"".join(piece.tobytes() for piece in build(kind))
    assert zlib.crc32(whole) == SUMS[kind]


def test_no_flipped_bit_in_a_file_passes(tmp_path: Path) -> None:
    dice = random.Random(1)
    for kind in (OneSided(2), TwoSided(6, 1)):
        path = tmp_path / kind.name
        bearofffiles.write_database(kind, path)
        whole = path.read_bytes()
        for _ in range(100):
            broken = bytearray(whole)
            broken[dice.randrange(40, len(whole))] ^= 1 << dice.randrange(8)
            path.write_bytes(broken)
            with pytest.raises(BadDatabase, match=r"damaged|cut off|too long"):
                opened(path)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "bearoff"


def test_the_cache_folder_is_the_users_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("SIXPRIME_CACHE")
    assert cache_folder() == Path("/b/sixprime")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("/c/.cache/sixprime")


def test_the_door_builds_once_and_rebuilds_what_is_broken(cache: Path) -> None:
    builds: list[int] = []

    def opened() -> TwoSidedDatabase:
        return bearoff.two_sided(6, 2, lambda done, total: builds.append(done))

    assert opened().kind == TwoSided(6, 2)
    first = len(builds)
    assert first > 0
    opened()
    assert len(builds) == first  # it was there
    file = cache / "two-sided-6x2.bd"
    whole = file.read_bytes()
    flipped = whole[:500] + bytes([whole[500] ^ 1]) + whole[501:]
    for broken in (whole[:-3], b"", b"foreign" * 100, whole[:9] + b"03" + whole[11:], flipped):
        file.write_bytes(broken)
        del builds[:]
        opened()
        assert builds
        assert file.read_bytes() == whole


def test_a_database_without_a_checksum_is_not_kept(cache: Path) -> None:
    assert bearoff.two_sided(3, 2).kind == TwoSided(3, 2)
    assert not cache.exists()


def test_what_was_checked_cannot_be_changed_any_more(cache: Path) -> None:
    database = bearoff.two_sided(6, 2)
    before = database.tables().words.copy()
    with (cache / "two-sided-6x2.bd").open("r+b") as file:
        file.truncate(40)
    assert (database.tables().words == before).all()


def test_a_damaged_file_that_cannot_be_replaced_is_not_used(cache: Path) -> None:
    good = bearoff.two_sided(6, 2).tables().words
    (cache / "two-sided-6x2.bd").unlink()
    (cache / "two-sided-6x2.bd").mkdir()  # even root cannot put a file there
    assert (bearoff.two_sided(6, 2).tables().words == good).all()


def test_without_a_writable_cache_the_database_is_built_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "file"))
    assert bearoff.one_sided(2).rolls((1, 0)).mean == 1.0


BUILD = """
import os, sys, time
from sixprime.engine.bearoff import databases as bearoff
from sixprime.engine.bearoff import files as bearofffiles
real = os.fsync
def fsync(file):
    print("writing", flush=True)
    time.sleep({pause})
    real(file)
os.fsync = fsync
bearoff.one_sided(4, lambda done, total: (print("building", flush=True), time.sleep({pause})))
print("done", flush=True)
"""


def start_build(cache: Path, pause: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BUILD.format(pause=pause)],
        env={**os.environ, "SIXPRIME_CACHE": str(cache.parent)},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("moment", ["building", "writing"])
def test_a_kill_while_building_leaves_no_broken_file(moment: str, cache: Path) -> None:
    with start_build(cache, pause=1 if moment == "building" else 0.2) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == moment:
                process.send_signal(signal.SIGKILL)
                break
        process.wait(60)
    file = cache / "one-sided-4.bd"
    assert not file.exists()
    assert bearoff.one_sided(4).kind == OneSided(4)
    assert hashlib.md5(file.read_bytes()).hexdigest() == dict(DIGESTS)[OneSided(4)]
    assert [path.name for path in cache.iterdir()] == [file.name]  # leftovers are swept


def test_two_processes_that_build_at_once_end_with_one_whole_file(cache: Path) -> None:
    with start_build(cache, pause=0.1) as first, start_build(cache, pause=0.1) as second:
        for process in (first, second):
            output, _ = process.communicate(timeout=120)
            assert output.split()[-1] == "done"
    file = cache / "one-sided-4.bd"
    assert hashlib.md5(file.read_bytes()).hexdigest() == dict(DIGESTS)[OneSided(4)]
    assert [path.name for path in cache.iterdir()] == [file.name]


def test_a_database_that_was_read_whole_is_read_again_only_when_its_file_changes(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, read = Hypergammon(1), list[int]()
    checksum = zlib.crc32

    def counted(data: bytes) -> int:
        read.append(1)
        return checksum(data)

    monkeypatch.setattr(bearoff, "SUMS", {})
    monkeypatch.setattr(bearofffiles, "SUMS", {})
    monkeypatch.setattr(zlib, "crc32", counted)
    bearoff.cached(kind)
    assert len(read) == 1  # to note it
    assert bearoff.kept(kind) is not None
    assert len(read) == 1
    path = cache / kind.name
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert bearoff.kept(kind) is None
    path.write_bytes(data)
    assert [bearoff.kept(kind) is not None for _ in range(2)] == [True, True]
    assert len(read) == 3
