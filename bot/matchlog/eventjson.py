"""Events as text, for the archive: `body_of` and `event_of` are inverse.

The kind, the players and the time are not in the text: they have columns of their own. Values are
written as protocols.formats.recordjson writes them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import get_type_hints

from sixprime.bot.matchlog.events import (
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
    Sending,
    VariantSeen,
    Who,
)
from sixprime.engine.codec import tree_of
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.recordjson import RECORDS

# The value of the column `kind` for each class. Never change one: archives hold them.
KINDS: Mapping[str, type[Event]] = {
    "MatchBegan": MatchStarted,
    "GameBegan": GameStarted,
    "VariantSeen": VariantSeen,
    "Acted": Acted,
    "Resigning": Resigning,
    "Sending": Sending,
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
    """Return the value of the column `kind` for this event."""
    return _WORDS[type(event)]


def body_of(event: Event) -> str:
    """Return the event as one line of JSON."""
    return RECORDS.text({name: getattr(event, name) for name in _TYPES[type(event)]})


def event_of(word: str, who: Who, at: dt.datetime, body: str) -> Event:
    """Return the event that `body_of` wrote; BadRecord says why another text is none."""
    try:
        kind = KINDS[word]
        types = _TYPES[kind]
        plain = tree_of(body).items()
        return kind(
            who, at, **{name: RECORDS.value(types[name], each, name) for name, each in plain}
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"not an event {word}: {error}") from error
