"""The contact net says how alive the cube is, and searches use that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels import network
from sixprime.engine.kernels.evaluation import CONTACT, class_of, judge, scratch_for
from sixprime.engine.kernels.inputs import phase_of
from sixprime.engine.nets.weights import (
    brain_of,
    load_brain,
    load_nets,
    save_brain,
    with_life,
    without_life,
)
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import CubeContext, worth_of
from sixprime.engine.search.plies import CubeEfficiency, Evaluation, Search
from tests.support.engine.brains import living_nets, random_nets
from tests.support.engine.reference import random_rolls
from tests.support.engine.sums import after_sums, sums

NETS = living_nets()
SEARCH = Search(brain_of(NETS))
SOME = [
    position
    for position, _ in random_rolls(21, 120)
    if position.checkers == 15 and class_of(position.array(), 15) == CONTACT
][:40]
MATCHES = [
    MatchState(),
    MatchState(jacoby=True),
    MatchState(cube=2, cube_owner=1),
    MatchState(cube=2, cube_owner=0),
    MatchState(length=7, score=(2, 4)),
    MatchState(length=9, score=(1, 3), cube=2, cube_owner=0),
]


def judged(position: Position) -> tuple[np.ndarray, int]:
    work, out = scratch_for(SEARCH.brain), np.zeros(network.JUDGED, np.float32)
    judge(SEARCH.brain, position.array(), 15, work, out)
    return out, int(phase_of(work.contact.slots))


def lives(position: Position) -> tuple[float, ...]:
    """From the net's arrays: its logits as they are."""
    _, tail = judged(position)
    likely = after_sums(NETS.contact, sums(NETS.contact, position), tail)[network.LIFE :]
    return tuple(np.log(likely / (1 - likely)).tolist())


def test_efficiencies_are_the_last_layers_own_and_turn_round_with_the_board() -> None:
    met = set()
    for position in SOME:
        said, _ = judged(position)
        assert said[network.LIFE :] == pytest.approx(lives(position), abs=2e-3)
        turned = np.zeros(network.JUDGED, np.float32)
        network.turn_round(said, turned)
        assert turned[network.LIFE :].tolist() == said[network.LIFE :][::-1].tolist()
        met.update(np.round(said[network.LIFE :], 2).tolist())
    assert len(met) > 30


def test_no_cube_is_deader_than_dead_or_livelier_than_live() -> None:
    brain, out = load_brain(), np.zeros(network.JUDGED, np.float32)
    met = set()
    for position, _ in random_rolls(22, 2000):
        kind = judge(brain, position.array(), position.checkers, scratch_for(brain), out)
        if kind == CONTACT:
            met.update(out[network.LIFE :].tolist())
    assert min(met) == 0.0
    assert max(met) == 1.0


@pytest.mark.parametrize("match", MATCHES)
def test_each_cube_has_the_efficiency_of_its_owner(match: MatchState) -> None:
    context = CubeContext.of(match)
    for position in SOME:
        seen = SEARCH.see(position, match, Evaluation())
        live = kernel.Liveness(tuple(judged(position)[0][network.LIFE :]), np.zeros(3), False)
        for (cube, owner), worth in zip(context.states.tolist(), seen[1:3], strict=True):
            own = worth_of(seen.outcomes, context, (cube, owner), live)
            assert worth == pytest.approx(own, abs=1e-6)


def test_a_setting_replaces_what_the_net_says() -> None:
    level = Evaluation(efficiency=CubeEfficiency(contact=0.5))
    context = CubeContext.of(MATCHES[0])
    half = kernel.Liveness((0.5,) * 3, np.zeros(3), False)
    for position in SOME[:5]:
        seen = SEARCH.see(position, MATCHES[0], level)
        assert seen.no_double == pytest.approx(
            worth_of(seen.outcomes, context, (1, kernel.CENTRED), half), abs=1e-6
        )


@pytest.mark.parametrize("plies", [0, 1])
def test_a_net_that_knows_no_life_has_the_usual_one(plies: int) -> None:
    search = Search(brain_of(random_nets()))
    usual = CubeEfficiency(contact=kernel.CONTACT_EFFICIENCY)
    for position in SOME[:8]:
        for match in MATCHES:
            own = search.see(position, match, Evaluation(plies))
            same = search.see(position, match, Evaluation(plies, efficiency=usual))
            assert own[1:3] == pytest.approx(same[1:3], abs=1e-7)


def test_life_is_kept_in_a_file_and_can_be_taken_away(tmp_path: Path) -> None:
    path = save_brain(tmp_path, NETS, {})
    for array, wanted in zip(load_nets(path).contact, NETS.contact, strict=True):
        assert np.array_equal(array, wanted)
    bare = random_nets().contact
    assert without_life(bare) is bare
    for array, wanted in zip(without_life(with_life(bare)), bare, strict=True):
        assert np.array_equal(array, wanted)
