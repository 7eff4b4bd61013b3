"""Lost equity in a collection: sums by kind of decision, and the worst errors."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sixprime.engine.analysis.phases import phase_of
from sixprime.engine.analysis.values import CubeError, Error, MatchAnalysis, TurnAnalysis, What

KIND_COLUMNS = {  # kind of error -> the begin of its columns in the table `figures`
    "opening": "opening", "play with contact": "contact", "race": "race", "bearoff": "bearoff",
    **{kind.value: kind.name.lower() for kind in CubeError}, "cube": "cube",
}  # fmt: skip


class Lost(NamedTuple):
    """An error of a match; `size` is EMG given away."""

    size: float
    match_id: int
    error: Error


@dataclass(slots=True)
class KindTally:
    errors: int = 0
    given: float = 0.0  # EMG


@dataclass(slots=True)
class LostEquity:
    """The sums of all errors, and the worst errors."""

    most: int
    kinds: dict[str, KindTally] = field(default_factory=dict)
    _worst: list[tuple[_Rank, Error]] = field(default_factory=list)

    def add(self, match_id: int, analysis: MatchAnalysis, seats: Iterable[int] = (0, 1)) -> None:
        wanted = set(seats)
        for error in analysis.errors():
            if error.seat not in wanted:
                continue
            turn = analysis.turn_of(error)
            tally = self.kinds.setdefault(kind_of(error, turn), KindTally())
            tally.errors += 1
            tally.given -= error.verdict.error
            self._remember(match_id, error)

    def _remember(self, match_id: int, error: Error) -> None:
        entry = (_rank(match_id, error), error)
        if len(self._worst) < self.most:
            heapq.heappush(self._worst, entry)
        elif self._worst and entry[0] > self._worst[0][0]:
            heapq.heapreplace(self._worst, entry)

    def by_kind(self) -> list[tuple[str, KindTally]]:
        """Return the kinds of errors, costliest first."""
        return sorted(self.kinds.items(), key=lambda each: (-each[1].given, each[0]))

    def worst(self) -> list[Lost]:
        ranked = sorted(self._worst, key=lambda entry: entry[0], reverse=True)
        return [Lost(-error.verdict.error, -rank[1], error) for rank, error in ranked]


_Rank = tuple[float, int, int, int, int]
_WHATS = sorted(What, key=lambda what: what.value)


def _rank(match_id: int, error: Error) -> _Rank:
    """Return the larger value for the worse error; each decision has its own."""
    return -error.verdict.error, -match_id, -error.game, -error.turn, -_WHATS.index(error.what)


def kind_of(error: Error, turn: TurnAnalysis) -> str:
    if error.what is not What.PLAY:
        kind = error.verdict.kind
        return "cube" if kind is None else kind.value
    return phase_of(turn.position, turn.action)
