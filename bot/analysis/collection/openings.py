"""Statistics of openings: the plays of each first roll, and their costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sixprime.engine.position import Dice


class OpeningPlay(NamedTuple):
    roll: Dice  # the higher first
    play: str


@dataclass(slots=True)
class OpeningTally:
    """The count of a play, and the EMG that it gave away in total."""

    times: int = 0
    given: float = 0.0
    best: str = ""  # the best play by the last analysis


class Openings:
    def __init__(self) -> None:
        self.plays: dict[OpeningPlay, OpeningTally] = {}

    def count(self, roll: Dice, play: str, times: int, given: float, best: str) -> None:
        """Count a play of this roll, made this many times."""
        tally = self.plays.setdefault(OpeningPlay(roll, play), OpeningTally())
        tally.times += times
        tally.given += given
        tally.best = best

    def rolls(self) -> list[tuple[Dice, list[tuple[str, OpeningTally]]]]:
        """Return the plays of each roll, most frequent first; the costliest roll comes first."""
        found: dict[Dice, list[tuple[str, OpeningTally]]] = {}
        for (roll, words), tally in self.plays.items():
            found.setdefault(roll, []).append((words, tally))
        for plays in found.values():
            plays.sort(key=lambda each: (-each[1].times, each[0]))
        return sorted(
            found.items(), key=lambda each: (-sum(tally.given for _, tally in each[1]), each[0])
        )
