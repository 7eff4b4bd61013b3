"""The chances that a person makes each legal play, and the play of one person.

A person is a PR and a seed. The chances depend on the PR; the seed decides, as a function of the
position, the roll and the play, which of the likely plays this person makes, always the same.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.people.choicenet import ChoiceNet, like, surprise, workbench
from sixprime.engine.people.figures import CONTEXT, FIGURES, ROLLS, SIGHTS, PlayRows, see_spots
from sixprime.engine.position import Chances, Dice, MatchState, Position
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import write_whole

MODEL = Path(__file__).parent.parent / "data" / "people" / "people.npz"
VERSION = 2
NARROW, GROUP = 32, 32
TRAITS = NARROW + GROUP  # offsets of a portrait that concern plays, its first
LEAST_PR, MOST_PR = 1.0, 25.0


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


class BadPeople(InputError):
    """The file is no model of people; the text says why."""


class PeopleModel(NamedTuple):
    """The net, and the PR that it needs as input to play at a PR."""

    net: ChoiceNet
    named: NDArray[np.float64]  # rising PRs
    inner: NDArray[np.float64]  # the input for each


class Likings(NamedTuple):
    """The plays of a decision as people of a PR see them."""

    shares: NDArray[np.float64]  # logarithms of their chances
    traits: NDArray[np.float32]  # [plays, TRAITS]; a portrait weighs them


@lru_cache(maxsize=4)
def people_model(path: Path = MODEL) -> PeopleModel:
    """Read a model file, the shipped one if no other is named."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    if int(arrays.pop("version", 0)) != VERSION:
        raise BadPeople(f"{path}: another version than {VERSION}; install again")
    named, inner = (arrays[name].astype(np.float64) for name in ("named", "inner"))
    net = ChoiceNet(*(arrays[name].astype(np.float32) for name in ChoiceNet._fields))
    if net.figures.shape[0] != FIGURES or net.context.shape[0] != CONTEXT:
        raise BadPeople(f"{path}: made for other figures")
    return PeopleModel(net, named, inner)


def save_people(path: Path, model: PeopleModel) -> None:
    """Write a model file."""
    buffer = io.BytesIO()
    arrays = {**model.net._asdict(), "named": model.named, "inner": model.inner}
    np.savez_compressed(buffer, version=np.array(VERSION), **arrays)
    write_whole(path, buffer.getvalue())


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
    likings = likings_of(position, match, dice, candidates, person.pr)
    return chances_in(likings, person.portrait)


def chances_in(likings: Likings, portrait: tuple[float, ...] | None) -> NDArray[np.float64]:
    """Return the chances for a player with this portrait; None: for people of the PR."""
    logits = likings.shares
    if portrait is not None:
        logits = logits + likings.traits @ np.array(portrait[:TRAITS])
    return np.asarray(np.exp(_shares(logits)))


def likings_of(
    position: Position, match: MatchState, dice: Dice, candidates: Sequence[Ranked], pr: float
) -> Likings:
    """Return how people of this PR see the candidates of a 0-ply ranking."""
    spots = spots_of(position, facts_of(position, match, dice, _input_of(pr)), candidates)
    return judged(people_model().net, spots)


@lru_cache(maxsize=64)
def _input_of(pr: float) -> float:
    model = people_model()
    return float(np.interp(pr, model.named, model.inner))


def judged(net: ChoiceNet, spots: PlayRows) -> Likings:
    """Return the likings of one decision."""
    plays = len(spots.results)
    figures = np.empty((plays, FIGURES), np.float32)
    context = np.empty((1, CONTEXT), np.float32)
    see_spots(spots, figures, context)
    likings, traits = np.empty(plays), np.empty((plays, len(net.liking)), np.float32)
    like(net, figures, context[0], workbench(net, plays), likings, traits)
    return Likings(_shares(likings), traits)


def facts_of(position: Position, match: MatchState, dice: Dice, pr: float) -> tuple[float, ...]:
    """Return the FACTS of a decision (sixprime.engine.people.figures)."""
    seat, owner = match.on_roll, match.cube_owner
    return (
        max(dice),
        min(dice),
        pr,
        match.away[seat] if match.length else 9,
        match.away[1 - seat] if match.length else 9,
        match.length == 0,
        match.cube,
        0 if owner is None else 1 if owner == seat else -1,
        match.crawford,
        position.checkers,
    )


def spots_of(
    position: Position, facts: tuple[float, ...], candidates: Sequence[Ranked]
) -> PlayRows:
    """Return one decision in the kernels' form, as exact as the fit saw it."""
    return PlayRows(
        position.array()[np.newaxis],
        np.array([facts], np.float64),
        np.array((0, len(candidates)), np.int64),
        _boards(candidates),
        np.array([each.equity for each in candidates], np.float32).astype(np.float64),
        np.array([each.outcomes for each in candidates], np.float32).astype(np.float64),
        ROLLS,
        np.empty(SIGHTS, np.float32),
    )


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
    roll = np.uint64(6 * max(dice) + min(dice))
    noise = np.empty(len(candidates))
    surprise(position.array(), roll, np.uint64(seed), _boards(candidates), noise)
    with np.errstate(divide="ignore"):  # a chance may be 0
        return int((np.log(chances) + noise).argmax())


def _boards(candidates: Sequence[Ranked]) -> NDArray[np.int8]:
    """Return int8[plays, 2, 25]; by way of bytes, a third of the time of tuples."""
    results = [candidate.result for candidate in candidates]
    counts = b"".join([bytes(each.mine) + bytes(each.theirs) for each in results])
    return np.frombuffer(bytearray(counts), np.int8).reshape(len(results), 2, -1)


def _shares(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms of chances that add up to 1."""
    top = float(logits.max())
    return np.asarray(logits - (top + math.log(float(np.exp(logits - top).sum()))))
