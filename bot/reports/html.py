"""An analysed match, its worst errors or a study as one self-contained HTML file.

Templates escape names, comments and everything else from the wire. The page's security policy lets
it load nothing and run only its own script, which opens and closes sections.
Boards are as the player of the turn sees them; seat 0 has the dark checkers throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from sixprime.bot.process.printable import counted
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.charts_svg import ChartLine, lines
from sixprime.bot.reports.studied import tables, temperature_map
from sixprime.bot.reports.svg import element
from sixprime.bot.reports.templating import rendered
from sixprime.bot.reports.text import (
    CUBE_ERRORS,
    ShownTable,
    cube_rows,
    kind_words,
    made_by,
    summary,
)
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    Error,
    GameAnalysis,
    MatchAnalysis,
    TurnAnalysis,
    What,
    decisions,
)
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Action, Cube, Match, Turn, one_line, settled

WORST = 12  # errors shown with boards, above the moves


class MatchError(NamedTuple):
    """An error, and the match it was made in."""

    match_id: int
    analysis: MatchAnalysis
    error: Error


def page(
    analysis: MatchAnalysis,
    match: Match | None = None,
    worst: int = WORST,
    recorded: MatchAnalysis | None = None,
) -> str:
    """Return the whole file; `match` adds facts from its record: place, event, comment.

    `recorded` is the analysis of another program in the record, which the page shows beside ours.
    """
    judge = _plain(match.annotator if match is not None else "")
    errors = analysis.errors()
    first, second = _names(analysis)
    games = []
    for number, game in enumerate(analysis.games):
        turns = range(len(game.turns))
        said = () if match is None else settled(match.games[number])
        shown = [
            ShownTurn(analysis, number, i, judge, recorded, _words(game.turns[i], said))
            for i in turns
        ]
        games.append((game, shown))
    return rendered(
        "match.html",
        title=f"{first} – {second}",
        names=(first, second),
        about=list(_about(analysis, match)),
        level=_plain(analysis.level),
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
    for match_id, analysis, error in errors:
        turn = ShownTurn(analysis, error.game, error.turn)
        day = f", {analysis.date}" if analysis.date else ""
        where = f"match {match_id}: {' – '.join(analysis.players)}{day}, {turn.name}"
        shown.append(ShownError(turn, error, where))
    table = ShownTable("", ("decision", "errors", "given away"), rows)
    board = _empty_board()
    return rendered("errors.html", title=title, kinds=table, errors=shown, empty_board=board)


def study_page(study: Study) -> str:
    """Return the study of a position as a page."""
    title = position_id(study.position)
    return rendered(
        "study.html",
        title=title,
        board=board_svg.draw(study.position, study.match, None, title),
        tables=tables(study, ("the player on roll", "the other")),
        map=None if study.rolls is None else temperature_map(study.rolls),
    )


def _plain(text: str) -> str:
    return one_line(text) or "?"


def _names(analysis: MatchAnalysis) -> tuple[str, str]:
    first, second = map(_plain, analysis.players)
    return first, second


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
        yield from (_plain(each) for each in (match.place, match.event, match.round) if each)


# -- turns and errors as the templates show them


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn of an analysed match, in words, tables and a board.

    `judge` is the program that made the analysis in the record.
    """

    analysis: MatchAnalysis
    game_index: int
    index: int
    judge: str = ""
    recorded: MatchAnalysis | None = None
    words: Sequence[str] = ()  # comments and marks of people

    @property
    def game(self) -> GameAnalysis:
        return self.analysis.games[self.game_index]

    @property
    def turn(self) -> TurnAnalysis:
        return self.game.turns[self.index]

    @property
    def other(self) -> ShownTurn | None:
        """The same turn in the analysis of the record."""
        if self.recorded is None:
            return None
        return ShownTurn(self.recorded, self.game_index, self.index, self.judge)

    @property
    def anchor(self) -> str:
        return f"g{self.game_index + 1}t{self.index + 1}"

    @property
    def name(self) -> str:
        return f"game {self.game_index + 1}, turn {self.index + 1}"

    @property
    def who(self) -> str:
        return _names(self.analysis)[self.turn.seat]

    @property
    def has_cube(self) -> bool:
        cube = self.turn.cube_analysis
        return cube is not None and matters(cube)

    @property
    def played(self) -> str:
        move = self.turn.move
        if move is None:
            return "not played"
        return format_play(self.turn.position, move.played) or "cannot move"

    @property
    def did(self) -> str:
        """The double, its answer and the play."""
        words, cube = [], self.turn.cube_analysis
        if cube is not None and cube.doubled:
            words.append(f"doubles, {cube.answer.value if cube.answer else 'no answer'}")
        if self.turn.dice is not None:
            words.append(f"{self.turn.dice[0]}{self.turn.dice[1]}: {self.played}")
        return ", ".join(words)

    def situation(self, rolled: bool) -> str:
        """Return the decision before or after the roll, the score and the pips."""
        turn, length = self.turn, self.analysis.length
        mine, theirs = turn.position.pips()
        score = self.game.score if turn.seat == 0 else self.game.score[::-1]
        terms = counted(length, "point") if length else "money"
        crawford = ", Crawford" if self.game.crawford else ""
        does = "to roll or double"
        if rolled and turn.dice is not None:
            does = f"to play {turn.dice[0]}-{turn.dice[1]}"
        standing = f"{terms}, {score[0]}–{score[1]}{crawford}"
        return f"{self.who} {does} · {standing} · pips {mine}–{theirs}"

    def board(self, rolled: bool) -> Markup:
        """Return the board before or after the roll."""
        turn = self.turn
        state = self.analysis.state(self.game, turn, rolled=rolled)
        colours = (board_svg.MINE, board_svg.THEIRS)
        shapes = board_svg.pieces(
            turn.position,
            state,
            turn.dice if rolled else None,
            colours if turn.seat == 0 else colours[::-1],
        )
        empty = element("use", href="#empty")
        label = f"The board as {self.who} sees it"
        return board_svg.framed([empty, *shapes], label, class_="board", role="img")

    @property
    def plays(self) -> ShownTable:
        """The best plays of a turn with a play."""
        move = self.turn.move
        assert move is not None
        rows = []
        for place, each in enumerate(move.candidates):
            loss = f"{each.equity - move.candidates[0].equity:+z.3f}" if place else ""
            play = format_play(self.turn.position, each.play) or "no play"
            chances = _percents(each.probabilities)
            rows.append([play, f"{each.equity:+z.3f}", loss, *chances, made_by(each.by)])
        heads = ("play", "equity", "", "wins", "gammons", "bg", "lost g.", "lost bg", "")
        return ShownTable("", heads, rows, played=move.chosen)

    @property
    def cube(self) -> ShownTable:
        """The cube actions of a turn with a cube analysis."""
        cube = self.turn.cube_analysis
        assert cube is not None
        rows, played = [], None
        for place, (name, equity, mwc, was_done) in enumerate(cube_rows(cube)):
            rows.append([name, f"{equity:+z.3f}", "" if mwc is None else f"{100 * mwc:.2f}%"])
            played = place if was_done else played
        return ShownTable("", ("cube", "equity", "MWC" if cube.mwc else ""), rows, played=played)

    @property
    def chances(self) -> str:
        cube = self.turn.cube_analysis
        assert cube is not None
        return f"{', '.join(_percents(cube.outcomes))} % · {made_by(cube.by)}"

    @property
    def doubling(self) -> str:
        """The cube actions of both players, and the kinds of their errors."""
        cube, names = self.turn.cube_analysis, _names(self.analysis)
        assert cube is not None
        answer = f", {names[1 - self.turn.seat]}: {cube.answer.value}" if cube.answer else ""
        verdicts = [each for each in (cube.double_verdict, cube.answer_verdict) if each]
        kinds = ", ".join(CUBE_ERRORS[each.kind] for each in verdicts if each.kind is not None)
        wrong = f" – {kinds}" if kinds else ""
        return f"{self.who} {'doubles' if cube.doubled else 'does not double'}{answer}{wrong}"


class ShownError(NamedTuple):
    """An error as an article with its board; `match` says where it was made in a collection."""

    turn: ShownTurn
    error: Error
    match: str = ""

    @property
    def rolled(self) -> bool:
        return self.error.what is What.PLAY

    @property
    def who(self) -> str:
        return _names(self.turn.analysis)[self.error.seat]

    @property
    def given(self) -> str:
        emg, cost = -self.error.verdict.error, -self.error.verdict.cost
        in_match = self.turn.analysis.length > 0
        return f"{emg:.3f} ({f'{100 * cost:.2f}% MWC' if in_match else f'{cost:.3f} points'})"


def matters(cube: CubeAnalysis) -> bool:
    """Return whether the decision is worth showing."""
    return cube.close or cube.doubled or cube.double_verdict.error < 0


def _percents(outcomes: Sequence[float]) -> list[str]:
    return [f"{100 * each:.1f}" for each in outcomes]


def _empty_board() -> Markup:
    """Return the shapes that all boards of a page share."""
    group = element(
        "g", *board_svg.empty(), id="empty", font_family="sans-serif", text_anchor="middle"
    )
    hidden = {"width": 0, "height": 0, "style": "position:absolute", "aria_hidden": "true"}
    return element("svg", element("defs", group), **hidden)


# -- graphs


def _graphs(analysis: MatchAnalysis) -> Iterator[Markup]:
    names = _names(analysis)
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
