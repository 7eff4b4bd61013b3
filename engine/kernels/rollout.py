"""One trial of a rollout: a game from a position to its end, or to where it is cut.

Results are float64[6] from the side of the root player (side 0): the five chances and the worth
(engine.kernels.cube). With variance reduction the luck of each roll is taken out of all six: the
value of the roll's best play less the average over all 21 rolls, both at 0-ply after pruning.

Dice: for the first turns the roll comes from permutations of the 36 rolls, so that over 36 trials
each first roll, and over 1296 each pair of rolls, comes up equally often; later ones are random,
from the trial's own seed. So a trial does not depend on the others, nor on who computes it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cube import (
    CUBE,
    MONEY,
    OWNER,
    THEIRS,
    may_double,
    pass_worth,
    turned,
)
from sixprime.engine.kernels.evaluation import ONE_SIDED, OVER, TWO_SIDED, judge
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel
from sixprime.engine.kernels.memory import scramble
from sixprime.engine.kernels.moves import NONE, ONE, copy_board
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.tree import (
    CHECKERS,
    CUBEFUL,
    KEEP,
    as_it_is,
    best_replies,
    dead,
    descend,
    worths_of,
)

RESULTS = 6
WORTH = 5
PLAIN = 6  # the worth with its luck left in
LONGEST = 1000  # turns; then the position is judged as it stands

GUESSED = 2  # replies that the luck of a roll is judged by; all of them take twice the time

# options int64[4]
TRUNCATE, REDUCE, DATABASES, FIRST_DOUBLE = range(4)


class TrialStart(NamedTuple):
    """Where trials begin."""

    board: NDArray[np.int8]  # [2, 25]
    side: int  # who is on roll: 0 is the root player
    cube: int
    owner: int  # as the player on roll sees the cube


class TrialDice(NamedTuple):
    """The source of the trials' dice."""

    permutations: NDArray[np.int8]  # [levels, turns, 36]
    seed: int


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
def add_luck(search, side, die1, die2, value, luck):
    """Add to float64[6] how much more a roll is worth to the root player than the 21 on average.

    The mean of what is added is nought whatever is said of each roll, so only the replies that the
    pruning net likes are looked at (KEEP in the terms). `value` float64[6] is scratch; nothing is
    played.
    """
    for high in range(1, 7):
        for low in range(1, high + 1):
            share = -1.0 / 36.0 if high == low else -2.0 / 36.0
            if high == max(die1, die2) and low == min(die1, die2):
                share += 1.0
            value_of_roll(search, side, high, low, value)
            for k in range(RESULTS):
                luck[k] += share * value[k]


@kernel
def knows(kind, terms):
    """Does a database know the rest of the game?"""
    if kind == OVER:
        return True
    if terms.settings[CUBEFUL] == 0:
        return kind == TWO_SIDED or kind == ONE_SIDED
    return kind == TWO_SIDED and terms.rules[MONEY] == 1


@kernel
def turn_cube(search, kind, side):
    """The player on roll at depth 0 doubles if that is right; True if the double is passed."""
    terms, walk = search.terms, search.walk
    cube = walk.states[0, 0, CUBE]
    owner = walk.states[0, 0, OWNER]
    if terms.settings[CUBEFUL] == 0 or not may_double(side, cube, owner, terms.rules):
        return False
    walk.states[0, 1, CUBE] = 2 * cube
    walk.states[0, 1, OWNER] = THEIRS
    no_double = as_it_is(search, kind, side, NONE)
    taken = as_it_is(search, kind, side, ONE)
    passed = pass_worth(side, cube, terms.rules, terms.chances)
    if min(taken, passed) < no_double:
        return False
    if passed <= taken:
        return True
    walk.states[0, 0, CUBE] = 2 * cube
    walk.states[0, 0, OWNER] = THEIRS
    return False


@array_kernel
def trial(search, start, dice, options, number, out):
    """Play one trial; out float64[7], the last with its luck left in the worth."""
    brain, terms, work, walk = search
    keep = terms.settings[KEEP]
    value = np.zeros(RESULTS)
    luck = np.zeros(RESULTS)
    walk.boards[0] = start.board
    walk.known[0] = -1
    walk.states[0, 0, CUBE] = start.cube
    walk.states[0, 0, OWNER] = start.owner
    side = start.side
    turn = 0
    while True:
        kind = walk.known[0]
        if kind < 0:
            kind = judge(brain, walk.boards[0], terms.settings[CHECKERS], work, walk.outcomes[0])
        may_double = turn > 0 or options[FIRST_DOUBLE] == 1
        cut = turn == LONGEST or (options[TRUNCATE] > 0 and turn >= options[TRUNCATE])
        if kind == OVER or cut or (options[DATABASES] == 1 and knows(kind, terms)):
            settle(search, kind, side, may_double, out)
            break
        if may_double and turn_cube(search, kind, side):
            passed = pass_worth(side, walk.states[0, 0, CUBE], terms.rules, terms.chances)
            for k in range(OUTPUTS):
                walk.outcomes[0, k] = 0.0
            walk.outcomes[0, 0] = 1.0
            for_root(side, walk.outcomes[0], passed, terms, out)
            break
        die1, die2 = roll_of(number, turn, dice.permutations, dice.seed)
        if options[REDUCE] == 1:
            terms.settings[KEEP] = GUESSED
            add_luck(search, side, die1, die2, value, luck)
            terms.settings[KEEP] = keep
        play_roll(search, side, die1, die2)
        copy_board(walk.boards[1], walk.boards[0])
        walk.known[0] = walk.known[1]
        for k in range(OUTPUTS):
            walk.outcomes[0, k] = walk.outcomes[1, k]
        walk.states[0, 0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
        side = 1 - side
        turn += 1
    out[PLAIN] = out[WORTH]
    for k in range(RESULTS):
        out[k] -= luck[k]


@kernel
def settle(search, kind, side, may_double, out):
    """The result of the judged board at depth 0, where a trial ends, perhaps before a double."""
    terms, walk = search.terms, search.walk
    outcomes, states = walk.outcomes[0], walk.states[0]
    if kind == OVER:
        worth = dead(outcomes, side, states[0, CUBE], states[0, OWNER], terms)
    elif not may_double:
        worth = as_it_is(search, kind, side, NONE)
    else:
        worths_of(search, walk.boards[0], kind, outcomes, side, states, ONE, walk.worths[0])
        worth = walk.worths[0, 0]
    for_root(side, outcomes, worth, terms, out)


@array_kernel
def trials(search, start, dice, options, first, outs):
    """Play trials first, first + 1, ... into float64[n, 7]."""
    for i in range(len(outs)):
        trial(search, start, dice, options, first + i, outs[i])
