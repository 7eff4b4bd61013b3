from __future__ import annotations

import itertools
import json
import math
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.bearoff import databases as bearoff
from sixprime.engine.kernels.cube import CENTRED
from sixprime.engine.kernels.evaluation import CONTACT, RACE, judge
from sixprime.engine.kernels.luck import RESULTS, known_luck
from sixprime.engine.kernels.rollout import (
    LUCK,
    TrialScratch,
    add_luck,
    begin_trial,
    draw_lots,
    put_at_root,
    roll_of,
    trial_scratch,
)
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.rollout import (
    LOOK,
    BadRollout,
    RolloutSettings,
    _possible,
    of_cube,
    of_plays,
    of_position,
    play_trials,
    verdict,
)
from sixprime.engine.search.trials import _idle_scratch, _permutations, _plan
from sixprime.protocols.formats.ids import position_id, read_position_id
from tests.support.engine.boards import side
from tests.support.engine.brains import random_brain

pytestmark = pytest.mark.patient

BRAIN = random_brain()
MONEY = MatchState()


LATE_RACE = Position(
    side(1, 2, 3, 4, 5, 6, 8), side(1, 2, 2, 4, 5, 6, 7)
)  # just outside the databases
OUTSIDE = RolloutSettings(trials=360, cubeful=False, databases=False)


def test_every_first_roll_comes_once_in_36_trials_and_every_pair_once_in_1296() -> None:
    table = _permutations(5)
    pairs = [(roll_of(n, 0, table, 5), roll_of(n, 1, table, 5)) for n in range(1296)]
    assert len({first for first, _ in pairs[:36]}) == 36
    assert len(set(pairs)) == 1296
    assert all(1 <= die <= 6 for first, then in pairs for die in (*first, *then))


def test_later_rolls_are_random_and_a_function_of_seed_trial_and_turn() -> None:
    table = _permutations(5)
    rolls = [roll_of(n, 300, table, 5) for n in range(7200)]
    assert rolls == [roll_of(n, 300, table, 5) for n in range(7200)]
    counts = np.bincount([6 * first + then - 7 for first, then in rolls], minlength=36)
    assert ((counts - 200) ** 2 / 200).sum() < 73  # chi-square of 35 degrees: 1 in 5,000


def test_a_rollout_to_the_end_agrees_with_the_database() -> None:
    position = Position(side(1, 2, 3, 5), side(2, 3, 4))
    exact = bearoff.two_sided().outcomes(position)
    rolled = of_position(position, MONEY, replace(OUTSIDE, trials=720)).run(BRAIN)[0]
    assert rolled.outcomes[0] == pytest.approx(exact.win, abs=4 * rolled.outcome_errors[0] + 1e-3)
    assert rolled.outcome_errors[0] < 0.01


def test_taking_the_luck_out_changes_the_error_and_not_the_answer() -> None:
    position = Position(side(1, 1, 2, 3, 4, 5, 6), side(1, 1, 2, 3, 4, 6, 6))
    plain = of_position(position, MONEY, replace(OUTSIDE, reduce_variance=False)).run(BRAIN)[0]
    reduced = of_position(position, MONEY, OUTSIDE).run(BRAIN)[0]
    assert reduced.error < plain.error / 10
    assert abs(reduced.equity - plain.equity) < 4 * (plain.error + reduced.error)
    assert reduced.reduction == pytest.approx((plain.error / reduced.error) ** 2)
    assert plain.reduction is None


@pytest.mark.parametrize("name", ["2J6DBwBoz8HBAA", "bJuDgwCw5+ABUA"])
def test_nearly_all_the_luck_of_a_game_in_contact_is_taken_out(name: str) -> None:
    settings = replace(OUTSIDE, trials=216)
    rolled = of_position(read_position_id(name), MONEY, settings).run(load_brain())[0]
    assert rolled.reduction is not None
    assert rolled.reduction > 40


@pytest.mark.parametrize(
    ("checkers", "lowest"), [((15, 15), 1), ((15, 3), 5), ((6, 15), 1), ((11, 7), 1), ((4, 6), 1)]
)
def test_the_luck_that_a_database_knows_is_nought_on_average(
    checkers: tuple[int, int], lowest: int
) -> None:
    """Over all 36 rolls, in each of the chances: gammons, too, have plays of their own."""
    draws, scratch = np.random.default_rng(sum(checkers)), _idle_scratch(BRAIN)
    value, luck = np.zeros((2, RESULTS))
    lucky = False
    for _ in range(20):
        mine, theirs = (
            side(*draws.integers(least, 7, each))
            for each, least in zip(checkers, (lowest, 1), strict=True)
        )
        position = Position(mine, theirs)
        plan = _plan(MONEY, of_position(position, MONEY, OUTSIDE).alternatives[0], OUTSIDE, scratch)
        search = plan.looks.searches[LUCK]
        search.walk.boards[0][:] = position.array()
        search.walk.states[0, 0] = 1
        kind = judge(search.brain, position.array(), 15, search.work, search.walk.outcomes[0])
        lucks = []
        for die1, die2 in itertools.product(range(1, 7), repeat=2):
            known_luck(search, kind, 0, die1, die2, value, luck)
            lucks.append(luck.copy())
        assert np.mean(lucks, axis=0) == pytest.approx(0.0, abs=5e-5)  # 16 bits a chance
        lucky = lucky or float(np.std(lucks)) > 1e-3
    assert lucky


def test_the_luck_in_a_race_is_nought_on_average_whether_found_anew_or_remembered() -> None:
    """Races are pruned for it: the average and the roll alike, or it would favour somebody."""
    start = of_position(LATE_RACE, MONEY, OUTSIDE).alternatives[0]
    plan = _plan(MONEY, start, OUTSIDE, _idle_scratch(BRAIN))
    search = plan.looks.searches[LUCK]
    remembering = trial_scratch()

    def luck(room: TrialScratch, die1: int, die2: int) -> list[float]:
        begin_trial(plan, room, 0)
        room.known[0] = judge(search.brain, room.board, 15, search.work, room.outcomes)
        put_at_root(room, search.walk)
        add_luck(search, plan, room, 0, 0, die1, die2)
        return [float(each) for each in room.luckless]

    rolls = list(itertools.product(range(1, 7), repeat=2))
    remembered = [luck(remembering, *roll) for roll in rolls]
    assert remembered == [luck(trial_scratch(), *roll) for roll in rolls]
    assert np.mean(remembered, axis=0) == pytest.approx(0.0, abs=1e-6)
    assert np.std(remembered) > 1e-3


@given(
    st.lists(
        st.tuples(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_lots_let_each_turn_count_once_on_average(turns: list[tuple[list[float], bool]]) -> None:
    room, starts = trial_scratch(), 1000
    weights = np.zeros((starts, len(turns)))
    for start in range(starts):
        room.lots[0] = (start + 0.5) / starts
        for turn, (outcomes, contact) in enumerate(turns):
            room.known[0] = CONTACT if contact else RACE
            room.outcomes[:5] = outcomes
            draw_lots(room)
            weights[start, turn] = room.weight[0]
    assert np.mean(weights, axis=0) == pytest.approx(1.0, abs=0.02)


@given(st.lists(st.floats(-1.0, 2.0), min_size=5, max_size=5))
def test_chances_stay_possible_with_few_trials(means: list[float]) -> None:
    win, gammon, backgammon, lost_gammon, lost_backgammon = _possible(np.array(means))
    assert 1.0 >= win >= gammon >= backgammon >= 0.0
    assert 1.0 - win >= lost_gammon >= lost_backgammon >= 0.0
    assert _possible(np.array([0.6, 0.3, 0.1, 0.2, 0.0])) == (0.6, 0.3, 0.1, 0.2, 0.0)


def test_stopped_and_resumed_is_the_same_as_at_one_go_with_any_threads(tmp_path: Path) -> None:
    plays = [each.play for each in legal_plays(LATE_RACE, (5, 2))][:3]
    settings = replace(OUTSIDE, trials=100, cubeful=True)
    whole = of_plays(LATE_RACE, MONEY, plays, settings).run(BRAIN, threads=2)
    part = of_plays(LATE_RACE, MONEY, plays, replace(settings, trials=40))
    part.run(BRAIN, save=tmp_path / "state")
    rest = of_plays(LATE_RACE, MONEY, plays, settings)
    rest.resume(tmp_path / "state")
    assert rest.run(BRAIN) == whole


def test_a_rollout_that_was_killed_goes_on_to_the_same_numbers(
    tmp_path: Path, weights: str
) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-c", "from sixprime.bot.cli.main import run; run()", "rollout"]
    command += [position_id(LATE_RACE), "--weights", weights, "--json", "--truncate", "4"]
    keep = ["--resume", str(state)]
    endless = [*command, *keep, "--trials", "10000000"]
    with subprocess.Popen(endless, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        while not state.exists() and program.poll() is None:
            time.sleep(0.01)
        program.send_signal(signal.SIGKILL)
        assert program.wait(timeout=60) == -signal.SIGKILL
    with np.load(state) as saved:
        command += ["--trials", str(len(saved["results0"]) + 100)]
    resumed, whole = (
        json.loads(subprocess.run(each, stdout=subprocess.PIPE, check=True).stdout)
        for each in ([*command, *keep], command)
    )
    assert resumed == whole
    assert whole["candidates"][0]["trials"] > 100
    assert whole["candidates"][0]["reduction"] > 0


def test_a_state_of_another_rollout_is_refused(tmp_path: Path) -> None:
    of_position(LATE_RACE, MONEY, replace(OUTSIDE, trials=3)).run(BRAIN, save=tmp_path / "state")
    other = of_position(LATE_RACE, MONEY, replace(OUTSIDE, trials=3, seed=9))
    with pytest.raises(BadRollout, match="another position, match, weights or settings"):
        other.resume(tmp_path / "state")
    same = of_position(LATE_RACE, MONEY, replace(OUTSIDE, trials=3))
    same.weights = "0123456789ab"
    with pytest.raises(BadRollout, match="another position, match, weights or settings"):
        same.resume(tmp_path / "state")


def test_a_broken_state_is_refused_in_one_line(tmp_path: Path) -> None:
    rollout = of_position(LATE_RACE, MONEY, replace(OUTSIDE, trials=3))
    rollout.run(BRAIN, save=tmp_path / "state")
    whole = (tmp_path / "state").read_bytes()
    np.save(tmp_path / "array.npy", np.zeros(3))
    for broken in (b"PK nonsense", whole[:-30], (tmp_path / "array.npy").read_bytes()):
        (tmp_path / "state").write_bytes(broken)
        with pytest.raises(BadRollout, match="state: not a saved rollout"):
            rollout.resume(tmp_path / "state")


def test_trials_are_a_function_of_their_numbers() -> None:
    alternative = of_position(LATE_RACE, MONEY, OUTSIDE).alternatives[0]
    together = play_trials(MONEY, alternative, OUTSIDE, 10, 5, BRAIN)
    alone = [play_trials(MONEY, alternative, OUTSIDE, n, 1, BRAIN)[0] for n in range(10, 15)]
    assert (together == np.stack(alone)).all()


def test_a_sure_win_is_worth_the_cube_that_is_doubled_out() -> None:
    position = Position(side(1), side(*[6] * 14))
    rolled = of_position(position, MatchState(jacoby=True), RolloutSettings(trials=36)).run(BRAIN)[
        0
    ]
    assert rolled.equity == pytest.approx(1.0)
    rollout = of_cube(position, MONEY, RolloutSettings(trials=36))
    rollout.run(BRAIN)
    assert rollout.alternatives[0].owner == CENTRED
    assert verdict(rollout).action == "Double, pass"


def test_no_double_waits_for_a_roll_even_where_the_database_knows_the_rest() -> None:
    position = Position(side(6), side(1))  # 27 of 36 rolls win at once, and none later
    rollout = of_cube(position, MONEY, replace(OUTSIDE, trials=36, cubeful=True, databases=True))
    no_double, double_take = rollout.run(BRAIN)
    assert no_double.equity == pytest.approx(0.5, abs=1e-4)
    assert double_take.equity == pytest.approx(1.0, abs=1e-4)
    assert verdict(rollout).action == "Double, take"


def test_match_play_is_told_in_winning_chances() -> None:
    match = MatchState(length=5, score=(2, 3))
    rolled = of_position(LATE_RACE, match, RolloutSettings(trials=36)).run(BRAIN)[0]
    assert rolled.mwc is not None
    assert 0 < rolled.mwc < 1


def test_a_hopeless_play_is_given_up_early() -> None:
    position = Position(side(1, 1, 6, 6), side(3, 4, 5, 6))
    best, *_, worst = sorted(legal_plays(position, (6, 1)), key=lambda each: sum(each.result.mine))
    settings = replace(OUTSIDE, trials=720, stop_at=4.0, stop_after=36)
    rolled = of_plays(position, MONEY, [best.play, worst.play], settings).run(BRAIN)
    assert rolled[0].trials == 720 or rolled[1].trials == 720
    assert min(each.trials for each in rolled) < 720


def test_who_is_given_up_does_not_depend_on_the_number_of_threads() -> None:
    plays = [each.play for each in legal_plays(LATE_RACE, (6, 1))][:4]
    settings = replace(OUTSIDE, trials=3 * LOOK + 10, truncate=3, stop_at=1.0, stop_after=LOOK)
    one = of_plays(LATE_RACE, MONEY, plays, settings).run(BRAIN)
    three = of_plays(LATE_RACE, MONEY, plays, settings).run(BRAIN, threads=3)
    assert one == three
    assert {each.trials % LOOK for each in one} == {0, 10}


@pytest.mark.parametrize(
    "wrong",
    [
        {"trials": 0},
        {"truncate": -1},
        {"truncate": 2**70},
        {"seed": -1},
        {"seed": 2**63},
        {"stop_at": math.nan},
    ],
)
def test_senseless_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadRollout):
        of_position(LATE_RACE, MONEY, replace(OUTSIDE, **wrong))  # type: ignore[arg-type]
