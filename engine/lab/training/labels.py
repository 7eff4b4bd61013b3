"""Labels: the chances of gathered positions after a search of some plies.

A search costs milliseconds a position, so no label is made twice: a position that comes again is
left out, and a stopped run keeps the shards that it has finished.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.training.refine import Shard, read_shard
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.plies import Evaluation, Search
from sixprime.engine.system.wholefiles import written_whole

_FACTORS = np.random.default_rng(54).integers(1 << 63, size=50, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True, slots=True)
class Depth:
    """The depth of the search."""

    plies: int = 2


def keys_of(boards: NDArray[np.int8]) -> list[int]:
    """Return a 64-bit hash of each board."""
    flat = boards.reshape(len(boards), -1).astype(np.uint64)
    keys: list[int] = (flat * _FACTORS).sum(1, dtype=np.uint64).tolist()
    return keys


class Labelling(NamedTuple):
    """A shard of gathered positions, and the file for it with labels."""

    shard: Path
    labelled: Path


def fresh(jobs: Sequence[Labelling]) -> Iterator[tuple[Path, Shard]]:
    """Yield each file to write, and its positions that no file before it has."""
    known: set[int] = set()
    for job in jobs:
        shard = read_shard(job.shard)
        new = np.zeros(len(shard.boards), np.bool_)
        for place, key in enumerate(keys_of(shard.boards)):
            new[place] = key not in known
            known.add(key)
        boards, targets, groups = shard
        yield job.labelled, Shard(boards[new], targets[new], groups[new])


def searched(boards: NDArray[np.int8], brain: Brain, plies: int) -> NDArray[np.float32]:
    """Return the cubeless chances of the players on roll."""
    search, evaluation, money = Search(brain), Evaluation(plies=plies, cubeful=False), MatchState()
    chances = np.zeros((len(boards), 5), np.float32)
    for board, out in zip(boards.tolist(), chances, strict=True):
        position = Position(tuple(board[0]), tuple(board[1]))
        out[:] = search.see(position, money, evaluation).outcomes
    return chances


def label(
    jobs: Sequence[Labelling],
    brain: Brain,
    plies: int,
    threads: int,
    report: Callable[[dict[str, Any]], None],
) -> None:
    """Write the files that are missing."""

    def make(path: Path, shard: Shard) -> int:
        with written_whole(path) as file:
            targets = searched(shard.boards, brain, plies)
            np.savez_compressed(file, **shard._replace(targets=targets)._asdict())
        return len(shard.boards)

    began, made = time.monotonic(), 0
    with ThreadPoolExecutor(threads) as pool:
        coming: deque[Future[int]] = deque()
        for number, (path, shard) in enumerate(fresh(jobs), start=1):
            if not path.exists():
                coming.append(pool.submit(make, path, shard))
            while len(coming) > threads or (coming and number == len(jobs)):
                made += coming.popleft().result()
                hours = (time.monotonic() - began) / 3_600
                left = (len(jobs) - number + len(coming)) * len(shard.boards)
                report({"labels": made, "hours": hours, "hours_left": left * hours / max(made, 1)})
