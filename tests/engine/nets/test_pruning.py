"""The pruner's choice: what the best play of a roll costs that it does not keep.

Whoever looks ahead, or gathers targets, plays what the pruner leaves. One that is blind to a kind
of position plays it badly at every ply, and what it says of such games then bears that out.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import judge_results, rank_results, workspace
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import money
from sixprime.engine.lab.measuring import references
from sixprime.engine.lab.measuring.references import Reference
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MAX_CHECKERS
from sixprime.engine.search.plies import ALL_ROLLS, KEEP
from sixprime.protocols.formats.ids import read_position_id

BRAIN = load_brain()
IN_CONTACT = [each for each in references.load() if not read_position_id(each.position).is_race()]


def best(board: NDArray[np.int8], high: int, low: int, keep: int) -> float:
    """The equity of the best play of those that the pruner keeps; 0: of all."""
    work = workspace(BRAIN)
    count = generate(board, high, low, work.room)
    count = rank_results(BRAIN, board, MAX_CHECKERS, count, keep, work)
    if count == 0:
        return 0.0
    judge_results(BRAIN, board, MAX_CHECKERS, count, work)
    return max(float(money(each)) for each in work.outcomes[:count])


@pytest.mark.parametrize("reference", IN_CONTACT, ids=lambda each: each.name)
def test_the_pruner_keeps_good_plays_in_positions_of_every_kind(reference: Reference) -> None:
    board = read_position_id(reference.position).array()
    rolls = ALL_ROLLS[:, :2].tolist()
    lost = [best(board, high, low, 0) - best(board, high, low, KEEP) for high, low in rolls]
    assert min(lost) >= 0.0
    assert np.mean(lost) < 0.004
