"""Matches of two sessions that play by the state machine alone, on the sandbox's world."""

from __future__ import annotations

import random

import pytest

from sixprime.bot.sandbox.network.chaos import Rates
from sixprime.bot.sandbox.state.dialect import Dialect, made_up
from sixprime.bot.sandbox.state.ratings import RatedPlayer, change
from tests.support.bot.simulator import Simulator, play_match

pytestmark = pytest.mark.patient

STORM = Rates(cut=0.004, half_open=0.001, restart_s=300.0, lose=0.008, repeat=0.012, swap=0.01)
STORM_S = 3_600.0
BLOCK = 20
SLOW = pytest.mark.slow
STARTS = [0, BLOCK, *(pytest.param(n, marks=SLOW) for n in range(2 * BLOCK, 100, BLOCK))]


def length_of(seed: int) -> int | None:
    """Which match a seed stands for: mostly short ones, now and then an unlimited one."""
    return random.Random(seed).choice((1, 1, 2, 3, 3, 5, 7, None))


def check_agreement(simulator: Simulator, length: int | None) -> None:
    """Score, winner and ratings are the same for both players and for the server."""
    one, two = simulator.robots["alfa"], simulator.robots["bravo"]
    if length is None:
        assert simulator.finished == 0
        assert len(simulator.matches) == 1
        return
    assert simulator.finished == 1, simulator.seed
    assert not any(table.winner is None for table in simulator.matches.values())
    (won, score), (other_won, other_score) = one.results[0], two.results[0]
    assert len(one.results) == len(two.results) == 1
    assert won != other_won
    assert score == other_score[::-1]
    assert max(score) >= length
    check_ratings(simulator, length, 0 if won else 1)


def check_ratings(simulator: Simulator, length: int, winner: int) -> None:
    before = (RatedPlayer("alfa", 1500.0, 0), RatedPlayer("bravo", 1611.5, 123))
    gains = change(before, winner, length).gains
    for standing, gain in zip(before, gains, strict=True):
        account = simulator.accounts[standing.name]
        assert account.rating == pytest.approx(standing.rating + gain, abs=1e-9)
        assert account.experience == standing.experience + length
        session = simulator.robots[standing.name].session
        assert session.rating == pytest.approx(account.rating, abs=0.0051)
        assert session.experience == account.experience


def play_calmly(seed: int, dialect: Dialect | None = None) -> None:
    simulator, length = Simulator(seed, dialect=dialect), length_of(seed)
    play_match(simulator, length)
    check_agreement(simulator, length)
    for robot in simulator.robots.values():
        refused = [line for line in robot.refused if length is not None or "JOIN_WHO" not in line]
        assert not refused, f"seed {seed}: {robot.name} {refused}"  # one leaves, the other joins
        assert not robot.unknown_lines, f"seed {seed}: {robot.name}"


def play_in_a_storm(seed: int) -> None:
    simulator, length = Simulator(seed, STORM), length_of(seed)
    play_match(simulator, length, STORM_S)
    one, two = simulator.robots["alfa"], simulator.robots["bravo"]
    if length is None:
        assert len(simulator.matches) == 1, seed
        return
    assert simulator.finished == 1, seed
    assert not simulator.matches, seed
    winner = 0 if simulator.accounts["alfa"].rating > 1500.0 else 1
    check_ratings(simulator, length, winner)
    for robot, place in ((one, 0), (two, 1)):
        assert all(won == (winner == place) for won, _ in robot.results), seed


@pytest.mark.parametrize("start", STARTS)
def test_two_sessions_finish_their_matches_and_agree_about_everything(start: int) -> None:
    for seed in range(start, start + BLOCK):
        play_calmly(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 3_000, 100))
def test_two_sessions_finish_two_thousand_matches(start: int) -> None:
    for seed in range(start, start + 100):
        play_calmly(seed)


@pytest.mark.parametrize("start", STARTS)
def test_no_match_is_lost_or_stuck_in_a_storm(start: int) -> None:
    for seed in range(start, start + BLOCK):
        play_in_a_storm(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 3_000, 100))
def test_no_match_of_two_thousand_is_lost_or_stuck_in_a_storm(start: int) -> None:
    for seed in range(start, start + 100):
        play_in_a_storm(seed)


def test_the_same_seed_gives_the_same_evening() -> None:
    def evening() -> tuple[object, ...]:
        simulator = Simulator(7, STORM)
        play_match(simulator, 3, STORM_S)
        return (simulator.now, simulator.restarts, simulator.accounts["alfa"].rating)

    assert evening() == evening()


@pytest.mark.parametrize(
    "start", [*STARTS, *(pytest.param(n, marks=SLOW) for n in range(100, 400, BLOCK))]
)
def test_a_match_is_finished_whatever_the_dialect(start: int) -> None:
    for seed in range(start, start + BLOCK):
        simulator, length = Simulator(seed, dialect=made_up(seed)), length_of(seed)
        play_match(simulator, length)
        check_agreement(simulator, length)


def test_a_match_is_finished_although_commands_are_swallowed() -> None:
    for seed in range(5):
        simulator = Simulator(seed, dialect=Dialect(swallow_every=7))
        play_match(simulator, 1)
        assert simulator.finished == 1
