"""A match that goes on from any position."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from sixprime.bot.web.library.origins import Origin
from sixprime.bot.web.play.boardmatch import DICE_TOO, HANDS, SIDES, UNNAMED, YOU, BoardMatch
from sixprime.engine.position import MatchState, Position, Variant
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.positionfile import exchanged, match_of
from sixprime.protocols.formats.record import Player


def match_from(
    level: str, position: Position, state: MatchState, person: int, origin: Origin | None = None
) -> BoardMatch:
    """Return a match that begins with a position, as the player on roll sees it.

    `person` is the person's seat in `state`. The record's comment tells the origin.
    """
    if position.is_over():
        raise InputError("The game is over in this position.")
    record = match_of(position, state if person == YOU else exchanged(state))
    variant = next(v for v in Variant if Position.start(v).checkers == position.checkers)
    now = dt.datetime.now(dt.UTC)
    hands = level in (HANDS, DICE_TOO)
    players = (
        (Player(SIDES[0]), Player(SIDES[1]))
        if hands
        else (Player(UNNAMED), Player(f"Sixprime {level}", level=level))
    )
    record = replace(
        record,
        players=players,
        rules=replace(record.rules, variant=variant),
        date=now.date(),
        place="browser",
        started=now,
        comment="" if origin is None else origin.comment,
    )
    match = BoardMatch(level, record, by_hand=level == DICE_TOO)
    match.replay()  # a BadRecord is an InputError
    return match
