"""`sixprime levels likeness`: how like people a level plays."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

from sixprime.bot.cli.collection.peoplesmatches import peoples_matches
from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.levels import level_named
from sixprime.bot.cli.line.errors import Skipped, UsageError
from sixprime.bot.reports.charts_svg import ChartLine, alone, lines
from sixprime.bot.reports.export.paper import chart_png
from sixprime.engine.likeness.decisions import Floats, HumanDecision, decisions_of
from sixprime.engine.likeness.measuring import CHOOSERS, OVER, Likeness, noisy_chances
from sixprime.engine.likeness.plays import first_sight
from sixprime.engine.people import Person

PICTURES = (".svg", ".png")
OWN = "people of each player's PR"
_EMG_A_CHANCE = 2.0  # a chance of winning is worth about twice as much equity
_HEADS = ("", "decisions", "nats", "noise", "best %", "level", "noise", "loss", "level", "noise",
          "blunders %", "level", "noise")  # fmt: skip


def measure_likeness(options: Namespace) -> int:
    if options.plot is not None and options.plot.suffix not in PICTURES:
        raise UsageError(f"--plot {options.plot}: the name ends in {' or '.join(PICTURES)}")
    chances = _chooser(options)
    likeness, engine, skipped = Likeness(), first_sight(), Skipped("levels likeness")
    with peoples_matches(options, skipped) as matches:
        for analysis, prs, seats in matches:
            players = {analysis.players[seat] for seat in seats}
            for decision in decisions_of(analysis, engine, prs):
                if decision.player in players:
                    likeness.add(decision, chances(decision))
    rows = likeness.rows()
    if not rows:
        raise UsageError("no decision of these matches leaves a choice")
    if options.plot is not None:
        picture = alone(_picture(rows))
        write_out(options.plot, picture if options.plot.suffix == ".svg" else chart_png(picture))
    if options.json:
        print(json.dumps({"level": options.level or OWN, "rows": rows}))
        return skipped.code
    table(_HEADS, [_line(row) for row in rows], spare=("noise",))
    say(
        f"\nlevel: {options.level or OWN}; noise: of the same mean loss. nats: by how much the "
        "choices that people made surprise it, a decision. loss: EMG x 1000. The first of three "
        "figures is people's own."
    )
    return skipped.code


def _chooser(options: Namespace) -> Callable[[HumanDecision], Floats]:
    """Return the chances of a level at a decision; UsageError for a level that has none."""
    if options.level is None:
        return lambda decision: decision.chances(Person(decision.pr), Person(decision.pr))
    level = level_named(options.level, options.levels_file)
    play, cube = level.person, level.cube_person
    if play is not None and cube is not None:
        return lambda decision: decision.chances(play, cube)
    noises = [look.noise * _EMG_A_CHANCE for look in (level.checker, level.cube)]
    if min(noises) > 0 and not (level.checker.plies or level.cube.plies):
        return lambda decision: noisy_chances(decision.losses, noises[decision.what != "play"])
    raise UsageError(
        f"--level {options.level}: only levels like people (pr 6) and with noise choose by chance"
    )


def _line(row: dict[str, Any]) -> Sequence[object]:
    people, level, noise = (row[chooser] for chooser in CHOOSERS)
    three = (people, level, noise)
    return (
        f"{row['group'].removesuffix(' by PR')}: {row['name']}",
        row["decisions"],
        *(f"{each['nats']:.3f}" for each in (level, noise)),
        *(f"{100 * each['best']:.1f}" for each in three),
        *(f"{1000 * each['loss']:.1f}" for each in three),
        *(f"{100 * each['blunders']:.2f}" for each in three),
    )


def _picture(rows: Sequence[dict[str, Any]]) -> Any:
    """Draw the share of plays that lose more than some EMG."""
    plays = rows[0]
    drawn = [
        ChartLine(
            chooser,
            [(i, 100 * plays[chooser]["over"][str(least)]) for i, least in enumerate(OVER)],
        )
        for chooser in CHOOSERS
    ]
    marks = [(float(i), f"{least:g}") for i, least in enumerate(OVER)]
    return lines(f"Share of {plays['name']} that lose more EMG than this", drawn, unit=" %",
                 marks=marks)  # fmt: skip
