"""Exact chances and worths of hypergammon from its database, without looking ahead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels import tree
from sixprime.engine.kernels.evaluation import disturb
from sixprime.engine.position import Chances, Dice, Play, Position, chances_of, turned_chances
from sixprime.engine.rules import legal_plays

Cube = tuple[int, int]  # value and owner, as the player on roll sees it
LEAST, MOST = -1.0, 2.0  # efficiency in a match: gammons can bring it below dead or above live


class KnownPlay(NamedTuple):
    """A play, as the mover sees it."""

    board: NDArray[np.int8]
    play: Play
    outcomes: Chances
    worth: float


def known_plays(
    position: Position, dice: Dice, cube: Cube, terms: tree.SearchTerms
) -> list[KnownPlay]:
    """Return every play of a roll, valued by the position that it leaves, best first."""
    cube = cube[0], kernel.THEIRS - cube[1]
    found = []
    for play, result in legal_plays(position, dice):
        theirs, worth = _on_roll(result.flipped(), cube, terms)
        worth = float(kernel.turned(worth, terms.rules))
        mine = turned_chances(theirs.tolist())
        found.append(KnownPlay(result.array(), play, mine, worth))
    return sorted(found, key=lambda each: (-each.worth, -_cubeless(each.outcomes)))


def known_worths(
    position: Position, cubes: NDArray[np.int64], terms: tree.SearchTerms
) -> tuple[Chances, float, float]:
    """Return the chances of the player on roll, and the worths of two cubes if not turned now."""
    known = _known(position, terms)
    worths = [_cubeful(known, 0, (cube, owner), terms) for cube, owner in cubes.tolist()]
    return chances_of(known.chances), worths[0], worths[1]


def _on_roll(
    position: Position, cube: Cube, terms: tree.SearchTerms
) -> tuple[NDArray[np.float32], float]:
    """Return the chances of the opponent, now on roll, and the worth with the right to double."""
    if position.is_over():
        chances = _result(position)
        return chances, float(tree.dead(chances, 1, *cube, terms))
    known = _known(position, terms)
    worth, rules = _cubeful(known, 1, cube, terms), terms.rules
    if terms.settings[tree.CUBEFUL] == 0 or not kernel.may_double(1, *cube, rules):
        return known.chances, worth
    taken = _cubeful(known, 1, (2 * cube[0], kernel.THEIRS), terms)
    passed = kernel.pass_worth(1, cube[0], rules, terms.chances)
    return known.chances, float(kernel.best(worth, taken, passed))


def _cubeful(known: _Known, side: int, cube: Cube, terms: tree.SearchTerms) -> float:
    """Return the worth if the cube is not turned now."""
    value, owner = cube
    rules, points = terms.rules, terms.chances
    if terms.settings[tree.CUBEFUL] == 0:
        return float(tree.dead(known.chances, side, value, owner, terms))
    seen, true = (kernel.money_dead(each, owner, rules[kernel.JACOBY]) for each in known[:2])
    efficiency = kernel.implied_efficiency(known.true, owner, known.exact[owner], LEAST, MOST)
    exact, is_money = known.exact + (seen - true), bool(rules[kernel.MONEY])
    live = kernel.Liveness((efficiency,) * 3, exact, is_money)
    return float(kernel.cubeful(known.chances, side, value, owner, live, rules, points))


def _cubeless(chances: Chances) -> float:
    win, gammon, backgammon, lost, lost_backgammon = chances
    return 2 * win - 1 + gammon + backgammon - lost - lost_backgammon


class _Known(NamedTuple):
    chances: NDArray[np.float32]  # with the level's noise
    true: NDArray[np.float32]  # without
    exact: NDArray[np.float64]  # money equities by owner of the cube


def _known(position: Position, terms: tree.SearchTerms) -> _Known:
    figures = hypergammon(position.checkers).figures(position)
    true = np.array(figures.chances, np.float32)
    chances = true.copy()
    if terms.noise[0] != 0.0:
        disturb(position.array(), terms, position.checkers, chances)
    centred = figures.jacoby if terms.rules[kernel.JACOBY] else figures.centred
    return _Known(chances, true, np.array([figures.owned, centred, figures.against]))


def _result(position: Position) -> NDArray[np.float32]:
    """Return the chances of a game that is over."""
    points = position.result()
    chances = np.zeros(5, np.float32)
    if points > 0:
        chances[:points] = 1.0
    else:
        chances[3 : 2 - points] = 1.0  # -2: gammon, -3: backgammon too
    return chances
