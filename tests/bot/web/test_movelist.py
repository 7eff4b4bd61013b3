"""The list of moves beside the board: a match file of somebody else has the same rows."""

from __future__ import annotations

from sixprime.bot.web.play.movelist import from_other_side, move_rows
from sixprime.engine.position import Step
from sixprime.protocols.formats.mat import read_mat

FILE = """ 3 point match

 Game 1
 anna : 0                          ben : 0
  1)                               64: 24/14
  2) 31: 8/5 6/5                   Doubles => 2
  3) Takes                         11: 8/7(2) 6/5(2)
  4) 33: 24/21(2) 13/10(2)         21: 13/11 6/5
  5) Doubles => 4                  Drops
  6) Wins 2 points
"""


def test_rows_are_those_of_the_file() -> None:
    (match,) = read_mat(FILE).matches
    rows = [
        [", ".join(move.words for move in cell) for cell in row.cells]
        for row in move_rows(match, match.games[0])
    ]
    assert rows == [
        ["", "64: 24/14"],
        ["31: 8/5 6/5", "doubles to 2"],
        ["takes", "11: 8/7(2) 6/5(2)"],
        ["33: 24/21(2) 13/10(2)", "21: 13/11 6/5"],
        ["doubles to 4", "passes"],
    ]


def test_the_other_side_counts_from_its_own_home() -> None:
    play = Step(25, 20), Step(8, 2), Step(3, 0)
    assert from_other_side(play) == "bar/5 17/23 22/off"
