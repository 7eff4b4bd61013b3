"""The decisions of a whole game without looking ahead: each kind of them in one call of a kernel.

A call costs as much as a decision does, and so does bringing one result at a time into Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analyse import CandidatePlay
from engine.cube import CubeContext
from engine.kernels import turns as kernel
from engine.kernels.moves import PLACES
from engine.kernels.network import OUTPUTS
from engine.kernels.tree import Terms
from engine.position import Dice, MatchState, Position
from engine.search import ALL_ROLLS, Evaluation, Search, Seen, _play

Node = tuple[Position, MatchState]
STEPS = 8  # numbers in a kernel's play


class Made(NamedTuple):
    """A play that was made."""

    position: Position
    match: MatchState
    dice: Dice
    result: Position  # as the mover sees it


class Glance(Search):
    """A search that also answers for many nodes at once, if no plies are asked for."""

    def all_roll_worths(self, nodes: Sequence[Node], look: Evaluation) -> NDArray[np.float64]:
        """Of each of ALL_ROLLS at each node, played as well as can be: MWC, or points."""
        worths = np.zeros((len(nodes), len(ALL_ROLLS)))
        if nodes:
            turns, terms = self._turns(nodes, look)
            bench = self._benches[0]
            kernel.all_roll_worths(self.brain, turns, terms, bench.work, bench.walk, worths)
        return worths

    def see_all(self, nodes: Sequence[Node], look: Evaluation) -> Iterator[Seen]:
        """See Search.see."""
        if not nodes:
            return
        turns, terms = self._turns(nodes, look)
        bench = self._benches[0]
        outcomes, worths = np.zeros((len(nodes), OUTPUTS)), np.zeros((len(nodes), 2))
        kernel.all_cubes(self.brain, turns, terms, bench.work, bench.walk, outcomes, worths)
        for (win, gammon, backgammon, lost, lost_backgammon), (no_double, double_take) in zip(
            outcomes.tolist(), worths.tolist(), strict=True
        ):
            chances = win, gammon, backgammon, lost, lost_backgammon
            yield Seen(chances, no_double, double_take)

    def all_with_plays(
        self, made: Sequence[Made], look: Evaluation, keep: int
    ) -> Iterator[tuple[list[CandidatePlay], int | None, int]]:
        """The best `keep` plays of each roll, and the one that was made, best first.

        Also which of them that one is, if any, and how many plays there were.
        """
        if not made:
            return
        count, room = len(made), keep + 1
        found = kernel.Plays(
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((count, room, STEPS), np.int8),
            np.zeros((count, room)),
            np.zeros((count, room)),
            np.zeros((count, room, OUTPUTS)),
        )
        turns, terms = self._turns([(each.position, each.match) for each in made], look)
        bench = self._benches[0]
        kernel.all_plays(
            self.brain, turns, np.array([each.dice for each in made], np.int64),
            _boards([each.result for each in made]), terms, bench.work, bench.walk,
            np.zeros(room, np.int64), found,
        )  # fmt: skip
        plays = found.plays.tobytes()
        numbers = (
            each.tolist()
            for each in (
                found.counts, found.made, found.legal, found.equities, found.worths, found.outcomes
            )
        )  # fmt: skip
        start = 0
        for each, told, place, legal, equities, worths, outcomes in zip(
            made, *numbers, strict=True
        ):
            candidates = [
                CandidatePlay(
                    _play(plays[start + STEPS * i : start + STEPS * (i + 1)]),
                    equities[i],
                    worths[i] if each.match.length else None,
                    tuple(outcomes[i]),
                    0,
                )
                for i in range(told)
            ]
            yield candidates, None if place == kernel.ABSENT else place, legal
            start += STEPS * room

    def _turns(self, nodes: Sequence[Node], look: Evaluation) -> tuple[kernel.Turns, Terms]:
        cases: dict[tuple[CubeContext, int], int] = {}
        terms: list[Terms] = []
        places, states = [], []
        for position, match in nodes:
            context = CubeContext.of(match)
            place = cases.setdefault((context, position.checkers), len(terms))
            if place == len(terms):
                terms.append(self._terms(position, context, look))
            places.append(place)
            states.append((context.cube, context.owner))
        return kernel.Turns(
            _boards([position for position, _ in nodes]),
            np.array(states, np.int64),
            np.array(places, np.int64),
            np.array([each.settings for each in terms]),
            np.array([each.rules for each in terms]),
            np.array([each.chances for each in terms]),
        ), terms[0]


def _boards(positions: Sequence[Position]) -> NDArray[np.int8]:
    """As kernels want them, who use them as scratch too."""
    counts = bytearray().join(bytes(each.mine + each.theirs) for each in positions)
    return np.frombuffer(counts, np.int8).reshape(len(positions), 2, PLACES)
