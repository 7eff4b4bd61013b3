"""Packed files: every member is found, in any nesting, and bombs cost little."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.protocols import packed
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.reading import MIB, MOST
from sixprime.protocols.packed import DEPTH, is_packed, members
from tests.support.formats.played import random_match

MATCH = mat.write_mat(random_match(3)).encode()
OTHER = mat.write_mat(random_match(4)).encode()
Files = Mapping[str, bytes]


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: Files, *, form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
ARCHIVES: dict[str, Callable[[Files], bytes]] = {
    "a.zip": zipped,
    "stored.zip": lambda files: zipped(files, zipfile.ZIP_STORED),
    "a.tar": tarred,
    "gnu.tar": lambda files: tarred(files, form=tarfile.GNU_FORMAT),
    "old.tar": lambda files: tarred(files, form=tarfile.USTAR_FORMAT),
    "a.tar.gz": lambda files: gzip.compress(tarred(files)),
    "a.tar.bz2": lambda files: bz2.compress(tarred(files)),
    "a.tar.xz": lambda files: lzma.compress(tarred(files)),
}


def found(name: str, data: bytes) -> dict[str, bytes]:
    return {member.name: member.data for member in members(name, data) if not member.fault}


def faults(name: str, data: bytes) -> dict[str, str]:
    return {member.name: member.fault for member in members(name, data) if member.fault}


@pytest.mark.parametrize("name", ARCHIVES)
def test_match_files_of_an_archive_are_found_as_in_a_folder(name: str) -> None:
    files = {
        "one.mat": MATCH,
        "deep/" + 4 * ("x" * 25 + "/") + "two.mat": OTHER,
        "evening.txt": MATCH,
        "notes.txt": b"bread, butter",
        "photo.jpg": b"\xff\xd8",
        ".hidden.mat": MATCH,
        "__MACOSX/one.mat": b"junk",
        "broken.sgf": b"nothing",
    }
    expected = {
        f"{name}/{inner}": files[inner]
        for inner in files
        if inner.endswith((".mat", ".sgf", "evening.txt")) and not inner.startswith((".", "_"))
    }
    data = ARCHIVES[name](files)
    assert is_packed(data)
    assert found(name, data) == expected
    assert faults(name, data) == {}


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_file_is_the_file_in_it(kind: str) -> None:
    data = COMPRESS[kind](MATCH)
    assert found(f"x/one.mat.{kind}", data) == {f"x/one.mat.{kind}/one.mat": MATCH}
    assert found(f"evening.{kind}", data) == {f"evening.{kind}/evening": MATCH}  # by content
    twice = COMPRESS[kind](MATCH[:500]) + COMPRESS[kind](MATCH[500:])
    assert [*found("one.mat", twice).values()] == [MATCH]
    assert faults(f"a.jpg.{kind}", COMPRESS[kind](b"a picture")) == {
        f"a.jpg.{kind}": "no match file in it"
    }


def test_no_match_file_is_taken_for_a_packed_one() -> None:
    assert not is_packed(MATCH)
    assert not is_packed(b"")
    assert not is_packed(bytes(1024))
    assert not is_packed(b"BZ" + MATCH)


@given(st.lists(st.sampled_from(["zip", "tar", *COMPRESS]), max_size=DEPTH + 1))
def test_archives_in_archives_are_unpacked_to_a_small_depth(layers: list[str]) -> None:
    name, data = "one.mat", MATCH
    for layer in layers:
        if layer in COMPRESS:
            data = COMPRESS[layer](data)
        else:
            data = (zipped if layer == "zip" else tarred)({name: data})
        name = f"{name}.{layer}"
    deep, inside = 0, ""  # a compressed tar is one archive
    for layer in reversed(layers):
        deep += not (layer == "tar" and inside in COMPRESS)
        inside = layer
    if not layers:
        return
    if deep <= DEPTH + 1:
        assert [*found(name, data).values()] == [MATCH]
        assert faults(name, data) == {}


def test_an_archive_in_too_many_archives_is_named() -> None:
    name, data = "one.mat", MATCH
    for _ in range(DEPTH + 2):
        name, data = f"{name}.zip", zipped({name: data})
    assert found(name, data) == {}
    [reason] = faults(name, data).values()
    assert reason == "packed too often: unpack it"


@pytest.mark.parametrize("name", ["../../etc/passwd.mat", "/etc/passwd.mat", "C:\\a\\b.mat"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_name_that_leads_out_of_the_archive_leads_nowhere(
    name: str, pack: Callable[[Files], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [*found("x.zip", pack({name: MATCH})).values()] == [MATCH]
    assert list(tmp_path.rglob("*")) == []


def test_links_and_devices_of_a_tar_archive_are_left_out() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo("link.mat")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    assert faults("a.tar", out.getvalue()) == {"a.tar": "no match file in it"}


# --- bombs and damage


def spent(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a.mat.gz", "a.mat.bz2", "a.mat.xz", "a.zip", "a.tar.xz"])
def test_a_bomb_is_refused_and_costs_little(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST, "bytes unpacked", MIB)
    bomb = bytes(40 * MIB)
    if name in ARCHIVES:
        data = ARCHIVES[name]({"a.mat": bomb, "b.mat": MATCH})
    else:
        data = COMPRESS[name.rpartition(".")[2]](bomb)
    del bomb
    told: list[dict[str, str]] = []
    assert spent(lambda: told.append(faults(name, data))) < 20 * MIB
    assert list(told[0].values()) == ["more than 1,048,576 bytes in one file: split it"]
    if name in ARCHIVES:
        assert found(name, data) == {f"{name}/b.mat": MATCH}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_many_small_members_are_bounded_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = ARCHIVES[name]({f"{i}.mat": bytes(20_000) for i in range(20)})
    monkeypatch.setattr(packed, "MOST_UNPACKED", 200_000)
    assert 0 < len(found(name, data)) < 11
    assert faults(name, data) == {name: "more than 200,000 bytes in one archive: split it"}
    monkeypatch.setattr(packed, "MOST_UNPACKED", MIB)
    monkeypatch.setattr(packed, "MOST_MEMBERS", 15)
    assert len(found(name, data)) == (0 if name == "a.zip" else 15)
    assert faults(name, data) == {name: "more than 15 files in one archive: split it"}


def test_the_lie_of_a_header_about_its_size_reserves_nothing() -> None:
    entry = tarfile.TarInfo("a.mat")
    entry.size = 2**40
    head = entry.tobuf(tarfile.GNU_FORMAT)
    pax = tarfile.TarInfo("pax")
    pax.type, pax.size = tarfile.XHDTYPE, 2**34
    for data in (head, pax.tobuf(), head + MATCH, lzma.compress(pax.tobuf() + bytes(MIB))):
        assert is_packed(data)
        assert spent(lambda data=data: faults("a.tar", data)) < 20 * MIB  # type: ignore[misc]
        assert faults("a.tar", data)


def test_a_dictionary_that_needs_too_much_memory_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 512 * MIB}]
    data = bytearray(lzma.compress(MATCH, filters=[{**filters[0], "dict_size": 4096}]))
    at = data.index(b"\x21\x01", 12)  # the filter, the size of its property, and the property
    data[at + 2] = 36  # 1 GiB
    block = data[12 : 12 + 4 * (data[12] + 1) - 4]
    data[12 + len(block) : 16 + len(block)] = zlib.crc32(block).to_bytes(4, "little")
    [reason] = faults("a.mat.xz", bytes(data)).values()
    assert "emory" in reason


def test_a_member_behind_a_password_or_an_unusual_method_is_named() -> None:
    data = bytearray(zipped({"a.mat": MATCH, "b.mat": OTHER}))
    for at in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[at] |= 1
    assert faults("a.zip", bytes(data)) == {"a.zip/a.mat": "a password protects it"}
    assert found("a.zip", bytes(data)) == {"a.zip/b.mat": OTHER}
    data = bytearray(zipped({"a.mat": MATCH}, zipfile.ZIP_BZIP2))
    assert faults("a.zip", bytes(data)) == {"a.zip/a.mat": "packed by an unusual method: unpack it"}


@given(st.sampled_from(sorted({*ARCHIVES, "one.mat.gz", "one.mat.bz2", "one.mat.xz"})), st.data())
def test_damage_is_told_and_never_raised(name: str, draws: st.DataObject) -> None:
    files = {"one.mat": MATCH, "two.mat": OTHER}
    whole = ARCHIVES[name](files) if name in ARCHIVES else COMPRESS[name.split(".")[-1]](MATCH)
    data = bytearray(whole)
    for _ in range(draws.draw(st.integers(0, 4))):
        data[draws.draw(st.integers(0, len(data) - 1))] = draws.draw(st.integers(0, 255))
    cut = bytes(data[: draws.draw(st.integers(0, len(data)))])
    if is_packed(cut):
        told = list(members(name, cut))
        assert told
        assert all(member.fault or member.data is not None for member in told)
