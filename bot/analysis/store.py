"""Analyses in the archive: one per match and settings, valid until the match changes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import delete, func, insert, select

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.tables import analyses, matches
from sixprime.engine.analysis.statistics import Pair
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.analysis.valuesjson import match_from_json, match_to_json, pair_from_json
from sixprime.engine.codec import line_of, tree_of

LEVEL = 1  # of zlib: a fifth larger than its default, in a quarter of the time


class Wanted(NamedTuple):
    """A match to analyse, and how many events it had when it was picked."""

    match_id: int
    noted: int


class Summary(NamedTuple):
    """The part of an analysis that statistics over many matches need."""

    match_id: int
    level: str
    statistics: Pair


class PackedAnalysis(NamedTuple):
    """An analysis as the columns of its row; equal analyses have equal columns."""

    summary: str  # JSON
    body: bytes  # zlib of JSON


def packed(analysis: MatchAnalysis) -> PackedAnalysis:
    values = match_to_json(analysis)
    text = line_of(values)
    summary = {name: values[name] for name in ("level", "statistics")}
    body = zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)
    return PackedAnalysis(json.dumps(summary), body)


def unpacked(body: bytes) -> MatchAnalysis:
    return match_from_json(tree_of(zlib.decompress(body)))


def unanalysed(
    archive: Archive, key: str, ids: Collection[int] | None = None
) -> tuple[list[Wanted], int]:
    """Return the matches without a current analysis at these settings, and the count with one.

    `ids` restricts the matches. A match still in play counts as neither.
    """
    current = (
        select(analyses.c.match_id)
        .where(analyses.c.settings == key, analyses.c.match_id == matches.c.id)
        .where(analyses.c.noted == matches.c.noted)
        .exists()
        .label("there")
    )
    asked = select(matches.c.id, matches.c.noted, current).order_by(matches.c.id)
    asked = asked.where(matches.c.state != MatchStatus.PLAYING.value)
    with archive.reading() as connection:
        found = [
            (Wanted(row.id, row.noted), bool(row.there))
            for row in connection.execute(asked)
            if ids is None or row.id in ids
        ]
    missing = [wanted for wanted, there in found if not there]
    return missing, len(found) - len(missing)


def keep(archive: Archive, key: str, found: Iterable[tuple[Wanted, PackedAnalysis]]) -> None:
    """Store analyses in place of older ones; they are durable when this returns."""
    rows = [
        {"match_id": wanted.match_id, "settings": key, "noted": wanted.noted, **stored._asdict()}
        for wanted, stored in found
    ]
    same = analyses.c.match_id.in_([row["match_id"] for row in rows])
    with archive.writing() as connection:
        connection.execute(delete(analyses).where(same, analyses.c.settings == key))
        connection.execute(insert(analyses), rows)


def analysis_of(archive: Archive, match_id: int, key: str) -> MatchAnalysis | None:
    """Return the stored analysis of the current match, if there is one."""
    asked = (
        select(analyses.c.body)
        .join(matches, matches.c.id == analyses.c.match_id)
        .where(analyses.c.match_id == match_id, analyses.c.settings == key)
        .where(analyses.c.noted == matches.c.noted)
    )
    with archive.reading() as connection:
        body = connection.execute(asked).scalar()
    return None if body is None else unpacked(body)


def first_analysis(archive: Archive, match_id: int) -> MatchAnalysis | None:
    """Return the analysis of a match at the most common settings, if there is one."""
    stored = (analysis_of(archive, match_id, key) for key, _ in keys(archive))
    return next((each for each in stored if each is not None), None)


def keys(archive: Archive) -> list[tuple[str, int]]:
    """Return the settings of analyses with their counts, most common first."""
    count = func.count()
    asked = select(analyses.c.settings, count).group_by(analyses.c.settings)
    with archive.reading() as connection:
        found = [(str(row[0]), int(row[1])) for row in connection.execute(asked)]
    return sorted(found, key=lambda each: (-each[1], each[0]))


def summaries(archive: Archive, key: str, ids: Collection[int] | None = None) -> Iterator[Summary]:
    """Yield the summaries of current analyses at these settings, of all matches or of these."""
    asked = (
        select(analyses.c.match_id, analyses.c.summary)
        .join(matches, matches.c.id == analyses.c.match_id)
        .where(analyses.c.settings == key, analyses.c.noted == matches.c.noted)
        .order_by(analyses.c.match_id)
    )
    if ids is not None:
        asked = asked.where(analyses.c.match_id.in_(ids))
    with archive.reading() as connection:
        found = list(connection.execute(asked))
    for row in found:
        values = tree_of(row.summary)
        yield Summary(row.match_id, values["level"], pair_from_json(values["statistics"]))
