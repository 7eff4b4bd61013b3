"""Plays are written as gnubg writes them, and read however people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.position import Dice, LegalPlay, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.notation import BadPlay, format_play, format_steps, parse_play
from tests.support.engine import reference
from tests.support.engine.boards import Counts, board_of
from tests.support.gnubg.plays import legal_plays_of


def read(text: str, board: Position, dice: Dice) -> LegalPlay:
    """The play that the text means on this board."""
    return parse_play(text, board, dice, legal_plays(board, dice))


WRITTEN = [
    # the steps a die each, on which board, and the short form
    ("8/5 6/5", {8: 3, 6: 5}, {}, "8/5 6/5"),
    ("24/18 18/14", {24: 2}, {}, "24/14"),
    ("24/18 18/14", {24: 2}, {7: 1}, "24/18*/14"),
    ("24/18 18/14", {24: 2}, {11: 1}, "24/14*"),
    ("24/18 18/14", {24: 2}, {7: 1, 11: 1}, "24/18*/14*"),
    ("8/5 8/5 6/3 6/3", {8: 2, 6: 2}, {22: 1}, "8/5(2) 6/3*(2)"),
    ("25/22 6/3", {25: 1, 6: 1}, {3: 1}, "bar/22* 6/3"),
    ("25/22 22/21", {25: 1}, {}, "bar/21"),
    ("6/0 5/0", {6: 2, 5: 1}, {}, "6/off 5/off"),
    ("6/0 6/0 6/0 6/0", {6: 4}, {}, "6/off(4)"),
    ("8/7 8/7 7/6 6/5", {8: 2}, {}, "8/5 8/7"),
    ("24/18 24/18 18/12 18/12", {24: 2}, {}, "24/12(2)"),
    ("5/3 5/3 3/1 3/1", {5: 2}, {22: 1}, "5/3*/1(2)"),
    ("11/6 11/6 6/1 5/0", {11: 2, 5: 1}, {19: 1}, "11/6*/1 11/6 5/off"),
    ("", {25: 1}, {}, ""),
]


def steps(text: str) -> tuple[Step, ...]:
    """One step a word, in digits."""
    return tuple(Step(*map(int, word.split("/"))) for word in text.split())


@pytest.mark.parametrize(("play", "mine", "theirs", "short"), WRITTEN)
def test_a_play_is_written_in_its_shortest_form(
    play: str, mine: Counts, theirs: Counts, short: str
) -> None:
    start = board_of(mine, theirs)
    assert format_play(start, steps(play)) == short
    assert format_play(start, steps(play)[::-1]) == short


def test_a_play_can_be_written_one_word_a_die_for_fibs() -> None:
    assert format_steps(steps("25/22 6/0")) == "bar/22 6/off"
    assert format_steps(steps("24/18 18/14")) == "24/18 18/14"


START = Position.start()
HIT = board_of({24: 2, 13: 5, 8: 3, 6: 5}, {7: 1, 11: 1, 6: 5})

READ = [
    ("8/5 6/5", START, (3, 1), "8/5 6/5"),
    ("6/5 8/5", START, (3, 1), "8/5 6/5"),
    ("8-5 6-5", START, (3, 1), "8/5 6/5"),
    ("8/5, 6/5", START, (3, 1), "8/5 6/5"),
    ("  8/5*   6/5* ", START, (1, 3), "8/5 6/5"),
    ("24/14", START, (6, 4), "24/14"),
    ("24/18/14", START, (4, 6), "24/14"),
    ("24/20 20/14", START, (6, 4), "24/14"),
    ("24-18 18-14", START, (6, 4), "24/14"),
    ("13/7(2) 8/2(2)", START, (6, 6), "13/7(2) 8/2(2)"),
    ("13/7 (2) 8/2 (2)", START, (6, 6), "13/7(2) 8/2(2)"),
    ("13/9(2)*", START, (4, 4), None),
    ("13/5 24/16", START, (4, 4), "24/16 13/5"),
    ("24/18*/14*", HIT, (6, 4), "24/18*/14*"),
    ("bar/22 6/4", board_of({25: 1, 6: 2}, {}), (3, 2), "bar/22 6/4"),
    ("b/22 6/4", board_of({25: 1, 6: 2}, {}), (3, 2), "bar/22 6/4"),
    ("25/20", board_of({25: 1, 6: 2}, {}), (3, 2), "bar/20"),
    ("BAR/20", board_of({25: 1, 6: 2}, {}), (3, 2), "bar/20"),
    ("6/off 5/o", board_of({6: 1, 5: 2}, {}), (6, 5), "6/off 5/off"),
    ("6/0 5/0", board_of({6: 1, 5: 2}, {}), (6, 5), "6/off 5/off"),
    ("4/off(2)", board_of({4: 3}, {}), (6, 5), "4/off(2)"),
    ("6/off", board_of({6: 1}, {}), (6, 1), "6/off"),
    ("", board_of({25: 1}, dict.fromkeys(range(1, 7), 2)), (6, 1), ""),
    ("can't move", board_of({25: 1}, dict.fromkeys(range(1, 7), 2)), (6, 1), ""),
]


@pytest.mark.parametrize(("text", "board", "dice", "meant"), READ)
def test_a_play_is_read_however_it_is_written(
    text: str, board: Position, dice: Dice, meant: str | None
) -> None:
    if meant is None:
        with pytest.raises(BadPlay, match="not the whole play"):
            read(text, board, dice)
    else:
        assert format_play(board, read(text, board, dice).play) == meant


def test_joined_steps_mean_the_way_that_does_not_hit() -> None:
    one_blot = board_of({24: 2}, {7: 1})
    assert format_play(one_blot, read("24/14", one_blot, (6, 4)).play) == "24/14"
    assert format_play(one_blot, read("24/18*/14", one_blot, (6, 4)).play) == "24/18*/14"


def test_joined_steps_mean_the_way_that_hits_if_there_is_no_other() -> None:
    blocked_else = board_of({24: 2}, {7: 1, 5: 2})
    assert format_play(blocked_else, read("24/14", blocked_else, (6, 4)).play) == "24/18*/14"


REFUSED = [
    ("24/14", board_of({24: 2}, {7: 1, 5: 1}), (6, 4), "ambiguous, expected: 24/18[*]/14, 24/20"),
    ("8/5", START, (3, 1), "not the whole play, expected: 24/23 8/5, 8/7 8/5, 8/5 6/5, 8/4"),
    ("", START, (3, 1), "a play is expected: .* or 12 more"),
    ("8/5 6/5", board_of({25: 1}, dict.fromkeys(range(1, 7), 2)), (6, 1), "no checker can move"),
    ("24/18", START, (3, 1), "24/18 cannot be made with 3 and 1"),
    ("8/5 8/5", START, (3, 1), "8/5 8/5 cannot be made with 3 and 1"),
    ("24/19 6/5", START, (5, 1), "24/19 is blocked"),
    ("24/14", board_of({24: 2, 12: 2}, {7: 2, 5: 2}), (6, 4), "24/14 is not legal, expected: "),
    ("12/9 6/5", START, (3, 1), "12/9: there is no checker on point 12"),
    ("bar/22 6/5", START, (3, 1), "bar/22: there is no checker on the bar"),
    ("8/5 6/5", board_of({25: 1, 8: 1, 6: 1}, {}), (3, 1), "the bar must enter first"),
    ("5/8 6/5", START, (3, 1), "5/8 does not go forward"),
    ("8/5 x", START, (3, 1), "'x' is not a move, expected the like of 8/5"),
    ("8/5(5)", START, (3, 1), "is not a move"),
    ("99/5", START, (3, 1), "does not go forward"),
    ("8/7(4) 6/5", START, (1, 1), "a play has four steps at most"),
    ("8/5 " * 100, START, (3, 1), "shorter than 200 characters"),
    ("6/off 5/4", board_of({6: 1, 5: 1, 7: 1}, {}), (6, 1), "expected: "),
]


@pytest.mark.parametrize(("text", "board", "dice", "reason"), REFUSED)
def test_a_wrong_text_is_refused_with_what_was_expected(
    text: str, board: Position, dice: Dice, reason: str
) -> None:
    with pytest.raises(BadPlay, match=reason):
        read(text, board, dice)


@given(reference.positions(), reference.dice())
def test_every_legal_play_is_read_back_from_every_form(board: Position, dice: Dice) -> None:
    legal = legal_plays(board, dice)
    for meant in legal:
        for text in (
            format_play(board, meant.play),
            format_steps(meant.play),
            format_steps(meant.play[::-1]).replace("/", "-").upper(),
        ):
            assert parse_play(text, board, dice, legal) == meant


@given(reference.positions(), reference.dice())
def test_no_two_results_are_written_alike(board: Position, dice: Dice) -> None:
    texts = [format_play(board, legal.play) for legal in legal_plays(board, dice)]
    assert len(set(texts)) == len(texts)


@given(
    reference.positions(),
    reference.dice(),
    st.one_of(st.text(), st.text("0123456789/-*() baroff,"), st.from_regex(r"(\d+/\d+ ?){0,5}")),
)
def test_any_text_is_a_legal_play_or_refused(board: Position, dice: Dice, text: str) -> None:
    legal = legal_plays(board, dice)
    try:
        assert parse_play(text, board, dice, legal) in legal
    except BadPlay as refused:
        assert str(refused)


@pytest.mark.gnubg
def test_every_play_of_1_000_rolls_is_written_as_gnubg_writes_it(tmp_path: Path) -> None:
    for board, dice, plays in legal_plays_of(list(reference.random_rolls(11, 1_000)), tmp_path):
        legal = legal_plays(board, dice)
        by_result = {
            board.after(tuple(Step(*pair) for pair in pairs)): text for text, pairs in plays
        }
        for text, result in ((text, result) for result, text in by_result.items()):
            assert parse_play(text, board, dice, legal).result == result
        for candidate in legal:
            assert format_play(board, candidate.play) == by_result.get(candidate.result, "")
