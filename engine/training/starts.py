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
SLOW = 110  # the last ones of odd_starts: endings, back games and primes


def odd_starts(seed: int) -> NDArray[np.int8]:
    """Where games begin: mostly the opening, but also where our own play would seldom get.

    int8[310, 2, 25]: first 150 (OPENINGS) openings, then 10 of nackgammon, 40 after some random
    legal plays each, which brings scattered blots and broken boards, 60 endings, 25 back games and
    25 primes.
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
    starts += [back_game(draws) for _ in range(25)]
    starts += [prime(draws) for _ in range(25)]
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


def back_game(draws: random.Random) -> Position:
    """One side holds two or three points deep in the other's home, with time left or without."""
    while True:
        home, behind = [0] * 25, [0] * 25  # of the side ahead, of the side that plays a back game
        anchors = draws.sample((18, 19, 20, 21, 22, 23), draws.choice((2, 2, 2, 3)))
        for point in anchors:
            behind[point] += 2
        for _ in range(draws.choice((0, 0, 0, 1, 1, 2))):
            behind[draws.choice((*anchors, 24))] += 1
        early = draws.random() < 0.5  # its timing: the rest outside, or crunched
        free = (3, 4, 5, 5, 6, 7, 8, 10, 12, 15) if early else (0, 1, 1, 2, 2, 3, 4, 5)
        for _ in range(15 - sum(behind)):
            behind[draws.choice(free)] += 1
        for _ in range(draws.choice((15, 15, 15, 15, 14, 12, 10))):
            home[draws.choice((0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 10, 12))] += 1
        if any(home[point] and behind[23 - point] for point in range(24)):
            continue
        position = Position(tuple(home), tuple(behind))
        return position if draws.random() < 0.5 else position.flipped()


def prime(draws: random.Random) -> Position:
    """One side has four to six points in a row and the other checkers behind them."""
    while True:
        primer, trapped = [0] * 25, [0] * 25
        length = draws.choice((4, 5, 5, 5, 6, 6))
        first = draws.randrange(1, 8)
        for point in range(first, first + length):
            primer[point] = 2
        caught = draws.choice((1, 1, 2, 2, 3, 4))
        for _ in range(caught):
            trapped[draws.choice((24, 24, *range(24 - first, 24)))] += 1
        for _ in range(15 - 2 * length):
            primer[draws.choice((*range(first, first + length), *range(14), 23, 22))] += 1
        for _ in range(15 - caught):
            trapped[draws.choice((0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 8, 12, 12))] += 1
        if any(primer[point] and trapped[23 - point] for point in range(24)):
            continue
        position = Position(tuple(primer), tuple(trapped))
        return position if draws.random() < 0.5 else position.flipped()


def long_race(draws: random.Random) -> Position:
    """Two sides that have just passed each other, or long ago, with all checkers or fewer."""
    border = draws.randrange(4, 21)  # the first side's checkers stand below it, the other's above
    sides = []
    for length in (border, 24 - border):
        weights = [draws.choice((0.1, 1.0, 3.0)) for _ in range(length)]
        spread = draws.choices(range(length), weights, k=draws.choice((15, 15, 15, 14, 11)))
        sides.append(tuple(spread.count(place) for place in range(25)))
    return Position(sides[0], sides[1])


def race_starts(brain: Brain, seed: int, most: int = 4000) -> NDArray[np.int8]:
    """Where contact ended in games that `brain` played, and as many long races: int8[n, 2, 25].

    At most `most` of the former: they are full of gammons to be saved, and seldom long.
    """
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
    played = boards[first][:most]
    draws = random.Random(seed)
    made = np.stack([long_race(draws).array() for _ in range(len(played))])
    return np.concatenate([played, made])
