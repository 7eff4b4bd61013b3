"""The legal steps of a play that a person makes one checker at a time.

The page gets them with the roll, so that it needs neither the rules nor a question for a step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sixprime.engine.position import OFF, Dice, Play, Position, Step, each_die
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.replay import steps


@dataclass(frozen=True, slots=True)
class Ways:
    """The stages of a play; stage 0 is its beginning.

    Every way through them ends in a legal play, and every legal play is the end of one.
    """

    steps: tuple[dict[Step, int], ...]  # of each stage, with the stages that they lead to
    whole: frozenset[int]  # stages where the play may end
    left: tuple[tuple[int, ...], ...]  # the dice that each stage has to play
    is_forced: bool  # every way ends on the same board

    def stage(self, begun: Play) -> int:
        """Return the stage after these steps; InputError if one of them is illegal."""
        stage = 0
        for step in begun:
            if step not in self.steps[stage]:
                raise InputError("That checker cannot move there.")
            stage = self.steps[stage][step]
        return stage

    def is_whole(self, play: Play) -> bool:
        return self.stage(play) in self.whole


@lru_cache(maxsize=64)
def ways(position: Position, dice: Dice) -> Ways:
    """Return all ways to play these dice."""
    goals = frozenset(legal.result for legal in legal_plays(position, dice))
    first = position, tuple(sorted(each_die(dice)))
    stages = {first: 0}
    leads: list[dict[Step, int]] = []
    for board, left in (waiting := [first]):
        leads.append({})
        for step in _next(board, left, goals):
            after = board.after((step,)), _without(left, step)
            if after not in stages:
                stages[after] = len(stages)
                waiting.append(after)
            leads[-1][step] = stages[after]
    whole = (number for (board, _), number in stages.items() if board in goals)
    return Ways(tuple(leads), frozenset(whole), tuple(left for _, left in stages), len(goals) == 1)


def _without(left: tuple[int, ...], step: Step) -> tuple[int, ...]:
    """Return the dice left after this step; a bearoff may use a larger die than it needs."""
    needed = step.start - step.end
    rest = list(left)
    rest.remove(min(die for die in left if die == needed or (step.end == OFF and die > needed)))
    return tuple(rest)


@lru_cache(maxsize=50_000)
def _reaches(position: Position, left: tuple[int, ...], goals: frozenset[Position]) -> bool:
    if position in goals:
        return True
    return any(
        _reaches(position.after((step,)), rest, goals) for step, rest in _steps(position, left)
    )


def _next(
    position: Position, left: tuple[int, ...], goals: frozenset[Position]
) -> tuple[Step, ...]:
    found = {
        step
        for step, rest in _steps(position, left)
        if _reaches(position.after((step,)), rest, goals)
    }
    return tuple(sorted(found, reverse=True))


def _steps(position: Position, left: tuple[int, ...]) -> Iterator[tuple[Step, tuple[int, ...]]]:
    """Yield every step with one of the dice, and the dice left after it."""
    for i, die in enumerate(left):
        if die not in left[:i]:
            rest = (*left[:i], *left[i + 1 :])
            yield from ((step, rest) for step in steps(position, die))
