"""Teaching the cube's life to a net."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.engine.kernels.evaluation import Brain, judge, scratch_for
from sixprime.engine.kernels.network import JUDGED, LIFE
from sixprime.engine.lab.training.life import Life, gathered, teach
from sixprime.engine.nets.weights import brain_of, load_nets, without_life
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import CubeContext, liveness, worth_of
from sixprime.engine.search.plies import Evaluation, Search

pytestmark = [pytest.mark.patient, pytest.mark.train]

NETS = load_nets()._replace(contact=without_life(load_nets().contact))
FRESH = [
    Position.from_array(board) for board in gathered(brain_of(NETS), Life(positions=300, seed=31))
]


def gaps_of(position: Position, owner: int, brain: Brain) -> tuple[float, float]:
    """How far a cube is from its worth one ply ahead with its own life, and with the usual one."""
    match = MatchState(cube_owner=(0, None, 1)[owner], on_roll=0, to_act=0)
    seen, said = Search(brain).see(position, match, Evaluation(1)), np.zeros(JUDGED, np.float32)
    judge(brain, position.array(), 15, scratch_for(brain), said)
    own, usual = (
        worth_of(seen.outcomes, CubeContext.of(match), (1, owner), liveness(float(life)))
        for life in (said[LIFE + owner], 0.68)
    )
    return own - seen.no_double, usual - seen.no_double


def test_it_comes_closer_to_the_search_and_leaves_the_chances_alone() -> None:
    rows: list[dict[str, Any]] = []
    settings = Life(positions=6_000, rounds=2, plies=1)
    taught = teach(NETS, settings, 1, rows.append)
    assert [row["round"] for row in rows] == [1, 2]
    before, after, changed = brain_of(NETS), brain_of(taught), 0
    for position in FRESH:
        one, two = np.zeros((2, JUDGED), np.float32)
        judge(before, position.array(), 15, scratch_for(before), one)
        judge(after, position.array(), 15, scratch_for(after), two)
        assert one[:LIFE].tolist() == two[:LIFE].tolist()
        changed += one[LIFE:].tolist() != two[LIFE:].tolist()
    assert changed == len(FRESH)
    for owner in range(3):
        gaps = np.array([gaps_of(position, owner, after) for position in FRESH])
        learned, constant = np.sqrt((gaps**2).mean(0))
        assert learned < 0.9 * constant
    for array, wanted in zip(without_life(taught.contact), NETS.contact, strict=True):
        assert np.array_equal(array, wanted)


def test_the_same_seed_teaches_the_same() -> None:
    settings = Life(positions=300, rounds=1, plies=1, passes=2)
    one, two = (teach(NETS, settings, 2, lambda _: None).contact for _ in range(2))
    assert np.array_equal(one.w3, two.w3)
