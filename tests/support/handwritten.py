"""Entries of matches by hand, drawn at random."""

from __future__ import annotations

import random

from sixprime.bot.transcribing.handmatch import Asks, HandMatch
from sixprime.bot.transcribing.sheet import EntrySheet
from sixprime.bot.web.play.boardmatch import DICE_TOO
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.notation import format_play

Entry = str  # a line of a sheet
LIVE = {"level": DICE_TOO, "length": "3", "variant": "standard", "name": "Anna", "other": "Ben",
        "event": "Cup", "round": "final", "place": "Oslo", "date": "2026-05-01"}  # fmt: skip


def next_entry(match: HandMatch, chance: random.Random, *, illegal: float = 0.0) -> Entry:
    """A line that goes on with this match."""
    asks = match.asks
    if asks in (Asks.OPENING, Asks.NEXT_GAME):
        first, second = chance.sample(range(1, 7), 2)
        rules = match.record.rules
        cube = match.game.cube if asks is Asks.OPENING else 1
        if cube < 2**rules.automatic_doubles and chance.random() < 0.5:
            return f"{first}{first}"
        return f"{first}{second}"
    if asks is Asks.ROLL:
        if match.may_double and chance.random() < 0.06:
            return "double"
        if chance.random() < 0.01:
            return f"resign {chance.randint(1, 3)}"
        return f"{chance.randint(1, 6)}{chance.randint(1, 6)}"
    if asks is Asks.ANSWER:
        return "take" if chance.random() < 0.8 else "drop"
    if asks is Asks.RESIGNATION:
        return chance.choice(("accept", "refuse"))
    position, dice = match.rolled()
    if chance.random() < illegal:
        start = next(place for place in range(24, 0, -1) if position.mine[place - 1])
        ends = [end for end in range(1, 25) if end != start and position.theirs[24 - end] < 2]
        return f"{start}/{chance.choice(ends)} !"
    play = chance.choice(legal_plays(position, dice)).play
    return format_play(position, play) or "-"


def drawn_match(seed: int, *, length: int, illegal: float = 0.0, turns: int = 1_000) -> HandMatch:
    """A match that is entered line by line until it is won, or so many lines."""
    chance = random.Random(seed)
    sheet = EntrySheet()
    sheet.write("players anna, ben")
    sheet.write(f"match {length}" if length else "money")
    assert sheet.match is not None
    for _ in range(turns):
        if sheet.match.asks is Asks.KEEPING:
            break
        sheet.write(next_entry(sheet.match, chance, illegal=illegal))
    return sheet.match


def fields_of(line: str) -> tuple[str, dict[str, str]]:
    """The deed of the page for an entry, and its fields."""
    if line.isdigit():
        return "dice", {"first": line[0], "second": line[1]}
    word, _, more = line.partition(" ")
    if word == "resign":
        return "resign", {"games": more}
    words = {"refuse": "reject"}
    if word.isalpha():
        return words.get(word, word), {}
    if line.endswith("!"):
        return "keep", {"text": line.removesuffix("!").strip()}
    return "write", {"text": line}
