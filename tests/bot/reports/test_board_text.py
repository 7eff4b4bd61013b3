"""A drawn board shows every checker where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.reports import board_svg
from sixprime.bot.reports.board_text import BESIDE, Home, draw
from sixprime.engine.position import Position
from sixprime.protocols.formats.replay import moments
from tests.support.engine import reference
from tests.support.formats.plain import plain

START = """\
 +-13-14-15-16-17-18+---+-19-20-21-22-23-24+
 | X           O    |   | O              X |
 | X           O    |   | O              X |
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
 |                  |BAR|                  |
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |
 +-12-11-10-9--8--7-+---+-6--5--4--3--2--1-+"""

LATE = """\
 +-24-23-22-21-20-19+---+-18-17-16-15-14-13+
 | O  O             | X |                  | 5 O off
 | O                | X |                  |
 | O                |   |                  |
 |                  |   |                  |
 |                  |   |                  |
 |                  |BAR|                  |
 | 7                | 6 |                  |
 | X                | O |                  |
 | X                | O |                  |
 | X                | O |                  |
 | X                | O |                  | 6 X off
 +-1--2--3--4--5--6-+---+-7--8--9--10-11-12+"""


def test_the_start_is_drawn_with_the_player_on_roll_below() -> None:
    assert draw(Position.start()) == START


def test_bar_stacks_and_checkers_off_are_drawn_and_home_may_be_left() -> None:
    late = Position((7, *[0] * 23, 2), (3, 1, *[0] * 22, 6))
    assert draw(late, home=Home.LEFT) == LATE


def test_words_stand_beside_the_board() -> None:
    lines = draw(Position.start(), beside=["anna", "", "31"]).splitlines()
    assert [line[BESIDE:] for line in lines[:3]] == ["anna", "", "31"]


@given(reference.positions(), st.sampled_from(Home))
def test_every_board_is_thirteen_lines_of_the_same_frame(position: Position, home: Home) -> None:
    lines = draw(position, home=home).splitlines()
    assert len(lines) == 13
    assert {len(line[:44]) for line in lines} == {44}
    drawn = "".join(line[:44] for line in lines)
    if max(position.mine + position.theirs) <= 5:
        assert (drawn.count("X"), drawn.count("O")) == (sum(position.mine), sum(position.theirs))


@pytest.mark.parametrize("seed", range(5))
def test_a_flipped_board_is_the_other_players_with_the_signs_kept(seed: int) -> None:
    match = plain(seed)
    for moment in list(moments(match, match.games[0]))[::5]:
        position = moment.position
        flipped, other = draw(position, flipped=True), draw(position.flipped(), ("O", "X"))
        assert flipped.splitlines()[1:-1] == other.splitlines()[1:-1]
        assert (flipped.splitlines()[0], flipped.splitlines()[-1]) == (
            " +-12-11-10-9--8--7-+---+-6--5--4--3--2--1-+",
            " +-13-14-15-16-17-18+---+-19-20-21-22-23-24+",
        )
        state = moment.state
        above = board_svg.draw(position, state, (3, 1), flipped=True)
        assert above != board_svg.draw(position, state, (3, 1))
        assert above.count('class="checker mine"') == sum(min(n, 5) for n in position.mine)
        assert above.count("rolled mine") == 2
