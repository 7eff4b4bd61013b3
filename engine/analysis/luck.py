"""The luck of a roll: its worth, played best, above the average of all rolls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.batches import Batches, Node, Nodes, at_once
from sixprime.engine.analysis.judging import cost_of
from sixprime.engine.position import Dice, MatchState, Position, Variant
from sixprime.engine.search.plies import ALL_ROLLS, Evaluation, Search

_WEIGHTS = ALL_ROLLS[:, 2] / ALL_ROLLS[:, 2].sum()
_DOUBLES = ALL_ROLLS[:, 0] == ALL_ROLLS[:, 1]
_STARTS = {Position.start(variant) for variant in Variant}


class Luck:
    """A meter of luck by a search, all of it as deep as `look`."""

    def __init__(self, search: Search, batches: Batches, look: Evaluation) -> None:
        self._search = search
        self._batches = batches
        self._look = look

    def worths(self, met: Sequence[Node], nodes: Nodes) -> Iterator[NDArray[np.float64]]:
        """Yield the worths of ALL_ROLLS at each node, played best: MWC, or points."""
        if at_once(self._look, met):
            return iter(self._batches.all_roll_worths(nodes, self._look))
        return (self._worths_of_rolls(*node) for node in met)

    def luck_of(
        self,
        position: Position,
        state: MatchState,
        dice: Dice,
        worths: NDArray[np.float64],
        *,
        opening: bool,
    ) -> tuple[float, float]:
        """Return the luck of a roll: EMG, and MWC or points; `worths` belong to its node."""
        high, low = max(dice), min(dice)
        came = worths[high * (high - 1) // 2 + low - 1]
        if opening and position in _STARTS and high != low:
            theirs = worths
            if state.length and state.score[0] != state.score[1]:
                other = 1 - state.on_roll
                met = [(position, state.with_(on_roll=other, to_act=other))]
                theirs = next(self.worths(met, self._batches.nodes(met)))
            turned = 1.0 - theirs if state.length else -theirs
            average = (worths[~_DOUBLES].mean() + turned[~_DOUBLES].mean()) / 2
        else:
            average = float(worths @ _WEIGHTS)
        cost = float(came - average)
        unit = cost_of(1.0, state)
        return (cost / unit if unit else 0.0), cost

    def _worths_of_rolls(self, position: Position, match: MatchState) -> NDArray[np.float64]:
        worths = np.zeros(len(ALL_ROLLS))
        for i, (high, low, _) in enumerate(ALL_ROLLS.tolist()):
            best = self._search.plays(position, match, (high, low), self._look)[0]
            worths[i] = match.cube * best.equity if best.mwc is None else best.mwc
        return worths
