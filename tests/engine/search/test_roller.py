"""Rollouts of what a search leaves open: right where plies are wrong, and done when time is up."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import RolloutResult
from sixprime.engine.bearoff.databases import one_sided
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search import roller
from sixprime.engine.search.decide import MONEY, Engine
from sixprime.engine.search.levels import Level, preset
from sixprime.engine.search.plies import Candidate, Evaluation, MoveFilter, Pass, Rolling
from sixprime.engine.search.roller import TAILS, Weighing
from sixprime.protocols.formats import pasted
from tests.support.engine.boards import side
from tests.support.engine.brains import net_alone, random_brain
from tests.support.engine.reference import random_rolls

pytestmark = pytest.mark.patient

BRAIN = net_alone(random_brain())
WIDE = Rolling(trials=108, truncate=6, within=1.0, cube_within=2.0, weight=0, cube_weight=0)
ENDLESS = replace(WIDE, trials=36, clear=100.0)  # nobody is given up
PLAIN = Evaluation(1)
OPEN = replace(PLAIN, rollout=WIDE)
ALL = MoveFilter("all", ((Pass(100, 0, 0.0),),))


def engine(look: Evaluation, threads: int = 1) -> Engine:
    return Engine(Level("test", look, look), threads=threads, brain=BRAIN)


RACE = Position(side(1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 7, 8), side(1, 1, 2, 3, 4, 5, 5, 6, 6, 6))
MIDDLE, _ = pasted.read_position("4HPwATDgc/ABMA")


def test_rollouts_by_nets_that_know_nothing_say_what_a_larger_database_says() -> None:
    """Within their errors; no search here looks at this database of 8 points."""
    truth = one_sided(8)
    every = replace(OPEN, filter=ALL, rollout=replace(WIDE, trials=216, truncate=0, plays=40))

    def off(candidate: Candidate) -> float:
        return candidate.equity + truth.outcomes(candidate.result.flipped()).equity

    rolled = engine(every).move(RACE, MONEY, (4, 1), cubeful=False).candidates
    plain = engine(replace(PLAIN, filter=ALL)).move(RACE, MONEY, (4, 1), cubeful=False).candidates
    assert len(rolled) > 8
    for each in rolled:
        assert each.rolled is not None
        assert abs(off(each)) < 4 * each.rolled.error + 0.005
    assert sum(map(abs, map(off, rolled))) < sum(map(abs, map(off, plain))) / 4


@pytest.mark.parametrize("cube_owner", [None, 0])
def test_threads_change_nothing(cube_owner: int | None) -> None:
    match = MatchState(length=5, cube=2, cube_owner=cube_owner)
    one, two = engine(OPEN), engine(OPEN, threads=2)
    assert one.move(MIDDLE, match, (3, 1)) == two.move(MIDDLE, match, (3, 1))
    assert one.cube(MIDDLE, match) == two.cube(MIDDLE, match)


def test_who_is_clearly_behind_is_given_up_and_the_winner_comes_first() -> None:
    candidates = engine(OPEN).move(MIDDLE, MONEY, (3, 1)).candidates
    trials = [0 if each.rolled is None else each.rolled.trials for each in candidates]
    assert trials == sorted(trials, reverse=True)
    assert max(trials[: WIDE.plays]) > min(trials[: WIDE.plays]) >= roller.ROUND
    assert trials[WIDE.plays :] == [0] * (len(trials) - WIDE.plays)
    last = [each.equity for each in candidates if _trials(each) == trials[0]]
    assert last == sorted(last, reverse=True)


def _trials(candidate: Candidate) -> int:
    return 0 if candidate.rolled is None else candidate.rolled.trials


def test_the_search_counts_as_so_many_trials_and_less_if_they_contradict_it() -> None:
    """Nearly the posterior of a mean: trials are normal, errors of searches Student's (4)."""
    draws = np.random.default_rng(2)
    grid = np.linspace(-0.6, 0.6, 24_001)
    for count, search, truth in ((36, 250, 0.0), (144, 100, 0.05), (36, 100, 0.2)):
        trials = draws.normal(truth, 0.2, count)
        found = Weighing(search, 3.0, 1.0).mean(trials, 0.0)
        scale = float(trials.std(ddof=1)) / math.sqrt(search)
        chance = (1 + (grid / scale) ** 2 / TAILS) ** (-(TAILS + 1) / 2)
        chance *= np.exp(-((grid - trials.mean()) ** 2) * count / (2 * trials.var(ddof=1)))
        exact = float((grid * chance).sum() / chance.sum())
        assert abs(found - exact) < 0.2 * max(abs(float(trials.mean())), 0.02)
    exact_trials = np.full(36, 0.25)
    assert Weighing(250, 3.0, 1.0).mean(exact_trials, 0.2) == pytest.approx(0.25)
    assert Weighing(0, 3.0, 1.0).mean(trials, 9.0) == pytest.approx(trials.mean())


@pytest.mark.parametrize("match", [MONEY, MatchState(length=3, score=(1, 0))])
def test_search_and_trials_meet_between_the_two(match: MatchState) -> None:
    plain = {each.play: each for each in engine(PLAIN).move(MIDDLE, match, (3, 1)).candidates}
    alone = replace(OPEN, rollout=ENDLESS)
    rolled = {each.play: each for each in engine(alone).move(MIDDLE, match, (3, 1)).candidates}
    weighed = replace(OPEN, rollout=replace(ENDLESS, weight=36, cube_weight=36))
    best, *others = engine(weighed).move(MIDDLE, match, (3, 1)).candidates[: WIDE.plays]
    gaps = []
    for each in others:
        by_search = plain[each.play].equity - plain[best.play].equity
        by_trials = rolled[each.play].equity - rolled[best.play].equity
        gaps.append((by_search, each.equity - best.equity, by_trials))
        assert each.rolled is not None
        assert (each.rolled.equity, each.rolled.mwc) == (each.equity, each.mwc)
    seen, sought, found = (
        engine(look).cube(MIDDLE, match).seen for look in (PLAIN, weighed, alone)
    )
    gaps += list(zip(seen[1:3], sought[1:3], found[1:3], strict=True))
    assert len(gaps) == WIDE.plays + 1
    assert [sorted(gap)[1] for gap in gaps] == [gap[1] for gap in gaps]


def test_a_single_trial_leaves_the_search_as_it_is() -> None:
    look = replace(OPEN, rollout=replace(WIDE, trials=1, weight=250, cube_weight=250))
    plain = {each.play: each for each in engine(PLAIN).move(MIDDLE, MONEY, (2, 1)).candidates}
    best, *others = engine(look).move(MIDDLE, MONEY, (2, 1)).candidates[: WIDE.plays]
    assert _trials(best) == 1
    for each in others:
        gap = plain[each.play].equity - plain[best.play].equity
        assert each.equity - best.equity == pytest.approx(gap, abs=0.05)
    seen, searched = (engine(each).cube(MIDDLE).seen for each in (look, PLAIN))
    assert seen.rolled
    assert seen[1:3] == pytest.approx(searched[1:3], abs=0.05)


def test_a_search_that_weighs_all_is_not_overruled() -> None:
    sure = replace(OPEN, rollout=replace(WIDE, weight=10**6))
    for position, dice in itertools.islice(random_rolls(5, 60), 3, 60, 11):
        if not position.is_over() and not position.is_hypergammon():
            found, plain = (engine(look).move(position, MONEY, dice) for look in (sure, PLAIN))
            assert found.best.play == plain.best.play


def test_where_nothing_is_open_plies_decide() -> None:
    narrow = replace(OPEN, rollout=replace(WIDE, within=0.0, cube_within=0.0))
    plain, rolls = engine(PLAIN), engine(narrow)
    for position, dice in itertools.islice(random_rolls(7, 40), 5, 40, 7):
        if not position.is_over() and not position.is_hypergammon():
            assert rolls.move(position, MONEY, dice) == plain.move(position, MONEY, dice)
            assert rolls.cube(position) == plain.cube(position)


@pytest.mark.parametrize("match", [MatchState(cube=2, cube_owner=0), MatchState(length=1)])
def test_a_cube_that_nobody_may_turn_is_not_rolled_out(match: MatchState) -> None:
    assert engine(OPEN).cube(MIDDLE, match) == engine(PLAIN).cube(MIDDLE, match)


class Clock:
    """Time that passes only when it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tick = 0.05

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now


def test_when_time_is_up_the_best_so_far_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roller, "time", Clock())
    level = Level("test", OPEN, OPEN, seconds=7.0)
    found = Engine(level, brain=BRAIN).move(MIDDLE, MONEY, (3, 1)).candidates
    trials = [_trials(each) for each in found[: WIDE.plays]]
    assert roller.ROUND < max(trials) < 2 * roller.ROUND
    assert set(trials) <= {max(trials), roller.ROUND}


def test_less_than_a_round_does_not_overrule_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roller, "time", Clock())
    hurried = Engine(Level("test", OPEN, OPEN, seconds=1.5), brain=BRAIN)
    assert all(each.rolled is None for each in hurried.move(MIDDLE, MONEY, (3, 1)).candidates)
    assert hurried.cube(MIDDLE).seen.rolled == ()


def test_a_slow_decision_does_not_stop_the_next_ones_from_being_rolled_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(roller, "time", clock)
    used = Engine(Level("test", OPEN, OPEN, seconds=30.0), brain=BRAIN)
    clock.tick = 20.0
    used.cube(MIDDLE)
    clock.tick = 0.05
    assert used.cube(MIDDLE).seen.rolled


def test_without_any_time_for_a_rollout_plies_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roller, "time", Clock())
    hurried = Engine(Level("test", OPEN, OPEN, seconds=0.01), brain=BRAIN)
    at_sight = engine(Evaluation(0))  # a search that time cuts is one at first sight
    assert hurried.cube(MIDDLE).seen.rolled == ()
    best = hurried.move(MIDDLE, MONEY, (3, 1)).best
    assert best.rolled is None
    assert best.play in [each.play for each in at_sight.move(MIDDLE, MONEY, (3, 1)).candidates]


def test_an_analysis_judges_by_the_same_rollouts() -> None:
    settings = AnalysisSettings.of(Level("test", OPEN, OPEN))
    found = engine(OPEN).move(MIDDLE, MONEY, (3, 1))
    made = found.candidates[-1]
    state = MatchState()
    turn = Examiner(BRAIN, settings).turn(
        Happened(0, MIDDLE, state, 0, dice=(3, 1), play=made.play)
    )
    assert turn.move is not None is not turn.cube_analysis
    assert isinstance(turn.move.candidates[0].by, RolloutResult)
    assert isinstance(turn.move.candidates[turn.move.chosen or 0].by, RolloutResult)
    assert turn.move.candidates[0].equity == pytest.approx(found.best.equity, abs=1e-6)
    assert turn.cube_analysis is not None
    assert isinstance(turn.cube_analysis.by, RolloutResult)
    assert turn.cube_analysis.equities[0] == pytest.approx(
        engine(OPEN).cube(MIDDLE).decision.no_double, abs=1e-6
    )


def test_settings_without_rollouts_keep_the_keys_of_kept_analyses() -> None:
    assert AnalysisSettings.of("world-class", weights="0" * 12).key == "world-class-75bdd6ed85bf"
    assert AnalysisSettings.of("roller").seconds == 10.0


# what two plies say wrongly, and what whole games say (by this program and others)
WRONG_AT_TWO_PLIES = [
    ("4AIfTGLguWRAMg", "No double, take|Double, take"),
    ("SOKMNgWFDzEbCA:cAlgAAAAAAAA", "No double, take"),
    ("czYzAkDm9hAABw:cAkAAAAAAAAA", "No double, take"),
    ("4Dk4AD2Y28FBIA:cAlgAQAAMAAA", "No double, take|Double, take"),
    ("t+0AAA44dxuAQA:cAlgAQAAGAAA", "Too good to double, pass|Double, pass"),
    ("4C/wQQLgc+EHAA", "Double, take"),
    ("qM/gQSCwT8YBMA", "Double, take"),
    ("mNuYAWCzWULAJA:UQkAAAAAAAAA", "No redouble, take"),
]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("position", "right"), WRONG_AT_TWO_PLIES)
def test_cubes_that_two_plies_get_wrong_come_out_right(position: str, right: str) -> None:
    board, match = pasted.read_position(position)
    level = preset("roller")
    assert level.cube.rollout is not None
    cube = replace(level.cube, rollout=replace(level.cube.rollout, trials=324))
    found = Engine(replace(level, cube=cube, seconds=None), threads=1).cube(board, match or MONEY)
    assert found.decision.action in right.split("|")
