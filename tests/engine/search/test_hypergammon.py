"""Hypergammon is decided from its database, at any level, and never rolled out."""

from __future__ import annotations

import json

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.interfaces.jsonlines import answer
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.position import IllegalPosition, MatchState, Position, Variant, variant_named
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import noisy
from sixprime.engine.search.rollout import BadRollout, RolloutSettings, of_position

pytestmark = pytest.mark.patient

START = Position.start(Variant.HYPERGAMMON_1)
ACE = Position((1, *([0] * 24)), (1, *([0] * 24)), 1)


def test_a_position_is_worth_the_mean_of_its_rolls_as_decided() -> None:
    engine, total = Engine("expert"), 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            best = engine.move(START, MatchState(), (high, low)).best
            total += best.equity * (1 if high == low else 2)
    assert total / 36 == pytest.approx(engine.cube(START).decision.no_double, abs=1e-5)


@pytest.mark.parametrize("level", ["expert", "supremo"])
@pytest.mark.parametrize("match", [MatchState(jacoby=True), MatchState(7, (3, 4))])
def test_every_level_without_noise_knows_it(level: str, match: MatchState) -> None:
    engine = Engine(level)
    assert engine.cube(START, match).outcomes == pytest.approx(
        hypergammon(1).figures(START).chances, abs=1e-6
    )
    found = engine.move(START, match, (3, 1)).candidates
    assert {each.result for each in found} == {each.result for each in legal_plays(START, (3, 1))}


def test_noise_makes_a_weak_level_err() -> None:
    seen = Engine("beginner").cube(START).outcomes
    assert seen != pytest.approx(hypergammon(1).figures(START).chances, abs=1e-3)


@pytest.mark.parametrize(
    "match",
    [MatchState(jacoby=True), MatchState(), MatchState(cube_owner=0), MatchState(7, (3, 4))],
)
def test_next_to_no_noise_changes_next_to_nothing(match: MatchState) -> None:
    exact, noisy_one = Engine("expert"), Engine(noisy("a trembling hand", 1e-7))
    for play in legal_plays(Position.start(Variant.HYPERGAMMON_2), (5, 4)):
        equities = [each.cube(play.result, match).decision.equities for each in (exact, noisy_one)]
        assert equities[0] == pytest.approx(equities[1], abs=1e-5)


def test_bearing_off_the_last_checker_wins_a_gammon() -> None:
    best = Engine("expert").move(ACE, MatchState(cube_owner=1), (2, 1)).best
    assert best.equity == pytest.approx(2.0)
    assert best.outcomes == pytest.approx((1, 1, 0, 0, 0))
    dead = Engine("expert").move(ACE, MatchState(jacoby=True), (2, 1)).best
    assert dead.equity == pytest.approx(1.0)


def test_no_net_judges_it_and_no_rollout_plays_it() -> None:
    assert Evaluator().outcomes(ACE) == pytest.approx((1, 1, 0, 0, 0), abs=1e-6)
    with pytest.raises(BadRollout, match="known exactly"):
        of_position(START, MatchState(), RolloutSettings(trials=1))


def test_the_variant_says_how_many_checkers_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["hint", "AACAAAAAAgAAAA", "--level", "expert", "--json", "--variant"]
    assert main([*command, "hypergammon-1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["probabilities"][1] > 0.5
    asked = b'{"position": "AACAAAAAAgAAAA", "variant": "hypergammon-1"}'
    engine = Engine("expert")
    assert json.loads(answer(asked, engine))["probabilities"] == told["probabilities"]
    for wrong, why in ((b"hypergammon-9", "variant: one of"), (b"hypergammon-0", "variant")):
        assert why in json.loads(answer(asked.replace(b"hypergammon-1", wrong), engine))["error"]


def test_too_many_checkers_for_the_variant_are_refused() -> None:
    with pytest.raises(IllegalPosition, match="more than 3"):
        Position.start().of_variant(variant_named("hypergammon-3"))


def test_a_rollout_of_hypergammon_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rollout", "AACAAAAAAgAAAA", "--variant", "hypergammon-1"]) == 2
    assert "known exactly" in capsys.readouterr().err.splitlines()[-1]
