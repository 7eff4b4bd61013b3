"""The worst errors of many matches as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from sixprime.bot.reports.html import error_article, framed
from sixprime.engine.analysis.values import Error, MatchAnalysis


class Shown(NamedTuple):
    """An error, and the match it was made in."""

    match_id: int
    analysis: MatchAnalysis
    error: Error


def error_page(title: str, kinds: Sequence[tuple[str, int, float]], errors: Sequence[Shown]) -> str:
    """`kinds`: what was lost by kind of decision: errors, EMG."""
    rows = "".join(
        f'<tr><td>{escape(kind)}</td><td class="number">{count}</td>'
        f'<td class="number">{given:.3f}</td></tr>'
        for kind, count, given in kinds
    )
    parts = [
        f"<h1>{escape(title)}</h1>",
        '<table class="plays"><thead><tr><th>decision</th><th class="number">errors</th>'
        f'<th class="number">given away</th></tr></thead><tbody>{rows}</tbody></table>',
    ]
    for place, (match_id, analysis, error) in enumerate(errors, start=1):
        day = f", {analysis.date}" if analysis.date else ""
        names = " – ".join(analysis.players)
        where = f"match {match_id}: {names}{day}, game {error.game + 1}, turn {error.turn + 1}"
        parts.append(error_article(analysis, place, error, escape(where)))
    return framed(title, parts)
