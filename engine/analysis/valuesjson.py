"""Analyses as JSON, and back; the same analysis gives the same text.

Of an evaluation's settings only the plies are stored: the settings' key stands for the rest. A
rollout is stored whole, in their place. A position is a hexadecimal digit for each place.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from sixprime.engine.analysis.statistics import PlayerStatistics, Total
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    EvalContext,
    MatchAnalysis,
    RankedPlay,
    TurnAnalysis,
    Verdict,
)
from sixprime.engine.codec import Codec, Layout, Scalar
from sixprime.engine.position import Position

VERSION = 1  # of the JSON of analyses, and part of the key of settings
_HEX = "0123456789abcdef"
_COUNTS = {digit: count for count, digit in enumerate(_HEX)}


def _digits(position: Position) -> str:
    return "".join(map(_HEX.__getitem__, position.mine + position.theirs))


def position_of(digits: str, checkers: int) -> Position:
    """Return the position of a stored turn."""
    board = tuple(map(_COUNTS.__getitem__, digits))  # mine, then theirs
    half = len(board) // 2
    return Position(board[:half], board[half:], checkers)


def _position(plain: tuple[str, int]) -> Position:
    return position_of(*plain)


def _with_checkers(turn: dict[str, Any]) -> dict[str, Any]:
    return {**turn, "position": (turn["position"], turn["checkers"])}


def _with_counted(statistics: dict[str, Any]) -> dict[str, Any]:
    """Return the sums with `counted`; older analyses lack it, and gnubg's count is the nearest."""
    counted = statistics.get("unforced", 0) + statistics.get("close", 0)
    return {"counted": counted, **statistics}


_CUBE = (
    *("equities", "mwc", "outcomes", "proper", "close", "doubled"),
    *("answer", "double_verdict", "answer_verdict", "by"),
)
ANALYSES = Codec(
    {
        MatchAnalysis: Layout(added={"statistics": "statistics"}),
        TurnAnalysis: Layout(added={"checkers": "position.checkers"}, upgraded=_with_checkers),
        CubeAnalysis: Layout(_CUBE, keys={"by": "plies"}),
        RankedPlay: Layout(("play", "equity", "mwc", "probabilities", "by"), row=True),
        Verdict: Layout(row=True),
        PlayerStatistics: Layout(upgraded=_with_counted),
        Total: Layout(row=True),
        Position: Scalar(str, _digits, _position),
        EvalContext: Scalar(int, attrgetter("plies"), EvalContext),
    },
    lenient=True,
)


def match_to_json(match: MatchAnalysis) -> dict[str, Any]:
    """Return the analysis as stored, with the statistics of the whole match for other programs."""
    return {"version": VERSION, **ANALYSES.plain(match)}


def match_from_json(values: dict[str, Any]) -> MatchAnalysis:
    """Return the analysis that `match_to_json` wrote; ValueError if it is of another version."""
    if values["version"] != VERSION:
        raise ValueError(f"an analysis of version {values['version']}, not {VERSION}")
    return ANALYSES.value(MatchAnalysis, values)


RATES = ("checker_rate", "luck_rate", "cube_rate", "error_rate")  # EMG, MWC or points a decision
NAMED = ("checker_rating", "luck_rating", "cube_rating", "rating")


def figures_to_json(match: MatchAnalysis) -> list[dict[str, Any]]:
    """Return the figures of a report beyond the statistics, by seat."""
    return [
        {
            "pr": player.pr,
            **ANALYSES.plain(match.figures(seat)),
            **{name: getattr(player, name) for name in (*RATES, *NAMED)},
            "session": ANALYSES.plain(match.session(seat)),
        }
        for seat, player in enumerate(match.statistics)
    ]
