"""Results of games, which correct training targets.

Looking ahead makes a net agree with itself, but games may still end otherwise: a net taught by
itself is overconfident. Positions that it gave 80 % were won in 79.4 %, and plays differed by 2 or
3 % less than it said. Game results show this, but a single result is mostly luck, too noisy to be
a target itself. A correction of a few hundred numbers can be learned from many; the net then learns
its own targets, corrected.

Only the five chances go in, so positions stay nearly in the net's own order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, judge_many, scratch_for
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.lab.training import selfplay
from sixprime.engine.lab.training.model import Chances
from sixprime.engine.position import MAX_CHECKERS, Position

REPLIES = 6  # results that the pruner leaves to be judged in a game
CHUNK = 250_000  # positions played at a time


def played(
    brain: Brain, games: int, seed: int, report: Callable[[int, int], None] = lambda _, __: None
) -> tuple[Chances, Chances]:
    """Play games; return the net's chances for their contact positions, and the results."""
    work = scratch_for(brain)
    opening = Position.start().array()[None]
    said: list[Chances] = []
    ended: list[Chances] = []
    done = 0
    while done < games:
        boards = np.zeros((CHUNK, 2, 25), np.int8)
        results = np.zeros((CHUNK, OUTPUTS), np.float32)
        done += selfplay.play_games(
            CubelessPlayer(brain, work, REPLIES), opening, 1, seed, np.float32(1.0), boards, results
        )
        seed += 1
        contact = ~selfplay.races(boards)
        chances = np.empty((int(contact.sum()), OUTPUTS), np.float32)
        judge_many(brain, np.ascontiguousarray(boards[contact]), MAX_CHECKERS, work, chances)
        said.append(chances)
        ended.append(results[contact])
        report(done, games)
    return np.concatenate(said), np.concatenate(ended)
