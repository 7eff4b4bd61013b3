"""An analysis put back into the record of its match, so that an SGF carries it to gnubg."""

from __future__ import annotations

from dataclasses import replace

from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.statistics import PlayerStatistics, Total
from sixprime.engine.analysis.values import (
    CandidatePlay,
    CubeAnalysis,
    GameAnalysis,
    MatchAnalysis,
    MoveAnalysis,
    TurnAnalysis,
)
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import cubeful_equity
from sixprime.engine.search.plies import Evaluation
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    Candidate,
    Cube,
    CubeStep,
    CubeWorth,
    Game,
    Mark,
    Match,
    Settings,
    Seven,
    Statistics,
    Turn,
    settled,
)


def with_analysis(match: Match, analysis: MatchAnalysis, settings: AnalysisSettings) -> Match:
    """The match with what was found on each turn, in place of what its record said before."""
    games = zip(match.games, analysis.games, strict=True)
    return replace(
        match,
        games=tuple(_game(game, found, analysis, settings) for game, found in games),
        annotator=f"Sixprime, {settings.level}",
    )


def _game(
    game: Game, found: GameAnalysis, analysis: MatchAnalysis, settings: AnalysisSettings
) -> Game:
    actions = [_bare(action) for action in settled(game)]
    for turn in found.turns:
        worth = None
        if turn.cube_analysis is not None:
            worth = _cube_worth(turn, analysis.state(found, turn), settings.cube)
        _put(actions, turn, worth, settings)
    return replace(game, actions=tuple(actions), statistics=_statistics(found))


def _bare(action: Action) -> Action:
    return replace(action, analysis=None) if isinstance(action, Turn | Cube) else action


def _put(
    actions: list[Action], turn: TurnAnalysis, worth: CubeWorth | None, settings: AnalysisSettings
) -> None:
    cube = turn.cube_analysis
    if cube is not None and cube.doubled:
        _put_cube(actions, turn.action, cube, worth)
    if turn.roll is None:
        return
    action = actions[turn.roll]
    assert isinstance(action, Turn)
    waited = cube is not None and not cube.doubled
    found = Analysis(
        candidates=_candidates(turn.move, settings.checker),
        chosen=None if turn.move is None else turn.move.chosen,
        cube=worth if waited else None,
        luck=turn.luck,
        luck_mark=turn.luck_mark,
        mark=Mark.NONE if turn.move is None else Mark(turn.move.verdict.mark),
        cube_mark=Mark(cube.double_verdict.mark) if cube is not None and waited else Mark.NONE,
    )
    actions[turn.roll] = replace(action, analysis=found)


def _put_cube(
    actions: list[Action], index: int, cube: CubeAnalysis, worth: CubeWorth | None
) -> None:
    double = actions[index]
    assert isinstance(double, Cube)
    mark = Mark(cube.double_verdict.mark)
    actions[index] = replace(double, analysis=Analysis(cube=worth, mark=mark))
    if cube.answer_verdict is None:
        return
    answer = actions[index + 1]
    if isinstance(answer, Cube) and answer.step in (CubeStep.TAKE, CubeStep.DROP):
        mark = Mark(cube.answer_verdict.mark)
        actions[index + 1] = replace(answer, analysis=Analysis(cube=worth, mark=mark))


def _candidates(move: MoveAnalysis | None, look: Evaluation) -> tuple[Candidate, ...]:
    if move is None or move.chosen is None:
        return ()
    return tuple(_candidate(each, look) for each in move.candidates)


def _candidate(each: CandidatePlay, look: Evaluation) -> Candidate:
    return Candidate(each.play, each.outcomes, each.equity, _settings(look, each.plies))


def _settings(look: Evaluation, plies: int) -> Settings:
    return Settings(plies, look.cubeful, look.deterministic, look.noise, look.prune)


def _cube_worth(turn: TurnAnalysis, state: MatchState, look: Evaluation) -> CubeWorth:
    cube = turn.cube_analysis
    assert cube is not None
    doubled = state.with_(cube=2 * turn.cube, cube_owner=1 - turn.seat)
    first, second = cube.mwc[:2] if cube.mwc else (cube.no_double, cube.double_take)

    def seven(cubeless: float, cubeful: float) -> Seven:
        return (*cube.outcomes, cubeless, cubeful)

    return CubeWorth(
        seven(cubeful_equity(cube.outcomes, state, 0.0).equity, first),
        seven(cubeful_equity(cube.outcomes, doubled, 0.0).equity, second),
        _settings(look, cube.plies),
    )


def _statistics(game: GameAnalysis) -> Statistics:
    """Sums as gnubg keeps them: see formats-and-interop.md part 3.5."""
    both = game.statistics

    def pairs(name: str) -> list[float]:
        return [getattr(each, name) for each in both]

    def sizes(totals: list[Total], sign: int) -> list[float]:
        return [sign * amount for total in totals for amount in (total.emg, total.cost)]

    moves = [*pairs("unforced"), *pairs("moves")]
    for mark in (Mark.VERY_BAD, Mark.BAD, Mark.DOUBTFUL, Mark.NONE):
        moves += [each.move_marks[mark] for each in both]
    kinds = [_kinds(each) for each in both]
    cube = [*pairs("cube_decisions"), *pairs("doubles"), *pairs("takes"), *pairs("passes")]
    cube += [total.count for pair in zip(*kinds, strict=True) for total in pair]
    dice: list[float] = [each.rolls[place] for place in range(5) for each in both]
    return Statistics(
        tuple(moves + sizes([each.checker for each in both], -1)),
        tuple(cube + sizes(kinds[0], -1) + sizes(kinds[1], -1)),
        tuple(dice + sizes([each.luck for each in both], 1)),
    )


def _kinds(player: PlayerStatistics) -> list[Total]:
    return [
        player.missed_below_cp,
        player.missed_above_cp,
        player.wrong_below_dp,
        player.wrong_above_tg,
        player.wrong_take,
        player.wrong_pass,
    ]
