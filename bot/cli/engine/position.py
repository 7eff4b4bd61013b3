"""`sixprime position`: counts, race, cube points and rolls of a position."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.declaring import file, flag
from sixprime.bot.cli.leveloptions import engine_of, level_arguments
from sixprime.bot.cli.main import UsageError, new_file, refusing, write_out
from sixprime.bot.cli.positionoptions import asked, variant_argument
from sixprime.bot.cli.progress import bar

if TYPE_CHECKING:
    from sixprime.engine.position import Chances
    from sixprime.engine.study.study import Study

EPILOG = """\
examples:
  sixprime position 4HPwATDgc/ABMA
  sixprime position 4HPwATDgc/ABMA:cAkAAAAAAAAE --html study.html --map rolls.svg
  sixprime position 2+4HAADb7gIAAA --no-rolls --json
  sixprime position 4HPwATDgc/ABMA --chances 0.525,0.149,0.007,0.125,0.005
POSITION is a Position ID, posid:matchid, an XGID, a FIBS board line in quotes or a file, before
the roll. Dead: nobody turns the cube again; live: both do so at the perfect moment.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("position", metavar="POSITION")
    parser.add_argument("--match", metavar="ID", help="Match ID, instead of that in POSITION")
    variant_argument(parser)
    parser.add_argument(
        "--chances", metavar="W,G,B,LG,LB",
        help="instead of the engine's: win, win gammon, backgammon, lose gammon, backgammon",
    )  # fmt: skip
    flag(parser, "--no-rolls", "without the list of rolls")
    flag(parser, "--json", "one JSON object instead of tables")
    file(parser, "--html", "all of it as a page", kind=new_file)
    file(parser, "--map", "the temperature map as SVG", kind=new_file)
    level_arguments(parser, "world-class")
    parser.set_defaults(dice=None)


def run(options: argparse.Namespace) -> int:
    from sixprime.bot.reports.html import study_page
    from sixprime.bot.reports.studied import temperature_map
    from sixprime.engine.search.decide import NoDecision
    from sixprime.engine.study.study import study

    if options.map is not None and options.no_rolls:
        raise UsageError("--map: shows the rolls, which --no-rolls leaves out")
    position, match, _ = asked(options)
    chances = None if options.chances is None else _chances(options.chances)
    engine = engine_of(options)
    with refusing(NoDecision), bar("rolls") as progress:
        found = study(
            position, match, engine, chances, with_rolls=not options.no_rolls, progress=progress
        )
    if options.html is not None:
        write_out(options.html, study_page(found))
    if options.map is not None and found.rolls is not None:
        write_out(options.map, temperature_map(found.rolls))
    if options.json:
        print(json.dumps(_json(found)))
    else:
        _print(found)
    return 0


def _chances(text: str) -> Chances:
    from sixprime.engine.study.study import ImpossibleChances, possible_chances

    with refusing(ImpossibleChances, at="--chances"):
        return possible_chances(text.split(","))


def _print(found: Study) -> None:
    from sixprime.bot.reports.board_text import draw
    from sixprime.bot.reports.studied import tables

    print(draw(found.position))
    for each in tables(found):
        print(f"\n{each.title}")
        if each.rows:
            table(each.heads, each.rows)
        if each.note:
            say(each.note)


def _json(found: Study) -> dict[str, Any]:
    from sixprime.protocols.formats.ids import position_id
    from sixprime.protocols.formats.notation import format_play

    seats = ("on_roll", "other")
    races = {"race": found.race, "one_checker": found.one_checker}
    decision = found.decision
    answer: dict[str, Any] = {
        "position": position_id(found.position),
        "pips": dict(zip(seats, found.position.pips(), strict=True)),
        "races": {
            name: {
                "effective_pips": [race.mine.effective_pips, race.theirs.effective_pips],
                "wastage": race.wastage(found.position),
                "probabilities": race.outcomes,
                "trials": race.trials,
            }
            for name, race in races.items()
        },
        "counts": {each.name: {**each._asdict(), "says": each.verdict} for each in found.counts},
        "rules": {each.name: each._asdict() for each in found.rules},
        "probabilities": found.chances,
        "cube": {"action": decision.action, "equities": decision.equities, "bluff": found.bluff},
        "gammon_values": dict(zip(seats, found.gammon_values, strict=True)),
        "cube_points": {
            seat: [
                {
                    "cube": each.cube,
                    "dead": each.dead._asdict(),
                    "live": each.live._asdict(),
                    "effective": each.effective(found.efficiency)._asdict(),
                    "redoubled": each.redoubled and each.redoubled._asdict(),
                }
                for each in points
            ]
            for seat, points in zip(seats, found.points, strict=True)
        },
    }
    if found.rolls is not None:
        answer["average"] = found.rolls.average
        answer["rolls"] = [
            {
                "dice": roll.dice,
                "move": format_play(found.position, roll.play),
                "equity": roll.equity,
            }
            for roll in found.rolls.rolls
        ]
    return answer
