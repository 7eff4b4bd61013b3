"""All decisions of a game without look-ahead, in one kernel call for each kind.

A kernel call costs as much as a decision, and so does fetching a single result into Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.settings import context_of
from sixprime.engine.analysis.values import RankedPlay
from sixprime.engine.kernels import turns as kernel
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.kernels.moves import CAPACITY, PLACES
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.tree import TreeSearch
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import ALL_ROLLS, Evaluation, Search, Seen, known_play

Node = tuple[Position, MatchState]
STEPS = 8  # numbers in a kernel's play


class Nodes(NamedTuple):
    """Positions with their matches, laid out for kernels."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    states: NDArray[np.int64]  # [n, 2]
    places: NDArray[np.int64]  # [n]: the index of its case
    cases: list[tuple[CubeContext, Position]]  # each match and cube, with an example position
    money: list[bool]


class Looked(NamedTuple):
    """The best plays of a roll, and the play made."""

    candidates: list[RankedPlay]
    made: int | None  # index of the play made; None if it was illegal
    legal: int  # the number of legal plays


def at_once(look: Evaluation, met: Sequence[Node]) -> bool:
    """Return whether kernels can judge all of these in one call."""
    return look.plies == 0 and not any(position.is_hypergammon() for position, _ in met)


class Batches:
    """A 0-ply search of many nodes at once."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._scratch = search.scratches[0]

    def nodes(self, met: Sequence[Node]) -> Nodes:
        """Lay positions out once for several questions."""
        places, states = [], []
        cases: list[tuple[CubeContext, Position]] = []
        known: dict[tuple[CubeContext, int], int] = {}
        for position, match in met:
            context = CubeContext.of(match)
            place = known.setdefault((context, position.checkers), len(cases))
            if place == len(cases):
                cases.append((context, position))
            places.append(place)
            states.append((context.cube, context.owner))
        return Nodes(
            _boards([position for position, _ in met]),
            np.array(states, np.int64),
            np.array(places, np.int64),
            cases,
            [match.length == 0 for _, match in met],
        )

    def all_roll_worths(self, nodes: Nodes, look: Evaluation) -> NDArray[np.float64]:
        """Return the worth of each of ALL_ROLLS at each node, played best: MWC, or points."""
        worths = np.zeros((len(nodes.boards), len(ALL_ROLLS)))
        if nodes.cases:
            kernel.all_roll_worths(*self._turns(nodes, look), worths)
        return worths

    def see_all(self, nodes: Nodes, look: Evaluation) -> Iterator[Seen]:
        """Yield the result of Search.see for each node."""
        if not nodes.cases:
            return
        outcomes, worths = np.zeros((len(nodes.boards), OUTPUTS)), np.zeros((len(nodes.boards), 2))
        kernel.all_cubes(*self._turns(nodes, look), outcomes, worths)
        for (win, gammon, backgammon, lost, lost_backgammon), (no_double, double_take) in zip(
            outcomes.tolist(), worths.tolist(), strict=True
        ):
            chances = win, gammon, backgammon, lost, lost_backgammon
            yield Seen(chances, no_double, double_take)

    def all_with_plays(
        self,
        nodes: Nodes,
        dice: Sequence[Dice],
        results: Sequence[Position],
        look: Evaluation,
        keep: int,
    ) -> Iterator[Looked]:
        """Yield the best `keep` plays of each roll, and the play that led to the result."""
        if not nodes.cases:
            return
        count, most = len(dice), min(keep, CAPACITY) + 1
        found = kernel.Plays(
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((count, most, STEPS), np.int8),
            np.zeros((count, most)),
            np.zeros((count, most)),
            np.zeros((count, most, OUTPUTS)),
        )
        kernel.all_plays(
            *self._turns(nodes, look), np.array(dice, np.int64), _boards(results),
            np.zeros(most, np.int64), found,
        )  # fmt: skip
        plays = found.plays.tobytes()
        numbers = (
            each.tolist()
            for each in (
                found.counts, found.made, found.legal, found.equities, found.worths, found.outcomes
            )
        )  # fmt: skip
        start, by = 0, context_of(look, 0)
        for money, number, place, legal, equities, worths, outcomes in zip(
            nodes.money, *numbers, strict=True
        ):
            candidates = [
                RankedPlay(
                    known_play(plays[start + STEPS * i : start + STEPS * (i + 1)]),
                    tuple(outcomes[i]),
                    equities[i],
                    by,
                    None if money else worths[i],
                )
                for i in range(number)
            ]
            yield Looked(candidates, None if place == kernel.ABSENT else place, legal)
            start += STEPS * most

    def _turns(self, nodes: Nodes, look: Evaluation) -> tuple[Held[TreeSearch], kernel.TurnBatch]:
        terms = [self._search.terms(position, context, look) for context, position in nodes.cases]
        own = terms[0]._replace(  # arrays that the kernels may write to
            settings=terms[0].settings.copy(),
            rules=terms[0].rules.copy(),
            chances=terms[0].chances.copy(),
        )
        return self._scratch.search(own), kernel.TurnBatch(
            nodes.boards,
            nodes.states,
            nodes.places,
            np.array([each.settings for each in terms]),
            np.array([each.rules for each in terms]),
            np.array([each.chances for each in terms]),
        )


def _boards(positions: Sequence[Position]) -> NDArray[np.int8]:
    """Return a copy in the layout of kernels, which use it as scratch."""
    counts = bytearray().join(bytes(each.mine + each.theirs) for each in positions)
    return np.frombuffer(counts, np.int8).reshape(len(positions), 2, PLACES)
