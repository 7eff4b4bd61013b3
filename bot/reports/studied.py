"""The study of a position as tables of words, as one self-contained HTML file, and as a map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from sixprime.bot.process.printable import counted
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.html import framed
from sixprime.engine.study.cubepoints import CubePoints, TurningPoints
from sixprime.engine.study.races import Race
from sixprime.engine.study.rolls import RollList
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import format_play

CELL, EDGE = 64, 30  # of the map
HOTTEST = 0.5  # equity above the average that is shown in full colour


class StudyTable(NamedTuple):
    """A table of words; the first column names the rows."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def tables(study: Study, signs: tuple[str, str] = ("X", "O")) -> Iterator[StudyTable]:
    """Everything; `signs` are those of the player on roll and of the other."""
    yield _race(study, signs)
    yield _counts(study)
    yield _cube(study)
    for sign, values, points in zip(signs, study.gammon_values, study.points, strict=True):
        gammon, backgammon = values
        note = f"gammon value {gammon:.5f}, backgammon value {backgammon:.5f}"
        if not points:
            yield StudyTable(f"cube of {sign}", [], [], f"{note}; no cube can be turned usefully")
        for each in points:
            yield _points(sign, each, study, note)
    if study.rolls is not None:
        yield _rolls(study, study.rolls)


def _race(study: Study, signs: tuple[str, str]) -> StudyTable:
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
    return StudyTable("race", heads, rows, "; ".join(_won(name, race) for name, race in kinds))


def _won(name: str, race: Race) -> str:
    how = "exact" if not race.trials else counted(race.trials, "trial")
    win, gammon, _, lost, _ = (100 * each for each in race.outcomes)
    return f"{name}: wins {win:.2f} % (gammon {gammon:.2f}, loses one {lost:.2f}), {how}"


def _counts(study: Study) -> StudyTable:
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
    return StudyTable("counts", heads, rows)


def _cube(study: Study) -> StudyTable:
    win, gammon, backgammon, lost, lost_backgammon = (100 * each for each in study.chances)
    chances = [win, gammon, backgammon, 100 - win, lost, lost_backgammon]
    decision = study.decision
    bluff = "" if study.bluff is None else f" ({100 * study.bluff:.1f} % wrong answers make up)"
    worths = f"no double {decision.no_double:+.4f}, double, take {decision.double_take:+.4f}"
    heads = ["", "win", "gammon", "bg", "lose", "gammon", "bg"]
    row = ["chances %", *(f"{each:.2f}" for each in chances)]
    return StudyTable("cube", heads, [row], f"{worths}: {decision.action}{bluff}")


_ROWS = {
    "take": "take",
    "beaver": "beaver",
    "raccoon": "raccoon",
    "double": "double",
    "redouble": "redouble",
    "cash": "cash",
    "too_good": "too good",
}


def _points(sign: str, points: CubePoints, study: Study, note: str) -> StudyTable:
    columns: list[tuple[str, TurningPoints]] = [("dead", points.dead), ("live", points.live)]
    columns.append(("effective", points.effective(study.efficiency)))
    if points.redoubled is not None:
        columns.append(("dead, redoubled", points.redoubled))
    rows = []
    for field, name in _ROWS.items():
        cells = [getattr(column, field) for _, column in columns]
        if any(cell is not None for cell in cells):
            rows.append([name, *("-" if cell is None else f"{100 * cell:.3f}" for cell in cells)])
    opens = points.dead.double  # a live cube's window, too, opens where the last cube is turned
    for name, column in columns[:2]:
        if opens is not None and column.cash is not None:
            note += f"; market window {name} {100 * opens:.2f} to {100 * column.cash:.2f}"
    turned = f"{points.cube} to {2 * points.cube}" if study.match.length else "money"
    heads = ["wins %", *(name for name, _ in columns)]
    return StudyTable(f"cube of {sign}, {turned}", heads, rows, note)


def _rolls(study: Study, listed: RollList) -> StudyTable:
    rows = [
        [
            f"{roll.dice[1]}-{roll.dice[0]}", format_play(study.position, roll.play) or "no play",
            f"{roll.equity:+.3f}", f"{roll.equity - listed.average:+.3f}",
        ]
        for roll in listed.rolls
    ]  # fmt: skip
    better = listed.better_than(listed.average)
    note = f"average {listed.average:+.4f}; {better} of 36 rolls are better"
    return StudyTable("rolls", ["", "best play", "equity", "against average"], rows, note)


def temperature_map(listed: RollList) -> str:
    """The equity of each roll as a picture: warm is better than the average, cold is worse."""
    side = EDGE + 6 * CELL
    shapes = []
    for a, row in enumerate(listed.grid):
        middle = EDGE + a * CELL + CELL / 2
        shapes.append(_words(middle, 20, str(a + 1)))
        shapes.append(_words(14, middle + 5, str(a + 1)))
        for b, equity in enumerate(row):
            x, y = EDGE + b * CELL, EDGE + a * CELL
            fill = _colour(equity - listed.average)
            shapes.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}"/>')
            shapes.append(_words(x + CELL / 2, y + CELL / 2 + 5, f"{equity:+.3f}"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" '
        f'height="{side}" font-family="sans-serif" font-size="14" text-anchor="middle">\n'
        "<title>Equity by roll</title>\n"
        f'<rect width="{side}" height="{side}" fill="#fff"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _colour(above: float) -> str:
    """White at the average, red above, blue below."""
    faded = 255 - int(150 * min(abs(above) / HOTTEST, 1))
    return f"rgb(255,{faded},{faded})" if above >= 0 else f"rgb({faded},{faded},255)"


def _words(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="#222">{text}</text>'


def page(study: Study) -> str:
    title = position_id(study.position)
    parts = [
        f"<h1>Position {escape(title)}</h1>",
        _picture(board_svg.draw(study.position, study.match, None, title)),
        *(markup(each) for each in tables(study, ("the player on roll", "the other"))),
    ]
    if study.rolls is not None:
        parts.append(f"<h2>temperature map</h2>{_picture(temperature_map(study.rolls))}")
    return framed(title, parts)


def _picture(svg: str) -> str:
    return f'<div class="picture">{svg}</div>'


def markup(table: StudyTable) -> str:
    heads = "".join(f'<th class="number">{escape(head)}</th>' for head in table.heads)
    rows = "".join(
        f"<tr><th>{escape(row[0])}</th>"
        + "".join(f'<td class="number">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return (
        f'<h2>{escape(table.title)}</h2><div class="scroll"><table class="plays"><thead>'
        f"<tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{note}"
    )
