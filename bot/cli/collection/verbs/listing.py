"""`sixprime archive list`: the matches of an archive."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Mapping
from textwrap import indent
from typing import Any

from sixprime.bot.archive.collection.selection import MatchSeen, listed, seen
from sixprime.bot.cli.collection.verbs.choosing import opened, readable, selection_of
from sixprime.bot.cli.collection.verbs.collecting import usual_key
from sixprime.bot.cli.columns import figure, table
from sixprime.bot.process.printable import named

_COLUMNS = ("id", "started", "account", "opponent", "length", "score", "state", "level", "rating")
_ANALYSED = ("pr", "their pr")
_SPARE = ("level", "state", "their pr", "account")  # in a narrow terminal
INNER = ("record", "digest", "filed", "raw_bytes")


def list_matches(options: Namespace) -> int:
    with opened(options) as archive:
        skipped, key = readable(archive), usual_key(archive)
        rows = listed(archive, seen(archive, selection_of(options, archive)), options.most, key)
        if options.json:
            _print_json(rows)
            return skipped.code
        cells = [_cells(row) for row in rows]
    heading = [name.replace("started", "started (UTC)") for name in (*_COLUMNS, *_ANALYSED)]
    if not any(line[-1] or line[-2] for line in cells):
        heading = heading[: len(_COLUMNS)]
        cells = [line[: len(_COLUMNS)] for line in cells]
    table(heading, cells, _SPARE)
    return skipped.code


def _print_json(rows: Iterable[MatchSeen]) -> None:
    """Print a list as json.dumps does, row by row."""
    between = "[\n"
    for row in rows:
        text = json.dumps(plain_row(row.columns), indent=2)
        print(between, indent(text, "  "), sep="", end="")
        between = ",\n"
    print("[]" if between == "[\n" else "\n]")


def plain_row(columns: Mapping[str, Any]) -> dict[str, object]:
    """Return the columns of a match as JSON holds them."""
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in columns.items()
        if name not in INNER
    }


def _cells(row: MatchSeen) -> tuple[object, ...]:
    after = row.our_rating_after
    return (
        row.id,
        row.day,
        named(row.account),
        named(row.opponent),
        row.length or "unlimited",
        f"{row.our_score}-{row.their_score}",
        row.state,
        row.level,
        "" if after is None else f"{after:.2f}",
        figure(row.pr),
        figure(row.their_pr),
    )
