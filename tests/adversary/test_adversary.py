"""Whatever a server says, the bot keeps its promises; see tests/adversary/__init__.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.protocols.fibs.progress import Progress
from tests.support.adversary.hostile import Hostile, LateJoins
from tests.support.adversary.judge import Judge
from tests.support.adversary.stage import MANNERS, Stage, Verdict
from tests.support.adversary.tape import FOLDER, hushed, played, read, tape_of

DICE_WITHIN_S = 30.0  # of an honest server
SEED, EXCHANGES, FEW_EXCHANGES = 1, 20_000, 4_000
SEEDS, MANY_EXCHANGES = range(10), 100_000
TAPES = sorted(FOLDER.glob("*.txt"))
DUMB = MANNERS + "chat: {answers: false}\n"
TAPE_S = 7_200.0

pytestmark = pytest.mark.patient


def check(judge: Judge) -> None:
    """All that is promised so far."""
    assert judge.violations == []


def against(seed: int, exchanges: int) -> Verdict:
    stage = Stage(lambda: Hostile(seed, exchanges), measure_every=exchanges // 10)
    verdict = stage.play()
    check(stage.judge)
    return verdict


def test_a_hostile_server_breaks_no_promise() -> None:
    verdict = against(SEED, EXCHANGES)
    assert verdict.exchanges >= EXCHANGES
    assert verdict.matches["MatchOver"] > 20  # it got deep
    assert verdict.commands["move"] > 500


def test_dice_are_played_however_late_lines_about_joining_come() -> None:
    stage = Stage(lambda: LateJoins(SEED, FEW_EXCHANGES // 2))
    stage.judge.dice_within_s = DICE_WITHIN_S
    verdict = stage.play()
    check(stage.judge)
    assert verdict.matches["MatchOver"] > 10
    assert sum(command == "join" for _, command in stage.heard) > 2  # between two games


def test_without_the_budget_it_finds_violations(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it can fail."""
    monkeypatch.setattr(Progress, "free_at", lambda *_, **__: float("-inf"))
    stage = Stage(lambda: Hostile(SEED, EXCHANGES // 2))
    stage.play()
    assert stage.judge.broken["budget"] > 10


def test_what_people_say_is_never_taken_for_the_server() -> None:
    """The bot says and archives the same, whether they speak like a server or not at all."""
    stage = Stage(lambda: Hostile(SEED, FEW_EXCHANGES), DUMB)
    stage.play()
    tape = tape_of(stage)
    quiet = hushed(tape)
    assert sum(one != other for one, other in zip(tape, quiet, strict=True)) > 100
    loud, still = (played(each, stage.verdict.seconds, DUMB) for each in (tape, quiet))
    assert len(loud.heard) > 300
    assert loud.heard == still.heard
    assert loud.verdict.matches == still.verdict.matches


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", SEEDS)
def test_nor_does_it_in_the_long_run(seed: int) -> None:
    verdict = against(seed, MANY_EXCHANGES)
    assert max(verdict.objects[5:]) < 2 * max(verdict.objects[:5])


@pytest.mark.parametrize("tape", TAPES, ids=lambda path: path.stem)
def test_what_it_found_once_stays_mended(tape: Path) -> None:
    check(played(read(tape), TAPE_S).judge)
