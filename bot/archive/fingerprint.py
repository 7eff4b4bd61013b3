"""Identifies a match by its players, its length, and the events that every format keeps.

Dice, plays, cube actions and the worth of games are the same in every format and from either seat.
A file of an unfinished match holds the beginning of a later file of it. Formats shorten names, and
times are often missing, so times only separate matches too short to be unique.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice

from sixprime.engine.position import Play, Position, Variant
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    Game,
    Interruption,
    Match,
    Player,
    SetBoard,
    Turn,
    plain_names,
    settled,
)

OPENING = 4  # happenings by which a match is found
ENOUGH = 12  # happenings that no other match of the same players has
_NAME_BYTES = 20  # the part of a name that every format keeps
_SOON = dt.timedelta(minutes=1)

Happenings = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """The names, dice, plays and cube actions of a match, as every format keeps them."""

    names: tuple[str, str]
    game: tuple[int, str]  # its length and variant
    told: tuple[Happenings, Happenings]  # from seat 0, from seat 1
    started: dt.datetime | None
    date: dt.date | None

    def begins(self, other: Story) -> bool:
        """Return whether this match is the beginning of the other, or the whole of it."""
        return any(self._as(other, turned) for turned in (False, True))

    def _as(self, other: Story, turned: bool) -> bool:
        names = other.names[::-1] if turned else other.names
        mine, theirs = self.told[0], other.told[turned]
        if (self.names, self.game, mine) != (names, other.game, theirs[: len(mine)]):
            return False
        return len(mine) >= ENOUGH or not self._apart(other)

    def _apart(self, other: Story) -> bool:
        """Return whether the two were played at different times."""
        if self.started and other.started:
            return abs(self.started - other.started) > _SOON
        days = self.date, other.date
        return None not in days and abs((days[0] - days[1]).days) > 1  # type: ignore[operator]


def story_of(match: Match, aliases: Mapping[str, str] | None = None) -> Story:
    """Return the story of the match; `aliases` are players by a name as `plain_name` gives it."""
    players = (player.name for player in match.players)
    first, second = ((aliases or {}).get(name, name) for name in plain_players(*players))
    straight, turned = (tuple(_happenings(match, turned)) for turned in (False, True))
    return Story((first, second), _frame(match), (straight, turned), match.started, match.day)


def openings_of(match: Match) -> list[str]:
    """Return a digest of the first happening, of the first two, and so on, from either seat."""
    both = [tuple(islice(_happenings(match, turned), OPENING)) for turned in (False, True)]
    sizes = range(1, len(both[0]) + 1)
    firsts = (min(json.dumps([_frame(match), told[:size]]) for told in both) for size in sizes)
    return [sha256(first.encode()).hexdigest() for first in firsts]


def _frame(match: Match) -> tuple[int, str]:
    return match.length, match.rules.variant.value


def _happenings(match: Match, turned: bool) -> Iterator[object]:
    return (each for game in match.games for each in _happened(game, match, turned))


def plain_players(first: str, second: str) -> tuple[str, str]:
    """Return the part of two players' names that every format keeps."""
    both = plain_names(Match((Player(first), Player(second)), 0), _NAME_BYTES, ":,")
    one, other = map(plain_name, both)
    return one, one if other == f"{one}2" else other  # a format needs two names


def plain_name(name: str) -> str:
    """Return the letters and digits of a name that every format keeps."""
    kept = name.encode("utf-8", "replace")[:_NAME_BYTES].decode("utf-8", "ignore")
    return "".join(char for char in kept if char.isalnum()).casefold()


def _happened(game: Game, match: Match, turned: bool) -> Iterator[object]:
    """Yield the happenings of a game; a board without a play is a single one."""
    won, (*actions,) = _game(game, turned, match.rules.variant)
    yield from actions if _is_played(game) or not actions else [actions]
    if won is not None:
        yield won


def digest_of(match: Match) -> str:
    """Return 64 hex digits by which the record can be checked."""
    both = (_told(match, turned) for turned in (False, True))
    return sha256(min(both).encode()).hexdigest()


def is_turned(match: Match, other: Match) -> bool:
    """Return whether two records of one match have the seats swapped."""
    mine, theirs = story_of(match).told[0], story_of(other).told[0]
    both = min(len(mine), len(theirs))
    return mine[:both] != theirs[:both]


def _told(match: Match, turned: bool) -> str:
    names = [" ".join(player.name.split()) for player in match.players]
    games = [_game(game, turned, match.rules.variant) for game in match.games]
    return json.dumps([names[::-1] if turned else names, match.length, games])


def _game(game: Game, turned: bool, variant: Variant) -> tuple[list[int] | None, list[object]]:
    result = game.result
    won = None if result is None else [result.winner ^ turned, result.points]
    actions = [_action(each, turned) for each in settled(game)]
    known = [each for each in actions if each is not None]
    before = _set_first(game, turned, variant) if _is_played(game) else _position(game, turned)
    return won, before + known


def _is_played(game: Game) -> bool:
    return any(isinstance(each, Turn) and each.play is not None for each in game.actions)


def _set_first(game: Game, turned: bool, variant: Variant) -> list[object]:
    """Return the board that a game begins with, if it was set up and is not the usual one.

    Boards set later are in no server's list. Files disagree about who is on roll, so the first play
    decides that.
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
    """Identify a game without plays by the board that was set and its dice."""
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
    """Return how many checkers each point lost or won, without the points in between."""
    change: dict[int, int] = {}
    for start, end in play:
        change[end] = change.get(end, 0) + 1
        change[start] = change.get(start, 0) - 1
    return tuple(sorted((point, count) for point, count in change.items() if count))
