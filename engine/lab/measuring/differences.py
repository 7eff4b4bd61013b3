"""Two players compared only where they differ: far fewer games show who is better.

Both are asked at each decision of a game. Where they agree neither can gain; where they differ,
both plays are rolled out to the end of the game with the same dice, cubeless and with the luck
taken out, and the game goes on with one of them at random. In a game against each other each player
makes half of these decisions, so the first player's points per game are half the sum of its gains.

Players that look ahead are slow, so they are not asked where one ply finds a single play worth
considering: there they count as agreeing. That can hide a difference, but not create one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain, Scratch, judge_many, scratch_for
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.measuring.decisions import (
    DEEP_TURNS,
    DecisionPlan,
    look,
    money,
    played_out,
)
from sixprime.engine.lab.measuring.games import (
    LONGEST,
    GameTally,
    GameTerms,
    dice_of,
    points_won,
    roll,
)
from sixprime.engine.position import MAX_CHECKERS, Position
from sixprime.engine.search.trials import RolloutSettings

NEAR = 0.40  # of the best by the net: these plays are looked at one ply ahead
CLOSE = 0.10  # of the best after that: two of these, and players are asked
PLAN = DecisionPlan()  # of the benchmark of decisions
TRIALS = 144  # of each play


def judge() -> dict[str, int]:
    """Identify the rollouts that judge: figures of other rollouts do not add up with theirs."""
    return {"trials": TRIALS, "deep_turns": DEEP_TURNS}


def play_block(
    first: Contestant, second: Contestant, terms: GameTerms, number: int, pairs: int, brain: Brain
) -> GameTally:
    """Play 2 * `pairs` games and tally the points a game that `first` would gain."""
    draws = dice_of(terms, number)
    boards = np.stack([Position.start().array()] * (2 * pairs))
    gained = np.zeros(2 * pairs)
    going = np.ones(2 * pairs, bool)
    work = scratch_for(brain)
    tally = GameTally(pairs)
    turn = 0
    while going.any():
        if turn == LONGEST:
            raise RuntimeError(f"a game did not end in {LONGEST} turns: a player must be wrong")
        active = np.flatnonzero(going)
        rolled = np.concatenate([roll(draws, terms, turn == 0) for _ in range(2)])[active]
        coins = draws.random(2 * pairs)[active]
        before = boards[active]
        after = np.empty_like(before)
        asked = []
        for i in range(len(active)):
            after[i], open_ = obvious(brain, before[i], rolled[i], work)
            if open_:
                asked.append(i)
        ours = first.choose(before[asked], rolled[asked])
        theirs = second.choose(before[asked], rolled[asked])
        for i, one, other in zip(asked, ours, theirs, strict=True):
            after[i] = one if coins[i] < 0.5 else other
            if (one != other).any():
                seed = int(draws.integers(2**31))
                gained[active[i]] += better_by(brain, one, other, seed) / 2
                tally.different += 1
        tally.decisions += len(asked)
        going[active[points_won(after, terms.one_point) > 0]] = False
        boards[active] = after[:, ::-1]
        turn += 1
    values = gained.reshape(2, pairs).mean(axis=0)
    tally.total, tally.squares = float(values.sum()), float((values**2).sum())
    return tally


def obvious(
    brain: Brain, board: NDArray[np.int8], dice: NDArray[np.int8], work: Scratch
) -> tuple[NDArray[np.int8], bool]:
    """Return the board after the best play one ply ahead, and whether another comes close."""
    count = generate(board, dice[0], dice[1], work.rolled)
    if count == 0:
        return board, False
    results = work.rolled.results[:count].copy()
    home = results[:, 0].sum(axis=1) == 0
    if home.any():
        return results[int(home.argmax())], False
    if count == 1:
        return results[0], False
    turned = np.ascontiguousarray(results[:, ::-1])
    chances = np.empty((count, OUTPUTS), np.float32)
    judge_many(brain, turned, MAX_CHECKERS, work, chances)
    theirs = money(chances)
    near = np.flatnonzero(theirs <= theirs.min() + NEAR)
    if len(near) == 1:
        return results[near[0]], False
    costs = look(brain, turned[near], 1, PLAN, work)
    return results[near[costs.argmin()]], bool((costs <= CLOSE).sum() > 1)


def better_by(brain: Brain, one: NDArray[np.int8], other: NDArray[np.int8], seed: int) -> float:
    """Return how much more result `one` is worth to the mover than `other`, both int8[2, 25]."""
    settings = RolloutSettings(trials=TRIALS, seed=seed)
    mine, others = played_out(brain, np.stack([one, other]), settings, DEEP_TURNS)
    return float(mine.mean() - others.mean())
