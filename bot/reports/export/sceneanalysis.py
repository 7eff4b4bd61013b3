"""The analysis of scenes: lines and tables for every kind of document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.bot.reports.export.scenes import Act, Scene, names_of
from sixprime.bot.reports.text import SHOWN_PLAYS, Row, summary
from sixprime.bot.reports.turns import ShownTurn, Told
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.protocols.formats.record import Match


@dataclass(frozen=True, slots=True)
class SceneAnalyses:
    """The analysis that a document shows beside its scenes; None if the match has none."""

    analysis: MatchAnalysis | None = None

    def of(self, scene: Scene) -> list[Told]:
        """Return all that a document tells of a decision."""
        if self.analysis is None or scene.place is None:
            return []
        for index, turn in enumerate(self.analysis.games[scene.game].turns):
            shown, cube = ShownTurn(self.analysis, scene.game, index), turn.cube_analysis
            doubled = cube is not None and cube.doubled
            if scene.place == turn.roll:
                waited = shown.of_cube() if cube is not None and not doubled else ()
                plays = shown.of_play(SHOWN_PLAYS) if turn.move is not None else ()
                return [*waited, *shown.of_roll(), *plays]
            if doubled and scene.place in (turn.action, turn.action + 1):
                return list(shown.of_cube(answering=scene.place > turn.action))
        return []

    def statistics(self, match: Match, acts: Sequence[Act]) -> tuple[Sequence[str], list[Row]]:
        """Return the players' names and the statistics of these games; empty for a position."""
        if self.analysis is None or not any(len(act.scenes) > 1 for act in acts):
            return (), []
        games = tuple(self.analysis.games[act.number] for act in acts)
        return names_of(match), summary(replace(self.analysis, games=games))


NO_ANALYSES = SceneAnalyses()
