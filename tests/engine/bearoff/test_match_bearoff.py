"""Cubes in the bearoff of a match, against an exact recursion over boards, cubes and scores.

Only plays (sixprime.engine.rules) and the match equity table are shared with the engine.
"""

from __future__ import annotations

from functools import cache

import pytest

from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.matchequity import Chances, load_table
from sixprime.engine.search.plies import Evaluation, Search

pytestmark = pytest.mark.patient

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
AHEAD = MatchState(9, (6, 1), on_roll=0, to_act=0, cube=2, cube_owner=0)
BEHIND = MatchState(7, (1, 4), on_roll=0, to_act=0)


@cache
def results_of(board: Position, roll: tuple[int, int]) -> frozenset[Position]:
    """Positions after each legal play, whatever the cube and the match."""
    return frozenset(play.result for play in legal_plays(board, roll))


class Exact:
    """What a bearoff without gammons is worth, as match winning chances of who is on roll."""

    def __init__(self, match: MatchState) -> None:
        self.chances: list[Chances] = [load_table().chances(match, seat) for seat in (0, 1)]
        self.away = match.away
        self.rolled = cache(self._rolled)

    def _rolled(self, seat: int, board: Position, cube: int, owner: int | None) -> float:
        """Without another look at the cube."""
        total = 0.0
        for high, low in ROLLS:
            after = results_of(board, (high, low))
            best = max(self._played(seat, result, cube, owner) for result in after)
            total += best / 36 if high == low else best / 18
        return total

    def _played(self, seat: int, result: Position, cube: int, owner: int | None) -> float:
        if result.is_over():
            return self.chances[seat].win(cube)
        return 1 - self.turn(1 - seat, result.flipped(), cube, owner)

    def turn(self, seat: int, board: Position, cube: int, owner: int | None) -> float:
        """With the right to double first."""
        stays = self.rolled(seat, board, cube, owner)
        if owner == 1 - seat or self.away[seat] <= cube:
            return stays
        taken = self.rolled(seat, board, 2 * cube, 1 - seat)
        return max(stays, min(taken, self.chances[seat].win(cube)))


def bearoff(mine: str, theirs: str) -> Position:
    """`134`: checkers on the 1, 3 and 4 point."""
    sides = [tuple(text.count(str(point)) for point in range(1, 26)) for text in (mine, theirs)]
    return Position(sides[0], sides[1])


@pytest.mark.parametrize("match", [AHEAD, BEHIND], ids=["ahead", "behind"])
@pytest.mark.parametrize(("mine", "theirs"), [("33", "16"), ("26", "5"), ("136", "46"), ("6", "1")])
def test_two_plies_of_a_short_bearoff_are_exact_in_a_match(
    match: MatchState, mine: str, theirs: str
) -> None:
    """No database knows cubes of a match: gnubg's 2-ply answers are these, its 0-ply ones not."""
    position, exact = bearoff(mine, theirs), Exact(match)
    seen = Search(load_brain()).see(position, match, Evaluation(plies=2))
    assert seen.no_double == pytest.approx(
        exact.rolled(0, position, match.cube, match.cube_owner), abs=1e-4
    )
    assert seen.double_take == pytest.approx(exact.rolled(0, position, 2 * match.cube, 1), abs=1e-4)
