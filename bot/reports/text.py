"""An analysis for a terminal: a table of statistics, then the worst errors with their boards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.board_text import draw, situation
from sixprime.bot.reports.columns import aligned
from sixprime.engine.analysis.portion import ALL, Facet, Only
from sixprime.engine.analysis.statistics import NO_RATING, Figures, PlayerStatistics, Total
from sixprime.engine.analysis.values import (
    Answered,
    CubeAnalysis,
    CubeError,
    Error,
    EvalContext,
    Mark,
    MatchAnalysis,
    MoveAnalysis,
    RankedPlay,
    RolloutResult,
    TurnAnalysis,
    What,
)
from sixprime.engine.position import CUBE_ACTIONS, MatchState, Position
from sixprime.protocols.formats.ids import BadId, match_id, position_id, xgid
from sixprime.protocols.formats.notation import format_play

SHOWN_PLAYS = 5

MARKS = {Mark.NONE: "", Mark.DOUBTFUL: "doubtful", Mark.BAD: "bad", Mark.VERY_BAD: "very bad"}

CUBE_ERRORS = {  # the meanings of gnubg's abbreviations
    CubeError.MISSED_BELOW_CP: "missed a double",
    CubeError.MISSED_ABOVE_CP: "missed a double that wins at once",
    CubeError.WRONG_BELOW_DP: "doubled too early",
    CubeError.WRONG_ABOVE_TG: "doubled when too good",
    CubeError.WRONG_TAKE: "wrong take",
    CubeError.WRONG_PASS: "wrong pass",
}
_BY_VALUE = {kind.value: words for kind, words in CUBE_ERRORS.items()}


def kind_words(kind: str) -> str:
    """Return the words for a kind of error, which JSON names as gnubg does."""
    return _BY_VALUE.get(kind, kind)


class Row(NamedTuple):
    """A row of the statistics; a heading has no values."""

    label: str
    values: tuple[str, ...] | None = None  # of both players, or of one


class ShownTable(NamedTuple):
    """A table of words; the first column names the rows."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    played: int | None = None  # the row of the action that was taken
    name: str = ""  # "move" or "cube", of gnubg's CSS classes
    styles: Sequence[str] = ()  # the class of each column


# -- statistics


def summary(analysis: MatchAnalysis) -> list[Row]:
    """Return the statistics in gnubg's order and with gnubg's number of digits."""
    both = analysis.statistics
    match = analysis.length > 0
    unit = "MWC" if match else "points"

    def row(label: str, *values: str) -> Row:
        return Row(label, (values[0], values[1]))

    def counts(label: str, name: str) -> Row:
        return row(label, *(str(getattr(each, name)) for each in both))

    def picked(label: str, name: str, index: int) -> Row:
        return row(label, *(str(getattr(each, name)[index]) for each in both))

    def amounts(label: str, name: str) -> Row:
        totals = (getattr(each, name) for each in both)
        return row(f"{label} EMG ({unit})", *(_amount(total, match) for total in totals))

    def rates(label: str, name: str) -> Row:
        found = (getattr(each, name) for each in both)
        return row(f"{label} mEMG ({unit})", *(_rate(rate, match) for rate in found))

    def errors(label: str, name: str) -> Row:
        return row(label, *(_error(getattr(each, name), match) for each in both))

    return [
        Row("Checker play"),
        counts("Moves", "moves"),
        counts("Unforced moves", "unforced"),
        picked("Unmarked", "move_marks", Mark.NONE),
        picked("Doubtful", "move_marks", Mark.DOUBTFUL),
        picked("Bad", "move_marks", Mark.BAD),
        picked("Very bad", "move_marks", Mark.VERY_BAD),
        amounts("Error total", "checker"),
        rates("Error rate", "checker_rate"),
        counts("Checker rating", "checker_rating"),
        Row("Luck"),
        picked("Very lucky rolls", "rolls", 4),
        picked("Lucky rolls", "rolls", 3),
        picked("Unmarked rolls", "rolls", 2),
        picked("Unlucky rolls", "rolls", 1),
        picked("Very unlucky rolls", "rolls", 0),
        amounts("Luck total", "luck"),
        rates("Luck rate", "luck_rate"),
        counts("Luck rating", "luck_rating"),
        Row("Cube"),
        counts("Cube decisions", "cube_decisions"),
        counts("Close or actual ones", "close"),
        counts("Doubles", "doubles"),
        counts("Takes", "takes"),
        counts("Passes", "passes"),
        errors("Missed doubles (below CP)", "missed_below_cp"),
        errors("Missed winning doubles (above CP)", "missed_above_cp"),
        errors("Doubled too early (below DP)", "wrong_below_dp"),
        errors("Doubled when too good (above TG)", "wrong_above_tg"),
        errors("Wrong takes", "wrong_take"),
        errors("Wrong passes", "wrong_pass"),
        amounts("Error total", "cube"),
        rates("Error rate", "cube_rate"),
        counts("Cube rating", "cube_rating"),
        Row("Overall"),
        amounts("Error total", "errors"),
        rates("Error rate", "error_rate"),
        row("PR, as XG counts it", *(_pr(each) for each in both)),
        row("Snowie error rate", *(_snowie(analysis.figures(seat)) for seat in (0, 1))),
        counts("Rating", "rating"),
        row("Actual result", *(result_words(each.result, match) for each in both)),
        row("Luck-adjusted result", *(_adjusted(analysis, seat) for seat in (0, 1))),
        *(_of_match(analysis) if match else _of_session(analysis)),
    ]


def _of_match(analysis: MatchAnalysis) -> Iterator[Row]:
    first, second = analysis.figures(0), analysis.figures(1)

    def row(label: str, name: str, digits: int) -> Row:
        values = (getattr(each, name) for each in (first, second))
        one, two = (NO_RATING if value is None else f"{value:.{digits}f}" for value in values)
        return Row(label, (one, two))

    mwc = (f"{100 * (each.mwc_against_opponent or 0.0):.2f}%" for each in (first, second))
    yield Row("MWC against this opponent, by errors", (next(mwc), next(mwc)))
    yield row("FIBS rating difference by luck", "rating_by_luck", 2)
    yield row("Absolute FIBS rating by errors", "absolute_rating", 1)
    yield row("Rating lost by checker errors", "checker_loss", 1)
    yield row("Rating lost by cube errors", "cube_loss", 1)


def _of_session(analysis: MatchAnalysis) -> Iterator[Row]:
    first, second = analysis.session(0), analysis.session(1)
    if first is None or second is None or first.games < 2:
        return
    for label, adjusted in (("", ""), (", luck-adjusted", "adjusted_")):
        means = [getattr(each, f"{adjusted}mean") for each in (first, second)]
        halves = [getattr(each, f"{adjusted}half_width") for each in (first, second)]
        intervals = [_interval(*each) for each in zip(means, halves, strict=True)]
        yield Row(f"Points per game{label}", (f"{means[0]:+z.3f}", f"{means[1]:+z.3f}"))
        yield Row(f"95 % interval{label}", (intervals[0], intervals[1]))


def _interval(mean: float, half: float | None) -> str:
    return NO_RATING if half is None else f"[{mean - half:.3f}, {mean + half:.3f}]"


def _cost(cost: float, match: bool) -> str:
    return f"{100 * cost:+z.3f}%" if match else f"{cost:+z.3f}"


def _amount(total: Total, match: bool) -> str:
    return f"{total.emg:+z.3f} ({_cost(total.cost, match)})"


def _rate(rate: tuple[float, float] | None, match: bool) -> str:
    emg, cost = rate or (0.0, 0.0)
    return f"{1000 * emg:+z.1f} ({_cost(cost, match)})"


def _error(total: Total, match: bool) -> str:
    return f"{total.count} ({_amount(total, match)})" if total.count else "0"


def _snowie(figures: Figures) -> str:
    return f"{1000 * (figures.snowie or 0.0):+z.1f}"


def _pr(player: PlayerStatistics) -> str:
    return NO_RATING if player.pr is None else f"{player.pr:.2f}"


def result_words(result: float, match: bool) -> str:
    """Format MWC of a match, or points of money play."""
    return f"{100 * result:+z.2f}%" if match else f"{result:+z.3f}"


def _adjusted(analysis: MatchAnalysis, seat: int) -> str:
    return result_words(analysis.figures(seat).luck_adjusted, analysis.length > 0)


def table(analysis: MatchAnalysis, only: Only = ALL) -> str:
    """Return the statistics as aligned text, without the rows that a part cannot tell."""
    names = _name(analysis, 0), _name(analysis, 1)
    rows = summary(analysis)
    if only == ALL:
        return "\n".join(statistics_lines(_title(analysis), names, rows))
    title = f"{_title(analysis)}: {only.in_words()}"
    shown = [seat for seat in (0, 1) if only.player in (None, analysis.players[seat])]
    cut = [Row(row.label, row.values and _of(row.values, shown)) for row in _told(rows, only)]
    return "\n".join(statistics_lines(title, _of(names, shown), cut))


_SECTIONS = {"Checker play": Facet.PLAYS, "Luck": Facet.LUCK, "Cube": Facet.CUBE}
_OF_A_PART = ("Error total", "Error rate", "PR", "Rating")  # rows of the last section


def _told(rows: Sequence[Row], only: Only) -> Iterator[Row]:
    """Yield the rows that an analysis of a part can tell."""
    section = ""
    for row in rows:
        section = row.label if row.values is None else section
        whole = section in _SECTIONS or row.values is None or row.label.startswith(_OF_A_PART)
        if whole and _SECTIONS.get(section, Facet.PLAYS | Facet.CUBE) in only.parts:
            yield row


def _of(values: Sequence[str], seats: Sequence[int]) -> tuple[str, ...]:
    return tuple(values[seat] for seat in seats)


def statistics_lines(title: str, names: Sequence[str], rows: Iterable[Row]) -> list[str]:
    """Return statistics as aligned lines."""
    lines = [(title, *names)]
    for row in rows:
        if row.values is None:
            blank = [""] * len(names)
            lines += [("", *blank), (row.label, *blank)]
        else:
            lines.append((f"  {row.label}", *row.values))
    return list(aligned(lines))


def _name(analysis: MatchAnalysis, seat: int) -> str:
    return " ".join(printable(analysis.players[seat]).split())


def _title(analysis: MatchAnalysis) -> str:
    return counted(analysis.length, "point") if analysis.length else "money session"


# -- errors


def errors(analysis: MatchAnalysis, number: int, only: Only = ALL) -> str:
    """Return the worst errors, each with its board and the better action."""
    found = only.errors_of(analysis)
    if not found:
        return "No errors."
    head = f"Worst errors ({min(number, len(found))} of {len(found)})"
    return listed(head, analysis, found[:number])


def listed(head: str, analysis: MatchAnalysis, found: Sequence[Error]) -> str:
    parts = [one_error(analysis, place, error) for place, error in enumerate(found, 1)]
    return "\n\n".join([head, *parts])


def one_error(analysis: MatchAnalysis, place: int, error: Error, match: str = "") -> str:
    """Return an error with its board; `match` names its match."""
    turn = analysis.turn_of(error)
    cost = _cost(error.verdict.cost, analysis.length > 0)
    mark = MARKS[error.verdict.mark]
    lost = f"gives away {-error.verdict.error:.3f} ({cost})" if error.verdict.error else "is right"
    head = (
        f"{place}. {match}game {error.game + 1}, turn {error.turn + 1}: "
        f"{_name(analysis, error.seat)} {lost}{', ' if mark else ''}{mark}"
    )
    board = draw(turn.position, beside=_beside(analysis, error))
    shown = (f"   {each}" for each in identified(analysis, error))
    return "\n".join([head, "", board, *shown, *details(error, turn)])


def identified(analysis: MatchAnalysis, error: Error) -> list[str]:
    """Return the IDs of a decision that other programs read."""
    position = analysis.turn_of(error).position
    match, xg = held_ids(position, analysis.state_at(error))
    return [*([f"{position_id(position)}:{match}"] if match else []), *([xg] if xg else [])]


def held_ids(position: Position, state: MatchState) -> tuple[str, str]:
    """Return the Match ID and the XGID; either is empty where it has no room for the score."""
    match = xg = ""
    with suppress(BadId):
        match = match_id(state)
    with suppress(BadId):
        xg = xgid(position, state)
    return match, xg


def made_by(by: EvalContext | RolloutResult) -> str:
    if isinstance(by, EvalContext):
        return f"{by.plies}-ply"
    return f"{counted(by.trials, 'trial')}, ±{max(row[-2] for row in by.errors):.3f}"


def _beside(analysis: MatchAnalysis, error: Error) -> list[str]:
    turn, state = analysis.turn_of(error), analysis.state_at(error)
    return [
        f"X {_name(analysis, turn.seat)}, O {_name(analysis, 1 - turn.seat)}",
        *situation(turn.position, state),
        f"X to play {state.dice[0]}-{state.dice[1]}" if state.dice else "X to roll",
    ]


def question_of(analysis: MatchAnalysis, error: Error) -> str:
    """Return the board before the decision, without the answer."""
    beside = _beside(analysis, error)
    if error.what is What.ANSWER:
        beside[-1] = "X doubles"
    elif error.what is What.DOUBLE:
        beside[-1] = "X to roll or double"
    return draw(analysis.turn_of(error).position, beside=beside)


def cube_rows(cube: CubeAnalysis) -> Iterator[tuple[str, float, float | None, bool]]:
    """Yield each action with its equity, its MWC in a match, and whether it was taken."""
    passed, taken = cube.answer is Answered.PASS, cube.answer in (Answered.TAKE, Answered.BEAVER)
    done = (not cube.doubled, cube.doubled and taken, cube.doubled and passed)
    return zip(CUBE_ACTIONS, cube.equities, cube.mwc or (None, None, None), done, strict=True)


def details(error: Error, turn: TurnAnalysis) -> list[str]:
    if error.what is What.PLAY:
        assert turn.move is not None
        return _plays(turn, turn.move)
    assert turn.cube_analysis is not None
    return _cube(error, turn.cube_analysis)


def _plays(turn: TurnAnalysis, move: MoveAnalysis) -> list[str]:
    best = move.candidates[0].equity
    shown = [
        (place, each)
        for place, each in enumerate(move.candidates)
        if place < SHOWN_PLAYS or place == move.chosen
    ]
    return [_play(turn, place, each, best, place == move.chosen) for place, each in shown]


def _play(turn: TurnAnalysis, place: int, each: RankedPlay, best: float, played: bool) -> str:
    words = format_play(turn.position, each.play) or "no play"
    worse = f"{each.equity - best:+z.3f}" if place else ""
    sign = "*" if played else " "
    return f" {sign} {words:<28} {each.equity:+z.3f} {worse:>7}  {made_by(each.by)}".rstrip()


def _cube(error: Error, cube: CubeAnalysis) -> list[str]:
    kind = "" if error.verdict.kind is None else f"{CUBE_ERRORS[error.verdict.kind]}: "
    did = "doubled" if cube.doubled else "did not double"
    said = f", {cube.answer.value}" if cube.answer else ""
    return [
        f"   {kind}X {did}{said}; right is: {cube.proper}",
        "   no double {:+z.3f}, double/take {:+z.3f}, double/pass {:+z.3f}".format(*cube.equities)
        + f"  {made_by(cube.by)}",
    ]


def games(analysis: MatchAnalysis, only: Only = ALL) -> str:
    parts = []
    for number, game in enumerate(analysis.games, start=1):
        if only.game in (None, number):
            crawford = ", Crawford" if game.crawford else ""
            head = f"Game {number} at {game.score[0]}-{game.score[1]}{crawford}"
            parts.append(f"{head}\n\n{table(replace(analysis, games=(game,)), only)}")
    return "\n\n".join(parts)


def report(analysis: MatchAnalysis, worst: int, only: Only = ALL, *, by_game: bool = False) -> str:
    """Return the statistics, of the match or game by game, then the worst errors."""
    shown = games(analysis, only) if by_game else table(analysis, only)
    judged = worst and only.parts & (Facet.PLAYS | Facet.CUBE)
    return printable(shown + ("\n\n" + errors(analysis, worst, only) if judged else ""))
