"""The analysis of scenes: sentences and tables for every kind of document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sixprime.bot.reports.export.scenes import Act, Scene, names_of
from sixprime.bot.reports.html import ShownError, ShownTurn
from sixprime.bot.reports.text import MARKS, SHOWN_PLAYS, Row, ShownTable, summary
from sixprime.engine.analysis.values import Error, MatchAnalysis, What, decisions
from sixprime.protocols.formats.record import LUCK, Match

_WHAT = {What.DOUBLE: "double", What.ANSWER: "answer", What.PLAY: "play"}


class SceneAnalysis(NamedTuple):
    """Sentences and tables about a scene."""

    lines: Sequence[str] = ()
    tables: Sequence[ShownTable] = ()


NOTHING = SceneAnalysis()


@dataclass(frozen=True, slots=True)
class SceneAnalyses:
    """The analysis that a document shows beside its scenes; None if the match has none."""

    analysis: MatchAnalysis | None = None

    def of(self, scene: Scene) -> SceneAnalysis:
        if self.analysis is None or scene.place is None:
            return NOTHING
        for index, turn in enumerate(self.analysis.games[scene.game].turns):
            shown = ShownTurn(self.analysis, scene.game, index)
            if scene.place == turn.roll:
                return SceneAnalysis(list(_lines(shown, What.PLAY)), list(_tables(shown)))
            if turn.cube_analysis is not None and turn.cube_analysis.doubled:
                if scene.place == turn.action:
                    return SceneAnalysis(list(_lines(shown, What.DOUBLE)), [_cube(shown)])
                if scene.place == turn.action + 1:
                    return SceneAnalysis(list(_lines(shown, What.ANSWER)))
        return NOTHING

    def statistics(self, match: Match, acts: Sequence[Act]) -> tuple[Sequence[str], list[Row]]:
        """Return the players' names and the statistics of these games; empty for a position."""
        if self.analysis is None or not any(len(act.scenes) > 1 for act in acts):
            return (), []
        games = tuple(self.analysis.games[act.number] for act in acts)
        return names_of(match), summary(replace(self.analysis, games=games))


def _lines(shown: ShownTurn, at: What) -> Iterator[str]:
    turn = shown.turn
    if at is What.PLAY and turn.luck is not None:
        mark = f", {LUCK[turn.luck_mark]}" if turn.luck_mark else ""
        yield f"Luck of the roll {turn.luck:+z.3f}{mark}"
    doubled = turn.cube_analysis is not None and turn.cube_analysis.doubled
    for what, seat, verdict in decisions(turn):
        undoubled = at is What.PLAY and what is What.DOUBLE and not doubled
        if verdict.error < 0 and (what is at or undoubled):
            error = ShownError(shown, Error(shown.game_index, shown.index, what, seat, verdict))
            mark = MARKS[verdict.mark] or "inexact"
            yield f"Alert: {mark} {_WHAT[what]}: {error.who} gives away {error.given}"


def _tables(shown: ShownTurn) -> Iterator[ShownTable]:
    cube, move = shown.turn.cube_analysis, shown.turn.move
    if cube is not None and not cube.doubled and shown.has_cube:
        yield _cube(shown)
    if move is not None and move.candidates:
        table = shown.plays
        kept = [i for i in range(len(table.rows)) if i < SHOWN_PLAYS or i == table.played]
        rows = [[f"{i + 1}. {table.rows[i][0]}", *table.rows[i][1:]] for i in kept]
        played = kept.index(table.played) if table.played is not None else None
        yield table._replace(rows=rows, played=played)


def _cube(shown: ShownTurn) -> ShownTable:
    cube = shown.turn.cube_analysis
    assert cube is not None
    note = f"Proper cube action: {cube.proper}. Wins, gammons, backgammons, lost ones: "
    return shown.cube._replace(title=shown.doubling, note=f"{note}{shown.chances}")


NO_ANALYSES = SceneAnalyses()
