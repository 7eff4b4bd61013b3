"""Slow, plain twins of the kernels, and positions to compare them on.

`legal_results` is backgammon as the rule book says it: try every single step, one die after the
other in both orders, keep the ways that use the most dice, and when only one of two different dice
can be used, the larger if possible. It shares nothing with engine/kernels, not even an idea.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from hypothesis import strategies as st

from sixprime.engine.position import Dice, Play, Position

Board = tuple[tuple[int, ...], tuple[int, ...]]  # mine, theirs; as in Position
Pick = Callable[[int, int], int]  # an integer between two bounds, both included


def may_step(board: Board, start: int, die: int) -> bool:
    """May the checker on `start` (25 is the bar) move by this die?"""
    mine, theirs = board
    if mine[start - 1] == 0:
        return False
    if mine[24] > 0 and start != 25:
        return False
    end = start - die
    if end > 0:
        return theirs[25 - end - 1] < 2
    if any(mine[point - 1] for point in range(7, 26)):
        return False
    return end == 0 or not any(mine[point - 1] for point in range(start + 1, 7))


def step(board: Board, start: int, die: int) -> Board:
    """The board after that step."""
    mine, theirs = list(board[0]), list(board[1])
    end = start - die
    mine[start - 1] -= 1
    if end > 0:
        mine[end - 1] += 1
        if theirs[25 - end - 1] == 1:
            theirs[25 - end - 1] = 0
            theirs[24] += 1
    return tuple(mine), tuple(theirs)


def steps(boards: Iterable[Board], die: int) -> set[Board]:
    """Everything one step with this die can make of these boards."""
    return {
        step(board, start, die)
        for board in boards
        for start in range(1, 26)
        if may_step(board, start, die)
    }


def orders(dice: Dice) -> list[tuple[int, ...]]:
    """The orders in which the dice may be used."""
    first, second = dice
    return [(first,) * 4] if first == second else [(first, second), (second, first)]


def legal_results(position: Position, dice: Dice) -> set[Position]:
    """Every position the rules allow after this roll, still as the mover sees it."""
    start: Board = (position.mine, position.theirs)
    by_dice_used: dict[int, set[Board]] = {0: {start}}
    for order in orders(dice):
        boards = {start}
        for used, die in enumerate(order, 1):
            boards = steps(boards, die)
            by_dice_used.setdefault(used, set()).update(boards)
    most = max(used for used, boards in by_dice_used.items() if boards)
    results = by_dice_used[most]
    if most == 1 and dice[0] != dice[1]:
        results = steps({start}, max(dice)) or results
    return {Position(mine, theirs, position.checkers) for mine, theirs in results}


def replay(position: Position, dice: Dice, play: Play) -> Position | None:
    """The result of taking these steps in this order, each legal when it is taken; None if not."""
    for order in orders(dice):
        board: Board = (position.mine, position.theirs)
        for (start, end), die in zip(play, order, strict=False):
            if end != max(start - die, 0) or not may_step(board, start, die):
                break
            board = step(board, start, die)
        else:
            if len(play) <= len(order):
                return Position(*board, position.checkers)
    return None


def random_position(pick: Pick) -> Position:
    """A legal position of an unfinished game: any variant, any stage, stacked or spread."""
    checkers = (15, 15, 15, 15, 15, 15, 3, 2, 1)[pick(0, 8)]
    while True:
        stage = _STAGES[pick(0, len(_STAGES) - 1)]
        mine = _side(pick, checkers, stage[0], (0,) * 25)
        theirs = _side(pick, checkers, stage[1], mine)
        if pick(0, 1):
            mine, theirs = theirs, mine
        if not (mine[24] and theirs[24] and _closed(mine) and _closed(theirs)):
            return Position(mine, theirs, checkers)


# Where the checkers of a side mostly stand (lowest, highest point), for the one side and the other.
_STAGES = (
    ((1, 24), (1, 24)),  # anything
    ((1, 13), (1, 24)),
    ((1, 13), (1, 13)),
    ((1, 6), (1, 6)),  # both bear off
    ((1, 6), (18, 24)),  # bearing off against checkers in the home board
    ((1, 8), (17, 25)),  # prime against bar and back checkers
    ((1, 6), (1, 7)),  # closed boards
    ((3, 9), (19, 25)),
    ((4, 9), (1, 24)),
    ((1, 11), (1, 11)),  # mostly a race
    ((18, 24), (18, 24)),  # two back games
)


def _side(
    pick: Pick, checkers: int, where: tuple[int, int], other: tuple[int, ...]
) -> tuple[int, ...]:
    """Checkers of one side, off the points that the other side holds."""
    side = [0] * 25
    low, high = where
    left = checkers
    if pick(0, 2) == 0 or where == (1, 6):
        left = pick(1, checkers)  # the others are off
    if pick(0, 3) == 0:  # somebody is on the bar
        side[24] = pick(1, min(left, (1, 1, 2, 2, 4, left)[pick(0, 5)]))
        left -= side[24]
    pairs = pick(0, 2) == 0  # points are made, as in primes and closed boards
    open_points = [p for p in range(low, min(high, 24) + 1) if not other[24 - p]]
    anywhere = [p for p in range(1, 25) if not other[24 - p]]
    while left:
        points = anywhere if not open_points or pick(0, 9) == 0 else open_points
        point = points[pick(0, len(points) - 1)]
        count = min(left, 2 if pairs else (1, 1, 2, 2, 2, 3, 4)[pick(0, 6)])
        side[point - 1] += count
        left -= count
    return tuple(side)


def _closed(side: tuple[int, ...]) -> bool:
    return all(side[point - 1] >= 2 for point in range(1, 7))


def seeded(seed: int) -> Pick:
    """Integers from numpy's generator, drawn in large batches."""
    draws = np.random.default_rng(seed)

    def stream() -> Iterator[float]:
        while True:
            yield from draws.random(4096).tolist()

    numbers = stream()
    return lambda low, high: low + int(next(numbers) * (high - low + 1))


def random_rolls(seed: int, count: int) -> Iterator[tuple[Position, Dice]]:
    """Positions and rolls; the same for the same seed."""
    pick = seeded(seed)
    for _ in range(count):
        yield random_position(pick), (pick(1, 6), pick(1, 6))


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """The same positions for hypothesis, which can shrink them."""
    return random_position(lambda low, high: draw(st.integers(low, high)))


def dice() -> st.SearchStrategy[Dice]:
    """Any roll."""
    return st.tuples(st.integers(1, 6), st.integers(1, 6))
