"""Plays in files, such as `24/14`, `bar/13*(2)`, `8/4(2)/2` or `5/1 1/0`, as steps of one die each.

Programs join or split the steps of a checker, name points that it never touched, in any order, and
mark hits or not. Only the places that checkers leave and reach are reliable: `read_play` finds out
how these dice get there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, starmap

from sixprime.engine.position import BAR, OFF, POINTS, Dice, Play, Position, Step, each_die
from sixprime.protocols.formats.legality import uses_enough
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.record import BadRecord, on_line
from sixprime.protocols.formats.replay import blocked, can_be_put, fits, rear_first

Hop = tuple[int, int]  # from, to; in the mover's numbering, like a Step, but of any length

_PLACE = re.compile(r"(\d{1,2}|bar|b|off|o|home|h)\*?(?:\(([1-4])\))?\*?")
_SPACED = re.compile(r"\s[-/(*]|[-/]\s")
_JOINED = re.compile(r"\s*+(?:([-/])\s*+|(?=[(*]))")  # `8 / 5 (2)`
_MOST = 8  # checker moves; a play has four
_INNER = 6


def hops_in(line: int, text: str, *, fibs: bool = False) -> tuple[Step, ...]:
    """Return the moves of any length in a text: `13/7(2)`, `24/18*/14`, `bar/20`, `6/off`.

    FIBS writes `13-7`, with points numbered from either side. BadMatchFile if it is not a play.
    """
    with on_line(line):
        return _hops(text, fibs)


@lru_cache(maxsize=1 << 14)  # plays come again and again
def _hops(text: str, fibs: bool) -> tuple[Step, ...]:
    hops: list[tuple[str, str]] = []
    text = text.replace(",", " ")
    if _SPACED.search(text):
        text = _JOINED.sub(r"\1", text)
    for word in text.split():
        hops += _places(word, fibs=fibs)
    if not hops or len(hops) > _MOST:
        raise BadRecord(f"cannot read the move `{text[:40].strip()}`")
    ascending = fibs and _ascends(*hops[0])
    steps = (Step(_number(start, ascending), _number(end, ascending)) for start, end in hops)
    return rear_first(tuple(steps))


def _places(word: str, *, fibs: bool) -> list[tuple[str, str]]:
    """Return the moves in a word, repeated as it says."""
    parts = [_PLACE.fullmatch(part) for part in re.split("[-/]", word.lower())]
    names = [part[1] if part else "" for part in parts]
    if len(parts) < 2 or not all(names) or ("-" in word and not fibs):
        raise BadRecord(f"cannot read the move `{word[:40]}`")
    for name in names:
        if name.isdigit() and int(name) > BAR:
            raise BadRecord(f"there is no point {name} in `{word}`")
    found: list[tuple[str, str]] = []
    times = 1
    for (start, end), part in reversed(list(zip(pairwise(names), parts[1:], strict=True))):
        times = int(part[2]) if part and part[2] else times
        found = [(start, end)] * times + found
    return found


def _ascends(start: str, end: str) -> bool:
    """Return whether the first step shows point numbers that rise, instead of falling to 1."""
    if not end.isdigit():
        return start.isdigit() and int(start) > 18
    if not start.isdigit():
        return int(end) < 7
    return int(start) < int(end)


def _number(place: str, ascending: bool) -> int:
    if not place.isdigit():
        return BAR if place in ("bar", "b") else OFF
    return BAR - int(place) if ascending else int(place)


def read_play(line: int, position: Position, dice: Dice, text: str) -> Play:
    """Return the play that a text means; BadMatchFile if there is no such play."""
    with on_line(line):
        return steps_of(position, hops_in(line, text), dice)


def steps_of(position: Position, hops: Sequence[Hop], dice: Dice) -> Play:
    """Return the play, rear checkers first; BadRecord if these dice cannot make it here."""
    play = play_meant(position, dice, hops)
    if play is None:
        written = format_steps(tuple(Step(*hop) for hop in hops))
        raise BadRecord(f"{written} cannot be played with {dice[0]} and {dice[1]}")
    return play


def play_meant(position: Position, dice: Dice, hops: Sequence[Hop]) -> Play | None:
    """Return the play, rear checkers first; None if these dice cannot make it on this board.

    A text with one step per die means these steps. Of several ways to the same places, a whole play
    is best, then the way that hits where the text stops, hits least elsewhere, has most of the
    text's stops, has the fewest steps, and plays the first die first. Stars do not matter: many
    files have none.
    """
    if len(hops) == len(each_die(dice)) and fits(position, hops, dice):
        return rear_first(tuple(starmap(Step, hops)))
    moves: dict[int, int] = {}  # place -> how many more checkers leave than arrive
    for start, end in hops:
        moves[start] = moves.get(start, 0) + 1
        moves[end] = moves.get(end, 0) - 1
    if any(end >= start for start, end in hops):
        return None
    ways = list(_ways(position, each_die(dice), moves))
    if len(ways) < 2:
        return rear_first(ways[0]) if ways else None
    blots = {POINTS - i for i, count in enumerate(position.theirs[:POINTS]) if count == 1}
    stops = {end for _, end in hops}

    def unlike(way: Play) -> tuple[bool, int, int, int, int]:
        touched = {step.end for step in way}
        missed, extra = blots & (stops - touched), blots & (touched - stops)
        part = not uses_enough(position, way, dice)
        return part, len(missed), len(extra), len(stops - touched), len(way)

    return rear_first(min(ways, key=unlike))


def _ways(position: Position, left: tuple[int, ...], moves: dict[int, int]) -> Iterator[Play]:
    """Yield every way to play from the places with too many checkers to the places with too few.

    Rear checkers first is legal whenever any order is, so the next to move is known.
    """
    start = max((place for place, count in moves.items() if count > 0), default=OFF)
    if start == OFF:
        if not any(count for place, count in moves.items() if place != OFF):
            yield ()
        return
    for die in dict.fromkeys(left):
        step = Step(start, max(start - die, OFF))
        if (start < die and any(position.mine[start:_INNER])) or blocked(position, step):
            continue
        rest = list(left)
        rest.remove(die)
        onward = {**moves, start: moves[start] - 1, step.end: moves.get(step.end, 0) + 1}
        for play in _ways(position.after((step,)), tuple(rest), onward):
            yield (step, *play)


def by_hand(position: Position, hops: Iterable[Step]) -> Play:
    """Moves that are physically possible, ignoring dice and rules."""
    play: list[Step] = []
    for step in hops:
        if can_be_put(position, step):
            play.append(step)
            position = position.after((step,))
    return tuple(play)
