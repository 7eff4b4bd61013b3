"""What a player types after `move`, checked step by step, refused in the words of FIBS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from sixprime.bot.sandbox.state.table import Table
from sixprime.engine.position import BAR, OFF, Dice, Play, Position, Step
from sixprime.engine.rules import LegalPlay
from sixprime.engine.rules import legal_plays as all_legal_plays

ORDINALS = ("first", "second", "third", "fourth")
BAR_WORDS = frozenset({"bar", "b"})
OFF_WORDS = frozenset({"off", "o", "home", "h"})
_PLACE = re.compile(r"\d{1,2}|bar|b|off|o|home|h")


@lru_cache(maxsize=512)
def legal_plays(position: Position, dice: Dice) -> tuple[LegalPlay, ...]:
    """The legal plays of a roll, remembered: a turn asks for them several times."""
    return tuple(all_legal_plays(position, dice))


class Refused(Exception):
    """The server's line for a move that cannot be made."""


def looks_like_move(words: list[str]) -> bool:
    """Is this a move without a verb, `8-5 6-5`, `8 5 6 5` or `bar-20 8-5`? (`b` is `board`.)"""
    places = [place for word in words for place in word.split("-")]
    begins = words[0][0].isdigit() or words[0].startswith("bar-")
    return begins and all(_PLACE.fullmatch(place) for place in places)


def parse_play(table: Table, words: list[str]) -> Play:
    """The steps in the mover's own numbering; Refused for words that mean nothing."""
    seat = table.match.on_roll
    places = [word.lower().split("-") for word in words]
    if all(len(ends) == 1 for ends in places):
        flat = [ends[0] for ends in places]
        if len(flat) % 2:
            raise _bad_words(len(flat) // 2)
        places = [flat[i : i + 2] for i in range(0, len(flat), 2)]
    steps: list[Step] = []
    for ends in places:
        if len(ends) < 2:
            raise _bad_words(len(steps))
        for start, end in pairwise(ends):  # 8-5-4 is one checker twice
            steps.append(_step(table, seat, start, end, len(steps)))
    return tuple(steps)


def _step(table: Table, seat: int, start: str, end: str, number: int) -> Step:
    return Step(_place(table, seat, start, number, BAR), _place(table, seat, end, number, OFF))


def _place(table: Table, seat: int, word: str, number: int, outside: int) -> int:
    """A place in own numbering. 0 and 25 mean the bar or off, wherever they stand."""
    if word in BAR_WORDS:
        return BAR
    if word in OFF_WORDS:
        return OFF
    if not word.isascii() or not word.isdigit() or int(word) > 25:
        raise _bad_words(number)
    if int(word) in (0, 25):
        return outside
    return int(word) if seat == table.o_seat else 25 - int(word)


def _bad_words(number: int) -> Refused:
    ordinal = ORDINALS[min(number, 3)]
    return Refused(f"** {ordinal} move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'.")


def must_move(table: Table) -> int:
    """How many steps the player on roll has to make."""
    if table.match.dice is None:
        return 0
    return len(legal_plays(table.position, table.match.dice)[0].play)


def check_play(table: Table, play: Play) -> None:
    """Refused, unless this is a complete legal play for the dice on the table."""
    assert table.match.dice is not None
    legal = legal_plays(table.position, table.match.dice)
    needed = len(legal[0].play)
    if len(play) > needed:
        raise Refused(f"** Please don't give more than {needed} moves.")
    _check_steps(table, play)
    if len(play) < needed:
        raise Refused(f"** You must give {needed} moves.")
    result = table.position.after(play)
    if all(result != option.result for option in legal):
        raise _wrong_die(table, play, 0)  # the larger die has to be used


def _check_steps(table: Table, play: Play) -> None:
    assert table.match.dice is not None
    position, dice = table.position, _dice_list(table.match.dice)
    for number, step in enumerate(play):
        ordinal = ORDINALS[number]
        _check_start(table, position, step, ordinal)
        die = _fitting_die(table, position, dice, play, number)
        facing = position.theirs[24 - step.end] if step.end != OFF else 0
        if facing > 1:
            name = table.point_name(table.match.on_roll, step.end)
            raise Refused(f"** You can't move to {name} in your {ordinal} move.")
        dice.remove(die)
        position = position.after((step,))


def _check_start(table: Table, position: Position, step: Step, ordinal: str) -> None:
    if step.start == OFF or position.mine[step.start - 1] == 0:
        name = table.point_name(table.match.on_roll, step.start)
        where = "the bar" if step.start == BAR else name
        raise Refused(f"** You can't move from {where} in your {ordinal} move.")
    if position.mine[24] and step.start != BAR:
        raise Refused(f"** You have to remove pieces from the bar in your {ordinal} move.")


def _fitting_die(table: Table, position: Position, dice: list[int], play: Play, number: int) -> int:
    step = play[number]
    if step.end == OFF:
        return _bearing_die(position, dice, step.start, ORDINALS[number])
    if step.end == BAR or step.start - step.end not in dice:
        raise _wrong_die(table, play, number)
    return step.start - step.end


def _bearing_die(position: Position, dice: list[int], start: int, ordinal: str) -> int:
    if any(position.mine[6:]):
        raise Refused(f"** You can't move home in your {ordinal} move.")
    if start in dice:
        return start
    larger = [die for die in dice if die > start]
    if not larger or any(position.mine[start:6]):
        raise Refused(f"** You can't remove this piece in your {ordinal} move.")
    return min(larger)


def _wrong_die(table: Table, play: Play, number: int) -> Refused:
    step = play[number]
    return Refused(
        f"** You can't move {step.start - step.end} points in your {ORDINALS[number]} move."
    )


def _dice_list(dice: Dice) -> list[int]:
    return [dice[0]] * 4 if dice[0] == dice[1] else list(dice)


def forced_play(legal: Sequence[LegalPlay]) -> Play | None:
    """The play, if there is only one that reaches anything."""
    return legal[0].play if len(legal) == 1 and legal[0].play else None


def greedy_play(position: Position, legal: Sequence[LegalPlay]) -> Play | None:
    """The play that only takes checkers off, in a race, if the dice allow it."""
    if not position.is_race():
        return None
    return next((play for play, _ in legal if play and all(step.end == OFF for step in play)), None)
