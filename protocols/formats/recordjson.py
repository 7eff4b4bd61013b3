"""A Match as JSON, for the archive: `to_json` and `from_json` are inverse to each other.

A field that has its default value is left out, and where several classes are possible "kind" names
one of them. Version 1 is the only one so far; a version that changes the layout must convert older
ones here.
"""

from __future__ import annotations

from typing import Any

from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.engine.codec import Codec, Layout, tree_of
from sixprime.engine.ratings import LEAST_RATING
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.record import (
    BadRecord,
    Cube,
    Interruption,
    Match,
    Resignation,
    SetBoard,
    Turn,
)

VERSION = 1


def _without_scores(match: dict[str, Any]) -> dict[str, Any]:
    """Return a match of Galaxy without the scores that older programs took for ratings."""
    players = match.get("players")
    if "galaxy" not in str(match.get("place", "")).lower() or not isinstance(players, list):
        return match
    return {**match, "players": list(map(_rated, players))}


def _rated(player: Any) -> Any:
    rating = player.get("rating_before") if isinstance(player, dict) else None
    if not isinstance(rating, int | float) or rating >= LEAST_RATING:
        return player
    scores = ("rating_before", "experience_before")
    return {name: value for name, value in player.items() if name not in scores}


# Never change a word: stored matches use them.
RECORDS = Codec(
    {
        Match: Layout(upgraded=_without_scores),
        Turn: Layout(word="Turn"),
        Cube: Layout(word="Cube"),
        Resignation: Layout(word="Resignation"),
        Interruption: Layout(word="Interruption"),
        SetBoard: Layout(word="Setup"),
        EvalContext: Layout(word="Settings"),
        RolloutResult: Layout(word="Rollout"),
    },
    sparse=True,
)


def to_json(match: Match) -> str:
    """Return the match as one line of text."""
    return RECORDS.text(match, version=VERSION)


def from_json(text: str) -> Match:
    """Return the match that `to_json` wrote; BadRecord says where the text is not one."""
    try:
        plain = tree_of(text)
        if not isinstance(plain, dict) or plain.pop("version", None) != VERSION:
            raise BadRecord(f"not a match record of version {VERSION}")
        return RECORDS.value(Match, plain, "match")
    except InputError as error:
        raise BadRecord(str(error)) from error
