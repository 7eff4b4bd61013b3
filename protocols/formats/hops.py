"""Splits moves as files write them, `24/14` for a 6 and a 4, into one step per die."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sixprime.engine.position import BAR, OFF, POINTS, Dice, Play, Position, Step
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.record import BadMatchFile, BadRecord
from sixprime.protocols.formats.replay import blocked, rear_first

Hop = tuple[int, int]  # from, to; in the mover's numbering, like a Step, but of any length

_PLACE = r"(?:\d{1,2}|bar|b|off|o|home|h)"
_MOVE = re.compile(rf"({_PLACE}(?:[-/]{_PLACE})+)(?:\(([1-4])\))?")


def read_play(line: int, position: Position, dice: Dice, text: str, *, fibs: bool = False) -> Play:
    """The play written in a line of a file: `13/7(2)`, `24/18*/14`, `bar/20`, `6/off`.

    FIBS writes `13-7`, and its numbers may count from either side. BadMatchFile if there is no such
    play.
    """
    moves = [_places(line, word, fibs=fibs) for word in text.replace(",", " ").split()]
    if not moves:
        raise BadMatchFile(line, f"cannot read the move `{text}`")
    ascending = fibs and _ascends(*moves[0][0][:2])
    hops: list[Hop] = []
    for places, times in moves:
        hops += list(pairwise(_number(place, ascending) for place in places)) * times
    try:
        return steps_of(position, hops, dice)
    except BadRecord as error:
        raise BadMatchFile(line, str(error)) from error


def _places(line: int, word: str, *, fibs: bool) -> tuple[list[str], int]:
    """The points in a word, and how many checkers make the move."""
    found = _MOVE.fullmatch(word.replace("*", "").lower())
    if not found or ("-" in word and not fibs):
        raise BadMatchFile(line, f"cannot read the move `{word[:40]}`")
    places = re.split("[-/]", found[1])
    for place in places:
        if place.isdigit() and int(place) > BAR:
            raise BadMatchFile(line, f"there is no point {place} in `{word}`")
    return places, int(found[2] or 1)


def _ascends(start: str, end: str) -> bool:
    """Do the numbers rise, where ours fall from 24 to 1? The first step shows it."""
    if not end.isdigit():
        return start.isdigit() and int(start) > 18
    if not start.isdigit():
        return int(end) < 7
    return int(start) < int(end)


def _number(place: str, ascending: bool) -> int:
    if not place.isdigit():
        return BAR if place in ("bar", "b") else OFF
    return BAR - int(place) if ascending else int(place)


def steps_of(position: Position, hops: list[Hop], dice: Dice) -> Play:
    """The play, rear checkers first; BadRecord if these dice cannot make it on this board.

    If a hop can use the dice in either order, it avoids hits it need not make; otherwise it takes
    the first die first.
    """
    left = (dice[0],) * 4 if dice[0] == dice[1] else dice
    ordered = sorted(hops, reverse=True)
    for play in _plays(position, ordered, left):
        return rear_first(play)
    written = format_steps(tuple(Step(*hop) for hop in ordered))
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
