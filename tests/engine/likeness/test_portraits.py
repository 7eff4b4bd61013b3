"""The fit of portraits, to players whose offsets are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.likeness.portraits import (
    LEAST_MATCHES,
    Cubes,
    PortraitLearner,
    SeenPlays,
    fit_cubes,
    fit_plays,
)
from sixprime.engine.system.errors import Unavailable
from tests.support.engine.people import gathered

OFFSETS = np.array([1.5, -1.0, 0.0, 0.5])


def plays(count: int, seed: int = 1) -> SeenPlays:
    """SeenPlays of somebody with these offsets."""
    draw, sizes = np.random.default_rng(seed), list[int]()
    shares, traits, made = [], [], []
    for _ in range(count):
        size = int(draw.integers(2, 6))
        own = draw.normal(0, 1, (size, len(OFFSETS)))
        logits = draw.normal(0, 1, size)
        likes = np.exp(logits + own @ OFFSETS)
        made.append(sum(sizes) + int(draw.choice(size, p=likes / likes.sum())))
        shares.append(logits - np.log(np.exp(logits).sum()))
        traits.append(own.astype(np.float32))
        sizes.append(size)
    starts = np.cumsum([0, *sizes[:-1]])
    return SeenPlays(np.concatenate(shares), np.concatenate(traits), starts, np.array(made))


def test_offsets_are_recovered_from_many_plays() -> None:
    np.testing.assert_allclose(fit_plays(plays(8_000), [1.0])[-1], OFFSETS, atol=0.12)


def test_few_plays_move_little() -> None:
    sizes = [
        np.abs(fit_plays(plays(count), [100.0])[-1]).sum() for count in (10, 100, 1_000, 10_000)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.25 * sizes[-1]


def test_the_fit_is_a_maximum() -> None:
    """No other offsets have a higher likelihood with the prior, by a slow count."""
    some = plays(200)

    def worth(offsets: NDArray[np.float64]) -> float:
        sums, ends = 0.0, [*some.starts[1:], len(some.shares)]
        for start, end, made in zip(some.starts, ends, some.made, strict=True):
            logits = some.shares[start:end] + some.traits[start:end] @ offsets
            sums += logits[made - start] - np.log(np.exp(logits).sum())
        return float(sums)

    best = fit_plays(some, [1e-6])[-1]
    for i in range(len(best)):
        for step in (-0.02, 0.02):
            moved = best.copy()
            moved[i] += step
            assert worth(moved) < worth(best)


def test_constant_and_slope_of_cubes_are_recovered() -> None:
    draw = np.random.default_rng(3)
    logits = draw.normal(-1, 2, 20_000)
    happened = draw.random(len(logits)) < 1 / (1 + np.exp(-(0.7 + 1.3 * logits)))
    offsets = fit_cubes(Cubes(logits, happened.astype(float)))[-1]
    np.testing.assert_allclose(offsets, [0.7, 0.3], atol=0.08)


def test_too_few_matches_are_refused_and_the_same_matches_give_the_same_portrait() -> None:
    decisions = [each for each in gathered() if each.player == gathered()[0].player][:40]
    learner = PortraitLearner(6.0)
    for _ in range(LEAST_MATCHES - 1):
        learner.add(decisions)
    with pytest.raises(Unavailable, match=r"9 matches are too few .* 10.*pr 6\.0"):
        learner.learned()
    learner.add(decisions)
    portrait = learner.learned()
    assert portrait.matches == LEAST_MATCHES
    assert portrait.plays.decisions + portrait.cubes.decisions == LEAST_MATCHES * len(decisions)
    assert portrait.plays.nats > 0, "the same plays again are easy to guess"
    other = PortraitLearner(6.0)
    for _ in range(LEAST_MATCHES):
        other.add(decisions)
    assert other.learned() == portrait
