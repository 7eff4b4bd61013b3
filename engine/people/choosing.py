"""The chances that a person makes each legal play, and the play of one person.

A person is a PR and a seed. The chances depend on the PR; the seed decides, as a function of the
position, the roll and the play, which of the likely plays this person makes, always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.position import Chances, Dice, MatchState, Position

MODEL = Path(__file__).parent.parent / "data" / "people" / "people.npz"
WORDS = 51  # the 50 counts of a board, and the roll


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who errs as people of this PR do."""

    pr: float
    seed: int = 1  # another seed is another person
    portrait: tuple[float, ...] | None = None  # offsets that distinguish one player


class Ranked(Protocol):
    """A legal play with its 0-ply evaluation (sixprime.engine.search.plies.Candidate)."""

    @property
    def result(self) -> Position: ...
    @property
    def equity(self) -> float: ...
    @property
    def outcomes(self) -> Chances: ...


@lru_cache(maxsize=4)
def people_model(path: Path = MODEL) -> dict[str, NDArray[np.float32]]:
    """Read the arrays of a model, by default the one that ships."""
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def play_chances(
    position: Position,
    match: MatchState,
    dice: Dice,
    candidates: Sequence[Ranked],
    person: Person,
) -> NDArray[np.float64]:
    """Return the chance of each candidate of a 0-ply ranking; they add up to 1.

    The order of the candidates does not matter.
    """
    equities = np.array([candidate.equity for candidate in candidates])
    constant, slope = people_model()["temperature"].tolist()
    likes = (equities - equities.max()) / (constant + slope * person.pr)
    shares = np.exp(likes)
    return np.asarray(shares / shares.sum())


def chosen(
    chances: NDArray[np.float64],
    position: Position,
    dice: Dice,
    candidates: Sequence[Ranked],
    seed: int,
) -> int:
    """Return the place of the play that the person with this seed makes.

    Every play is chosen as often as its chance says, over positions or over seeds; noise that is a
    function of seed, position, roll and result decides.
    """
    high, low = max(dice), min(dice)
    before = _key(np.array([(*position.mine, *position.theirs, 6 * high + low)], np.uint64))
    boards = [(*each.result.mine, *each.result.theirs, 0) for each in candidates]
    keys = _scrambled(_key(np.array(boards, np.uint64)) ^ _scrambled(before ^ np.uint64(seed)))
    uniform = ((keys >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    with np.errstate(divide="ignore"):  # a chance may be 0
        return int(np.argmax(np.log(chances) - np.log(-np.log(uniform))))


def _key(boards: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash rows of WORDS numbers."""
    first = _scrambled((boards * _MIXING[0]).sum(axis=1))
    return _scrambled(first ^ (boards * _MIXING[1]).sum(axis=1))


def _scrambled(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each key, as splitmix64 does."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


_STEP = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64
_MIXING = _scrambled(np.arange(1, 2 * WORDS + 1, dtype=np.uint64) * _STEP).reshape(2, WORDS)
