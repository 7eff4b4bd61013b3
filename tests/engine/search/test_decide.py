"""The one door: what it answers, and what it refuses."""

from __future__ import annotations

import pytest

from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Phase, Position
from sixprime.engine.search.decide import MONEY, Engine, NoDecision
from sixprime.engine.search.levels import Level, UnknownLevel
from sixprime.engine.search.plies import CubeEfficiency, Evaluation
from tests.support.engine.brains import random_brain
from tests.support.engine.cubemodel import cube_decision

BRAIN = random_brain()
ENGINE = Engine("expert", brain=BRAIN)
START = Position.start()
LAST_CHECKERS = Position((1,) + (0,) * 24, (2, 1) + (0,) * 23)  # I bear off with any roll
HOPELESS = Position((0,) * 5 + (15,) + (0,) * 19, (1,) + (0,) * 24)  # they do, and I lose a gammon


def test_a_roll_is_answered_by_every_play_and_the_best_first() -> None:
    decision = ENGINE.move(START, MONEY, (3, 1))
    assert len(decision.candidates) == 16
    assert decision.best == max(decision.candidates, key=lambda each: each.equity)


def test_the_dice_of_the_match_are_played_where_none_are_given() -> None:
    match = MatchState(dice=(6, 5))
    assert ENGINE.move(START, match) == ENGINE.move(START, MONEY, (6, 5))


def test_a_certain_win_is_a_double_and_a_pass() -> None:
    advice = ENGINE.cube(LAST_CHECKERS, MONEY)
    assert list(advice.outcomes) == [1, 0, 0, 0, 0]
    assert advice.decision.double
    assert not advice.decision.take
    assert ENGINE.answer(LAST_CHECKERS, MONEY) is Answer.PASS


def test_cubeless_the_right_to_double_is_worth_nothing() -> None:
    free = ENGINE.cube(START, MONEY, cubeful=False)
    win, gammon, backgammon, lost, lost_backgammon = free.outcomes
    plain = 2 * win - 1 + gammon + backgammon - lost - lost_backgammon
    assert free.decision.no_double == pytest.approx(plain, abs=1e-6)
    assert ENGINE.cube(START, MONEY).decision.no_double != pytest.approx(plain, abs=1e-4)


def test_the_verdict_on_0_ply_is_the_models_own() -> None:
    for match in (MONEY, MatchState(jacoby=True), MatchState(length=7, score=(3, 2))):
        advice = ENGINE.cube(START, match)
        plain = cube_decision(advice.outcomes, match)
        assert advice.decision.no_double == pytest.approx(plain.no_double, abs=1e-6)
        assert advice.decision.double_take == pytest.approx(plain.double_take, abs=1e-6)
        assert advice.decision.action == plain.action


@pytest.mark.parametrize("match", [MONEY, MatchState(length=5)], ids=["money", "match"])
def test_what_is_certainly_lost_is_resigned_for_what_it_costs_and_not_for_less(
    match: MatchState,
) -> None:
    other = 1 - match.on_roll
    won = HOPELESS.flipped()  # the player on roll bears off the last checker
    assert ENGINE.resignation(won, match, other) == 2
    assert ENGINE.resignation(won, match, match.on_roll) == 0
    assert not ENGINE.accepts_resignation(won, match, match.on_roll, 1)
    assert ENGINE.accepts_resignation(won, match, match.on_roll, 2)
    assert ENGINE.accepts_resignation(won, match, match.on_roll, 3)


def test_nobody_resigns_or_accepts_too_little_at_the_start() -> None:
    for seat in (0, 1):
        assert ENGINE.resignation(START, MONEY, seat) == 0
        assert ENGINE.accepts_resignation(START, MONEY, seat, 1)


@pytest.mark.parametrize("match", [MatchState(dice=(2, 1)), MatchState(length=3, dice=(2, 1))])
def test_a_resignation_after_the_roll_is_judged_by_the_best_play(match: MatchState) -> None:
    race = Position((1, 1) + (0,) * 23, (1,) + (0,) * 24)  # 2-1 bears both off
    assert ENGINE.accepts_resignation(race, match, match.on_roll, 1)
    assert ENGINE.resignation(race, match, match.on_roll) == 0
    short = race.flipped()
    assert ENGINE.accepts_resignation(short, match, 1 - match.on_roll, 1)


@pytest.mark.parametrize(
    ("position", "match", "why"),
    [
        (Position((0,) * 25, START.theirs), MONEY, "the game is over"),
        (START, MatchState(phase=Phase.DROPPED), "the game is over"),
        (START, MatchState(length=5, score=(5, 2)), "the match is over"),
        (Position((16,) + (0,) * 24, START.theirs), MONEY, "16 checkers"),
        (Position((0,) * 23 + (1, 0), (1,) + (0,) * 24), MONEY, "both sides stand on point 24"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_words(
    position: Position, match: MatchState, why: str
) -> None:
    with pytest.raises(NoDecision, match=why):
        ENGINE.move(position, match, (3, 1))
    with pytest.raises(NoDecision, match=why):
        ENGINE.cube(position, match)


def test_impossible_dice_are_refused_in_words() -> None:
    with pytest.raises(NoDecision, match="1 to 6, not 7 and 1"):
        ENGINE.move(START, MONEY, (7, 1))
    with pytest.raises(NoDecision, match="nobody has rolled"):
        ENGINE.move(START, MONEY)


def test_a_match_longer_than_the_tables_is_decided_as_one_they_reach() -> None:
    """FIBS has matches of up to 99 points, tables 64."""
    for length, score, away in (
        (99, (0, 35), (64, 64)), (99, (98, 95), (1, 4)), (65, (1, 1), (64, 64)),
    ):  # fmt: skip
        long = MatchState(length=length, score=score)
        known = MatchState(length=64, score=(64 - away[0], 64 - away[1]))
        assert ENGINE.cube(START, long) == ENGINE.cube(START, known)
        assert ENGINE.move(START, long, (3, 1)) == ENGINE.move(START, known, (3, 1))
        assert ENGINE.resignation(HOPELESS, long, 1) == ENGINE.resignation(HOPELESS, known, 1)
        for games in (1, 2):
            told = [ENGINE.accepts_resignation(START, each, 0, games) for each in (long, known)]
            assert told[0] == told[1]


def test_plays_and_cube_are_looked_at_as_closely_as_the_level_says() -> None:
    level = Level("mixed", Evaluation(1), Evaluation(0))
    engine = Engine(level, brain=BRAIN, threads=2)
    assert engine.move(START, MONEY, (3, 1)).best.plies == 1
    assert engine.cube(START) == ENGINE.cube(START)


def test_a_level_is_known_by_name() -> None:
    assert Engine("supremo", brain=BRAIN).level.checker.plies == 2
    with pytest.raises(UnknownLevel):
        Engine("suprem", brain=BRAIN)


@pytest.mark.parametrize("efficiency", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("match", [MONEY, MatchState(length=5, score=(1, 2))])
def test_a_cube_is_as_live_as_a_level_says(efficiency: float, match: MatchState) -> None:
    look = Evaluation(efficiency=CubeEfficiency(contact=efficiency))
    advice = Engine(Level("mine", Evaluation(), look), brain=BRAIN).cube(START, match)
    assert advice.decision == cube_decision(advice.outcomes, match, efficiency)


def test_pruning_keeps_as_many_replies_as_a_level_says() -> None:
    few, many = (
        Engine(Level("mine", look, look), brain=BRAIN).cube(START)
        for look in (Evaluation(1, keep=1), Evaluation(1, keep=1000))
    )
    every = Engine(Level("all", Evaluation(1), Evaluation(1, prune=False)), brain=BRAIN).cube(START)
    assert few != many
    assert many.decision.no_double <= every.decision.no_double
