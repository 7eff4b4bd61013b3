"""Backgammons in races where the winner has come home, with the rules as judge.

What is said before a roll has to be the mean of what is said after it, when each side plays its
best (the winner hardly ever has a choice). At the end of the game the rules alone speak.
"""

from __future__ import annotations

import random

import pytest

from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def race(draws: random.Random) -> Position:
    """The winner to roll, with all checkers home and few of them; some of the loser's are there."""
    border = draws.randrange(1, 6)  # the winner's checkers stand below it
    mine, theirs = [0] * 25, [0] * 25
    for _ in range(draws.randrange(1, 9)):
        mine[draws.randrange(border)] += 1
    for _ in range(late := draws.randrange(1, 5)):
        theirs[draws.randrange(18, 24 - border)] += 1
    for _ in range(15 - late):
        theirs[draws.randrange(18)] += 1
    return Position(tuple(mine), tuple(theirs))


def after_a_roll(evaluator: Evaluator, position: Position, best: int) -> float:
    """The mean chance that the winner, who is on roll if `best` is 1, wins a backgammon."""
    total = 0.0
    for dice in ROLLS:
        results = {play.result for play in legal_plays(position, dice)}
        seen = evaluator.many([result.flipped() for result in results])
        chances = [told.lose_backgammon if best > 0 else told.win_backgammon for told in seen]
        total += (1 if dice[0] == dice[1] else 2) / 36 * best * max(best * each for each in chances)
    return total


@pytest.mark.parametrize("seed", range(12))
def test_said_before_a_roll_is_the_mean_of_what_is_said_after_it(seed: int) -> None:
    evaluator, position = Evaluator(), race(random.Random(seed))
    said = evaluator.outcomes(position).win_backgammon
    assert said == pytest.approx(after_a_roll(evaluator, position, 1), abs=2e-4)
    turned = position.flipped()
    said = evaluator.outcomes(turned).lose_backgammon
    assert said == pytest.approx(after_a_roll(evaluator, turned, -1), abs=5e-3)


def test_a_checker_that_is_off_saves_it() -> None:
    position = race(random.Random(1))
    fewer = list(position.theirs)
    fewer[next(place for place in range(18) if fewer[place])] -= 1
    said = Evaluator().outcomes(Position(position.mine, tuple(fewer)))
    assert said.win_gammon == said.win_backgammon == 0.0
