"""An analysed match, its worst errors or a study as one self-contained HTML file.

Templates escape names, comments and everything else from the wire. The page's security policy lets
it load nothing and run only its own script, which opens and closes sections.
Boards are as the player of the turn sees them, or with one seat below; seat 0 has the dark checkers
throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from sixprime.bot.process.printable import counted
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.charts_svg import ChartLine, lines
from sixprime.bot.reports.studied import tables, temperature_map
from sixprime.bot.reports.svg import element
from sixprime.bot.reports.templating import rendered
from sixprime.bot.reports.text import ShownTable, kind_words, summary
from sixprime.bot.reports.turns import ShownError, ShownTurn, names_in, plain
from sixprime.engine.analysis.values import (
    Error,
    MatchAnalysis,
    TurnAnalysis,
    decisions,
)
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.record import Action, Cube, Match, Turn, settled

WORST = 12  # errors shown with boards, above the moves


class MatchError(NamedTuple):
    """An error, and the match it was made in."""

    match_id: int
    analysis: MatchAnalysis
    error: Error
    below: int | None = None  # the seat below on the board


def page(
    analysis: MatchAnalysis,
    match: Match | None = None,
    worst: int = WORST,
    recorded: MatchAnalysis | None = None,
    below: int | None = None,
) -> str:
    """Return the whole file; `match` adds facts from its record: place, event, comment.

    `recorded` is the analysis of another program in the record, which the page shows beside ours.
    `below` is the seat below on every board, instead of the player of the turn.
    """
    judge = plain(match.annotator if match is not None else "")
    errors = analysis.errors()
    first, second = names_in(analysis)
    games = []
    for number, game in enumerate(analysis.games):
        turns = range(len(game.turns))
        said = () if match is None else settled(match.games[number])
        shown = [
            ShownTurn(analysis, number, i, judge, recorded, _words(game.turns[i], said), below)
            for i in turns
        ]
        games.append((game, shown))
    return rendered(
        "match.html",
        title=f"{first} – {second}",
        names=(first, second),
        about=list(_about(analysis, match)),
        level=plain(analysis.level),
        comment="" if match is None else match.comment,
        comments=[] if match is None else [game.comment for game in match.games],
        empty_board=_empty_board(),
        graphs=list(_graphs(analysis)),
        errors=len(errors),
        worst=[ShownError(games[each.game][1][each.turn], each) for each in errors[:worst]],
        statistics=summary(analysis),
        games=games,
    )


def error_page(
    title: str, kinds: Sequence[tuple[str, int, float]], errors: Sequence[MatchError]
) -> str:
    """Return a page of errors of many matches; `kinds`: count and lost EMG by kind of error."""
    rows = [(kind_words(kind), str(count), f"{given:.3f}") for kind, count, given in kinds]
    shown = []
    for match_id, analysis, error, below in errors:
        turn = ShownTurn(analysis, error.game, error.turn, below=below)
        day = f", {analysis.date}" if analysis.date else ""
        where = f"match {match_id}: {' – '.join(analysis.players)}{day}, {turn.name}"
        shown.append(ShownError(turn, error, where))
    table = ShownTable("", ("decision", "errors", "given away"), rows)
    board = _empty_board()
    return rendered("errors.html", title=title, kinds=table, errors=shown, empty_board=board)


def study_page(study: Study, *, flipped: bool = False) -> str:
    """Return the study of a position as a page; `flipped` puts the player on roll above."""
    title = position_id(study.position)
    return rendered(
        "study.html",
        title=title,
        board=board_svg.draw(study.position, study.match, None, title, flipped=flipped),
        tables=tables(study, ("the player on roll", "the other")),
        map=None if study.rolls is None else temperature_map(study.rolls),
    )


def _words(turn: TurnAnalysis, actions: Sequence[Action]) -> list[str]:
    """Return the marks and comments of people on the actions of a turn."""
    last = turn.roll if turn.roll is not None else len(actions) - 1
    words: list[str] = []
    for action in actions[turn.action : last + 1]:
        if isinstance(action, Turn | Cube):
            marks = ", ".join(action.marks.words) if action.marks else ""
            words += [each for each in (marks and f"Marked: {marks}", action.comment) if each]
    return words


def _about(analysis: MatchAnalysis, match: Match | None) -> Iterator[str]:
    last = analysis.games[-1] if analysis.games else None
    score = [0, 0] if last is None else list(last.score)
    if last is not None and last.winner is not None:
        score[last.winner] += last.points
    yield counted(analysis.length, "point") if analysis.length else "money session"
    yield f"{score[0]}–{score[1]}"
    if analysis.date:
        yield analysis.date
    if match is not None:
        yield from (plain(each) for each in (match.place, match.event, match.round) if each)


def _empty_board() -> Markup:
    """Return the shapes that all boards of a page share."""
    group = element(
        "g", *board_svg.empty(), id="empty", font_family="sans-serif", text_anchor="middle"
    )
    hidden = {"width": 0, "height": 0, "style": "position:absolute", "aria_hidden": "true"}
    return element("svg", element("defs", group), **hidden)


# -- graphs


def _graphs(analysis: MatchAnalysis) -> Iterator[Markup]:
    names = names_in(analysis)
    marks, ends = list(game_marks(analysis)), ("", "turn")
    known = standing(analysis)
    if known is not None:
        title, unit, points, middle = known
        title, drawn = f"{title} of {names[0]}", [ChartLine(names[0], points)]
        yield lines(title, drawn, unit=unit, marks=marks, zero=middle, ends=ends)
    scale, unit, what = (100.0, "%", "MWC") if analysis.length else (1.0, "", "points")
    luck, given = luck_and_errors(analysis, scale)
    for name, curves in (("Luck", luck), ("Errors", given)):
        if name == "Errors" or any(len(line) > 1 for line in curves):
            drawn = [ChartLine(*each) for each in zip(names, curves, strict=True)]
            yield lines(f"{name} so far ({what})", drawn, unit=unit, marks=marks, ends=ends)


def game_marks(analysis: MatchAnalysis) -> Iterator[tuple[float, str]]:
    """Yield the first turn of each game with its name."""
    place = 0
    for number, game in enumerate(analysis.games, start=1):
        yield place, f"game {number}"
        place += len(game.turns)


Points = list[tuple[float, float]]


def standing(analysis: MatchAnalysis) -> tuple[str, str, Points, float] | None:
    """Return title, unit, seat 0's expectation after each turn, and that of a level game."""
    points: Points = []
    place = 0
    chances = analysis.length > 0 and _has_mwc(analysis)
    for game in analysis.games:
        before = float(game.score[0] - game.score[1])
        for turn in game.turns:
            place += 1
            value = _worth_after(turn, chances=chances)
            if value is None:
                continue
            if chances:
                points.append((place, 100.0 * value))
            elif analysis.length:
                points.append((place, value))
            else:
                points.append((place, before + value * turn.stake))
    if not points:
        return None
    if chances:
        return "Match winning chance", "%", points, 50.0
    return ("Equity", "", points, 0.0) if analysis.length else ("Points", "", points, 0.0)


def _has_mwc(analysis: MatchAnalysis) -> bool:
    return any(
        turn.move is not None and any(each.mwc is not None for each in turn.move.candidates)
        for game in analysis.games
        for turn in game.turns
    )


def _worth_after(turn: TurnAnalysis, *, chances: bool) -> float | None:
    """Return seat 0's chance to win the match, or the equity; None if unknown."""
    move, cube = turn.move, turn.cube_analysis
    value = None
    if move is not None and move.candidates:
        made = move.candidates[move.chosen or 0]
        value = made.mwc if chances else made.equity
    elif cube is not None and (worths := cube.mwc if chances else cube.equities) is not None:
        value = worths[2] if cube.doubled else worths[0]
    if value is None or turn.seat == 0:
        return value
    return 1.0 - value if chances else -value


def luck_and_errors(analysis: MatchAnalysis, scale: float) -> tuple[list[Points], list[Points]]:
    """Return luck and the cost of errors so far, of each seat after each turn."""
    luck: list[Points] = [[(0.0, 0.0)], [(0.0, 0.0)]]
    given: list[Points] = [[(0.0, 0.0)], [(0.0, 0.0)]]
    turns = [turn for game in analysis.games for turn in game.turns]
    for place, turn in enumerate(turns, start=1):
        costs = [0.0, 0.0]
        for _, seat, verdict in decisions(turn):
            costs[seat] += verdict.cost
        for seat in (0, 1):
            gained = turn.luck_cost if turn.seat == seat and turn.luck_cost is not None else 0.0
            luck[seat].append((place, luck[seat][-1][1] + scale * gained))
            given[seat].append((place, given[seat][-1][1] + scale * costs[seat]))
    known = any(turn.luck is not None for turn in turns)
    return (luck if known else [[], []]), given
