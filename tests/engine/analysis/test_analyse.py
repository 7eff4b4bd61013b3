"""Equities become errors, errors figures; rolls become luck; all of it becomes JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.judging import (
    Thresholds,
    cost_of,
    cube_verdicts,
    play_verdict,
    result_of,
    statistics_of,
)
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.statistics import (
    PlayerStatistics,
    Total,
    figures,
    luck_name,
    rating_by_luck,
    rating_name,
    session,
)
from sixprime.engine.analysis.values import (
    Answered,
    CubeError,
    GameAnalysis,
    Mark,
    MatchAnalysis,
    What,
)
from sixprime.engine.analysis.valuesjson import ANALYSES, match_from_json, match_to_json
from sixprime.engine.position import MatchState, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.plies import ALL_ROLLS, Evaluation, MoveFilter, Pass
from tests.support.engine.boards import board_of
from tests.support.engine.brains import random_brain

MONEY = MatchState(cube=2, cube_owner=1)
SEVEN = MatchState(length=7, score=(2, 4))
MARKS = Thresholds()
SETTINGS = AnalysisSettings.of("expert")


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner(random_brain(), SETTINGS)


# -- errors


@pytest.mark.parametrize(
    ("equities", "doubled", "answer", "kind", "error"),
    [
        ((0.5, 0.7, 1.0), False, None, CubeError.MISSED_BELOW_CP, -0.2),
        ((0.8, 1.2, 1.0), False, None, CubeError.MISSED_ABOVE_CP, -0.2),
        ((0.5, 0.3, 1.0), True, Answered.TAKE, CubeError.WRONG_BELOW_DP, -0.2),
        ((1.3, 1.5, 1.0), True, Answered.PASS, CubeError.WRONG_ABOVE_TG, -0.3),
        ((0.5, 0.3, 1.0), False, None, None, 0.0),
        ((0.5, 0.7, 1.0), True, Answered.TAKE, None, 0.0),
        ((1.3, 1.5, 1.0), False, None, None, 0.0),
    ],
)
def test_doubles_are_missed_and_wrong_on_both_sides(
    equities: tuple[float, float, float],
    doubled: bool,
    answer: Answered | None,
    kind: CubeError | None,
    error: float,
) -> None:
    double, _, _ = cube_verdicts(equities, doubled, answer, MONEY, MARKS)
    assert double.kind is kind
    assert double.error == pytest.approx(error)
    assert double.cost == pytest.approx(2 * error)  # points at a cube of 2


def test_takes_and_passes_are_wrong_by_what_they_give_away() -> None:
    _, take, _ = cube_verdicts((0.9, 1.2, 1.0), True, Answered.TAKE, MONEY, MARKS)
    _, passed, _ = cube_verdicts((0.5, 0.7, 1.0), True, Answered.PASS, MONEY, MARKS)
    _, beavered, _ = cube_verdicts((0.5, 0.7, 1.0), True, Answered.BEAVER, MONEY, MARKS)
    assert take is not None
    assert passed is not None
    assert (take.kind, passed.kind) == (CubeError.WRONG_TAKE, CubeError.WRONG_PASS)
    assert (take.error, passed.error) == pytest.approx((-0.2, -0.3))
    assert beavered is None


def test_a_decision_is_close_within_the_threshold_and_always_when_the_cube_was_turned() -> None:
    assert cube_verdicts((0.5, 0.4, 1.0), False, None, MONEY, MARKS)[2]
    assert not cube_verdicts((0.5, 0.3, 1.0), False, None, MONEY, MARKS)[2]
    assert cube_verdicts((0.5, -0.3, 1.0), True, Answered.TAKE, MONEY, MARKS)[2]
    assert cube_verdicts((0.5, 0.3, 1.0), False, None, MONEY, Thresholds(close=0.25))[2]


def test_marks_follow_the_thresholds() -> None:
    errors = (-0.02, -0.04, -0.07, -0.2)
    assert [MARKS.mark(error) for error in errors] == list(Mark)
    assert [MARKS.luck_mark(luck) for luck in (-0.7, -0.4, 0.1, 0.4, 0.7)] == [-2, -1, 0, 1, 2]
    assert Thresholds(doubtful=0.01).mark(-0.02) is Mark.DOUBTFUL


def test_an_error_costs_match_winning_chances_in_a_match() -> None:
    verdict = play_verdict(0.3, 0.1, SEVEN, MARKS)
    assert verdict.error == pytest.approx(-0.2)
    assert verdict.mark is Mark.VERY_BAD
    assert verdict.cost == pytest.approx(-0.2 * cost_of(1.0, SEVEN))


def test_winning_the_match_is_worth_what_it_was_short_of() -> None:
    level = MatchState(length=1)
    assert result_of(0, 1, level) == pytest.approx((0.5, -0.5))
    assert result_of(1, 4, MONEY) == (-4.0, 4.0)
    assert result_of(None, 0, level) == (0.0, 0.0)


# -- figures


def test_rating_losses_are_those_of_the_manual() -> None:
    player = PlayerStatistics(
        unforced=1, close=1, checker=Total(1, -0.0337155), wrong_take=Total(1, -0.0115751)
    )
    told = figures(player, PlayerStatistics(), 7)
    assert told.checker_loss == pytest.approx(419.6, abs=0.05)
    assert told.cube_loss == pytest.approx(9.1, abs=0.05)
    assert told.absolute_rating == pytest.approx(1621.3, abs=0.05)


def test_nothing_is_lost_by_a_player_without_errors() -> None:
    """And it is not written as -0.0."""
    told = figures(PlayerStatistics(unforced=1, close=1), PlayerStatistics(), 7)
    assert (str(told.checker_loss), str(told.cube_loss)) == ("0.0", "0.0")


def test_who_decides_nothing_has_no_rating() -> None:
    told = figures(PlayerStatistics(), PlayerStatistics(), 7)
    assert told.absolute_rating is None
    assert PlayerStatistics().rating == "n/a"


def test_ratings_and_luck_have_names() -> None:
    rates = (0.001, 0.003, 0.006, 0.01, 0.015, 0.02, 0.03, 0.04)
    names = [rating_name((-rate, 0.0)) for rate in rates]
    assert names[0] == "Supernatural"
    assert names[-1] == "Awful!"
    assert len(set(names)) == len(rates)
    assert luck_name((0.07, 0.0)) == "Go to Las Vegas"
    assert luck_name((0.0, 0.0)) == "None"
    assert luck_name((-0.07, 0.0)) == "Go to bed"


def test_luck_adjusted_results_are_rating_differences_only_between_0_and_1() -> None:
    assert rating_by_luck(0.0, 5) == 0.0
    assert rating_by_luck(0.5, 5) is None
    assert rating_by_luck(-0.4999, 1) == -2100.0


def test_points_per_game_have_an_interval_from_two_games_on() -> None:
    one, two = session([(2.0, 1.0)]), session([(2.0, 1.0), (-1.0, 0.0)])
    assert one is not None
    assert one.half_width is None
    assert two is not None
    assert two.mean == 0.5
    assert two.half_width == pytest.approx(1.95996 * 1.5)


def test_statistics_add_up_and_survive_json() -> None:
    one = PlayerStatistics(moves=3, rolls=(0, 1, 2, 0, 0), checker=Total(2, -0.5, -0.1))
    both = one + one
    assert (both.moves, both.rolls, both.checker) == (6, (0, 2, 4, 0, 0), Total(4, -1.0, -0.2))
    plain = json.loads(json.dumps(ANALYSES.plain(both)))
    assert ANALYSES.value(PlayerStatistics, plain) == both


# -- turns


def happened(dice: tuple[int, int], state: MatchState = SEVEN, **changes: object) -> Happened:
    """A roll from the start, played by the last of its legal plays."""
    position = Position.start()
    play = legal_plays(position, dice)[-1].play
    turn = Happened(1, position, state, 0, 0, stake=1, dice=dice, play=play)
    return replace(turn, **changes)  # type: ignore[arg-type]


def test_luck_averages_out_over_all_rolls(examiner: Examiner) -> None:
    lucks = [examiner.turn(happened((high, low))).luck or 0.0 for high, low, _ in ALL_ROLLS]
    weights = ALL_ROLLS[:, 2] / 36
    assert sum(lucks * weights) == pytest.approx(0.0, abs=1e-6)


def test_luck_of_an_opening_roll_is_taken_over_both_players_rolls(examiner: Examiner) -> None:
    level = MatchState(length=5)
    rolls = [(high, low) for high, low, weight in ALL_ROLLS.tolist() if weight == 2]
    turns = [examiner.turn(happened(dice, level, opening=True)) for dice in rolls]
    later = [examiner.turn(happened(dice, level)) for dice in rolls]
    assert turns[0].cube_analysis is None
    gaps = {round((a.luck or 0) - (b.luck or 0), 5) for a, b in zip(turns, later, strict=True)}
    assert len(gaps) == 1


def test_the_play_made_is_looked_at_as_deeply_as_the_best_one() -> None:
    only_one = MoveFilter("only one", ((Pass(1, 0, 0.0),),))
    narrow = replace(SETTINGS, checker=Evaluation(1, only_one), keep=2)
    turn = Examiner(random_brain(), narrow).turn(happened((3, 1)))
    assert turn.move is not None
    assert turn.move.chosen is not None
    best, made = turn.move.candidates[0], turn.move.candidates[turn.move.chosen]
    assert best.by.plies == made.by.plies == 1
    assert turn.move.verdict.error == pytest.approx(made.equity - best.equity)
    assert made.play == turn.move.played or made.by.plies == 1


def test_all_plays_are_kept_where_more_are_asked_for_than_there_can_be() -> None:
    examiner = Examiner(random_brain(), replace(SETTINGS, keep=2**62))
    turn = examiner.turn(happened((3, 1)))
    assert turn.move is not None
    assert len(turn.move.candidates) == turn.move.legal


def test_a_dance_is_a_forced_move_without_error(examiner: Examiner) -> None:
    position = board_of({1: 1, 25: 1}, dict.fromkeys(range(1, 7), 2))
    turn = examiner.turn(replace(happened((6, 1)), position=position, play=()))
    assert turn.move is not None
    assert (turn.move.legal, turn.move.verdict.error) == (1, 0.0)


def test_an_unplayed_roll_is_luck_but_no_decision(examiner: Examiner) -> None:
    turn = examiner.turn(happened((3, 1), play=None))
    assert turn.luck is not None
    assert turn.move is None
    assert turn.cube_analysis is None
    mine, _ = statistics_of([replace(turn, seat=0)], (0.0, 0.0))
    assert (mine.moves, sum(mine.rolls), mine.cube_decisions) == (0, 1, 0)


def analysis(examiner: Examiner) -> MatchAnalysis:
    """A double that was taken, then a play."""
    doubled = happened((3, 1), SEVEN, doubled=True, answer=Answered.TAKE, stake=2)
    turns = examiner.turns([happened((6, 5), opening=True), doubled])
    both = statistics_of(turns, result_of(1, 2, SEVEN))
    game = GameAnalysis(SEVEN.score, False, turns, 1, 2, both)
    return MatchAnalysis(("anna", "ben"), 7, False, 0, (game,), SETTINGS.key, SETTINGS.level)


def test_an_analysis_survives_json(examiner: Examiner) -> None:
    found = analysis(examiner)
    again = match_from_json(json.loads(json.dumps(match_to_json(found))))
    assert again == found
    assert match_to_json(again) == match_to_json(found)


def test_another_versions_json_is_refused(examiner: Examiner) -> None:
    values = match_to_json(analysis(examiner))
    with pytest.raises(ValueError, match="version"):
        match_from_json({**values, "version": 0})


def test_errors_come_worst_first(examiner: Examiner) -> None:
    found = analysis(examiner).errors()
    assert [each.verdict.error for each in found] == sorted(each.verdict.error for each in found)
    assert {each.what for each in found} <= set(What)


def test_settings_have_the_same_key_only_if_they_are_the_same() -> None:
    same = AnalysisSettings.of("expert")
    others = [
        AnalysisSettings.of("world-class"),
        AnalysisSettings.of("expert", thresholds=Thresholds(bad=0.07)),
        AnalysisSettings.of("expert", weights="0" * 12),
        AnalysisSettings.of("expert", keep=9),
    ]
    keys = {SETTINGS.key, *(each.key for each in others)}
    assert same.key == SETTINGS.key
    assert len(keys) == 5


def test_a_level_analyses_without_its_noise() -> None:
    assert AnalysisSettings.of("beginner").checker.noise == 0.0


def test_steps_in_json_are_steps_again(examiner: Examiner) -> None:
    turn = match_from_json(match_to_json(analysis(examiner))).games[0].turns[0]
    assert turn.move is not None
    assert all(isinstance(step, Step) for step in turn.move.played)
