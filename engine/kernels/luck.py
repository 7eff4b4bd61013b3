"""The luck of a roll, as the root player of a search sees it, with the cube and at 0-ply.

Results are float64[6]: the five chances and the worth (engine.kernels.cube).

The luck is the worth of the roll less the average of all rolls, so its mean is zero even if the
worths are wrong. The average takes twenty times as long as one roll, and it is often known already:

- A bearoff database is the average of its own plays. Without a cube the luck there is the gain of
  the play with which the database was built.
- Trials of one rollout meet the same positions in their first turns: `Averages` remembers them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.lookup import (
    LOSE_GAMMON,
    WIN_GAMMON,
    inside,
    outcomes_of_ranks,
)
from sixprime.engine.kernels.bearoff.ranks import HOME, rank_of
from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, turned
from sixprime.engine.kernels.evaluation import TWO_SIDED
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.memory import key_of
from sixprime.engine.kernels.moves import NONE, ONE, generate
from sixprime.engine.kernels.network import OUTPUTS, turn_round
from sixprime.engine.kernels.tree import best_replies, dead, descend, worths_of

RESULTS = 6
WORTH = 5
FIRST_ROLLS = 30  # of 36, without the doubles
REMEMBERED = 1 << 12  # averages; a power of two


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
    """Play a roll at depth 0 in the best way for its first state; the result goes to depth 1."""
    walk = search.walk
    walk.children[0, 0, CUBE] = walk.states[0, 0, CUBE]
    walk.children[0, 0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
    best_replies(search, NONE, side, ONE, die1, die2)
    descend(walk, NONE, NONE, ONE)


@kernel
def value_of_roll(search, side, die1, die2, out):
    """Play a roll from depth 0 to depth 1 and fill float64[6] with its value to the root player."""
    walk = search.walk
    play_roll(search, side, die1, die2)
    board, outcomes, worths = walk.boards[1], walk.outcomes[1], walk.worths[1]
    worths_of(search, board, walk.known[1], outcomes, 1 - side, walk.states[1], ONE, worths)
    for_root(1 - side, outcomes, worths[0], search.terms, out)


@kernel
def luck_of_roll(search, side, die1, die2, opening, value, average, out):
    """Fill out float64[6] with the luck of a roll at depth 0, and `average` with the mean roll.

    Judging only the replies that seem best is enough (KEEP in the terms). Nothing is played;
    `value` float64[6] is scratch.
    """
    rolls = 36.0 if not opening else np.float64(FIRST_ROLLS)
    for k in range(RESULTS):
        average[k] = 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            if opening and high == low:
                continue
            value_of_roll(search, side, high, low, value)
            for k in range(RESULTS):
                average[k] += (1.0 if high == low else 2.0) / rolls * value[k]
            if high == max(die1, die2) and low == min(die1, die2):
                for k in range(RESULTS):
                    out[k] = value[k]
    for k in range(RESULTS):
        out[k] -= average[k]


class Averages(NamedTuple):
    """The averages remembered, each at the place of its key, over any other there.

    The key covers everything that an average depends on but the brain.
    """

    salt: NDArray[np.uint64]  # [1]: engine.kernels.memory.salt_of the terms
    keys: NDArray[np.uint64]  # [REMEMBERED]
    values: NDArray[np.float64]  # [REMEMBERED, RESULTS]


def averages() -> Averages:
    """Return an empty memory."""
    return Averages(
        np.zeros(1, np.uint64), np.zeros(REMEMBERED, np.uint64), np.zeros((REMEMBERED, RESULTS))
    )


@kernel
def shared_luck(search, side, die1, die2, opening, averages, value, out):
    """Fill as `luck_of_roll`, with the average from memory if the position is known there."""
    walk = search.walk
    salt = averages.salt[0] + np.uint64(opening)
    key = key_of(walk.boards[0], walk.states[0], ONE, side, NONE, salt)
    place = np.int64(key & np.uint64(REMEMBERED - 1))
    average = averages.values[place]
    if averages.keys[place] != key:
        luck_of_roll(search, side, die1, die2, opening, value, average, out)
        averages.keys[place] = key
        return
    value_of_roll(search, side, die1, die2, out)
    for k in range(RESULTS):
        out[k] -= average[k]


@kernel
def known_luck(search, kind, side, die1, die2, value, out):
    """Fill out float64[6] with the cubeless luck of a roll in a position of a database.

    The board at depth 0 is of class `kind` and judged; `value` float64[6] is scratch.
    """
    walk, terms = search.walk, search.terms
    before = walk.outcomes[0]
    for_root(side, before, dead_at_root(search, side, before), terms, out)
    if kind == TWO_SIDED:
        value_of_roll(search, side, die1, die2, value)
    else:
        after = walk.outcomes[1]
        play_as_built(search, die1, die2, after)
        for_root(side, after, dead_at_root(search, side, after), terms, value)
    for k in range(RESULTS):
        out[k] = value[k] - out[k]


@kernel
def dead_at_root(search, side, outcomes):
    """Return the worth of outcomes to `side` with the cube at depth 0."""
    state = search.walk.states[0, 0]
    return dead(outcomes, side, state[CUBE], state[OWNER], search.terms)


@kernel
def play_as_built(search, die1, die2, out):
    """Fill float32[5] with the mover's chances after the play that a one-sided database assumes.

    It leaves the fewest rolls; for the gammon, the fewest until the first checker is off.
    """
    brain, work, board = search.brain, search.work, search.walk.boards[0]
    if inside(board, HOME):
        tails, gammon_tails, binomials = brain.tails, brain.gammon_tails, brain.binomials
    else:
        tails, gammon_tails = brain.far_tails, brain.far_gammon_tails
        binomials = brain.far_binomials
    points = binomials.shape[1] - 2
    base = len(tails) - len(gammon_tails)
    soonest, first_off = np.int64(0), np.int64(0)
    fewest, fewest_off = np.int64(1) << 62, np.int64(1) << 62
    for i in range(generate(board, die1, die2, work.rolled)):
        rank = rank_of(work.rolled.results[i, 0], points, binomials)
        rolls = rolls_left(tails[rank])
        if rolls < fewest:
            fewest = rolls
            soonest = rank
        rolls = rolls_left(gammon_tails[rank - base]) if rank >= base else np.int64(0)
        if rolls < fewest_off:
            fewest_off = rolls
            first_off = rank
    theirs = rank_of(board[1], points, binomials)
    outcomes_of_ranks(theirs, first_off, tails, gammon_tails, work.turned)
    lost = work.turned[WIN_GAMMON]
    outcomes_of_ranks(theirs, soonest, tails, gammon_tails, work.turned)
    turn_round(work.turned, out)
    out[LOSE_GAMMON] = lost


@kernel
def rolls_left(tail):
    """Return the mean number of rolls of a row of tails, in units of 1 / 65535."""
    rolls = np.int64(0)
    for i in range(1, len(tail)):
        rolls += tail[i]
    return rolls
