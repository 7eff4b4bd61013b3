"""The decisions of people, gathered from analyses; an analysis at 0-ply is the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from sixprime.engine.analysis.values import Answered
from sixprime.engine.lab.people.cubes import habits_of
from sixprime.engine.likeness.decisions import ANSWER, DOUBLE, PLAY
from sixprime.engine.likeness.plays import prs_of
from sixprime.engine.people import Person
from tests.support.engine.people import analyses, gathered


def test_the_decisions_lose_as_much_as_the_analysis_says() -> None:
    for what, name in ((PLAY, "checker"), (DOUBLE, "cube"), (ANSWER, "cube")):
        lost = sum(
            decision.losses[decision.made] for decision in gathered() if decision.what == what
        )
        judged = 0.0
        for analysis in analyses():
            for error in analysis.errors():
                if error.what.value == what and analysis.turn_of(error).position.checkers == 15:
                    turn = analysis.turn_of(error)
                    if what != PLAY or (turn.move is not None and turn.move.chosen is not None):
                        judged -= error.verdict.error
        assert lost == pytest.approx(judged, abs=1e-4), name


def test_every_choice_is_there_and_one_of_them_is_best() -> None:
    kinds = {decision.what for decision in gathered()}
    assert kinds == {PLAY, DOUBLE, ANSWER}
    for decision in gathered():
        assert len(decision.losses) > 1
        assert decision.losses.min() == 0
        assert 0 <= decision.made < len(decision.losses)
        chances = decision.chances(Person(7), Person(7))
        assert chances.shape == decision.losses.shape
        assert chances.sum() == pytest.approx(1)


def test_the_kind_names_the_possible_error() -> None:
    for decision in gathered():
        if decision.what == DOUBLE:
            right = int(np.argmin(decision.losses))
            assert decision.kind == (
                "missed double" if right or not decision.losses[1] else "wrong double"
            )
        if decision.what == ANSWER and decision.losses.max() > 0:
            right = int(np.argmin(decision.losses))
            assert decision.kind == ("wrong take" if right else "wrong pass")


def test_the_pr_is_that_of_all_matches() -> None:
    prs = prs_of(analyses())
    for player, pr in prs.items():
        lost = counted = 0.0
        for analysis in analyses():
            for seat in (0, 1):
                if analysis.players[seat] == player:
                    statistics = analysis.statistics[seat]
                    lost -= statistics.errors.emg
                    counted += statistics.counted
        assert pr == pytest.approx(500 * lost / counted)


def test_habits_count_the_cubes_of_the_analysis() -> None:
    prs = prs_of(analyses())
    for analysis in analyses():
        habits = list(habits_of(analysis, prs))
        cubes = [
            turn.cube_analysis
            for game in analysis.games
            for turn in game.turns
            if turn.cube_analysis is not None
        ]
        doubles = [habit.happened for habit in habits if habit.net == "double"]
        passes = [habit.happened for habit in habits if habit.net == "pass"]
        assert doubles == [cube.doubled for cube in cubes]
        assert passes == [cube.answer is Answered.PASS for cube in cubes if cube.answer is not None]
