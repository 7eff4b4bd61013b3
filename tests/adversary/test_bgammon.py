"""Whatever a server of bgammon.org's kind says, our session keeps its promises.

They are: one known word a line; few commands without progress; no seat asked for in a match; `ok`
ends our turn or takes a double, and never does one where the other was meant; and no busy waiting.
"""

from __future__ import annotations

import pytest

from sixprime.protocols.fibs.progress import Progress
from tests.support.bgammon import adversary
from tests.support.bgammon.adversary import Adversary

EXCHANGES, MANY_EXCHANGES = 2_500, 100_000
SEEDS = range(10)

pytestmark = pytest.mark.patient


def test_a_hostile_server_breaks_no_promise() -> None:
    run = Adversary(1, EXCHANGES).play()
    assert run.broken == []
    assert run.commands["move"] > 50  # it got deep
    assert run.seen["Garbled"] > 100


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", SEEDS)
def test_nor_does_it_in_the_long_run(seed: int) -> None:
    assert Adversary(seed, MANY_EXCHANGES).play().broken == []


def test_without_the_budget_it_finds_violations(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it can fail."""
    monkeypatch.setattr(Progress, "free_at", lambda *_, **__: float("-inf"))
    monkeypatch.setattr(adversary, "MOODS", (adversary.Mood(1, 1e6, refuse=1.0),))
    run = Adversary(1, 1_000).play()
    assert {promise for promise, _, _ in run.broken} >= {"budget"}


def test_it_sees_a_double_that_nobody_meant_to_take() -> None:
    run = Adversary(1, 1)
    run._table = {"DoubleOffered": True}
    run._judge_ok(confirms=True)
    run._table = {"DoubleOffered": False}
    run._judge_ok(confirms=False)
    assert [promise for promise, _, _ in run.broken] == ["ok", "ok"]
