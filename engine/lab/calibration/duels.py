"""Matches and money games with the cube between our nets and gnubg, at any depth, without the luck.

They come in pairs: the same dice with the seats exchanged, for as long as the games stay the same.
A result is the first player's: points per money game (no Jacoby rule), or how far the chance of
winning a match is above one half. Luck is measured with our net at 0-ply, unbiased whoever plays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.blocks import play_blocks
from sixprime.engine.lab.calibration.matches import LevelMatch, LevelTurn, MatchTally, index_of
from sixprime.engine.lab.measuring.pairs import PairTally, TallySeries
from sixprime.engine.lab.measuring.peers import GnubgPeer, PeerError, brain_of, parts
from sixprime.engine.nets import weights
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import CubeDecision, judged
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.plies import Evaluation, Search

Board = NDArray[np.int8]


class CubefulSeat(Protocol):
    """A player with the cube; boards are int8[2, 25] as the player on roll of `match` sees them."""

    def doubles(self, board: Board, match: MatchState) -> bool: ...

    def takes(self, board: Board, match: MatchState) -> bool: ...

    def after(self, board: Board, match: MatchState, dice: tuple[int, int]) -> Board: ...

    def close(self) -> None:
        """Free what it holds."""
        ...


class OurSeat:
    """A net of ours at a search depth."""

    def __init__(self, brain: Brain, plies: int) -> None:
        self.brain = brain
        self._search = Search(brain)
        self._look = Evaluation(plies)

    def doubles(self, board: Board, match: MatchState) -> bool:
        return self._verdict(board, match).double

    def takes(self, board: Board, match: MatchState) -> bool:
        return self._verdict(board, match).take

    def after(self, board: Board, match: MatchState, dice: tuple[int, int]) -> Board:
        ranked = self._search.plays(Position.from_array(board), match, dice, self._look)
        return ranked[0].result.array()

    def _verdict(self, board: Board, match: MatchState) -> CubeDecision:
        seen = self._search.see(Position.from_array(board), match, self._look)
        return judged(seen.no_double, seen.double_take, match)

    def close(self) -> None:
        """Nothing is held."""


class Duel(LevelMatch):
    """Two such players about to play matches of one length; 0: single money games."""

    def __init__(self, brain: Brain, seats: tuple[CubefulSeat, CubefulSeat], length: int) -> None:
        super().__init__(brain, (PRESETS["expert"], PRESETS["expert"]), length)
        self._seats = seats

    def result(self, seed: int, number: int) -> tuple[float, float]:
        """Seat 0's result, plain and with the luck taken out."""
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


class DuelSeries(TallySeries[PairTally]):
    """The tally of each pair, by its number."""

    what = "series of duels"
    tallied = PairTally


class DuelRoom:
    """Plays pairs between two players."""

    def __init__(self, terms: DuelTerms) -> None:
        self._seed = terms.seed
        self._held: list[CubefulSeat] = []
        try:
            self._held += map(seat, (terms.first, terms.second))
        except BaseException:
            self.close()
            raise
        first, second = self._held
        ours = [each.brain for each in self._held if isinstance(each, OurSeat)]
        brain = ours[0] if ours else weights.load_brain()
        self._duels = [
            Duel(brain, seats, terms.length) for seats in ((first, second), (second, first))
        ]

    def play(self, number: int) -> PairTally:
        one, other = (duel.result(self._seed, number) for duel in self._duels)
        plain, fair = ((a - b) / 2 for a, b in zip(one, other, strict=True))
        return PairTally(1, plain, plain**2, fair, fair**2)

    def close(self) -> None:
        for each in self._held:
            each.close()


def seat(name: str) -> CubefulSeat:
    """A player by name: ours, ours:FILE.npz or gnubg; a last `:N`: N plies."""
    kind, rest, plies = parts(name)
    if kind == "gnubg":
        return GnubgPeer(plies, cubeful=True)
    if kind != "ours":
        raise PeerError(f"{name} has no opinion about cubes")
    return OurSeat(brain_of(kind, rest), plies)


def play_duels(
    terms: DuelTerms,
    pairs: int,
    series: DuelSeries,
    processes: int = 1,
    report: Callable[[DuelSeries], None] = lambda _: None,
) -> None:
    """Play the pairs that a series lacks; `report` is called after each."""
    missing = [number for number in range(pairs) if number not in series.blocks]
    for number, tally in play_blocks(partial(DuelRoom, terms), missing, processes):
        series.add(number, tally)
        report(series)
