"""New nets take the place of old ones only if they gain, and are worse in no family."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.lab.measuring import promotion
from sixprime.engine.lab.measuring.chances import FAMILIES, Sample
from sixprime.engine.lab.measuring.games import GameTally
from sixprime.engine.lab.measuring.promotion import Promotion


def games(mean: float, pairs: int = 2000, seed: int = 1) -> GameTally:
    gains = np.random.default_rng(seed).normal(mean, 0.1, pairs)
    return GameTally(
        pairs, adjusted_total=float(gains.sum()), adjusted_squares=float((gains**2).sum())
    )


@pytest.mark.parametrize(("mean", "wanted"), [(0.02, True), (-0.02, False), (0.002, None)])
def test_a_clear_gain_is_decided_and_a_close_one_stays_open(
    mean: float, wanted: bool | None
) -> None:
    assert promotion.decided(games(mean), Promotion()) is wanted


def test_nothing_is_decided_by_a_few_games() -> None:
    assert promotion.decided(games(0.5, pairs=promotion.LEAST - 1), Promotion()) is None


@pytest.mark.parametrize(("mean", "wanted"), [(0.0, False), (0.03, True)])
def test_the_risk_is_what_was_asked_for(mean: float, wanted: bool) -> None:
    """Series look after every ten pairs; at most about one in twenty may end wrongly."""
    terms = Promotion(gain=0.03)
    wrong = 0
    draws = np.random.default_rng(7)
    for _ in range(400):
        tally = GameTally()
        while (found := promotion.decided(tally, terms)) is None:
            gains = draws.normal(mean, 0.3, 100)
            tally.add(
                GameTally(
                    100, adjusted_total=float(gains.sum()), adjusted_squares=float((gains**2).sum())
                )
            )
        wrong += found is not wanted
    assert wrong <= 30


def test_a_family_is_worse_only_if_that_is_certain() -> None:
    count = 60
    kinds = np.repeat(np.arange(2, dtype=np.int8), count)
    true = np.full((2 * count, 5), 0.5, np.float32)
    boards = np.zeros((2 * count, 2, 25), np.int8)
    sample = Sample(boards, kinds, true, 0 * true, true, 0 * true, "{}")
    draws = np.random.default_rng(3)
    old = true + draws.normal(0, 0.02, true.shape).astype(np.float32)
    new = true + draws.normal(0, 0.02, true.shape).astype(np.float32)
    new[count:] += np.float32(0.05)
    first, second = list(FAMILIES)[:2]
    families = promotion.further_off(old, new, sample)
    assert list(families) == [first, second]
    assert promotion.worse(families) == [second]
    assert promotion.worse(promotion.further_off(new, old, sample)) == []


@pytest.mark.patient
def test_nets_are_not_promoted_over_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sixprime.engine.nets import weights

    words = ["strength", "promote", str(weights.shipped()), "--most", "400"]
    assert main([*words, "--resume", str(tmp_path / "games.json")]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["promote"], told["points_per_game"], told["worse_families"]) == (False, 0.0, [])
