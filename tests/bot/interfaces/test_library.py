"""Matches, equities and IDs from Python, beside gnubg's own Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime
from sixprime import MatchState
from sixprime.protocols.formats.record import Cube, Match, Turn, is_move
from tests.support.gnubg.program import scripted
from tests.support.places import INTEROP

FILES = ("oldmoves-2games.sgf", "money-analysed.sgf", "rollouts.sgf")
# Score, cube, seat on roll: gnubg 1.07's MWC of equity 0.25, and equity of MWC 0.4, to 7 points.
GNUBGS = [
    ((3, 5), 2, 0, 0.3125, 0.6),
    ((3, 5), 2, 1, 0.8125, -1.4),
    ((0, 0), 1, 0, 0.5156525, -1.5971892),
    ((2, 6), 1, 0, 0.1937625, 1.5804787),
    ((2, 6), 1, 1, 0.8837425, -2.8707182),
    ((4, 5), 4, 1, 0.625, -0.2),
]


def of_seven(score: tuple[int, int], cube: int, seat: int) -> MatchState:
    return MatchState(length=7, score=score, cube=cube, on_roll=seat, to_act=seat)


@pytest.mark.parametrize(("score", "cube", "seat", "mwc", "equity"), GNUBGS)
def test_equities_become_chances_as_in_gnubg(
    score: tuple[int, int], cube: int, seat: int, mwc: float, equity: float
) -> None:
    state = of_seven(score, cube, seat)
    assert sixprime.eq2mwc(0.25, state) == pytest.approx(mwc, abs=1e-6)
    assert sixprime.mwc2eq(0.4, state) == pytest.approx(equity, abs=1e-6)
    same = sixprime.match_id(state)
    assert sixprime.eq2mwc(0.25, same) == sixprime.eq2mwc(0.25, state)


@given(
    st.tuples(st.integers(0, 6), st.integers(0, 6)),
    st.sampled_from([1, 2, 4]),
    st.floats(-2, 2),
)
def test_a_chance_is_the_rest_of_the_opponents(
    score: tuple[int, int], cube: int, equity: float
) -> None:
    mine, theirs = (of_seven(score, cube, seat) for seat in (0, 1))
    mwc = sixprime.eq2mwc(equity, mine)
    assert mwc + sixprime.eq2mwc(-equity, theirs) == pytest.approx(1)
    assert sixprime.mwc2eq(mwc, mine) == pytest.approx(equity, abs=1e-9)


def test_money_has_no_match_to_win() -> None:
    anything: Any = sixprime
    for convert in (anything.eq2mwc, anything.mwc2eq):
        with pytest.raises(ValueError, match="a money session has no match to win"):
            convert(0.5, MatchState())
        with pytest.raises(TypeError, match="match 7: a MatchState or a Match ID is needed"):
            convert(0.5, 7)
        with pytest.raises(ValueError, match="Match ID"):
            convert(0.5, "nonsense")


def match_of(name: str) -> Match:
    [match] = sixprime.read_match_file(name, (INTEROP / name).read_bytes()).matches
    return match


@pytest.mark.parametrize("name", FILES)
def test_every_form_of_a_position_is_read_as_it_was_written(name: str) -> None:
    match = match_of(name)
    for game in match.games:
        for _, position, state in sixprime.moments(match, game):
            board, at = sixprime.position_id(position), sixprime.match_id(state)
            assert sixprime.read_position(board) == (position, None)
            assert sixprime.read_position(f"{board}:{at}") == (position, state)
            numbers = " ".join(map(str, sixprime.board_integers(position)))
            assert sixprime.read_position(numbers) == (position, None)
            if not (state.doubled or state.resigned):
                assert sixprime.read_position(sixprime.xgid(position, state)) == (position, state)
                line = sixprime.snowie_line(position, state, ("Anna", "Ben"))
                assert sixprime.read_position(line) == (position, state)


WALK = """
import gnubg, json
gnubg.command("{command} {path}")
print("HERE", json.dumps(gnubg.match(analysis=0, boards=1)["games"]))
"""


@pytest.mark.gnubg
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("oldmoves-2games.sgf", "load match"),
        ("rollouts.sgf", "load match"),
        ("external-match-3pt.mat", "import mat"),
    ],
)
def test_a_match_is_walked_as_gnubgs_python_walks_it(
    name: str, command: str, tmp_path: Path
) -> None:
    said = scripted(WALK.format(command=command, path=INTEROP / name), tmp_path)
    theirs = json.loads(said.rpartition("HERE ")[2].splitlines()[0])
    match = match_of(name)
    assert len(match.games) == len(theirs)
    for game, other in zip(match.games, theirs, strict=True):
        walked = [
            (action.seat, *told(action, sixprime.position_id(position)))
            for action, position, _ in sixprime.moments(match, game)
            if is_move(action) and isinstance(action, Turn | Cube)
        ]
        assert walked == [
            ("XO".index(each["player"]), *told_by_gnubg(each)) for each in other["game"]
        ]


def told(action: Turn | Cube, board: str) -> tuple[object, ...]:
    if isinstance(action, Turn):
        return board, list(action.dice)
    return (action.step.value,)


def told_by_gnubg(each: dict[str, Any]) -> tuple[object, ...]:
    return (each["board"], each["dice"]) if each["action"] == "move" else (each["action"],)


ASK = """
import gnubg, json
gnubg.command("set met /usr/share/gnubg/met/Kazaross-XG2.xml")
print("HERE", json.dumps([
    (mine, theirs, cube, seat, gnubg.eq2mwc(0.25, info), gnubg.mwc2eq(0.4, info))
    for mine in range(7) for theirs in range(7) for cube in (1, 2, 4) for seat in (0, 1)
    for info in [gnubg.cubeinfo(cube, -1, seat, 7, (mine, theirs), 0, 0)]
]))
"""


@pytest.mark.gnubg
def test_every_score_of_seven_points_has_gnubgs_equities(tmp_path: Path) -> None:
    said = scripted(ASK, tmp_path)
    rows = json.loads(said.rpartition("HERE ")[2].splitlines()[0])
    assert len(rows) == 7 * 7 * 3 * 2
    for mine, theirs, cube, seat, mwc, equity in rows:
        state = of_seven((mine, theirs), cube, seat)
        assert sixprime.eq2mwc(0.25, state) == pytest.approx(mwc, abs=1e-5), state
        assert sixprime.mwc2eq(0.4, state) == pytest.approx(equity, abs=1e-4), state
