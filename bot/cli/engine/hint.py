"""`sixprime hint`: what to do in a position, for people and as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.columns import say, table, width
from sixprime.bot.cli.declaring import file, flag, number
from sixprime.bot.cli.leveloptions import engine_of, level_arguments
from sixprime.bot.cli.main import refusing, write_out
from sixprime.bot.cli.positionoptions import asked, position_arguments
from sixprime.engine.compiling.announcing import announced
from sixprime.engine.position import MatchState, Position

if TYPE_CHECKING:
    pass

SHOWN = 10  # plays in the table


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime hint 4HPwATDgc/ABMA --dice 31\n"
        "POSITION is a Position ID, posid:matchid, an XGID, a FIBS board line in quotes,\n"
        "or a file (-: standard input): an .xgp of XG, or a match, at the position where it ends;\n"
        "without dice, in it or after --dice, the cube action is shown"
    )
    position_arguments(parser)
    number(parser, "--plays", SHOWN, f"how many to show ({SHOWN})", None, least=1)
    flag(parser, "--json", "one JSON object instead of a table")
    file(parser, "--svg", "draw the board into this file")
    level_arguments(parser, "world-class")


def run(options: argparse.Namespace) -> int:
    position, match, dice = asked(options)
    if options.svg is not None:
        from sixprime.bot.reports.board_svg import draw
        from sixprime.protocols.formats.ids import position_id

        write_out(options.svg, draw(position, match, dice, position_id(position)))
    from sixprime.bot.cli.ready import PLAYING, RANKING
    from sixprime.bot.reports.decisions import Hints, ShownCube
    from sixprime.engine.search.decide import NoDecision

    engine = engine_of(options, PLAYING if dice is None else RANKING)
    with refusing(NoDecision), announced(_compiling):
        shown: Hints | ShownCube
        if dice is not None:
            candidates = engine.move(position, match, dice).candidates
            shown = Hints.of(position, candidates[: max(options.plays, 1)])
        else:
            shown = ShownCube.of(engine.cube(position, match))
    if options.json:
        answer = (
            {"dice": dice, "kind": "move", "plays": [hint.as_json() for hint in shown]}
            if isinstance(shown, Hints)
            else shown.as_json()
        )
        print(json.dumps({**_head(position, match), **answer}))
        return 0
    if dice is not None:
        to_do = f"to play {dice[0]}-{dice[1]}"
    elif match.doubled:
        to_do = "doubles"
    else:
        to_do = "to roll or double" if match.may_double() else "to roll"
    _print(position, match, to_do)
    table(*shown.table())
    if isinstance(shown, ShownCube):
        say(f"{shown.chances()}\n{shown.action}")
    return 0


def _compiling() -> None:
    print("compiling the search; this happens once", file=sys.stderr, flush=True)


def _head(position: Position, match: MatchState) -> dict[str, Any]:
    from sixprime.protocols.formats.ids import BadId, match_id, position_id

    try:
        written = match_id(match)
    except BadId:  # no Match ID has room for more than 64 points
        written = None
    return {"position": position_id(position), "match": written}


def _print(position: Position, match: MatchState, to_do: str) -> None:
    from sixprime.bot.reports.board_text import BESIDE, draw, situation

    head = _head(position, match)
    beside = (
        f"Position ID {head['position']}",
        f"Match ID    {head['match'] or 'none for such a long match'}",
        *situation(position, match),
        f"X {to_do}",
    )
    if BESIDE + max(map(len, beside)) <= width():
        print(draw(position, beside=beside))
    else:
        say("\n".join((draw(position), *beside)))
