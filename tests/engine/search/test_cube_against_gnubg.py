"""Our cube against gnubg's own, fed with gnubg's own cubeless probabilities.

At 0 plies nothing is left out. Our cube is as live as that of gnubg 1.07; in 1.08 it is livelier.
Two differences in words: where the cube is the opponent's it says "Unknown cube decision"; and two
equal equities it calls different if its single precision makes them so.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search import cube
from sixprime.engine.search.cube import CubeContext, CubeDecision, liveness
from tests.support.engine.cubemodel import Exact, cube_decision
from tests.support.engine.reference import Pick, random_position, seeded
from tests.support.gnubg.cubes import Answer, Question, answers_to
from tests.support.gnubg.program import version

pytestmark = pytest.mark.gnubg

STATES = 600
METS = "/usr/share/gnubg/met"
THEIR_FILES = {"woolsey": "woolsey", "mec26": "mec26", "jacobs-trice-plus100": "jac100"}
SCORES = 200  # of each table
ON_THE_BAR = Position(  # against points 4, 5, 6 and 8
    (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1),
    (0, 0, 0, 2, 2, 4, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0),
)
TWO_SIDED, RACE = 4, 8  # gnubg's classes; above are crashed and contact


def random_state(pick: Pick) -> MatchState:
    """Money in one of four, else 1 to 25 points; often near the end, where the rules bite."""
    seat = pick(0, 1)
    value = (1, 1, 2, 4)[pick(0, 3)]
    owner = None if value == 1 else (0, 1, 0, 1, None)[pick(0, 4)]
    state = MatchState(on_roll=seat, to_act=seat, cube=value, cube_owner=owner)
    if pick(0, 3) == 0:
        return state.with_(jacoby=pick(0, 1) == 1, beavers=pick(0, 1) * 3)
    length = pick(1, 25)
    nearest = length if pick(0, 1) else min(length, 4)
    score = (length - pick(1, nearest), length - pick(1, nearest))
    state = state.with_(length=length, score=score)
    if length > 1 and (1 in state.away) and state.away != (1, 1) and pick(0, 1):
        return state.with_(crawford=True, cube=1, cube_owner=None)
    return state


def efficiency(kind: int, position: Position) -> float:
    """As gnubg has it."""
    newer, pips = version() >= (1, 8), position.pips()[0]
    if kind == RACE:
        return min(0.6 + pips / 400, 0.8) if newer else float(kernel.race_efficiency(pips))
    if kind < RACE:
        return cube.BEAROFF_EFFICIENCY
    return 0.76 if newer else kernel.CONTACT_EFFICIENCY


def decision_by_model(question: Question, answer: dict[str, Any]) -> CubeDecision:
    exact = Exact(*answer["exact"]) if "exact" in answer else None
    return cube_decision(
        answer["outcomes"],
        question.state,
        efficiency(answer["kind"], question.position),
        exact=exact,
    )


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Question, dict[str, Any]]]:
    """Random positions and states, with what gnubg says at 0 plies."""
    folder = tmp_path_factory.mktemp("gnubg")
    pick = seeded(2026)
    questions = [Question(random_position(pick), random_state(pick)) for _ in range(STATES)]
    return list(zip(questions, answered(questions, folder), strict=True))


def answered(questions: list[Question], folder: Path, met: str = "") -> list[Answer]:
    """What gnubg says; `exact` are money's equities if it knows them, for its match model."""
    answers = answers_to(questions, folder, met)
    known = [i for i, answer in enumerate(answers) if answer["kind"] == TWO_SIDED]
    money = [
        Question(questions[i].position, MatchState(cube=value, cube_owner=owner))
        for i in known
        for value, owner in ((2, 1), (1, None), (2, 0))
    ]
    exact = [answer["equities"][0] for answer in answers_to(money, folder)]
    for at, i in enumerate(known):
        answers[i]["exact"] = exact[3 * at : 3 * at + 3]
    return answers


def test_the_states_cover_every_rule(static: list[tuple[Question, dict[str, Any]]]) -> None:
    states = [question.state for question, _ in static]
    seen = Counter(
        name
        for state in states
        for name, holds in {
            "money": state.length == 0 and not state.jacoby,
            "jacoby": state.jacoby and state.cube_owner is None,
            "beavers": state.beavers > 0,
            "crawford": state.crawford,
            "post-crawford": state.post_crawford,
            "dead cube": state.length > 0 and max(state.away) <= state.cube,
            "useless to one": state.length > 0 and min(state.away) <= state.cube < max(state.away),
            "2-away 2-away": state.away == (2, 2),
            "mine": state.cube_owner == state.on_roll,
            "theirs": state.cube_owner == 1 - state.on_roll,
            "centred": state.cube_owner is None,
            "cube 4": state.cube == 4,
        }.items()
        if holds
    )
    seen.update(f"class {answer['kind']}" for _, answer in static)
    assert len(seen) >= 12 + 4
    assert min(seen.values()) >= 5, seen
    assert {state.length for state in states} == set(range(26))


def test_money_equities_are_gnubgs(static: list[tuple[Question, dict[str, Any]]]) -> None:
    for question, answer in static:
        if question.state.length == 0:
            ours = decision_by_model(question, answer)
            assert ours.no_double == pytest.approx(answer["equities"][0], abs=3e-6)
            if ours.available:
                assert ours.double_take == pytest.approx(answer["equities"][1], abs=3e-6)


def test_match_winning_chances_are_gnubgs(static: list[tuple[Question, dict[str, Any]]]) -> None:
    for question, answer in static:
        if question.state.length > 0:
            ours = decision_by_model(question, answer)
            assert ours.mwc is not None
            assert ours.mwc[0] == pytest.approx(answer["mwc"][0], abs=3e-6)
            if ours.available:
                assert ours.mwc[1:] == pytest.approx(answer["mwc"][1:], abs=3e-6)


def test_verdicts_are_worded_as_gnubgs(static: list[tuple[Question, dict[str, Any]]]) -> None:
    for question, answer in static:
        same_words(question, decision_by_model(question, answer), answer)


def same_words(question: Question, ours: CubeDecision, answer: Answer) -> None:
    theirs = answer["action"].replace("Unknown cube decision", "Cube not available")
    close = min(abs(ours.no_double - 1), abs(ours.no_double - ours.double_take)) < 2e-6
    assert ours.action == theirs or close, (question, ours)


@pytest.mark.parametrize("table", THEIR_FILES)
def test_doubles_and_takes_with_other_tables_are_gnubgs(table: str, tmp_path: Path) -> None:
    """In the last table one player is the favourite."""
    pick, questions = seeded(len(table)), list[Question]()
    while len(questions) < SCORES:
        state = random_state(pick).with_(met=table)
        if state.length > 0 and CubeContext.of(state).available():
            questions.append(Question(random_position(pick), state))
    answers = answered(questions, tmp_path, f"{METS}/{THEIR_FILES[table]}.xml")
    for question, answer in zip(questions, answers, strict=True):
        ours = decision_by_model(question, answer)
        assert ours.equities == pytest.approx(answer["equities"], abs=5e-5)
        assert ours.mwc == pytest.approx(answer["mwc"], abs=3e-6)
        same_words(question, ours, answer)
    said = {answer["action"] for answer in answers}
    assert any(each.endswith("pass") for each in said)
    assert any(each.startswith(("Double, t", "Redouble, t")) for each in said)
    assert len({answer["kind"] for answer in answers}) >= 4


def test_one_ply_is_the_average_of_our_leaves(tmp_path: Path) -> None:
    """`expand`, `leaf_worths` and `fold` are what gnubg does when it looks one roll ahead."""
    states = [
        MatchState(),
        MatchState(cube=2, cube_owner=1, jacoby=True),
        MatchState(length=7, score=(3, 2)),
        MatchState(length=5, score=(4, 2)),
        MatchState(length=9, score=(5, 6), cube=2, cube_owner=1),
    ]
    replies = {
        (high, low): [play.result.flipped() for play in legal_plays(ON_THE_BAR, (high, low))]
        for high in range(1, 7)
        for low in range(1, high + 1)
    }
    distinct = list({reply: None for group in replies.values() for reply in group})
    questions = [Question(ON_THE_BAR, state, 1) for state in states]
    questions += [Question(reply, MatchState(), None) for reply in distinct]
    answers = answers_to(questions, tmp_path)
    known = dict(zip(distinct, answers[len(states) :], strict=True))
    for state, theirs in zip(states, answers, strict=False):
        context = CubeContext.of(state)
        averages = average_over_rolls(replies, known, context)
        no_double, taken = (kernel.turned(worth, context.rules) for worth in averages)
        ours = cube.judged(no_double, taken, state)
        assert ours.no_double == pytest.approx(theirs["equities"][0], abs=1e-5)
        if ours.available:
            assert ours.double_take == pytest.approx(theirs["equities"][1], abs=1e-5)


def average_over_rolls(
    replies: dict[tuple[int, int], list[Position]],
    known: dict[Position, dict[str, Any]],
    context: CubeContext,
) -> NDArray[np.float64]:
    """The opponent's worth of both cubes; each roll is played for the cube as it is.

    Among plays that all get doubled out the one with the best cubeless equity is taken.
    """
    states = context.states
    states[:, kernel.OWNER] = kernel.THEIRS - states[:, kernel.OWNER]
    rules, chances = context.rules, context.chances
    found: dict[Position, tuple[float, float, float]] = {}
    for reply, answer in known.items():
        outcomes = np.array(answer["outcomes"], dtype=np.float32)
        live = liveness(efficiency(answer["kind"], reply))
        worths = np.zeros(2)
        kernel.leaf_worths(outcomes, 1, states, 2, live, rules, chances, worths)
        cubeless = kernel.money_dead(outcomes, kernel.MINE, False)
        found[reply] = (float(worths[0]), float(cubeless), float(worths[1]))
    total = np.zeros(2)
    for dice, group in replies.items():
        as_it_is, _, doubled = min(found[reply] for reply in group)
        total += np.array((as_it_is, doubled)) * (1 if dice[0] == dice[1] else 2) / 36
    return total
