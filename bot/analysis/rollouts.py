"""Rolls out the errors of an analysis: the plays in question, or the cube.

The rollout replaces the evaluation, and verdicts and sums are made from it. Standard errors are in
EMG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sixprime.engine.analysis.judging import cube_verdicts, play_verdict, statistics_of
from sixprime.engine.analysis.settings import Thresholds, rolled_by
from sixprime.engine.analysis.values import (
    Error,
    MatchAnalysis,
    RankedPlay,
    RolloutResult,
    TurnAnalysis,
    What,
)
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.position import MatchState
from sixprime.engine.search.rollout import RolloutSettings, of_cube, of_plays, verdict

PLAYS = 3  # the best ones, and the one that was made
STOP_AT = 2.33  # joint standard deviations behind: given up

Progress = Callable[[int, int], None]


def rolled_out(
    analysis: MatchAnalysis,
    errors: Iterable[Error],
    brain: Brain,
    settings: RolloutSettings,
    *,
    threads: int = 1,
    thresholds: Thresholds | None = None,
    progress: Progress = lambda done, total: None,
) -> MatchAnalysis:
    """The analysis with these errors rolled out."""
    marks = thresholds or Thresholds()
    wanted = sorted({(each.game, each.turn, each.what is What.PLAY) for each in errors})
    turns = [list(game.turns) for game in analysis.games]
    for done, (number, index, is_play) in enumerate(wanted):
        progress(done, len(wanted))
        turn, game = turns[number][index], analysis.games[number]
        state = analysis.state(game, turn, rolled=is_play)
        act = _play if is_play else _cube
        turns[number][index] = act(turn, state, brain, settings, threads, marks)
    progress(len(wanted), len(wanted))
    games = []
    for game, found in zip(analysis.games, turns, strict=True):
        first, second = (each.result for each in game.statistics)
        both = statistics_of(found, (first, second))
        games.append(replace(game, turns=tuple(found), statistics=both))
    return replace(analysis, games=tuple(games))


def is_rolled_out(analysis: MatchAnalysis, error: Error) -> bool:
    """Does the verdict come from a rollout?"""
    turn = analysis.games[error.game].turns[error.turn]
    if error.what is not What.PLAY:
        return turn.cube_analysis is not None and isinstance(turn.cube_analysis.by, RolloutResult)
    move = turn.move
    return move is not None and (
        move.chosen is None or isinstance(move.candidates[move.chosen].by, RolloutResult)
    )


def _play(
    turn: TurnAnalysis,
    state: MatchState,
    brain: Brain,
    settings: RolloutSettings,
    threads: int,
    marks: Thresholds,
) -> TurnAnalysis:
    move = turn.move
    if move is None or move.chosen is None:
        return turn
    places = sorted({*range(min(PLAYS, len(move.candidates))), move.chosen})
    plays = [move.candidates[place].play for place in places]
    rolled = of_plays(turn.position, state, plays, settings).run(brain, threads=threads)
    ranked = sorted(
        (
            RankedPlay(
                play, found.outcomes, found.equity, rolled_by([found], settings.seed), found.mwc
            )
            for play, found in zip(plays, rolled, strict=True)
        ),
        key=lambda each: -each.equity,
    )
    chosen = next(
        i for i, each in enumerate(ranked) if each.play == plays[places.index(move.chosen)]
    )
    judged = play_verdict(ranked[0].equity, ranked[chosen].equity, state, marks)
    found = replace(move, candidates=tuple(ranked), chosen=chosen, verdict=judged)
    return replace(turn, move=found)


def _cube(
    turn: TurnAnalysis,
    state: MatchState,
    brain: Brain,
    settings: RolloutSettings,
    threads: int,
    marks: Thresholds,
) -> TurnAnalysis:
    cube = turn.cube_analysis
    if cube is None:
        return turn
    rollout = of_cube(turn.position, state, replace(settings, stop_at=0.0))
    rolled = rollout.run(brain, threads=threads)
    decision = verdict(rollout)
    double, answer, close = cube_verdicts(
        decision.equities, cube.doubled, cube.answer, state, marks
    )
    no_double = rolled[0].outcomes
    found = replace(
        cube,
        equities=decision.equities,
        mwc=decision.mwc,
        outcomes=(no_double[0], no_double[1], no_double[2], no_double[3], no_double[4]),
        by=rolled_by(rolled, settings.seed),
        proper=decision.action,
        close=close,
        double_verdict=double,
        answer_verdict=answer,
    )
    return replace(turn, cube_analysis=found)
