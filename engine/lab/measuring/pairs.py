"""Results of games or matches played in pairs, with the same dice and the seats exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from sixprime.engine.lab.blocks import TALLIES, BlockSeries, Sums
from sixprime.engine.lab.measuring.mean import Mean


@dataclass(slots=True)
class PairTally(Sums):
    """Sums over pairs, of the mean result of both."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    adjusted_total: float = 0.0  # the same with the luck taken out
    adjusted_squares: float = 0.0

    def score(self) -> Mean:
        return Mean.of(self.pairs, self.total, self.squares)

    def adjusted(self) -> Mean:
        """The same with the luck taken out."""
        return Mean.of(self.pairs, self.adjusted_total, self.adjusted_squares)


Tally = TypeVar("Tally", bound=PairTally)


class TallySeries(BlockSeries[int, Tally]):
    """The tally of each block, by its number."""

    tallied: type[Tally]

    def packed(self) -> dict[str, Any]:
        return {str(number): TALLIES.plain(self.blocks[number]) for number in sorted(self.blocks)}

    def unpacked(self, tree: dict[str, Any]) -> dict[int, Tally]:
        return {int(number): TALLIES.value(self.tallied, tally) for number, tally in tree.items()}

    def tally(self) -> Tally:
        """All blocks together, summed in the order of their numbers."""
        whole = self.tallied()
        for number in sorted(self.blocks):
            whole.add(self.blocks[number])
        return whole
