"""A fingerprint to recognise a match: the same in every format and with the seats swapped.

It is made of what every format carries: the players, the length, dice, plays, cube actions and
what the games were worth.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256

from sixprime.engine.position import Play, Position, Variant
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    Game,
    Interruption,
    Match,
    SetBoard,
    Turn,
    settled,
)


def digest_of(match: Match) -> str:
    """64 hex digits."""
    both = (_story(match, turned) for turned in (False, True))
    return sha256(min(both).encode()).hexdigest()


def is_turned(match: Match, other: Match) -> bool:
    """Do two records of one match have the seats swapped?"""
    return _story(match, turned=False) != _story(other, turned=False)


def _story(match: Match, turned: bool) -> str:
    names = [" ".join(player.name.split()) for player in match.players]
    games = [_game(game, turned, match.rules.variant) for game in match.games]
    return json.dumps([names[::-1] if turned else names, match.length, games])


def _game(game: Game, turned: bool, variant: Variant) -> list[object]:
    result = game.result
    won = None if result is None else [result.winner ^ turned, result.points]
    actions = [_action(each, turned) for each in settled(game)]
    known = [each for each in actions if each is not None]
    played = any(isinstance(each, Turn) and each.play is not None for each in game.actions)
    before = _set_first(game, turned, variant) if played else _position(game, turned)
    return [won, before + known]


def _set_first(game: Game, turned: bool, variant: Variant) -> list[object]:
    """The board that a game begins with, if it was set up and is not the usual one.

    Boards set later are in no server's list. Files disagree about who is on roll, so the
    first play decides that.
    """
    happened = (each for each in game.actions if not isinstance(each, Interruption))
    first = next(happened, None)
    if not isinstance(first, SetBoard):
        return []
    seen = first.position if first.on_roll == int(turned) else first.position.flipped()
    board, start = [seen.mine, seen.theirs], Position.start(variant)
    owner = None if first.cube_owner is None or first.cube == 1 else first.cube_owner ^ turned
    if board == [start.mine, start.theirs] and first.cube == 1:
        return []
    return [[board, first.cube, owner, game.score[::-1] if turned else game.score]]


def _position(game: Game, turned: bool) -> list[object]:
    """Identifies a game without plays: by the board that was set and its dice."""
    found: list[object] = []
    score = game.score[::-1] if turned else game.score
    for each in game.actions:
        if isinstance(each, SetBoard):
            owner = None if each.cube_owner is None else each.cube_owner ^ turned
            board = [each.position.mine, each.position.theirs]
            found.append([each.on_roll ^ turned, board, each.cube, owner, score])
        elif isinstance(each, Turn) and found:
            found.append(sorted(each.dice))
    return found


def _action(action: Action, turned: bool) -> list[object] | None:
    if isinstance(action, Turn) and action.play is not None:
        return [action.seat ^ turned, sorted(action.dice), moved(action.play)]
    if isinstance(action, Cube):
        return [action.seat ^ turned, action.step.value]
    return None


@lru_cache(maxsize=1 << 14)
def moved(play: Play) -> tuple[tuple[int, int], ...]:
    """Where each checker moved from and to, without the points in between."""
    change: dict[int, int] = {}
    for start, end in play:
        change[end] = change.get(end, 0) + 1
        change[start] = change.get(start, 0) - 1
    return tuple(sorted((point, count) for point, count in change.items() if count))
