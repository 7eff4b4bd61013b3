"""The archive as the browser shows it: lists, replays, downloads; and matches played there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.importing import add_file
from sixprime.bot.archive.matchfiles import FORMATS, safe_part
from sixprime.bot.archive.tables import ArchiveError
from sixprime.bot.printable import printable
from sixprime.bot.web.frame.boardview import board, spoken
from sixprime.engine.position import Position
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    CannotCarry,
    Cube,
    Match,
    Resignation,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.recordjson import to_json
from sixprime.protocols.formats.replay import moments

A_PAGE = 50
SORTS = ("started", "opponent", "length", "level")
KINDS = {"sgf": "application/x-go-sgf", "mat": "text/plain", "oldmoves": "text/plain"}


class NotArchived(LookupError):
    """There is no such match or file; the text says so."""


class Library:
    """An archive, or none."""

    def __init__(self, archive: Archive | None) -> None:
        self._archive = archive

    def listed(self, query: Mapping[str, str]) -> dict[str, Any]:
        """One page of the matches that the query asks for, newest first or sorted."""
        opponent, level = query.get("opponent", "").strip(), query.get("level", "").strip()
        length, result = query.get("length", ""), query.get("result", "")
        sort = query.get("sort", "") if query.get("sort", "") in SORTS else "started"
        rows = [] if self._archive is None else self._archive.rows()[::-1]
        found = [
            row
            for row in rows
            if opponent.lower() in row.opponent.lower()
            and (not length or str(row.length) == length)
            and (not level or row.level == level)
            and (not result or result == _result(row))
        ]
        if sort != "started":
            found.sort(key=lambda row: (getattr(row, sort) is None, getattr(row, sort)))
        at = query.get("page", "")
        page = int(at) if at.isdigit() and len(at) < 6 else 0
        shown = found[page * A_PAGE : (page + 1) * A_PAGE]
        return {
            "rows": [_row(row) for row in shown],
            "count": len(found),
            "page": page,
            "last": max(0, (len(found) - 1) // A_PAGE),
            "wanted": {
                "opponent": opponent, "length": length, "level": level, "result": result,
                "sort": sort,
            },
            "lengths": sorted({row.length for row in rows}),
            "levels": sorted({row.level for row in rows if row.level}),
            "is_there": self._archive is not None,
        }  # fmt: skip

    def replayed(self, match_id: int, number: int) -> dict[str, Any]:
        """A match at one of its moments."""
        match = self._match(match_id)
        seen = [
            (i, moment) for i, game in enumerate(match.games) for moment in moments(match, game)
        ]
        if not seen:
            raise NotArchived("Nothing was played in this match.")
        number = min(number, len(seen) - 1)
        in_game, moment = seen[number]
        state = moment.state
        action = moment.action
        if isinstance(action, Turn):
            state = state.with_(dice=action.dice)
        position = moment.position if state.on_roll == 0 else moment.position.flipped()
        starts = {i: at for at, (i, _) in reversed(list(enumerate(seen)))}
        return {
            "id": match_id,
            "names": [printable(player.name) for player in match.players],
            "length": match.length,
            "score": match.games[in_game].score,
            "game": in_game + 1,
            "games": [(i + 1, at) for i, at in sorted(starts.items())],
            "number": number,
            "last": len(seen) - 1,
            "board": board(position, state),
            "spoken": spoken(position),
            "says": _says(match, action, moment.position),
            "formats": list(KINDS),
        }

    def exported(self, match_id: int, suffix: str) -> tuple[str, str, bytes]:
        """File name, kind and content of a match in a format."""
        if suffix not in KINDS:
            raise NotArchived("There is no such format.")
        match = self._match(match_id)
        try:
            text = FORMATS[suffix].write(match)
        except CannotCarry as error:
            raise NotArchived(f"This format cannot hold the match: {error}") from error
        stem = "_".join(safe_part(player.name) for player in match.players)
        return f"{stem}_{match_id}{FORMATS[suffix].suffixes[0]}", KINDS[suffix], text.encode()

    def keep(self, match: Match) -> None:
        """A match that was played in the browser."""
        if self._archive is not None:
            digest = hashlib.sha256(to_json(match).encode()).hexdigest()
            add_file(self._archive, digest, [match])

    def _match(self, match_id: int) -> Match:
        if self._archive is None:
            raise NotArchived("There is no archive.")
        try:
            return self._archive.match(match_id)
        except ArchiveError as error:
            raise NotArchived(str(error)) from error


def _result(row: Any) -> str:
    return {0: "won", 1: "lost"}.get(row.winner, "open")


def _row(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "day": "" if row.started is None else f"{row.started:%Y-%m-%d %H:%M}",
        "account": printable(row.account),
        "opponent": printable(row.opponent),
        "length": row.length,
        "level": printable(row.level or ""),
        "score": f"{row.our_score}-{row.their_score}",
        "result": _result(row),
    }


def _says(match: Match, action: object, position: Position) -> str:
    if isinstance(action, SetBoard):
        return "The board is set up."
    who = printable(match.players[getattr(action, "seat", 0)].name)
    match action:
        case Turn(_, dice, None):
            return f"{who} rolls {dice[0]}-{dice[1]}."
        case Turn(_, dice, tuple(play)):
            played = format_play(position, play) or "cannot move"
            return f"{who} rolls {dice[0]}-{dice[1]}: {played}."
        case Cube(_, step):
            return f"{who}: {step.value}."
        case Resignation(_, step, games):
            return f"{who}: resignation of {games} {step.value}."
        case _:
            return f"{who}: interruption."
