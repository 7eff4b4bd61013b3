"""Boards -> five probabilities, each class of position by what knows it best.

`judge` answers for the player on roll; `judge_results` answers for the player who has just moved,
for every result of a roll at once: it builds the first layer's sums for the unmoved board and then
only exchanges the rows in which a result differs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.kernels.inputs import SLOTS, encode, is_race
from engine.kernels.moves import CAPACITY, PLACES, TABLE
from engine.kernels.network import (
    OUTPUTS,
    Net,
    build,
    constrain,
    finish,
    turn_round,
    update,
)


class Brain(NamedTuple):
    """All that an evaluation looks things up in."""

    contact: Net
    race: Net


class Layers(NamedTuple):
    """Scratch for one net."""

    old_slots: NDArray[np.int16]  # of the unmoved board, for the opponent on roll
    old_sums: NDArray[np.int16]
    slots: NDArray[np.int16]
    sums: NDArray[np.int16]
    active: NDArray[np.uint32]
    middle: NDArray[np.float32]
    narrow: NDArray[np.float32]


class Workspace(NamedTuple):
    """Scratch for a thread: everything that generating and judging plays writes to."""

    contact: Layers
    race: Layers
    results: NDArray[np.int8]  # [CAPACITY, 2, 25]
    plays: NDArray[np.int8]  # [CAPACITY, 8]
    keys: NDArray[np.int64]
    table: NDArray[np.int16]
    outcomes: NDArray[np.float32]  # [CAPACITY, 5]
    turned: NDArray[np.float32]  # [5]


def layers(net: Net) -> Layers:
    """Scratch that fits a net."""
    wide, middle, narrow = len(net.bias), len(net.b1), len(net.b2)
    return Layers(
        np.zeros(SLOTS, np.int16),
        np.zeros(wide, np.int16),
        np.zeros(SLOTS, np.int16),
        np.zeros(wide, np.int16),
        np.zeros(max(wide, middle, narrow), np.uint32),
        np.zeros(middle, np.float32),
        np.zeros(narrow, np.float32),
    )


def workspace(brain: Brain) -> Workspace:
    """Scratch for one thread that uses this brain."""
    return Workspace(
        layers(brain.contact),
        layers(brain.race),
        np.zeros((CAPACITY, 2, PLACES), np.int8),
        np.zeros((CAPACITY, 8), np.int8),
        np.zeros(CAPACITY, np.int64),
        np.zeros(TABLE, np.int16),
        np.zeros((CAPACITY, OUTPUTS), np.float32),
        np.zeros(OUTPUTS, np.float32),
    )


@njit(cache=True, nogil=True)
def is_over(mine, theirs):
    """Has either side no checker left?"""
    left = 0
    their_left = 0
    for place in range(25):
        left += mine[place]
        their_left += theirs[place]
    return left == 0 or their_left == 0


@njit(cache=True, nogil=True)
def final(mine, theirs, checkers, out):
    """The outcome of a finished game for the owner of `mine`."""
    for k in range(OUTPUTS):
        out[k] = 0.0
    left = 0
    their_left = 0
    far = 0  # the loser's checkers in the winner's home or on the bar
    their_far = 0
    for place in range(25):
        left += mine[place]
        their_left += theirs[place]
        if place >= 18:
            far += mine[place]
            their_far += theirs[place]
    if left == 0:
        out[0] = 1.0
        if their_left == checkers:
            out[1] = 1.0
            if their_far > 0:
                out[2] = 1.0
    elif left == checkers:
        out[3] = 1.0
        if far > 0:
            out[4] = 1.0


@njit(cache=True, nogil=True)
def judge(brain, board, checkers, work, out):
    """Fill float32[5] for the player on roll of int8[2, 25]."""
    mine = board[0]
    theirs = board[1]
    if is_over(mine, theirs):
        final(mine, theirs, checkers, out)
        return
    if is_race(mine, theirs):
        net = brain.race
        layer = work.race
    else:
        net = brain.contact
        layer = work.contact
    encode(mine, theirs, checkers, layer.slots)
    build(net, layer.slots, layer.sums)
    finish(net, layer.sums, layer.active, layer.middle, layer.narrow, out)
    constrain(mine, theirs, checkers, out)


@njit(cache=True, nogil=True)
def judge_relative(net, layer, mine, theirs, checkers, out):
    """Fill float32[5] for the owner of `mine`, given the old sums."""
    encode(mine, theirs, checkers, layer.slots)
    update(net, layer.old_slots, layer.old_sums, layer.slots, layer.sums)
    finish(net, layer.sums, layer.active, layer.middle, layer.narrow, out)
    constrain(mine, theirs, checkers, out)


@njit(cache=True, nogil=True)
def judge_results(brain, board, checkers, count, work):
    """Fill work.outcomes[:count] for the mover: the chances after each of work.results."""
    contact_ready = False
    race_ready = False
    for i in range(count):
        mine = work.results[i, 0]
        theirs = work.results[i, 1]
        out = work.outcomes[i]
        if is_over(mine, theirs):
            final(mine, theirs, checkers, out)
            continue
        if is_race(mine, theirs):
            if not race_ready:
                encode(board[1], board[0], checkers, work.race.old_slots)
                build(brain.race, work.race.old_slots, work.race.old_sums)
                race_ready = True
            judge_relative(brain.race, work.race, theirs, mine, checkers, work.turned)
        else:
            if not contact_ready:
                encode(board[1], board[0], checkers, work.contact.old_slots)
                build(brain.contact, work.contact.old_slots, work.contact.old_sums)
                contact_ready = True
            judge_relative(brain.contact, work.contact, theirs, mine, checkers, work.turned)
        turn_round(work.turned, out)
