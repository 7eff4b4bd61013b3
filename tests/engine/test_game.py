"""What follows from a play, a cube and a resignation: turns, cubes, points, scores."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine import game
from sixprime.engine.game import GameWon, is_crawford, played, score_after, won
from sixprime.engine.position import Dice, MatchState, Phase, Play, Position, Step
from sixprime.engine.rules import legal_plays
from tests.support.engine import reference
from tests.support.engine.boards import board_of

START = Position.start()
OFF_WITH_THE_LAST: Play = (Step(1, 0),)


def to_roll(length: int = 0, seat: int = 0, **match: object) -> MatchState:
    """A game in which this seat may roll or double."""
    return MatchState(length=length, on_roll=seat, to_act=seat).with_(**match)


def borne_off(theirs: dict[int, int], state: MatchState) -> GameWon | None:
    """What the last checker off wins against these."""
    return won(*played(board_of({1: 1}, theirs), state, OFF_WITH_THE_LAST))


def test_a_play_turns_the_board_to_the_other_player() -> None:
    play = (Step(8, 5), Step(6, 5))
    position, state = played(START, to_roll(seat=1, dice=(3, 1)), play)
    assert (state.on_roll, state.to_act, state.dice) == (0, 0, None)
    assert position.theirs[4] == 2
    assert position.mine == START.mine


def test_a_dance_is_played_as_the_empty_play() -> None:
    closed = board_of({25: 1, 1: 1}, dict.fromkeys(range(1, 7), 2))
    position, state = played(closed, to_roll(seat=1, dice=(6, 1)), ())
    assert (state.on_roll, state.dice, position) == (0, None, closed.flipped())


# The cube


def test_a_take_doubles_the_cube_and_gives_it_to_the_taker() -> None:
    offered = game.doubled(to_roll(5))
    assert (offered.cube, offered.on_roll, offered.to_act) == (1, 0, 1)
    taken = game.taken(offered)
    assert (taken.cube, taken.cube_owner, taken.to_act) == (2, 1, 0)
    assert not taken.may_double()


def test_a_drop_loses_the_old_value_of_the_cube() -> None:
    assert won(START, game.dropped(game.doubled(to_roll(5)))) == GameWon(0, 1)


def test_a_beaver_doubles_at_once_and_keeps_the_cube() -> None:
    beavered = game.beavered(game.doubled(to_roll()))
    assert (beavered.cube, beavered.to_act) == (2, 0)
    taken = game.taken(beavered)
    assert (taken.cube, taken.cube_owner, taken.to_act) == (4, 1, 0)
    assert won(START, game.dropped(beavered)) == GameWon(1, 2)
    raccoon = game.beavered(beavered)
    assert (raccoon.cube, raccoon.to_act) == (4, 1)
    assert won(START, game.dropped(raccoon)) == GameWon(0, 4)
    assert (game.taken(raccoon).cube, game.taken(raccoon).cube_owner) == (8, 1)


# Resignation, results, the next game


def test_a_resignation_costs_its_games_times_the_cube() -> None:
    state = game.resigned(game.taken(game.doubled(to_roll(7))), 1, 2)
    assert (state.to_act, state.on_roll) == (0, 0)
    over = won(START, game.resignation_accepted(state))
    assert over == GameWon(0, 4)
    assert score_after(state.score, over) == (4, 0)
    assert score_after((1, 3), GameWon(1, 2)) == (1, 5)


@pytest.mark.parametrize("before", [to_roll(7), to_roll(7, dice=(6, 2)), game.doubled(to_roll(7))])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_declined_resignation_changes_nothing(before: MatchState, seat: int) -> None:
    assert game.resignation_withdrawn(game.resigned(before, seat, 3)) == before


@pytest.mark.parametrize(
    ("theirs", "games"), [({6: 14}, 1), ({6: 15}, 2), ({6: 14, 19: 1}, 3), ({6: 14, 25: 1}, 3)]
)
@pytest.mark.parametrize("cube", [1, 4])
def test_the_last_checker_off_wins_single_gammon_or_backgammon(
    theirs: dict[int, int], games: int, cube: int
) -> None:
    state = to_roll(dice=(2, 1), cube=cube, cube_owner=0)
    assert borne_off(theirs, state) == GameWon(0, games * cube)


def test_by_jacobys_rule_gammons_count_only_after_a_double() -> None:
    state = to_roll(seat=1, dice=(2, 1), jacoby=True)
    assert borne_off({6: 15}, state) == GameWon(1, 1)
    assert borne_off({6: 15}, state.with_(cube=2, cube_owner=1)) == GameWon(1, 4)


def test_an_automatic_double_does_not_turn_jacobys_rule_off() -> None:
    state = to_roll(seat=0, dice=(2, 1), jacoby=True, cube=2)
    assert borne_off({6: 14, 25: 1}, state) == GameWon(0, 2)


def test_the_crawford_game_is_the_first_with_a_player_one_point_away() -> None:
    scores = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]
    found: list[bool] = []
    for score in scores:
        found.append(is_crawford(3, score, played_before=any(found)))
    assert found == [False, False, True, False, False]
    assert not is_crawford(1, (0, 0), played_before=False)
    assert not is_crawford(0, (0, 0), played_before=False)
    assert not is_crawford(3, (2, 2), played_before=False)  # a file may begin there


STEPS: list[Callable[[MatchState], MatchState]] = [game.taken, game.beavered, game.dropped]


def random_game(seed: int) -> tuple[Position, MatchState]:
    """Random legal plays, doubles and answers to the end; the board is looked at all the way."""
    pick = reference.seeded(seed)
    position, state = START, to_roll()
    while state.phase is Phase.PLAYING:
        if state.doubled:
            state = STEPS[pick(0, 2)](state)
        elif state.may_double() and pick(0, 19) == 0:
            state = game.doubled(state)
        else:
            dice = pick(1, 6), pick(1, 6)
            plays = legal_plays(position, dice)
            play = plays[pick(0, len(plays) - 1)].play
            position, state = played(position, state.with_(dice=dice), play)
        position.checked()
        assert all(0 <= off <= 15 for off in position.off())
        assert state.cube.bit_count() == 1
        assert state.doubled or state.phase is Phase.DROPPED or state.to_act == state.on_roll
        assert (won(position, state) is None) == (state.phase is Phase.PLAYING)
    return position, state


@pytest.mark.parametrize("seed", range(20))
def test_a_random_game_ends_and_replays_to_the_same_end(seed: int) -> None:
    assert random_game(seed) == random_game(seed)


@given(reference.positions(), reference.dice(), st.data())
def test_after_every_legal_play_the_board_is_the_others_or_the_game_over(
    position: Position, dice: Dice, data: st.DataObject
) -> None:
    play = data.draw(st.sampled_from(legal_plays(position, dice))).play
    board, state = played(position, to_roll(dice=dice), play)
    after = position.after(play)
    assert board == (after if after.is_over() else after.flipped())
    assert (state.phase is Phase.OVER) == after.is_over()
