"""The nets of people's cube decisions, fitted to analysed matches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.values import Answered, GameAnalysis, MatchAnalysis, TurnAnalysis
from sixprime.engine.people.cube import (
    LEAST_PR,
    MONEY_AWAY,
    MOST_PR,
    NETS,
    RESIGNS,
    CubeRows,
    cube_figures,
    resign_figures,
)
from sixprime.engine.position import Chances, turned_chances

NETS_TOGETHER = 3  # their mean is one wide net
HIDDEN = {"double": 24, "pass": 12, "resign": 6}
ROUNDS = {"double": 30, "pass": 40, "resign": 100}
BATCH = {"double": 256, "pass": 128, "resign": 256}
DECAY = {"double": 0.01, "pass": 0.1, "resign": 0.1}
RATE = 0.003
MOST_OF_ONE = 2_000

Table = NDArray[np.float64]
BIAS, CONSTANT = 1, 3  # places among the weights of a net
_NO_EQUITIES = (0.0, 0.0, 0.0)


class Habit(NamedTuple):
    """A moment at which a player could double, pass or resign, and whether it happened."""

    net: str
    player: str  # the one to decide
    pr: float  # the same player's
    happened: bool
    boards: tuple[tuple[int, ...], tuple[int, ...]]
    equities: tuple[float, float, float]
    outcomes: Chances
    away: tuple[int, int]
    cube: int
    owned: bool
    crawford: bool

    def by_one_of(self, prs: Mapping[str, float]) -> Habit:
        """Return the same with the PR of its player, whose name is there in small letters."""
        player = self.player.lower()
        return self._replace(player=player, pr=prs[player])


def habits_of(analysis: MatchAnalysis, prs: Mapping[str, float]) -> Iterator[Habit]:
    """Yield the moments of a match, in the order of play, given the PRs of its players."""
    for game in analysis.games:
        moments = _Moments(analysis, game, prs)
        before: TurnAnalysis | None = None
        for turn in game.turns:
            cube = turn.cube_analysis
            if cube is not None:
                seen = cube.equities, cube.outcomes
                yield moments.at("double", turn, seen, happened=cube.doubled)
                if cube.answer is not None:
                    yield moments.at("pass", turn, seen, happened=cube.answer is Answered.PASS)
            if (outcomes := _outcomes_after(before)) is not None:
                yield moments.at("resign", turn, (_NO_EQUITIES, outcomes), happened=False)
            before = turn
        if (last := moments.resigned()) is not None:
            yield last


class _Moments:
    """The moments of one game."""

    def __init__(
        self, analysis: MatchAnalysis, game: GameAnalysis, prs: Mapping[str, float]
    ) -> None:
        self._analysis, self._game = analysis, game
        self._prs = [prs[player] for player in analysis.players]

    def at(
        self,
        net: str,
        turn: TurnAnalysis,
        seen: tuple[tuple[float, float, float], Chances],
        *,
        happened: bool,
    ) -> Habit:
        roller, game = turn.seat, self._game
        seat = 1 - roller if net == "pass" else roller
        away = [self._analysis.length - points for points in game.score]
        if self._analysis.length == 0:
            away = [MONEY_AWAY, MONEY_AWAY]
        return Habit(
            net, self._analysis.players[seat], self._prs[seat], happened,
            (turn.position.mine, turn.position.theirs), *seen,
            (away[roller], away[1 - roller]), turn.cube, turn.cube_owner == roller, game.crawford,
        )  # fmt: skip

    def resigned(self) -> Habit | None:
        """Return the resignation that ended the game, unless another reason is likely."""
        game = self._game
        turn = game.turns[-1] if game.turns else None
        if turn is None or turn.move is None or game.winner != turn.seat:
            return None
        after = turn.position.after(turn.move.played)
        outcomes = _outcomes_after(turn)
        if after.is_over() or outcomes is None:
            return None
        owner = 1 - turn.seat if turn.stake != turn.cube else turn.cube_owner
        following = replace(
            turn, seat=1 - turn.seat, position=after.flipped(), cube=turn.stake, cube_owner=owner
        )
        return self.at("resign", following, (_NO_EQUITIES, outcomes), happened=True)


def _outcomes_after(turn: TurnAnalysis | None) -> Chances | None:
    """Return the chances of the next player after a turn, if that player might resign."""
    if turn is None or turn.move is None or turn.move.chosen is None:
        return None
    outcomes = turned_chances(turn.move.candidates[turn.move.chosen].probabilities)
    return outcomes if outcomes[0] < RESIGNS else None


class Examples(NamedTuple):
    """The moments of one net as arrays."""

    rows: CubeRows
    pr: Table
    happened: NDArray[np.bool_]
    weights: Table  # a player with many matches is one person, and counts as one with some

    @classmethod
    def of(cls, habits: Sequence[Habit]) -> Examples:
        def column(name: str, kind: type = np.float64) -> NDArray[Any]:
            return np.array([getattr(habit, name) for habit in habits], dtype=kind)

        plain = (column(name) for name in CubeRows._fields[1:])
        pr = np.clip(column("pr"), LEAST_PR, MOST_PR)
        rows, happened = CubeRows(column("boards", np.int8), *plain), column("happened", np.bool_)
        times = Counter(habit.player for habit in habits)
        weights = np.array([min(1.0, MOST_OF_ONE / times[habit.player]) for habit in habits])
        return cls(rows, pr, happened, weights / weights.mean())

    def figures(self, net: str) -> Table:
        if net == "resign":
            return resign_figures(self.rows, self.pr)
        return cube_figures(self.rows, self.pr, answer=net == "pass")


def fit_cube(
    habits: Iterable[Habit], seed: int = 1, progress: Callable[[int, int], None] = lambda *_: None
) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of all nets; the same habits and seed give the same arrays."""
    by_net: dict[str, list[Habit]] = {net: [] for net in NETS}
    for habit in habits:
        by_net[habit.net].append(habit)
    arrays: dict[str, NDArray[np.float32]] = {}
    for done, net in enumerate(NETS):
        examples = Examples.of(by_net[net])
        arrays |= together(net, [trained(net, examples, seed + i) for i in range(NETS_TOGETHER)])
        progress(done + 1, len(NETS))
    return arrays


def trained(net: str, examples: Examples, seed: int) -> list[Table]:
    """Return the weights of a net for figures as they come."""
    return _Fit(net, examples, seed).trained()


def together(net: str, fits: Sequence[Sequence[Table]]) -> dict[str, NDArray[np.float32]]:
    """Join nets into one that returns their mean."""
    inner, bias, outer, constant = zip(*fits, strict=True)
    joined = {
        "in": np.concatenate(inner, axis=1),
        "bias": np.concatenate(bias),
        "out": np.concatenate(outer) / len(fits),
        "constant": np.mean(constant, axis=0),
    }
    return {f"cube_{net}_{name}": value.astype(np.float32) for name, value in joined.items()}


class _Fit:
    """Adam with decay on one net of one hidden layer."""

    def __init__(self, net: str, examples: Examples, seed: int) -> None:
        self._net, figures, self._shares = net, examples.figures(net), examples.weights
        self._middle, spread = figures.mean(axis=0), figures.std(axis=0)
        self._spread = np.where(spread < 1e-6, 1.0, spread)  # of a constant figure: any
        self._inputs = (figures - self._middle) / self._spread
        self._wanted = examples.happened.astype(np.float64)
        self._random = np.random.default_rng(seed)
        wide, hidden = figures.shape[1], HIDDEN[net]
        share = np.clip(self._wanted.mean(), 1e-3, 1 - 1e-3)  # even if nobody ever resigned
        self._weights = [
            self._random.normal(0, wide**-0.5, (wide, hidden)),
            np.zeros(hidden),
            self._random.normal(0, hidden**-0.5, hidden),
            np.log(share / (1 - share))[np.newaxis],
        ]

    def trained(self) -> list[Table]:
        """Return the weights for figures as they come, with their scale folded in."""
        order, batch = np.arange(len(self._wanted)), BATCH[self._net]
        total = ROUNDS[self._net] * math.ceil(len(order) / batch)
        first = [np.zeros_like(weights) for weights in self._weights]
        second = [np.zeros_like(weights) for weights in self._weights]
        step = 0
        for _ in range(ROUNDS[self._net]):
            self._random.shuffle(order)
            for start in range(0, len(order), batch):
                rate = RATE * (1 + math.cos(math.pi * step / total)) / 2
                step += 1
                slopes = self._slopes(order[start : start + batch])
                for i, slope in enumerate(slopes):
                    first[i] += 0.1 * (slope - first[i])
                    second[i] += 0.001 * (slope**2 - second[i])
                    down = first[i] / (1 - 0.9**step)
                    down /= np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8
                    decay = 0.0 if i in (BIAS, CONSTANT) else DECAY[self._net]
                    self._weights[i] -= rate * (down + decay * self._weights[i])
        inner, bias, outer, constant = self._weights
        scaled = inner / self._spread[:, np.newaxis]
        return [scaled, bias - self._middle @ scaled, outer, constant]

    def _slopes(self, rows: NDArray[np.intp]) -> list[Table]:
        inner, bias, outer, constant = self._weights
        inputs = self._inputs[rows]
        hidden = np.tanh(inputs @ inner + bias)
        chances = 1 / (1 + np.exp(-(hidden @ outer + constant)))
        over = (chances - self._wanted[rows]) * self._shares[rows] / len(rows)
        back = np.outer(over, outer) * (1 - hidden**2)
        return [inputs.T @ back, back.sum(axis=0), hidden.T @ over, over.sum(keepdims=True)]
