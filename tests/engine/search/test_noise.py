"""Noise: unbiased, as wide as it says, and where it is deterministic a function of the position."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.levels import PRESETS, Level
from sixprime.engine.search.plies import Evaluation, Search
from tests.support.engine.brains import random_brain
from tests.support.engine.noise import NOISE, SHARES, contact, noise_on, terms
from tests.support.engine.reference import random_rolls
from tests.support.places import ROOT

SAMPLES = 4000


@pytest.mark.parametrize("seed", [0, 17], ids=["deterministic", "random"])
def test_noise_has_mean_0_the_deviation_it_says_and_the_shape_of_a_bell(seed: int) -> None:
    added = noise_on(contact(SAMPLES), terms(NOISE, seed))
    error = 1 / np.sqrt(SAMPLES)
    assert np.abs(added.mean(0)).max() < 4.5 * error
    assert np.abs(added.std(0) - 1).max() < 4.5 * error
    for within, share in ((0.6745, 0.5), (1.0, 0.6827), (2.0, 0.9545), (3.0, 0.9973)):
        found = (np.abs(added[:, [0, 1, 3]]) < within).mean(0)
        assert np.abs(found - share).max() < 4.5 * np.sqrt(share * (1 - share) / SAMPLES)


def test_the_five_numbers_are_disturbed_independently() -> None:
    correlations = np.corrcoef(noise_on(contact(SAMPLES), terms(NOISE)).T)
    assert np.abs(correlations - np.eye(5)).max() < 5 / np.sqrt(SAMPLES)


def test_neighbouring_positions_are_misjudged_independently() -> None:
    positions = contact(400)
    moved = []
    for position in positions:
        start = max(i for i in range(25) if position.mine[i])
        side = list(position.mine)
        side[start] -= 1
        side[max(start - 1, 0)] += 1
        moved.append(Position(tuple(side), position.theirs))
    pairs = np.array([noise_on(positions, terms(NOISE))[:, 0], noise_on(moved, terms(NOISE))[:, 0]])
    assert abs(np.corrcoef(pairs)[0, 1]) < 0.25


def test_random_noise_differs_from_call_to_call_and_follows_its_seed() -> None:
    position = [Position.start()] * 3
    once = noise_on(position, terms(NOISE, 5))
    assert len(np.unique(once[:, 0])) == 3
    assert (noise_on(position, terms(NOISE, 5)) == once).all()
    assert not (noise_on(position, terms(NOISE, 6)) == once).any()


NOISY = [level for level in PRESETS.values() if level.checker.noise > 0]


@pytest.mark.patient
@pytest.mark.parametrize("level", NOISY, ids=[level.name for level in NOISY])
def test_what_a_noisy_level_sees_is_right_on_average_and_off_by_what_it_says(level: Level) -> None:
    """Wins, gammons and backgammons of both sides, in plays and cubes, as it sees the positions."""
    search, count = Search(random_brain()), 2000
    positions = contact(count)
    for look in (level.checker, level.cube):
        seen = [
            np.array([search.see(each, MatchState(), view).outcomes for each in positions])
            for view in (look, replace(look, noise=0.0))
        ]
        off = (seen[0] - seen[1]) / (look.noise * SHARES)
        error = 1 / np.sqrt(count)
        assert np.abs(off.mean(0)).max() < 4.5 * error
        assert np.abs(off.std(0) - 1).max() < 4.5 * error
        following = np.corrcoef(np.hstack([off[:-1], off[1:]]).T)  # a position, and the next
        assert np.abs(following - np.eye(10)).max() < 4.5 * error


@pytest.mark.parametrize("level", NOISY, ids=[level.name for level in NOISY])
def test_a_noisy_level_misjudges_rival_plays_independently(level: Level) -> None:
    """And not in favour of the first, or of any: the best play is no better by its noise."""
    search, pairs = Search(random_brain()), []
    for position, dice in random_rolls(11, 900):
        if position.checkers == 15 and not position.is_over():
            plain = search.plays(position, MatchState(), dice, replace(level.checker, noise=0.0))
            noisy = {
                each.result: each.outcomes[0]
                for each in search.plays(position, MatchState(), dice, level.checker)
            }
            first = [noisy[each.result] - each.outcomes[0] for each in plain[:2]]
            if len(first) == 2 and all(0.3 < each.outcomes[0] < 0.7 for each in plain[:2]):
                pairs.append(first)
    off = np.array(pairs) / level.checker.noise
    error = 1 / np.sqrt(len(off))
    assert len(off) > 200
    assert np.abs(off.mean(0)).max() < 4.5 * error
    assert np.abs(np.corrcoef(off.T) - np.eye(2)).max() < 4.5 * error


SCRIPT = """
from tests.support.engine.noise import NOISE, contact, noise_on, terms
print(noise_on(contact(50), terms(NOISE)).tobytes().hex())
"""


def test_deterministic_noise_is_the_same_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            text=True,
            timeout=300,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert said == {noise_on(contact(50), terms(NOISE)).tobytes().hex()}


def test_deterministic_noise_of_the_opening_position_is_this_on_every_machine() -> None:
    (added,) = noise_on([Position.start()], terms(NOISE))
    assert added == pytest.approx(PINNED, abs=2e-3)


PINNED = [-0.5952, -0.3111, 1.6103, 0.8967, -0.2842]


def test_a_noisy_level_errs_alike_whenever_it_meets_a_position() -> None:
    brain = random_brain()
    look = Evaluation(noise=0.05)
    first, second = Search(brain, seed=1), Search(brain, seed=2)
    for position, dice in random_rolls(3, 20):
        if not position.is_over() and position.checkers == 15:
            match = MatchState()
            assert first.plays(position, match, dice, look) == second.plays(
                position, match, dice, look
            )


def test_random_noise_changes_the_choice_from_time_to_time() -> None:
    search = Search(random_brain(), seed=3)
    look = Evaluation(noise=0.2, deterministic=False)
    position = Position.start()
    best = {search.plays(position, MatchState(), (3, 1), look)[0].play for _ in range(30)}
    assert len(best) > 3


def test_noise_spares_finished_games() -> None:
    search = Search(random_brain())
    last = Position((1,) + (0,) * 24, (0, 1) + (0,) * 23)
    best = search.plays(last, MatchState(), (6, 5), Evaluation(noise=0.5))[0]
    assert best.outcomes[0] == 1
    assert best.equity == 1
