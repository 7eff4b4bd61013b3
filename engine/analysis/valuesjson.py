"""Analyses as plain JSON values, and back; the same analysis gives the same values.

Of how something was evaluated only the plies are kept: the settings' key stands for the rest.
"""

from __future__ import annotations

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
    TurnAnalysis,
    Verdict,
)
from sixprime.engine.position import Play, Position, Step


def match_to_json(match: MatchAnalysis) -> dict[str, Any]:
    """Statistics are told along, for readers other than us."""
    return {
        "version": VERSION,
        "players": list(match.players),
        "length": match.length,
        "jacoby": match.jacoby,
        "beavers": match.beavers,
        "settings": match.settings,
        "level": match.level,
        "date": match.date,
        "statistics": [each.to_json() for each in match.statistics],
        "games": [_game_to_json(game) for game in match.games],
    }


def match_from_json(values: dict[str, Any]) -> MatchAnalysis:
    """What `match_to_json` gave; ValueError if it was another version's."""
    if values["version"] != VERSION:
        raise ValueError(f"an analysis of version {values['version']}, not {VERSION}")
    first, second = values["players"]
    return MatchAnalysis(
        (first, second),
        values["length"],
        values["jacoby"],
        values["beavers"],
        tuple(_game_from_json(game) for game in values["games"]),
        values["settings"],
        values["level"],
        values["date"],
    )


def _game_to_json(game: GameAnalysis) -> dict[str, Any]:
    return {
        "score": list(game.score),
        "crawford": game.crawford,
        "winner": game.winner,
        "points": game.points,
        "statistics": [each.to_json() for each in game.statistics],
        "turns": [_turn_to_json(turn) for turn in game.turns],
    }


def _game_from_json(values: dict[str, Any]) -> GameAnalysis:
    first, second = (PlayerStatistics.from_json(each) for each in values["statistics"])
    mine, theirs = values["score"]
    return GameAnalysis(
        (mine, theirs),
        values["crawford"],
        tuple(_turn_from_json(turn) for turn in values["turns"]),
        values["winner"],
        values["points"],
        (first, second),
    )


def _turn_to_json(turn: TurnAnalysis) -> dict[str, Any]:
    cube, move = turn.cube_analysis, turn.move
    return {
        "seat": turn.seat,
        "position": _board(turn.position),
        "checkers": turn.position.checkers,
        "cube": turn.cube,
        "stake": turn.stake,
        "cube_owner": turn.cube_owner,
        "action": turn.action,
        "roll": turn.roll,
        "cube_analysis": None if cube is None else _cube_to_json(cube),
        "dice": None if turn.dice is None else list(turn.dice),
        "luck": turn.luck,
        "luck_cost": turn.luck_cost,
        "luck_mark": turn.luck_mark,
        "move": None if move is None else _move_to_json(move),
    }


def _turn_from_json(values: dict[str, Any]) -> TurnAnalysis:
    board = [int(digit, 16) for digit in values["position"]]
    half = len(board) // 2
    position = Position(tuple(board[:half]), tuple(board[half:]), values["checkers"])
    cube, move = values["cube_analysis"], values["move"]
    return TurnAnalysis(
        seat=values["seat"],
        position=position,
        cube=values["cube"],
        stake=values["stake"],
        cube_owner=values["cube_owner"],
        action=values["action"],
        roll=values["roll"],
        cube_analysis=None if cube is None else _cube_from_json(cube),
        dice=None if values["dice"] is None else (values["dice"][0], values["dice"][1]),
        luck=values["luck"],
        luck_cost=values["luck_cost"],
        luck_mark=values["luck_mark"],
        move=None if move is None else _move_from_json(move),
    )


def _board(position: Position) -> str:
    """A hexadecimal digit a place: mine, then theirs."""
    return "".join(f"{count:x}" for side in (position.mine, position.theirs) for count in side)


def _cube_to_json(cube: CubeAnalysis) -> dict[str, Any]:
    answer = cube.answer_verdict
    return {
        "equities": [cube.no_double, cube.double_take, cube.double_pass],
        "mwc": None if cube.mwc is None else list(cube.mwc),
        "outcomes": list(cube.outcomes),
        "plies": cube.by.plies,
        "proper": cube.proper,
        "close": cube.close,
        "doubled": cube.doubled,
        "answer": None if cube.answer is None else cube.answer.value,
        "double_verdict": _verdict_to_json(cube.double_verdict),
        "answer_verdict": None if answer is None else _verdict_to_json(answer),
    }


def _cube_from_json(values: dict[str, Any]) -> CubeAnalysis:
    answer, said = values["answer_verdict"], values["answer"]
    no_double, double_take, double_pass = values["equities"]
    return CubeAnalysis(
        no_double=no_double,
        double_take=double_take,
        double_pass=double_pass,
        mwc=None if values["mwc"] is None else tuple(values["mwc"]),
        outcomes=tuple(values["outcomes"]),
        by=EvalContext(values["plies"]),
        proper=values["proper"],
        close=values["close"],
        doubled=values["doubled"],
        answer=None if said is None else Answered(said),
        double_verdict=_verdict_from_json(values["double_verdict"]),
        answer_verdict=None if answer is None else _verdict_from_json(answer),
    )


def _verdict_to_json(verdict: Verdict) -> list[Any]:
    kind = None if verdict.kind is None else verdict.kind.value
    return [verdict.error, verdict.cost, int(verdict.mark), kind]


def _verdict_from_json(values: list[Any]) -> Verdict:
    error, cost, mark, kind = values
    return Verdict(error, cost, Mark(mark), None if kind is None else CubeError(kind))


def _move_to_json(move: MoveAnalysis) -> dict[str, Any]:
    return {
        "played": [list(step) for step in move.played],
        "candidates": [_candidate_to_json(each) for each in move.candidates],
        "chosen": move.chosen,
        "legal": move.legal,
        "verdict": _verdict_to_json(move.verdict),
    }


def _candidate_to_json(each: RankedPlay) -> list[Any]:
    play = [list(step) for step in each.play]
    return [play, each.equity, each.mwc, list(each.probabilities), each.by.plies]


def _move_from_json(values: dict[str, Any]) -> MoveAnalysis:
    candidates = tuple(
        RankedPlay(_play(play), tuple(chances), equity, EvalContext(plies), mwc)
        for play, equity, mwc, chances, plies in values["candidates"]
    )
    return MoveAnalysis(
        _play(values["played"]),
        candidates,
        values["chosen"],
        values["legal"],
        _verdict_from_json(values["verdict"]),
    )


def _play(steps: list[list[int]]) -> Play:
    return tuple(Step(start, end) for start, end in steps)
