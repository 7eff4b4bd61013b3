"""People with the cube: the chances that they double, pass, beaver and resign.

Point of view: as in sixprime.engine.search.cube, all numbers belong to the player on roll; the
other player answers. Nets see equities, score and board, scaled by the errors of people of this PR.
No match file holds a beaver, so beavers follow a formula.

Choices are functions of the position and the person's seed: a person meets a position alike again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.game import Answer
from sixprime.engine.people.choosing import Person
from sixprime.engine.position import PLACES, Chances, MatchState, Position, turned_chances

MODEL = Path(__file__).parent.parent / "data" / "people" / "cube.npz"
NETS = ("double", "pass", "resign")
PORTRAIT = 4  # offsets at the end of a portrait: of doubles and of passes, a constant and a slope
LEAST_PR, MOST_PR = 1.0, 25.0
RESIGNS = 0.1  # a player with a higher winning chance plays on
SURE_OF_GAMMON = 0.9
MONEY_AWAY = 64  # points; far enough that the score does not matter
_BEAVER_SIZE = 0.02  # EMG a point of PR
_HOME = 6
_POINTS = np.arange(1, PLACES + 1)

Table = NDArray[np.float64]


class Judged(Protocol):
    """A cube decision at 0-ply (sixprime.engine.search.cube.CubeDecision)."""

    @property
    def equities(self) -> tuple[float, float, float]: ...
    @property
    def beavers(self) -> int: ...


class CubeSpot(NamedTuple):
    """A cube decision as the player on roll sees it."""

    position: Position
    match: MatchState
    decision: Judged
    outcomes: Chances


class CubeRows(NamedTuple):
    """Many spots as arrays; pairs are the player's on roll and the opponent's."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    equities: Table  # [n, 3]: no double, double/take, double/pass
    outcomes: Table  # [n, 5]
    away: Table  # [n, 2]
    cube: Table  # [n]
    owned: Table  # [n]: 1 if the player on roll owns the cube
    crawford: Table  # [n]


def double_chance(spot: CubeSpot, person: Person) -> float:
    """Return the chance to double; asked only where the rules allow it."""
    logit = _logit("double", cube_figures(_rows(spot), _pr(person)))
    return _chance(_retouched(logit, person, 0))


def answer_chances(spot: CubeSpot, person: Person, turns: int = 1) -> dict[Answer, float]:
    """Return the chances of each answer to a double (turns 1), a beaver (2) or a raccoon (3)."""
    _, double_take, double_pass = spot.decision.equities
    at_stake = -double_take if turns % 2 else double_take  # of the player who answers
    size = _BEAVER_SIZE * person.pr
    if turns == 1:
        logit = _logit("pass", cube_figures(_rows(spot), _pr(person), answer=True))
        passed = _chance(_retouched(logit, person, 2))
    else:
        passed = _chance((-double_pass - at_stake) / size)
    beavers = _chance(at_stake / size - 1) if turns <= spot.decision.beavers else 0.0
    beavered = (1 - passed) * beavers
    return {Answer.PASS: passed, Answer.TAKE: 1 - passed - beavered, Answer.BEAVER: beavered}


def resign_chances(
    position: Position, match: MatchState, outcomes: Chances, seat: int, person: Person
) -> tuple[float, float, float, float]:
    """Return the chances of offers by `seat` to lose 0, 1, 2 or 3 games now."""
    if seat != match.on_roll:
        position, outcomes = position.flipped(), turned_chances(outcomes)
    if outcomes[0] > RESIGNS:
        return 1.0, 0.0, 0.0, 0.0
    rows = _rows(CubeSpot(position, match.with_(on_roll=seat), _NO_CUBE, outcomes))
    offers = _chance(_logit("resign", resign_figures(rows, _pr(person))))
    chances = [1 - offers, 0.0, 0.0, 0.0]
    chances[_games(match, outcomes, seat)] = offers
    return chances[0], chances[1], chances[2], chances[3]


def doubles(spot: CubeSpot, person: Person) -> bool:
    return _draw(spot.position, "double", person.seed) < double_chance(spot, person)


def answers(spot: CubeSpot, person: Person, turns: int = 1) -> Answer:
    """Return this person's answer to a double (turns 1), a beaver (2) or a raccoon (3)."""
    chances = answer_chances(spot, person, turns)
    drawn = _draw(spot.position, f"answer {turns}", person.seed)
    if drawn < chances[Answer.PASS]:
        return Answer.PASS
    return Answer.BEAVER if drawn >= 1 - chances[Answer.BEAVER] else Answer.TAKE


def resigns(
    position: Position, match: MatchState, outcomes: Chances, seat: int, person: Person
) -> int:
    """Return the games that `seat` offers to lose; 0 plays on."""
    chances = resign_chances(position, match, outcomes, seat, person)
    plays_on = _draw(position, "resign", person.seed) < chances[0]
    return 0 if plays_on else max((1, 2, 3), key=lambda games: chances[games])


# -- figures


def cube_figures(rows: CubeRows, pr: Table, *, answer: bool = False) -> Table:
    """Return the inputs of the nets for doubles and answers; the player who decides has `pr`."""
    no_double, take, passed = rows.equities.T
    gain, surplus, good = np.minimum(take, passed) - no_double, take - passed, no_double - passed
    win, gammon, backgammon, lost, lost_backgammon = rows.outcomes.T
    size = 0.01 * pr
    own = surplus if answer else gain
    columns = [
        *(np.tanh(gain / scale) for scale in (0.03, 0.1, 0.3, 1.0)),
        *(np.tanh(surplus / scale) for scale in (0.03, 0.1, 0.3, 1.0)),
        *(np.tanh(good / scale) for scale in (0.03, 0.1, 0.3)),
        np.tanh((no_double - take) / 0.1),
        np.clip(gain, -1.5, 1), np.clip(surplus, -1.5, 1.5), np.clip(no_double, -1, 1.5),
        *(np.tanh(own / (scale * size)) for scale in (0.3, 1, 3, 10)),
        *(np.tanh(surplus / (scale * size)) for scale in (1, 3)),
        *(np.tanh(good / (scale * size)) for scale in (1, 3)),
        np.clip(own / size, -30, 30) / 10,
        np.log(pr / 6), np.minimum(pr, 5), np.maximum(pr, 10),
        win, gammon, lost, gammon - lost, backgammon + lost_backgammon,
        *_score(rows), *_board(rows),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


def _score(rows: CubeRows) -> list[Table]:
    mine, theirs = rows.away.T
    cube = rows.cube
    after_crawford = ((mine == 1) | (theirs == 1)) * (1 - rows.crawford)
    return [
        rows.owned, np.log2(cube), cube / mine, cube / theirs,
        *(1.0 * (stake * cube >= away) for stake in (2, 4) for away in (mine, theirs)),
        1 / mine, 1 / theirs, (theirs - mine) / (theirs + mine),
        after_crawford * (mine > 1), after_crawford * (mine == 1),
        1.0 * ((mine == 2) & (theirs == 2)),
    ]  # fmt: skip


def _board(rows: CubeRows) -> list[Table]:
    boards = rows.boards.astype(np.float64)
    mine, theirs = boards[:, 0], boards[:, 1]
    pips, their_pips = (boards @ _POINTS).T
    rear, their_rear = ((boards > 0) * _POINTS).max(axis=2).T
    race = 1.0 * (rear + their_rear < PLACES)
    lead = their_pips - pips
    return [
        race, race * lead / np.maximum(pips, 10), lead / 50, np.minimum(pips, 150) / 150,
        np.minimum(theirs[:, -1], 2), mine[:, -1],
        *((side[:, :_HOME] > 1).sum(axis=1) for side in (mine, theirs)),  # points at home
        *((side[:, 18:24] > 1).sum(axis=1) for side in (mine, theirs)),  # anchors
        *((side[:, :24] == 1).sum(axis=1) for side in (mine, theirs)),  # blots
        *(side.sum(axis=1) for side in (mine, theirs)),
    ]  # fmt: skip


def resign_figures(rows: CubeRows, pr: Table) -> Table:
    """Return the inputs of the net for resignations by the player on roll."""
    win, _, _, gammon, backgammon = rows.outcomes.T
    theirs = rows.boards[:, 1].astype(np.float64)
    decides = rows.cube >= rows.away[:, 1]  # one game more and the match is lost
    columns = [
        np.log10(np.maximum(win, 1e-5)), win, gammon, gammon * (1 - gammon), backgammon,
        decides, decides * gammon, decides * np.log10(np.maximum(win, 1e-5)),
        1 / rows.away[:, 0], 1 / rows.away[:, 1], theirs.sum(axis=1), theirs @ _POINTS / 50,
        rows.boards[:, 0, -1], np.log(pr / 6),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


# -- helpers


class _NoCube(NamedTuple):
    equities: tuple[float, float, float] = (0.0, 0.0, 0.0)
    beavers: int = 0


_NO_CUBE = _NoCube()


def _rows(spot: CubeSpot) -> CubeRows:
    match, seat = spot.match, spot.match.on_roll
    mine, theirs = match.away[seat], match.away[1 - seat]
    away = (mine, theirs) if match.length else (MONEY_AWAY, MONEY_AWAY)
    return CubeRows(
        spot.position.array()[np.newaxis],
        np.array([spot.decision.equities]),
        np.array([spot.outcomes]),
        np.array([away], dtype=np.float64),
        np.array([match.cube], dtype=np.float64),
        np.array([match.cube_owner == seat], dtype=np.float64),
        np.array([match.crawford], dtype=np.float64),
    )


def _pr(person: Person) -> Table:
    return np.array([min(max(person.pr, LEAST_PR), MOST_PR)])


@lru_cache(maxsize=4)
def cube_model(path: Path = MODEL) -> Mapping[str, NDArray[np.float32]]:
    """Read the arrays of a model, by default the shipped one."""
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def logits(model: Mapping[str, NDArray[np.float32]], net: str, figures: Table) -> Table:
    """Return a net's logits for rows of figures."""
    hidden = np.tanh(figures @ model[f"cube_{net}_in"] + model[f"cube_{net}_bias"])
    return np.asarray(hidden @ model[f"cube_{net}_out"] + model[f"cube_{net}_constant"])


def _logit(net: str, figures: Table) -> float:
    return float(logits(cube_model(), net, figures)[0])


def _retouched(logit: float, person: Person, first: int) -> float:
    """Apply a portrait's constant and slope, which begin at `first` of its offsets."""
    if person.portrait is None:
        return logit
    constant, slope = person.portrait[-PORTRAIT:][first : first + 2]
    return constant + (1 + slope) * logit


def _chance(logit: float) -> float:
    return 0.5 + 0.5 * math.tanh(logit / 2)


def _games(match: MatchState, outcomes: Chances, seat: int) -> int:
    """Return the games that a resigner offers: more than one only if it counts and is sure."""
    if match.length and match.cube >= match.away[1 - seat]:
        return 1
    if match.length == 0 and match.jacoby and match.cube_owner is None:
        return 1
    return 1 + (outcomes[3] > SURE_OF_GAMMON) + (outcomes[4] > SURE_OF_GAMMON)


def _draw(position: Position, kind: str, seed: int) -> float:
    """Return a number from 0 to 1, a function of the position, the decision and the person."""
    words = f"{position.mine} {position.theirs} {kind} {seed}"
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest()) / 2.0**64
