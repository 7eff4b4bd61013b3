"""Where training games begin."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from engine.kernels.evaluation import Brain, workspace
from engine.position import MAX_CHECKERS, Position, Variant
from engine.rules import legal_plays
from engine.training import selfplay

OPENINGS = 150


def odd_starts(seed: int) -> NDArray[np.int8]:
    """Where games begin: mostly the opening, but also where our own play would seldom get.

    int8[260, 2, 25]: first 150 (OPENINGS) openings, then 10 of nackgammon, 40 after some random
    legal plays each, which brings back games, scattered blots and broken boards, and 60 endings.
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
    starts += [ending(draws) for _ in range(60)]
    return np.stack([position.array() for position in starts])


def ending(draws: random.Random) -> Position:
    """One side brings its checkers home or has borne some off, the other still holds or hits there.

    Ace-point games, closeouts, a last blot to be contained: rare in play, expensive to misplay.
    """
    while True:
        home, behind = [0] * 25, [0] * 25  # of the side ahead, of the side behind
        for _ in range(draws.choice((15, 15, 14, 12, 10, 8, 6, 4))):
            home[draws.choice((0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12))] += 1
        if draws.random() < 0.25:  # one of them is on its way round
            place = next(place for place in range(25) if home[place])
            home[place] -= 1
            home[draws.randrange(13, 25)] += 1
        back = draws.randint(1, 4)
        for _ in range(back):
            behind[draws.choice((18, 19, 20, 21, 22, 23, 23, 24))] += 1
        for _ in range(15 - back):
            behind[draws.choice((0, 1, 2, 3, 4, 5, 5, 4, 3, 6, 7, 9, 12))] += 1
        if any(home[point] and behind[23 - point] for point in range(24)):
            continue
        position = Position(tuple(home), tuple(behind))
        if not position.is_race():
            return position if draws.random() < 0.5 else position.flipped()


def race_starts(brain: Brain, seed: int, most: int = 4000) -> NDArray[np.int8]:
    """Where contact ended in games that `brain` played: int8[n, 2, 25], n up to `most`."""
    boards = np.zeros((40 * most, 2, 25), np.int8)
    selfplay.play_games(
        brain,
        odd_starts(seed),
        OPENINGS,
        MAX_CHECKERS,
        seed,
        np.float32(0.0),
        0,
        boards,
        np.zeros((len(boards), 5), np.float32),
        workspace(brain),
    )
    race = selfplay.races(boards)
    first = race & ~np.roll(race, 1)
    starts: NDArray[np.int8] = boards[first][:most]
    return starts
