"""How strong is a player? Many games between two of them, with the chance taken out where it can.

Games come in pairs: both have the same dice, and the seats are exchanged. They are played side by
side in blocks; a block depends on nothing but the players, the seed and its number, so blocks can
be played by several processes, in any order, and on another day: the figures are the same.

Beside the plain result there can be one with the luck taken out (`brain`): from each game the sum
of its rolls' luck is taken away. Its expectation is zero, however wrong the brain is, so that
figure is as unbiased as the plain one and needs far fewer games.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain, workspace
from sixprime.engine.kernels.lockstep import luck_many
from sixprime.engine.lab.measuring.peers import OurPlayer as OurPlayer
from sixprime.engine.lab.measuring.peers import PeerError, Player
from sixprime.engine.lab.measuring.peers import RandomPlayer as RandomPlayer
from sixprime.engine.position import MAX_CHECKERS, Position
from sixprime.engine.wholefiles import write_json

BLOCK = 1000  # games played side by side
LONGEST = 3000  # turns; a game still going on then is a bug
REPLIES = 4  # results that the luck of a roll is judged by, after the pruner
NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played for."""

    one_point: bool = False  # else cubeless money
    seed: int = 1
    block: int = BLOCK
    differences: bool = False  # only where they differ (sixprime.engine.lab.measuring.differences)


@dataclass(slots=True)
class Tally:
    """Sums over pairs of games: of the first player's points a game, averaged over a pair."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    adjusted_total: float = 0.0  # the same with the luck taken out
    adjusted_squares: float = 0.0
    results: list[int] = field(default_factory=lambda: [0] * 7)  # games with -3 .. +3 points
    decisions: int = 0  # that both were asked (sixprime.engine.lab.measuring.differences)
    different: int = 0  # of these, where they chose differently

    def add(self, other: Tally) -> None:
        """Add another's pairs."""
        self.pairs += other.pairs
        self.total += other.total
        self.squares += other.squares
        self.adjusted_total += other.adjusted_total
        self.adjusted_squares += other.adjusted_squares
        self.results = [a + b for a, b in zip(self.results, other.results, strict=True)]
        self.decisions += other.decisions
        self.different += other.different


@dataclass(frozen=True, slots=True)
class Score:
    """A mean with the half width of its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, count: int, total: float, squares: float) -> Score:
        """Of `count` independent values with these sums."""
        if count < 2:
            return cls(total / max(count, 1), math.inf)
        mean = total / count
        variance = max(squares / count - mean * mean, 0.0) * count / (count - 1)
        return cls(mean, NORMAL_95 * math.sqrt(variance / count))

    @property
    def interval(self) -> tuple[float, float]:
        """From, to."""
        return self.mean - self.half_width, self.mean + self.half_width


def score(tally: Tally) -> Score:
    """Points a game of the first player."""
    return Score.of(tally.pairs, tally.total, tally.squares)


def adjusted(tally: Tally) -> Score:
    """The same with the luck taken out."""
    return Score.of(tally.pairs, tally.adjusted_total, tally.adjusted_squares)


def play(
    first: Player, second: Player, *, games: int, seed: int = 1, one_point: bool = False
) -> Score:
    """Play so many games here and now; the first player's points a game."""
    terms = Terms(one_point, seed)
    tally = Tally()
    for number, pairs in enumerate(blocks(games, terms)):
        tally.add(play_block(first, second, terms, number, pairs))
    return score(tally)


def blocks(games: int, terms: Terms) -> list[int]:
    """How many pairs each block has."""
    full, rest = divmod(games, terms.block)
    return [terms.block // 2] * full + ([(rest + 1) // 2] if rest else [])


def dice_of(terms: Terms, number: int) -> np.random.Generator:
    """The source of a block's dice."""
    return np.random.default_rng([terms.seed, number])


def roll(draws: np.random.Generator, terms: Terms, opening: bool) -> NDArray[np.int8]:
    """The dice of a turn for all pairs that a block can have; no doubles in the opening."""
    dice = draws.integers(1, 7, size=(terms.block // 2, 2), dtype=np.int8)
    if opening:  # the second die is one of the other five numbers
        dice[:, 1] = (dice[:, 0] + draws.integers(0, 5, size=len(dice), dtype=np.int8)) % 6 + 1
    return dice


def play_block(
    first: Player, second: Player, terms: Terms, number: int, pairs: int, brain: Brain | None = None
) -> Tally:
    """Play a block's first `pairs` pairs; with a brain, also take the luck out.

    In game 0 of a pair the first player begins, in game 1 the second.
    """
    draws = dice_of(terms, number)
    start = Position.start().array()
    boards = np.stack([np.stack([start] * pairs)] * 2)  # [game of the pair, pair, 2, 25]
    points = np.zeros((2, pairs))  # of the first player
    luck = np.zeros((2, pairs))
    going = np.ones((2, pairs), bool)
    work = None if brain is None else workspace(brain)
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
            if brain is not None:
                lucky = np.empty(len(active))
                luck_many(
                    brain, before, rolled, MAX_CHECKERS, turn == 0, REPLIES,
                    terms.one_point, work, lucky,
                )  # fmt: skip
                luck[game, active] += sign * lucky
            after = (first if first_moves else second).choose(before, rolled)
            won = points_won(after, terms.one_point)
            points[game, active] = sign * won
            going[game, active[won > 0]] = False
            boards[game, active] = after[:, ::-1]
        turn += 1
    return _tallied(points, luck)


def points_won(boards: NDArray[np.int8], one_point: bool) -> NDArray[np.int64]:
    """What the movers of int8[n, 2, 25] have won by their last play; 0 where a game goes on."""
    mine, theirs = boards[:, 0], boards[:, 1]
    won: NDArray[np.int64] = (mine.sum(axis=1) == 0).astype(np.int64)
    if one_point:
        return won
    gammon = theirs.sum(axis=1) == MAX_CHECKERS
    far = theirs[:, 18:].sum(axis=1) > 0
    won *= 1 + gammon + (gammon & far)
    return won


def _tallied(points: NDArray[np.float64], luck: NDArray[np.float64]) -> Tally:
    plain = points.mean(axis=0)
    fair = (points - luck).mean(axis=0)
    return Tally(
        len(plain),
        float(plain.sum()),
        float((plain**2).sum()),
        float(fair.sum()),
        float((fair**2).sum()),
        [int((points == value).sum()) for value in range(-3, 4)],
    )


class Series:
    """The blocks played so far, kept in a file (None: nowhere) after each."""

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        """`about` says who plays what; a file about something else is refused (BadState)."""
        self.path = path
        self.about = about
        self.blocks: dict[int, Tally] = {}
        if path is not None and path.exists():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                stored = {int(key): Tally(**tally) for key, tally in found["blocks"].items()}
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadState(f"{path}: not the state of a series of games ({error})") from error
            if found.get("about") != about:
                raise BadState(f"{path}: is about other games: {json.dumps(found.get('about'))}")
            self.blocks = stored

    def missing(self, games: int, terms: Terms) -> list[tuple[int, int]]:
        """(number, pairs) of the blocks still to play."""
        wanted = enumerate(blocks(games, terms))
        return [
            (number, pairs)
            for number, pairs in wanted
            if number not in self.blocks or self.blocks[number].pairs != pairs
        ]

    def add(self, number: int, tally: Tally) -> None:
        """One more block, safe on disk before this returns."""
        self.blocks[number] = tally
        if self.path is None:
            return
        known = {str(key): asdict(self.blocks[key]) for key in sorted(self.blocks)}
        write_json(self.path, {"about": self.about, "blocks": known})

    def tally(self) -> Tally:
        """All blocks together, summed in the order of their numbers."""
        whole = Tally()
        for number in sorted(self.blocks):
            whole.add(self.blocks[number])
        return whole


class BadState(ValueError):
    """The state file is not one, or is of other games; the text is one line."""


def play_series(
    names: tuple[str, str],
    games: int,
    terms: Terms,
    series: Series,
    *,
    reduce: bool = False,
    processes: int = 1,
    report: Callable[[Series], None] = lambda _: None,
) -> None:
    """Play what is missing of a series, in processes of their own if there are several.

    `names` as engine.lab.measuring.peers.player takes them; `report` is called after each block.
    """
    missing = series.missing(games, terms)
    if processes == 1 or len(missing) <= 1:
        table = _Table(names, terms, reduce)
        try:
            for number, pairs in missing:
                series.add(number, table.play(number, pairs))
                report(series)
        finally:
            table.close()
        return
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    with context.Pool(min(processes, len(missing)), _sit_down, (names, terms, reduce)) as pool:
        for number, tally in pool.imap_unordered(_play_one, missing):
            series.add(number, tally)
            report(series)


class _Table:
    """Two players, ready to play blocks."""

    def __init__(self, names: tuple[str, str], terms: Terms, reduce: bool) -> None:
        from sixprime.engine.lab.measuring.peers import player

        self.terms = terms
        self.first = player(names[0], terms.one_point)
        try:
            self.second = player(names[1], terms.one_point)
        except BaseException:
            self.first.close()
            raise
        self.brain = self._brain() if reduce or terms.differences else None

    def _brain(self) -> Brain:
        ours = [each.brain for each in (self.first, self.second) if isinstance(each, OurPlayer)]
        if ours:
            return ours[0]
        from sixprime.engine.nets import weights

        return weights.load_brain()

    def play(self, number: int, pairs: int) -> Tally:
        if self.terms.differences:
            from sixprime.engine.lab.measuring import differences

            assert self.brain is not None
            return differences.play_block(
                self.first, self.second, self.terms, number, pairs, self.brain
            )
        return play_block(self.first, self.second, self.terms, number, pairs, self.brain)

    def close(self) -> None:
        self.first.close()
        self.second.close()


_seat: list[_Table | Exception] = []  # of a worker process; a pool's initializer must not raise


def _sit_down(names: tuple[str, str], terms: Terms, reduce: bool) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers ...
    signal.signal(signal.SIGTERM, _get_up)  # ... so, at the end of their work too
    try:
        _seat.append(_Table(names, terms, reduce))
    except PeerError as error:
        _seat.append(error)


def _get_up(*_: object) -> None:
    if _seat and isinstance(_seat[0], _Table):
        _seat[0].close()  # else its gnubg would wait for another client for ever
    os._exit(0)


def _play_one(block: tuple[int, int]) -> tuple[int, Tally]:
    table = _seat[0]
    if isinstance(table, Exception):
        raise table
    return block[0], table.play(*block)
