"""Position -> the five chances: finished games, bearoff databases, race net, contact net.

A position gets the same result to the last bit whether it is evaluated alone, among thousands, or
inside a search, and with any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import Outcomes
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels.evaluation import Brain, Scratch, judge_many, scratch_for
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.nets import weights
from sixprime.engine.position import MAX_CHECKERS, Position

SHARE = 1024  # positions a thread takes at a time


class Evaluator:
    """An evaluator by the nets that ship, or the given brain, with scratch for each thread."""

    def __init__(self, brain: Brain | None = None, threads: int = 1) -> None:
        self.brain = weights.load_brain() if brain is None else brain
        self._held = Held(self.brain)
        self._works = [Held(scratch_for(self.brain)) for _ in range(threads)]

    def outcomes(self, position: Position) -> Outcomes:
        """Return the five chances of the player on roll."""
        if position.is_hypergammon():
            return Outcomes(*hypergammon(position.checkers).figures(position).chances)
        row = self.array(position.array()[None], position.checkers)[0]
        return Outcomes(*(float(chance) for chance in row))

    def many(self, positions: Sequence[Position]) -> list[Outcomes]:
        if not positions:
            return []
        if positions[0].is_hypergammon():
            return [self.outcomes(position) for position in positions]
        boards = np.stack([position.array() for position in positions])
        rows = self.array(boards, positions[0].checkers)
        return [Outcomes(*(float(chance) for chance in row)) for row in rows]

    def array(self, boards: NDArray[np.int8], checkers: int = MAX_CHECKERS) -> NDArray[np.float32]:
        """Return float32[n, 5] for int8[n, 2, 25] boards (engine.position)."""
        outs = np.empty((len(boards), 5), np.float32)
        if len(self._works) == 1 or len(boards) <= SHARE:
            judge_many(self._held, boards, checkers, self._works[0], outs)
            return outs
        shares = [slice(i, i + SHARE) for i in range(0, len(boards), SHARE)]

        def judge(thread: int, work: Held[Scratch]) -> None:
            for share in shares[thread :: len(self._works)]:
                judge_many(self._held, boards[share], checkers, work, outs[share])

        with ThreadPoolExecutor(len(self._works)) as pool:
            list(pool.map(judge, range(len(self._works)), self._works))
        return outs
