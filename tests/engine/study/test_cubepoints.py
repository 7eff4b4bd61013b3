"""Cube points, gammon values, bluffs and rolls: as gnubg shows them, given gnubg's chances."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from sixprime.engine.position import ROLLS, Chances, MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import judged
from sixprime.engine.study import cubepoints
from sixprime.engine.study.cubepoints import TurningPoints
from sixprime.engine.study.rolls import RollList, RollWorth
from tests.support.engine.reference import Pick, random_position, seeded
from tests.support.gnubg.shows import PYTHON, Asked, shown

CHANCES = f"{PYTHON}gnubg.evaluate(gnubg.board(), gnubg.cubeinfo(), gnubg.evalcontext(1, 2, 0, 1))"
WINDOW, VALUES, HINT = "show marketwindow", "show gammonvalues", "hint"
POSITIONS = 100
LOOKS = 15  # positions whose rolls are listed
FLOAT32 = 5e-6  # of a percentage: gnubg computes in single precision


class Told(NamedTuple):
    """A position and what gnubg said."""

    position: Position
    match: MatchState
    chances: Chances
    answers: dict[str, str]


def some_match(pick: Pick) -> MatchState:
    cube, owner = ((1, None), (2, 0), (2, 1), (4, 0), (4, 1))[pick(0, 4)]
    if pick(0, 2) == 0:
        return MatchState(
            jacoby=bool(pick(0, 1)), beavers=(0, 3)[pick(0, 1)], cube=cube, cube_owner=owner
        )
    length = (2, 3, 5, 7, 9, 11)[pick(0, 5)]
    score = pick(0, length - 1), pick(0, length - 1)
    if pick(0, 3) == 0:
        score = length - 1, score[1]
    if score.count(length - 1) == 1 and pick(0, 1):
        return MatchState(length=length, score=score, crawford=True)
    return MatchState(length=length, score=score, cube=cube, cube_owner=owner)


def commands(match: MatchState) -> list[str]:
    if match.length:
        first = [f"new match {match.length}", "set score {} {}".format(*match.score)]
        if match.score.count(match.length - 1) == 1:
            first.append(f"set crawford {'on' if match.crawford else 'off'}")
        if match.crawford:
            return first
    else:
        jacoby = "on" if match.jacoby else "off"
        first = [f"set jacoby {jacoby}", f"set beavers {match.beavers}", "new session"]
    owner = "center" if match.cube_owner is None else f"owner {match.cube_owner}"
    return [*first, f"set cube value {match.cube}", f"set cube {owner}"]


@pytest.fixture(scope="module")
def gnubg(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    pick = seeded(5)
    asked: list[Asked] = []
    matches = []
    while len(asked) < POSITIONS:
        position = random_position(pick)
        if position.checkers == 15:
            matches.append(some_match(pick))
            asked.append((position, commands(matches[-1]), [WINDOW, VALUES, HINT, CHANCES]))
    answers = shown(asked, tmp_path_factory.mktemp("gnubg"))
    return [
        Told(position, match, tuple(json.loads(found[CHANCES])[:5]), found)
        for (position, *_), match, found in zip(asked, matches, answers, strict=True)
    ]


def parts(text: str) -> dict[int, str]:
    """The paragraph of each seat."""
    found = re.split(r"Player (gnubg|root) (?:market|cube).*:\n", text)
    return {("gnubg", "root").index(found[i]): found[i + 1] for i in (1, 3)}


def same(ours: float | None, printed: str, digits: int) -> bool:
    return ours is not None and abs(100 * ours - float(printed)) <= 0.5 * 10**-digits + FLOAT32


@pytest.mark.gnubg
def test_gammon_rates_and_values_are_gnubgs(gnubg: list[Told]) -> None:
    for told in gnubg:
        won, lost = cubepoints.kinds_of(told.chances)
        rates = re.findall(r"rate +([\d.]+)%, bg rate +([\d.]+)%", told.answers[WINDOW])
        for kinds, printed in zip((lost, won), rates, strict=True):
            assert all(same(share, word, 2) for share, word in zip(kinds, printed, strict=True))
        values = re.findall(r"^(?:gnubg|root) +(-?[\d.]+) +(-?[\d.]+)$", told.answers[VALUES], re.M)
        for seat, printed in enumerate(values):
            ours = cubepoints.gammon_values(told.match, seat)
            assert ours == pytest.approx(tuple(map(float, printed)), abs=0.5e-5 + 1e-6)


@pytest.mark.gnubg
def test_moneys_points_are_gnubgs(gnubg: list[Told]) -> None:
    seen = 0
    for told in gnubg:
        if told.match.length:
            continue
        for seat, text in parts(told.answers[WINDOW]).items():
            (ours,) = cubepoints.cube_points(told.match, seat, told.chances)
            printed = re.findall(r"([\d.]+)% +([\d.]+)%", text)
            if told.match.cube_owner is not None:  # nobody's double is the first
                printed[3] = printed[4]
                ours = ours._replace(dead=ours.dead._replace(double=ours.dead.redouble))
            for dead, live, (first, second) in zip(ours.dead, ours.live, printed, strict=True):
                assert same(dead, first, 3)
                assert same(live, second, 3)
            seen += 1
    assert seen >= 20


@pytest.mark.gnubg
def test_market_windows_are_gnubgs(gnubg: list[Told]) -> None:
    seen = {"Dead cube": 0, "Live cube": 0, "redoubles": 0}
    for told in gnubg:
        if not told.match.length:
            continue
        for seat, text in parts(told.answers[WINDOW]).items():
            points = cubepoints.cube_points(told.match, seat, told.chances)
            lines = re.findall(r"^(.+?): *([\d.]+)% - +([\d.]+)%", text, re.M)
            if not points or points[0].dead.cash is None:
                assert all(cash == "100.00" for _, _, cash in lines)
                continue
            for name, double, cash in lines:
                ours = found(points[0], name)
                # gnubg calls a window live from where the last cube is turned
                start = points[0].dead.double if name == "Live cube" else ours.double
                assert same(start, double, 2)
                assert same(ours.cash, cash, 2)
                seen[name if name in seen else "redoubles"] += 1
    assert all(count >= 5 for count in seen.values()), seen


def found(points: cubepoints.CubePoints, name: str) -> TurningPoints:
    if name == "Live cube":
        return points.live
    if name.endswith("(opponent redoubles)"):
        assert points.redoubled
        return points.redoubled
    return points.dead


@pytest.mark.gnubg
def test_the_chance_of_a_bluff_is_gnubgs(gnubg: list[Told]) -> None:
    seen = 0
    for told in gnubg:
        text = told.answers[HINT]
        printed = re.search(r"Proper cube action: .*\(([\d.]+)%\)", text)
        names = ("No (?:re)?double", "(?:D|Red)ouble, (?:take|beaver)", "(?:D|Red)ouble, pass")
        values = [re.search(rf"\d\. {name} +([-+][\d.]+)", text) for name in names]
        if printed is None or not all(values):
            continue
        no_double, take, _ = (float(value[1]) for value in values if value)
        if told.match.length:
            continue
        cube = told.match.cube
        ours = cubepoints.bluff(judged(no_double * cube, take * cube, told.match))
        assert ours is not None
        assert same(ours, printed[1], 1)
        seen += 1
    assert seen >= 5


def test_nobody_bluffs_with_a_cube_that_cannot_be_turned() -> None:
    for state in (MatchState(max_cube=1), MatchState(5, (4, 2), crawford=True)):
        assert cubepoints.bluff(judged(0.7, 0.6, state)) is None
    assert cubepoints.bluff(judged(0.7, 0.6, MatchState())) is not None


@pytest.mark.gnubg
def test_the_average_of_the_rolls_is_gnubgs_look_one_ply_ahead(tmp_path: Path) -> None:
    """Given what gnubg says of each roll, best played."""
    pick = seeded(6)
    chequer = ("plies 0", "prune off", "cubeful off")
    money = [f"set evaluation chequer evaluation {each}" for each in chequer]
    one_ply = (
        f"{PYTHON}gnubg.evaluate(gnubg.board(), gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0),"
        " gnubg.evalcontext(0, 1, 1, 0))[5]"
    )
    hints = (
        f"{PYTHON}[(gnubg.command('set dice %d %d' % dice),"
        f" gnubg.hint(1)['hint'][0]['equity'])[1] for dice in {ROLLS}]"
    )
    asked: list[Asked] = []
    while len(asked) < LOOKS:
        position = random_position(pick)
        dances = any(legal_plays(position, dice)[0].play == () for dice in ROLLS)
        if position.checkers == 15 and not dances:  # of a dance gnubg has nothing to say
            asked.append((position, ["set jacoby off", *money, "new session"], [one_ply, hints]))
    for told in shown(asked, tmp_path):
        worths = dict(zip(ROLLS, json.loads(told[hints].splitlines()[-1]), strict=True))
        listed = RollList.ranked([RollWorth(dice, (), worth) for dice, worth in worths.items()])
        assert listed.average == pytest.approx(float(told[one_ply]), abs=2e-6)


def test_the_grid_and_the_list_hold_the_same_rolls() -> None:
    listed = RollList.ranked([RollWorth(dice, (), dice[0] + dice[1] / 10) for dice in ROLLS])
    assert listed.rolls[0].dice == (6, 6)
    assert sum(roll.ways for roll in listed.rolls) == 36
    assert listed.grid[2][4] == listed.grid[4][2] == 3.5
    assert listed.average == pytest.approx(sum(map(sum, listed.grid)) / 36)
    assert listed.better_than(listed.rolls[-1].equity) == 35
