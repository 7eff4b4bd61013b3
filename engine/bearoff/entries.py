"""Entries of any bearoff database file, ours or gnubg's, by index and by position.

A one-sided database has an entry for each side, the others for each pair of sides: entry
`index(mine) * sides + index(theirs)`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sixprime.engine.bearoff.databases import NotCovered, OneSidedDatabase, TwoSidedDatabase
from sixprime.engine.bearoff.files import OneSided, TwoSided, kind_of, mapped
from sixprime.engine.bearoff.hypergammon import HypergammonDatabase
from sixprime.engine.kernels.bearoff import hypergammon as kernel
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.position import MAX_CHECKERS, PLACES, Checkers, Position

AnyDatabase = OneSidedDatabase | TwoSidedDatabase | HypergammonDatabase
NOBODY: Checkers = (0,) * PLACES


def open_database(path: Path) -> AnyDatabase:
    """Map a file of any kind; BadDatabase if it is none, cut off or damaged, OSError."""
    contents, name = mapped(path), str(path)
    kind = kind_of(contents, name)
    if isinstance(kind, OneSided):
        return OneSidedDatabase(contents, name)
    if isinstance(kind, TwoSided):
        return TwoSidedDatabase(contents, name)
    return HypergammonDatabase(contents, name)


def number_of_entries(database: AnyDatabase) -> int:
    sides = database.kind.sides
    return sides if isinstance(database, OneSidedDatabase) else sides**2


def _limits(database: AnyDatabase) -> tuple[int, int]:
    """Return the points and the checkers of a side."""
    kind = database.kind
    if isinstance(kind, OneSided):
        return kind.points, MAX_CHECKERS
    return (kind.points if isinstance(kind, TwoSided) else kernel.PLACES), kind.checkers


def index_of_side(database: AnyDatabase, side: Checkers) -> int:
    """Return the number of a side; NotCovered if the database lacks it."""
    points, checkers = _limits(database)
    if any(side[points:]) or sum(side) > checkers:
        raise NotCovered(f"{database.name}: a side has {checkers} checkers on {points} points")
    counts = np.array(side[:points], np.int64)
    return int(numbering.rank_of(counts, points, numbering.binomials(points, checkers)))


def side_at(database: AnyDatabase, index: int) -> Checkers:
    """Return the side of this number; NotCovered if there are fewer."""
    points, checkers = _limits(database)
    if not 0 <= index < database.kind.sides:
        raise NotCovered(f"{database.name}: sides are numbered 0 to {database.kind.sides - 1}")
    tops, counts = np.zeros(points, np.int64), np.zeros(points, np.int64)
    numbering.unrank(index, points, numbering.binomials(points, checkers), tops)
    numbering.counts_of(tops, points, counts)
    return (*counts.tolist(), *NOBODY[points:])


def index_of(database: AnyDatabase, position: Position) -> int:
    """Return the entry of a position, of the player on roll's side in a one-sided database."""
    mine = index_of_side(database, position.mine)
    if isinstance(database, OneSidedDatabase):
        return mine
    return mine * database.kind.sides + index_of_side(database, position.theirs)


def position_at(database: AnyDatabase, index: int) -> Position:
    """Return the position of an entry; in a one-sided database the opponent has borne off."""
    if not 0 <= index < number_of_entries(database):
        last = number_of_entries(database) - 1
        raise NotCovered(f"{database.name}: entries are numbered 0 to {last}")
    if isinstance(database, OneSidedDatabase):
        return Position(side_at(database, index), NOBODY)
    mine, theirs = divmod(index, database.kind.sides)
    both = Position(side_at(database, mine), side_at(database, theirs))
    if isinstance(database, HypergammonDatabase):
        return replace(both, checkers=database.kind.checkers)
    return both
