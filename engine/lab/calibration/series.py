"""Many matches between many pairs of levels, kept on disk block by block.

A block is a few matches of one pair at one length; it depends on nothing but these, the seed and
its number, so blocks can be played by several processes, in any order, and on another day.

A player is named by a preset, by the noise of a 0-ply look, by two such numbers for plays and cube
decisions (`0.04/0`), or by a rating to play at (`@1500`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.calibration.matches import Rate, Table, Tally
from sixprime.engine.search.levels import PRESETS, Level, noisy, preset
from sixprime.engine.wholefiles import write_json

BLOCK = 10  # matches


class Pair(NamedTuple):
    """Two players and the length of their matches."""

    length: int
    first: str
    second: str

    @property
    def key(self) -> str:
        """For the file."""
        return f"{self.length} {self.first} {self.second}"


class BadState(ValueError):
    """The file is not the state of such a series; the text is one line."""


class BadPlayer(ValueError):
    """Nobody is called so; the text is one line."""


def player(name: str, length: int) -> Level:
    """The level that a name means in matches of a length."""
    if name in PRESETS:
        return PRESETS[name]
    if name.startswith("@"):
        from sixprime.engine.search import ratingtable as table

        try:
            return table.load().level(float(name[1:]), length)
        except ValueError as error:
            raise BadPlayer(f"{name}: {error}") from error
    try:
        noises = [float(part) for part in name.split("/")]
    except ValueError:
        return preset(name)  # raises, and names the nearest
    if len(noises) > 2 or not all(0.0 <= noise <= 1.0 for noise in noises):
        raise BadPlayer(f"{name}: one noise or two, each from 0 to 1")
    return noisy(name, noises[0], noises[-1])


class Series:
    """The blocks played so far, kept in a file (None: nowhere) after each."""

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        """`about` says what is the same for all; a file about something else is BadState."""
        self.path = path
        self.about = about
        self.blocks: dict[str, dict[int, Tally]] = {}
        if path is not None and path.exists():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                for key, blocks in found["blocks"].items():
                    self.blocks[key] = {int(i): _tally(block) for i, block in blocks.items()}
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadState(f"{path}: not the state of a calibration ({error})") from error
            if found.get("about") != about:
                raise BadState(f"{path}: is about other matches: {json.dumps(found.get('about'))}")

    def missing(self, pairs: Sequence[Pair], matches: int) -> list[tuple[Pair, int]]:
        """The blocks still to play: the first of every pair, then the second, and so on."""
        return [
            (pair, number)
            for number in range(-(-matches // BLOCK))
            for pair in pairs
            if number not in self.blocks.get(pair.key, {})
        ]

    def add(self, pair: Pair, number: int, tally: Tally) -> None:
        """One more block, safe on disk before this returns."""
        self.blocks.setdefault(pair.key, {})[number] = tally
        if self.path is None:
            return
        known = {
            key: {str(number): asdict(blocks[number]) for number in sorted(blocks)}
            for key, blocks in sorted(self.blocks.items())
        }
        write_json(self.path, {"about": self.about, "blocks": known})

    def tally(self, pair: Pair) -> Tally:
        """All blocks of a pair together, summed in the order of their numbers."""
        whole = Tally()
        blocks = self.blocks.get(pair.key, {})
        for number in sorted(blocks):
            whole.add(blocks[number])
        return whole


def play_block(brain: Brain, pair: Pair, seed: int, number: int) -> Tally:
    """The matches of one block."""
    levels = player(pair.first, pair.length), player(pair.second, pair.length)
    table = Table(brain, levels, pair.length)
    own = zlib.crc32(f"{seed} {pair.key}".encode())
    whole = Tally()
    for match in range(BLOCK * number, BLOCK * (number + 1)):
        whole.add(table.play(own, match))
    return whole


def play_series(
    series: Series,
    pairs: Sequence[Pair],
    matches: int,
    *,
    brain: Callable[[], Brain],
    processes: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Play what is missing, in processes of their own if there are several.

    `brain` makes the nets, once a process; `report` is called with blocks done and in all.
    """
    for pair in pairs:
        player(pair.first, pair.length), player(pair.second, pair.length)  # fail early
    missing = series.missing(pairs, matches)
    seed = int(series.about["seed"])
    report(0, len(missing))
    for done, (pair, number, tally) in enumerate(_played(missing, seed, brain, processes), 1):
        series.add(pair, number, tally)
        report(done, len(missing))


def _played(
    missing: list[tuple[Pair, int]], seed: int, brain: Callable[[], Brain], processes: int
) -> Iterator[tuple[Pair, int, Tally]]:
    if processes == 1 or len(missing) < 2:
        nets = brain()
        for pair, number in missing:
            yield pair, number, play_block(nets, pair, seed, number)
        return
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    with context.Pool(min(processes, len(missing)), _sit_down, (brain, seed)) as pool:
        yield from pool.imap_unordered(_play_one, missing)


_seat: list[tuple[Brain, int]] = []  # of a worker process


def _sit_down(brain: Callable[[], Brain], seed: int) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    _seat.append((brain(), seed))


def _play_one(block: tuple[Pair, int]) -> tuple[Pair, int, Tally]:
    brain, seed = _seat[0]
    return *block, play_block(brain, block[0], seed, block[1])


def _tally(block: dict[str, Any]) -> Tally:
    rates = {name: [Rate(**rate) for rate in block[name]] for name in ("checker", "cube")}
    return Tally(**{**block, **rates})
