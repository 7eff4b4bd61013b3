"""Analyses as values that json can write, and back; the same analysis gives the same values.

Of an evaluation's settings only the plies are stored: the settings' key stands for the rest. A
rollout is stored whole, in their place.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sixprime.engine.analysis.settings import VERSION
from sixprime.engine.analysis.statistics import PlayerStatistics
from sixprime.engine.analysis.values import (
    Answered,
    CubeAnalysis,
    CubeError,
    EvalContext,
    GameAnalysis,
    Mark,
    MatchAnalysis,
    MoveAnalysis,
    RankedPlay,
    RolloutResult,
    TurnAnalysis,
    Verdict,
)
from sixprime.engine.position import Play, Position, Step

_HEX = "0123456789abcdef"


def match_to_json(match: MatchAnalysis) -> dict[str, Any]:
    """Adds the statistics of the whole match, for other programs."""
    return {
        "version": VERSION,
        **_fields(match),
        "statistics": [each.to_json() for each in match.statistics],
        "games": [_game_to_json(game) for game in match.games],
    }


RATES = ("checker_rate", "luck_rate", "cube_rate", "error_rate")  # EMG, MWC or points a decision
NAMED = ("checker_rating", "luck_rating", "cube_rating", "rating")


def figures_to_json(match: MatchAnalysis) -> list[dict[str, Any]]:
    """What a report says of each player beyond the statistics, by seat."""
    found = []
    for seat, player in enumerate(match.statistics):
        session = match.session(seat)
        found.append(
            {
                "pr": player.pr,
                **_fields(match.figures(seat)),
                **{name: getattr(player, name) for name in (*RATES, *NAMED)},
                "session": None if session is None else _fields(session),
            }
        )
    return found


def match_from_json(values: dict[str, Any]) -> MatchAnalysis:
    """Reads what `match_to_json` returned; ValueError if it is of another version."""
    if values["version"] != VERSION:
        raise ValueError(f"an analysis of version {values['version']}, not {VERSION}")
    own = _own(MatchAnalysis, values)
    own["players"] = tuple(values["players"])
    own["games"] = tuple(_game_from_json(game) for game in values["games"])
    return MatchAnalysis(**own)


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, tuples as lists."""
    found = ((each.name, getattr(value, each.name)) for each in fields(value))
    return {name: list(each) if isinstance(each, tuple) else each for name, each in found}


def _own(kind: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """The entries that `kind` has fields for: files may hold more."""
    return {each.name: values[each.name] for each in fields(kind)}


def _game_to_json(game: GameAnalysis) -> dict[str, Any]:
    return {
        **_fields(game),
        "turns": [_turn_to_json(turn) for turn in game.turns],
        "statistics": [each.to_json() for each in game.statistics],
    }


def _game_from_json(values: dict[str, Any]) -> GameAnalysis:
    first, second = (PlayerStatistics.from_json(each) for each in values["statistics"])
    turns = tuple(_turn_from_json(turn) for turn in values["turns"])
    changed = {"score": tuple(values["score"]), "turns": turns, "statistics": (first, second)}
    return GameAnalysis(**{**_own(GameAnalysis, values), **changed})


def _turn_to_json(turn: TurnAnalysis) -> dict[str, Any]:
    """Field by field, as this is most of an analysis: asking for names takes ten times longer."""
    cube, move, position = turn.cube_analysis, turn.move, turn.position
    return {
        "seat": turn.seat,
        "position": "".join(map(_HEX.__getitem__, position.mine + position.theirs)),
        "cube": turn.cube,
        "stake": turn.stake,
        "cube_owner": turn.cube_owner,
        "action": turn.action,
        "roll": turn.roll,
        "cube_analysis": None if cube is None else _cube_to_json(cube),
        "dice": turn.dice,
        "luck": turn.luck,
        "luck_cost": turn.luck_cost,
        "luck_mark": turn.luck_mark,
        "move": None if move is None else _move_to_json(move),
        "checkers": position.checkers,
    }


def _turn_from_json(values: dict[str, Any]) -> TurnAnalysis:
    own = _own(TurnAnalysis, values)
    board = tuple(int(digit, 16) for digit in own["position"])  # mine, then theirs
    half = len(board) // 2
    own["position"] = Position(board[:half], board[half:], values["checkers"])
    cube, dice, move = own["cube_analysis"], own["dice"], own["move"]
    own["cube_analysis"] = None if cube is None else _cube_from_json(cube)
    own["dice"] = None if dice is None else tuple(dice)
    own["move"] = None if move is None else _move_from_json(move)
    return TurnAnalysis(**own)


def _cube_to_json(cube: CubeAnalysis) -> dict[str, Any]:
    answer = cube.answer_verdict
    return {
        "equities": cube.equities,
        "mwc": cube.mwc,
        "outcomes": cube.outcomes,
        "proper": cube.proper,
        "close": cube.close,
        "doubled": cube.doubled,
        "answer": None if cube.answer is None else cube.answer.value,
        "double_verdict": _verdict_to_json(cube.double_verdict),
        "answer_verdict": None if answer is None else _verdict_to_json(answer),
        "plies": _by_to_json(cube.by),
    }


def _cube_from_json(values: dict[str, Any]) -> CubeAnalysis:
    own = _own(CubeAnalysis, {**values, "by": _by_from_json(values["plies"])})
    mwc, said, answer = own["mwc"], own["answer"], own["answer_verdict"]
    own["equities"], own["outcomes"] = tuple(own["equities"]), tuple(own["outcomes"])
    own["mwc"] = None if mwc is None else tuple(mwc)
    own["answer"] = None if said is None else Answered(said)
    own["double_verdict"] = _verdict_from_json(own["double_verdict"])
    own["answer_verdict"] = None if answer is None else _verdict_from_json(answer)
    return CubeAnalysis(**own)


def _verdict_to_json(verdict: Verdict) -> list[Any]:
    kind = None if verdict.kind is None else verdict.kind.value
    return [verdict.error, verdict.cost, int(verdict.mark), kind]


def _verdict_from_json(values: list[Any]) -> Verdict:
    error, cost, mark, kind = values
    return Verdict(error, cost, Mark(mark), None if kind is None else CubeError(kind))


def _move_to_json(move: MoveAnalysis) -> dict[str, Any]:
    return {
        "played": move.played,
        "candidates": [_candidate_to_json(each) for each in move.candidates],
        "chosen": move.chosen,
        "legal": move.legal,
        "verdict": _verdict_to_json(move.verdict),
    }


def _candidate_to_json(each: RankedPlay) -> list[Any]:
    return [each.play, each.equity, each.mwc, each.probabilities, _by_to_json(each.by)]


def _move_from_json(values: dict[str, Any]) -> MoveAnalysis:
    candidates = tuple(
        RankedPlay(_play(play), tuple(chances), equity, _by_from_json(plies), mwc)
        for play, equity, mwc, chances, plies in values["candidates"]
    )
    return MoveAnalysis(
        _play(values["played"]),
        candidates,
        values["chosen"],
        values["legal"],
        _verdict_from_json(values["verdict"]),
    )


def _by_to_json(by: EvalContext | RolloutResult) -> int | dict[str, Any]:
    if isinstance(by, EvalContext):
        return by.plies
    rows = {name: [list(row) for row in getattr(by, name)] for name in ("outputs", "errors")}
    return {**_fields(by), **rows}


def _by_from_json(value: int | dict[str, Any]) -> EvalContext | RolloutResult:
    if isinstance(value, int):
        return EvalContext(value)
    own = _own(RolloutResult, value)
    for name in ("outputs", "errors"):
        own[name] = tuple(tuple(row) for row in own[name])
    return RolloutResult(**own)


def _play(steps: list[list[int]]) -> Play:
    return tuple(Step(start, end) for start, end in steps)
