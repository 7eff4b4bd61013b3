"""The plays that people made, with all their alternatives, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab import LabError
from sixprime.engine.lab.people.cubes import Habit
from sixprime.engine.people.choosing import facts_of
from sixprime.engine.people.figures import FACTS, PR, ROLLS, SIGHTS, PlayRows
from sixprime.engine.position import PLACES, MatchState, Position
from sixprime.engine.search.decide import Engine

PR_UNIT = 500.0
KINDS = ("opening", "play with contact", "race", "bearoff")


class MadePlay(NamedTuple):
    """A play that somebody made, where there was a choice."""

    position: Position
    match: MatchState  # with the dice
    made: Position  # after the play, still as the mover sees it
    game: int
    kind: str  # one of KINDS


class PlayerTotal(NamedTuple):
    """The sum of a player's errors in a match, from which his PR follows."""

    name: str
    given: float  # EMG, 0 or more
    counted: int  # decisions


class HumanMatch(NamedTuple):
    """A match of people, its players by seat."""

    name: str  # decides whether the fit sees it
    players: tuple[PlayerTotal, PlayerTotal]
    plays: tuple[MadePlay, ...]
    habits: tuple[Habit, ...] = ()  # with the cube


class HumanPlays(NamedTuple):
    """Decisions with their legal plays at 0-ply; row i's plays are offsets[i] to offsets[i + 1]."""

    boards: NDArray[np.int8]  # [decisions, 2, 25]
    facts: NDArray[np.float64]  # [decisions, FACTS], without the PR
    offsets: NDArray[np.int64]  # [decisions + 1]
    results: NDArray[np.int8]  # [plays, 2, 25]
    equities: NDArray[np.float32]  # [plays]
    outcomes: NDArray[np.float32]  # [plays, 5]
    made: NDArray[np.int64]  # [decisions]: place in the arrays of plays
    match: NDArray[np.int64]  # [decisions]
    game: NDArray[np.int64]  # [decisions]
    player: NDArray[np.int64]  # [decisions]: place in `players`
    kind: NDArray[np.int64]  # [decisions]: place in KINDS
    matches: tuple[str, ...]
    players: tuple[str, ...]
    given: NDArray[np.float64]  # [players]: EMG in all their matches
    counted: NDArray[np.float64]  # [players]

    @property
    def losses(self) -> NDArray[np.float32]:
        """EMG that each play gives away."""
        best = np.maximum.reduceat(self.equities, self.offsets[:-1])
        return np.repeat(best, np.diff(self.offsets)) - self.equities

    def spots(
        self, rows: NDArray[np.int64], prs: NDArray[np.float64]
    ) -> tuple[PlayRows, NDArray[np.int64]]:
        """Return some decisions for the kernels, made by players of these PRs, and their places."""
        sizes = np.diff(self.offsets)[rows]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        starts = np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        places = starts + np.arange(len(starts))
        facts = self.facts[rows]
        facts[:, PR] = prs
        spots = PlayRows(
            self.boards[rows],
            facts,
            offsets,
            self.results[places],
            self.equities[places].astype(np.float64),
            self.outcomes[places].astype(np.float64),
            ROLLS,
            np.empty(SIGHTS, np.float32),
        )
        return spots, places


class Parts(NamedTuple):
    """Decisions by the use of their matches."""

    known: NDArray[np.int64]  # the fit learns them
    fresh: NDArray[np.int64]  # the calibration
    unseen: NDArray[np.int64]  # a fifth, for the judge


def parts_of(plays: HumanPlays) -> Parts:
    """Divide decisions by the names of their matches; the order of the files does not matter."""
    drawn = np.array([_drawn(name) for name in plays.matches])[plays.match]
    return Parts(*(np.flatnonzero((drawn >= a) & (drawn < b)) for a, b in _PARTS))


_PARTS = ((28, 100), (20, 28), (0, 20))


def is_unseen(name: str) -> bool:
    """Return whether no fit sees the match of this name."""
    return _drawn(name) < _PARTS[-1][1]


def _drawn(name: str) -> int:
    return crc32(name.encode()) % 100


def gathered(matches: Iterable[HumanMatch], engine: Engine) -> HumanPlays:
    """Rank the alternatives of every play; LabError if there are none."""
    places: dict[str, int] = {}
    totals: list[tuple[int, float, int]] = []
    names, parts = [], []
    for number, match in enumerate(matches):
        names.append(match.name)
        seats = [places.setdefault(each.name.lower(), len(places)) for each in match.players]
        totals += [
            (place, each.given, each.counted)
            for place, each in zip(seats, match.players, strict=True)
        ]
        parts.append(_ranked(match, number, seats, engine))
    rows = {name: [row for part in parts for row in part[name]] for name in _ROWS}
    if not rows["made"]:
        raise LabError("no play with a choice in these matches")
    offsets = np.concatenate(([0], np.cumsum(rows["sizes"])))
    place, given, counted = np.array(totals).T
    numbers: dict[str, Any] = {name: np.array(rows[name], np.int64) for name in _NUMBERS}
    arrays: dict[str, Any] = {
        name: np.concatenate([part[name] for part in parts]) for name in _ARRAYS
    }
    return HumanPlays(
        boards=np.array(rows["boards"], np.int8),
        facts=np.array(rows["facts"], np.float64).reshape(-1, FACTS),
        offsets=offsets,
        made=offsets[:-1] + np.array(rows["made"]),
        matches=tuple(names),
        players=tuple(places),
        given=np.bincount(place.astype(np.int64), given).astype(np.float64),
        counted=np.bincount(place.astype(np.int64), counted).astype(np.float64),
        **numbers,
        **arrays,
    )


_NUMBERS = ("match", "game", "player", "kind")
_ROWS = ("boards", "facts", "sizes", "made", *_NUMBERS)
_ARRAYS = {"results": np.int8, "equities": np.float32, "outcomes": np.float32}


def _ranked(match: HumanMatch, number: int, seats: Sequence[int], engine: Engine) -> dict[str, Any]:
    """Return the rows of one match, and arrays of their plays."""
    found: dict[str, Any] = {name: [] for name in (*_ROWS, *_ARRAYS)}
    for play in match.plays:
        assert play.match.dice is not None
        ranked = engine.move(play.position, play.match).candidates
        results = [each.result for each in ranked]
        if len(ranked) < 2 or play.made not in results:
            continue
        facts = facts_of(play.position, play.match, play.match.dice, 0.0)
        row = (
            (play.position.mine, play.position.theirs), facts, len(ranked),
            results.index(play.made), number, play.game, seats[play.match.on_roll],
            KINDS.index(play.kind),
        )  # fmt: skip
        for name, value in zip(_ROWS, row, strict=True):
            found[name].append(value)
        found["results"] += [(each.mine, each.theirs) for each in results]
        found["equities"] += [each.equity for each in ranked]
        found["outcomes"] += [each.outcomes for each in ranked]
    shapes = {"results": (-1, 2, PLACES), "equities": (-1,), "outcomes": (-1, 5)}
    for name, kind in _ARRAYS.items():
        found[name] = np.array(found[name], kind).reshape(shapes[name])
    return found
