"""Checks the words after `move` step by step, and refuses them in the words of FIBS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.bot.sandbox.state.server import CommandRefused
from sixprime.engine.position import BAR, OFF, Dice, LegalPlay, Play, Position, Step, each_die
from sixprime.engine.rules import legal_plays as all_legal_plays

ORDINALS = ("first", "second", "third", "fourth")
BAR_WORDS = frozenset({"bar", "b"})
OFF_WORDS = frozenset({"off", "o", "home", "h"})
_PLACE = re.compile(r"\d{1,2}|bar|b|off|o|home|h")


@lru_cache(maxsize=512)
def legal_plays(position: Position, dice: Dice) -> tuple[LegalPlay, ...]:
    """Return the legal plays of a roll, from a cache, since a turn needs them several times."""
    return tuple(all_legal_plays(position, dice))


def looks_like_move(words: list[str]) -> bool:
    """Return whether a line is a move without its verb, such as `8-5 6-5` or `bar-20 8-5`."""
    places = [place for word in words for place in word.split("-")]
    begins = words[0][0].isdigit() or words[0].startswith("bar-")
    return begins and all(_PLACE.fullmatch(place) for place in places)


def parse_play(match: UnfinishedMatch, words: list[str]) -> Play:
    """Return the steps in the mover's own numbering; CommandRefused for other words."""
    seat = match.state.on_roll
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
            steps.append(_step(match, seat, start, end, len(steps)))
    return tuple(steps)


def _step(match: UnfinishedMatch, seat: int, start: str, end: str, number: int) -> Step:
    return Step(_place(match, seat, start, number, BAR), _place(match, seat, end, number, OFF))


def _place(match: UnfinishedMatch, seat: int, word: str, number: int, outside: int) -> int:
    """Return a place in the mover's numbering; 0 and 25 are the bar or off."""
    if word in BAR_WORDS:
        return BAR
    if word in OFF_WORDS:
        return OFF
    if not word.isascii() or not word.isdigit() or int(word) > 25:
        raise _bad_words(number)
    if int(word) in (0, 25):
        return outside
    return int(word) if seat == match.o_seat else 25 - int(word)


def _bad_words(number: int) -> CommandRefused:
    ordinal = ORDINALS[min(number, 3)]
    return CommandRefused(
        f"** {ordinal} move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'."
    )


def must_move(match: UnfinishedMatch) -> int:
    """Count the steps that the player on roll has to make."""
    if match.state.dice is None:
        return 0
    return len(legal_plays(match.position, match.state.dice)[0].play)


def check_play(match: UnfinishedMatch, play: Play) -> None:
    """Raise CommandRefused unless this is a complete legal play of the roll."""
    assert match.state.dice is not None
    legal = legal_plays(match.position, match.state.dice)
    needed = len(legal[0].play)
    if len(play) > needed:
        raise CommandRefused(f"** Please don't give more than {needed} moves.")
    _check_steps(match, play)
    if len(play) < needed:
        raise CommandRefused(f"** You must give {needed} moves.")
    result = match.position.after(play)
    if all(result != option.result for option in legal):
        raise _wrong_die(match, play, 0)  # the larger die has to be used


def _check_steps(match: UnfinishedMatch, play: Play) -> None:
    assert match.state.dice is not None
    position, dice = match.position, list(each_die(match.state.dice))
    for number, step in enumerate(play):
        ordinal = ORDINALS[number]
        _check_start(match, position, step, ordinal)
        die = _fitting_die(match, position, dice, play, number)
        facing = position.theirs[24 - step.end] if step.end != OFF else 0
        if facing > 1:
            name = match.point_name(match.state.on_roll, step.end)
            raise CommandRefused(f"** You can't move to {name} in your {ordinal} move.")
        dice.remove(die)
        position = position.after((step,))


def _check_start(match: UnfinishedMatch, position: Position, step: Step, ordinal: str) -> None:
    if step.start == OFF or position.mine[step.start - 1] == 0:
        name = match.point_name(match.state.on_roll, step.start)
        where = "the bar" if step.start == BAR else name
        raise CommandRefused(f"** You can't move from {where} in your {ordinal} move.")
    if position.mine[24] and step.start != BAR:
        raise CommandRefused(f"** You have to remove pieces from the bar in your {ordinal} move.")


def _fitting_die(
    match: UnfinishedMatch, position: Position, dice: list[int], play: Play, number: int
) -> int:
    step = play[number]
    if step.end == OFF:
        return _bearing_die(position, dice, step.start, ORDINALS[number])
    if step.end == BAR or step.start - step.end not in dice:
        raise _wrong_die(match, play, number)
    return step.start - step.end


def _bearing_die(position: Position, dice: list[int], start: int, ordinal: str) -> int:
    if any(position.mine[6:]):
        raise CommandRefused(f"** You can't move home in your {ordinal} move.")
    if start in dice:
        return start
    larger = [die for die in dice if die > start]
    if not larger or any(position.mine[start:6]):
        raise CommandRefused(f"** You can't remove this piece in your {ordinal} move.")
    return min(larger)


def _wrong_die(match: UnfinishedMatch, play: Play, number: int) -> CommandRefused:
    step = play[number]
    return CommandRefused(
        f"** You can't move {step.start - step.end} points in your {ORDINALS[number]} move."
    )


def forced_play(legal: Sequence[LegalPlay]) -> Play | None:
    """Return the play if all legal plays lead to the same position, else None."""
    return legal[0].play if len(legal) == 1 and legal[0].play else None


def greedy_play(position: Position, legal: Sequence[LegalPlay]) -> Play | None:
    """Return a play of a race that only bears off, if the dice allow one."""
    if not position.is_race():
        return None
    return next((play for play, _ in legal if play and all(step.end == OFF for step in play)), None)
