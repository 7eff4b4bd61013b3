"""Facts of an analysis as rows: the figures of both players, their errors, their first plays.

They are stored with the analysis, so that questions about many matches need not unpack it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sixprime.bot.analysis.worst import KIND_COLUMNS, kind_of
from sixprime.bot.archive.tables import KINDS, WIDEST
from sixprime.engine.analysis.values import Mark, MatchAnalysis
from sixprime.protocols.formats.notation import format_play

Row = dict[str, Any]


class AnalysisFacts(NamedTuple):
    """Columns of the tables `figures`, `errors` and `first_plays`."""

    figures: Row
    errors: list[Row]
    first_plays: list[Row]


def facts_of(analysis: MatchAnalysis) -> AnalysisFacts:
    figures = {**_figures(analysis, 0, "our"), **_figures(analysis, 1, "their")}
    errors = []
    for error in analysis.errors():
        kind, given = kind_of(error, analysis.turn_of(error)), -error.verdict.error
        side = f"{('our', 'their')[error.seat]}_{KIND_COLUMNS[kind]}"
        figures[f"{side}_errors"] += 1
        figures[f"{side}_given"] += given
        if error.verdict.mark is not Mark.NONE:
            place = {"game": error.game, "turn": error.turn, "what": error.what.value}
            errors.append({**place, "seat": error.seat, "kind": kind, "given": given})
    return AnalysisFacts(figures, errors, list(_first_plays(analysis)))


def _figures(analysis: MatchAnalysis, seat: int, whose: str) -> Row:
    player = analysis.statistics[seat]
    plain = {
        "moves": player.moves,
        "unforced": player.unforced,
        "close": player.close,
        "counted": player.counted,
        "luck": player.luck.emg,
        "luck_cost": player.luck.cost,
        "error_cost": player.errors.cost,
        "result": player.result,
        **dict.fromkeys((f"{kind}_errors" for kind in KINDS), 0),
        **dict.fromkeys((f"{kind}_given" for kind in KINDS), 0.0),
    }
    return {f"{whose}_{name}": value for name, value in plain.items()}


def _first_plays(analysis: MatchAnalysis) -> Iterator[Row]:
    """Yield the first play of each game that began with the opening position."""
    for number, game in enumerate(analysis.games):
        first = next((turn for turn in game.turns if turn.dice is not None), None)
        if first is None or first.dice is None or first.move is None or first.action != 0:
            continue  # a game that was joined later, or begins with a board
        best = first.move.best
        yield {
            "game": number,
            "seat": first.seat,
            "roll": f"{max(first.dice)}{min(first.dice)}",
            "play": format_play(first.position, first.move.played)[:WIDEST],
            "best": "" if best is None else format_play(first.position, best.play)[:WIDEST],
            "given": 0.0 - first.move.verdict.error,
        }
