"""Rollouts of decisions in an analysis: its errors, or decisions marked in the match.

A rollout replaces the evaluation, and verdicts and sums follow from it. Standard errors are in EMG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from sixprime.engine.analysis.judging import (
    Thresholds,
    cube_analysis,
    play_verdict,
    statistics_of,
)
from sixprime.engine.analysis.settings import rolled_by
from sixprime.engine.analysis.values import (
    Error,
    MatchAnalysis,
    RankedPlay,
    RolloutResult,
    TurnAnalysis,
    What,
    decisions,
)
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.position import MatchState, Play, chances_of
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.rollout import (
    BadRollout,
    Rolled,
    Rollout,
    RolloutSettings,
    Spread,
    of_cube,
    of_plays,
    verdict,
)
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.record import Cube, Match, Turn, settled

PLAYS = 3  # best plays, besides the play that was made
STOP_AT = 2.33  # joint standard deviations behind: given up

Progress = Callable[[int, int], None]
Run = Callable[[Rollout], list[Rolled]]


class Spot(NamedTuple):
    """A decision to roll out: the play of `games[game].turns[turn]`, or the cube before it."""

    game: int
    turn: int
    is_play: bool
    plays: tuple[Play, ...] = ()  # besides the play that was made; empty for the best plays

    @classmethod
    def of_error(cls, error: Error) -> Spot:
        """Return the decision of an error."""
        return cls(error.game, error.turn, error.what is What.PLAY)

    def judged(self, analysis: MatchAnalysis) -> Error:
        """Return the verdict of an analysis about this decision."""
        what = What.PLAY if self.is_play else What.DOUBLE
        found = decisions(analysis.games[self.game].turns[self.turn])
        seat, verdict = next((seat, each) for this, seat, each in found if this is what)
        return Error(self.game, self.turn, what, seat, verdict)


def marked(match: Match, analysis: MatchAnalysis) -> list[Spot]:
    """Return the decisions that the match marks for rollouts, as gnubg does; or BadRollout."""
    found: list[Spot] = []
    for number, game in enumerate(match.games):
        actions, turns = settled(game), analysis.games[number].turns
        ends = [*(turn.action for turn in turns[1:]), len(actions)]
        for index, (turn, end) in enumerate(zip(turns, ends, strict=True)):
            done = [each for each in actions[turn.action : end] if isinstance(each, Cube | Turn)]
            if turn.cube_analysis is not None and any(
                each.analysis is not None and each.analysis.roll_out_cube for each in done
            ):
                found.append(Spot(number, index, is_play=False))
            plays = tuple(
                each.analysis.candidates[place].play
                for each in done
                if each.analysis is not None
                for place in each.analysis.to_roll_out
            )
            if plays and turn.move is not None and turn.dice is not None:
                results = {each.result for each in legal_plays(turn.position, turn.dice)}
                for play in plays:
                    if turn.position.after(play) not in results:
                        where = f"game {number + 1}, turn {index + 1}"
                        raise BadRollout(f"{where}: {format_steps(play)} is marked, but not legal")
                found.append(Spot(number, index, is_play=True, plays=plays))
    if not found:
        raise BadRollout("no decision in it is marked to be rolled out")
    return found


def rolled_out(
    analysis: MatchAnalysis,
    spots: Iterable[Spot],
    brain: Brain,
    settings: RolloutSettings,
    *,
    threads: int = 1,
    thresholds: Thresholds | None = None,
    progress: Progress = lambda done, total: None,
    spread: Spread | None = None,
) -> MatchAnalysis:
    marks = thresholds or Thresholds()
    wanted = sorted(set(spots))
    run = partial(Rollout.run, brain=brain, threads=threads, spread=spread)
    turns = [list(game.turns) for game in analysis.games]
    for done, spot in enumerate(wanted):
        progress(done, len(wanted))
        turn, game = turns[spot.game][spot.turn], analysis.games[spot.game]
        state = analysis.state(game, turn, rolled=spot.is_play)
        if spot.is_play:
            turn = _play(turn, spot.plays, state, run, settings, marks)
        else:
            turn = _cube(turn, state, run, settings, marks)
        turns[spot.game][spot.turn] = turn
    progress(len(wanted), len(wanted))
    games = []
    for game, found in zip(analysis.games, turns, strict=True):
        first, second = (each.result for each in game.statistics)
        both = statistics_of(found, (first, second))
        games.append(replace(game, turns=tuple(found), statistics=both))
    return replace(analysis, games=tuple(games))


def is_rolled_out(analysis: MatchAnalysis, error: Error) -> bool:
    """Return whether the verdict comes from a rollout or is exact."""
    turn = analysis.turn_of(error)
    if turn.position.is_hypergammon():
        return True
    if error.what is not What.PLAY:
        return turn.cube_analysis is not None and isinstance(turn.cube_analysis.by, RolloutResult)
    move = turn.move
    return move is not None and (
        move.chosen is None or isinstance(move.candidates[move.chosen].by, RolloutResult)
    )


def _play(
    turn: TurnAnalysis,
    wanted: tuple[Play, ...],
    state: MatchState,
    run: Run,
    settings: RolloutSettings,
    marks: Thresholds,
) -> TurnAnalysis:
    move = turn.move
    if move is None or move.chosen is None:
        return turn
    made = move.candidates[move.chosen].play
    wanted = wanted or tuple(each.play for each in move.candidates[:PLAYS])
    plays = list({turn.position.after(play): play for play in (*wanted, made)}.values())
    rolled = run(of_plays(turn.position, state, plays, settings))
    ranked = sorted(
        (
            RankedPlay(
                play, found.outcomes, found.equity, rolled_by([found], settings.seed), found.mwc
            )
            for play, found in zip(plays, rolled, strict=True)
        ),
        key=lambda each: -each.equity,
    )
    chosen = next(i for i, each in enumerate(ranked) if each.play == made)
    judged = play_verdict(ranked[0].equity, ranked[chosen].equity, state, marks)
    found = replace(move, candidates=tuple(ranked), chosen=chosen, verdict=judged)
    return replace(turn, move=found)


def _cube(
    turn: TurnAnalysis, state: MatchState, run: Run, settings: RolloutSettings, marks: Thresholds
) -> TurnAnalysis:
    cube = turn.cube_analysis
    if cube is None:
        return turn
    rollout = of_cube(turn.position, state, replace(settings, stop_at=0.0))
    rolled = run(rollout)
    decision, outcomes = verdict(rollout), chances_of(rolled[0].outcomes)
    by = rolled_by(rolled, settings.seed)
    found = cube_analysis(decision, outcomes, by, cube.doubled, cube.answer, state, marks)
    return replace(turn, cube_analysis=found)
