"""Changes to matches that are in the archive: removed, renamed, annotated, merged.

A match in progress stays as it is: its bot finds it by its players' names.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, and_, case, delete, insert, select, update

from sixprime.bot.archive.archive import GOING_ON, SOME, Archive
from sixprime.bot.archive.collection.importing import keep_words, values_of
from sixprime.bot.archive.collection.names import Names, known_names
from sixprime.bot.archive.collection.streaming import Progress, StoredMatch, stored, streamed
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.fingerprint import digest_of, openings_of, story_of
from sixprime.bot.archive.pooling import pooled
from sixprime.bot.archive.tables import (
    analyses,
    errors,
    events,
    figures,
    first_plays,
    matches,
    notes,
    openings,
    sources,
    wires,
    words,
)
from sixprime.bot.matchlog.words import Comment, with_comment
from sixprime.engine.codec import line_of, tree_of
from sixprime.protocols.formats.record import BadRecord, Match
from sixprime.protocols.formats.recordjson import from_json

ABOUT = ("date", "event", "round", "place", "annotator")  # for a collector to correct
KNOWN = ("date", "place")  # of matches that were played here


def remove(archive: Archive, ids: Iterable[int]) -> int:
    """Delete matches with everything that belongs to them; return their number."""
    wanted = sorted(set(ids))
    for match_id in wanted:
        _must_be_over(archive, match_id)
    with archive.writing() as connection:
        for match_id in wanted:
            _delete(connection, match_id)
        connection.execute(delete(sources))  # so that their files can be imported again
    return len(wanted)


def _delete(connection: Connection, match_id: int) -> None:
    for table in (
        *(analyses, figures, errors, first_plays, notes, words, openings, wires, events),
    ):
        connection.execute(delete(table).where(table.c.match_id == match_id))
    connection.execute(delete(matches).where(matches.c.id == match_id))


def _must_be_over(archive: Archive, match_id: int) -> None:
    if archive.row(match_id).state in GOING_ON:
        raise ArchiveError(f"match {match_id} goes on: it is {archive.row(match_id).state}")


def rename(archive: Archive, old: str, new: str, ids: Iterable[int] | None = None) -> int:
    """Rename a player in all matches or in these; return the number of matches."""
    if not new.strip() or new == old:
        raise ArchiveError("a player needs a name, and another one")
    named = (matches.c.account == old) | (matches.c.opponent == old)
    wanted = None if ids is None else set(ids)
    rows = [row for row in archive.rows(named) if wanted is None or row.id in wanted]
    for row in rows:
        _must_be_over(archive, row.id)
        if new in (row.account, row.opponent):
            raise ArchiveError(f"match {row.id} has a player {new} already")
    for row in rows:
        _rename_in(archive, row, old, new)
    return len(rows)


def _rename_in(archive: Archive, row: Any, old: str, new: str) -> None:
    seat = 0 if row.account == old else 1
    columns: dict[str, Any] = {("account", "opponent")[seat]: new}
    if archive.row(row.id).record is not None:
        match = from_json(archive.row(row.id).record)
        players = list(match.players)
        players[seat] = replace(players[seat], name=new)
        match = replace(match, players=(players[0], players[1]))
        columns = values_of(match)
    with archive.writing() as connection:
        connection.execute(update(matches).where(matches.c.id == row.id).values(**columns))
        asked = select(analyses.c.settings, analyses.c.body).where(analyses.c.match_id == row.id)
        for settings, body in list(connection.execute(asked)):
            analysis = tree_of(zlib.decompress(body))
            analysis["players"][seat] = new
            text = line_of(analysis)
            same = (analyses.c.match_id == row.id) & (analyses.c.settings == settings)
            packed = zlib.compress(text.encode("utf-8", "surrogatepass"))
            connection.execute(update(analyses).where(same).values(body=packed))
    if archive.row(row.id).record is None and row.digest is not None:
        digest = digest_of(archive.match(row.id))
        with archive.writing() as connection:
            connection.execute(update(matches).where(matches.c.id == row.id).values(digest=digest))


def annotate(
    archive: Archive,
    match_id: int,
    note: str | None = None,
    about: Mapping[str, Any] | None = None,
    said: Iterable[Comment] = (),
) -> None:
    """Set a match's note (`""` removes it), the facts of its event, and words on games and moves.

    InputError names a game or a move that it lacks.
    """
    row, was = archive.row(match_id), archive.record(match_id)
    about = about or {}
    if row.record is None and any(name in about for name in KNOWN):
        raise ArchiveError(f"match {match_id} was played here: its day and place are known")
    match = replace(was, **about)
    if "date" in about:
        match = replace(match, started=None, ended=None)
    for each in said:
        match = with_comment(match, each)
    with archive.writing() as connection:
        if row.record is None:
            keep_words(connection, match_id, was, match)
        elif match != was:
            change = update(matches).where(matches.c.id == match_id)
            connection.execute(change.values(**values_of(match)))
    if note is not None:
        with archive.writing() as connection:
            connection.execute(delete(notes).where(notes.c.match_id == match_id))
            if note:
                connection.execute(insert(notes).values(match_id=match_id, text=note))


# --- duplicates


class Alike:
    """Matches by their openings, of which 16 bytes are kept."""

    def __init__(self) -> None:
        self._first: dict[bytes, int] = {}
        self._more: dict[bytes, list[int]] = {}

    def add(self, match_id: int, opening: str) -> None:
        """Add a match; without an opening it is like no other."""
        key = bytes.fromhex(opening)[:16]
        if key and self._first.setdefault(key, match_id) != match_id:
            self._more.setdefault(key, []).append(match_id)

    def groups(self) -> Iterator[list[int]]:
        """Yield the matches that share an opening, by number."""
        for key, more in self._more.items():
            yield sorted([self._first[key], *more])


def opening_of(match: Match) -> str:
    """Return the digest by which matches are alike; "" if nothing happened."""
    return next(iter(openings_of(match)[-1:]), "")


def duplicates(archive: Archive, progress: Progress = lambda done, total: None) -> list[list[int]]:
    """Return groups of records of one match, considering aliases; the one to keep is first."""
    is_over = matches.c.state.not_in(GOING_ON)
    is_noted = and_(matches.c.record.is_not(None), openings.c.match_id.is_not(None))
    asked = (
        select(matches.c.id, case((is_noted, openings.c.digest)).label("digest"))
        .outerjoin(openings, openings.c.match_id == matches.c.id)
        .where(*archive.is_readable(), is_over)
        .order_by(matches.c.id)
        .execution_options(yield_per=SOME)
    )
    alike, others = Alike(), []
    with archive.reading() as connection:
        for match_id, digest in connection.execute(asked):
            if digest is None:
                others.append(match_id)
            else:
                alike.add(match_id, digest)
    for match_id, opening in streamed(archive, others, stored, _opening, progress):
        alike.add(match_id, opening)
    return list(same_matches(archive, alike))


def _opening(found: StoredMatch) -> tuple[int, str]:
    with suppress(BadRecord):  # `archive check` reports it
        return found.row.id, opening_of(found.match())
    return found.row.id, ""


def same_matches(archive: Archive, alike: Alike) -> Iterator[list[int]]:
    """Yield groups of equal matches among matches that begin alike."""
    names = known_names(archive)
    for ids in alike.groups():
        yield from (group for group in _same(archive, ids, names) if len(group) > 1)


def _same(archive: Archive, ids: list[int], names: Names) -> list[list[int]]:
    """Return duplicate ids by match, the best record first: one of a bot, else the longest."""
    stories = {each: story_of(_with_players(archive.match(each), names)) for each in ids}
    imported = {each: archive.row(each).record is not None for each in ids}
    found: list[list[int]] = []
    for each in sorted(ids, key=lambda one: (imported[one], -len(stories[one].told[0]), one)):
        of = (group for group in found if stories[each].begins(stories[group[0]]))
        group = next(of, None)
        if group is None:
            found.append(group := [])
        group.append(each)
    return found


def _with_players(match: Match, names: Names) -> Match:
    first, second = (replace(each, name=names.player(each.name)) for each in match.players)
    return replace(match, players=(first, second))


def merge(archive: Archive, ids: Iterable[int]) -> int:
    """Merge matches into the first, completed from the others; return its id."""
    keep, *others = ids
    names = known_names(archive)
    found = {each: _with_players(archive.match(each), names) for each in (keep, *others)}
    row = archive.row(keep)
    for each in others:
        _must_be_over(archive, each)
        mine, theirs = story_of(found[keep]), story_of(found[each])
        if not (theirs.begins(mine) or (row.record is not None and mine.begins(theirs))):
            raise ArchiveError(f"match {each} is not the same match as {keep}, or tells more of it")
    said = [each for each in (archive.note_of(other) for other in (keep, *others)) if each]
    was = whole = archive.record(keep)
    for each in others:
        other = archive.record(each)
        whole = _pooled(whole, other, names)
        known = ("", (was if row.record is None else whole).comment, *said)
        if archive.row(each).record is not None and other.comment not in known:
            said.append(other.comment)
    with archive.writing() as connection:
        if row.record is not None:
            change = update(matches).where(matches.c.id == keep)
            connection.execute(change.values(**values_of(whole)))
            connection.execute(delete(openings).where(openings.c.match_id == keep))
        else:
            keep_words(connection, keep, was, whole)
        for each in others:
            _delete(connection, each)
        if said:
            connection.execute(delete(notes).where(notes.c.match_id == keep))
            connection.execute(insert(notes).values(match_id=keep, text="\n".join(said)))
    return keep


def _pooled(known: Match, other: Match, names: Names) -> Match:
    """Return both pooled, under the names of the known one."""
    both = pooled(_with_players(known, names), _with_players(other, names))
    first, second = (
        replace(player, name=own.name)
        for player, own in zip(both.players, known.players, strict=True)
    )
    return replace(both, players=(first, second))
