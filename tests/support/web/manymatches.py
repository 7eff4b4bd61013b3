"""An archive with as many matches as one likes, quickly: variations of a few that gnubg played."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import add_file
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.protocols.formats.record import Match, Player
from tests.support.engine.analyses import analyse_match
from tests.support.gnubg.analyses import fixture

SETTINGS = AnalysisSettings.of("casual")
ANALYSED = 6  # of them
LEVELS = ("casual", "expert", "world-class")
ATTACKS = (
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    '"><svg onload=alert(1)>',
    "{{7*191}}{%raw%}",
    "../../etc/passwd",
    "</title><b>bold</b>",
)


@cache
def played() -> tuple[Match, ...]:
    """The matches that all others are made from."""
    return tuple(each.match for each in fixture() if each.plies == 0)


@cache
def analysed(number: int) -> MatchAnalysis:
    """What our engine says of one of them, at a quick level."""
    return analyse_match(played()[number], SETTINGS)


def variation(number: int, opponent: str) -> Match:
    """One of the matches, by other players on another day."""
    match = played()[number % len(played())]
    day = dt.datetime(2026, 1, 3, 20, tzinfo=dt.UTC) + dt.timedelta(hours=20 * number)
    rating = 1500 + 3.0 * (number % 60)
    me = Player(
        ("SixprimeBot", "Reserve")[number % 7 == 0], rating, rating + 2, level=LEVELS[number % 3]
    )
    ended = day + dt.timedelta(minutes=20)
    players = (me, Player(opponent))
    return replace(match, players=players, date=day.date(), started=day, ended=ended)


def filled(
    kept: Path | ArchiveSettings, count: int, with_analysis: int = 0, opponents: Sequence[str] = ()
) -> Archive:
    """An archive of `count` matches in a folder or elsewhere, the first of them analysed."""
    if isinstance(kept, Path):
        kept = ArchiveSettings(database=f"sqlite:///{kept / 'archive.db'}", folder=None)
    archive = Archive(kept)
    names = [*(f"player{i}" for i in range(17)), *opponents]
    made = [variation(i, names[(i + i // len(played())) % len(names)]) for i in range(count)]
    for number, match_id in enumerate(add_file(archive, "all", made)):
        assert match_id is not None
        found = number % len(played())
        if number < with_analysis and found < ANALYSED:
            names_of = (made[number].players[0].name, made[number].players[1].name)
            analysis = replace(analysed(found), players=names_of)
            keep(archive, SETTINGS.key, [(Wanted(match_id, 0), packed(analysis))])
    return archive
