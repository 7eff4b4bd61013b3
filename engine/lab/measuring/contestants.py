"""Our nets and random plays as players that are measured.

Each answers for thousands of boards at once: int8[n, 2, 25] as the player on roll sees them
(sixprime.engine.position); the board after a play keeps the mover's view.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer, choose_many, random_many
from sixprime.engine.kernels.evaluation import Brain, judge_many, scratch_for
from sixprime.engine.kernels.moves import roll_results
from sixprime.engine.lab import LabError
from sixprime.engine.position import MAX_CHECKERS, MatchState, Position
from sixprime.engine.search.cube import CubeDecision, judged
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.roller import RollingSearch

Boards = NDArray[np.int8]  # [n, 2, 25]
Rolls = NDArray[np.int8]  # [n, 2]


class Contestant:
    """A player to be measured, released at the end of a `with`."""

    name: str

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        """Return the boards after the plays that this player likes best."""
        raise NotImplementedError

    def evaluate(self, boards: Boards) -> NDArray[np.float32]:
        """Return float32[n, 5] for the players on roll, cubeless, at this player's depth."""
        raise LabError(f"{self.name}: does not tell what it thinks of a position")

    def doubles(self, board: Boards, match: MatchState) -> bool:
        """Return whether this player, on roll, doubles."""
        raise LabError(f"{self.name} has no opinion about cubes")

    def takes(self, board: Boards, match: MatchState) -> bool:
        """Return whether this player takes if the player on roll doubles."""
        raise LabError(f"{self.name} has no opinion about cubes")

    def after(self, board: Boards, match: MatchState, dice: tuple[int, int]) -> Boards:
        """Return one board after this player's play, which considers cube and score."""
        raise LabError(f"{self.name} has no opinion about cubes")

    def release(self) -> None:
        """Free the programs that it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class OurPlayer(Contestant):
    """One of our nets: it plays for cubeless money equity, or for winning chances alone.

    With `depth` it searches like that, else `plies` deep with the normal move filter; with the cube
    as deep, but cubeful.
    """

    def __init__(
        self,
        brain: Brain,
        plies: int = 0,
        one_point: bool = False,
        name: str = "ours",
        depth: Evaluation | None = None,
        seconds: float | None = None,
    ) -> None:
        self.name = name
        self.brain = brain
        self.one_point = one_point
        self._work = scratch_for(brain)
        self._cubeful = depth or Evaluation(plies)
        self._depth = replace(self._cubeful, cubeful=False)
        self._seconds = seconds
        self._at_first_sight = plies == 0 and depth is None
        self._search = RollingSearch(brain)

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = np.empty_like(boards)
        if self._at_first_sight:
            player = CubelessPlayer(self.brain, self._work, win_only=self.one_point)
            choose_many(player, boards, dice, out)
            return out
        match = MatchState(length=1) if self.one_point else MatchState()
        for i, (board, roll) in enumerate(zip(boards, dice, strict=True)):
            position = Position.from_array(board)
            rolled = int(roll[0]), int(roll[1])
            ranked = self._search.plays(position, match, rolled, self._depth, self._seconds)
            out[i] = ranked[0].result.array()
        return out

    def evaluate(self, boards: Boards) -> NDArray[np.float32]:
        outs = np.empty((len(boards), 5), np.float32)
        if self._at_first_sight:
            judge_many(self.brain, boards, MAX_CHECKERS, self._work, outs)
            return outs
        for board, out in zip(boards, outs, strict=True):
            seen = self._search.see(Position.from_array(board), MatchState(), self._depth)
            out[:] = seen.outcomes
        return outs

    def doubles(self, board: Boards, match: MatchState) -> bool:
        return self._verdict(board, match).double

    def takes(self, board: Boards, match: MatchState) -> bool:
        return self._verdict(board, match).take

    def after(self, board: Boards, match: MatchState, dice: tuple[int, int]) -> Boards:
        ranked = self._search.plays(Position.from_array(board), match, dice, self._cubeful)
        return ranked[0].result.array()

    def _verdict(self, board: Boards, match: MatchState) -> CubeDecision:
        seen = self._search.see(Position.from_array(board), match, self._cubeful)
        return judged(seen.no_double, seen.double_take, match)


class RandomPlayer(Contestant):
    """Any result of the roll, all equally likely; the same for the same board and dice."""

    def __init__(self, seed: int = 1) -> None:
        self.name = "random"
        self.seed = seed
        self._rolled = roll_results()

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = np.empty_like(boards)
        random_many(boards, dice, self.seed, self._rolled, out)
        return out
