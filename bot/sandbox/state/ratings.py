"""Rating changes after a match, and the lines that show their calculation."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from sixprime.engine.ratings import winning_chance

MAX_K = 5.0


class RatedPlayer(NamedTuple):
    """A player's standing before the match."""

    name: str
    rating: float
    experience: int

    def k(self) -> float:
        """Return the factor K: 5 for a newcomer, falling to 1 at experience 400."""
        return max(1.0, MAX_K - self.experience / 100)


class Change(NamedTuple):
    """The result of the formula: its numbers, and each player's gain (in their order)."""

    difference: float
    underdog: float  # the chance of the lower rated player
    factor: float  # P of the formula
    gains: tuple[float, float]


def change(players: tuple[RatedPlayer, RatedPlayer], winner: int, length: int) -> Change:
    """Return the rating changes of a finished match; `winner` is an index of `players`."""
    difference = abs(players[0].rating - players[1].rating)
    underdog = winning_chance(-difference, length)
    upset = players[winner].rating < players[1 - winner].rating
    factor = 1 - underdog if upset else underdog
    stakes = [4 * player.k() * sqrt(length) * factor for player in players]
    signs = (1, -1) if winner == 0 else (-1, 1)
    return Change(difference, underdog, factor, (signs[0] * stakes[0], signs[1] * stakes[1]))


def calculation(
    players: tuple[RatedPlayer, RatedPlayer], winner: int, length: int, gap: str = "\t\t"
) -> list[str]:
    """Return the lines for players with the toggle `ratings`; they end with an empty one."""
    made = change(players, winner, length)
    first, second = players
    lines = [
        "rating calculation:",
        f"rating difference D={made.difference:.6f}",
        f"match length      N={length}",
        f"Experience: {first.name} {first.experience} - {second.name} {second.experience}",
        f"Probability that underdog wins: Pu=1/(10^(D*sqrt(N)/2000)+1)={made.underdog:.6f}",
        f"P={made.factor:.6f} is 1-Pu if underdog wins and Pu if favorite wins",
    ]
    for player, gain in zip(players, made.gains, strict=True):
        sign = "-" if gain < 0 else ""
        lines.append(f"K=max(1 ,{gap}-Experience/100+5) for {player.name}: {player.k():.6f}")
        lines.append(f"change for {player.name}: {sign}4*K*sqrt(N)*P={gain:.6f}")
    lines.append("")
    return lines
