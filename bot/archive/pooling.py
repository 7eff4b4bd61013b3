"""Combines two records of one match, as formats carry different parts of it.

FIBS's own list has no date, .mat no analysis, SGF no interruptions. Where both have something, the
first counts.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

from sixprime.bot.archive.fingerprint import is_turned
from sixprime.protocols.formats.record import Action, Cube, Game, Match, Player, Turn

T = TypeVar("T", Match, Player, Game)
_LATER = frozenset({"players", "games", "rules"})  # merged in other ways


def pooled(known: Match, other: Match) -> Match:
    """The known record, with what only the other knows; both have the same fingerprint."""
    turned = is_turned(known, other)
    first, second = other.players[::-1] if turned else other.players
    players = _filled(known.players[0], first), _filled(known.players[1], second)
    games = known.games
    if not turned:
        pairs = zip(known.games, other.games, strict=True)
        games = tuple(_game(game, more) for game, more in pairs)
    return replace(_filled(known, other), players=players, games=games)


def _filled(known: T, other: T) -> T:
    """Known, with the other's values where it has none."""
    found = {
        each.name: getattr(other, each.name)
        for each in fields(known)
        if each.name not in _LATER and getattr(known, each.name) in (None, "")
    }
    return replace(known, **found)


def _game(game: Game, more: Game) -> Game:
    """The longer version of the game, completed from the other's same actions."""
    if len(more.actions) > len(game.actions):
        game, more = more, game
    if len(more.actions) == len(game.actions):
        pairs = zip(game.actions, more.actions, strict=True)
        game = replace(game, actions=tuple(_action(*pair) for pair in pairs))
    return game if game.statistics else replace(game, statistics=more.statistics)


def _action(action: Action, more: Action) -> Action:
    if not isinstance(action, Turn | Cube) or type(action) is not type(more):
        return action
    assert isinstance(more, Turn | Cube)
    if action.seat != more.seat:
        return action
    return replace(
        action,
        analysis=action.analysis or more.analysis,
        comment=action.comment or more.comment,
    )
