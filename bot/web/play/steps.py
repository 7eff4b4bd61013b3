"""The legal steps of a play that a person makes one checker at a time.

The steps so far must be the beginning of a legal play of `engine.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sixprime.engine.position import OFF, POINTS, Dice, Play, Position, Step, each_die
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.replay import steps


def next_steps(position: Position, dice: Dice, begun: Play) -> tuple[Step, ...]:
    """Return the steps that may come next."""
    left = _dice_left(dice, begun)
    return () if left is None else _next(position.after(begun), left, _goals(position, dice))


def routes(position: Position, dice: Dice, begun: Play) -> dict[Step, Play]:
    """Return the legal moves of one checker by one die or more, with their steps.

    Of several ways the shortest counts, then that with the fewest hits, as in written plays.
    """
    found: dict[Step, tuple[tuple[int, int], Play]] = {}

    def walk(chain: Play, hits: int) -> None:
        standing = position.after((*begun, *chain))
        for step in next_steps(position, dice, (*begun, *chain)):
            if chain and step.start != chain[-1].end:
                continue
            longer = (*chain, step)
            hit = step.end != OFF and standing.theirs[POINTS - step.end] == 1
            cost = len(longer), hits + hit
            whole = Step(longer[0].start, step.end)
            if whole not in found or cost < found[whole][0]:
                found[whole] = cost, longer
                walk(longer, hits + hit)

    walk((), 0)
    return {whole: way for whole, (_, way) in found.items()}


def is_whole(position: Position, dice: Dice, play: Play) -> bool:
    return position.after(play) in _goals(position, dice)


@lru_cache(maxsize=64)
def _goals(position: Position, dice: Dice) -> frozenset[Position]:
    return frozenset(legal.result for legal in legal_plays(position, dice))


def _dice_left(dice: Dice, begun: Play) -> tuple[int, ...] | None:
    """Return the dice left after these steps; a bearoff may use a larger die than it needs."""
    left = list(each_die(dice))
    for start, end in begun:
        needed = start - end
        fitting = [die for die in left if die == needed or (end == OFF and die > needed)]
        if not fitting:
            return None
        left.remove(min(fitting))
    return tuple(sorted(left))


@lru_cache(maxsize=50_000)
def _reaches(position: Position, left: tuple[int, ...], goals: frozenset[Position]) -> bool:
    if position in goals:
        return True
    return any(
        _reaches(position.after((step,)), rest, goals) for step, rest in _steps(position, left)
    )


def _next(
    position: Position, left: tuple[int, ...], goals: frozenset[Position]
) -> tuple[Step, ...]:
    found = {
        step
        for step, rest in _steps(position, left)
        if _reaches(position.after((step,)), rest, goals)
    }
    return tuple(sorted(found, reverse=True))


def _steps(position: Position, left: tuple[int, ...]) -> Iterator[tuple[Step, tuple[int, ...]]]:
    """Yield every step with one of the dice, and the dice left after it."""
    for i, die in enumerate(left):
        if die not in left[:i]:
            rest = (*left[:i], *left[i + 1 :])
            yield from ((step, rest) for step in steps(position, die))
