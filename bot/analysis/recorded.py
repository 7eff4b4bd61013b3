"""The analysis of another program in the record of a match, judged like ours."""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.bot.analysis.matches import turns_of, whole
from sixprime.engine.analysis.examiner import Happened
from sixprime.engine.analysis.judging import Thresholds, cost_of, cube_analysis, play_verdict
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    CubeWorth,
    MatchAnalysis,
    MoveAnalysis,
    TurnAnalysis,
)
from sixprime.engine.position import chances_of
from sixprime.engine.search.cube import judged
from sixprime.protocols.formats.record import Analysis, Cube, Match, Turn, settled

AS_RECORDED = AnalysisSettings("as recorded")


def recorded_analysis(match: Match) -> MatchAnalysis | None:
    """Return the analysis in a match as `analysis_in_record` does, if the match has any."""
    actions = (action for game in match.games for action in game.actions)
    found = (_analysis(action) for action in actions)
    is_analysed = any(each and (each.candidates or each.cube) for each in found)
    return analysis_in_record(match) if is_analysed else None


def analysis_in_record(match: Match, thresholds: Thresholds | None = None) -> MatchAnalysis:
    """Return the analysis in a match from an SGF or .xg file, judged like ours."""
    thresholds = thresholds or Thresholds()
    turns = []
    for game in match.games:
        actions = settled(game)
        turns.append(
            [_recorded_turn(happened, actions, thresholds) for happened in turns_of(match, game)]
        )
    return whole(match, turns, AS_RECORDED.level, AS_RECORDED)


def _recorded_turn(
    happened: Happened, actions: Sequence[object], thresholds: Thresholds
) -> TurnAnalysis:
    roll = None if happened.roll is None else _analysis(actions[happened.roll])
    before = _analysis(actions[happened.action])
    luck = None if roll is None else roll.luck
    cube = None if before is None else before.cube
    return happened.analysed(
        thresholds,
        None if cube is None else _recorded_cube(happened, cube, thresholds),
        None if luck is None else (luck, cost_of(luck, happened.rolled)),
        _recorded_move(happened, roll, thresholds),
    )


def _analysis(action: object) -> Analysis | None:
    return action.analysis if isinstance(action, Turn | Cube) else None


def _recorded_cube(happened: Happened, cube: CubeWorth, thresholds: Thresholds) -> CubeAnalysis:
    state = happened.state
    scale = 1 if state.length else state.cube  # a worth for money is in points
    decision = judged(scale * cube.no_double[6], scale * cube.double_take[6], state)
    outcomes, done = chances_of(cube.no_double[:5]), (happened.doubled, happened.answer)
    return cube_analysis(decision, outcomes, cube.by, *done, state, thresholds)


def _recorded_move(
    happened: Happened, analysis: Analysis | None, thresholds: Thresholds
) -> MoveAnalysis | None:
    if happened.play is None:
        return None
    listed = () if analysis is None else analysis.candidates
    chosen = None if analysis is None or not listed else analysis.chosen
    best = listed[0].equity if listed else 0.0
    played = best if chosen is None else listed[chosen].equity
    verdict = play_verdict(best, played, happened.rolled, thresholds)
    return MoveAnalysis(happened.play, listed, chosen, max(len(listed), 1), verdict)
