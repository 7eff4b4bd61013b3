"""A rating table composed from matches: errors by noise, their cost, and all figures behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sixprime.engine.lab.calibration import ratings
from sixprime.engine.lab.calibration.matches import Rate
from sixprime.engine.lab.calibration.ratings import NORMAL_90, Fit, Interval, Measured
from sixprime.engine.lab.calibration.series import MatchSeries, Pair, player
from sixprime.engine.lab.tallies import NORMAL_95
from sixprime.engine.search.ratingtable import VERSION

DEGREE = 2  # of the curves
LEAST_DOUBT = 0.02  # share of an error rate: no curve is an exact parabola
FEWEST = 2  # noises of a curve
ENOUGH = 8  # points of a fit; with fewer the relation of gnubg's manual is used


def composed(series: MatchSeries, origin: dict[str, Any], reference: float) -> dict[str, Any]:
    """Return the table as JSON, all of it from the blocks of a series."""
    pairs = series.pairs()
    plain = [pair for pair in pairs if _is_plain(pair)]
    points = [ratings.point(series.tally_of(pair), pair.length) for pair in plain]
    fit = fitted(points)
    return {
        "version": VERSION,
        "origin": origin,
        "reference": {"level": "expert", "rating": reference},
        "relation": {
            "used": (fit.relation if fit else ratings.MANUAL)._asdict(),
            "manual": ratings.MANUAL._asdict(),
            "deviation": fit.deviations._asdict() if fit else None,
            "misfit_per_point": round(fit.per_point, 3) if fit else None,
            "points": len(points),
        },
        "checker": _curves(series, plain, cube=False),
        "cube": _curves(series, plain, cube=True),
        "pairs": [_row(series, pair, fit) for pair in pairs],
    }


def fitted(points: list[Measured]) -> Fit | None:
    """Fit a relation to the points; None if they are too few, or of one length only."""
    if len(points) < ENOUGH or len({point.length for point in points}) < 2:
        return None
    return ratings.fit(points)


def _is_plain(pair: Pair) -> bool:
    """Return whether both players play at 0-ply, as the judge does."""
    levels = (player(name, pair.length) for name in pair[1:])
    return all(level.checker.plies == level.cube.plies == 0 for level in levels)


def _curves(
    series: MatchSeries, pairs: Iterable[Pair], *, cube: bool
) -> dict[str, list[dict[str, float]]]:
    """Return errors per decision by length and noise, over all players with that noise."""
    rates: dict[int, dict[float, Rate]] = {}
    for pair in pairs:
        if cube and pair.length == 1:
            continue
        tally = series.tally_of(pair)
        for seat, name in enumerate(pair[1:]):
            level = player(name, pair.length)
            noise = (level.cube if cube else level.checker).noise
            if noise > 0.0 and not name.startswith("@"):
                known = rates.setdefault(pair.length, {})
                known.setdefault(noise, Rate()).add((tally.cube if cube else tally.checker)[seat])
    curves = {str(length): _smooth(rates[length]) for length in sorted(rates)}
    return {length: nodes for length, nodes in curves.items() if len(nodes) >= FEWEST}


def _smooth(rates: dict[float, Rate]) -> list[dict[str, float]]:
    """Smooth rates by noise with a parabola in both logarithms, as far as it rises."""
    known = sorted((noise, rate) for noise, rate in rates.items() if rate.error > 0.0)
    across = np.log([noise for noise, _ in known])
    errors = np.array([rate.mean for _, rate in known])
    doubts = np.array([max(rate.deviation, LEAST_DOUBT * rate.mean) for _, rate in known])
    smooth = errors
    if len(known) > DEGREE + 1:
        line = np.polynomial.Polynomial.fit(across, np.log(errors), DEGREE, w=errors / doubts)
        smooth = np.exp(line(across))
    nodes: list[dict[str, float]] = []
    for (noise, rate), error in zip(known, smooth, strict=True):
        if error > (nodes[-1]["error"] if nodes else 0.0):
            node = {
                "noise": noise, "error": float(error),
                "measured": rate.mean, "deviation": rate.deviation,
            }  # fmt: skip
            nodes.append({name: round(value, 6) for name, value in node.items()})
    return nodes


def _row(series: MatchSeries, pair: Pair, fit: Fit | None) -> dict[str, Any]:
    """Return a pair's results, next to the predictions of the relations."""
    tally = series.tally_of(pair)
    row: dict[str, Any] = {**pair._asdict(), "matches": tally.matches, "won": tally.won}
    score = ratings.adjusted(tally)
    row["adjusted"] = [_rounded(score.mean, 5), _rounded(score.error, 5)]
    row["rating_95"] = _ends(ratings.measured(tally, pair.length, NORMAL_95))
    row["rating_90"] = _ends(ratings.measured(tally, pair.length, NORMAL_90))
    if not _is_plain(pair):
        return row
    row["epm"] = [round(rate.mean, 6) for rate in tally.checker]
    row["epc"] = [round(rate.mean, 6) for rate in tally.cube]
    epd = [tally.all_decisions(seat).mean for seat in (0, 1)]
    row["epd"] = [round(error, 6) for error in epd]
    row["by_epd"] = round(ratings.MANUAL_EPD.loss(pair.length, epd[1] - epd[0], 0.0), 1)
    worse = [rates[1].mean - rates[0].mean for rates in (tally.checker, tally.cube)]
    row["by_manual"] = round(ratings.MANUAL.loss(pair.length, *worse), 1)
    if fit is not None:
        row["by_relation"] = round(fit.relation.loss(pair.length, *worse), 1)
    return row


def _ends(interval: Interval) -> list[float | None]:
    return [_rounded(value, 1) for value in interval]


def _rounded(value: float, digits: int) -> float | None:
    """Round a finite number; JSON knows no infinity."""
    return round(value, digits) if math.isfinite(value) else None
