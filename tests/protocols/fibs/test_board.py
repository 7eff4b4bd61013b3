"""The board line and the moves: both colours, both directions, there and back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.position import BAR, OFF, MatchState, Phase, Position, Step, Variant
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, RollOrDouble, implied
from sixprime.protocols.fibs.wire.board import (
    DOWN,
    UP,
    BrokenBoard,
    FibsBoard,
    O,
    X,
    board_of,
    move_text,
    read_board,
    read_move,
)


def board(line: str) -> FibsBoard:
    found = read_board(line)
    assert isinstance(found, FibsBoard), found
    return found


def side(text: str) -> tuple[int, ...]:
    """`24:2 13:5 bar:1` as 25 counts."""
    counts = [0] * 25
    for point, count in re.findall(r"(\d+|bar):(\d+)", text):
        counts[24 if point == "bar" else int(point) - 1] = int(count)
    return tuple(counts)


# Worked examples: line; mine, theirs in own counting; pips; question.
EXAMPLES = [
    (
        "board:You:marvin:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
        "24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5", (167, 167), (ChoosePlay, (6, 2)),
    ),
    (
        "board:You:marvin:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:6:2:1:1:1:0:-1:1:25:0:0:0:0:0:0:0:0:0",
        "24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5", (167, 167), None,
    ),
    (
        "board:You:marvin:5:1:2:-1:-1:0:0:2:0:4:3:1:1:0:0:-4:3:0:0:0:-1:0:-4:-2:0:-2:0:1:0:-1:4:2:0:0:1:1:1:0:-1:1:25:0:0:0:1:0:2:0:0:0",
        "24:1 13:4 8:1 6:4 5:2 3:2 bar:1", "24:1 13:3 9:1 8:1 7:3 6:4 4:2", (149, 133),
        (ChoosePlay, (4, 2)),
    ),
    (
        "board:You:marvin:5:1:2:0:0:0:0:2:2:3:2:0:0:0:0:-3:4:-1:0:0:0:-2:-3:-3:1:-2:-1:0:1:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:1:0:0:0:0:0",
        "21:1 13:4 7:2 6:3 5:2 4:2 bar:1", "13:3 11:1 7:2 6:3 5:3 3:2 2:1", (148, 105),
        (RollOrDouble, True),
    ),
    (
        "board:You:marvin:1:0:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:-1:-1:0:0:-1:4:5:0:0:1:1:1:0:-1:1:25:0:11:14:0:0:2:0:0:0",
        "5:2 3:1 2:1", "1:1", (15, 1), (ChoosePlay, (4, 5)),
    ),
    (
        "board:You:marvin:5:2:1:0:0:1:0:0:1:4:-2:3:0:0:0:-3:4:0:0:0:-2:-2:-4:-2:0:0:0:2:0:1:0:0:0:0:1:0:0:1:1:-1:0:25:0:0:0:0:0:0:0:0",
        "24:2 13:4 8:3 6:4 5:1 2:1", "18:2 13:3 8:2 7:2 6:4 5:2", (155, 139), (AnswerDouble,),
    ),
    (
        "board:You:marvin:13:11:8:0:0:2:3:1:3:3:0:2:-1:-1:0:-1:0:-1:0:0:0:-2:-2:-3:-2:-2:0:1:0:-1:0:0:4:1:2:1:0:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "24:1 8:2 6:3 5:3 4:1 3:3 2:2", "16:1 15:1 13:1 11:1 7:2 6:2 5:3 4:2 3:2", (90, 110), None,
    ),
    (
        "board:You:marvin:2:0:1:0:0:0:-1:0:-1:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:1:0:0:0:1:0:-1:0:0:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:0:0:0:0",
        "22:1 20:1 13:5 8:3 6:5", "24:1 20:1 13:5 8:3 6:5", (161, 163), (RollOrDouble, False),
    ),
    (
        "board:You:marvin:2:1:1:0:0:0:-1:3:3:2:0:3:0:0:2:0:2:0:0:0:-1:-1:-2:-2:-2:-4:-2:0:0:1:5:1:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:2:0:1:0",
        "13:2 11:2 8:3 6:2 5:3 4:3", "22:1 8:1 7:1 6:2 5:2 4:2 3:4 2:2", (111, 83),
        (ChoosePlay, (5, 1)),
    ),
    (
        "board:You:marvin:9999:14:23:0:-1:2:0:2:2:4:0:2:0:0:0:-4:3:0:0:0:-3:-2:-4:-1:0:0:0:0:0:-1:0:0:0:0:4:1:0:0:-1:1:25:0:0:0:0:0:0:0:0:3",
        "24:1 13:4 8:3 7:2 6:4 5:1", "13:3 8:2 6:4 5:2 4:2 2:2", (143, 101), (RollOrDouble, True),
    ),
    (
        "board:You:marvin:3:0:1:0:0:3:2:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1:1:1:0:1:-1:0:25:9:15:0:0:0:0:0:0",
        "4:1 3:2 2:3", "", (16, 0), None,
    ),
    (
        "board:trillian:marvin:7:5:0:0:0:2:-1:0:-1:4:0:2:0:0:0:-2:4:0:0:0:-3:-2:-4:3:-2:0:0:0:0:-1:0:0:6:6:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "20:3 13:4 8:2 6:4 2:2", "22:1 20:1 13:2 8:3 7:2 6:4 4:2", (156, 138), None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "mine", "theirs", "pips", "question"), EXAMPLES)
def test_the_worked_examples(
    line: str, mine: str, theirs: str, pips: tuple[int, int], question: tuple[object, ...] | None
) -> None:
    shown = board(line)
    assert shown.line() == line
    assert shown.view() == Position(side(mine), side(theirs)).checked()
    assert shown.view().pips() == pips
    asked = implied(shown)
    match asked:
        case None:
            found: tuple[object, ...] | None = None
        case RollOrDouble(_, may_double):
            found = (RollOrDouble, may_double)
        case ChoosePlay(_, dice):
            found = (ChoosePlay, dice)
        case _:
            found = (type(asked),)
    assert found == question


def test_the_moves_of_the_worked_examples_are_legal_in_our_numbers() -> None:
    for example, count, text in ((0, 14, "13-7 13-11"), (2, 5, "bar-2 20-24"), (8, 26, "8-7 7-2")):
        shown = board(EXAMPLES[example][0])
        plays = legal_plays(shown.position(), shown.rolled or (0, 0))
        assert len(plays) == count
        result = shown.position().after(read_move(text, shown.direction))
        assert result in [play.result for play in plays]


def random_states(count: int, seed: int) -> Iterator[tuple[Position, MatchState]]:
    """Positions of random games, each under a match state that could be."""
    dice = random.Random(seed)
    position, turns = Position.start(), 0
    for _ in range(count):
        yield position, random_match(dice, position)
        roll = (dice.randint(1, 6), dice.randint(1, 6))
        position = dice.choice(legal_plays(position, roll)).result.flipped()
        turns += 1
        if position.is_over() or turns > 150:
            yield position, random_match(dice, position)
            position, turns = Position.start(), 0


def random_match(dice: random.Random, position: Position) -> MatchState:
    length = dice.choice((0, 1, 2, 3, 5, 7, 25, 99))
    score = (dice.randrange(length or 40), dice.randrange(length or 40))
    one_away = length > 1 and (score[0] == length - 1) != (score[1] == length - 1)
    crawford = one_away and dice.random() < 0.5
    on_roll = dice.randint(0, 1)
    cube = 1 if length == 1 or crawford else dice.choice((1, 1, 2, 4, 64))
    over = position.is_over()
    state = MatchState(
        length=length,
        score=score,
        on_roll=0 if over else on_roll,
        to_act=0 if over else on_roll,
        cube=cube,
        cube_owner=None if cube == 1 else dice.randint(0, 1),
        crawford=crawford,
        beavers=dice.choice((0, 0, 3)) if length == 0 else 0,
        phase=Phase.OVER if over else Phase.PLAYING,
    )
    if over:
        return state
    if dice.random() < 0.5:
        return replace(state, dice=(dice.randint(1, 6), dice.randint(1, 6)))
    if state.may_double() and dice.random() < 0.4:
        return replace(state, doubled=True, to_act=1 - on_roll)
    return state


def as_seen_from(seat: int, state: MatchState) -> MatchState:
    """The same match with this seat as seat 0."""
    if seat == 0:
        return state
    owner = None if state.cube_owner is None else 1 - state.cube_owner
    over = state.phase is Phase.OVER
    return replace(
        state,
        score=state.score[::-1],
        on_roll=state.on_roll if over else 1 - state.on_roll,
        to_act=state.to_act if over else 1 - state.to_act,
        cube_owner=owner,
    )


@pytest.mark.patient
def test_boards_of_100000_random_game_states_come_back_the_same() -> None:
    tried = 0
    for number, (position, state) in enumerate(random_states(12_500, seed=5)):
        for colour in (O, X):
            for direction in (DOWN, UP):
                for seat in (0, 1):
                    shown = board_of(
                        position,
                        state,
                        opponent="marvin",
                        seat=seat,
                        colour=colour,
                        direction=direction,
                    )
                    back = board(shown.line())
                    where = f"state {number}, colour {colour}, direction {direction}, seat {seat}"
                    assert back == shown, where
                    assert back.match_state() == as_seen_from(seat, state), where
                    if state.phase is Phase.OVER:
                        expected = position if seat == state.on_roll else position.flipped()
                        assert back.view() == expected, where
                    else:
                        assert back.position() == position, where
                    tried += 1
    assert tried >= 100_000


def test_both_players_see_the_same_checkers_on_the_same_server_points() -> None:
    for position, state in random_states(300, seed=6):
        down = board_of(position, state, opponent="b", seat=0, colour=O)
        up = board_of(position, state, opponent="a", seat=1, colour=X)
        assert down.points == up.points
        assert down.turn == up.turn


def test_plays_come_back_from_their_text_in_both_directions() -> None:
    dice = random.Random(7)
    for position, state in random_states(2_000, seed=8):
        if state.phase is Phase.OVER:
            continue
        roll = (dice.randint(1, 6), dice.randint(1, 6))
        for legal in legal_plays(position, roll)[:20]:
            for direction in (DOWN, UP):
                back = read_move(move_text(legal.play, direction), direction)
                assert back == tuple(sorted(legal.play, key=lambda step: -step.start))
                assert position.after(back) == legal.result


MOVES = [
    ("8-5 6-5", DOWN, (Step(8, 5), Step(6, 5))),
    ("17-20 19-20", UP, (Step(8, 5), Step(6, 5))),
    ("bar-22 6-off", DOWN, (Step(BAR, 22), Step(6, OFF))),
    ("bar-3 19-off", UP, (Step(BAR, 22), Step(6, OFF))),
    ("19-home", UP, (Step(6, OFF),)),
    ("b-22 6-h", DOWN, (Step(BAR, 22), Step(6, OFF))),
    ("25-24", DOWN, (Step(BAR, 24),)),
    ("0-1", UP, (Step(BAR, 24),)),
    ("8-5-4", DOWN, (Step(8, 5), Step(5, 4))),
    ("8-5 6-5 .", DOWN, (Step(8, 5), Step(6, 5))),
    ("", DOWN, ()),
]


@pytest.mark.parametrize(("text", "direction", "play"), MOVES)
def test_every_way_of_writing_a_move_is_read(
    text: str, direction: int, play: tuple[Step, ...]
) -> None:
    assert read_move(text, direction) == play


@pytest.mark.parametrize("text", ["8", "5-8", "26-20", "8-x", "8--5", "bar-bar", "٣-1", "999999-1"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_move(text, DOWN)


def test_moves_are_written_rear_checkers_first() -> None:
    assert move_text((Step(6, OFF), Step(BAR, 22)), DOWN) == "bar-22 6-off"
    assert move_text((Step(8, 6), Step(13, 8)), UP) == "12-17 17-19"


OPENING = EXAMPLES[0][0]


BOTH_ON_THE_BAR = Position((3, 3, 3, 2, 2, *[0] * 19, 2), (3, 3, 3, 3, 2, *[0] * 19, 1))


def changed(index: int, value: object) -> str:
    fields = str(OPENING).split(":")
    fields[index] = str(value)
    return ":".join(fields)


@pytest.mark.parametrize(
    "line",
    [
        changed(7, -3),  # 16 checkers
        changed(45, 1),  # one of them is also off
        changed(41, 0),  # no colour
        changed(37, 3),  # no such cube
        changed(33, 9),  # no such die
        changed(32, 5),  # nobody of that turn
        changed(20, "x"),
        f"{OPENING}:0",
        "board:You:marvin:5",
        "board:",
    ],
)
def test_a_board_that_cannot_be_true_is_broken_not_believed(line: str) -> None:
    assert isinstance(read_board(line), BrokenBoard)


@pytest.mark.parametrize("variant", Variant)
def test_a_board_says_how_many_checkers_are_played_with(variant: Variant) -> None:
    start = Position.start(variant)
    board = read_board(board_of(start, MatchState(5), opponent="x", colour=X).line())
    assert isinstance(board, FibsBoard)
    assert board.view() == start
    assert board.view().variant() is variant
    assert not board.is_moved()
    fewer = replace(board, off=(board.off[0] + 1, board.off[1])).line()
    assert isinstance(read_board(fewer), BrokenBoard)


def test_bars_that_contradict_the_points_are_read_from_the_points() -> None:
    """JIBS counts them with signs, and on the wrong side."""
    true = board_of(BOTH_ON_THE_BAR, MatchState(dice=(6, 2)), opponent="marvin")
    for on_bar in ("-1:2", "0:0"):
        fields = true.line().split(":")
        fields[47:49] = on_bar.split(":")
        assert read_board(":".join(fields)) == true


def test_stale_dice_of_the_side_not_on_turn_are_ignored() -> None:
    fields = str(OPENING).split(":")
    fields[33:37] = ["0", "0", "4", "2"]
    shown = board(":".join(fields))
    assert shown.rolled is None
    assert isinstance(implied(shown), RollOrDouble)


def test_a_double_is_answered_whatever_the_turn_field_says() -> None:
    line = str(EXAMPLES[5][0])
    fields = line.split(":")
    fields[32] = "-1"
    for shown in (board(line), board(":".join(fields))):
        assert isinstance(implied(shown), AnswerDouble)
        assert shown.match_state().doubled
        assert shown.match_state().on_roll == 1
        assert shown.match_state().to_act == 0


def test_the_bar_fields_are_believed_more_than_the_bar_positions() -> None:
    fields = str(EXAMPLES[3][0]).split(":")
    fields[31] = "0"
    assert board(":".join(fields)).view().mine[24] == 1


def test_the_order_of_the_dice_makes_no_new_situation() -> None:
    fields = str(OPENING).split(":")
    fields[33:35] = ["2", "6"]
    fields[49] = "4"
    assert board(OPENING).same_situation(board(":".join(fields)))


def test_the_crawford_game_is_inferred_from_the_score() -> None:
    crawford, post, one_point = (board(str(EXAMPLES[i][0])) for i in (7, 8, 4))
    assert crawford.is_crawford()
    assert not post.is_crawford()
    assert post.match_state().post_crawford
    assert not one_point.is_crawford()
    assert not one_point.match_state().may_double()


@given(st.text(alphabet="board:You-0123456789 \t9", max_size=300))
def test_no_text_makes_reading_a_board_raise(text: str) -> None:
    read_board(text)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=50, max_size=50))
def test_no_numbers_make_reading_a_board_raise(numbers: list[int]) -> None:
    shown = read_board("board:You:marvin:" + ":".join(map(str, numbers)))
    if isinstance(shown, FibsBoard):
        implied(shown)
        shown.match_state()
