"""Matches between levels, what they measure, and the ratings that follow."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime.engine.analysis.statistics import RATING_OFFSET
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.moves import generate
from sixprime.engine.lab import LabError
from sixprime.engine.lab.calibration import ratings
from sixprime.engine.lab.calibration import series as series_of_matches
from sixprime.engine.lab.calibration.compose import composed
from sixprime.engine.lab.calibration.matches import LevelMatch, MatchTally, Rate
from sixprime.engine.lab.calibration.ratings import (
    MANUAL,
    Measured,
    fit,
    slopes,
)
from sixprime.engine.lab.calibration.series import (
    MatchBlock,
    MatchPlayers,
    MatchSeries,
    Pair,
    play_series,
    player,
)
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MatchState, Position
from sixprime.engine.ratings import rating_difference, winning_chance
from sixprime.engine.search import ratingtable as table
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import PRESETS, Level, Target, UnknownLevel, noisy, preset
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.ratingtable import BadRating, ErrorCurve, Ratings, Relation
from sixprime.engine.system.wholefiles import write_json
from tests.support.engine.brains import random_brain

EXPERT = PRESETS["expert"]


@lru_cache(maxsize=1)
def brain() -> Brain:
    return random_brain()


# --- ratings


@pytest.mark.parametrize("length", [1, 3, 5, 7, 11])
@pytest.mark.parametrize("points", [-700.0, -31.0, 0.0, 115.0, 472.0])
def test_a_rating_difference_is_a_chance_and_back(points: float, length: int) -> None:
    assert rating_difference(winning_chance(points, length), length) == pytest.approx(points)


def test_chances_beyond_certainty_are_endless_differences() -> None:
    assert rating_difference(1.03, 5) == math.inf
    assert rating_difference(-0.01, 5) == -math.inf


def test_the_manual_s_relation_gives_its_worked_example() -> None:
    plays = MANUAL.loss(7, 0.0337155, 0.0)
    cube = MANUAL.loss(7, 0.0, 0.0115751)
    assert (round(plays, 1), round(cube, 1)) == (419.6, 9.1)
    assert round(RATING_OFFSET - plays - cube, 1) == 1621.3


def test_the_manual_s_relation_agrees_with_what_it_measured_of_plays() -> None:
    assert 451 <= MANUAL.loss(5, 0.0344, -0.01) <= 493
    assert 103 <= MANUAL.loss(5, 0.00865, -0.0176) <= 127


@pytest.mark.parametrize(("length", "cost"), [(1, 379.16), (3, 198.65), (7, 153.54), (23, 130.01)])
def test_the_manual_s_older_relation_knows_one_kind_of_error(length: int, cost: float) -> None:
    assert ratings.MANUAL_EPD.loss(length, 0.01, 0.0) == pytest.approx(cost, abs=0.005)


def test_one_point_matches_have_no_cube() -> None:
    assert MANUAL.loss(1, 0.0, 0.5) == 0.0


def test_a_fit_finds_the_relation_behind_the_points() -> None:
    truth = Relation(10_000.0, 20_000.0, 900.0, -300.0, 40_000.0)
    points = []
    for length in (1, 3, 5, 7):
        for epm, epc in ((0.01, 0.005), (0.03, 0.02), (0.05, 0.02), (0.0, 0.1), (0.0, 0.2)):
            won = winning_chance(truth.loss(length, epm, epc), length)
            points.append(Measured(length, epm, epc, won, 0.0005))
    found = fit(points)
    for length in (1, 5, 7):
        wanted = truth.loss(length, 0.04, 0.03)
        assert found.relation.loss(length, 0.04, 0.03) == pytest.approx(wanted, rel=0.01)
    assert found.per_point < 0.1


def test_a_fit_finds_that_large_losses_are_larger() -> None:
    truth = Relation(10_000.0, 20_000.0, 900.0, -300.0, 36_000.0, 0.12, 0.3)
    points = []
    for length in (1, 3, 5, 7):
        for epm, epc in ((0.005, 0.001), (0.02, 0.01), (0.04, 0.02), (0.05, 0.05), (0.0, 0.2)):
            won = winning_chance(truth.loss(length, epm, epc), length)
            points.append(Measured(length, epm, epc, won, 0.0005))
    found = fit(points).relation
    assert (found.bend, found.one_point_bend) == pytest.approx((0.12, 0.3), rel=0.1)
    for length in (1, 5, 11):
        wanted = truth.loss(length, 0.045, 0.03)
        assert found.loss(length, 0.045, 0.03) == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("errors", [(1, 0.03, 0.0), (3, 0.04, 0.1), (7, 0.05, 0.02)])
def test_slopes_are_those_of_the_loss(errors: tuple[int, float, float]) -> None:
    relation = Relation(10_000.0, 20_000.0, 900.0, -300.0, 36_000.0, 0.12, 0.3)
    for name, slope in zip(Relation._fields, slopes(relation, *errors), strict=True):
        step = 1e-4 * max(abs(getattr(relation, name)), 1.0)
        low, high = (
            relation._replace(**{name: getattr(relation, name) + way}).loss(*errors)
            for way in (-step, step)
        )
        assert slope == pytest.approx((high - low) / (2 * step), rel=1e-4, abs=1e-9), name


def test_a_bent_relation_is_straight_for_small_errors() -> None:
    straight = Relation(10_000.0, 20_000.0, 900.0, -300.0, 36_000.0)
    bent = straight._replace(bend=0.1)
    assert bent.loss(5, 0.001, 0.0) == pytest.approx(straight.loss(5, 0.001, 0.0), rel=1e-4)
    assert bent.loss(5, 1000 / 14_000, 0.0) == pytest.approx(1100.0)


def test_a_fit_to_hardly_anything_stays_with_the_manual() -> None:
    found = fit([Measured(5, 0.03, 0.01, 0.9, 0.3)]).relation
    assert found.loss(5, 0.03, 0.0) == pytest.approx(MANUAL.loss(5, 0.03, 0.0), rel=0.2)


def test_an_error_rate_knows_how_sure_it_is() -> None:
    draws = np.random.default_rng(1)
    means = []
    for _ in range(300):
        whole = Rate()
        for _ in range(40):
            one = Rate()
            for error in draws.exponential(0.02, size=draws.integers(5, 15)):
                one.note(float(error))
            whole.add(one.closed())
        means.append((whole.mean, whole.deviation))
    spread = float(np.std([mean for mean, _ in means]))
    assert np.mean([deviation for _, deviation in means]) == pytest.approx(spread, rel=0.15)


# --- matches


def test_a_match_is_the_same_whenever_it_is_played() -> None:
    levels = noisy("a", 0.05), noisy("b", 0.1)
    first = LevelMatch(brain(), levels, 2)
    first.play(1, 6)
    assert first.play(1, 7) == LevelMatch(brain(), levels, 2).play(1, 7)
    assert first.play(1, 7) != first.play(2, 7)


def test_random_noise_gives_the_same_matches_too() -> None:
    look = Evaluation(noise=0.1, deterministic=False, prune=False)
    level = Level("random", look, look)
    assert LevelMatch(brain(), (level, level), 1).play(1, 2) == (
        LevelMatch(brain(), (level, level), 1).play(1, 2)
    )


def test_who_sees_as_clearly_as_the_judge_makes_no_errors() -> None:
    match = LevelMatch(brain(), (EXPERT, noisy("b", 0.1)), 3).play(1, 1)
    assert match.checker[0].error == match.cube[0].error == 0.0
    assert match.checker[0].decisions > 20
    assert match.checker[1].error > 0.0
    assert match.matches == 1
    assert match.won in (0, 1)


def test_one_point_matches_know_no_cube_decisions() -> None:
    match = LevelMatch(brain(), (EXPERT, noisy("b", 0.1)), 1).play(1, 1)
    assert match.cube[0].decisions == match.cube[1].decisions == 0


def played(nets: Brain, matches: int) -> MatchTally:
    whole = MatchTally()
    seats = LevelMatch(nets, (EXPERT, EXPERT), 1)
    for number in range(matches):
        whole.add(seats.play(3, number))
    return whole


def test_luck_has_no_expectation_however_wrong_the_nets_are() -> None:
    score = ratings.adjusted(played(brain(), 16))
    mean, error = score.mean, score.error
    assert abs(mean - 0.5) < 4 * error


def test_luck_explains_most_of_a_result() -> None:
    error = ratings.adjusted(played(load_brain(), 20)).error
    assert error < 0.3 / math.sqrt(20)  # of the plain result: 0.5


@pytest.mark.parametrize("noise", [0.0, 0.04])
def test_plays_and_cube_decisions_are_those_of_the_engine(noise: float) -> None:
    level = noisy("a", noise, noise / 2)
    engine = Engine(level, brain=brain())
    seats = LevelMatch(brain(), (level, level), 5)
    draws = np.random.default_rng(5)
    position = Position.start()
    plain = MatchState(5, (1, 2), 0, 0)
    for _ in range(80):
        high, low = (int(die) for die in draws.integers(1, 7, size=2))
        owner, code = ((None, 1), (0, 0))[int(draws.integers(2))]
        state = plain.with_(cube=1 if owner is None else 2, cube_owner=owner)
        board, cube = position.array(), (state.cube, code)
        found = seats._verdict(board, state, cube, level.cube, 0)
        assert found == engine.cube(position, state).decision
        work = seats._scratch.work
        count = generate(board, high, low, work.rolled)
        best = engine.move(position, state, (high, low)).best
        if count:
            chosen = seats._scored(board, plain, cube, count, level.checker, 0)
            assert Position.from_array(work.rolled.results[chosen]) == best.result
        position = best.result.flipped()
        if position.is_over():
            position = Position.start()


def test_who_looks_ahead_makes_errors_in_the_eyes_of_who_does_not() -> None:
    deep = Evaluation(1)
    match = LevelMatch(brain(), (EXPERT, Level("b", deep, deep)), 1).play(1, 1)
    assert match.checker[0].error == pytest.approx(0.0, abs=1e-6)
    assert match.checker[1].error > 0.0


def test_a_player_may_be_a_preset_a_noise_two_noises_or_a_rating() -> None:
    assert player("grandmaster", 5) is PRESETS["grandmaster"]
    assert player("0.04", 5).cube.noise == 0.04
    assert (player("0.04/0", 5).checker.noise, player("0.04/0", 5).cube.noise) == (0.04, 0.0)
    assert player("@1600", 5).checker.noise == table.shipped_ratings().noise(1600, 5)
    assert player("pr6.5", 5) == preset("pr 6.5")


def test_people_play_matches_and_err_with_plays_and_cube() -> None:
    """The judge finds no error of expert, and some of people."""
    levels = EXPERT, preset("pr 20")
    match = LevelMatch(brain(), levels, 3).play(1, 1)
    assert match == LevelMatch(brain(), levels, 3).play(1, 1)
    assert match.checker[0].error == match.cube[0].error == 0.0
    assert match.checker[1].error > 0.0
    cube = replace(EXPERT, cube_person=preset("pr 20").cube_person)
    plays = LevelMatch(brain(), (EXPERT, cube), 3).play(1, 1)
    assert plays.checker[1].error == 0.0


@pytest.mark.parametrize(
    ("name", "kind"),
    [("0.1/0/0", LabError), ("7", LabError), ("@9000", LabError), ("exprt", UnknownLevel)],
)
def test_who_is_nobody_is_told_so(name: str, kind: type[ValueError]) -> None:
    with pytest.raises(kind):
        player(name, 5)


# --- series


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random nets play long games."""
    monkeypatch.setattr(series_of_matches, "BLOCK", SMALL)


SMALL = 2  # matches
PAIRS = [Pair(1, "expert", "0.1"), Pair(1, "0.05", "0.2")]


def plain_series(path: Path | None, matches: int, stop_after: int | None = None) -> MatchSeries:
    series = MatchSeries(path, {"seed": 4})

    def report(done: int, total: int) -> None:
        if done == stop_after:
            raise KeyboardInterrupt

    play_series(series, PAIRS, matches, brain=brain, report=report)
    return series


@pytest.mark.usefixtures("small_blocks")
def test_an_interrupted_series_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    with pytest.raises(KeyboardInterrupt):
        plain_series(path, 2 * SMALL, stop_after=3)
    resumed = plain_series(path, 2 * SMALL)
    whole = plain_series(None, 2 * SMALL)
    assert [resumed.tally_of(pair) for pair in PAIRS] == [whole.tally_of(pair) for pair in PAIRS]
    assert whole.tally_of(PAIRS[0]).matches == 2 * SMALL


def test_a_series_is_not_mixed_with_another(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    series = MatchSeries(path, {"seed": 4})
    series.add(MatchBlock(PAIRS[0], 0), MatchTally(matches=10))
    with pytest.raises(LabError, match="is about other matches"):
        MatchSeries(path, {"seed": 5})
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(LabError, match="not the state of a calibration"):
        MatchSeries(path, {"seed": 4})


@pytest.mark.usefixtures("small_blocks")
def test_blocks_do_not_depend_on_each_other() -> None:
    alone = MatchPlayers(brain, 4).play(MatchBlock(PAIRS[0], 1))
    assert plain_series(None, 2 * SMALL).blocks[MatchBlock(PAIRS[0], 1)] == alone


# --- the table


def test_a_curve_is_a_power_between_its_points_and_beyond() -> None:
    curve = ErrorCurve((0.01, 0.04), (0.005, 0.02))
    assert [round(curve.at(noise), 6) for noise in (0.0, 0.005, 0.02, 0.04, 0.08)] == (
        [0.0, 0.0025, 0.01, 0.02, 0.04]
    )


def made() -> Ratings:
    plays = {1: ErrorCurve((0.02, 0.1), (0.01, 0.06)), 5: ErrorCurve((0.02, 0.1), (0.012, 0.08))}
    return Ratings(2000.0, MANUAL, plays, {5: ErrorCurve((0.02, 0.1), (0.003, 0.04))}, {}, [])


@pytest.mark.parametrize("length", [1, 2, 3, 5, 11, 25])
def test_the_noise_for_a_rating_plays_at_that_rating(length: int) -> None:
    for rating in (1300.0, 1500.0, 1990.0):
        noise = made().noise(rating, length)
        assert made().rating(length, noise) == pytest.approx(rating, abs=1.0)


def test_more_noise_is_never_better() -> None:
    for length in range(1, 12):
        found = [made().rating(length, noise) for noise in np.linspace(0, 0.1, 60)]
        assert found == sorted(found, reverse=True)
        assert found[0] == 2000.0


def test_a_sober_cube_leaves_more_noise_for_plays() -> None:
    assert made().noise(1500, 5, cube_noise=0.0) > made().noise(1500, 5)


def test_a_rating_out_of_reach_is_told_what_can_be_had() -> None:
    with pytest.raises(BadRating, match=r"ratings from \d+ to 2000 can be had .* of 5, not 2100"):
        made().noise(2100, 5)


def test_a_level_follows_its_opponent_within_bounds() -> None:
    target = Target(None, 1400.0, 1800.0)
    assert [target.wanted(rating) for rating in (1000.0, 1600.0, 2100.0, None)] == (
        [1400.0, 1600.0, 1800.0, 1500.0]
    )
    level = made().resolved(noisy("a", 0.0), target, 5, 1600.0)
    assert level.checker.noise == level.cube.noise == made().noise(1600, 5)
    endless = made().resolved(noisy("a", 0.0), Target(None), 5, 3000.0)
    assert endless.checker.noise == 0.0


def test_the_shipped_table_reaches_from_weak_to_expert_at_every_length() -> None:
    shipped = table.shipped_ratings()
    least, most = shipped.reach()
    assert least <= 1100
    assert most >= 1900
    for length in range(1, table.LONGEST + 1):
        noises = [shipped.noise(rating, length) for rating in (1100, 1300, 1500, 1700, 1900)]
        assert noises == sorted(noises, reverse=True)
        assert len(set(noises)) == 5


def test_the_shipped_table_names_where_it_came_from() -> None:
    origin = table.shipped_ratings().origin
    assert origin["command"].startswith("sixprime levels calibrate")
    assert len(origin["weights"]) == 12


def broken(change: Callable[[dict[str, Any]], object]) -> str:
    tree = json.loads(table.shipped().read_text(encoding="utf-8"))
    change(tree)
    return json.dumps(tree)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        broken(lambda tree: tree.update(version=9)),
        broken(lambda tree: tree.pop("checker")),
        broken(lambda tree: tree.pop("pairs")),
        broken(lambda tree: tree.update(checker={})),
        broken(lambda tree: tree["checker"]["1"].reverse()),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "levels.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRating):
        table.read_ratings(path)


def errors(mean: float) -> Rate:
    """Ten matches with a hundred decisions each."""
    return Rate(1000, 1000 * mean, 10 * 100.0**2, 11 * (100 * mean) ** 2, 10 * 100.0 * 100 * mean)


def test_a_series_becomes_a_table(tmp_path: Path) -> None:
    series = MatchSeries(None, {"seed": 4})
    for length in (1, 3):
        for noise in (0.02, 0.05, 0.1, 0.2):
            epm, epc = 0.8 * noise, 0.5 * noise if length > 1 else 0.0
            won = winning_chance(MANUAL.loss(length, epm, epc), length)
            tally = MatchTally(10, 8, 10 * won, 10 * won * won + 0.1)
            tally.checker[1], tally.cube[1] = errors(epm), errors(epc)
            series.add(MatchBlock(Pair(length, "expert", str(noise)), 0), tally)
    path = tmp_path / "levels.json"
    tree = composed(series, {"weights": "0" * 12, "command": "x"}, 1990.0)
    half = next(row for row in tree["pairs"] if (row["length"], row["second"]) == (3, "0.1"))
    assert half["epd"] == [0.0, pytest.approx((0.08 + 0.05) / 2)]
    assert half["by_epd"] == pytest.approx((11971 + 23681 / 3) * 0.065, abs=0.1)
    write_json(path, tree)
    found = table.read_ratings(path)
    assert found.reference == found.rating(5, 0.0) == 1990.0
    assert set(found.checker) == {1, 3}
    assert set(found.cube) == {3}
    for length in (1, 3):
        lost = MANUAL.loss(length, 0.8 * 0.07, 0.5 * 0.07)
        assert found.rating(length, 0.07) == pytest.approx(1990 - lost, rel=0.02)


def test_a_series_of_short_matches_alone_becomes_a_table_too(tmp_path: Path) -> None:
    series = MatchSeries(None, {"seed": 4})
    for noise in (0.05, 0.1):
        tally = MatchTally(10, 8, 8.0, 7.0)
        tally.checker[1] = errors(noise)
        series.add(MatchBlock(Pair(1, "expert", str(noise)), 0), tally)
    path = tmp_path / "levels.json"
    write_json(path, composed(series, {"weights": "0" * 12, "command": "x"}, 1990.0))
    assert table.read_ratings(path).rating(1, 0.1) < 1990
