"""New nets take the place of old ones only if they gain, and are worse in no family."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.bot.cli.lab import duels
from sixprime.bot.cli.main import main
from sixprime.engine.lab.measuring import chances, decisions, promotion
from sixprime.engine.lab.measuring.benchmarksets import save_set
from sixprime.engine.lab.measuring.chances import FAMILIES, Sample
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.measuring.games import GameTally
from sixprime.engine.lab.measuring.promotion import Promotion
from sixprime.engine.lab.measuring.races import KINDS, RaceSet
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.nets import weights


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


def test_among_many_families_chance_makes_none_worse() -> None:
    """One of 36 looks worse by itself in more than half of the cases."""
    draws, blamed, alone = np.random.default_rng(5), 0, 0
    for _ in range(200):
        names = map(str, range(36))
        more = {name: Mean.of_values(draws.normal(size=100)) for name in names}
        blamed += bool(promotion.worse(more))
        alone += any(mean.interval[0] > 0 for mean in more.values())
    assert blamed <= 16
    assert alone >= 80


def some_races() -> RaceSet:
    """Four of the project's own race decisions, as if two were bearoffs with checkers outside."""
    shipped = decisions.load_benchmark()
    which = np.flatnonzero(shipped.kinds == decisions.PLAYED.index("race"))[:4]
    found = shipped.chosen(np.isin(np.arange(len(shipped.kinds)), which))
    kinds = np.array([0, 1, 0, 1], np.int8)
    return RaceSet(found._replace(kinds=kinds), found.boards, np.zeros((4, 5), np.float32))


def test_some_decisions_of_a_set_keep_their_plays() -> None:
    shipped = decisions.load_benchmark()
    which = np.arange(len(shipped.kinds)) % 700 == 5
    few = shipped.chosen(which)
    assert len(few.boards) == len(few.starts) - 1 == which.sum() == 4
    for place, i in enumerate(np.flatnonzero(which)):
        old = slice(shipped.starts[i], shipped.starts[i + 1])
        new = slice(few.starts[place], few.starts[place + 1])
        for name in ("results", "costs", "depths", "errors"):
            assert np.array_equal(getattr(few, name)[new], getattr(shipped, name)[old])
        assert np.array_equal(few.boards[place], shipped.boards[i])
        assert (few.dice[place] == shipped.dice[i]).all()


@pytest.fixture
def promote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A command that compares the shipped nets with themselves in few positions."""
    sample = chances.load_sample()
    some: dict[str, Any] = {name: array[::30] for name, array in sample._asdict().items()}
    save_set(tmp_path / "set.npz", Sample(**{**some, "about": "{}"}))
    monkeypatch.setattr(duels, "drawn_races", lambda plan: some_races())
    return ["strength", "promote", str(weights.shipped()), "--set", str(tmp_path / "set.npz")]


@pytest.mark.patient
def test_nets_are_not_promoted_over_themselves(
    promote: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*promote, "--most", "400", "--resume", str(tmp_path / "games.json")]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["promote"], told["points_per_game"], told["worse_families"]) == (False, 0.0, [])
    ends = ("", ":1", ":2")
    assert list(told["squares_more"]) == [f"{name}{end}" for end in ends for name in FAMILIES]
    families = [f"{name}{end}" for end in ends for name in ("race", "outside", "bearoff")]
    assert list(told["lost_more_meq"]) == families
    assert {more["mean"] for more in told["lost_more_meq"].values()} == {0.0}


@pytest.mark.patient
def test_nets_that_lose_more_in_one_family_at_one_depth_alone_are_not_promoted(
    promote: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(player: Contestant, benchmark: decisions.Benchmark, _: object) -> NDArray[np.float64]:
        loses = player.name == f"ours:{weights.shipped()}:1"
        return np.where(benchmark.kinds == KINDS.index("bearoffs"), 0.01 * loses, 0.0)

    monkeypatch.setattr(promotion, "losses", lost)
    monkeypatch.setattr(duels, "play_series", lambda *_, **__: None)
    monkeypatch.setattr(promotion, "decided", lambda *_: True)
    assert main(promote) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["promote"], told["worse_families"]) == (False, ["outside:1"])
    assert told["lost_more_meq"]["outside:1"]["mean"] == 10.0
