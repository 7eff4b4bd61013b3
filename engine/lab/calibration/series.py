"""Many matches between many pairs of levels, kept on disk block by block.

A block (engine.lab.blocks) is a few matches of one pair at one length.

A player's name is a preset, the noise of a 0-ply level, two such numbers for plays and cube
decisions (`0.04/0`), a rating to play at (`@1500`), or people of a PR (`pr6`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab import LabError
from sixprime.engine.lab.blocks import TALLIES, BlockSeries, play_blocks
from sixprime.engine.lab.calibration.matches import LevelMatch, MatchTally
from sixprime.engine.ratings import pr_named
from sixprime.engine.search.levels import PRESETS, Level, noisy, preset

BLOCK = 10  # matches


class Pair(NamedTuple):
    """Two players and the length of their matches."""

    length: int
    first: str
    second: str

    @property
    def key(self) -> str:
        return f"{self.length} {self.first} {self.second}"

    @classmethod
    def parse(cls, key: str) -> Pair:
        length, first, second = key.split(" ")
        return cls(int(length), first, second)


class MatchBlock(NamedTuple):
    pair: Pair
    number: int


def player(name: str, length: int) -> Level:
    """Return the level of a player in matches of a length."""
    if name in PRESETS or pr_named(name) is not None:
        return preset(name)
    if name.startswith("@"):
        from sixprime.engine.search import ratingtable as table

        try:
            return table.shipped_ratings().level(float(name[1:]), length)
        except ValueError as error:
            raise LabError(f"{name}: {error}") from error
    try:
        noises = [float(part) for part in name.split("/")]
    except ValueError:
        return preset(name)  # raises, and names the nearest
    if len(noises) > 2 or not all(0.0 <= noise <= 1.0 for noise in noises):
        raise LabError(f"{name}: one noise or two, each from 0 to 1")
    return noisy(name, noises[0], noises[-1])


class MatchSeries(BlockSeries[MatchBlock, MatchTally]):
    """The tally of each block of each pair."""

    what = "calibration"
    games = "matches"
    tallied = MatchTally

    def blocks_to_json(self) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for pair, number in sorted(self.blocks, key=lambda block: (block.pair.key, block.number)):
            tally = TALLIES.plain(self.blocks[MatchBlock(pair, number)])
            tree.setdefault(pair.key, {})[str(number)] = tally
        return tree

    def blocks_from_json(self, tree: dict[str, Any]) -> dict[MatchBlock, MatchTally]:
        return {
            MatchBlock(Pair.parse(key), int(number)): tally
            for key, blocks in TALLIES.value(dict[str, dict[str, MatchTally]], tree).items()
            for number, tally in blocks.items()
        }

    def missing(self, pairs: Sequence[Pair], matches: int) -> list[MatchBlock]:
        """Return the blocks still to play: the first of every pair, then the second, and so on."""
        wanted = (
            MatchBlock(pair, number) for number in range(-(-matches // BLOCK)) for pair in pairs
        )
        return [block for block in wanted if block not in self.blocks]

    def pairs(self) -> list[Pair]:
        """Return all pairs that have met, in order."""
        return sorted({block.pair for block in self.blocks})

    def tally_of(self, pair: Pair) -> MatchTally:
        return self.tally(lambda block: block.pair == pair)


class MatchPlayers:
    """Players of blocks of any pair, given nets and a seed."""

    def __init__(self, brain: Callable[[], Brain], seed: int) -> None:
        """`brain` loads the nets, once a process."""
        self.brain = brain()
        self.seed = seed

    def play(self, block: MatchBlock) -> MatchTally:
        pair, number = block
        levels = player(pair.first, pair.length), player(pair.second, pair.length)
        table = LevelMatch(self.brain, levels, pair.length)
        own = zlib.crc32(f"{self.seed} {pair.key}".encode())
        whole = MatchTally()
        for match in range(BLOCK * number, BLOCK * (number + 1)):
            whole.add(table.play(own, match))
        return whole

    def release(self) -> None:
        """Nothing is held."""


def play_series(
    series: MatchSeries,
    pairs: Sequence[Pair],
    matches: int,
    *,
    brain: Callable[[], Brain],
    processes: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Play the missing blocks, in several processes if asked.

    `report` is called with the blocks done and all blocks.
    """
    for pair in pairs:
        player(pair.first, pair.length), player(pair.second, pair.length)  # fail early
    missing = series.missing(pairs, matches)
    ready = partial(MatchPlayers, brain, int(series.about["seed"]))
    report(0, len(missing))
    for done, (block, tally) in enumerate(play_blocks(ready, missing, processes), 1):
        series.add(block, tally)
        report(done, len(missing))
