"""The server's board and ours are the same table, from either seat."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.position import BAR, OFF, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.protocols.bgammon.events import TableShown, read_event
from sixprime.protocols.bgammon.orientation import (
    THEM,
    US,
    board_shown,
    lost_games,
    may_double,
    pair_of,
    state_of,
    step_of,
    view_of,
)
from tests.support.bgammon import fakeserver
from tests.support.bgammon.fakeserver import FakeServer, Guest, Table, places_of

SEATS = st.sampled_from((0, 1))


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A position of a game in which anything legal is played."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    position = Position.start()
    for _ in range(draw(st.integers(0, 40))):
        plays = legal_plays(position, (dice.randint(1, 6), dice.randint(1, 6)))
        after = dice.choice(plays).result
        if after.is_over():
            break
        position = after.flipped()
    return position


def shown(table: Table, seat: int) -> TableShown:
    """The table as the server shows it to a seat."""
    server, guest = FakeServer(), Guest("alice")
    table.guests[seat] = guest
    server._board(table, seat)
    message = read_event(guest.take().decode())
    assert isinstance(message, TableShown)
    return message


@settings(max_examples=30)
@given(positions(), SEATS)
def test_a_position_comes_back_from_the_wire(position: Position, seat: int) -> None:
    table = Table(1, 5, "t", ["alice", "carol"], view=position, turn=0)
    view = view_of(shown(table, seat))
    assert view == (position if seat == 0 else position.flipped())
    assert places_of(view) == list(shown(table, seat).places)


@settings(max_examples=30)
@given(positions(), SEATS, SEATS, st.integers(1, 6), st.integers(1, 6))
def test_steps_of_both_sides_have_the_same_numbers_on_both_screens(
    position: Position, seat: int, turn: int, one: int, other: int
) -> None:
    mover = position if turn == 0 else position.flipped()
    for legal in legal_plays(mover, (one, other)):
        for step in legal.play:
            pair = fakeserver.pair_of(step, turn == seat)
            assert step_of((pair[0], pair[1]), US if turn == seat else THEM) == step
            if turn == seat:
                assert pair_of(step) == tuple(pair)


def test_ends_that_are_none_of_the_movers_are_no_step() -> None:
    for pair in [(27, 20), (6, 25), (5, 8), (26, 0), (0, 5), (3, 3), (26, 26)]:
        if pair != (26, 0):
            with pytest.raises(InputError):
                step_of(pair, US)
    for pair in [(26, 20), (6, 0), (8, 5)]:
        with pytest.raises(InputError):
            step_of(pair, THEM)
    assert step_of((27, 3), THEM) == Step(BAR, 22)
    assert step_of((22, 25), THEM) == Step(3, OFF)


@settings(max_examples=30)
@given(positions(), SEATS, SEATS, st.booleans(), st.sampled_from((1, 2, 64)))
def test_the_board_of_a_bot_says_what_the_table_says(
    position: Position, seat: int, turn: int, rolled: bool, cube: int
) -> None:
    table = Table(1, 5, "t", ["alice", "carol"], view=position, turn=turn, cube=cube)
    table.owner = None if cube == 1 else 0
    table.dice = [3, 1] if rolled else [0, 0]
    table.score = [2, 4]
    seen = shown(table, seat)
    state = state_of(seen)
    board = board_shown(view_of(seen), state, "carol")
    assert board.view() == view_of(seen)
    assert board.on_roll == state.on_roll == (US if turn == seat else THEM)
    assert board.rolled == ((3, 1) if rolled else None)
    assert board.score == ((2, 4) if seat == 0 else (4, 2))
    assert board.match_state().cube_owner == state.cube_owner
    ours = turn == seat and not rolled and cube < 64 and (cube == 1 or seat == 0)
    assert may_double(seen) is ours


def test_a_crawford_game_has_no_cube_and_later_ones_have() -> None:
    for crawford, may in ((0, True), (1, False), (2, True)):
        table = Table(1, 5, "t", ["alice", "carol"], turn=0, crawford=crawford)
        table.score = [4, 1] if crawford else [3, 1]
        seen = shown(table, 0)
        board = board_shown(view_of(seen), state_of(seen), "carol")
        assert may_double(seen) is may
        assert board.is_crawford() is (crawford == 1)
        assert board.may_be_doubled() is may


@pytest.mark.parametrize(
    ("mine", "off", "games"),
    [({6: 15}, 0, 2), ({6: 14}, 1, 1), ({24: 1, 6: 14}, 0, 3), ({25: 1, 6: 3}, 11, 3)],
)
def test_the_price_of_giving_up_is_read_off_the_board(
    mine: dict[int, int], off: int, games: int
) -> None:
    side = tuple(mine.get(i + 1, 0) for i in range(25))
    view = Position(side, Position.start().theirs)
    assert view.off()[0] == off
    assert lost_games(view, US) == games == lost_games(view.flipped(), THEM)


@given(st.lists(st.integers(-15, 15), min_size=28, max_size=28))
def test_counts_that_no_game_has_are_refused(places: list[int]) -> None:
    table = Table(1, 5, "t", ["alice", "carol"], turn=0)
    seen = shown(table, 0)
    broken = replace(seen, places=tuple(places))
    try:
        view = view_of(broken)
    except InputError:
        return
    assert list(places_of(view)) == places
