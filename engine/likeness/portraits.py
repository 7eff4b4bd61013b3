"""The fit of a portrait: how one player differs from people of his PR.

A portrait is linear in the logits, so the fit is convex: Newton's steps, with a normal prior around
people of the same PR. Held-back matches choose the prior, so few matches move little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.likeness.decisions import DOUBLE, Floats, HumanDecision
from sixprime.engine.likeness.plays import HumanPlay
from sixprime.engine.people.choosing import TRAITS, Person, likings_of
from sixprime.engine.ratings import LEAST_PR, MOST_PR
from sixprime.engine.system.errors import Unavailable

LEAST_MATCHES = 10
FOLDS = 5
PRIORS = (6400.0, 1600.0, 400.0, 100.0)  # precisions of offsets, in deviations of the traits
CUBE_PRIORS = (300.0, 30.0)
RARE = 1e-3  # a play less likely than this counts only if it was made
_STEPS = 15
_CLOSE = 1e-5
_LEAST_CHANCE = 1e-9
_DEVIATIONS = 1.96  # of 95 %

Progress = Callable[[int, int], None]


class Gain(NamedTuple):
    """The gain of a portrait at held-back decisions."""

    decisions: int
    nats: float  # each
    half: float  # of the interval of 95 %


class Portrait(NamedTuple):
    """The offsets that distinguish a player, and what they are worth."""

    pr: float
    offsets: tuple[float, ...]
    matches: int
    plays: Gain
    cubes: Gain


class SeenPlays(NamedTuple):
    """Some plays, the rows of all their candidates one after the other."""

    shares: Floats  # log chances for people of the PR
    traits: NDArray[np.float32]  # [rows, TRAITS]
    starts: NDArray[np.intp]  # first row of each play
    made: NDArray[np.intp]  # its row


class Cubes(NamedTuple):
    """Some doubles or answers."""

    logits: Floats  # of doubling or passing, for people of the PR
    happened: Floats


class OffsetsJudged(NamedTuple):
    """The nats of decisions with some offsets, and the slopes: first and second."""

    nats: float
    slope: Floats
    curve: Floats


class _Match(NamedTuple):
    plays: SeenPlays
    doubles: Cubes
    answers: Cubes


class PortraitLearner:
    """Collects a player's matches, and learns the portrait."""

    def __init__(self, pr: float) -> None:
        self.pr = min(max(pr, LEAST_PR), MOST_PR)
        self._matches: list[_Match] = []

    def add(self, decisions: Iterable[HumanDecision]) -> None:
        """Take the player's decisions of one match."""
        plays: list[HumanPlay] = []
        cubes: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        person = Person(self.pr)
        for decision in decisions:
            if isinstance(decision.spot, HumanPlay):
                plays.append(decision.spot)
            else:
                chance = float(decision.chances(person, person)[1])
                cubes[decision.what == DOUBLE].append((_logit(chance), float(decision.made)))
        doubles, answers = (
            Cubes(*np.array(cubes[is_double]).reshape(-1, 2).T) for is_double in (True, False)
        )
        self._matches.append(_Match(self._seen(plays), doubles, answers))

    def learned(self, progress: Progress = lambda done, total: None) -> Portrait:
        """Return the portrait from all matches; Unavailable if these are too few."""
        count = len(self._matches)
        if count < LEAST_MATCHES:
            raise Unavailable(
                f"{count} matches are too few for a portrait, it needs {LEAST_MATCHES}; "
                f"the level `pr {self.pr:.1f}` plays like people of that PR"
            )
        plays, gain = _learned(self._matches, _plays_offsets, _plays_gain, progress)
        cubes, cube_gain = _learned(self._matches, _cube_offsets, _cubes_gain)
        return Portrait(self.pr, (*plays.tolist(), *cubes.tolist()), count, gain, cube_gain)

    def _seen(self, plays: Sequence[HumanPlay]) -> SeenPlays:
        shares, traits, starts, made, rows = [], [], [], [], 0
        for play in plays:
            seen = likings_of(play.position, play.match, play.dice, play.candidates, self.pr)
            kept = np.flatnonzero(seen.shares > math.log(RARE))
            if play.made not in kept:
                kept = np.append(kept, play.made)
            shares.append(seen.shares[kept])
            traits.append(seen.traits[kept])
            starts.append(rows)
            made.append(rows + int(np.flatnonzero(kept == play.made)[0]))
            rows += len(kept)
        return SeenPlays(
            np.concatenate([*shares, np.empty(0)]),
            np.concatenate([*traits, np.empty((0, TRAITS), np.float32)]),
            np.array(starts, dtype=np.intp),
            np.array(made, dtype=np.intp),
        )


# -- held-back matches decide how far a player may differ from people of his PR


def _learned(
    matches: Sequence[_Match],
    offsets_of: Callable[[Sequence[_Match]], list[Floats]],
    gain_of: Callable[[_Match, Floats], tuple[int, float]],
    progress: Progress = lambda done, total: None,
) -> tuple[Floats, Gain]:
    """Return the offsets at the prior that guesses held-back matches best, and their gain."""
    counts = np.array([gain_of(match, np.zeros(0))[0] for match in matches])
    by_match: list[list[float]] = [[] for _ in matches]
    for fold in range(FOLDS):
        progress(fold, FOLDS + 1)
        tried = offsets_of([match for i, match in enumerate(matches) if i % FOLDS != fold])
        for i in range(fold, len(matches), FOLDS):
            by_match[i] = [gain_of(matches[i], offsets)[1] for offsets in tried]
    gains, folds = np.array(by_match), np.arange(len(matches)) % FOLDS
    held = np.empty(len(matches))
    for fold in range(FOLDS):  # with the prior that suits the other folds
        held[folds == fold] = gains[folds == fold][:, _surest(gains[folds != fold])]
    progress(FOLDS, FOLDS + 1)
    offsets = offsets_of(matches)[_surest(gains)]
    progress(FOLDS + 1, FOLDS + 1)
    return offsets, _gain(counts, held)


def _surest(gains: Floats) -> int:
    """Return the prior whose gain, less half its standard error, is highest."""
    return int(np.argmax(gains.sum(axis=0) - np.sqrt((gains**2).sum(axis=0)) / 2))


def _plays_offsets(matches: Sequence[_Match]) -> list[Floats]:
    return fit_plays(_joined([match.plays for match in matches]))


def _cube_offsets(matches: Sequence[_Match]) -> list[Floats]:
    doubles, answers = (
        fit_cubes(Cubes(*(np.concatenate(arrays) for arrays in zip(*some, strict=True))))
        for some in ([match.doubles for match in matches], [match.answers for match in matches])
    )
    return [np.concatenate(both) for both in zip(doubles, answers, strict=True)]


def _plays_gain(match: _Match, offsets: Floats) -> tuple[int, float]:
    """Return the number of plays, and the nats that offsets gain."""
    plays, gained = match.plays, 0.0
    if len(plays.made) and len(offsets):
        logits = plays.shares + plays.traits @ offsets
        before, after = (_chances(plays, each)[plays.made] for each in (plays.shares, logits))
        gained = float(np.log(np.maximum(after, _LEAST_CHANCE) / before).sum())
    return len(plays.made), gained


def _cubes_gain(match: _Match, offsets: Floats) -> tuple[int, float]:
    count = len(match.doubles.logits) + len(match.answers.logits)
    if not len(offsets):
        return count, 0.0
    both = ((match.doubles, offsets[:2]), (match.answers, offsets[2:]))
    return count, sum(_nats(cubes, np.zeros(2)) - _nats(cubes, own) for cubes, own in both)


# -- fits: no offsets, and the likeliest ones under priors that become weaker


def fit_plays(plays: SeenPlays, priors: Sequence[float] = PRIORS) -> list[Floats]:
    spread = np.float32(max(_spread(plays), 1e-3))
    traits = plays.traits / spread
    made = traits[plays.made].sum(axis=0, dtype=np.float64)

    def judge(offsets: Floats) -> OffsetsJudged:
        chances = _chances(plays, plays.shares + traits @ offsets)
        weighted = traits * chances[:, np.newaxis].astype(np.float32)
        means = np.add.reduceat(weighted, plays.starts, axis=0)
        nats = -np.log(np.maximum(chances[plays.made], 1e-300)).sum()
        slope = made - means.sum(axis=0, dtype=np.float64)
        return OffsetsJudged(
            nats, slope, (traits.T @ weighted - means.T @ means).astype(np.float64)
        )

    return [offsets / spread for offsets in _likeliest(judge, traits.shape[1], priors)]


def fit_cubes(cubes: Cubes, priors: Sequence[float] = CUBE_PRIORS) -> list[Floats]:
    """Return constant and slope of each prior."""
    seen = np.stack([np.ones_like(cubes.logits), cubes.logits], axis=1)

    def judge(offsets: Floats) -> OffsetsJudged:
        chances = 1 / (1 + np.exp(-(cubes.logits + seen @ offsets)))
        slope = seen.T @ (cubes.happened - chances)
        return OffsetsJudged(
            _nats(cubes, offsets), slope, (seen.T * (chances * (1 - chances))) @ seen
        )

    return _likeliest(judge, 2, priors)


def _likeliest(
    judge: Callable[[Floats], OffsetsJudged], size: int, priors: Sequence[float]
) -> list[Floats]:
    """Return the offsets of each prior, by Newton's steps that never go down."""
    offsets, found = np.zeros(size), [np.zeros(size)]
    now = judge(offsets)
    for prior in priors:
        for _ in range(_STEPS):
            curve = now.curve + prior * np.eye(size)
            step = np.linalg.solve(curve, now.slope - prior * offsets)
            moved = judge(offsets + step)
            worth = now.nats + prior / 2 * offsets @ offsets + _CLOSE
            while moved.nats + prior / 2 * (offsets + step) @ (offsets + step) > worth:
                step /= 4
                moved = judge(offsets + step)
            offsets, now = offsets + step, moved
            if np.abs(step).max() < _CLOSE:
                break
        found.append(offsets)
    return found


def _joined(many: Sequence[SeenPlays]) -> SeenPlays:
    before = np.cumsum([0, *(len(plays.shares) for plays in many[:-1])])
    return SeenPlays(
        np.concatenate([plays.shares for plays in many]),
        np.concatenate([plays.traits for plays in many]),
        np.concatenate([plays.starts + rows for plays, rows in zip(many, before, strict=True)]),
        np.concatenate([plays.made + rows for plays, rows in zip(many, before, strict=True)]),
    )


def _chances(plays: SeenPlays, logits: Floats) -> Floats:
    sizes = np.diff([*plays.starts, len(logits)])
    likes = np.exp(logits - np.repeat(np.maximum.reduceat(logits, plays.starts), sizes))
    return np.asarray(likes / np.repeat(np.add.reduceat(likes, plays.starts), sizes))


def _spread(plays: SeenPlays) -> float:
    """Return how much the traits of a play's likely candidates differ, all traits alike."""
    chances = _chances(plays, plays.shares)[:, np.newaxis].astype(np.float32)
    means = np.add.reduceat(plays.traits * chances, plays.starts, axis=0)
    squares = float((plays.traits**2 * chances).sum(dtype=np.float64))
    differing = max(squares - float((means**2).sum(dtype=np.float64)), 0.0)
    return math.sqrt(differing / plays.traits.shape[1] / max(len(plays.made), 1))


def _nats(cubes: Cubes, offsets: Floats) -> float:
    logits = offsets[0] + (1 + offsets[1]) * cubes.logits
    return float(np.logaddexp(0, np.where(cubes.happened > 0, -logits, logits)).sum())


def _gain(counts: NDArray[np.intp], gained: Floats) -> Gain:
    """Return the mean over decisions; matches, not decisions, are independent."""
    total = max(int(counts.sum()), 1)
    mean = float(gained.sum()) / total
    error = math.sqrt(((gained - mean * counts) ** 2).sum()) / total
    return Gain(int(counts.sum()), mean, _DEVIATIONS * error)


def _logit(chance: float) -> float:
    chance = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return math.log(chance / (1 - chance))
