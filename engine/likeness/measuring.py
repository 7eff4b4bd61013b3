"""The likeness of a level and people, beside noise of the same mean loss.

The noise is Gaussian and independent for each choice; its width is fitted for plays and for cubes
of each band of PR. It is measured on a sample, people and level on every decision.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.phases import PHASES
from sixprime.engine.likeness.decisions import (
    ANSWER,
    CUBE_KINDS,
    DOUBLE,
    PLAY,
    Floats,
    HumanDecision,
)

BLUNDER = 0.08  # EMG
OVER = (0.005, 0.01, 0.02, 0.04, BLUNDER, 0.16, 0.32)  # EMG, for the picture
BANDS = (3.0, 5.0, 8.0, 14.0)  # PR at which the next band begins
BAND_NAMES = ("PR below 3", "PR 3 to 5", "PR 5 to 8", "PR 8 to 14", "PR above 14")
CHOOSERS = ("people", "level", "noise")
LEAST_CHANCE = 1e-6  # less likely choices count as this
SAMPLE = 500  # decisions of a kind and a band
_NODES = np.linspace(-5.0, 7.0, 61)  # widths above the best choice
_HALVINGS = 14


class LikenessCell(NamedTuple):
    """The sort of decisions that are counted together."""

    what: str
    kind: str
    band: int


class Likeness:
    """Sums over decisions."""

    def __init__(self) -> None:
        self._sums: dict[LikenessCell, Floats] = {}  # [people and level, measures]
        self._counts: dict[LikenessCell, int] = {}
        self._samples: dict[LikenessCell, list[tuple[Floats, int]]] = {}
        self._random = random.Random(1)

    def add(self, decision: HumanDecision, chances: Floats) -> None:
        """Count a decision, with the level's chances of each choice."""
        band = int(np.searchsorted(BANDS, decision.pr, side="right"))
        cell = LikenessCell(decision.what, decision.kind, band)
        losses, made = decision.losses, decision.made
        people = np.zeros(len(losses))
        people[made] = 1.0
        sums = np.stack([_measured(people, losses, made), _measured(chances, losses, made)])
        self._sums[cell] = self._sums.get(cell, 0.0) + sums
        count = self._counts[cell] = self._counts.get(cell, 0) + 1
        sample = self._samples.setdefault(cell, [])
        if len(sample) < SAMPLE:
            sample.append((losses, made))
        elif (place := self._random.randrange(count)) < SAMPLE:
            sample[place] = losses, made

    def rows(self) -> list[dict[str, Any]]:
        """Return the figures by kind of decision, phase, kind of error and band of PR."""
        noise = self._noise()
        groups = [
            ("decision", "plays", [PLAY], None, None),
            *(("phase", phase, [PLAY], phase, None) for phase in PHASES),
            ("decision", "doubles", [DOUBLE], None, None),
            ("decision", "answers", [ANSWER], None, None),
            *(("cube", kind, [DOUBLE, ANSWER], kind, None) for kind in CUBE_KINDS),
            *(("plays by PR", name, [PLAY], None, i) for i, name in enumerate(BAND_NAMES)),
            *(("cube by PR", name, [DOUBLE, ANSWER], None, i) for i, name in enumerate(BAND_NAMES)),
        ]
        rows = []
        for group, name, what, kind, band in groups:
            cells = [
                cell
                for cell in self._sums
                if cell.what in what and kind in (None, cell.kind) and band in (None, cell.band)
            ]
            count = sum(self._counts[cell] for cell in cells)
            if count:
                whole = sum(np.vstack([self._sums[cell], noise[cell]]) for cell in cells)
                rows.append({"group": group, "name": name, **_figures(np.asarray(whole), count)})
        return rows

    def _noise(self) -> dict[LikenessCell, Floats]:
        """Return the sums for noise that loses as much as people do."""
        noise: dict[LikenessCell, Floats] = {}
        for is_play in (True, False):
            for band in range(len(BAND_NAMES)):
                cells = [
                    cell
                    for cell in self._sums
                    if cell.band == band and (cell.what == PLAY) is is_play
                ]
                wanted = sum(self._sums[cell][0, _LOSS] for cell in cells)
                low, high = 1e-4, 3.0
                for _ in range(_HALVINGS):
                    width = (low * high) ** 0.5
                    lost = sum(self._noisy(cell, width)[_LOSS] for cell in cells)
                    low, high = (width, high) if lost < wanted else (low, width)
                noise |= {cell: self._noisy(cell, high) for cell in cells}
        return noise

    def _noisy(self, cell: LikenessCell, width: float) -> Floats:
        sample = self._samples[cell]
        sums = sum(_measured(noisy_chances(losses, width), losses, made) for losses, made in sample)
        return np.asarray(sums) * self._counts[cell] / len(sample)


def noisy_chances(losses: Floats, width: float) -> Floats:
    """Return the chance that each choice looks best, if noise of this width disturbs them."""
    above = losses[:, np.newaxis] / width + _NODES
    below = np.log(np.maximum(_normal(above), 1e-300))
    density = np.exp(-(above**2) / 2 + below.sum(axis=0) - below)
    shares = density.sum(axis=1)
    return np.asarray(shares / shares.sum())


_PLACES = np.linspace(-9.0, 9.0, 3601)
_DENSITY = np.exp(-(_PLACES**2) / 2)
_BELOW = np.concatenate([[0.0], np.cumsum((_DENSITY[1:] + _DENSITY[:-1]) / 2)])
_BELOW /= _BELOW[-1]


def _normal(places: Floats) -> Floats:
    return np.asarray(np.interp(places, _PLACES, _BELOW))


# -- measures: nats, share of best choices, loss, shares of larger losses

_NATS, _BEST, _LOSS, _FIRST_OVER = range(4)


def _measured(chances: Floats, losses: Floats, made: int) -> Floats:
    return np.array([
        -np.log(max(chances[made], LEAST_CHANCE)),
        chances[losses == 0.0].sum(),
        chances @ losses,
        *(chances[losses > least].sum() for least in OVER),
    ])  # fmt: skip


def _figures(sums: NDArray[np.float64], count: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"decisions": count}
    for chooser, own in zip(CHOOSERS, sums / count, strict=True):
        over = dict(zip(map(str, OVER), own[_FIRST_OVER:].tolist(), strict=True))
        figures[chooser] = {
            **({} if chooser == CHOOSERS[0] else {"nats": float(own[_NATS])}),
            "best": float(own[_BEST]),
            "loss": float(own[_LOSS]),
            "errors": float(1 - own[_BEST]),
            "blunders": over[str(BLUNDER)],
            "over": over,
        }
    return figures
