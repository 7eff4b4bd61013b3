"""Servers with one answer for each command: neither a flood of commands, nor a false `healthy`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sixprime.bot.client import client
from tests.support.adversary.fixed import SPECIAL, Fixed, at_random
from tests.support.adversary.judge import AN_HOUR
from tests.support.adversary.stage import Stage

HOURS_S = 3 * 3_600.0
A_BATCH = 25
FEW, MANY = range(0, 50, A_BATCH), range(50, 2_200, A_BATCH)
STILL_S = 7_200.0  # without progress: nothing goes on
LOOK_S = 5.0

pytestmark = pytest.mark.patient


@pytest.fixture(autouse=True)
def _looks_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hours of looking around in the lobby are most of the work."""
    monkeypatch.setattr(client, "LOBBY_RECHECK_S", LOOK_S)


def faults(server: Fixed, name: object) -> Iterator[str]:
    stage = Stage(lambda: server)
    verdict = stage.play(HOURS_S)
    for each in stage.judge.violations[:2]:
        yield f"{name}: {each}"
    if verdict.most_an_hour > sum(AN_HOUR.values()):
        yield f"{name}: {verdict.most_an_hour} commands in an hour"
    still = verdict.seconds > stage.judge.speech.progress_at + STILL_S
    if verdict.healthy and still and not server.makes_sense:
        yield f"{name}: nothing goes on, and all is well"


@pytest.mark.parametrize("name", SPECIAL)
def test_a_special_one(name: str) -> None:
    assert list(faults(SPECIAL[name](), name)) == []


def test_a_match_whose_board_cannot_be_true_is_left_and_tried_again_after_minutes() -> None:
    """Boards that jIBS saves have a checker too many, and who sits at one plays nobody else."""
    stage = Stage(SPECIAL["a board that cannot be true"])
    stage.play(3_600.0)
    said = [command.partition(" ")[0] for _, command in stage.heard]
    assert 1 < said.count("join") <= 10  # after rests of 1, 2, 4, 8, 10, 10 ... minutes
    assert 1 < stage.verdict.logged["the server shows no board of our match, leaving"] <= 8


@pytest.mark.parametrize(
    "first", [*FEW, *(pytest.param(first, marks=pytest.mark.slow) for first in MANY)]
)
def test_any(first: int) -> None:
    seeds = range(first, first + A_BATCH)
    assert [fault for seed in seeds for fault in faults(at_random(seed), seed)] == []
