"""Positions at the start of training games."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.lab.training import selfplay
from sixprime.engine.position import Position, Variant
from sixprime.engine.rules import legal_plays

OPENINGS = 150
ORDINARY = 200  # of odd_starts, before the positions of KINDS

Places = list[int]  # one for each checker of a side, 0 to 23 its own points, 24 the bar
Kind = Callable[[random.Random], tuple[Places, Places]]


def odd_starts(seed: int) -> NDArray[np.int8]:
    """Return starts: mostly the opening, but also positions that our own play seldom reaches.

    int8[344, 2, 25]: first 150 (OPENINGS) openings, then 10 of nackgammon, 40 after some random
    legal plays each, which brings scattered blots and broken boards, and the positions of KINDS.
    """
    draws = random.Random(seed)
    starts = [Position.start()] * OPENINGS + [Position.start(Variant.NACKGAMMON)] * 10
    while len(starts) < ORDINARY:
        position = Position.start()
        for _ in range(draws.randrange(4, 24)):
            dice = draws.randint(1, 6), draws.randint(1, 6)
            position = draws.choice(legal_plays(position, dice)).result.flipped()
        if not position.is_race():
            starts.append(position)
    starts += of_all_kinds(draws)
    return np.stack([position.array() for position in starts])


def slow_starts(seed: int, least: int) -> NDArray[np.int8]:
    """Return at least so many starts of the kinds below, and no others: int8[n, 2, 25]."""
    draws = random.Random(seed)
    starts = of_all_kinds(draws)
    while len(starts) < least:
        starts += of_all_kinds(draws)
    return np.stack([position.array() for position in starts])


def starts_of(kind: Kind, seed: int, count: int) -> NDArray[np.int8]:
    """Return positions of a kind: int8[count, 2, 25]."""
    draws = random.Random(seed)
    return np.stack([contact(draws, kind).array() for _ in range(count)])


def of_all_kinds(draws: random.Random) -> list[Position]:
    """Return as many positions of each kind as KINDS says."""
    return [contact(draws, kind) for kind, count in KINDS.items() for _ in range(count)]


def developed(draws: random.Random, count: int) -> Places:
    """Place the opening's checkers of 6, 8 and 13, some of them moved on."""
    places = draws.sample([5] * 5 + [7] * 3 + [12] * 5, count)
    for _ in range(draws.choice((0, 2, 4, 6, 9, 12, 16))):
        which = draws.randrange(count)
        deepest = 0 if draws.random() < 0.2 else 2
        places[which] = max(places[which] - draws.randint(1, 6), deepest)
    return places


def contact(draws: random.Random, kind: Kind) -> Position:
    """Draw positions of a kind until one is possible and not a race; return it from either side."""
    while True:
        one, other = kind(draws)
        if {23 - place for place in one} & set(other):
            continue
        sides = [tuple(places.count(place) for place in range(25)) for places in (one, other)]
        position = Position(sides[0], sides[1])
        if not position.is_race():
            return position if draws.random() < 0.5 else position.flipped()


def ending(draws: random.Random) -> tuple[Places, Places]:
    """Let one side bring its checkers home or off while the other still holds or hits there.

    Ace-point games, closeouts, a last blot to be contained: rare in play, expensive to misplay.
    """
    free = (0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
    home = draws.choices(free, k=draws.choice((15, 15, 14, 12, 10, 8, 6, 4)))
    if draws.random() < 0.25:  # one of them is on its way round
        home[0] = draws.randrange(13, 25)
    behind = draws.choices((18, 19, 20, 21, 22, 23, 23, 24), k=draws.randint(1, 4))
    behind += draws.choices((0, 1, 2, 3, 4, 5, 5, 4, 3, 6, 7, 9, 12), k=15 - len(behind))
    return home, behind


def wall(draws: random.Random) -> Places:
    """Place 15 checkers: four to six points in a row, the others on them or near behind."""
    length = draws.choice((4, 4, 5, 5, 5, 6))
    first = draws.randrange(1, 8)
    points = range(first, first + length)
    behind = range(first + length, first + length + 7)
    places = 2 * list(points)
    places += draws.choices((*points, *behind, *behind, 12), k=15 - 2 * length)
    if draws.random() < 0.5:  # not quite in order
        which = draws.randrange(15)
        places[which] = max(places[which] - draws.randint(1, 6), 0)
    return places


def containing(draws: random.Random) -> tuple[Places, Places]:
    """Let one side bear off most of its checkers and the other contain the last of them."""
    last = draws.choices((24, 24, 23, 23, 22, 21, 20, 19, 18, 16, 14), k=draws.choice((1, 1, 1, 2)))
    last += draws.choices((0, 0, 0, 1, 1, 2, 3), k=draws.choice((1, 2, 3, 4, 5, 6, 8, 10)))
    if draws.random() < 0.7:
        return last, wall(draws)
    points = draws.sample(range(1, 11), draws.choice((4, 5, 6, 6)))
    blockers = 2 * points
    blockers += draws.choices((*points, *range(14), 15, 17), k=15 - len(blockers))
    return last, blockers


def crunched(draws: random.Random) -> tuple[Places, Places]:
    """Break one side's home board down before the other's last two checkers have left it."""
    broken = draws.choices((0, 0, 1, 1, 2, 2, 3, 4), k=draws.randint(8, 13))
    broken += draws.choices((5, 6, 7, 7, 8, 12, 12, 17, 23), k=15 - len(broken))
    held = draws.randrange(18, 24)
    other = [held, held if draws.random() < 0.7 else 23, *developed(draws, 13)]
    return broken, other


def back_game(draws: random.Random) -> tuple[Places, Places]:
    """Let one side hold two or three points deep in the other's home, with or without time."""
    anchors = draws.sample(range(18, 24), draws.choice((2, 2, 2, 3)))
    behind = 2 * anchors
    behind += draws.choices((*anchors, 24), k=draws.choice((0, 0, 0, 1, 1, 2)))
    left = 15 - len(behind)
    if draws.random() < 0.5:
        behind += developed(draws, left)
    else:
        early = (3, 4, 5, 5, 6, 7, 8, 10, 12, 15)  # its timing: the rest outside, or crunched
        late = (0, 1, 1, 2, 2, 3, 4, 5)
        behind += draws.choices(draws.choice((early, late)), k=left)
    against = draws.random()
    if against < 0.4:
        return wall(draws), behind
    if against < 0.7:
        return [*developed(draws, 13), *draws.choices((6, 8, 10, 12), k=2)], behind
    free = (0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 10, 12)
    return draws.choices(free, k=draws.choice((15, 15, 15, 15, 14, 12, 10))), behind


def prime(draws: random.Random) -> tuple[Places, Places]:
    """Give one side four to six points in a row, and the other checkers behind them."""
    primer = wall(draws)
    if draws.random() < 0.2:  # two checkers are still behind
        primer[-2:] = draws.choices((23, 22, 20, 19), k=2)
    caught = draws.choice((1, 1, 2, 2, 3, 4))
    behind = (23,) if draws.random() < 0.5 else (24, 24, *range(24 - min(primer), 24))
    trapped = draws.choices(behind, k=caught)
    if draws.random() < 0.6:
        natural = min(15 - caught, 13)
        trapped += developed(draws, natural)
        trapped += draws.choices((8, 10, 12), k=15 - len(trapped))
    else:
        trapped += draws.choices((0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 8, 12, 12), k=15 - caught)
    return primer, trapped


def blitz(draws: random.Random) -> tuple[Places, Places]:
    """Let one side attack with points at home, and the other have checkers there or on the bar."""
    points = draws.sample(range(1, 7), draws.choice((2, 3, 3, 4, 5)))
    attacker = 2 * points + developed(draws, min(13, 15 - 2 * len(points)))
    attacker += draws.choices((7, 9, 12, 23), k=15 - len(attacker))
    caught = draws.choices((24, 24, 24, 23, 23, 22, 21, 20, 19), k=draws.choice((1, 2, 2, 2, 3)))
    return attacker, [*caught, *developed(draws, 12), *draws.choices((7, 12), k=3 - len(caught))]


def stacked(draws: random.Random) -> tuple[Places, Places]:
    """Pile one side's checkers high on a few points, and leave some of the other's behind them."""
    points = draws.sample((0, 1, 2, 3, 4, 5, 5, 7, 12), draws.choice((2, 3, 3, 4)))
    piled = draws.choices(points, k=draws.choice((13, 14, 15)))
    piled += draws.choices((6, 7, 9, 12, 23), k=15 - len(piled))
    caught = draws.choices((24, 23, 23, 22, 21, 20, 19), k=draws.choice((1, 2, 2, 3, 4)))
    return piled, [*caught, *developed(draws, 13), *[12] * 2][:15]


def snake(draws: random.Random) -> tuple[Places, Places]:
    """Put a prime far from home, to be walked round behind the other's last checker or two."""
    first = draws.randrange(8, 17)
    points = [place for place in range(first, first + draws.choice((4, 5, 6, 6))) if place < 24]
    places = 2 * points
    places += draws.choices((*points, *range(first, 24)), k=15 - len(places))
    last = draws.choices((24, 24, 23, 22), k=draws.choice((1, 1, 2)))
    last += draws.choices((0, 0, 1, 1, 2, 3, 4, 5), k=draws.choice((4, 8, 11, 13, 14)))
    return places, last[:15]


KINDS = {  # the number of each
    ending: 20, containing: 20, crunched: 10, back_game: 22, prime: 22, blitz: 16,
    stacked: 14, snake: 20,
}  # fmt: skip


def long_race(draws: random.Random) -> Position:
    """Set up a race, just begun or long past contact, with most checkers still on the board."""
    border = draws.randrange(4, 21)  # the first side stands below it, the other above
    sides = []
    for length in (border, 24 - border):
        weights = [draws.choice((0.1, 1.0, 3.0)) for _ in range(length)]
        spread = draws.choices(range(length), weights, k=draws.choice((15, 15, 15, 14, 11)))
        sides.append(tuple(spread.count(place) for place in range(25)))
    return Position(sides[0], sides[1])


def race_starts(brain: Brain, seed: int, most: int = 4000) -> NDArray[np.int8]:
    """Return ends of contact in games of `brain`, and as many long races: int8[n, 2, 25].

    There are at most `most` of the former: they are full of gammons to be saved, and seldom long.
    """
    boards = np.zeros((40 * most, 2, 25), np.int8)
    unused = np.zeros((len(boards), 5), np.float32)
    selfplay.play_games(
        CubelessPlayer(brain, scratch_for(brain)),
        odd_starts(seed), OPENINGS, seed, np.float32(0.0), boards, unused,
    )  # fmt: skip
    race = selfplay.races(boards)
    first = race & ~np.roll(race, 1)
    played = boards[first][:most]
    draws = random.Random(seed)
    made = np.stack([long_race(draws).array() for _ in range(len(played))])
    return np.concatenate([played, made])
