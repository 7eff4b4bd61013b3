"""The person's names, and the statistics of the archive for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from markupsafe import Markup

from sixprime.bot.archive.collection.names import choose_ourselves, known_names
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import Selection
from sixprime.bot.process.printable import named
from sixprime.bot.reports.charts_svg import ChartLine, Steps, lines
from sixprime.bot.web.frame.texts import gettext, shown
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.bot.web.library.replaying import NARROW, WIDE
from sixprime.bot.web.play.boardmatch import UNNAMED

ME = ListQuery(Selection(ours=True))
OFFERED = 12  # players to choose from
ROLLS = 6  # the costliest openings


def people(library: Library, find: str) -> dict[str, Any]:
    """Return the players to choose from: the chosen ones first, then by number of matches."""
    catalogue = Catalogue(library.there())
    known = known_names(catalogue.archive)
    rows = standings(catalogue.archive, catalogue.seen(ListQuery()), catalogue.key())
    wanted = find.casefold()

    def fits(row: dict[str, Any]) -> bool:
        names = known.all_names(row["player"])
        return any(wanted in name.casefold() for name in names) and bool(row["player"].strip())

    first = [row for row in rows if row["me"] or (not known.ours and row["player"] == UNNAMED)]
    others = [row for row in rows if row not in first and fits(row)]
    return {
        "players": [
            {**row, "name": row["player"], "shown": named(row["player"]),
             "also": sorted(map(named, known.all_names(row["player"]) - {row["player"]})),
             "chosen": row in first}
            for row in first + others[:OFFERED]
        ],
        "more": max(0, len(others) - OFFERED),
        "knows_me": bool(known.ours),
    }  # fmt: skip


def choose(library: Library, players: Collection[str]) -> None:
    choose_ourselves(library.there(), players)


def portrait(library: Library) -> dict[str, Any] | None:
    """Return the fields of the page; None if nobody is known to be the person."""
    archive = library.there()
    known = known_names(archive)
    if not known.ours:
        return None
    recent = Catalogue(archive).page(ME)["rows"][::-1]
    figures, openings = library.counted(ME), library.opened(ME)
    widths = {"wide": WIDE, "narrow": NARROW}
    return {
        **figures,
        "charts": [
            (kind, _recent(recent, widths[kind]) + drawn) for kind, drawn in figures["charts"]
        ],
        "names": sorted(map(named, {known.player(name) for name in known.ours})),
        "errors": library.erred(ME),
        "openings": openings | {"rolls": openings.get("rolls", [])[:ROLLS]},
    }


def _recent(rows: Sequence[dict[str, Any]], width: float) -> Markup:
    """Return a chart of the PR of the latest matches; each point leads to its match."""
    rated = [row for row in rows if row["prs"][0] is not None]
    if len(rated) < 2:
        return Markup()
    numbered = [(float(at), row) for at, row in enumerate(rated, start=1)]
    links = [(at, f"/archive/{row['id']}", _told(row)) for at, row in numbered]
    line = ChartLine("", [(at, row["prs"][0]) for at, row in numbered])
    ends = rated[0]["day"][:10], rated[-1]["day"][:10]
    steps = Steps(links, None, width)
    return lines(gettext("PR by match"), [line], ends=ends, steps=steps)


def _told(row: dict[str, Any]) -> str:
    """Return a match in words."""
    return gettext(
        "%(day)s, against %(opponent)s, %(result)s %(score)s: PR %(pr)s",
        day=row["day"] or gettext("undated"),
        opponent=row["opponent"],
        result=shown(row["result"]),
        score=row["score"],
        pr=f"{row['prs'][0]:z.1f}",
    )
