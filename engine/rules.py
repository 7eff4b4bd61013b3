"""Legal plays: the typed interface to the move kernels."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import moves
from sixprime.engine.position import BAR, OFF, ROLLS, Dice, LegalPlay, Play, Position, Step, is_roll

_scratch = threading.local()


def legal_plays(position: Position, dice: Dice) -> list[LegalPlay]:
    """Return every distinct result with one play that reaches it; a dance is the one play ()."""
    if not is_roll(dice):
        raise ValueError(f"a die shows 1 to 6, not {dice[0]}-{dice[1]}")
    if not hasattr(_scratch, "rolled"):
        _scratch.rolled = moves.roll_results()
    rolled: moves.RollResults = _scratch.rolled
    count = moves.generate_into(position.array(), *dice, *rolled)
    if count == 0:
        return [LegalPlay((), position)]
    return [
        LegalPlay(
            play_of(rolled.plays[i]), Position.from_array(rolled.results[i], position.checkers)
        )
        for i in range(count)
    ]


def turns_between(before: Position, after: Position) -> list[tuple[Dice, Play]]:
    """Return every roll with the play that leads from one position to the other, for the mover."""
    return [
        (dice, legal.play)
        for dice in ROLLS
        for legal in legal_plays(before, dice)
        if legal.result == after
    ]


def play_of(row: NDArray[np.int8]) -> Play:
    """Return a kernel's int8[8] as a Play, rear checkers first, which is always legal, too."""
    ends = [int(place) for place in row]
    steps = [
        Step(_point(start), _point(end))
        for start, end in zip(ends[::2], ends[1::2], strict=True)
        if start != moves.UNUSED
    ]
    return tuple(sorted(steps, key=lambda step: -step.start))


def _point(index: int) -> int:
    if index == moves.BAR:
        return BAR
    return OFF if index < 0 else index + 1
