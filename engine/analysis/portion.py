"""The part of a match that somebody asks about: players, games, turns, kinds of decisions."""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING, NamedTuple

from sixprime.engine.system.errors import InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sixprime.engine.analysis.values import Error, MatchAnalysis


class Facet(Flag):
    """Plays, cubes or luck: each may be judged alone."""

    PLAYS = auto()
    CUBE = auto()
    LUCK = auto()


EVERY_FACET = Facet.PLAYS | Facet.CUBE | Facet.LUCK


class Only(NamedTuple):
    """A choice of decisions and rolls; None means any."""

    player: str | None = None
    game: int | None = None  # from 1, as reports count
    turn: int | None = None
    since: tuple[int, int] | None = None  # the first game and turn
    parts: Facet = EVERY_FACET

    def check(self, players: Sequence[str]) -> None:
        """Raise InputError if the player is somebody else."""
        if self.player is not None and self.player not in players:
            near = nearest(self.player, players)
            raise InputError(f"{self.player} does not play here{near}")

    def has(self, player: str, game: int, turn: int) -> bool:
        """Return whether this player's decisions in a turn, counted from 0, are asked for."""
        return (
            self.player in (None, player)
            and self.game in (None, game + 1)
            and self.turn in (None, turn + 1)
            and (self.since is None or self.since <= (game + 1, turn + 1))
        )

    def parts_of(
        self, players: Sequence[str], game: int, turn: int, seat: int, *, doubled: bool
    ) -> Facet:
        """Return the parts to analyse of a turn of `seat`; a double is the answerer's, too."""
        if self.has(players[seat], game, turn):
            return self.parts
        if doubled and self.has(players[1 - seat], game, turn):
            return self.parts & Facet.CUBE
        return Facet(0)

    def errors_of(self, analysis: MatchAnalysis) -> list[Error]:
        """Return the errors among these decisions, worst first."""
        players = analysis.players
        return [
            each for each in analysis.errors() if self.has(players[each.seat], each.game, each.turn)
        ]

    def in_words(self) -> str:
        """Describe the choice; empty for all."""
        words = [] if self.parts == EVERY_FACET else [_listed(self.parts)]
        words += [f"{name} {at}" for name, at in (("game", self.game), ("turn", self.turn)) if at]
        if self.since is not None:
            words.append("from game {}, turn {} on".format(*self.since))
        return ", ".join([*words, self.player] if self.player else words)


def _listed(parts: Facet) -> str:
    return " and ".join(str(part.name).lower() for part in Facet if part in parts)


ALL = Only()


def facets_named(names: Sequence[str]) -> Facet:
    """Return the facets of these names: plays, cube, luck."""
    chosen = Facet(0)
    for name in names:
        chosen |= Facet[name.upper()]
    return chosen
