"""Aliases: several names of one player, and the players that are ourselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import delete, insert, select, update

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.tables import names


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


def known_names(archive: Archive) -> Names:
    with archive.reading() as connection:
        rows = list(connection.execute(select(names)))
    players = {row.name: row.player for row in rows}
    ours = {row.player for row in rows if row.ours}
    return Names(players, frozenset(name for name, player in players.items() if player in ours))


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
