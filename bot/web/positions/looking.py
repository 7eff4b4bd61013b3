"""A position that somebody pasted: the board, and what the engine makes of it."""

from __future__ import annotations

from typing import Any

from sixprime.bot.web.frame.boardview import board, spoken
from sixprime.bot.web.play.coach import Coach
from sixprime.engine.dice import read_dice
from sixprime.engine.position import IllegalPosition, MatchState
from sixprime.engine.search.decide import NoDecision
from sixprime.protocols.formats.ids import BadId, match_id, parse_position, position_id, xgid

NOTHING: dict[str, Any] = {
    "board": "", "spoken": "", "plays": [], "cube": None, "problem": "", "ids": {}, "pips": None,
    "roll": None,
}  # fmt: skip


def looked_at(coach: Coach, text: str, dice_text: str) -> dict[str, Any]:
    """What the page shows of a position, a roll, or nothing yet."""
    if not text:
        return NOTHING
    try:
        position, given = parse_position(text)
        match = given or MatchState()
        dice = read_dice(dice_text) if dice_text else match.dice
        position.checked()
    except (BadId, IllegalPosition, ValueError) as error:
        return NOTHING | {"problem": str(error)}
    state = match.with_(dice=dice)
    fields = NOTHING | {
        "board": board(position, state, below=state.on_roll),
        "spoken": spoken(position),
        "pips": position.pips(),
        "roll": dice,
        "ids": {
            "Position ID": position_id(position),
            "Match ID": match_id(state),
            "XGID": xgid(position, state),
        },
    }
    try:
        if dice is not None:
            fields["plays"] = coach.plays(position, state, dice)
        else:
            fields["cube"] = coach.cube(position, match)
    except (NoDecision, IllegalPosition, ValueError) as error:
        fields["problem"] = str(error)
    return fields
