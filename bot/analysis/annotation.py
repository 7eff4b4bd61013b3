"""An analysis in the record of its match, so that gnubg can show it from an SGF file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sixprime.bot.analysis.store import first_analysis, unpacked
from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.judging import cube_worth
from sixprime.engine.analysis.statistics import Total
from sixprime.engine.analysis.values import GameAnalysis, Mark, MatchAnalysis, TurnAnalysis
from sixprime.engine.position import MatchState
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    Cube,
    Game,
    Match,
    Statistics,
    Turn,
    settled,
)
from sixprime.protocols.formats.xg.levels import ANNOTATOR as XG

PROGRAM = "Sixprime, "  # and the level of the analysis


def with_analysis(match: Match, analysis: MatchAnalysis) -> Match:
    """Return the match with this analysis on each turn instead of any before."""
    games = zip(match.games, analysis.games, strict=True)
    return replace(
        match,
        games=tuple(_game(game, found, analysis) for game, found in games),
        annotator=match.annotator if _by_person(match) else f"{PROGRAM}{analysis.level}",
    )


def with_stored_analysis(match: Match, body: bytes) -> Match:
    """Return the match with the analysis in a row of `analyses`."""
    return with_analysis(match, unpacked(body))


def analysed_match(archive: Archive, match_id: int) -> Match:
    """Return a match with its analysis at the most common settings, if there is one."""
    match, analysis = archive.match(match_id), first_analysis(archive, match_id)
    return match if analysis is None else with_analysis(match, analysis)


def _by_person(match: Match) -> bool:
    return match.annotator not in ("", XG) and not match.annotator.startswith(PROGRAM)


def _game(game: Game, found: GameAnalysis, analysis: MatchAnalysis) -> Game:
    actions = [_bare(action) for action in settled(game)]
    for turn in found.turns:
        _put(actions, turn, analysis.state(found, turn))
    return replace(game, actions=tuple(actions), statistics=_statistics(found))


def _bare(action: Action) -> Action:
    return replace(action, analysis=None) if isinstance(action, Turn | Cube) else action


def _put(actions: list[Action], turn: TurnAnalysis, state: MatchState) -> None:
    cube, move = turn.cube_analysis, turn.move
    worth = None if cube is None else cube_worth(cube, cube.outcomes, state, cube.by)
    waited = cube is not None and not cube.doubled
    if cube is not None and cube.doubled:
        _lay(actions, turn.action, Analysis(cube=worth, mark=cube.double_verdict.mark))
        if cube.answer_verdict is not None and isinstance(actions[turn.action + 1], Cube):
            answer = Analysis(cube=worth, mark=cube.answer_verdict.mark)
            _lay(actions, turn.action + 1, answer)
    if turn.roll is not None:
        found = Analysis(
            candidates=() if move is None or move.chosen is None else move.candidates,
            chosen=None if move is None else move.chosen,
            cube=worth if waited else None,
            luck=turn.luck,
            luck_mark=turn.luck_mark,
            mark=Mark.NONE if move is None else move.verdict.mark,
            cube_mark=cube.double_verdict.mark if cube is not None and waited else Mark.NONE,
        )
        _lay(actions, turn.roll, found)


def _lay(actions: list[Action], index: int, analysis: Analysis) -> None:
    action = actions[index]
    assert isinstance(action, Turn | Cube)
    actions[index] = replace(action, analysis=analysis)


def _statistics(game: GameAnalysis) -> Statistics:
    """Return the match statistics as gnubg stores them."""
    both = game.statistics

    def pairs(name: str) -> list[float]:
        return [getattr(each, name) for each in both]

    def sizes(totals: Iterable[Total], sign: int) -> list[float]:
        return [sign * amount for total in totals for amount in (total.emg, total.cost)]

    moves = [*pairs("unforced"), *pairs("moves")]
    for mark in (Mark.VERY_BAD, Mark.BAD, Mark.DOUBTFUL, Mark.NONE):
        moves += [each.move_marks[mark] for each in both]
    kinds = [each.cube_errors for each in both]
    cube = [*pairs("cube_decisions"), *pairs("doubles"), *pairs("takes"), *pairs("passes")]
    cube += [total.count for pair in zip(*kinds, strict=True) for total in pair]
    dice: list[float] = [each.rolls[place] for place in range(5) for each in both]
    return Statistics(
        tuple(moves + sizes([each.checker for each in both], -1)),
        tuple(cube + sizes(kinds[0], -1) + sizes(kinds[1], -1)),
        tuple(dice + sizes([each.luck for each in both], 1)),
    )
