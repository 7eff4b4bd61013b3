"""Many games between two players, with the luck taken out where possible.

Games come in pairs: both have the same dice, and the seats are exchanged. The games of a block
(engine.lab.blocks) are played side by side.

A brain gives a luck-adjusted result, too: the luck of all rolls is subtracted from each game's
result. That luck has expectation zero however wrong the brain is, so the adjusted figure is as
unbiased as the plain one and needs far fewer games.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer, luck_many
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.tallies import Mean, PairTally
from sixprime.engine.position import MAX_CHECKERS, Position

BLOCK = 1000  # games played side by side
LONGEST = 3000  # turns; a game still going on then is a bug
REPLIES = 4  # results, after pruning, that measure the luck of a roll


@dataclass(frozen=True, slots=True)
class GameTerms:
    """The kind of games to play, and their points."""

    one_point: bool = False  # else cubeless money
    seed: int = 1
    block: int = BLOCK
    differences: bool = False  # only where they differ (sixprime.engine.lab.measuring.differences)


@dataclass(slots=True)
class GameTally(PairTally):
    """Sums over pairs of games of the first player's points a game, averaged over a pair."""

    results: list[int] = field(default_factory=lambda: [0] * 7)  # games with -3 .. +3 points
    decisions: int = 0  # asked of both (sixprime.engine.lab.measuring.differences)
    different: int = 0  # decisions on which they differed


def play(
    first: Contestant, second: Contestant, *, games: int, seed: int = 1, one_point: bool = False
) -> Mean:
    """Play this many games in this process and return the first player's points a game."""
    terms = GameTerms(one_point, seed)
    tally = GameTally()
    for number, pairs in enumerate(block_sizes(games, terms)):
        tally.add(play_block(first, second, terms, number, pairs))
    return tally.score()


def block_sizes(games: int, terms: GameTerms) -> list[int]:
    """Return the number of pairs of each block."""
    full, rest = divmod(games, terms.block)
    return [terms.block // 2] * full + ([(rest + 1) // 2] if rest else [])


def dice_of(terms: GameTerms, number: int) -> np.random.Generator:
    """Return the source of a block's dice."""
    return np.random.default_rng([terms.seed, number])


def roll(draws: np.random.Generator, terms: GameTerms, opening: bool) -> NDArray[np.int8]:
    """Roll the dice of a turn for all pairs of a full block; no doubles in the opening."""
    dice = draws.integers(1, 7, size=(terms.block // 2, 2), dtype=np.int8)
    if opening:  # the second die is one of the other five numbers
        dice[:, 1] = (dice[:, 0] + draws.integers(0, 5, size=len(dice), dtype=np.int8)) % 6 + 1
    return dice


def play_block(
    first: Contestant,
    second: Contestant,
    terms: GameTerms,
    number: int,
    pairs: int,
    brain: Brain | None = None,
) -> GameTally:
    """Play a block's first `pairs` pairs; take the luck out if there is a brain.

    In game 0 of a pair the first player begins, in game 1 the second.
    """
    draws = dice_of(terms, number)
    start = Position.start().array()
    boards = np.stack([np.stack([start] * pairs)] * 2)  # [game of the pair, pair, 2, 25]
    points = np.zeros((2, pairs))  # of the first player
    luck = np.zeros((2, pairs))
    going = np.ones((2, pairs), bool)
    judge = (
        None
        if brain is None
        else CubelessPlayer(brain, scratch_for(brain), REPLIES, terms.one_point)
    )
    turn = 0
    while going.any():
        if turn == LONGEST:
            raise RuntimeError(f"a game did not end in {LONGEST} turns: a player must be wrong")
        dice = roll(draws, terms, turn == 0)
        for game in range(2):
            first_moves = (turn + game) % 2 == 0
            active = np.flatnonzero(going[game])
            if not len(active):
                continue
            before, rolled = boards[game, active], dice[active]
            sign = 1 if first_moves else -1
            if judge is not None:
                lucky = np.empty(len(active))
                luck_many(judge, before, rolled, turn == 0, lucky)
                luck[game, active] += sign * lucky
            after = (first if first_moves else second).choose(before, rolled)
            won = points_won(after, terms.one_point)
            points[game, active] = sign * won
            going[game, active[won > 0]] = False
            boards[game, active] = after[:, ::-1]
        turn += 1
    return _tallied(points, luck)


def points_won(boards: NDArray[np.int8], one_point: bool) -> NDArray[np.int64]:
    """Return the points that the movers of int8[n, 2, 25] just won; 0 where a game goes on."""
    mine, theirs = boards[:, 0], boards[:, 1]
    won: NDArray[np.int64] = (mine.sum(axis=1) == 0).astype(np.int64)
    if one_point:
        return won
    gammon = theirs.sum(axis=1) == MAX_CHECKERS
    far = theirs[:, 18:].sum(axis=1) > 0
    won *= 1 + gammon + (gammon & far)
    return won


def _tallied(points: NDArray[np.float64], luck: NDArray[np.float64]) -> GameTally:
    plain = points.mean(axis=0)
    fair = (points - luck).mean(axis=0)
    return GameTally(
        len(plain),
        float(plain.sum()),
        float((plain**2).sum()),
        float(fair.sum()),
        float((fair**2).sum()),
        [int((points == value).sum()) for value in range(-3, 4)],
    )
