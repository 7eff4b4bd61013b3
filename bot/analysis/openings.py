"""Statistics of openings: the plays of each first roll, and their costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.position import Dice
from sixprime.protocols.formats.notation import format_play


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

    def add(self, analysis: MatchAnalysis, seats: Iterable[int] = (0, 1)) -> None:
        """Count the first play of each game, if one of these seats made it."""
        wanted = set(seats)
        for game in analysis.games:
            first = next((turn for turn in game.turns if turn.dice is not None), None)
            if first is None or first.seat not in wanted or first.move is None:
                continue
            if first.action != 0 or first.dice is None:
                continue  # a game that was joined later, or begins with a board
            high, low = max(first.dice), min(first.dice)
            words = format_play(first.position, first.move.played)
            tally = self.plays.setdefault(OpeningPlay((high, low), words), OpeningTally())
            tally.times += 1
            tally.given -= first.move.verdict.error
            best = first.move.best
            tally.best = "" if best is None else format_play(first.position, best.play)

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
