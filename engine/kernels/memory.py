"""A cache of nodes already searched: different rolls often lead to the same position.

Two fifths of the nodes one ply above the leaves of a decision have been met before. A memory holds
SIZE nodes, each at the index of its key; a later one overwrites an earlier one. The key covers
everything that a node's worths depend on, so entries never become invalid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.machine.compiled import kernel

SIZE = 1 << 13
NOTHING = np.uint64(0)  # no node has this key


class NodeMemory(NamedTuple):
    """The nodes remembered."""

    keys: NDArray[np.uint64]  # [SIZE]
    worths: NDArray[np.float64]  # [SIZE, states]
    outcomes: NDArray[np.float32]  # [SIZE, 5]


def memory(states: int) -> NodeMemory:
    """Return an empty memory for nodes of up to so many states."""
    return NodeMemory(
        np.zeros(SIZE, np.uint64),
        np.zeros((SIZE, states), np.float64),
        np.zeros((SIZE, 5), np.float32),
    )


@kernel
def scramble(key):
    """Return a hash of a uint64 (the finaliser of splitmix64)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def salt_of(terms):
    """Return a hash of the terms, which keeps nodes of different terms apart in the memory."""
    key = scramble(np.uint64(len(terms.later_rolls)))
    for setting in terms.settings:
        key = scramble(key ^ np.uint64(setting))
    for rule in terms.rules.flat:
        key = scramble(key ^ np.uint64(rule))
    for chance in terms.chances.flat:
        key = scramble(key ^ np.uint64(np.int64(chance * 1e15)))
    for efficiency in terms.efficiencies:
        key = scramble(key ^ np.uint64(np.int64(efficiency * 1e15)))
    for roll in terms.later_rolls.flat:
        key = scramble(key ^ np.uint64(roll))
    return scramble(key ^ np.uint64(np.int64(terms.noise[0] * 1e15)))


@kernel
def key_of(board, states, count, side, plies, salt):
    """Return the key of a node of int8[2, 25] `board` with int64[count, 2] states."""
    prime = np.uint64(0x100000001B3)
    key = scramble(salt ^ np.uint64(2 * plies + side))  # else one checker could cancel `side`
    for side_of in range(2):
        for place in range(25):
            key = (key ^ np.uint64(board[side_of, place])) * prime
        key = scramble(key)
    for i in range(count):
        key = (key ^ np.uint64(states[i, 0])) * prime
        key = (key ^ np.uint64(states[i, 1])) * prime
    return max(scramble(key), np.uint64(1))


@kernel
def recall(memory, key, count, worths, outcomes):
    """Fill a node's worths and outcomes if it is remembered; return whether it is."""
    place = np.int64(key & np.uint64(SIZE - 1))
    if memory.keys[place] != key:
        return False
    for i in range(count):
        worths[i] = memory.worths[place, i]
    for k in range(5):
        outcomes[k] = memory.outcomes[place, k]
    return True


@kernel
def remember(memory, key, count, worths, outcomes):
    """Store a node, over any other with the same index."""
    place = np.int64(key & np.uint64(SIZE - 1))
    memory.keys[place] = key
    for i in range(count):
        memory.worths[place, i] = worths[i]
    for k in range(5):
        memory.outcomes[place, k] = outcomes[k]
