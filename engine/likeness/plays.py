"""The plays that people made, each beside all its rivals at 0-ply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sixprime.engine.analysis.phases import phase_of
from sixprime.engine.analysis.statistics import PlayerStatistics
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.position import MAX_CHECKERS, Dice, MatchState, Position
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import preset
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.search.plies import Candidate


class HumanPlay(NamedTuple):
    """A play with a choice, and its player."""

    player: str
    seat: int
    pr: float  # the player's
    phase: str
    position: Position
    match: MatchState
    dice: Dice
    candidates: Sequence[Candidate]  # best first
    made: int  # place among the candidates


def first_sight() -> Engine:
    """Return the engine that sees the candidates as people's models do."""
    return Engine(preset("expert"), brain=shipped_brain())


def prs_of(analyses: Iterable[MatchAnalysis]) -> dict[str, float]:
    """Return the PR of each player over all these matches; 0 where nothing counted."""
    statistics: dict[str, PlayerStatistics] = {}
    for analysis in analyses:
        for player, own in zip(analysis.players, analysis.statistics, strict=True):
            statistics[player] = statistics.get(player, PlayerStatistics()) + own
    return {player: total.pr or 0.0 for player, total in statistics.items()}


def plays_of(
    analysis: MatchAnalysis, engine: Engine, prs: Mapping[str, float]
) -> Iterator[HumanPlay]:
    """Yield the plays of a match with 15 checkers; forced or illegal plays are none."""
    for game in analysis.games:
        for turn in game.turns:
            move, dice = turn.move, turn.dice
            if move is None or dice is None or move.legal < 2 or move.chosen is None:
                continue
            if turn.position.checkers != MAX_CHECKERS:
                continue
            match = analysis.state(game, turn, rolled=True)
            candidates = engine.move(turn.position, match, dice).candidates
            result = turn.position.after(move.played)
            made = next(i for i, rival in enumerate(candidates) if rival.result == result)
            yield HumanPlay(
                analysis.players[turn.seat],
                turn.seat,
                prs[analysis.players[turn.seat]],
                phase_of(turn.position, turn.action),
                turn.position,
                match,
                dice,
                candidates,
                made,
            )
