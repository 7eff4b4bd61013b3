"""Levels that play like people: their names, and the engine at such a level."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.ratings import LEAST_PR, MOST_PR, canonical, pr_fault, pr_named
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.acting import act
from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision
from sixprime.engine.search.levels import PRESETS, Level, UnknownLevel, preset
from sixprime.engine.search.players import EnginePlayer
from sixprime.engine.study.rolls import rolls_of
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import random_rolls

BRAIN = random_brain()
MATCH = MatchState(5, (1, 2))


def engine(level: Level | str = "pr 9", *, threads: int = 1, seed: int = 1) -> Engine:
    return Engine(level, brain=BRAIN, threads=threads, seed=seed)


def spots(seed: int, count: int) -> list[tuple[Position, Dice]]:
    return [
        (position, dice)
        for position, dice in random_rolls(seed, 4 * count)
        if not position.is_over() and position.checkers == 15
    ][:count]


def choices(level: Level | str, seed: int = 41, count: int = 60) -> list[int]:
    """The places of the plays that a level makes."""
    asked = engine(level)
    return [asked.move(position, MATCH, dice).chosen for position, dice in spots(seed, count)]


NAMES = st.text(max_size=12) | st.builds(
    "{}{}".format, st.sampled_from(["pr ", "PR", "pr"]), st.text("0123456789. ,e", max_size=6)
)

# --- names


@given(st.integers(100, 2500), st.sampled_from(["pr ", "pr", "PR ", "Pr   "]), st.booleans())
def test_every_pr_in_range_has_a_name_and_is_read_again(
    hundredths: int, prefix: str, short: bool
) -> None:
    pr = hundredths / 100
    text = f"{pr:g}" if short else f"{pr:.2f}"
    assert pr_named(prefix + text) == pr
    assert canonical(prefix + text) == f"pr {pr:g}"
    level = preset(prefix + text)
    assert (level.name, level.person and level.person.pr) == (f"pr {pr:g}", pr)
    assert preset(level.name) == level


@given(NAMES)
@example("pr 6\n")
@example("pr ٦")
@example("pr 1e1")
@example("pr +6")
@example("pr nan")
@example("pr 6.")
@example("pr 6,5")
def test_a_name_that_is_no_pr_is_none(name: str) -> None:
    """Only the digits that a person could have meant are a PR."""
    head, digits = name[:2], name[2:].strip(" ")
    whole, _, rest = digits.partition(".")
    meant = (
        head.lower() == "pr"
        and not name.endswith(" ")
        and 1 <= len(whole) <= 3
        and all(letter in "0123456789" for letter in whole + rest)
        and ("." not in digits or 1 <= len(rest) <= 3)
    )
    assert (pr_named(name) is not None) == meant


@pytest.mark.parametrize("pr", [0.0, 0.99, 25.01, 60.0, 999.0])
def test_a_pr_out_of_range_is_refused_with_the_range(pr: float) -> None:
    fault = f"pr {pr:g} is out of range, people play from pr 1 to pr 25"
    assert pr_fault(pr) == fault
    with pytest.raises(UnknownLevel, match=fault):
        preset(f"pr {pr:g}")
    with pytest.raises(UnknownLevel, match=fault):
        engine(f"pr{pr:g}")


def test_both_ends_of_the_range_can_be_played_at() -> None:
    assert pr_fault(LEAST_PR) is pr_fault(MOST_PR) is None


# --- plays


def test_plays_are_ranked_as_by_expert_and_their_chances_sum_to_1() -> None:
    person, expert = engine(), engine("expert")
    for position, dice in spots(42, 40):
        found = person.move(position, MATCH, dice)
        assert found.candidates == expert.move(position, MATCH, dice).candidates
        assert len(found.chances) == len(found.candidates)
        assert min(found.chances) >= 0
        assert sum(found.chances) == pytest.approx(1, abs=1e-9)
        assert found.played in found.candidates
        assert found.best is found.candidates[0]
        if len(found.candidates) == 1:
            assert found.chances == (1.0,)


def test_without_the_cube_it_works_too() -> None:
    for position, dice in spots(43, 10):
        found = engine().move(position, MATCH, dice, cubeful=False)
        cubeless = engine("expert").move(position, MATCH, dice, cubeful=False)
        assert found.candidates == cubeless.candidates
        assert sum(found.chances) == pytest.approx(1, abs=1e-9)


def test_other_levels_have_no_chances_and_play_the_best() -> None:
    for level in ("expert", "beginner"):
        for position, dice in spots(44, 5):
            found = engine(level).move(position, MATCH, dice)
            assert (found.chances, found.chosen, found.played) == ((), 0, found.best)


def test_one_person_plays_a_position_alike_at_any_time_with_any_threads() -> None:
    asked = spots(45, 30)
    once = [engine().move(position, MATCH, dice) for position, dice in asked]
    order = list(range(len(asked)))
    random.Random(1).shuffle(order)
    threaded = engine(threads=3)
    shuffled: dict[int, MoveDecision] = {}
    for i in order:
        shuffled[i] = threaded.move(asked[i][0], MATCH, asked[i][1])
    assert [shuffled[i] for i in range(len(asked))] == once


def test_people_err_more_at_a_higher_pr_and_another_seed_is_another_person() -> None:
    nine, other = preset("pr 9"), preset("pr 9").of_seed(2)
    assert choices(nine) == choices("pr 9") != choices(other)
    assert any(place != 0 for place in choices(nine))
    better, worse = (sum(place == 0 for place in choices(pr)) for pr in ("pr 1", "pr 25"))
    assert better > worse


def test_random_people_choose_anew_each_time_but_follow_the_seed_of_the_engine() -> None:
    level = preset("pr 20")
    level = replace(level, checker=replace(level.checker, deterministic=False))
    position, dice = spots(46, 8)[5]

    def repeated(seed: int) -> list[int]:
        asked = engine(level, seed=seed)
        return [asked.move(position, MATCH, dice).chosen for _ in range(40)]

    assert len(engine(level).move(position, MATCH, dice).candidates) > 5
    assert len(set(repeated(1))) > 1
    assert repeated(1) == repeated(1) != repeated(2)


# --- players and judges


def test_a_player_makes_the_chosen_play_and_a_judge_sees_the_best() -> None:
    asked, sober = engine("pr 25"), engine("expert")
    player = EnginePlayer(asked)
    chosen = 0
    for position, dice in spots(47, 30):
        decision = asked.move(position, MATCH, dice)
        match = MATCH.with_(dice=dice)
        if legal_plays(position, dice)[0].play != ():
            assert position.after(player.play(position, match)) == decision.played.result
            chosen += decision.chosen != 0
    assert chosen > 5
    start = Position.start()
    assert rolls_of(start, MATCH, asked) == rolls_of(start, MATCH, sober)


def test_an_analysis_judges_without_people() -> None:
    settings, expert = AnalysisSettings.of("pr 6"), PRESETS["expert"]
    assert (settings.checker, settings.cube) == (expert.checker, expert.cube)


# --- the cube


def cubes(level: Level | str, count: int = 60) -> list[CubeAdvice]:
    asked = engine(level)
    return [asked.cube(position, MATCH) for position, _ in spots(48, count)]


def test_people_see_the_cube_as_expert_does_and_turn_it_in_their_own_way() -> None:
    sober, found = cubes("expert"), cubes("pr 25")
    assert [each.decision for each in found] == [each.decision for each in sober]
    assert [each.doubles for each in found] != [each.doubles for each in sober]
    assert found == cubes("pr 25")
    for advice in found:
        shares = dict(advice.chances)
        assert 0 <= shares.pop("double") <= 1
        assert sum(shares.values()) == pytest.approx(1)
        assert advice.answer().value in shares
    assert all(advice.chances == {} for advice in sober)


def test_a_level_may_turn_the_cube_like_people_and_play_like_the_engine() -> None:
    level = replace(PRESETS["expert"], cube_person=preset("pr 25").cube_person)
    assert [each.doubles for each in cubes(level)] == [each.doubles for each in cubes("pr 25")]
    assert choices(level) == [0] * 60


def test_a_dead_cube_is_never_turned() -> None:
    last = MatchState(5, (4, 2), crawford=True)
    for position, _ in spots(49, 30):
        assert not engine("pr 25").cube(position, last).doubles


def test_an_offer_to_resign_has_whole_games_and_a_certain_one_is_the_engines() -> None:
    asked = engine("pr 14")
    for position, _ in spots(50, 40):
        assert asked.resignation(position, MATCH, 0) in (0, 1, 2, 3)
        certain = asked.resignation(position, MATCH, 0, certain=True)
        assert certain == engine("expert").resignation(position, MATCH, 0)


def test_whole_games_are_played_by_the_rules() -> None:
    player, dice = EnginePlayer(engine("pr 12")), random.Random(3)
    for position, _ in spots(51, 20):
        roll = dice.randint(1, 6), dice.randint(1, 6)
        act(player, position, MATCH.with_(dice=roll))  # raises if it breaks the rules
        act(player, position, MATCH, may_resign=True)
        act(player, position, MATCH.with_(doubled=True, to_act=1))
