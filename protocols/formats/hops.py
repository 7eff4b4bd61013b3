"""Moves as people write them, `24/14` for a 6 and a 4, taken apart into one step a die."""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.engine.position import BAR, OFF, POINTS, Dice, Play, Position, Step
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.replay import blocked, rear_first

Hop = tuple[int, int]  # from, to; in the mover's numbering, like a Step, but of any length


def steps_of(position: Position, hops: list[Hop], dice: Dice) -> Play:
    """The play, rear checkers first; BadRecord if these dice cannot make it on this board.

    Where a hop can go either way round, it hits nothing it need not hit, and else takes the first
    die first.
    """
    left = (dice[0],) * 4 if dice[0] == dice[1] else dice
    ordered = sorted(hops, reverse=True)
    for play in _plays(position, ordered, left):
        return rear_first(play)
    written = " ".join(f"{_word(start)}/{_word(end)}" for start, end in ordered)
    raise BadRecord(f"{written} cannot be played with {dice[0]} and {dice[1]}")


def _plays(position: Position, hops: list[Hop], left: tuple[int, ...]) -> Iterator[Play]:
    if not hops:
        yield ()
        return
    ways = sorted(_ways(position, *hops[0], left), key=lambda way: (len(way[0]), way[1]))
    for steps, _, rest in ways:
        for others in _plays(position.after(steps), hops[1:], rest):
            yield steps + others


def _ways(
    position: Position, start: int, end: int, left: tuple[int, ...]
) -> Iterator[tuple[Play, int, tuple[int, ...]]]:
    """Steps of one checker from `start` to `end`, how many they hit, and the dice then left."""
    if not OFF <= end < start <= BAR:
        return
    for die in dict.fromkeys(left):
        target = max(start - die, OFF)
        if target < end or (start < die and any(position.mine[start:6])):
            continue
        step = Step(start, target)
        if blocked(position, step):
            continue
        rest = list(left)
        rest.remove(die)
        hits = int(target != OFF and position.theirs[POINTS - target] == 1)
        if target == end:
            # a larger die than needed comes after every exact one
            yield (step,), hits + (10 if start < die else 0), tuple(rest)
        else:
            for steps, more, remaining in _ways(position.after((step,)), target, end, tuple(rest)):
                yield (step, *steps), hits + more, remaining


def _word(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(place))
