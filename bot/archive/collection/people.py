"""The players of an archive, their numbers of matches and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.selection import Selection, chosen
from sixprime.engine.analysis.statistics import Pair, PlayerStatistics


@dataclass(slots=True)
class PlayerTally:
    """One player's results, from either seat."""

    matches: int = 0
    won: int = 0
    lost: int = 0
    last: str = ""  # day
    analysed: int = 0
    statistics: PlayerStatistics = field(default_factory=PlayerStatistics)

    def count(self, row: Any, seat: int, pair: Pair | None) -> None:
        self.matches += 1
        self.won += row.winner == seat
        self.lost += row.winner == 1 - seat
        if row.started is not None:
            self.last = max(self.last, f"{row.started:%Y-%m-%d}")
        if pair is not None:
            self.analysed += 1
            self.statistics += pair[seat]

    def plain(self, player: str, *, ours: bool) -> dict[str, Any]:
        found = self.statistics
        rate = found.error_rate
        return {
            "player": player,
            "me": ours,
            "matches": self.matches,
            "won": self.won,
            "lost": self.lost,
            "analysed": self.analysed,
            "pr": found.pr,
            "error_rate": None if rate is None else round(-1000 * rate[0], 3) + 0.0,
            "last": self.last,
        }


def standings(
    archive: Archive, asked: Selection, analysed: Mapping[int, Pair]
) -> list[dict[str, Any]]:
    """Return a row for every player of these matches, most matches first."""
    names = known_names(archive)
    tallies: dict[str, PlayerTally] = {}
    for row in chosen(archive, asked):
        pair = analysed.get(row.id)
        pair = pair[::-1] if pair is not None and row.turned else pair
        for seat, name in enumerate((row.account, row.opponent)):
            tallies.setdefault(names.player(name), PlayerTally()).count(row, seat, pair)
    found = sorted(tallies.items(), key=lambda each: (-each[1].matches, each[0]))
    return [tally.plain(player, ours=player in names.ours) for player, tally in found]
