"""Events of bot.archive.events as text, for the archive: `body_of` and `event_of` are inverse.

The kind, the players and the time are not in the text: they have columns of their own. Values are
written as protocols.formats.recordjson writes them.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import get_type_hints

from sixprime.bot.archive.events import (
    Acted,
    Event,
    Evidence,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    Rated,
    Resigning,
    Who,
)
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.recordjson import plain_of, value_of

# The value of the column `kind` for each class. Never change one: archives hold them.
KINDS: Mapping[str, type[Event]] = {
    "MatchBegan": MatchStarted,
    "GameBegan": GameStarted,
    "Acted": Acted,
    "Resigning": Resigning,
    "GameOver": GameOver,
    "MatchSaved": MatchSaved,
    "MatchOver": MatchOver,
    "Recalled": GameRecovered,
    "Rated": Rated,
    "Evidence": Evidence,
}
_WORDS = {kind: word for word, kind in KINDS.items()}
_TYPES = {
    kind: {name: hint for name, hint in get_type_hints(kind).items() if name not in ("who", "at")}
    for kind in KINDS.values()
}


def kind_of(event: Event) -> str:
    """What the column `kind` holds for this event."""
    return _WORDS[type(event)]


def body_of(event: Event) -> str:
    """One line of JSON."""
    own = {name: plain_of(getattr(event, name)) for name in _TYPES[type(event)]}
    return json.dumps(own, ensure_ascii=False, separators=(",", ":"))


def event_of(word: str, who: Who, at: dt.datetime, body: str) -> Event:
    """The inverse of `body_of`; BadRecord says what is wrong with a text that is no event."""
    try:
        kind = KINDS[word]
        types = _TYPES[kind]
        own = {name: value_of(types[name], each, name) for name, each in json.loads(body).items()}
        return kind(who, at, **own)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"not an event {word}: {error}") from error
