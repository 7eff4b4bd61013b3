"""`sixprime archive list`: the matches of an archive."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from sixprime.bot.archive.collection.selection import MatchSeen, listed, seen
from sixprime.bot.cli.collection.verbs.choosing import opened, readable, selection_of
from sixprime.bot.cli.columns import table

_COLUMNS = ("id", "started", "account", "opponent", "length", "score", "state", "level", "rating")
_SPARE = ("level", "state", "account")  # in a narrow terminal
_INNER = ("record", "digest", "filed", "raw_bytes")


def list_matches(options: Namespace) -> int:
    with opened(options) as archive:
        skipped = readable(archive)
        rows = listed(archive, seen(archive, selection_of(options, archive)), options.last)
    if options.json:
        print(json.dumps([plain_row(row.columns) for row in rows], indent=2))
    else:
        heading = [name.replace("started", "started (UTC)") for name in _COLUMNS]
        table(heading, [_cells(row) for row in rows], _SPARE)
    return skipped.code


def plain_row(columns: Mapping[str, Any]) -> dict[str, object]:
    """Return the columns of a match as JSON holds them."""
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in columns.items()
        if name not in _INNER
    }


def _cells(row: MatchSeen) -> tuple[object, ...]:
    after = row.our_rating_after
    return (
        row.id,
        row.day,
        row.account,
        row.opponent,
        row.length or "unlimited",
        f"{row.our_score}-{row.their_score}",
        row.state,
        row.level,
        "" if after is None else f"{after:.2f}",
    )
