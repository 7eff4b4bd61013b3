"""The study of a position as tables of words, and its rolls as a map."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from sixprime.bot.process.printable import counted
from sixprime.bot.reports.svg import element, picture
from sixprime.bot.reports.text import ShownTable
from sixprime.engine.study.cubepoints import CubePoints, TurningPoints, market_windows
from sixprime.engine.study.races import Race
from sixprime.engine.study.rolls import RollList
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.notation import format_play

CELL, EDGE = 64, 30  # of the map
HOTTEST = 0.5  # equity from the average to full colour


def tables(study: Study, signs: tuple[str, str] = ("X", "O")) -> Iterator[ShownTable]:
    """Yield all tables; `signs` stand for the player on roll and the other."""
    yield _race(study, signs)
    yield _counts(study)
    yield _cube(study)
    for sign, values, points in zip(signs, study.gammon_values, study.points, strict=True):
        gammon, backgammon = values
        note = f"gammon value {gammon:.5f}, backgammon value {backgammon:.5f}"
        if not points:
            yield ShownTable(f"cube of {sign}", [], [], f"{note}; no cube can be turned usefully")
        for each in points:
            yield _points(sign, each, study, note)
    if study.rolls is not None:
        yield _rolls(study, study.rolls)


def _race(study: Study, signs: tuple[str, str]) -> ShownTable:
    kinds = [("race", study.race), ("one checker", study.one_checker)]
    rows = []
    for name, race in kinds:
        pips, wasted = study.position.pips(), race.wastage(study.position)
        for sign, own, waste, needed in zip(
            signs, pips, wasted, (race.mine, race.theirs), strict=True
        ):
            rows.append(
                [
                    f"{name}, {sign}", str(own), f"{needed.effective_pips:.3f}", f"{waste:.3f}",
                    f"{needed.mean:.3f}", f"{needed.variance**0.5:.3f}",
                ]
            )  # fmt: skip
    heads = ["", "pips", "effective", "wastage", "rolls", "±"]
    return ShownTable("race", heads, rows, "; ".join(_won(name, race) for name, race in kinds))


def _won(name: str, race: Race) -> str:
    how = "exact" if not race.trials else counted(race.trials, "trial")
    how = "by the net" if race.by_net else how
    win, gammon, _, lost, _ = (100 * each for each in race.outcomes)
    return f"{name}: wins {win:.2f} % (gammon {gammon:.2f}, loses one {lost:.2f}), {how}"


def _counts(study: Study) -> ShownTable:
    rows = [
        [each.name, f"{each.mine:g}", f"{each.raised:.1f}", f"{each.theirs:g}", each.verdict, ""]
        for each in study.counts
    ]
    rows += [
        [
            each.name, f"{each.mine:g}", "", f"{each.theirs:g}", each.verdict or "",
            f"{100 * each.chance:.2f}",
        ]
        for each in study.rules
    ]  # fmt: skip
    heads = ["", "on roll", "raised", "other", "says", "wins %"]
    return ShownTable("counts", heads, rows)


def _cube(study: Study) -> ShownTable:
    win, gammon, backgammon, lost, lost_backgammon = (100 * each for each in study.chances)
    chances = [win, gammon, backgammon, 100 - win, lost, lost_backgammon]
    decision = study.decision
    bluff = "" if study.bluff is None else f" ({100 * study.bluff:.1f} % wrong answers make up)"
    worths = f"no double {decision.no_double:+z.4f}, double, take {decision.double_take:+z.4f}"
    heads = ["", "win", "gammon", "bg", "lose", "gammon", "bg"]
    row = ["chances %", *(f"{each:.2f}" for each in chances)]
    return ShownTable("cube", heads, [row], f"{worths}: {decision.action}{bluff}")


_ROWS = {
    "take": "take",
    "beaver": "beaver",
    "raccoon": "raccoon",
    "double": "double",
    "redouble": "redouble",
    "cash": "cash",
    "too_good": "too good",
}


def _points(sign: str, points: CubePoints, study: Study, note: str) -> ShownTable:
    columns: list[tuple[str, TurningPoints]] = [("dead", points.dead), ("live", points.live)]
    columns.append((f"effective, {study.efficiency:.2f}", points.effective(study.efficiency)))
    if points.redoubled is not None:
        columns.append(("dead, redoubled", points.redoubled))
    rows = []
    for field, name in _ROWS.items():
        cells = [getattr(column, field) for _, column in columns]
        if any(cell is not None for cell in cells):
            rows.append([name, *("-" if cell is None else f"{100 * cell:.3f}" for cell in cells)])
    for name, opens, closes in market_windows(points):
        note += f"; market window {name} {100 * opens:.2f} to {100 * closes:.2f}"
    turned = f"{points.cube} to {2 * points.cube}" if study.match.length else "money"
    heads = ["wins %", *(name for name, _ in columns)]
    return ShownTable(f"cube of {sign}, {turned}", heads, rows, note)


def _rolls(study: Study, listed: RollList) -> ShownTable:
    rows = [
        [
            f"{roll.dice[1]}-{roll.dice[0]}", format_play(study.position, roll.play) or "no play",
            f"{roll.equity:+z.3f}", f"{roll.equity - listed.average:+z.3f}",
        ]
        for roll in listed.rolls
    ]  # fmt: skip
    better = listed.better_than(listed.average)
    note = f"average {listed.average:+z.4f}; {better} of 36 rolls are better"
    return ShownTable("rolls", ["", "best play", "equity", "against average"], rows, note)


def temperature_map(listed: RollList) -> Markup:
    """Return the equity of each roll as a picture: red is above the average, blue below."""
    side = EDGE + 6 * CELL
    shapes = [element("rect", width=side, height=side, fill="#fff")]
    for a, row in enumerate(listed.grid):
        middle = EDGE + a * CELL + CELL / 2
        shapes.append(_words(middle, 20, str(a + 1)))
        shapes.append(_words(14, middle + 5, str(a + 1)))
        for b, equity in enumerate(row):
            x, y = EDGE + b * CELL, EDGE + a * CELL
            fill = _colour(equity - listed.average)
            shapes.append(element("rect", x=x, y=y, width=CELL, height=CELL, fill=fill))
            shapes.append(_words(x + CELL / 2, y + CELL / 2 + 5, f"{equity:+z.3f}"))
    fonts = {"font_family": "sans-serif", "font_size": 14, "text_anchor": "middle"}
    size = {"width": side, "height": side}
    return picture(side, side, "Equity by roll", *shapes, **size, **fonts) + "\n"


def _colour(above: float) -> str:
    """Return white at the average, red above, blue below."""
    faded = 255 - int(150 * min(abs(above) / HOTTEST, 1))
    return f"rgb(255,{faded},{faded})" if above >= 0 else f"rgb({faded},{faded},255)"


def _words(x: float, y: float, text: str) -> Markup:
    return element("text", text, x=x, y=y, fill="#222")
