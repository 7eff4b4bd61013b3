"""Statistics of a list of matches; each part of a table or chart links to its matches."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from sixprime.bot.archive.collection.statistics import GROUPS, stats_of
from sixprime.bot.process.printable import named
from sixprime.bot.reports.charts_svg import ChartLine, Steps, lines
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.bot.web.library.replaying import NARROW, WIDE

MOST_ROWS = 30  # of a table: the last months, or the groups with the most matches
MOST_CURVES = 4  # accounts in the chart of ratings
MOST_POINTS = 400  # of a curve


def counted(catalogue: Catalogue, asked: ListQuery) -> dict[str, Any]:
    key = catalogue.key()
    stats = stats_of(catalogue.archive, catalogue.seen(asked), key)
    skill = stats.get("skill", {})
    return {
        "count": stats["total"]["matches"],
        "total": stats["total"],
        "skill": skill.get("total"),
        "analysis": key.rpartition("-")[0] if key and skill else None,
        "groups": [
            {
                "name": name,
                "rows": list(_rows(name, stats[f"by_{name}"], skill.get(f"by_{name}", {}), asked)),
                "more": max(0, len(stats[f"by_{name}"]) - MOST_ROWS),
            }
            for name in GROUPS
        ],
        "charts": [
            (kind, Markup().join(_charts(stats, skill, asked, width)))
            for kind, width in (("wide", WIDE), ("narrow", NARROW))
        ],
    }


def _rows(
    name: str, tallies: Mapping[str, Any], rates: Mapping[str, Any], asked: ListQuery
) -> Iterator[dict[str, Any]]:
    items = list(tallies.items())
    if name == "month":
        items = items[-MOST_ROWS:]
    elif len(items) > MOST_ROWS:
        most = sorted(items, key=lambda item: -item[1]["matches"])[:MOST_ROWS]
        shown = {each for each, _ in most}
        items = [item for item in items if item[0] in shown]
    worst = max([rates[each]["error_rate"] or 0.0 for each, _ in items if each in rates] or [0.0])
    for each, tally in items:
        decided = tally["won"] + tally["lost"]
        rate = rates.get(each, {})
        error = rate.get("error_rate")
        yield {
            "key": named("money" if (name, each) == ("length", "unlimited") else each),
            "link": _link(name, each, asked),
            **{what: tally[what] for what in ("matches", "won", "lost")},
            "share": 100.0 * tally["won"] / decided if decided else None,
            "error": error,
            "error_bar": 100.0 * error / worst if error and worst else 0.0,
            "their_error": rate.get("their_error_rate"),
        }


def _link(name: str, each: str, asked: ListQuery) -> str:
    """Return the address of the list of these matches; empty if no filter selects them."""
    if each in ("unknown", ""):
        return ""
    if name == "month":
        first = dt.date.fromisoformat(f"{each}-01")
        last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
        return asked.link(**{"from": first, "to": last})
    return asked.link(**{name: "money" if each == "unlimited" else each})


def _charts(
    stats: Mapping[str, Any], skill: Mapping[str, Any], asked: ListQuery, width: float
) -> Iterator[Markup]:
    dated = (each for each in stats["by_month"] if each != "unknown")
    months = {each: i for i, each in enumerate(dated)}
    links = [(float(i), _link("month", each, asked), each) for each, i in months.items()]
    every = -(-len(months) // (12 if width == WIDE else 5))
    marks = [(float(i), each) for each, i in months.items() if i % every == 0]
    steps = Steps(links, None, width)
    tallies = {each: stats["by_month"][each] for each in months}
    won = [
        (float(months[each]), 100.0 * tally["won"] / decided)
        for each, tally in tallies.items()
        if (decided := tally["won"] + tally["lost"])
    ]
    if len(won) > 1:
        yield lines("Matches won by month", [ChartLine("", won)], unit=" %", marks=marks,
                    zero=50.0, steps=steps)  # fmt: skip
    by_month = skill.get("by_month", {})
    errors = [
        ChartLine(
            whose,
            [
                (float(at), by_month[each][name])
                for each, at in months.items()
                if each in by_month and by_month[each][name] is not None
            ],
        )
        for whose, name in (("players", "error_rate"), ("opponents", "their_error_rate"))
    ]
    if any(len(line.points) > 1 for line in errors):
        yield lines("Errors by month", errors, marks=marks, steps=steps)
    yield from _ratings(stats["ratings"], asked, width)


def _ratings(
    curves: Mapping[str, list[list[Any]]], asked: ListQuery, width: float
) -> Iterator[Markup]:
    most = sorted(curves, key=lambda account: -len(curves[account]))[:MOST_CURVES]
    drawn = []
    for account in most:
        curve = curves[account]
        every = -(-len(curve) // MOST_POINTS)
        points = [(float(_day(at)), float(rating)) for at, rating in curve[::-1][::every][::-1]]
        drawn.append(ChartLine(account, points))
    days = sorted({int(x) for line in drawn for x, _ in line.points})
    if len(days) < 2:
        return
    months = sorted({dt.date.fromordinal(day).replace(day=1) for day in days})
    links = []
    for month in months:
        middle = min(max(month.toordinal() + 14, days[0]), days[-1])
        words = f"{month:%Y-%m}"
        links.append((float(middle), _link("month", words, asked), words))
    ends = (f"{dt.date.fromordinal(days[0])}", f"{dt.date.fromordinal(days[-1])}")
    yield lines("Rating", drawn, zero=None, ends=ends, steps=Steps(links, None, width))


def _day(at: str) -> int:
    return dt.datetime.fromisoformat(at).toordinal()
