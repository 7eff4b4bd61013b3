"""An archive of an older program is mended when it is opened, once, and says so."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.tables import choices, errors, figures, first_plays, words
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in


def test_scores_that_were_taken_for_ratings_are_removed(tmp_path: Path) -> None:
    (match,) = played(20, 1)
    first, second = match.players
    rated = replace(first, rating_before=1512.5), replace(second, rating_before=1700.0)
    with closing(Archive(settings_in(tmp_path))) as archive:
        add(archive, replace(match, players=rated, place="BackgammonGalaxy"))
        with archive.writing() as connection:  # as version 5 left it
            connection.execute(text("UPDATE matches SET their_rating_before = 7.0"))
            for table in (choices, first_plays, errors, figures, words):
                connection.execute(text(f"DROP TABLE {table.name}"))
            connection.execute(text("UPDATE sixprime_schema SET version = 5"))
    for remarks in (1, 0):
        with closing(Archive(settings_in(tmp_path))) as archive:
            row = archive.row(1)
            assert (row.our_rating_before, row.their_rating_before) == (1512.5, None)
            assert len(archive.remarks) == remarks
