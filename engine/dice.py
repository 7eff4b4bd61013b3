"""Sources of dice: each is an endless stream of single dice.

A seeded source gives the same dice on every machine and with every version of this program: it is
MT19937 initialised from one integer, a die taken from each 32 bits as gnubg's `set seed` does, so
that gnubg rolls the same match from the same seed. The generator is written out here because no
library promises to keep the dice of a seed the same forever.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Protocol

from sixprime.engine.position import Dice

FACES = 6


class DiceSource(Protocol):
    """Anything that rolls one die at a time."""

    def die(self) -> int:
        """Return the next die, 1 to 6."""
        ...


def roll(source: DiceSource) -> Dice:
    """Roll two dice, in the order they fell."""
    first = source.die()
    return first, source.die()


def opening(source: DiceSource) -> Iterator[Dice]:
    """Yield the opening rolls, seat 0's die first: any ties, then the roll that starts the game."""
    while True:
        dice = roll(source)
        yield dice
        if dice[0] != dice[1]:
            return


class Seeded:
    """The dice that gnubg's Mersenne Twister gives for a seed of 32 bits."""

    _SIZE, _SHIFT = 624, 397
    _USED = 2**32 - 2**32 % FACES  # larger numbers would favour some faces

    def __init__(self, seed: int) -> None:
        if not 0 <= seed < 2**32:
            raise ValueError(f"a seed is between 0 and {2**32 - 1}, not {seed}")
        state = [seed]
        for i in range(1, self._SIZE):
            previous = state[-1]
            state.append((1812433253 * (previous ^ previous >> 30) + i) & 0xFFFFFFFF)
        self._state = state
        self._numbers = self._stream()

    def die(self) -> int:
        """Return the next die."""
        number = next(self._numbers)
        while number >= self._USED:
            number = next(self._numbers)
        return 1 + number // (self._USED // FACES)

    def _stream(self) -> Iterator[int]:
        """MT19937 of Matsumoto and Nishimura."""
        state, size = self._state, self._SIZE
        while True:
            for i in range(size):
                joined = (state[i] & 0x80000000) | (state[(i + 1) % size] & 0x7FFFFFFF)
                twist = 0x9908B0DF if joined & 1 else 0
                state[i] = state[(i + self._SHIFT) % size] ^ (joined >> 1) ^ twist
            for number in tuple(state):
                number ^= number >> 11
                number ^= (number << 7) & 0x9D2C5680
                number ^= (number << 15) & 0xEFC60000
                yield number ^ (number >> 18)


class Unpredictable:
    """Dice from the operating system's entropy, which nobody can predict, for real opponents."""

    def die(self) -> int:
        """Return the next die."""
        return 1 + secrets.randbelow(FACES)
