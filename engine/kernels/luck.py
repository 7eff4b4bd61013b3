"""The luck of a roll, as the root player of a search sees it, with the cube and at 0-ply.

Results are float64[6]: the five chances and the worth (engine.kernels.cube).
"""

from __future__ import annotations

import numpy as np

from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, turned
from sixprime.engine.kernels.evaluation import judge
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.moves import NONE, ONE
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.tree import CHECKERS, best_replies, descend, worths_of

RESULTS = 6
WORTH = 5
FIRST_ROLLS = 30  # of 36: those that are not doubles


@kernel
def for_root(side, outcomes, worth, terms, out):
    """Write the mover's chances and worth to float64[6], as the root player sees them."""
    if side == 0:
        for k in range(OUTPUTS):
            out[k] = outcomes[k]
        out[WORTH] = worth
    else:
        out[0] = 1.0 - outcomes[0]
        out[1] = outcomes[3]
        out[2] = outcomes[4]
        out[3] = outcomes[1]
        out[4] = outcomes[2]
        out[WORTH] = turned(worth, terms.rules)


@kernel
def play_roll(search, side, die1, die2):
    """Play a roll at depth 0 as is best for its first state; the result goes to depth 1."""
    walk = search.walk
    walk.children[0, 0, CUBE] = walk.states[0, 0, CUBE]
    walk.children[0, 0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
    best_replies(search, NONE, side, ONE, die1, die2)
    descend(walk, NONE, NONE, ONE)


@kernel
def value_of_roll(search, side, die1, die2, out):
    """Play a roll from depth 0 to depth 1; out float64[6] is its value to the root player."""
    walk = search.walk
    play_roll(search, side, die1, die2)
    board, outcomes, worths = walk.boards[1], walk.outcomes[1], walk.worths[1]
    kind = walk.known[1]
    if kind < 0:
        kind = judge(search.brain, board, search.terms.settings[CHECKERS], search.work, outcomes)
        walk.known[1] = kind
    worths_of(search, board, kind, outcomes, 1 - side, walk.states[1], ONE, worths)
    for_root(1 - side, outcomes, worths[0], search.terms, out)


@kernel
def add_luck(search, room, side, die1, die2, opening):
    """Subtract from room.known_part what a roll is worth to the root player above the average.

    The average is over all 21 rolls, or the 15 that are not doubles, so the mean of the differences
    is zero however wrong the worths are, and judging only the replies that the pruning net likes is
    enough (KEEP in the terms). Nothing is played.
    """
    rolls = 36.0 if not opening else np.float64(FIRST_ROLLS)
    for high in range(1, 7):
        for low in range(1, high + 1):
            if opening and high == low:
                continue
            share = -1.0 / rolls if high == low else -2.0 / rolls
            if high == max(die1, die2) and low == min(die1, die2):
                share += 1.0
            value_of_roll(search, side, high, low, room.value)
            for k in range(RESULTS):
                room.known_part[k] -= room.share[0] * share * room.value[k]
