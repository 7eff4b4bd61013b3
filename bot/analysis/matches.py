"""A match record -> its analysis: by our engine, or from the equities that the record carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.judging import (
    cost_of,
    cube_verdicts,
    play_verdict,
    result_of,
    statistics_of,
)
from sixprime.engine.analysis.settings import AnalysisSettings, Thresholds
from sixprime.engine.analysis.values import (
    Answered,
    CandidatePlay,
    CubeAnalysis,
    GameAnalysis,
    MatchAnalysis,
    MoveAnalysis,
    TurnAnalysis,
)
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import CubeDecision, judged
from sixprime.protocols.formats.record import (
    Analysis,
    Cube,
    CubeStep,
    CubeWorth,
    Game,
    Match,
    Rollout,
    Setup,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import Moment, moments

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain

Progress = Callable[[int, int], None]  # turns done, turns in all


def analyse_match(
    match: Match,
    settings: AnalysisSettings,
    brain: Brain | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> MatchAnalysis:
    """The match with every decision and roll judged; `brain` instead of the nets that ship.

    BadRecord if the record cannot have happened.
    """
    from sixprime.engine.nets.weights import load_brain

    examiner = Examiner(load_brain() if brain is None else brain, settings, threads)
    return examined(match, examiner, progress)


def examined(match: Match, examiner: Examiner, progress: Progress | None = None) -> MatchAnalysis:
    """The same, with an examiner that may have seen other matches."""
    games = [list(turns_of(match, game)) for game in match.games]
    total, done = sum(map(len, games)), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    found = [examiner.turns(happened, step) for happened in games]
    return _whole(match, found, examiner.key, examiner.settings.level)


# -- from the record to turns


def turns_of(match: Match, game: Game) -> Iterator[Happened]:
    """The turns of a game as they happened."""
    game = replace(game, actions=settled(game))
    seen = list(moments(match, game))
    opening = True
    turned: list[tuple[int, Moment]] = []  # a double and what followed it, before the roll
    for index, moment in enumerate(seen):
        action = moment.action
        if isinstance(action, Setup):
            opening = False
        elif isinstance(action, Cube):
            turned.append((index, moment))
            if action.step is CubeStep.DROP:
                yield _happened(match, turned, None, opening=False)
                turned = []
        elif isinstance(action, Turn):
            yield _happened(match, turned, (index, moment), opening=opening)
            opening, turned = False, []
    if turned:
        yield _happened(match, turned, None, opening=False)


def _happened(
    match: Match,
    turned: Sequence[tuple[int, Moment]],
    rolled: tuple[int, Moment] | None,
    *,
    opening: bool,
) -> Happened:
    first, before = turned[0] if turned else rolled or (0, None)
    assert before is not None
    state = before.state
    if state.dice is not None:
        state = state.with_(dice=None)
    if not match.rules.cube:
        state = state.with_(max_cube=state.cube)
    roll = rolled[1].action if rolled is not None else None
    assert roll is None or isinstance(roll, Turn)
    return Happened(
        seat=state.on_roll,
        position=before.position,
        state=state,
        action=first,
        roll=rolled[0] if rolled is not None else None,
        opening=opening,
        doubled=bool(turned),
        answer=_answer(turned),
        stake=state.cube if rolled is None else rolled[1].state.cube,
        dice=None if roll is None else roll.dice,
        play=None if roll is None else roll.play,
    )


def _answer(turned: Sequence[tuple[int, Moment]]) -> Answered | None:
    steps = [moment.action.step for _, moment in turned if isinstance(moment.action, Cube)]
    if len(steps) < 2:
        return None
    words = {
        CubeStep.TAKE: Answered.TAKE,
        CubeStep.DROP: Answered.PASS,
        CubeStep.BEAVER: Answered.BEAVER,
    }
    return words.get(steps[1])


def _whole(
    match: Match, turns: Sequence[Sequence[TurnAnalysis]], key: str, level: str
) -> MatchAnalysis:
    games = []
    for game, found in zip(match.games, turns, strict=True):
        winner = None if game.result is None else game.result.winner
        points = 0 if game.result is None else game.result.points
        state = MatchState(length=match.length, score=game.score, crawford=game.crawford)
        both = statistics_of(found, result_of(winner, points, state))
        games.append(GameAnalysis(game.score, game.crawford, tuple(found), winner, points, both))
    day = match.date or (match.started.date() if match.started else None)
    return MatchAnalysis(
        players=(match.players[0].name, match.players[1].name),
        length=match.length,
        jacoby=match.rules.jacoby,
        beavers=match.rules.beavers,
        games=tuple(games),
        settings=key,
        level=level,
        date=day.isoformat() if day else "",
    )


# -- from what another program found


def analysis_in_record(match: Match, thresholds: Thresholds | None = None) -> MatchAnalysis:
    """What the record says of its own decisions (an analysed SGF), judged as ours are."""
    thresholds = thresholds or Thresholds()
    turns = []
    for game in match.games:
        actions = settled(game)
        turns.append([_told(happened, actions, thresholds) for happened in turns_of(match, game)])
    return _whole(match, turns, "as recorded", "as recorded")


def _told(happened: Happened, actions: Sequence[object], thresholds: Thresholds) -> TurnAnalysis:
    roll = None if happened.roll is None else _analysis(actions[happened.roll])
    before = _analysis(actions[happened.action])
    luck = None if roll is None else roll.luck
    cube = None if before is None else before.cube
    return happened.analysed(
        thresholds,
        None if cube is None else _told_cube(happened, cube, thresholds),
        None if luck is None else (luck, cost_of(luck, happened.rolled)),
        _told_move(happened, roll, thresholds),
    )


def _analysis(action: object) -> Analysis | None:
    return action.analysis if isinstance(action, Turn | Cube) else None


def _told_cube(happened: Happened, cube: CubeWorth, thresholds: Thresholds) -> CubeAnalysis:
    decision = _decision(happened, cube)
    equities = decision.no_double, decision.double_take, decision.double_pass
    double, answer, close = cube_verdicts(
        equities, happened.doubled, happened.answer, happened.state, thresholds
    )
    win, gammon, backgammon, lost, lost_backgammon = cube.no_double[:5]
    return CubeAnalysis(
        *equities,
        mwc=decision.mwc,
        outcomes=(win, gammon, backgammon, lost, lost_backgammon),
        plies=0 if isinstance(cube.by, Rollout) else cube.by.plies,
        proper=decision.action,
        close=close,
        doubled=happened.doubled,
        answer=happened.answer,
        double_verdict=double,
        answer_verdict=answer,
    )


def _decision(happened: Happened, cube: CubeWorth) -> CubeDecision:
    state = happened.state
    scale = 1 if state.length else state.cube  # a worth for money is in points
    return judged(scale * cube.no_double[6], scale * cube.double_take[6], state)


def _told_move(
    happened: Happened, analysis: Analysis | None, thresholds: Thresholds
) -> MoveAnalysis | None:
    if happened.play is None:
        return None
    told = () if analysis is None else analysis.candidates
    chosen = None if analysis is None or not told else analysis.chosen
    candidates = tuple(
        CandidatePlay(
            each.play,
            each.equity,
            None,
            each.probabilities,  # type: ignore[arg-type]
            0 if isinstance(each.by, Rollout) else each.by.plies,
        )
        for each in told
    )
    best = candidates[0].equity if candidates else 0.0
    played = best if chosen is None else candidates[chosen].equity
    verdict = play_verdict(best, played, happened.rolled, thresholds)
    return MoveAnalysis(happened.play, candidates, chosen, max(len(told), 1), verdict)
