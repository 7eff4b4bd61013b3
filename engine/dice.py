"""Where dice come from: each source is an endless (or ending) stream of single dice.

A seeded source gives the same dice on every machine and with every version of this program: it is
MT19937 initialised from one integer, a die taken from each 32 bits as gnubg's `set seed` does, so
that gnubg rolls the same match from the same seed. The generator is written out here because the
dice of a seed are a promise that no library makes.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from sixprime.engine.position import Dice

FACES = 6


class OutOfDice(Exception):
    """A source with an end has come to it; the text says where it came from."""


class BadDice(ValueError):
    """A text of dice holds something else; the text says what and in which line."""


class DiceSource(Protocol):
    """Anything that rolls one die at a time."""

    def die(self) -> int:
        """The next die, 1 to 6."""
        ...


def roll(source: DiceSource) -> Dice:
    """Two dice in the order they fell."""
    first = source.die()
    return first, source.die()


def opening(source: DiceSource) -> Iterator[Dice]:
    """The opening rolls, the die of seat 0 first: all the equal ones, then the one that starts."""
    while True:
        dice = roll(source)
        yield dice
        if dice[0] != dice[1]:
            return


class Seeded:
    """The dice that gnubg's Mersenne Twister gives for a seed of 32 bits."""

    _SIZE, _SHIFT = 624, 397
    _USED = 2**32 - 2**32 % FACES  # so many of the 2^32 numbers fall evenly on the faces

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
        """The next die."""
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
    """Dice from the operating system's entropy: what a server rolls for strangers."""

    def die(self) -> int:
        """The next die."""
        return 1 + secrets.randbelow(FACES)


class Given:
    """Dice told beforehand: entered by hand, replayed from a record, or read from a file."""

    def __init__(self, dice: Iterable[int], name: str = "the given dice") -> None:
        self._dice = iter(dice)
        self._name = name
        self._taken = 0

    @classmethod
    def from_file(cls, path: Path) -> Given:
        """Dice from a text file; see `dice_in` for what it may hold."""
        return cls(dice_in(path.read_text(encoding="ascii", errors="replace")), str(path))

    def die(self) -> int:
        """The next die; OutOfDice after the last one."""
        die = next(self._dice, None)
        if die is None:
            raise OutOfDice(f"{self._name}: no more dice after {self._taken}")
        if not 1 <= die <= FACES:
            raise BadDice(f"{self._name}: a die shows 1 to 6, not {die}")
        self._taken += 1
        return die


def dice_in(text: str) -> list[int]:
    """The dice of a text: digits 1 to 6, apart or together; `#` starts a comment."""
    dice = []
    for number, line in enumerate(text.splitlines(), 1):
        for sign in re.sub(r"#.*|[\s,;:()-]", "", line):
            if sign not in "123456":
                raise BadDice(f"line {number}: {sign!r} is not a die, a die shows 1 to 6")
            dice.append(int(sign))
    return dice


def replayed(rolls: Iterable[Dice]) -> Given:
    """A source that repeats these rolls."""
    return Given((die for dice in rolls for die in dice), "the replayed rolls")
