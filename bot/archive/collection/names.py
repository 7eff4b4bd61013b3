"""Aliases: several names of one player, and the players that are ourselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sqlalchemy import case, delete, insert, select, update

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.tables import names
from sixprime.protocols.formats.record import Match, turned


@dataclass(frozen=True, slots=True)
class Names:
    """The players by each of their names; a name not listed is its player's only one."""

    players: dict[str, str] = field(default_factory=dict)
    ours: frozenset[str] = frozenset()  # names

    def player(self, name: str) -> str:
        """Return the player with this name or alias."""
        return self.players.get(name, name)

    def all_names(self, name: str) -> frozenset[str]:
        """Return all names of the player who has this one."""
        player = self.player(name)
        return frozenset({player, *(each for each, who in self.players.items() if who == player)})

    def our_seat(self, seated: Sequence[str]) -> int | None:
        """Return the seat of ourselves; None if that is not exactly one of them."""
        seats = [seat for seat, name in enumerate(seated) if name in self.ours]
        return seats[0] if len(seats) == 1 else None


def known_names(archive: Archive) -> Names:
    with archive.reading() as connection:
        rows = list(connection.execute(select(names)))
    players = {row.name: row.player for row in rows}
    ours = {row.player for row in rows if row.ours}
    return Names(players, frozenset(name for name, player in players.items() if player in ours))


def with_us_below(match: Match, known: Names) -> Match:
    """Return the match with ourselves in seat 1, which gnubg and documents draw below."""
    seat = known.our_seat([player.name for player in match.players])
    return turned(match) if seat == 0 else match


def join(archive: Archive, name: str, player: str, *, ours: bool = False) -> str:
    """Make `name`, with all its own aliases, an alias of the player; return the player."""
    known = known_names(archive)
    player = known.player(player)
    moved = known.all_names(name)
    ours = ours or bool(known.ours & (moved | {player}))
    with archive.writing() as connection:
        connection.execute(delete(names).where(names.c.name.in_([*moved, player])))
        rows = [{"name": each, "player": player, "ours": 0} for each in sorted(moved | {player})]
        connection.execute(insert(names), rows)
        where = names.c.player == player
        connection.execute(update(names).where(where).values(ours=int(ours)))
    return player


def choose_ourselves(archive: Archive, players: Collection[str]) -> None:
    """Make these players, under all their names, and nobody else ourselves."""
    known = known_names(archive)
    ours = {known.player(name) for name in players}
    new = [
        {"name": each, "player": each, "ours": 1} for each in sorted(ours - known.players.keys())
    ]
    with archive.writing() as connection:
        connection.execute(update(names).values(ours=case((names.c.player.in_(ours), 1), else_=0)))
        if new:
            connection.execute(insert(names), new)


def forget(archive: Archive, name: str) -> None:
    """Make the name a separate player again; ArchiveError if it is nobody's alias."""
    known = known_names(archive)
    if name not in known.players:
        raise ArchiveError(f"{name} is nobody's alias")
    others = sorted(known.all_names(name) - {name})
    with archive.writing() as connection:
        gone = delete(names).where(names.c.name == name)
        connection.execute(gone)
        if known.player(name) == name and others:  # another name stands for the player
            mine = update(names).where(names.c.name.in_(others))
            connection.execute(mine.values(player=others[0]))
