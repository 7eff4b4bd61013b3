"""`sixprime position`: counts, race, cube points and rolls of a position."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.levels import engine_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.positions import position_of
from sixprime.bot.cli.progress import bar
from sixprime.bot.reports.board_text import draw
from sixprime.bot.reports.html import study_page
from sixprime.bot.reports.studied import tables, temperature_map
from sixprime.engine.position import Chances
from sixprime.engine.search.decide import NoDecision
from sixprime.engine.study.study import Study, possible_chances, study
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import format_play


def study_position(options: Namespace) -> int:
    if options.map is not None and options.no_rolls:
        raise UsageError("--map shows the rolls, which --no-rolls leaves out")
    position, match, _ = position_of(options)
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
        print(json.dumps(_object(found)))
    else:
        _show(found)
    return 0


def _chances(text: str) -> Chances:
    with refusing(InputError, at="--chances"):
        return possible_chances(text.split(","))


def _show(found: Study) -> None:
    print(draw(found.position))
    for each in tables(found):
        print(f"\n{each.title}")
        if each.rows:
            table(each.heads, each.rows)
        if each.note:
            say(each.note)


def _object(found: Study) -> dict[str, Any]:
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
