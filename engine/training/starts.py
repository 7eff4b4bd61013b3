"""Where training games begin."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from engine.position import Position, Variant
from engine.rules import legal_plays

OPENINGS = 150


def odd_starts(seed: int) -> NDArray[np.int8]:
    """Where games begin: mostly the opening, but also where our own play would never get.

    int8[200, 2, 25]: first 150 (OPENINGS) openings, then 10 of nackgammon, and 40 after some random
    legal plays each, which brings back games, scattered blots and broken boards.
    """
    draws = random.Random(seed)
    starts = [Position.start()] * OPENINGS + [Position.start(Variant.NACKGAMMON)] * 10
    while len(starts) < 200:
        position = Position.start()
        for _ in range(draws.randrange(4, 24)):
            dice = draws.randint(1, 6), draws.randint(1, 6)
            position = draws.choice(legal_plays(position, dice)).result.flipped()
        if not position.is_race():
            starts.append(position)
    return np.stack([position.array() for position in starts])
