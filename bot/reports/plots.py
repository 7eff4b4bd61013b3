"""Statistics of an archive as files: CSV for spreadsheets, charts as SVG."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from sixprime.bot.archive.collection.statistics import GROUPS, lines_of
from sixprime.bot.process.printable import csv_cell
from sixprime.bot.reports.charts_svg import ChartLine, alone, bars, lines
from sixprime.engine.system.wholefiles import safe_part

_DAY_S = 86_400.0


def tables(stats: Mapping[str, Any]) -> dict[str, str]:
    """Return CSV by file name."""
    found = lines_of(stats)
    ratings = [
        {"account": account, "at": at, "rating": f"{rating:.2f}"}
        for account, curve in stats["ratings"].items()
        for at, rating in curve
    ]
    return {
        "results.csv": _csv(list(found[0]), found),
        "ratings.csv": _csv(["account", "at", "rating"], ratings),
    }


def _csv(heads: list[str], rows: list[dict[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: csv_cell(value) for name, value in row.items()})
    return text.getvalue()


def plots(stats: Mapping[str, Any]) -> dict[str, str]:
    """Return SVG by file name: ratings over time, matches won and error rates by group."""
    files = {}
    rate = "both_error_rate" if stats["subject"] is None else "error_rate"
    for account, curve in stats["ratings"].items():
        files[f"rating-{safe_part(account)}.svg"] = alone(_rating(account, curve))
    for name in GROUPS:
        shares = [
            (f"{key} ({tally['won'] + tally['lost']})", (tally["won_low"], tally["won_high"]))
            for key, tally in stats[f"by_{name}"].items()
            if tally["won_low"] is not None
        ]
        if stats["subject"] is not None:
            files[f"won-by-{name}.svg"] = alone(
                bars(
                    f"Matches won by {name}, % (95 % interval)",
                    [(key, sum(span) / 2) for key, span in shares],
                    form="{:.1f}",
                    spans=[span for _, span in shares],
                )
            )
        if "skill" in stats:
            rates = [
                (f"{key} ({group['analysed']})", group[rate])
                for key, group in stats["skill"][f"by_{name}"].items()
                if group[rate] is not None
            ]
            title = f"Errors by {name}, millipoints per decision"
            files[f"errors-by-{name}.svg"] = alone(bars(title, rates, form="{:.1f}"))
    return files


def _rating(account: str, curve: list[list[Any]]) -> Markup:
    moments = [dt.datetime.fromisoformat(at) for at, _ in curve]
    points = [
        ((moment - moments[0]).total_seconds() / _DAY_S, float(rating))
        for moment, (_, rating) in zip(moments, curve, strict=True)
    ]
    ends = f"{moments[0]:%Y-%m-%d}", f"{moments[-1]:%Y-%m-%d}"
    return lines(f"Rating of {account}", [ChartLine(account, points)], zero=None, ends=ends)
