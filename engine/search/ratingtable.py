"""The measured table of noises and their ratings, for each match length.

Errors per decision were measured for some noises at some lengths. The table interpolates between
noises in the logarithms of both, and between lengths in 1/n. A relation turns errors into a loss of
rating, counted from `reference`, the rating of expert, the level without noise. So a rating means
the same at every match length.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sixprime.engine.search.levels import Level, noisy, preset
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import read_whole

if TYPE_CHECKING:
    from sixprime.engine.search.levels import Target

VERSION = 1
USUAL_LENGTH = 5  # where no match length is given
LONGEST = 11  # the longest measured match; longer ones use it
USUAL_REFERENCE = 2000.0  # expert's rating, if there is no table
EXACT = 1e-5  # of noise
BENT = 1000.0  # loss of rating that a bend raises by 1 + b


class BadRating(InputError):
    """No noise gives a rating, or the file has no measured ratings; the text is one line."""


class Relation(NamedTuple):
    """Rating lost per EMG of error: c + d/n in a match of n points, except a one-point match.

    A small loss is proportional to the errors. A bend of b raises a loss of 1000 to 1000 (1 + b);
    the addition grows with the third power of the loss.
    """

    play: float
    play_short: float
    cube: float
    cube_short: float
    one_point: float  # for plays in a one-point match
    bend: float = 0.0
    one_point_bend: float = 0.0

    def loss(self, length: int, epm: float, epc: float) -> float:
        """Return the cost of these errors in rating."""
        return self.bent(length, self.straight(length, epm, epc))

    def bent(self, length: int, straight: float) -> float:
        """Apply the bend to a linear loss of rating."""
        bend = self.one_point_bend if length == 1 else self.bend
        return straight * (1.0 + bend * (straight / BENT) ** 2)

    def straight(self, length: int, epm: float, epc: float) -> float:
        """Return the cost of these errors without the bend."""
        if length == 1:
            return self.one_point * epm
        play, cube = self.play + self.play_short / length, self.cube + self.cube_short / length
        return play * epm + cube * epc


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """Errors per decision by noise, at one match length."""

    noises: tuple[float, ...]  # rising, above 0
    errors: tuple[float, ...]

    def at(self, noise: float) -> float:
        """Return the EMG per decision; beyond the last noise, extend the last line."""
        if noise <= 0.0:
            return 0.0
        if len(self.noises) == 1:
            return self.errors[0] * noise / self.noises[0]
        above = next((i for i, known in enumerate(self.noises) if known >= noise), len(self.noises))
        i = min(max(above, 1), len(self.noises) - 1)
        left, right = self.noises[i - 1], self.noises[i]
        low, high = self.errors[i - 1], self.errors[i]
        power = math.log(high / low) / math.log(right / left)
        return low * float((noise / left) ** power)


@dataclass(frozen=True, slots=True)
class Ratings:
    """A measured table: error curves, their cost in rating, and the reference."""

    reference: float  # the rating of expert
    relation: Relation
    checker: dict[int, ErrorCurve]  # by length
    cube: dict[int, ErrorCurve]
    origin: dict[str, Any]
    pairs: list[dict[str, Any]]  # the measured matches

    @property
    def most_noise(self) -> float:
        """The largest noise that was measured."""
        return min(curve.noises[-1] for curve in self.checker.values())

    def rating(self, length: int, noise: float, cube_noise: float | None = None) -> float:
        """Return the rating of 0-ply with these noises."""
        length = min(length, LONGEST)
        cube = noise if cube_noise is None else cube_noise
        epm = _between(self.checker, length, noise)
        epc = _between(self.cube, length, cube) if length > 1 and self.cube else 0.0
        return self.reference - self.relation.loss(length, epm, epc)

    def rating_of(self, level: Level, length: int = USUAL_LENGTH) -> float | None:
        """Return the rating of a level; None if no such level was measured."""
        if level.person is not None or level.cube_person is not None:
            return None
        checker, cube = level.checker, level.cube
        plain = all(evaluation.plies == 0 and evaluation.cubeful for evaluation in (checker, cube))
        if not plain or max(checker.noise, cube.noise) > self.most_noise:
            return None
        return self.rating(length, checker.noise, cube.noise)

    def range(self, length: int, cube_noise: float | None = None) -> tuple[float, float]:
        """Return the lowest and the highest whole rating of any noise."""
        least = self.rating(length, self.most_noise, cube_noise)
        return float(math.ceil(least)), float(math.floor(self.rating(length, 0.0, cube_noise)))

    def reach(self, cube_noise: float | None = None) -> tuple[float, float]:
        """Return the range that all lengths have in common."""
        ranges = [self.range(length, cube_noise) for length in range(1, LONGEST + 1)]
        return max(least for least, _ in ranges), min(most for _, most in ranges)

    def check(self, rating: float, cube_noise: float | None = None) -> None:
        """Raise BadRating unless some noise has this rating at every match length."""
        least, most = self.reach(cube_noise)
        if not least <= rating <= most:
            reach = f"from {least:.0f} to {most:.0f} can be played at"
            raise BadRating(f"{rating:g} is out of range, {reach}")

    def noise(self, rating: float, length: int, cube_noise: float | None = None) -> float:
        """Return the noise for this rating; by default cube decisions get the same noise."""
        least, most = self.range(length, cube_noise)
        if not least <= rating <= most:
            raise BadRating(
                f"ratings from {least:.0f} to {most:.0f} can be had in matches of {length}, "
                f"not {rating:g}"
            )
        low, high = 0.0, self.most_noise
        while high - low > EXACT:
            middle = (low + high) / 2
            if self.rating(length, middle, cube_noise) > rating:
                low = middle
            else:
                high = middle
        return round(high, 5) if rating < self.rating(length, 0.0, cube_noise) else 0.0

    def level(self, rating: float, length: int = USUAL_LENGTH) -> Level:
        """Return a level of this rating in matches of this length."""
        return noisy(f"about {rating:g}", self.noise(rating, length))

    def resolved(
        self, level: Level, target: Target, length: int, opponent: float | None = None
    ) -> Level:
        """Return the level with the noise for its target, or for the nearest possible rating.

        `opponent` is the opponent's rating; None if unknown.
        """
        length = length or USUAL_LENGTH
        cube_noise = target.cube_noise
        least, most = self.range(length, cube_noise)
        noise = self.noise(min(max(target.wanted(opponent), least), most), length, cube_noise)
        cube = noise if cube_noise is None else cube_noise
        return replace(
            level, checker=replace(level.checker, noise=noise), cube=replace(level.cube, noise=cube)
        )


def _between(curves: dict[int, ErrorCurve], length: int, noise: float) -> float:
    """Return the errors at any length, interpolated in 1/n if it was not measured."""
    if length in curves:
        return curves[length].at(noise)
    shorter = max((n for n in curves if n < length), default=min(curves))
    longer = min((n for n in curves if n > length), default=max(curves))
    if shorter == longer:
        return curves[shorter].at(noise)
    share = (1 / shorter - 1 / length) / (1 / shorter - 1 / longer)
    return (1 - share) * curves[shorter].at(noise) + share * curves[longer].at(noise)


def read_ratings(path: Path) -> Ratings:
    """Read the table of a file; BadRating says what is wrong."""
    try:
        tree = json.loads(read_whole(path))
        if tree["version"] != VERSION:
            raise BadRating(f"{path}: version {tree['version']}, this program reads {VERSION}")
        ratings = Ratings(
            float(tree["reference"]["rating"]),
            Relation(**tree["relation"]["used"]),
            {int(length): _curve(nodes) for length, nodes in tree["checker"].items()},
            {int(length): _curve(nodes) for length, nodes in tree["cube"].items()},
            tree["origin"],
            tree["pairs"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadRating):
            raise
        why = getattr(error, "strerror", None) or "not a table of measured ratings"
        raise BadRating(f"{path}: {why}") from error
    if not ratings.checker:
        raise BadRating(f"{path}: no errors were measured")
    return ratings


def _curve(nodes: Sequence[dict[str, float]]) -> ErrorCurve:
    noises = tuple(float(node["noise"]) for node in nodes)
    errors = tuple(float(node["error"]) for node in nodes)
    rising = all(a < b for curve in (noises, errors) for a, b in pairwise(curve))
    if not noises or noises[0] <= 0.0 or errors[0] <= 0.0 or not rising:
        raise BadRating("noises and errors have to rise from above 0")
    return ErrorCurve(noises, errors)


def shipped() -> Path:
    return Path(str(resources.files("sixprime.engine.data"))) / "calibration" / "levels.json"


@lru_cache(maxsize=1)
def shipped_ratings() -> Ratings:
    """Return the table that ships, read once."""
    return read_ratings(shipped())


def level_of(wanted: Level | str | float) -> Level:
    """Return the level of a name or of a rating such as 1650; ValueError lists the choices."""
    if isinstance(wanted, Level):
        return wanted
    if isinstance(wanted, str) and not wanted.isdecimal():
        return preset(wanted)
    if isinstance(wanted, bool) or not isinstance(wanted, str | float | int):
        raise TypeError(f"level {f'{wanted!r}'[:40]}: a name, a rating or a Level is needed")
    shipped_ratings().check(float(wanted))
    return shipped_ratings().level(float(wanted))
