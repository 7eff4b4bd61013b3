"""The legal plays of a roll, in plain Python; few rolls in files need them.

engine.rules lists plays much faster, but protocols may not import it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.engine.position import Dice, Play, Position, each_die
from sixprime.protocols.formats.replay import steps


def uses_enough(position: Position, play: Play, dice: Dice) -> bool:
    """Return whether a play of legal steps uses as many dice, and as large ones, as it must."""
    left = each_die(dice)
    if len(play) == len(left) or position.after(play).is_over():
        return True
    return any(position.after(each) == position.after(play) for each in legal_plays(position, dice))


def legal_plays(position: Position, dice: Dice) -> list[Play]:
    """Return one play for each board that this roll leads to; [()] if no checker can move."""
    found: dict[Position, Play] = {}
    numbers = each_die(dice)
    for order in {numbers, numbers[::-1]}:
        for play in _longest(position, order):
            found.setdefault(position.after(play), play)
    most = max(map(len, found.values()))
    plays = [play for play in found.values() if len(play) == most]
    if most == 1 and dice[0] != dice[1]:
        larger = [play for play in plays if play[0] in steps(position, max(dice))]
        return larger or plays
    return plays


def _longest(position: Position, numbers: tuple[int, ...]) -> Iterator[Play]:
    """Yield the plays of these numbers in this order, until the next one cannot be played."""
    boards: dict[Position, Play] = {position: ()}
    for number in numbers:
        after: dict[Position, Play] = {}
        for board, play in boards.items():
            for step in steps(board, number):
                after.setdefault(board.after((step,)), (*play, step))
        if not after:
            break
        boards = after
    yield from boards.values()
