"""Plays as people and programs write them: `8/5(2) 6/3*`, `bar/22`, `24/18*/14`, `8-5 6-5`.

Points are in the mover's numbering, as everywhere; 25 and `bar`, 0 and `off` are the same. Reading
takes the list of legal plays (engine.rules makes it) and returns one of them. A text may join
several steps of a checker, `24/14` for a 6 and a 4. If the ways differ, the text means the way that
hits least; if that leaves a choice, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from sixprime.engine.position import (
    BAR,
    OFF,
    POINTS,
    Dice,
    LegalPlay,
    Play,
    Position,
    Step,
    each_die,
)
from sixprime.engine.system.errors import InputError

LONGEST = 200  # characters; no play needs more
SHOWN = 4  # plays named when a text is refused
NO_PLAY = frozenset({"", "-", "dance", "cannot move", "can't move", "no move", "none"})


class BadPlay(InputError):
    """A text that is not one legal play; the message names plays that are."""


Chain = tuple[int, ...]  # the places one checker touches, from its start to its end

_PLACE = r"(?:\d{1,2}|bar|b|off|o)"
_WORD = re.compile(rf"({_PLACE}(?:\*?[/-]{_PLACE})+)\*?(?:\(([1-4])\))?\*?")
_NAMES = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}


# Writing


def format_play(position: Position, play: Play) -> str:
    """Return the usual short form: steps joined, repeats counted, hits marked; '' for a dance."""
    theirs = position.theirs
    hits = [end for _, end in play if 0 < end <= POINTS and theirs[POINTS - end] == 1]
    return _written(play, frozenset(hits))


@lru_cache(maxsize=1 << 16)  # the same plays recur
def _written(play: Play, hits: frozenset[int]) -> str:
    blots = set(hits)
    words = []
    for chain, same in groupby(chains(play)):
        shown = [_place(chain[0])]
        for end in chain[1:]:
            hit = end in blots
            blots.discard(end)
            if hit or end == chain[-1]:
                shown.append(f"{_place(end)}*" if hit else _place(end))
        count = len(list(same))
        words.append("/".join(shown) + (f"({count})" if count > 1 else ""))
    return " ".join(words)


def format_steps(play: Play) -> str:
    """Return one word per die, nothing joined: `24/18 18/14`."""
    return " ".join(f"{_place(start)}/{_place(end)}" for start, end in play)


def chains(play: Play) -> list[Chain]:
    """Join the steps into as few checker moves as possible, rear checkers first."""
    left = sorted(play, reverse=True)
    found = []
    while left:
        chain = [*left.pop(0)]
        while follower := next((step for step in left if step.start == chain[-1]), None):
            left.remove(follower)
            chain.append(follower.end)
        found.append(tuple(chain))
    return found


def _place(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(place))


# Reading


def parse_play(text: str, position: Position, dice: Dice, legal: Sequence[LegalPlay]) -> LegalPlay:
    """Return the legal play that the text means; BadPlay if it means none, or more than one."""
    dances = all(not candidate.play for candidate in legal)
    written = " ".join(text[: LONGEST + 1].lower().replace(",", " ").split())
    if written in NO_PLAY:
        if dances:
            return legal[0]
        raise BadPlay(f"a play is expected: {_some(position, legal)}")
    ways = parse_chains(written)
    if dances:
        raise BadPlay(f"no checker can move with {_spoken(dice)}, no play is expected")
    results = {candidate.result: candidate for candidate in legal}
    meant = {}
    for steps in _step_lists(ways, each_die(dice)):
        after = _after(position, steps)
        if after in results:
            meant[after] = results[after]
    if not meant:
        raise BadPlay(
            _fault(position, dice, ways) or _expected(written, position, dice, legal, ways)
        )
    fewest = min(result.theirs[BAR - 1] for result in meant)
    chosen = [candidate for result, candidate in meant.items() if result.theirs[BAR - 1] == fewest]
    if len(chosen) > 1:
        raise BadPlay(f"{written} is ambiguous, expected: {_some(position, chosen)}")
    return chosen[0]


def parse_chains(text: str) -> list[Chain]:
    """Return the checker moves of a text on any board, without the marks of hits."""
    if len(text) > LONGEST:
        raise BadPlay(f"a play is shorter than {LONGEST} characters")
    ways: list[Chain] = []
    for word in re.sub(r"\s+\(", "(", text.lower().replace(",", " ")).split():
        match = _WORD.fullmatch(word)
        if not match:
            raise BadPlay(f"{word!r} is not a move, expected the like of 8/5, bar/22* or 6/off(2)")
        names = re.split("[/-]", match[1].replace("*", ""))
        places = tuple(_NAMES[name] if name in _NAMES else int(name) for name in names)
        for start, end in pairwise(places):
            if not OFF <= end < start <= BAR:
                raise BadPlay(f"{word} does not go forward on the board, from 24 down to 1")
        ways += [places] * int(match[2] or 1)
        if sum(len(way) - 1 for way in ways) > 4:
            raise BadPlay("a play has four steps at most")
    return ways


def _step_lists(ways: Sequence[Chain], left: tuple[int, ...]) -> Iterator[list[Step]]:
    """Yield every way to split these chains into steps, each with a die of its own."""
    if not ways:
        yield []
        return
    for steps, rest in _steps(ways[0], left):
        for others in _step_lists(ways[1:], rest):
            yield steps + others


def _steps(way: Chain, left: tuple[int, ...]) -> Iterator[tuple[list[Step], tuple[int, ...]]]:
    """Yield every way to split one chain into steps, with the dice left over."""
    if len(way) == 1:
        yield [], left
        return
    start, end = way[:2]
    for die in dict.fromkeys(left):
        target = max(start - die, OFF)
        if target < end:
            continue
        rest = list(left)
        rest.remove(die)
        onward = way[1:] if target == end else (target, *way[1:])
        for steps, remaining in _steps(onward, tuple(rest)):
            yield [Step(start, target), *steps], remaining


def _after(position: Position, steps: Iterable[Step]) -> Position | None:
    """Return the board after these steps in any order; None if a checker is missing."""
    after = position.after(tuple(steps))
    return None if min(after.mine) < 0 else after


# Refusing


def _fault(position: Position, dice: Dice, ways: Sequence[Chain]) -> str | None:
    """Return the fault of a chain by itself; None if there is none."""
    starts = {way[0] for way in ways}
    for way in ways:
        word = "/".join(_place(place) for place in way)
        if not position.mine[way[0] - 1] and way[0] not in {other[-1] for other in ways}:
            where = "the bar" if way[0] == BAR else f"point {way[0]}"
            return f"{word}: there is no checker on {where}"
        for place in way[1:]:
            if place != OFF and position.theirs[POINTS - place] > 1:
                return f"{word} is blocked" if place == way[-1] else f"{word} is blocked on {place}"
        if not any(True for _ in _steps(way, each_die(dice))):
            return f"{word} cannot be made with {_spoken(dice)}"
    if position.mine[BAR - 1] and BAR not in starts:
        return "the checker on the bar must enter first"
    return None


def _expected(
    written: str, position: Position, dice: Dice, legal: Sequence[LegalPlay], ways: Sequence[Chain]
) -> str:
    """Return a refusal that names legal plays that begin like the text, or just some."""
    lists = [sorted(steps) for steps in _step_lists(ways, each_die(dice))]
    if not lists:
        return f"{written} cannot be made with {_spoken(dice)}"
    fuller = [
        candidate
        for candidate in legal
        if any(_holds(candidate.play, steps) for steps in lists if len(steps) < len(candidate.play))
    ]
    if fuller:
        return f"{written} is not the whole play, expected: {_some(position, fuller)}"
    return f"{written} is not legal, expected: {_some(position, legal)}"


def _holds(play: Play, steps: list[Step]) -> bool:
    left = list(play)
    for step in steps:
        if step not in left:
            return False
        left.remove(step)
    return True


def _some(position: Position, plays: Sequence[LegalPlay]) -> str:
    shown = [format_play(position, candidate.play) for candidate in plays[:SHOWN]]
    more = f" or {len(plays) - SHOWN} more" if len(plays) > SHOWN else ""
    return ", ".join(shown) + more


def _spoken(dice: Dice) -> str:
    return f"{dice[0]} and {dice[1]}"
