"""`sixprime hint`: plays or the cube action of a position, for people and as JSON."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.columns import say, table, width
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.levels import engine_of
from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.cli.positions import position_of
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.board_text import BESIDE, draw, situation
from sixprime.bot.reports.decisions import ByPlies, Hints, ShownCube
from sixprime.engine.compiling.announcing import announced
from sixprime.engine.compiling.preparations import CUBE, RANKING
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.decide import Engine, NoDecision
from sixprime.protocols.formats.ids import BadId, match_id, position_id


def show_hint(options: Namespace) -> int:
    position, match, dice = position_of(options)
    if options.svg is not None:
        title = position_id(position)
        write_out(options.svg, board_svg.draw(position, match, dice, title, flipped=options.flip))
    engine = engine_of(options, CUBE if dice is None else RANKING)
    with refusing(NoDecision), announced(_compiling):
        by_plies = _by_plies(position, match, dice, engine, options)
        shown = by_plies[max(by_plies)]
    several = len(by_plies) > 1
    if several and isinstance(shown, Hints):
        shown = Hints(shown[: options.most])
    if options.json:
        answer = (
            {"dice": dice, "kind": "move", **_played(shown), **_ranked(shown)}
            if isinstance(shown, Hints)
            else {**shown.as_json(), **shown.facts()}
        )
        more = {"by_plies": by_plies.as_json()} if several else {}
        print(json.dumps({**_head(position, match), **answer, **more}))
        return 0
    if dice is not None:
        to_do = f"to play {dice[0]}-{dice[1]}"
    elif match.doubled:
        to_do = "doubles"
    else:
        to_do = "to roll or double" if match.may_double() else "to roll"
    _print(position, match, to_do, flipped=options.flip)
    table(*(by_plies.table(options.most) if several else shown.table()))
    if isinstance(shown, ShownCube):
        say("\n".join([shown.in_sentences(), *shown.in_lines(), shown.action]))
    if shown.note():
        say(f"{engine.level.name}: {shown.note()}")
    return 0


def _by_plies(
    position: Position, match: MatchState, dice: Dice | None, engine: Engine, options: Namespace
) -> ByPlies:
    """Ask the engine at its own depth, or at each of --plies."""
    engines = {-1: engine}
    if options.plies is not None:
        with refusing(ValueError):
            engines = {plies: engine.at_plies(plies, options.most) for plies in options.plies}
    return ByPlies(
        (
            plies,
            ShownCube.from_advice(one.cube(position, match), match)
            if dice is None
            else Hints.ranked(
                position,
                one.move(position, match, dice),
                options.most if len(engines) == 1 else None,
            ),
        )
        for plies, one in engines.items()
    )


def _played(shown: Hints) -> dict[str, Any]:
    return {} if shown.played is None else {"move": shown.played.play}


def _ranked(shown: Hints) -> dict[str, Any]:
    """Return the plays as `decide` and `rollout` name them, and by their former name."""
    plays = [hint.as_json() for hint in shown]
    return {"plays": plays, "candidates": plays}


def _compiling() -> None:
    print("compiling the search; this happens once", file=sys.stderr, flush=True)


def _head(position: Position, match: MatchState) -> dict[str, Any]:
    try:
        written = match_id(match)
    except BadId:  # no Match ID has room for more than 64 points
        written = None
    return {"position": position_id(position), "match": written}


def _print(position: Position, match: MatchState, to_do: str, *, flipped: bool) -> None:
    head = _head(position, match)
    beside = (
        f"Position ID {head['position']}",
        f"Match ID    {head['match'] or 'none for such a long match'}",
        *situation(position, match),
        f"X {to_do}",
    )
    if BESIDE + max(map(len, beside)) <= width():
        print(draw(position, beside=beside, flipped=flipped))
    else:
        say("\n".join((draw(position, flipped=flipped), *beside)))
