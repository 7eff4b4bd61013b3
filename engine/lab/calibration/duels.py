"""Matches and money games with the cube between our nets and gnubg, at any depth, without the luck.

They come in pairs: the same dice with the seats exchanged, for as long as the games stay the same.
A result is the first player's: points per money game (no Jacoby rule), or how far the chance of
winning a match is above one half. Our net at 0-ply measures the luck, unbiased against any player.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.blocks import BlockSeries, play_blocks
from sixprime.engine.lab.calibration.matches import LevelMatch, LevelTurn, MatchTally, index_of
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.measuring.peers import Opponents, cubeful_player
from sixprime.engine.lab.tallies import PairTally
from sixprime.engine.search.levels import PRESETS


class Duel(LevelMatch):
    """Two players about to play matches of one length; 0: single money games."""

    def __init__(self, brain: Brain, seats: tuple[Contestant, Contestant], length: int) -> None:
        super().__init__(brain, (PRESETS["expert"], PRESETS["expert"]), length)
        self._seats = seats

    def result(self, seed: int, number: int) -> tuple[float, float]:
        """Play a match and return seat 0's result, plain and with the luck taken out."""
        score, luck = self.to_the_end(seed, number, MatchTally())
        won = score[0] - score[1] if self._length == 0 else (score[0] > score[1]) - 0.5
        return float(won), won - luck

    def _doubles(self, turn: LevelTurn) -> bool:
        return self._seats[turn.mover].doubles(turn.board, turn.state())

    def _takes(self, turn: LevelTurn) -> bool:
        return self._seats[1 - turn.mover].takes(turn.board, turn.state())

    def _chosen(
        self, turn: LevelTurn, dice: tuple[int, int], results: NDArray[np.int8], best: int
    ) -> int:
        return index_of(results, self._seats[turn.mover].after(turn.board, turn.state(), dice))


class DuelTerms(NamedTuple):
    first: str
    second: str
    length: int
    seed: int


class DuelSeries(BlockSeries[int, PairTally]):
    """The tally of each pair, by its number."""

    what = "series of duels"
    tallied = PairTally


class DuelOpponents(Opponents):
    """Two players, ready to play pairs of matches."""

    def __init__(self, terms: DuelTerms) -> None:
        super().__init__(cubeful_player, (terms.first, terms.second))
        self._seed = terms.seed
        brain, first, second = self.brain(), self.first, self.second
        self._duels = [
            Duel(brain, seats, terms.length) for seats in ((first, second), (second, first))
        ]

    def play(self, number: int) -> PairTally:
        one, other = (duel.result(self._seed, number) for duel in self._duels)
        plain, fair = ((a - b) / 2 for a, b in zip(one, other, strict=True))
        return PairTally(1, plain, plain**2, fair, fair**2)


def play_duels(
    terms: DuelTerms,
    pairs: int,
    series: DuelSeries,
    processes: int = 1,
    report: Callable[[DuelSeries], None] = lambda _: None,
) -> None:
    """Play the pairs that a series lacks; `report` is called after each."""
    missing = [number for number in range(pairs) if number not in series.blocks]
    for number, tally in play_blocks(partial(DuelOpponents, terms), missing, processes):
        series.add(number, tally)
        report(series)
