"""The analysis of a match from its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.judging import result_of, statistics_of
from sixprime.engine.analysis.portion import ALL, Only
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import Answered, GameAnalysis, MatchAnalysis, TurnAnalysis
from sixprime.engine.position import MatchState
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, SetBoard, Turn, settled
from sixprime.protocols.formats.replay import Moment, moments

Progress = Callable[[int, int], None]  # turns done, turns in total


def examined(
    match: Match, examiner: Examiner, progress: Progress | None = None, only: Only = ALL
) -> MatchAnalysis:
    """Judge decisions and rolls of a match; BadRecord if it breaks the rules, InputError."""
    players = match.players[0].name, match.players[1].name
    only.check(players)
    games = [list(turns_of(match, game)) for game in match.games]
    if only != ALL:
        for place, turns in enumerate(games):
            for index, turn in enumerate(turns):
                where = place, index, turn.seat
                parts = only.parts_of(players, *where, doubled=turn.doubled)
                turns[index] = replace(turn, parts=parts)
    total, done = sum(map(len, games)), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    found = [examiner.turns(happened, step) for happened in games]
    return whole(match, found, examiner.key, examiner.settings)


# -- from the record to turns


def turns_of(match: Match, game: Game) -> Iterator[Happened]:
    game = replace(game, actions=settled(game))
    seen = list(moments(match, game))
    opening = True
    turned: list[tuple[int, Moment]] = []  # a double and its answers, before the roll
    for index, moment in enumerate(seen):
        action = moment.action
        if isinstance(action, SetBoard):
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


def whole(
    match: Match, turns: Sequence[Sequence[TurnAnalysis]], key: str, settings: AnalysisSettings
) -> MatchAnalysis:
    """Return the analysis of a match from the analyses of its turns."""
    games = []
    for game, found in zip(match.games, turns, strict=True):
        winner = None if game.result is None else game.result.winner
        points = 0 if game.result is None else game.result.points
        state = MatchState(
            length=match.length, score=game.score, crawford=game.crawford, met=settings.met
        )
        both = statistics_of(found, result_of(winner, points, state))
        games.append(GameAnalysis(game.score, game.crawford, tuple(found), winner, points, both))
    return MatchAnalysis(
        players=(match.players[0].name, match.players[1].name),
        length=match.length,
        jacoby=match.rules.jacoby,
        beavers=match.rules.beavers,
        games=tuple(games),
        settings=key,
        level=settings.level,
        date=match.day.isoformat() if match.day else "",
    )
