"""Bearoff databases as files in GNU Backgammon's format: kinds, building, writing, checking.

A file is 40 bytes of header that name its kind, then numbers, all little-endian. One-sided: for
every rank 32 words of the distribution and, with gammons, 32 more; compressed, an index of offsets
and non-zero spans comes first. Two-sided: four words (or one) for every pair of ranks. Hypergammon:
28 bytes for every pair.

Files are written under a temporary name, synced and renamed, so a killed build leaves no file that
could be opened, and two builds at once end with one whole file.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import mmap
import os
import sys
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.iterating import iterated
from sixprime.engine.kernels.bearoff import hypergammon, onesided, twosided
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.position import MAX_CHECKERS
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import clear_parts, written_whole

HEADER = 40
WORDS: int = numbering.WORDS
ONE: int = numbering.ONE
MAX_ONE_SIDED_POINTS = 18  # beyond that backgammons are possible, and no disk is large enough
MAX_TWO_SIDED_POINTS = 24

Progress = Callable[[int, int], None]  # done, out of
Words = NDArray[np.uint16]
Contents = NDArray[np.uint8]  # a whole file, mapped or in memory


class BadDatabase(InputError):
    """The file is not a whole bearoff database of use here; the text says why."""


# --- which database ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OneSided:
    """A one-sided database: 15 checkers on the first points, and the contents of its file."""

    called: ClassVar = "one-sided"

    points: int = 6
    gammons: bool = True
    compressed: bool = True
    normal: bool = False  # means and standard deviations instead of distributions

    def __post_init__(self) -> None:
        _in_range("points", self.points, MAX_ONE_SIDED_POINTS)

    @property
    def sides(self) -> int:
        """The number of ways in which a side can stand."""
        return _sides(self.points, MAX_CHECKERS)

    @property
    def base(self) -> int:
        """The first rank with all 15 checkers on the board."""
        return _sides(self.points, MAX_CHECKERS - 1)

    @property
    def header(self) -> bytes:
        gammons, compressed = self.gammons or self.normal, self.compressed and not self.normal
        text = f"gnubg-OS-{self.points:02}-15-{gammons:d}-{compressed:d}-{self.normal:d}"
        return _padded(text)

    @property
    def name(self) -> str:
        return f"one-sided-{self.points}.bd"


@dataclass(frozen=True, slots=True)
class TwoSided:
    """A two-sided database: at most `checkers` a side on the first `points`."""

    called: ClassVar = "two-sided"

    points: int = 6
    checkers: int = 6
    cubeful: bool = True

    def __post_init__(self) -> None:
        _in_range("points", self.points, MAX_TWO_SIDED_POINTS)
        _in_range("checkers", self.checkers, MAX_CHECKERS)

    @property
    def sides(self) -> int:
        """The number of ways in which a side can stand."""
        return _sides(self.points, self.checkers)

    @property
    def cases(self) -> int:
        """Equities an entry: cubeless, and with the cube mine, centred, theirs."""
        return 4 if self.cubeful else 1

    @property
    def size(self) -> int:
        """Bytes, the header not counted."""
        return 2 * self.sides**2 * self.cases

    @property
    def header(self) -> bytes:
        return _padded(f"gnubg-TS-{self.points:02}-{self.checkers:02}-{self.cubeful:d}")

    @property
    def name(self) -> str:
        return f"two-sided-{self.points}x{self.checkers}.bd"


@dataclass(frozen=True, slots=True)
class Hypergammon:
    """Chances and money equities of every position of a game with 1 to 3 checkers a side."""

    called: ClassVar = "hypergammon"

    checkers: int = 3

    def __post_init__(self) -> None:
        _in_range("checkers", self.checkers, hypergammon.MOST)

    @property
    def sides(self) -> int:
        """The number of ways in which a side can stand."""
        return _sides(hypergammon.PLACES, self.checkers)

    @property
    def size(self) -> int:
        """Bytes that building it takes."""
        return self.sides**2 * (hypergammon.ENTRY + 4 * hypergammon.FIGURES)

    @property
    def header(self) -> bytes:
        return _padded(f"gnubg-H{self.checkers}")

    @property
    def name(self) -> str:
        return f"hypergammon-{self.checkers}.bd"


Kind = OneSided | TwoSided | Hypergammon
K = TypeVar("K", OneSided, TwoSided, Hypergammon)


def _in_range(what: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{what} must be 1 to {most}, not {value}")


def _sides(points: int, checkers: int) -> int:
    return math.comb(points + checkers, points)


def _padded(text: str) -> bytes:
    return text.ljust(HEADER - 1, "x").encode("ascii") + b"\n"


# CRC-32 of the databases' files, which are the same everywhere
SUMS: dict[Kind, int] = {
    OneSided(1): 0xC1D1417F, OneSided(2): 0x7A1DAEC9, OneSided(3): 0x54B53E45,
    OneSided(4): 0xF6120790, OneSided(5): 0xA80A8097, OneSided(6): 0x35C2C59D,
    OneSided(7): 0xC4469BB3, OneSided(8): 0xB1345C47, TwoSided(6, 1): 0x1B25BB51,
    TwoSided(6, 2): 0xF899D431, TwoSided(6, 3): 0x557F80D9, TwoSided(6, 4): 0x3417F802,
    TwoSided(6, 5): 0x86E30C42, TwoSided(6, 6): 0x472119A2, TwoSided(6, 7): 0xE7AAF1EB,
    Hypergammon(1): 0xC2D52211, Hypergammon(2): 0x4CE69B31,
}  # fmt: skip


# --- building ---------------------------------------------------------------------------------


def build(
    kind: Kind, progress: Progress | None = None, threads: int = 1, state: Path | None = None
) -> list[NDArray[np.uint8]]:
    """Return the bytes of a database after its header, in pieces to write one after another.

    Threads do not help one-sided databases, since each rank needs the ranks just before it. The
    file `state` keeps the work on a hypergammon database until it is done.
    """
    report = progress or (lambda done, total: None)
    if isinstance(kind, Hypergammon):
        return [_bytes(iterated(kind.checkers, report, threads, state))]
    if isinstance(kind, TwoSided):
        return [_bytes(_build_two_sided(kind, report, threads))]
    if kind.normal:
        return [_bytes(_build_normals(kind, report))]
    words, gammon_words = _build_distributions(kind, report)
    if kind.compressed:
        return _packed(kind, words, gammon_words)
    if not kind.gammons:
        return [_bytes(words)]
    both = np.zeros((kind.sides, 2, WORDS), dtype=np.uint16)
    both[:, 0] = words
    both[: kind.base, 1, 0] = ONE
    both[kind.base :, 1] = gammon_words
    return [_bytes(both)]


def _bytes(array: NDArray[np.generic]) -> NDArray[np.uint8]:
    little = array if sys.byteorder == "little" else array.byteswap()
    return little.reshape(-1).view(np.uint8)


def _chunks(first: int, last: int, pieces: int) -> Iterable[tuple[int, int]]:
    edges = np.linspace(first, last, pieces + 1).astype(int).tolist()
    return [(a, b) for a, b in itertools.pairwise(edges) if a < b]


def _step_table(rows: NDArray[Any], ranks: int) -> onesided.StepTable:
    ones, pairs = np.zeros((ranks, 8), dtype=np.int64), np.zeros((ranks, 6, 2), dtype=np.int64)
    return onesided.StepTable(rows, ones, pairs)


def _rank_one(kind: OneSided) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first place to fill, and the binomials."""
    binomials = numbering.binomials(kind.points, MAX_CHECKERS)
    tops = np.zeros(kind.points, dtype=np.int64)
    numbering.unrank(1, kind.points, binomials, tops)
    return tops, binomials


def _build_distributions(kind: OneSided, report: Progress) -> tuple[Words, Words]:
    full = kind.sides - kind.base if kind.gammons else 0
    table = _step_table(np.zeros((kind.sides, WORDS), dtype=np.uint16), kind.sides)
    gammons = _step_table(np.zeros((full, WORDS), dtype=np.uint16), full)
    table.rows[0, 0] = ONE
    places = _rank_one(kind)
    for first, last in _chunks(1, kind.sides, 100 if kind.sides > 10_000 else 1):
        onesided.fill_distributions(first, last, *places, kind.base, table, gammons)
        report(last, kind.sides)
    return table.rows, gammons.rows


def _build_normals(kind: OneSided, report: Progress) -> NDArray[np.float32]:
    rows = np.zeros((kind.sides, 4), dtype=np.float32)
    tables = _step_table(rows, kind.sides), _step_table(rows, kind.sides - kind.base)
    places = _rank_one(kind)
    for first, last in _chunks(1, kind.sides, 100 if kind.sides > 10_000 else 1):
        onesided.fill_normals(first, last, *places, kind.base, rows.view(np.int32), *tables)
        report(last, kind.sides)
    return rows


def index_entry(gammons: bool) -> np.dtype[np.void]:
    """Return the type of an index entry: offset in words, then (count, first) once or twice."""
    return np.dtype([("offset", "<u4"), ("spans", "u1", (4 if gammons else 2,))])


def _packed(kind: OneSided, words: Words, gammon_words: Words) -> list[NDArray[np.uint8]]:
    index = np.zeros(kind.sides, dtype=index_entry(kind.gammons))
    whole = onesided.Spans(words, *np.zeros((2, kind.sides), dtype=np.int64))
    gammons = onesided.Spans(gammon_words, *np.zeros((2, len(gammon_words)), dtype=np.int64))
    size = onesided.find_spans(whole) + onesided.find_spans(gammons)
    spans = index["spans"]
    spans[:, 0], spans[:, 1] = whole.sizes, whole.firsts
    if kind.gammons:
        size += kind.base
        spans[: kind.base, 2:] = 1, 0
        spans[kind.base :, 2], spans[kind.base :, 3] = gammons.sizes, gammons.firsts
    data = np.zeros(size, dtype=np.uint16)
    offsets = np.zeros(kind.sides, dtype=np.int64)
    onesided.pack(whole, gammons, kind.base, offsets, data)
    index["offset"] = offsets
    return [index.view(np.uint8), _bytes(data)]


def _build_two_sided(kind: TwoSided, report: Progress, threads: int) -> Words:
    points, sides, cases = kind.points, kind.sides, kind.cases
    steps = np.zeros((sides, 6, points), dtype=np.int64)
    found = np.zeros((sides, 6), dtype=np.int64)
    pips = np.zeros(sides, dtype=np.int64)
    binomials = numbering.binomials(points, kind.checkers)
    twosided.all_steps(points, binomials, sides, steps, found, pips)
    order = np.argsort(pips, kind="stable")
    number = np.empty(sides, dtype=np.int64)
    number[order] = np.arange(sides)
    starts, results = twosided.all_results(order, number, steps, found)
    edges = np.searchsorted(pips[order], np.arange(pips.max() + 2)).tolist()
    values = np.zeros((sides, sides * cases), dtype=np.int16)
    table = twosided.PairTable(values, np.zeros_like(values), starts, results)

    def rows(part: tuple[int, int]) -> None:
        twosided.fill(table, *part, 0, part_low, cases)

    def columns(part: tuple[int, int]) -> None:
        twosided.fill(table, 0, part_high, *part, cases)

    with ThreadPoolExecutor(threads) as pool:
        spread = map if threads == 1 else pool.map
        for part_low, part_high in itertools.pairwise(edges):
            if part_low > 0:
                list(spread(rows, _chunks(part_low, part_high, threads)))
            list(spread(columns, _chunks(part_low, part_high, threads)))
            report(part_high**2, sides**2)
    words = table.gains.view(np.uint16)  # its memory is free now, and as large
    twosided.in_rank_order(values, number, cases, words)
    return words


def contents_of(kind: Kind, pieces: list[NDArray[np.uint8]]) -> Contents:
    """Return a whole file in memory."""
    return np.concatenate([np.frombuffer(kind.header, dtype=np.uint8), *pieces])


# --- files ------------------------------------------------------------------------------------


def write_database(
    kind: Kind,
    path: Path,
    progress: Progress | None = None,
    *,
    threads: int = 1,
    header: bool = True,
) -> None:
    """Build a database and put it at `path`, whole or not at all."""
    save_pieces(path, kind.header if header else b"", build(kind, progress, threads))


def save_pieces(path: Path, head: bytes, body: list[NDArray[np.uint8]]) -> None:
    """Put a file at `path`, whole or not at all, and remove the leftovers of killed builds."""
    clear_parts(path.resolve().parent, path.resolve().name)
    with written_whole(path) as file:
        file.writelines((head, *(piece.data for piece in body)))


def mapped(path: Path) -> Contents:
    """Map the contents of a file, shared with every process that maps it."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < HEADER:
            raise BadDatabase(f"{path}: shorter than the header of a bearoff database")
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)


def kind_of(contents: Contents, name: str) -> Kind:
    """Return the kind in the header; BadDatabase if the header is unknown."""
    header = bytes(contents[:HEADER])
    words = header.rstrip(b"x\n").decode("ascii", "replace").split("-")
    kind: Kind | None = None
    with contextlib.suppress(ValueError, IndexError):
        if words[:2] == ["gnubg", "TS"]:
            kind = TwoSided(int(words[2]), int(words[3]), words[4] == "1")
        elif words[:2] == ["gnubg", "OS"]:
            kind = OneSided(int(words[2]), *(flag == "1" for flag in words[4:7]))
        elif words[0] == "gnubg" and words[1][0] == "H":
            kind = Hypergammon(int(words[1][1:]))
    if kind is None or kind.header != header:
        raise BadDatabase(f"{name}: not a bearoff database that this program knows")
    return kind


def checked(wanted: type[K], contents: Contents, name: str) -> K:
    """Return the kind in the header; BadDatabase if it is another, or the file is not whole."""
    kind = kind_of(contents, name)
    if not isinstance(kind, wanted):
        raise BadDatabase(f"{name}: a {kind.called} database, not a {wanted.called} database")
    check(kind, contents, name)
    return kind


def check(kind: Kind, contents: Contents, name: str) -> None:
    """Raise BadDatabase if the size differs from header and index, or the checksum is wrong."""
    size = HEADER + _body_size(kind, contents[HEADER:])
    if len(contents) != size:
        how = "cut off" if len(contents) < size else "too long"
        raise BadDatabase(f"{name}: {how}, {len(contents)} bytes instead of {size}")
    if kind in SUMS and zlib.crc32(contents.data) != SUMS[kind]:
        raise BadDatabase(f"{name}: damaged, its checksum is wrong")


def _body_size(kind: Kind, body: NDArray[np.uint8]) -> int:
    if isinstance(kind, Hypergammon):
        return kind.sides**2 * hypergammon.ENTRY
    if isinstance(kind, TwoSided):
        return kind.sides**2 * kind.cases * 2
    if kind.normal:
        return kind.sides * 16
    if not kind.compressed:
        return kind.sides * 2 * WORDS * (2 if kind.gammons else 1)
    entry = index_entry(kind.gammons)
    index_size = kind.sides * entry.itemsize
    if len(body) < index_size:
        return index_size
    last = body[:index_size].view(entry)[-1]
    return index_size + 2 * (int(last["offset"]) + int(last["spans"][::2].sum()))
