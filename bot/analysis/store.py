"""Analyses in the archive: one per match and settings, valid until the match changes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, delete, exists, func, insert, select

from sixprime.bot.analysis.facts import AnalysisFacts, facts_of
from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.tables import (
    analyses,
    choices,
    errors,
    figures,
    first_plays,
    matches,
)
from sixprime.bot.process.footprint import uncollected
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.analysis.valuesjson import match_from_json, match_to_json
from sixprime.engine.codec import line_of, tree_of

TOGETHER = 50  # analyses in a transaction
USUAL_LEVEL = "world-class"  # of the first analysis
LEVEL = 1  # of zlib: a fifth larger than its default, in a quarter of the time


class Wanted(NamedTuple):
    """A match to analyse, and how many events it had when it was picked."""

    match_id: int
    noted: int


class PackedAnalysis(NamedTuple):
    """An analysis as the columns of its row; equal analyses have equal columns."""

    summary: str  # JSON
    body: bytes  # zlib of JSON
    facts: AnalysisFacts  # columns of other tables


def packed(analysis: MatchAnalysis) -> PackedAnalysis:
    values = match_to_json(analysis)
    text = line_of(values)
    summary = {name: values[name] for name in ("level", "statistics")}
    body = zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)
    return PackedAnalysis(json.dumps(summary), body, facts_of(analysis))


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
    made = list(found)
    rows = [
        {"match_id": wanted.match_id, "settings": key, "noted": wanted.noted,
         "summary": stored.summary, "body": stored.body}
        for wanted, stored in made
    ]  # fmt: skip
    same = analyses.c.match_id.in_([row["match_id"] for row in rows])
    with archive.writing() as connection:
        connection.execute(delete(analyses).where(same, analyses.c.settings == key))
        connection.execute(insert(analyses), rows)
        _keep_facts(connection, [(key, wanted, stored.facts) for wanted, stored in made])


def _keep_facts(connection: Connection, made: Sequence[tuple[str, Wanted, AnalysisFacts]]) -> None:
    """Store the facts of analyses in place of older ones."""
    rows: dict[Table, list[dict[str, Any]]] = {figures: [], errors: [], first_plays: []}
    for key, (match_id, noted), facts in made:
        place = {"settings": key, "match_id": match_id}
        rows[figures].append({**place, "noted": noted, **facts.figures})
        rows[errors] += [{**place, **row} for row in facts.errors]
        rows[first_plays] += [{**place, **row} for row in facts.first_plays]
        for table in rows:
            same = (table.c.match_id == match_id) & (table.c.settings == key)
            connection.execute(delete(table).where(same))
    for table, values in rows.items():
        if values:
            connection.execute(insert(table), values)


def lack_facts(archive: Archive) -> bool:
    """Return whether an older program made some of the analyses."""
    made, known = (select(func.count()).select_from(table) for table in (analyses, figures))
    with archive.reading() as connection:
        return connection.execute(made).scalar() != connection.execute(known).scalar()


def fill_facts(
    archive: Archive, progress: Callable[[int, int], None] = lambda done, total: None
) -> None:
    """Store the facts of analyses that an older program made; it can be interrupted.

    An analysis that cannot be read has none; `archive check` reports it.
    """
    if not lack_facts(archive):
        return
    with archive.reading() as connection:
        missing = list(connection.execute(_WITHOUT_FACTS))
    for start in range(0, len(missing), TOGETHER):
        some = missing[start : start + TOGETHER]
        with uncollected():  # and outside of a transaction, for which a bot would wait
            older = [found for row in some for found in _facts_of_older(archive, *row)]
        with archive.writing() as connection:
            ids = [match_id for _, match_id in some]
            asked = _WITHOUT_FACTS.where(analyses.c.match_id.in_(ids))
            still = {tuple(row) for row in connection.execute(asked)}
            new = [each for each in older if (each[0], each[1].match_id) in still]
            _keep_facts(connection, new)
        progress(start + len(some), len(missing))


_HAS_FACTS = exists().where(
    figures.c.settings == analyses.c.settings, figures.c.match_id == analyses.c.match_id
)
_WITHOUT_FACTS = select(analyses.c.settings, analyses.c.match_id).where(~_HAS_FACTS)


def _facts_of_older(
    archive: Archive, key: str, match_id: int
) -> Iterator[tuple[str, Wanted, AnalysisFacts]]:
    same = (analyses.c.match_id == match_id) & (analyses.c.settings == key)
    asked = select(analyses.c.noted, analyses.c.body).where(same)
    with archive.reading() as connection:
        row = connection.execute(asked).first()
    if row is not None:
        with suppress(zlib.error, ValueError, KeyError, TypeError):
            yield key, Wanted(match_id, row.noted), facts_of(unpacked(row.body))


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
    """Return the analysis of a match at the level last asked for, or the most common settings."""
    stored = (analysis_of(archive, match_id, key) for key in _by_wish(archive))
    return next((each for each in stored if each is not None), None)


def first_figures(archive: Archive, match_id: int) -> dict[str, Any] | None:
    """Return the figures of the analysis that `first_analysis` returns."""
    asked = (
        select(figures)
        .join(matches, (matches.c.id == figures.c.match_id) & (matches.c.noted == figures.c.noted))
        .where(figures.c.match_id == match_id)
    )
    with archive.reading() as connection:
        rows = {row.settings: row._asdict() for row in connection.execute(asked)}
    return next((rows[key] for key in _by_wish(archive) if key in rows), None)


def _by_wish(archive: Archive) -> list[str]:
    level = f"{asked_level(archive)}-"
    return sorted((key for key, _ in keys(archive)), key=lambda key: not key.startswith(level))


def keys(archive: Archive) -> list[tuple[str, int]]:
    """Return the settings of analyses with their counts, most common first."""
    count = func.count()
    asked = select(analyses.c.settings, count).group_by(analyses.c.settings)
    with archive.reading() as connection:
        found = [(str(row[0]), int(row[1])) for row in connection.execute(asked)]
    return sorted(found, key=lambda each: (-each[1], each[0]))


_ASKED = "level of analysis"


def asked_level(archive: Archive) -> str | None:
    """Return the level that an analysis of this archive was last asked for."""
    with archive.reading() as connection:
        return connection.execute(select(choices.c.value).where(choices.c.name == _ASKED)).scalar()


def note_level(archive: Archive, level: str) -> None:
    """Make this the level with which the next analysis goes on."""
    if asked_level(archive) != level:
        with archive.writing() as connection:
            connection.execute(delete(choices).where(choices.c.name == _ASKED))
            connection.execute(insert(choices).values(name=_ASKED, value=level))
