"""Questions and answers as JSON lines, for `sixprime decide`; README.md has the contract.

A request names a position and a match by their IDs. With dice the answer is every legal play,
without dice the cube action. At a level like people each play has its chance, and the reply begins
with the play that this person makes. Every line, even a broken one, gets one line in reply at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, NoReturn

from sixprime.bot.interfaces.streams import lines_of
from sixprime.bot.reports.decisions import Hint, Hints, ShownCube
from sixprime.engine.position import (
    Dice,
    IllegalPosition,
    MatchState,
    Position,
    variant_named,
)
from sixprime.engine.search.decide import MONEY, Engine, NoDecision
from sixprime.engine.system.errors import nearest_or_all
from sixprime.protocols.engines.external import BadRequest
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import BadId, read_match_id

LONGEST_LINE = 65_536  # bytes
NOT_IN_CUBES = ("mwc", "trials", "errors")  # keys of a shown cube that a reply lacks
KEYS = ("id", "position", "match", "dice", "cubeful", "variant")


@dataclass(frozen=True, slots=True)
class Request:
    position: Position
    match: MatchState
    dice: Dice | None
    cubeful: bool


def answer_all(requests: IO[bytes], answers: IO[str], engine: Engine) -> None:
    """Answer each line before the next is read."""
    for line in lines_of(requests, LONGEST_LINE):
        whole = len(line) < LONGEST_LINE or line.endswith(b"\n")
        too_long = f"a line is shorter than {LONGEST_LINE} bytes"
        text = answer(line, engine) if whole else _refusal(None, too_long)
        answers.write(text)
        answers.write("\n")
        answers.flush()


def answer(line: bytes, engine: Engine) -> str:
    asked: Any = None
    try:
        tree = _parsed(line)
        asked = tree.get("id")
        request = _understood(tree)
        head = f'{{"id": {json.dumps(asked)}, '
        if request.dice is None:
            return head + _cube(request, engine)
        return head + _move(request, request.dice, engine)
    except (BadRequest, BadId, NoDecision) as error:
        return _refusal(asked, str(error))


def _refusal(asked: object, why: str) -> str:
    return json.dumps({"id": asked, "error": why})


# --- requests


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        tree = json.loads(line.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise BadRequest("not UTF-8") from error
    except json.JSONDecodeError as error:
        raise BadRequest(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise BadRequest("not JSON that can be read: too deep, or no such number") from error
    if not isinstance(tree, dict):
        raise BadRequest("a request is a JSON object")
    return tree


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _understood(tree: Mapping[str, Any]) -> Request:
    for key in tree:
        if key not in KEYS:
            raise BadRequest(f"no key {key[:40]!r}{nearest_or_all(key, KEYS)}")
    match, cubeful = tree.get("match"), tree.get("cubeful", True)
    if not isinstance(tree.get("position"), str):
        raise BadRequest("position: a Position ID is needed")
    if match is not None and not isinstance(match, str):
        raise BadRequest("match: a Match ID is needed, or null")
    if not isinstance(cubeful, bool):
        raise BadRequest("cubeful: true or false is needed")
    position, own = pasted.read_position(tree["position"])
    if match is not None and own is not None:
        raise BadRequest("match: the position has its own")
    state = own or (MONEY if match is None else read_match_id(match))
    dice = _dice(tree.get("dice")) or (own.dice if own else None)
    return Request(_of_variant(position, tree), state, dice, cubeful)


def _of_variant(position: Position, tree: Mapping[str, Any]) -> Position:
    if tree.get("variant") is None:
        return position
    try:
        return position.of_variant(variant_named(tree["variant"]))
    except IllegalPosition as error:
        raise BadRequest(f"position: {error}") from error
    except ValueError as error:
        raise BadRequest(f"variant: {error}") from None


def _dice(dice: object) -> Dice | None:
    if dice is None:
        return None
    if not isinstance(dice, list) or len(dice) != 2:
        raise BadRequest("dice: two numbers are needed, or null")
    first, second = dice
    for die in dice:
        if type(die) is not int or not 1 <= die <= 6:
            raise BadRequest(f"dice: {json.dumps(die)[:40]} is not a die, 1 to 6")
    return first, second


# --- answers, written as text by hand: a reply has dozens of plays, at a few microseconds each


def _move(request: Request, dice: Dice, engine: Engine) -> str:
    decision = engine.move(request.position, request.match, dice, cubeful=request.cubeful)
    shown = [_play(hint) for hint in Hints.ranked(request.position, decision)]
    played = shown[decision.chosen].partition(', "probabilities"')[0].removeprefix("{")
    return f'"kind": "move", {played}, "candidates": [{", ".join(shown)}]}}'


PLAY = (
    '{"move": "%s", "result": "%s", "equity": %.6f, "probabilities": [%.6f, %.6f, %.6f, %.6f, %.6f]'
)
CHANCE = ', "chance": %.9f'  # nine digits: rounded, the chances of a hundred plays still sum to 1


def _play(hint: Hint) -> str:
    play, equity, probabilities, result, *_ = hint
    shown = PLAY % (play, result, equity, *probabilities)
    return shown + (CHANCE % hint.chance if hint.chance is not None else "") + "}"


def _cube(request: Request, engine: Engine) -> str:
    advice = engine.cube(request.position, request.match, cubeful=request.cubeful)
    shown = ShownCube.from_advice(advice, request.match).as_json().items()
    return json.dumps({key: value for key, value in shown if key not in NOT_IN_CUBES})[1:]
