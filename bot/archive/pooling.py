"""Combines two records of one match, as formats carry different parts of it.

FIBS's own list has no date, .mat no analysis, SGF no interruptions. Where both have something, the
first counts.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

from sixprime.bot.archive.fingerprint import is_turned
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    Game,
    Match,
    Player,
    Turn,
    moves_of,
    turned,
)

T = TypeVar("T", Match, Player, Game)
_LATER = frozenset({"players", "games", "rules"})  # merged in other ways


def pooled(known: Match, other: Match) -> Match:
    """Complete the known record from the other; one may be the beginning of the other."""
    if is_turned(known, other):
        other = turned(other)
    first, second = (_filled(*pair) for pair in zip(known.players, other.players, strict=True))
    pairs = zip(known.games, other.games, strict=False)
    games = [_game(game, more) for game, more in pairs]
    games += known.games[len(games) :] or other.games[len(games) :]
    return replace(_filled(known, other), players=(first, second), games=tuple(games))


def _filled(known: T, other: T) -> T:
    """Return the known value with the other's fields where it has none."""
    found = {
        each.name: getattr(other, each.name)
        for each in fields(known)
        if each.name not in _LATER and getattr(known, each.name) in (None, "")
    }
    return replace(known, **found)


def _game(game: Game, more: Game) -> Game:
    """Return the longer version of the game, completed from the other's same actions."""
    if (len(more.actions), more.result is not None) > (len(game.actions), game.result is not None):
        game, more = more, game
    actions = list(game.actions)
    if len(more.actions) == len(actions):
        pairs = list(enumerate(more.actions))
    else:  # formats leave out what is no move
        places = zip(moves_of(game), moves_of(more), strict=False)
        pairs = [(place, more.actions[other]) for place, other in places]
    for place, action in pairs:
        actions[place] = _action(actions[place], action)
    return replace(
        game,
        actions=tuple(actions),
        statistics=game.statistics or more.statistics,
        comment=game.comment or more.comment,
    )


def _action(action: Action, more: Action) -> Action:
    if not isinstance(action, Turn | Cube) or type(action) is not type(more):
        return action
    assert isinstance(more, Turn | Cube)
    if action.seat != more.seat or _what(action) != _what(more):
        return action
    return replace(
        action,
        analysis=action.analysis or more.analysis,
        comment=action.comment or more.comment,
        marks=action.marks or more.marks,
    )


def _what(action: Turn | Cube) -> str:
    return str(sorted(action.dice)) if isinstance(action, Turn) else action.step.value
