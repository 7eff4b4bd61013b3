"""Hypergammon databases, built by averaging all pairs of sides until nothing changes any more."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff import hypergammon as kernel
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.system.wholefiles import written_whole

SMALLEST_CHANGE = 1e-5  # makehyper's last; its file depends on it
STEPS = 1000  # of progress
SAVE_EVERY_S = 30.0
PLAYS = {1: 4096, 2: 1 << 17, 3: 1 << 22}  # at most, of all sides, rolls and blocks
ALONE = 1000  # sides below which a row is not shared out to threads


def iterated(
    checkers: int, report: Callable[[int, int], None], threads: int, state: Path | None = None
) -> NDArray[np.uint8]:
    """Return the bytes of the file after its header: uint8[n, n, 28].

    A build that is killed goes on from the file `state`, which the last one removes.
    """
    count = math.comb(kernel.PLACES + checkers, checkers)
    sides = known_sides(checkers)
    plays = _plays(sides, checkers)
    gains = np.zeros((count, count, kernel.FIGURES), np.float32)
    words = np.zeros((count, count, kernel.ENTRY), np.uint8)
    kernel.fill_first(sides, checkers, gains, words)
    row = np.zeros((count, kernel.WORTH + 1), np.float32)
    shares = threads if count > ALONE else 1
    edges = [count * share // shares for share in range(shares + 1)]
    first, saved = _resumed(state, gains), time.monotonic()
    with ThreadPoolExecutor(shares) as pool:

        def prepare(share: int) -> None:
            part = edges[share], edges[share + 1]
            kernel.prepare_row(sides, plays, gains, mine, *part, row)

        while True:
            change = 0.0
            for mine in range(1, count):
                list(pool.map(prepare, range(shares))) if shares > 1 else prepare(0)
                change = max(change, kernel.finish_row(sides, plays, gains, mine, row, words))
            first = first or change
            done = math.log(first / max(change, SMALLEST_CHANGE))
            report(int(STEPS * done / math.log(first / SMALLEST_CHANGE)), STEPS)
            if change < SMALLEST_CHANGE:
                if state is not None:
                    state.unlink(missing_ok=True)
                return words
            if state is not None and time.monotonic() - saved >= SAVE_EVERY_S:
                _save(state, first, gains)
                saved = time.monotonic()


def _resumed(state: Path | None, gains: NDArray[np.float32]) -> float:
    """Fill in the gains of a killed build; return its first change, or 0 if there was none."""
    if state is None or not state.exists():
        return 0.0
    try:
        with state.open("rb") as file:
            first, before = float(np.load(file)), np.load(file)
    except (OSError, ValueError, EOFError):
        return 0.0
    if before.shape != gains.shape or before.dtype != gains.dtype:
        return 0.0
    gains[:] = before
    return first


def _save(state: Path, first: float, gains: NDArray[np.float32]) -> None:
    with contextlib.suppress(OSError), written_whole(state) as file:  # a full disk
        np.save(file, np.float64(first))
        np.save(file, gains)


def known_sides(checkers: int) -> kernel.Sides:
    """Return the kernels' facts about every side."""
    count = math.comb(kernel.PLACES + checkers, checkers)
    sides = kernel.Sides(
        np.zeros((count, kernel.PLACES), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, kernel.MOST), np.uint32),
        np.zeros((count, 1 << kernel.MOST), np.int32),
        np.zeros(count, np.uint32),
        np.zeros(count, np.uint32),
    )
    kernel.fill_sides(numbering.binomials(kernel.PLACES, checkers), checkers, sides)
    return sides


def _plays(sides: kernel.Sides, checkers: int) -> kernel.SidePlays:
    count = len(sides.counts)
    makes = np.zeros(PLAYS[checkers], np.int32)
    lands = np.zeros(PLAYS[checkers], np.uint32)
    starts, ends = np.zeros((2, count, kernel.PLACES, kernel.ROLLS), np.int32)
    plays = kernel.SidePlays(starts, ends, makes, lands)
    kernel.all_plays(sides, numbering.binomials(kernel.PLACES, checkers), plays, makes, lands)
    return plays
