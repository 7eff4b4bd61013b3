"""`sixprime benchanalysis --scale`: the cost of each question to large archives, as JSON.

An archive of the files, analysed, is copied onto itself under new numbers until it is large. Then
each verb of `sixprime archive` runs as a process of its own, and each page is asked once.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, Table, insert, literal, select

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.tables import analyses, errors, figures, first_plays, matches, openings

PLAYER = "lasse"
VERBS: Mapping[str, tuple[str, ...]] = {
    "list": ("list", "--last", "50"),
    "stats": ("stats",),
    "players": ("players",),
    "errors": ("errors", "--worst", "10"),
    "openings": ("openings",),
}
PAGES = ("/archive", "/archive?sort=error", "/archive/statistics", "/archive?opponent=a")
_COPIED = (matches, analyses, figures, errors, first_plays, openings)


def grow(archive: Archive, wanted: int, *, bodies: bool = True) -> None:
    """Copy the matches under new numbers until there are so many; `bodies`: analyses, too."""
    with archive.writing() as connection:
        ids = list(connection.execute(select(matches.c.id).order_by(matches.c.id)).scalars())
        for copy in range(1, -(-wanted // len(ids))):
            last = ids[min(len(ids), wanted - copy * len(ids)) - 1]
            for table in _COPIED:
                if bodies or table is not analyses:
                    _copy(connection, table, last, copy * ids[-1])


def _copy(connection: Connection, table: Table, last: int, shift: int) -> None:
    """Copy the rows of the matches up to the last one."""
    number = "id" if table is matches else "match_id"
    kept = [column for column in table.c if column.name not in ("id", number, "stem")]
    rows = select(table.c[number] + literal(shift), *kept).where(table.c[number] <= last)
    names = [number, *(column.name for column in kept)]
    connection.execute(insert(table).from_select(names, rows))
