"""A series of games between two players, by block (engine.lab.blocks)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sixprime.engine.lab.blocks import BlockSeries, play_blocks
from sixprime.engine.lab.measuring import differences, games
from sixprime.engine.lab.measuring.games import GameTally, GameTerms, block_sizes
from sixprime.engine.lab.measuring.peers import Opponents, player


class GameBlock(NamedTuple):
    number: int
    pairs: int


class GameSeries(BlockSeries[int, GameTally]):
    """The tally of each block, by its number."""

    tallied = GameTally

    def missing(self, count: int, terms: GameTerms) -> list[GameBlock]:
        """Return the blocks of this many games that are still to be played."""
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

    engine.lab.measuring.peers explains `names`; `report` is called after each block.
    """
    missing = series.missing(count, terms)
    ready = partial(GameOpponents, names, terms, reduce)
    for block, tally in play_blocks(ready, missing, processes):
        series.add(block.number, tally)
        report(series)


class GameOpponents(Opponents):
    """Two players, ready to play blocks of games."""

    def __init__(self, names: tuple[str, str], terms: GameTerms, reduce: bool) -> None:
        super().__init__(partial(player, one_point=terms.one_point), names)
        self.terms = terms
        self.judge = self.brain() if reduce or terms.differences else None

    def play(self, block: GameBlock) -> GameTally:
        players = self.first, self.second, self.terms, *block
        if self.terms.differences:
            assert self.judge is not None
            return differences.play_block(*players, self.judge)
        return games.play_block(*players, self.judge)
