"""One trial of a rollout: a game from a position to its end, or to where it is cut.

Results are float64[6] from the side of the root player (side 0): the five chances and the worth
(engine.kernels.cube). With variance reduction the luck of each roll is taken out of all six: the
value of the roll's best play less the average over all 21 rolls, both at 0-ply.

Dice: for the first turns the roll comes from permutations of the 36 rolls, so that over 36 trials
each first roll, and over 1296 each pair of rolls, comes up equally often; later ones are random,
from the trial's own seed. So a trial does not depend on the others, nor on who computes it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sixprime.engine.kernels.compiled import kernel
from sixprime.engine.kernels.cube import CUBE, MONEY, OWNER, THEIRS, may_double, pass_worth, turned
from sixprime.engine.kernels.evaluation import ONE_SIDED, OVER, TWO_SIDED, judge
from sixprime.engine.kernels.memory import scramble
from sixprime.engine.kernels.moves import PLACES
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.tree import CHECKERS, CUBEFUL, as_it_is, best_reply, dead, worths_of

RESULTS = 6
WORTH = 5
LONGEST = 1000  # turns; then the position is judged as it stands

# options int64[4]
TRUNCATE, REDUCE, DATABASES, FIRST_DOUBLE = range(4)


@kernel
def roll_of(trial, turn, permutations, seed):
    """The dice of a turn of a trial; permutations int8[levels, turns, 36]."""
    levels, turns, rolls = permutations.shape
    if turn < turns:
        roll = 0
        share = trial
        for level in range(min(turn + 1, levels)):
            roll = permutations[level, turn, (share + roll) % rolls]
            share //= rolls
        return roll // 6 + 1, roll % 6 + 1
    key = scramble(np.uint64(seed) ^ scramble(np.uint64(trial)))
    key = scramble(key + np.uint64(turn))
    return np.int64(key % np.uint64(6)) + 1, np.int64((key >> np.uint64(32)) % np.uint64(6)) + 1


@kernel
def for_root(side, outcomes, worth, terms, out):
    """Write the mover's chances and worth as the root player sees them to float64[6]."""
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
def value_of_roll(brain, side, die1, die2, terms, work, walk, out):
    """Play a roll from depth 0 to depth 1; out float64[6] is its worth to the root player."""
    best_reply(brain, 0, side, die1, die2, terms, work, walk)
    kind = walk.known[1]
    if kind < 0:
        kind = judge(brain, walk.boards[1], terms.settings[CHECKERS], work, walk.outcomes[1])
        walk.known[1] = kind
    walk.states[1, 0, CUBE] = walk.states[0, 0, CUBE]
    walk.states[1, 0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
    worths_of(
        brain, walk.boards[1], kind, walk.outcomes[1], 1 - side,
        walk.states[1], 1, terms, walk, walk.worths[1],
    )  # fmt: skip
    for_root(1 - side, walk.outcomes[1], walk.worths[1, 0], terms, out)


@kernel
def luck_of(brain, side, die1, die2, terms, work, walk, actual, average):
    """Play a roll as `value_of_roll` does; `average` float64[6] becomes that of all 21."""
    for k in range(RESULTS):
        average[k] = 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            weight = 1.0 / 36.0 if high == low else 2.0 / 36.0
            value_of_roll(brain, side, high, low, terms, work, walk, actual)
            for k in range(RESULTS):
                average[k] += weight * actual[k]
    value_of_roll(brain, side, die1, die2, terms, work, walk, actual)


@kernel
def knows(kind, terms):
    """Does a database know the rest of the game?"""
    if kind == OVER:
        return True
    if terms.settings[CUBEFUL] == 0:
        return kind == TWO_SIDED or kind == ONE_SIDED
    return kind == TWO_SIDED and terms.rules[MONEY] == 1


@kernel
def turn_cube(brain, kind, side, terms, work, walk):
    """The player on roll at depth 0 doubles if that is right; True if the double is passed."""
    cube = walk.states[0, 0, CUBE]
    owner = walk.states[0, 0, OWNER]
    if terms.settings[CUBEFUL] == 0 or not may_double(side, cube, owner, terms.rules):
        return False
    walk.states[0, 1, CUBE] = 2 * cube
    walk.states[0, 1, OWNER] = THEIRS
    no_double = as_it_is(brain, kind, side, 0, terms, walk)
    taken = as_it_is(brain, kind, side, 1, terms, walk)
    passed = pass_worth(side, cube, terms.rules, terms.chances)
    if min(taken, passed) < no_double:
        return False
    if passed <= taken:
        return True
    walk.states[0, 0, CUBE] = 2 * cube
    walk.states[0, 0, OWNER] = THEIRS
    return False


@njit(cache=True, nogil=True)
def trial(
    brain, board, side, cube, owner, number, options, permutations, seed, terms, work, walk, out
):
    """Play one trial; out float64[6]. `owner` is as `side`, the player on roll, sees the cube."""
    actual = np.zeros(RESULTS)
    average = np.zeros(RESULTS)
    luck = np.zeros(RESULTS)
    walk.boards[0] = board
    walk.known[0] = -1
    walk.states[0, 0, CUBE] = cube
    walk.states[0, 0, OWNER] = owner
    turn = 0
    while True:
        kind = walk.known[0]
        if kind < 0:
            kind = judge(brain, walk.boards[0], terms.settings[CHECKERS], work, walk.outcomes[0])
        may_double = turn > 0 or options[FIRST_DOUBLE] == 1
        cut = turn == LONGEST or (options[TRUNCATE] > 0 and turn >= options[TRUNCATE])
        if kind == OVER or cut or (options[DATABASES] == 1 and knows(kind, terms)):
            settle(brain, kind, side, may_double, terms, walk, out)
            break
        if may_double and turn_cube(brain, kind, side, terms, work, walk):
            passed = pass_worth(side, walk.states[0, 0, CUBE], terms.rules, terms.chances)
            for k in range(OUTPUTS):
                walk.outcomes[0, k] = 0.0
            walk.outcomes[0, 0] = 1.0
            for_root(side, walk.outcomes[0], passed, terms, out)
            break
        die1, die2 = roll_of(number, turn, permutations, seed)
        if options[REDUCE] == 1:
            luck_of(brain, side, die1, die2, terms, work, walk, actual, average)
            for k in range(RESULTS):
                luck[k] += actual[k] - average[k]
        else:
            best_reply(brain, 0, side, die1, die2, terms, work, walk)
        for place in range(PLACES):
            walk.boards[0, 0, place] = walk.boards[1, 0, place]
            walk.boards[0, 1, place] = walk.boards[1, 1, place]
        walk.known[0] = walk.known[1]
        for k in range(OUTPUTS):
            walk.outcomes[0, k] = walk.outcomes[1, k]
        walk.states[0, 0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
        side = 1 - side
        turn += 1
    for k in range(RESULTS):
        out[k] -= luck[k]


@kernel
def settle(brain, kind, side, may_double, terms, walk, out):
    """The result of the judged board at depth 0, where a trial ends, perhaps before a double."""
    cube = walk.states[0, 0, CUBE]
    owner = walk.states[0, 0, OWNER]
    if kind == OVER:
        worth = dead(walk.outcomes[0], side, cube, owner, terms)
    elif not may_double:
        worth = as_it_is(brain, kind, side, 0, terms, walk)
    else:
        worths_of(
            brain, walk.boards[0], kind, walk.outcomes[0], side,
            walk.states[0], 1, terms, walk, walk.worths[0],
        )  # fmt: skip
        worth = walk.worths[0, 0]
    for_root(side, walk.outcomes[0], worth, terms, out)


@njit(cache=True, nogil=True)
def trials(
    brain, board, side, cube, owner, first, options, permutations, seed, terms, work, walk, outs
):
    """Play trials first, first + 1, ... into float64[n, 6]."""
    for i in range(len(outs)):
        trial(
            brain, board, side, cube, owner, first + i, options, permutations, seed,
            terms, work, walk, outs[i],
        )  # fmt: skip
