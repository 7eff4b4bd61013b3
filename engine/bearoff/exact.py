"""Hypergammon is known exactly: chances and worths from its database, without looking ahead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels import tree
from sixprime.engine.position import Chances, Dice, Play, Position
from sixprime.engine.rules import legal_plays

Cube = tuple[int, int]  # value and owner, as the player on roll sees it


class KnownPlay(NamedTuple):
    """A play, as the mover sees it."""

    board: NDArray[np.int8]
    play: Play
    outcomes: Chances
    worth: float


def known_plays(
    position: Position, dice: Dice, cube: Cube, terms: tree.SearchTerms
) -> list[KnownPlay]:
    """Every play of a roll with what the opponent, on roll, makes of it."""
    cube = cube[0], kernel.THEIRS - cube[1]
    found = []
    for play, result in legal_plays(position, dice):
        theirs, worth = _on_roll(result.flipped(), cube, terms)
        win, gammon, backgammon, lost, lost_backgammon = theirs.tolist()
        mine = 1 - win, lost, lost_backgammon, gammon, backgammon
        worth = float(kernel.turned(worth, terms.rules))
        found.append(KnownPlay(result.array(), play, mine, worth))
    return found


def known_worths(
    position: Position, cubes: NDArray[np.int64], terms: tree.SearchTerms
) -> tuple[Chances, float, float]:
    """The chances of the player on roll, and the worths with two cubes, not to be turned now."""
    chances, live = _known(position, terms)
    worths = []
    for cube, owner in cubes.tolist():
        if terms.settings[tree.CUBEFUL] == 0:
            worth = tree.dead(chances, 0, cube, owner, terms)
        else:
            worth = kernel.cubeful(chances, 0, cube, owner, live, terms.rules, terms.chances)
        worths.append(float(worth))
    win, gammon, backgammon, lost, lost_backgammon = chances.tolist()
    return (win, gammon, backgammon, lost, lost_backgammon), worths[0], worths[1]


def _on_roll(
    position: Position, cube: Cube, terms: tree.SearchTerms
) -> tuple[NDArray[np.float32], float]:
    """The chances of the opponent, now on roll, and the worth with the right to double."""
    if position.is_over():
        chances = _result(position)
        return chances, float(tree.dead(chances, 1, *cube, terms))
    chances, live = _known(position, terms)
    if terms.settings[tree.CUBEFUL] == 0:
        return chances, float(tree.dead(chances, 1, *cube, terms))
    states, worths = np.array([cube], np.int64), np.zeros(1)
    kernel.leaf_worths(chances, 1, states, 1, live, terms.rules, terms.chances, worths)
    return chances, float(worths[0])


def _known(
    position: Position, terms: tree.SearchTerms
) -> tuple[NDArray[np.float32], kernel.Liveness]:
    """Chances, with the level's noise, and how live the cube is."""
    figures = hypergammon(position.checkers).figures(position)
    chances = np.array(figures.chances, np.float32)
    centred = figures.jacoby if terms.rules[kernel.JACOBY] else figures.centred
    exact = np.array([figures.owned, centred, figures.against])
    if terms.noise[0] == 0.0:
        return chances, kernel.Liveness(0.0, exact, True)
    owner, most = kernel.CENTRED, kernel.EXACT_MOST
    implied = kernel.implied_efficiency(chances, owner, figures.centred, most)
    tree.disturb(position.array(), terms, chances)
    return chances, kernel.Liveness(float(implied), exact, False)


def _result(position: Position) -> NDArray[np.float32]:
    """The chances of a game that is over."""
    points = position.result()
    chances = np.zeros(5, np.float32)
    if points > 0:
        chances[:points] = 1.0
    else:
        chances[3 : 2 - points] = 1.0  # -2: gammon, -3: backgammon too
    return chances
