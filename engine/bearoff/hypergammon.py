"""Hypergammon databases, from the cache folder or a file, and look-ups in them.

The figures are makehyper's, and so is its one fault: after a dance the equities with a cube are
carried over as if the sides had not changed, so they are wrong if dances matter (docs/gnubg.md).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sixprime.engine.bearoff.databases import Database, NotCovered, cached, kept
from sixprime.engine.bearoff.files import HEADER, BadDatabase, Contents, Hypergammon
from sixprime.engine.kernels.bearoff import hypergammon as kernel
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.position import MOST_IN_HYPERGAMMON, Chances, Checkers, Position, Variant

_SCALE = 2**24 - 1
AT_ONCE = 2  # checkers; their databases take only seconds


class HypergammonFigures(NamedTuple):
    """Figures of the player on roll, before rolling; equities are for money and a stake of 1.

    The cubeful ones hold the cube where it is now, with all later doubling perfect.
    """

    chances: Chances
    owned: float
    centred: float
    jacoby: float  # centred, and gammons count only after a double
    against: float  # the opponent owns the cube


class HypergammonDatabase(Database[Hypergammon]):
    of = Hypergammon

    def __init__(self, contents: Contents, name: str = "") -> None:
        super().__init__(contents, name)
        kind = self.kind
        self._entries = contents[HEADER:].reshape(kind.sides, kind.sides, kernel.ENTRY)
        self._binomials = numbering.binomials(kernel.PLACES, kind.checkers)

    def figures(self, position: Position) -> HypergammonFigures:
        """Return chances and equities; NotCovered for a position of another game."""
        if position.checkers != self.kind.checkers:
            raise NotCovered(f"{self.name}: {position.checkers} checkers a side")
        entry = self._entries[self._rank(position.mine), self._rank(position.theirs)]
        low, middle, high = entry[: kernel.ENTRY - 1].reshape(-1, 3).T.astype(np.int64)
        shares = (low + (middle << 8) + (high << 16)) / _SCALE
        win, gammon, backgammon, lost, lost_backgammon = shares[: kernel.EQUITY].tolist()
        equities = (6.0 * shares[kernel.EQUITY :] - 3.0).tolist()
        # The file rounds each figure by itself, so a zero may come back as a last bit.
        mine_off, theirs_off = position.off()
        gammon = 0.0 if theirs_off else min(gammon, win)
        lost = 0.0 if mine_off else min(lost, 1.0 - win)
        backgammon, lost_backgammon = min(backgammon, gammon), min(lost_backgammon, lost)
        return HypergammonFigures((win, gammon, backgammon, lost, lost_backgammon), *equities)

    def _rank(self, side: Checkers) -> int:
        return int(numbering.rank_of(np.array(side), kernel.PLACES, self._binomials))


@lru_cache
def hypergammon(checkers: int) -> HypergammonDatabase:
    """Return the database of the cache folder, built on first use if that takes seconds.

    Three checkers take minutes, too long for an evaluation: BadDatabase says how to get it.
    """
    kind = Hypergammon(checkers)
    contents = cached(kind) if checkers <= AT_ONCE else kept(kind)
    if contents is None:
        how = f"sixprime bearoff hyper --checkers {checkers}"
        raise BadDatabase(f"hypergammon with {checkers} checkers needs its database: {how}")
    return HypergammonDatabase(contents, kind.name)


def needs(variant: Variant) -> str:
    """Say which database is missing to play this, and how to get it; "" if none is."""
    return missing(Position.start(variant).checkers)


def missing(checkers: int) -> str:
    """Say the same for the game with this many checkers a side."""
    if AT_ONCE < checkers <= MOST_IN_HYPERGAMMON:
        try:
            hypergammon(checkers)
        except BadDatabase as error:
            return str(error)
    return ""
