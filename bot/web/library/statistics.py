"""Statistics of a list of matches; each part of a table or chart links to its matches."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.statistics import GROUPS, stats_of, subject_of, wilson
from sixprime.bot.process.printable import named
from sixprime.bot.reports.charts_svg import ChartLine, Steps, lines
from sixprime.bot.web.frame.texts import gettext, ngettext
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.bot.web.library.replaying import NARROW, WIDE

MOST_ROWS = 30  # of a table: the last months, or the groups with the most matches
MOST_CURVES = 4  # accounts in the chart of ratings
MOST_POINTS = 400  # of a curve
HINTS = 5  # players to choose from


def counted(catalogue: Catalogue, asked: ListQuery) -> dict[str, Any]:
    """Return totals, tables and charts; of both players where no player is the subject."""
    key = catalogue.key()
    seen = catalogue.seen(asked)
    subject = subject_of(catalogue.archive, seen)
    wanted = GROUPS if subject is not None else GROUPS[1:]
    stats = stats_of(catalogue.archive, seen, key, groups_wanted=wanted)
    skill = stats.get("skill", {})
    players = standings(catalogue.archive, seen, key) if subject is None else []
    people = [_choice(row, asked) for row in players]
    return {
        "count": stats["total"]["matches"],
        "subject": None if subject is None else named(subject),
        "total": stats["total"],
        "skill": skill.get("total"),
        "analysis": key.rpartition("-")[0] if key and skill else None,
        "choices": [row for row in people if row["link"]][:HINTS],
        "groups": [
            {
                "name": name,
                "rows": list(_rows(name, stats[f"by_{name}"], skill.get(f"by_{name}", {}), asked)),
                "more": max(0, len(stats[f"by_{name}"]) - MOST_ROWS),
            }
            for name in wanted
        ],
        "people": people[:MOST_ROWS],
        "more_people": max(0, len(people) - MOST_ROWS),
        "charts": [
            (kind, Markup().join(_charts(stats, skill, asked, width)))
            for kind, width in (("wide", WIDE), ("narrow", NARROW))
        ],
    }


def _choice(row: Mapping[str, Any], asked: ListQuery) -> dict[str, Any]:
    """Return a player with the address of his statistics; some files name no player."""
    name = row["player"]
    link = asked.link("/archive/statistics", player=name, me="") if name.strip() else ""
    low, high = wilson(row["won"], row["won"] + row["lost"])
    return {**row, "key": named(name), "link": link, "low": low, "high": high}


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
    for each, tally in items:
        rate = rates.get(each, {})
        yield {
            "key": named(gettext("money") if (name, each) == ("length", "unlimited") else each),
            "link": _link(name, each, asked),
            **{what: tally[what] for what in ("matches", "won", "lost")},
            "low": tally["won_low"],
            "high": tally["won_high"],
            **{what: rate.get(what) for what in ("pr", "their_pr", "both_pr")},
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
    """Yield charts by month; a month without matches interrupts their lines."""
    subject = stats["subject"]
    tallies = {each: tally for each, tally in stats["by_month"].items() if each != "unknown"}
    months = {each: 12.0 * int(each[:4]) + int(each[5:]) for each in tallies}
    if len(months) < 2:
        yield from _ratings(stats["ratings"], asked, width)
        return
    by_month = skill.get("by_month", {})
    links = [
        (
            at,
            _link("month", each, asked),
            _told(each, tallies[each], by_month.get(each, {}), subject),
        )
        for each, at in months.items()
    ]
    steps = Steps(links, None, width)
    marks = list(_marks(list(months.values()), 12 if width == WIDE else 5))
    shares = {each: tally for each, tally in tallies.items() if tally["won_low"] is not None}
    if subject is not None and shares:
        spans = [(tally["won_low"], tally["won_high"]) for tally in shares.values()]
        won = ChartLine(
            "",
            [(months[each], sum(span) / 2) for each, span in zip(shares, spans, strict=True)],
            [tally["won"] + tally["lost"] for tally in shares.values()],
            spans,
            gap=1.0,
        )
        yield lines(
            gettext("Matches won by month"), [won], unit=" %", marks=marks, zero=50.0, steps=steps
        )
    whose = {gettext("both players"): "both_pr"}
    if subject is not None:
        whose = {named(subject): "pr", gettext("opponents"): "their_pr"}
    rated = [_rated(name, what, by_month, months) for name, what in whose.items()]
    if any(line.points for line in rated):
        yield lines(gettext("PR by month"), rated, marks=marks, steps=steps)
    luck = _rated("", "luck_rate", by_month, months)
    if subject is not None and len(luck.points) > 1:
        yield lines(gettext("Luck by month"), [luck], marks=marks, steps=steps)
    yield from _ratings(stats["ratings"], asked, width)


def _rated(
    name: str, what: str, by_month: Mapping[str, Any], months: Mapping[str, float]
) -> ChartLine:
    known = {each: rates for each, rates in by_month.items() if rates[what] is not None}
    there = [each for each in months if each in known]
    points = [(months[each], known[each][what]) for each in there]
    return ChartLine(name, points, [known[each]["analysed"] for each in there], gap=1.0)


def _marks(months: Sequence[float], most: int) -> Iterator[tuple[float, str]]:
    """Yield so many months between the first and the last, each with its words."""
    first, last = int(min(months)), int(max(months))
    for at in range(first, last + 1, -(-(last - first + 1) // most)):
        yield float(at), f"{(at - 1) // 12}-{(at - 1) % 12 + 1:02}"


def _told(
    month: str, tally: Mapping[str, Any], rates: Mapping[str, Any], subject: str | None
) -> str:
    """Return a month's figures in words."""
    words = [f"{month}: {ngettext('%(num)s match', '%(num)s matches', tally['matches'])}"]
    if subject is not None and tally["won_low"] is not None:
        words.append(gettext("%(won)s won, %(lost)s lost: %(won_low)s to %(won_high)s %%", **tally))
    pr = rates.get("both_pr" if subject is None else "pr")
    if pr is not None:
        words.append(
            gettext("PR %(pr)s in %(count)s analysed", pr=f"{pr:z.1f}", count=rates["analysed"])
        )
        if subject is not None:
            decisions = rates["decisions"]
            words.append(ngettext("%(num)s decision", "%(num)s decisions", decisions))
    return ", ".join(words)


def _ratings(
    curves: Mapping[str, list[list[Any]]], asked: ListQuery, width: float
) -> Iterator[Markup]:
    most = sorted(curves, key=lambda account: (-len(curves[account]), account))[:MOST_CURVES]
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
    yield lines(gettext("Rating"), drawn, zero=None, ends=ends, steps=Steps(links, None, width))


def _day(at: str) -> int:
    return dt.datetime.fromisoformat(at).toordinal()
