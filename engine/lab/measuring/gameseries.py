"""A series of games between two players, by block (engine.lab.blocks)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.blocks import play_blocks
from sixprime.engine.lab.measuring import differences, games
from sixprime.engine.lab.measuring.games import GameTally, GameTerms, block_sizes
from sixprime.engine.lab.measuring.pairs import TallySeries
from sixprime.engine.lab.measuring.peers import OurPlayer, player


class GameBlock(NamedTuple):
    number: int
    pairs: int


class GameSeries(TallySeries[GameTally]):
    """The tally of each block, by its number."""

    tallied = GameTally

    def missing(self, count: int, terms: GameTerms) -> list[GameBlock]:
        """The blocks of this many games that are still to be played."""
        wanted = map(GameBlock, *zip(*enumerate(block_sizes(count, terms)), strict=True))
        return [
            block
            for block in wanted
            if block.number not in self.blocks or self.blocks[block.number].pairs != block.pairs
        ]


def play_series(
    names: tuple[str, str],
    count: int,
    terms: GameTerms,
    series: GameSeries,
    *,
    reduce: bool = False,
    processes: int = 1,
    report: Callable[[GameSeries], None] = lambda _: None,
) -> None:
    """Play the missing blocks of a series, in several processes if asked.

    `names` as engine.lab.measuring.peers.player takes them; `report` is called after each block.
    """
    missing = series.missing(count, terms)
    for block, tally in play_blocks(partial(Opponents, names, terms, reduce), missing, processes):
        series.add(block.number, tally)
        report(series)


class Opponents:
    """Two players, ready to play blocks of games."""

    def __init__(self, names: tuple[str, str], terms: GameTerms, reduce: bool) -> None:
        self.terms = terms
        self.first = player(names[0], terms.one_point)
        try:
            self.second = player(names[1], terms.one_point)
        except BaseException:
            self.first.close()
            raise
        self.brain = self._brain() if reduce or terms.differences else None

    def _brain(self) -> Brain:
        ours = [each.brain for each in (self.first, self.second) if isinstance(each, OurPlayer)]
        if ours:
            return ours[0]
        from sixprime.engine.nets import weights

        return weights.load_brain()

    def play(self, block: GameBlock) -> GameTally:
        players = self.first, self.second, self.terms, *block
        if self.terms.differences:
            assert self.brain is not None
            return differences.play_block(*players, self.brain)
        return games.play_block(*players, self.brain)

    def close(self) -> None:
        self.first.close()
        self.second.close()
