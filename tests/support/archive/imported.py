"""Matches imported into an archive."""

from __future__ import annotations

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import add_file
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.protocols.formats.record import Match
from tests.support.formats.played import random_match


def add(archive: Archive, match: Match) -> int | None:
    """Import a match as a file of its own; None if it is there already."""
    return add_file(archive, digest_of(match), [match])[0]


def played(first: int, count: int) -> list[Match]:
    """Matches that every format can carry."""
    found: list[Match] = []
    seed = first
    while len(found) < count:
        match = random_match(seed, interruptions=False)
        seed += 1
        if match.length and match.finished:
            found.append(match)
    return found
