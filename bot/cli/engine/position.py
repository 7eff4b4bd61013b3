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
        result = study(
            position, match, engine, chances, with_rolls=not options.no_rolls, progress=progress
        )
    if options.html is not None:
        write_out(options.html, study_page(result, flipped=options.flip))
    if options.map is not None and result.rolls is not None:
        write_out(options.map, temperature_map(result.rolls))
    if options.json:
        print(json.dumps(_object(result)))
    else:
        _show(result, flipped=options.flip)
    return 0


def _chances(text: str) -> Chances:
    with refusing(InputError, at="--chances"):
        return possible_chances(text.split(","))


def _show(result: Study, *, flipped: bool) -> None:
    print(draw(result.position, flipped=flipped))
    for shown in tables(result):
        print(f"\n{shown.title}")
        if shown.rows:
            table(shown.heads, shown.rows)
        if shown.note:
            say(shown.note)


def _object(result: Study) -> dict[str, Any]:
    seats = ("on_roll", "other")
    races = {"race": result.race, "one_checker": result.one_checker}
    decision = result.decision
    answer: dict[str, Any] = {
        "position": position_id(result.position),
        "pips": dict(zip(seats, result.position.pips(), strict=True)),
        "races": {
            name: {
                "effective_pips": [race.mine.effective_pips, race.theirs.effective_pips],
                "wastage": race.wastage(result.position),
                "probabilities": race.outcomes,
                "trials": race.trials,
            }
            for name, race in races.items()
        },
        "counts": {
            count.name: {**count._asdict(), "says": count.verdict} for count in result.counts
        },
        "rules": {rule.name: rule._asdict() for rule in result.rules},
        "probabilities": result.chances,
        "cube": {"action": decision.action, "equities": decision.equities, "bluff": result.bluff},
        "efficiency": result.efficiency,
        "gammon_values": dict(zip(seats, result.gammon_values, strict=True)),
        "cube_points": {
            seat: [
                {
                    "cube": turn.cube,
                    "dead": turn.dead._asdict(),
                    "live": turn.live._asdict(),
                    "effective": turn.effective(result.efficiency)._asdict(),
                    "redoubled": turn.redoubled and turn.redoubled._asdict(),
                }
                for turn in points
            ]
            for seat, points in zip(seats, result.points, strict=True)
        },
    }
    if result.rolls is not None:
        answer["average"] = result.rolls.average
        answer["rolls"] = [
            {
                "dice": roll.dice,
                "move": format_play(result.position, roll.play),
                "equity": roll.equity,
            }
            for roll in result.rolls.rolls
        ]
    return answer
