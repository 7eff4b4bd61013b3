"""The ends of sides of a race: from a large database, or one roll before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import OneSided, OneSidedDatabase
from sixprime.engine.kernels.bearoff.ranks import WORDS
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.inputs import COUNTS
from sixprime.engine.kernels.moves import roll_results
from sixprime.engine.kernels.races import (
    ALL,
    CHECKERS,
    ENDS,
    ESTIMATE_UNIT,
    FIRST,
    LEARNED,
    SideScratch,
    ends_of,
    side_scratch,
)
from sixprime.engine.lab.training.targets import look_ahead_sides
from sixprime.engine.nets.weights import reaching

SideBoards = NDArray[np.int8]  # [n, 25]
Ends = NDArray[np.float32]  # [n, ENDS, WORDS]


def within(brain: Brain, points: int) -> Brain:
    """Return the brain with a one-sided database of so many points, made in memory."""
    return reaching(brain, OneSidedDatabase.built(OneSided(points, compressed=False)))


class Judge(NamedTuple):
    """A brain within a large database, and what it needs to look ahead."""

    brain: Brain
    scratch: SideScratch
    estimates: NDArray[np.float32]  # [PLACES * COUNTS, LEARNED]

    @classmethod
    def of(cls, brain: Brain) -> Judge:
        estimates = brain.sides.table[:, :LEARNED] / ESTIMATE_UNIT
        estimates[:COUNTS] += brain.sides.bias[:LEARNED] / ESTIMATE_UNIT
        return cls(brain, side_scratch(brain.sides), estimates.astype(np.float32))

    def ends(self, sides: SideBoards) -> Ends:
        """Return the ends float32[n, ENDS, WORDS]: by the database, or one roll ahead beyond it."""
        ends = np.zeros((len(sides), ENDS, WORDS), np.float32)
        ends_of(self.brain, sides, self.scratch, ends)
        far = np.flatnonzero(sides[:, self.brain.reach[0] :].any(1))
        ahead = np.zeros((len(far), LEARNED, WORDS), np.float32)
        look_ahead_sides(
            self.brain, sides[far], self.estimates, roll_results(), self.scratch, ahead
        )
        ends[far, ALL] = ahead[:, ALL]
        full = sides[far].sum(1) == CHECKERS  # of others the first checker is off
        ends[far[full], FIRST] = ahead[full, FIRST]
        return ends
