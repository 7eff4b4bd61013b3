"""Exact bearoff databases, from the cache folder or a file, and look-ups in them.

Two kinds are here (hypergammon.py has a third). One-sided: for each side within P points the chance
to have borne everything off (and, of 15 checkers, the first one) after exactly n rolls; a race
between two such sides follows from both. Two-sided: the exact money equity of every pair of sides
with at most C checkers each.

Callers use `one_sided()` or `two_sided()`, which read the database in the cache folder and build it
there first if it is missing or broken. The evaluation kernels take `tables()`. A side is the counts
of checkers on its owner's points, ace point first.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sixprime.engine import cache_folder
from sixprime.engine.bearoff.files import (
    HEADER,
    ONE,
    SUMS,
    WORDS,
    BadDatabase,
    Contents,
    Hypergammon,
    K,
    Kind,
    Progress,
    TwoSided,
    Words,
    build,
    check,
    checked,
    contents_of,
    index_entry,
    mapped,
    save_pieces,
)
from sixprime.engine.bearoff.files import OneSided as OneSided  # lab.training takes it from here
from sixprime.engine.compiling.place import trusted_folder
from sixprime.engine.kernels.bearoff import lookup
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.position import MAX_CHECKERS, Position
from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.wholefiles import written_whole

PIPS_PER_ROLL = 49 / 6
SIDE_POINTS = 8  # of the one-sided database beside the net of a side: a second, 14 MB; 9 add little


class NotCovered(LookupError):
    """The position is outside the database, or the database lacks this figure."""


class Database(Generic[K]):
    """The contents of a file, whole and of the wanted kind; else BadDatabase."""

    of: type[K]

    def __init__(self, contents: Contents, name: str = "") -> None:
        self.name = name or f"{self.of.called} database"
        self.kind: K = checked(self.of, contents, self.name)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file into memory."""
        return cls(mapped(path), str(path))

    @classmethod
    def built(cls, kind: K, progress: Progress | None = None) -> Self:
        """Build one in memory, without any file."""
        return cls(contents_of(kind, build(kind, progress)))


# --- one-sided: looking up --------------------------------------------------------------------


class Outcomes(NamedTuple):
    """Chances of the player on roll without a cube; each gammon includes the backgammons."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        """Points a game, cubeless money play."""
        won = 2 * self.win - 1 + self.win_gammon + self.win_backgammon
        return won - self.lose_gammon - self.lose_backgammon


@dataclass(frozen=True, slots=True)
class RollsNeeded:
    """The rolls of one side until everything is off, played for speed."""

    mean: float
    variance: float

    @property
    def effective_pips(self) -> float:
        """The effective pip count: the mean number of rolls at 49/6 pips each."""
        return self.mean * PIPS_PER_ROLL


class OneSidedTables(NamedTuple):
    """Arguments of sixprime.engine.kernels.bearoff.lookup.bearoff_outcomes, in order."""

    tails: Words
    gammon_tails: Words
    binomials: NDArray[np.int64]


class OneSidedDatabase(Database[OneSided]):
    of = OneSided

    def __init__(self, contents: Contents, name: str = "") -> None:
        super().__init__(contents, name)
        self._body = contents[HEADER:]
        self._binomials = numbering.binomials(self.kind.points, MAX_CHECKERS)

    def covers(self, position: Position) -> bool:
        """Return whether every checker of both sides is within the database's points."""
        points = self.kind.points
        return position.checkers == MAX_CHECKERS and not (
            any(position.mine[points:]) or any(position.theirs[points:])
        )

    def rank(self, side: Sequence[int]) -> int:
        """Return the number of a side; NotCovered if a checker is further out, or one too many."""
        points = self.kind.points
        if any(side[points:]) or sum(side) > MAX_CHECKERS or min(side, default=0) < 0:
            raise NotCovered(f"{self.name}: no side {tuple(side)} within {points} points")
        counts = np.zeros(points, dtype=np.int64)
        counts[: min(len(side), points)] = side[:points]
        return int(numbering.rank_of(counts, points, self._binomials))

    def distribution(self, side: Sequence[int]) -> NDArray[np.float64]:
        """Return the chances to have borne everything off after exactly 0..31 rolls."""
        return self._words(self.rank(side), gammon=False) / ONE

    def first_off(self, side: Sequence[int]) -> NDArray[np.float64]:
        """Return the chances to have borne the first checker off after exactly 0..31 rolls."""
        rank = self.rank(side)
        if rank < self.kind.base:  # fewer than 15 checkers
            at_once: NDArray[np.float64] = np.eye(1, WORDS)[0]
            return at_once
        return self._words(rank, gammon=True) / ONE

    def rolls(self, side: Sequence[int]) -> RollsNeeded:
        if self.kind.normal:
            mean, deviation = self._normals[self.rank(side), :2].tolist()
            return RollsNeeded(mean, deviation**2)
        chances = self.distribution(side)
        after = np.arange(WORDS)
        mean = float(chances @ after)
        return RollsNeeded(mean, float(chances @ after**2) - mean**2)

    def outcomes(self, position: Position) -> Outcomes:
        """Return win and gammon chances of the race, the player on roll to roll.

        They are exact if both sides play for speed. No backgammon is possible from here.
        """
        if not self.covers(position):
            raise NotCovered(f"{self.name}: a checker is outside the {self.kind.points} points")
        mine, theirs = self.rank(position.mine), self.rank(position.theirs)
        fast, slow = self._words(mine, gammon=False), self._words(theirs, gammon=False)
        win_gammon = lose_gammon = 0.0
        if theirs >= self.kind.base:
            win_gammon = _meet(fast, self._words(theirs, gammon=True), 0)
        if mine >= self.kind.base:
            lose_gammon = _meet(slow, self._words(mine, gammon=True), 1)
        return Outcomes(_meet(fast, slow, 0), win_gammon, 0.0, lose_gammon, 0.0)

    def tables(self) -> OneSidedTables:
        """Return arrays for the kernels, unpacked once: 64 bytes a side, 128 with 15 checkers."""
        return self._tables

    @cached_property
    def _tables(self) -> OneSidedTables:
        kind = self.kind
        if kind.normal:
            raise NotCovered(f"{self.name}: holds normal approximations, no distributions")
        full = kind.sides - kind.base if kind.gammons else 0
        tails = np.zeros((kind.sides, WORDS), dtype=np.uint16)
        gammon_tails = np.zeros((full, WORDS), dtype=np.uint16)
        if kind.compressed:
            offsets = self._index["offset"].astype(np.int64)
            spans = np.ascontiguousarray(self._index["spans"])
            if not lookup.unpack_tails(offsets, spans, self._data, kind.base, tails, gammon_tails):
                raise BadDatabase(f"{self.name}: an entry is not a distribution")
        else:
            self._unpack(self._dense[:, 0], tails)
            if full:
                self._unpack(self._dense[kind.base :, 1], gammon_tails)
        return OneSidedTables(tails, gammon_tails, self._binomials)

    def _unpack(self, words: Words, tails: Words) -> None:
        done = np.cumsum(words, axis=1, dtype=np.int64)
        if (done[:, -1] != ONE).any():
            raise BadDatabase(f"{self.name}: an entry is not a distribution")
        tails[:] = ONE - (done - words)

    @cached_property
    def _index(self) -> NDArray[np.void]:
        entry = index_entry(self.kind.gammons)
        return self._body[: self.kind.sides * entry.itemsize].view(entry)

    @cached_property
    def _data(self) -> Words:
        return self._body[self._index.nbytes :].view("<u2")

    @cached_property
    def _dense(self) -> Words:
        return self._body.view("<u2").reshape(self.kind.sides, -1, WORDS)

    @cached_property
    def _normals(self) -> NDArray[np.float32]:
        return self._body.view("<f4").reshape(self.kind.sides, 4)

    def _words(self, rank: int, *, gammon: bool) -> NDArray[np.int64]:
        """Return the 32 words of one side."""
        kind = self.kind
        if kind.normal or (gammon and not kind.gammons):
            what = "gammon distributions" if gammon else "distributions"
            raise NotCovered(f"{self.name}: holds no {what}")
        if not kind.compressed:
            return np.array(self._dense[rank, int(gammon)], dtype=np.int64)
        at = int(self._index["offset"][rank])
        spans = self._index["spans"][rank].tolist()
        if gammon:
            at += spans[0]
        count, first = spans[2:] if gammon else spans[:2]
        words = np.zeros(WORDS, dtype=np.int64)
        if first + count > WORDS or at + count > len(self._data):
            raise BadDatabase(f"{self.name}: entry {rank} is not a distribution")
        words[first : first + count] = self._data[at : at + count]
        return words


def _meet(first: NDArray[np.int64], second: NDArray[np.int64], lead: int) -> float:
    """Sum the chances over i that `first` ends after i rolls, and `second` not before i + lead."""
    tails = ONE - np.concatenate(([0], np.cumsum(second)))
    return float(first[: WORDS - lead + 1] @ tails[lead : lead + WORDS]) / ONE**2


# --- two-sided: looking up --------------------------------------------------------------------


class Equities(NamedTuple):
    """Money equities of the player on roll, before rolling, for a stake of 1.

    The cubeful ones hold the cube where it is now, with all later doubling perfect.
    """

    cubeless: float
    owned: float
    centred: float
    against: float  # the opponent owns the cube

    def with_doubling(self) -> Equities:
        """Return the equities if the player on roll may double first, and does when it is right."""
        taken = 2 * self.against
        may = {"owned": self.owned, "centred": self.centred}
        now = {how: min(1.0, taken) if taken >= hold else hold for how, hold in may.items()}
        return self._replace(**now)


class TwoSidedTables(NamedTuple):
    """Arguments of the two-sided kernels of sixprime.engine.kernels.bearoff.lookup, in order."""

    words: Words  # uint16[n, n, cases]
    binomials: NDArray[np.int64]


class TwoSidedDatabase(Database[TwoSided]):
    of = TwoSided

    def __init__(self, contents: Contents, name: str = "") -> None:
        super().__init__(contents, name)
        kind = self.kind
        words = contents[HEADER:].view("<u2").reshape(kind.sides, kind.sides, kind.cases)
        self._tables = TwoSidedTables(words, numbering.binomials(kind.points, kind.checkers))

    def covers(self, position: Position) -> bool:
        """Return whether both sides have few enough checkers, close enough, and some off."""
        most = min(self.kind.checkers, position.checkers - 1)
        return all(
            sum(side) <= most and not any(side[self.kind.points :])
            for side in (position.mine, position.theirs)
        )

    def tables(self) -> TwoSidedTables:
        """Return arrays for the kernels; they share the contents' memory."""
        return self._tables

    def equities(self, position: Position) -> Equities:
        """Return exact equities; NotCovered if the database has no cube equities."""
        if not self.kind.cubeful:
            raise NotCovered(f"{self.name}: holds cubeless equities only")
        return Equities(*(self._entry(position) / lookup.HALF_SCALE - 1.0).tolist())

    def cubeless(self, position: Position) -> float:
        return float(self._entry(position)[0]) / lookup.HALF_SCALE - 1.0

    def outcomes(self, position: Position) -> Outcomes:
        """Return the exact chance to win; gammons are past."""
        return Outcomes((self.cubeless(position) + 1.0) / 2.0, 0.0, 0.0, 0.0, 0.0)

    def _entry(self, position: Position) -> Words:
        if not self.covers(position):
            size = f"{self.kind.checkers} checkers a side on {self.kind.points} points"
            raise NotCovered(f"{self.name}: the position is not within {size}")
        words, binomials = self._tables
        mine, theirs = (
            int(numbering.rank_of(np.array(side), self.kind.points, binomials))
            for side in (position.mine, position.theirs)
        )
        entry: Words = words[mine, theirs]
        return entry


# --- getting one ------------------------------------------------------------------------------


def cached(kind: Kind, progress: Progress | None = None) -> Contents:
    """Return the contents from the cache folder, built first if missing or broken."""
    contents = kept(kind)
    if contents is not None:
        return contents
    state = None
    if isinstance(kind, Hypergammon):
        state = place_of(kind).with_suffix(".state")
        with contextlib.suppress(OSError):
            state.parent.mkdir(parents=True, exist_ok=True)
    pieces = build(kind, progress, usable_cores(), state)
    contents = contents_of(kind, pieces)
    if is_kept(kind):
        path, note = _places(kind)
        with contextlib.suppress(OSError):  # a read-only folder, a full disk
            path.parent.mkdir(parents=True, exist_ok=True)
            save_pieces(path, kind.header, pieces)
            if kind not in SUMS:
                _note(note, f"{zlib.crc32(contents.data):08x}", path)
    return contents


def kept(kind: Kind) -> Contents | None:
    """Return the contents in the cache folder; None if they are missing or broken."""
    if not is_kept(kind):
        return None
    path, note = _places(kind)
    try:
        contents = mapped(path)
        if bytes(contents[:HEADER]) != kind.header:
            return None
        check(kind, contents, str(path))
        if kind not in SUMS and not _is_whole(contents, path, note):
            return None
    except (OSError, ValueError):
        return None
    # a copy cannot change after the check, but hypergammon's is too large to copy
    return contents if isinstance(kind, Hypergammon) else contents.copy()


def _is_whole(contents: Contents, path: Path, note: Path) -> bool:
    """Return whether the checksum is right; a file unchanged since the last check is not read."""
    wanted, *read_as = note.read_text().split()
    if read_as != [_standing(path)]:
        if zlib.crc32(contents.data) != int(wanted, 16):
            return False
        with contextlib.suppress(OSError):  # a read-only folder
            _note(note, wanted, path)
    return True


def _note(note: Path, checksum: str, path: Path) -> None:
    """Note the checksum, and the identity of its file."""
    with written_whole(note) as file:
        file.write(f"{checksum} {_standing(path)}\n".encode())


def _standing(path: Path) -> str:
    facts = path.stat()
    return f"{facts.st_size}-{facts.st_ino}-{facts.st_mtime_ns}"


def is_kept(kind: Kind) -> bool:
    """Return whether the cache folder keeps it: only if a checksum can reveal damage."""
    return kind in SUMS or isinstance(kind, Hypergammon)


def place_of(kind: Kind) -> Path:
    """Return the path in the cache folder."""
    return _places(kind)[0]


def _places(kind: Kind) -> tuple[Path, Path]:
    """Return the paths of the file, and of its checksum if that is not in SUMS."""
    path = trusted_folder(cache_folder(), "bearoff") / kind.name
    return path, path.with_suffix(".crc32")


def one_sided(points: int = 6, progress: Progress | None = None) -> OneSidedDatabase:
    """Return the one-sided database of the cache folder, built on first use."""
    kind = OneSided(points)
    return OneSidedDatabase(cached(kind, progress), kind.name)


def two_sided(
    points: int = 6, checkers: int = 6, progress: Progress | None = None
) -> TwoSidedDatabase:
    """Return the two-sided database of the cache folder, built on first use."""
    kind = TwoSided(points, checkers)
    return TwoSidedDatabase(cached(kind, progress), kind.name)


EMPTY = (
    OneSidedTables(
        np.zeros((0, WORDS), np.uint16), np.zeros((0, WORDS), np.uint16), np.zeros((0, 0), np.int64)
    ),
    TwoSidedTables(np.zeros((0, 0, 0), np.uint16), np.zeros((0, 0), np.int64)),
)  # to compile with
