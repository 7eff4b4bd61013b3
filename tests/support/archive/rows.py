"""Rows of matches, and statistics of their players, as an archive holds them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.collection.selection import Selection, seen
from sixprime.bot.archive.collection.statistics import stats_of
from sixprime.bot.archive.tables import FIGURES, figures, matches
from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.engine.analysis.statistics import Pair, PlayerStatistics

KEY = "expert-0"


@dataclass
class Row:
    id: int
    account: str = "anna"
    opponent: str = "ben"
    length: int = 7
    level: str = "expert"
    server: str = "fibs.example"
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    winner: int | None = 0
    our_score: int = 7
    their_score: int = 3
    our_rating_after: float | None = None


def at(month: int, day: int) -> dt.datetime:
    return dt.datetime(2026, month, day, 12, tzinfo=dt.UTC)


def stats_of_rows(
    folder: Path, rows: Sequence[Row], analysed: Mapping[int, Pair] | None = None
) -> dict[str, Any]:
    """The statistics of an archive that holds these matches, some of them analysed."""
    place = ArchivePlace(f"sqlite:///{folder}/rows.db", folder=None)
    with closing(Archive(place)) as archive:
        with archive.writing() as connection:
            if rows:
                state = {"state": MatchStatus.IMPORTED.value}
                connection.execute(insert(matches), [{**asdict(row), **state} for row in rows])
            for match_id, pair in (analysed or {}).items():
                sides = {**_figures("our", pair[0]), **_figures("their", pair[1])}
                place_of = {"settings": KEY, "match_id": match_id, "noted": 0}
                connection.execute(insert(figures), [{**place_of, **sides}])
        return stats_of(archive, seen(archive, Selection()), KEY)


def _figures(whose: str, player: PlayerStatistics) -> dict[str, object]:
    """Figures in which all errors are races."""
    known: dict[str, object] = {
        name: getattr(player, name) for name in ("moves", "unforced", "close", "counted")
    }
    known |= {"luck": player.luck.emg, "race_given": -player.checker.emg}
    return {f"{whose}_{name}": known.get(name, 0) for name in FIGURES}
