"""What each roll would be worth to the player on roll, for telling how lucky the one that came was.

Whose point of view: as in engine.kernels.tree, of which this is one node, not looked beyond. Four
hundred positions can come of a turn, so if KEEP says so, only those plays of a roll are judged in
full that the pruning net likes, and all that leave a race or a bearoff, where judging costs little.
"""

from __future__ import annotations

import numpy as np

from sixprime.engine.kernels.compiled import kernel
from sixprime.engine.kernels.evaluation import rank_results
from sixprime.engine.kernels.moves import PLACES, generate
from sixprime.engine.kernels.tree import CHECKERS, KEEP, score_results


@kernel
def roll_worths(brain, board, cube, owner, terms, work, walk, worths):
    """Fill worths float64[n]: the best play of each of terms.rolls at 0-ply, for the mover."""
    side = np.int64(0)  # the mover's
    checkers = terms.settings[CHECKERS]
    keep = terms.settings[KEEP]
    for r in range(len(terms.rolls)):
        high, low = terms.rolls[r, 0], terms.rolls[r, 1]
        count = generate(board, high, low, work.results, work.plays, work.keys, work.table)
        if count == 0:
            for place in range(PLACES):
                work.results[0, 0, place] = board[0, place]
                work.results[0, 1, place] = board[1, place]
            count = np.int64(1)
        count = rank_results(brain, board, checkers, count, keep, work)
        score_results(brain, board, side, cube, owner, count, terms, work, walk, work.scores)
        best = work.scores[0]
        for i in range(1, count):
            best = max(best, work.scores[i])
        worths[r] = best
