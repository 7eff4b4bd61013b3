"""Deliberate network faults, repeatable: the same seed gives the same faults.

`Chaos` is pure: it takes the sent bytes of one direction and returns the bytes that arrive.
`tests/support/bot/simulator.py` applies it in virtual time, `proxy.py` to real sockets.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

JUNK = (
    b"\xff\xf1",  # telnet NOP
    b"\xff\xfb\x01",
    b"\x1b[2J\x1b[31m",  # a terminal escape
    b"\x00\x07\x07",
)


@dataclass(frozen=True, slots=True)
class Rates:
    """Chances between 0 and 1 that a fault happens to a piece of data."""

    delay: float = 0.10
    delay_s: float = 3.0  # the longest
    split: float = 0.15
    merge: float = 0.10  # waits for the next piece
    lose: float = 0.004  # a line vanishes
    repeat: float = 0.008  # a line comes twice
    swap: float = 0.006  # two lines change places
    garbage: float = 0.006
    cut: float = 0.001  # the connection breaks
    half_open: float = 0.0005  # nothing passes any more, and no side is notified
    restart_s: float = 1_800.0  # the mean time between two restarts of the server; 0: never


CALM = Rates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """Data that arrives `after_s` after the piece before; `cut`: then the connection breaks."""

    after_s: float
    data: bytes
    cut: bool = False


class Chaos:
    """The faults of one direction of one connection."""

    def __init__(self, dice: random.Random, rates: Rates) -> None:
        self.rates = rates
        self._dice = dice
        self._kept = b""  # waits for the next piece
        self.dead = False  # nothing passes any more

    def passes(self, data: bytes) -> list[Piece]:
        """Return the pieces that arrive when these bytes are sent."""
        rates = self.rates
        if self.dead:
            return []
        if self._happens(rates.half_open):
            self.dead = True
            return []
        if self._happens(rates.cut):
            data, self._kept = self._kept + data, b""
            return [Piece(0.0, data[: self._dice.randrange(len(data) + 1)], cut=True)]
        data = self._kept + self._with_line_faults(data)
        self._kept = b""
        if self._happens(rates.merge):
            self._kept = data
            return []
        pieces = self._split(data)
        if self._happens(rates.delay):
            pieces[0] = replace(pieces[0], after_s=self._dice.random() * rates.delay_s)
        return pieces

    def rest(self) -> bytes:
        """Return the data held back to be merged, when nothing more follows."""
        kept, self._kept = self._kept, b""
        return b"" if self.dead else kept

    def _happens(self, chance: float) -> bool:
        return chance > 0 and self._dice.random() < chance

    def _with_line_faults(self, data: bytes) -> bytes:
        *lines, tail = data.split(b"\n")
        place = self._dice.randrange(len(lines)) if lines else 0
        if lines and self._happens(self.rates.lose):
            del lines[place]
        if place < len(lines) and self._happens(self.rates.repeat):
            lines.insert(place, lines[place])
        if len(lines) > 1 and self._happens(self.rates.swap):
            place = min(place, len(lines) - 2)
            lines[place : place + 2] = lines[place + 1], lines[place]
        if self._happens(self.rates.garbage):
            lines.insert(min(place, len(lines)), self._garbage())
        return b"\n".join([*lines, tail])

    def _garbage(self) -> bytes:
        noise = bytes(self._dice.randrange(256) for _ in range(self._dice.randrange(1, 40)))
        return self._dice.choice(JUNK) + noise.replace(b"\n", b"").replace(b"\r", b"") + b"\r"

    def _split(self, data: bytes) -> list[Piece]:
        pieces = [Piece(0.0, data)]
        while len(pieces[-1].data) > 1 and self._happens(self.rates.split):
            last = pieces.pop().data
            at = self._dice.randrange(1, len(last))
            pieces += [Piece(0.0, last[:at]), Piece(self._dice.random() * 0.05, last[at:])]
        return pieces
