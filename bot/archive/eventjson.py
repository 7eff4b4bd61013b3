"""Events of bot.archive.events as text, for the archive: `body_of` and `event_of` are inverse.

The kind, whose match it is and when it was stand beside the text, in columns of their own. Actions
and results are written as sixprime.protocols.formats.recordjson writes them.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import fields
from typing import Any

from sixprime.bot.archive.events import (
    Acted,
    Event,
    Evidence,
    GameBegan,
    GameOver,
    MatchBegan,
    MatchOver,
    MatchSaved,
    Rated,
    Recalled,
    Resigning,
    Standing,
    Who,
)
from sixprime.protocols.formats.record import Action, BadRecord, Game, Result
from sixprime.protocols.formats.recordjson import plain_of, value_of

_KINDS = (
    *(MatchBegan, GameBegan, Acted, Resigning, GameOver),
    *(MatchSaved, MatchOver, Recalled, Rated, Evidence),
)
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in _KINDS}
_BESIDE = ("who", "at")
_RECORDS = {"action": Action, "result": Result, "game": Game}


def body_of(event: Event) -> str:
    """One line of JSON."""
    own = {
        each.name: _plain(getattr(event, each.name))
        for each in fields(event)
        if each.name not in _BESIDE
    }
    return json.dumps(own, ensure_ascii=False, separators=(",", ":"))


def event_of(kind: str, who: Who, at: dt.datetime, body: str) -> Event:
    """The event that was written so; BadRecord says where it is something else."""
    try:
        own = json.loads(body)
        values = {name: _value(name, plain) for name, plain in own.items()}
        event: Event = KINDS[kind](who, at, **values)
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"not an event {kind}: {error}") from error
    return event


def _plain(value: object) -> object:
    if isinstance(value, Standing):
        return [value.rating, value.experience]
    if isinstance(value, Action | Result | Game):
        return plain_of(value)
    return value


def _value(name: str, plain: Any) -> object:
    if name in ("ours", "theirs"):
        return Standing(*plain)
    if name in _RECORDS:
        return value_of(_RECORDS[name], plain, name)
    return tuple(plain) if isinstance(plain, list) else plain
