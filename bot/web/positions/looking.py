"""The page of a position: the board, its IDs, and the engine's opinion."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from sixprime.bot.reports.board_svg import draw
from sixprime.bot.web.frame.boardview import board, spoken
from sixprime.bot.web.frame.texts import gettext
from sixprime.bot.web.play.coach import Coach, before_roll
from sixprime.bot.web.positions.setup import ABOVE, BELOW, CUBES, BoardSetup
from sixprime.engine.search.decide import NoDecision
from sixprime.protocols.formats.ids import BadId, position_id

TRIALS = (144, 324, 1296, 5184)
NO_OPINION: dict[str, Any] = {"plays": [], "cube": None}


def shown(setup: BoardSetup, problem: str = "") -> dict[str, Any]:
    """Return the fields of the page without the engine's opinion."""
    seen, match = setup.seen, setup.match
    fault = setup.fault()
    ids: dict[str, str] = {}
    if not fault:
        try:
            ids = setup.ids()
        except BadId as error:
            fault = str(error)
    link = {"id": ids["XGID"]} if ids else setup.query()
    return NO_OPINION | {
        "board": board(seen, match, below=BELOW, to_edit=True),
        "spoken": spoken(seen, (gettext("Dark"), gettext("Light"))),
        "letters": setup.letters,
        "pips": seen.pips(),
        "match": match,
        "score": (match.score[BELOW], match.score[ABOVE]),
        "owner": {None: "", BELOW: "below", ABOVE: "above"}[match.cube_owner],
        "cubes": CUBES,
        "trials": TRIALS,
        "ids": ids,
        "link": f"/position?{urlencode(link)}",
        "picture": f"/position.svg?{urlencode(link)}",
        "fault": fault,
        "problem": problem,
    }


def looked_at(coach: Coach, setup: BoardSetup) -> dict[str, Any]:
    """Return the fields of the page with the engine's opinion of a legal position."""
    fields = shown(setup)
    opinion = {"problem": fields["fault"]} if fields["fault"] else _opinion(coach, setup)
    return fields | opinion


def _opinion(coach: Coach, setup: BoardSetup) -> dict[str, Any]:
    position, match = setup.position, setup.match
    try:
        if match.dice is not None:
            return NO_OPINION | {"plays": coach.plays(position, match, match.dice)}
        before = match.with_(doubled=False, to_act=match.on_roll)
        return NO_OPINION | {"cube": before_roll(coach.cube(position, before))}
    except NoDecision as error:
        return NO_OPINION | {"problem": str(error)}


def picture(setup: BoardSetup) -> str:
    match = setup.match.with_(on_roll=BELOW)
    title = position_id(setup.position) if not setup.fault() else ""
    dice = match.dice if setup.match.on_roll == BELOW else None
    return draw(setup.seen, match, dice, title)
