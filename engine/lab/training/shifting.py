"""Shifts the targets of rivals: what nets think of all the plays of a roll, and how these differ.

One ply of look-ahead tells well which of two plies is better, but believes what the net believes of
the position as a whole. Whole games know better what it is worth. So each group of rivals keeps its
differences and gets the mean that nets taught by whole games give it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.training.model import Chances
from sixprime.engine.lab.training.refine import ALONE


def shifted(targets: Chances, judged: Chances, groups: NDArray[np.int32]) -> Chances:
    """`targets` of rivals with the mean of `judged` in each group; others stay as they are."""
    rivals = groups != ALONE
    _, numbers, sizes = np.unique(groups[rivals], return_inverse=True, return_counts=True)
    found = targets.astype(np.float64)
    for column in range(found.shape[1]):
        gaps = judged[rivals, column].astype(np.float64) - found[rivals, column]
        found[rivals, column] += (np.bincount(numbers, gaps) / sizes)[numbers]
    win, gammon, backgammon, lost, lost_backgammon = found.clip(0.0, 1.0).T
    gammon, lost = np.minimum(gammon, win), np.minimum(lost, 1.0 - win)
    columns = (
        win, gammon, np.minimum(backgammon, gammon), lost, np.minimum(lost_backgammon, lost)
    )  # fmt: skip
    return np.where(rivals[:, None], np.stack(columns, 1), targets).astype(np.float32)
