"""Boards for people and for programs show the same position, whoever looks."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.fibs.wire.board import FibsBoard, read_board
from tests.support.sandbox.pictures import Picture


def some_table(seed: int) -> UnfinishedMatch:
    """A position out of a game of random plays."""
    dice = random.Random(seed)
    match = UnfinishedMatch(("sixbot", "marvin"), 7, o_seat=dice.randrange(2))
    match = match.next_game((dice.randint(4, 6), dice.randint(1, 3)), 1)
    for _ in range(dice.randrange(90)):
        assert match.state.dice is not None
        play = dice.choice(legal_plays(match.position, match.state.dice)).play
        after = match.played(play)
        if after.won:
            break
        match = after.rolled((dice.randint(1, 6), dice.randint(1, 6)))
    return match


@pytest.mark.parametrize("seed", range(40))
def test_the_picture_and_the_colon_line_show_the_position(seed: int) -> None:
    match = some_table(seed)
    for seat, name in enumerate(match.players):
        lines = board(match, name, 2, Dialect())
        picture = Picture(lines)
        assert picture.position() == match.view(seat)
        assert picture.off[match.letter(seat)] == match.view(seat).off()[0]
        assert (picture.rolled is not None) == (match.state.on_roll == seat)
        (line,) = board(match, name, 3, Dialect())
        read = read_board(line)
        assert isinstance(read, FibsBoard)
        assert read.view() == match.view(seat)
        assert len({len(row) for row in lines[1:12] if "match" not in row}) == 1


def test_style_1_has_o_at_the_bottom_for_both_players() -> None:
    match = some_table(3)
    pictures = [board(match, name, 1, Dialect()) for name in match.players]
    rows = [[line[:46] for line in picture[:13]] for picture in pictures]
    assert rows[0] == rows[1]


def test_more_than_five_checkers_are_a_number_and_more_than_nine_a_letter() -> None:
    match = UnfinishedMatch(("sixbot", "marvin"), 7).next_game((5, 2), 1)
    mine = (0, 0, 0, 0, 0, 11, *[0] * 18, 4)
    theirs = (0, 0, 0, 0, 0, 7, *[0] * 18, 6)
    match = replace(match, position=Position(mine, theirs))
    picture = Picture(board(match, "sixbot", 2, Dialect()))
    assert picture.position() == match.position


def test_the_cube_and_its_owner_are_shown() -> None:
    match = UnfinishedMatch(("sixbot", "marvin"), 7).next_game((5, 2), 1)
    match = match.with_state(cube=4, cube_owner=1)
    assert "Cube: 4 (owned by X)" in board(match, "sixbot", 2, Dialect())[-1]
