"""An analysed match as one self-contained HTML file: no server, no network.

Names, comments and everything else from the wire are escaped. The page's security policy lets it
load nothing and run only its own script, which opens and closes sections.
Boards are as the player of the turn sees them; seat 0 has the dark checkers throughout.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports import board_svg, charts_svg
from sixprime.bot.reports.charts_svg import ChartLine, lines
from sixprime.bot.reports.text import MARKS, cube_rows, identified, made_by, summary
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    Error,
    GameAnalysis,
    Mark,
    MatchAnalysis,
    MoveAnalysis,
    TurnAnalysis,
    Verdict,
    What,
    decisions,
)
from sixprime.engine.position import Dice
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Match, one_line

WORST = 12  # worst errors shown with boards, above the moves
_DATA = Path(__file__).parent / "data"
LUCK = {2: "very lucky", 1: "lucky", 0: "", -1: "unlucky", -2: "very unlucky"}  # by mark


def page(
    analysis: MatchAnalysis,
    match: Match | None = None,
    worst: int = WORST,
    recorded: MatchAnalysis | None = None,
) -> str:
    """The whole file; `match` adds what only its record knows: place, event, comment.

    `recorded` is the analysis of another program in the record, shown beside ours.
    """
    said = _said(recorded, match.annotator if match is not None else "")
    names = [_plain(name) for name in analysis.players]
    title = f"{names[0]} – {names[1]}"
    return framed(
        title,
        [
            *_head(analysis, match, title),
            *_graphs(analysis),
            *_worst(analysis, worst, said),
            *_statistics(analysis),
            *_match(analysis, said),
        ],
    )


def framed(title: str, parts: Iterable[str]) -> str:
    """A file with these parts, which are markup; the title is not."""
    style = (_DATA / "report.css").read_text(encoding="utf-8") + charts_svg.STYLE
    script = (_DATA / "report.js").read_text(encoding="utf-8")
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    )
    return printable(
        "\n".join(
            [
                "<!DOCTYPE html>",
                '<html lang="en"><head><meta charset="utf-8">',
                f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                '<link rel="icon" href="data:,">',
                f"<title>{escape(title)}</title>",
                f"<style>{style}</style></head><body>",
                _empty_board(),
                *parts,
                f"<script>{script}</script>",
                "</body></html>\n",
            ]
        )
    )


def _plain(text: str) -> str:
    """On one line, without unprintable characters."""
    return one_line(text) or "?"


def _who(analysis: MatchAnalysis, seat: int) -> str:
    return escape(_plain(analysis.players[seat]))


def _head(analysis: MatchAnalysis, match: Match | None, title: str) -> Iterator[str]:
    last = analysis.games[-1] if analysis.games else None
    score = [0, 0] if last is None else list(last.score)
    if last is not None and last.winner is not None:
        score[last.winner] += last.points
    words = [counted(analysis.length, "point") if analysis.length else "money session"]
    words.append(f"{score[0]}–{score[1]}")
    words += [analysis.date] if analysis.date else []
    if match is not None:
        words += [_plain(each) for each in (match.place, match.event, match.round) if each]
    yield f"<h1>{escape(title)}</h1>"
    yield f'<p class="about">{escape(" · ".join(words))}</p>'
    yield f'<p class="about">Analysed by Sixprime at {escape(_plain(analysis.level))}.</p>'
    if match is not None and match.comment:
        yield f"<p>{escape(match.comment)}</p>"
    yield (
        '<nav><a href="#graphs">Graphs</a><a href="#worst">Worst errors</a>'
        '<a href="#statistics">Statistics</a><a href="#match">Move by move</a></nav>'
    )


# -- graphs


def _graphs(analysis: MatchAnalysis) -> Iterator[str]:
    names = [_plain(name) for name in analysis.players]
    yield '<h2 id="graphs">Graphs</h2>'
    marks = list(game_marks(analysis))
    known = standing(analysis)
    if known is not None:
        title, unit, points, middle = known
        line = ChartLine(names[0], points)
        yield lines(
            f"{title} of {names[0]}", [line], unit=unit, marks=marks, zero=middle, ends=("", "turn")
        )
    match = analysis.length > 0
    scale, unit = (100.0, "%") if match else (1.0, "")
    what = "MWC" if match else "points"
    luck, given = luck_and_errors(analysis, scale)
    if any(len(line) > 1 for line in luck):
        drawn = [ChartLine(name, line) for name, line in zip(names, luck, strict=True)]
        yield lines(f"Luck so far ({what})", drawn, unit=unit, marks=marks, ends=("", "turn"))
    drawn = [ChartLine(name, line) for name, line in zip(names, given, strict=True)]
    yield lines(f"Errors so far ({what})", drawn, unit=unit, marks=marks, ends=("", "turn"))


def game_marks(analysis: MatchAnalysis) -> Iterator[tuple[float, str]]:
    """Where each game begins, in turns of the match."""
    place = 0
    for number, game in enumerate(analysis.games, start=1):
        yield place, f"game {number}"
        place += len(game.turns)


Points = list[tuple[float, float]]


def standing(analysis: MatchAnalysis) -> tuple[str, str, Points, float] | None:
    """Title, unit, seat 0's expectation after each turn, and the value of a level game."""
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
    """Seat 0's expectation: the chance to win the match, or the equity; None if unknown."""
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
    """Luck and the cost of errors so far, of each seat after each turn."""
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


# -- errors


def _worst(analysis: MatchAnalysis, number: int, said: Mapping[str, str]) -> Iterator[str]:
    found = analysis.errors()
    shown = found[:number]
    many = f"{len(shown)} of {len(found)}" if found else "none"
    yield f'<h2 id="worst">Worst errors <span class="soft">({many})</span></h2>'
    for place, error in enumerate(shown, start=1):
        there = _anchor(error.game, error.turn)
        words = f"game {error.game + 1}, turn {error.turn + 1}"
        link = f'<a href="#{there}">{words}</a>'
        yield error_article(analysis, place, error, link, said.get(there, ""))


def error_article(
    analysis: MatchAnalysis, place: int, error: Error, where: str, said: str = ""
) -> str:
    """An error with its board; `where`, and what another program `said`, are markup."""
    game = analysis.games[error.game]
    turn = game.turns[error.turn]
    head = (
        f"<h3>{place}. {_who(analysis, error.seat)} gives away "
        f"{_given(error.verdict, analysis.length > 0)} {_mark(error.verdict)}</h3>"
    )
    rolled = error.what is What.PLAY
    details = _plays(turn, turn.move) if rolled and turn.move is not None else ""
    if not rolled and turn.cube_analysis is not None:
        details = _cube(analysis, turn, turn.cube_analysis)
    details += said
    board = _board(analysis, game, turn, rolled=rolled)
    ids = "<br>".join(map(escape, identified(analysis, error)))
    situation = _situation(analysis, game, turn, rolled=rolled)
    words = f'{head}{situation}<p>{where}</p>{details}<p class="soft id">{ids}</p>'
    return f'<article class="decision error"><div>{board}</div><div>{words}</div></article>'


def _given(verdict: Verdict, match: bool) -> str:
    cost = f"{-100 * verdict.cost:.2f}% MWC" if match else f"{-verdict.cost:.3f} points"
    return f"{-verdict.error:.3f} ({cost})"


def _mark(verdict: Verdict) -> str:
    if verdict.mark is Mark.NONE:
        return ""
    return f'<span class="mark m{int(verdict.mark)}">{MARKS[verdict.mark]}</span>'


def _anchor(game: int, turn: int) -> str:
    return f"g{game + 1}t{turn + 1}"


def _situation(
    analysis: MatchAnalysis, game: GameAnalysis, turn: TurnAnalysis, *, rolled: bool
) -> str:
    mine, theirs = turn.position.pips()
    me, other = turn.seat, 1 - turn.seat
    length = f"{counted(analysis.length, 'point')}, " if analysis.length else "money, "
    crawford = ", Crawford" if game.crawford else ""
    does = f"to play {turn.dice[0]}-{turn.dice[1]}" if rolled and turn.dice else "to roll or double"
    return (
        f'<p class="soft">{_who(analysis, me)} {does} · {length}'
        f"{game.score[me]}–{game.score[other]}{crawford} · pips {mine}–{theirs}</p>"
    )


# -- boards


def _empty_board() -> str:
    """The parts that all boards share, written once."""
    shapes = "".join(board_svg.empty())
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
        f'<g id="empty" font-family="sans-serif" text-anchor="middle">{shapes}</g></defs></svg>'
    )


def _board(analysis: MatchAnalysis, game: GameAnalysis, turn: TurnAnalysis, *, rolled: bool) -> str:
    state = analysis.state(game, turn, rolled=rolled)
    dice: Dice | None = turn.dice if rolled else None
    colours = (board_svg.MINE, board_svg.THEIRS)
    shapes = board_svg.pieces(
        turn.position, state, dice, colours if turn.seat == 0 else colours[::-1]
    )
    label = f"The board as {_plain(analysis.players[turn.seat])} sees it"
    return (
        f'<svg class="board" role="img" viewBox="0 0 {board_svg.WIDTH} {board_svg.HEIGHT}" '
        f'font-family="sans-serif" text-anchor="middle"><title>{escape(label)}</title>'
        f'<use href="#empty"/>{"".join(shapes)}</svg>'
    )


# -- candidates


def _plays(turn: TurnAnalysis, move: MoveAnalysis) -> str:
    if not move.candidates:
        return f"<p>Played {escape(_play_words(turn, move))}.</p>"
    best = move.candidates[0].equity
    rows = []
    for place, each in enumerate(move.candidates):
        played = ' class="played"' if place == move.chosen else ""
        worse = f"{each.equity - best:+.3f}" if place else ""
        words = escape(format_play(turn.position, each.play) or "no play")
        cells = [f"{each.equity:+.3f}", worse, *_percents(each.probabilities), made_by(each.by)]
        rows.append(f"<tr{played}><td>{words}</td>{_numbers(cells)}</tr>")
    heads = ("equity", "", "wins", "gammons", "bg", "lost g.", "lost bg", "")
    return _table("plays", ("play", *heads), rows)


def _said(recorded: MatchAnalysis | None, who: str) -> dict[str, str]:
    """Another program's findings about each turn, by the turn's anchor."""
    found = {}
    for number, game in enumerate(recorded.games if recorded is not None else ()):
        assert recorded is not None
        for index, turn in enumerate(game.turns):
            move, cube = turn.move, turn.cube_analysis
            words = _cube(recorded, turn, cube) if cube is not None and matters(cube) else ""
            words += _plays(turn, move) if move is not None and move.candidates else ""
            if words:
                head = f'<p class="soft">{escape(_plain(who))} found:</p>'
                found[_anchor(number, index)] = head + words
    return found


def _percents(outcomes: Sequence[float]) -> list[str]:
    return [f"{100 * each:.1f}" for each in outcomes]


def _numbers(cells: Sequence[str]) -> str:
    return "".join(f'<td class="number">{each}</td>' for each in cells)


def _table(kind: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    first, *others = heads
    row = f"<th>{first}</th>" + "".join(f'<th class="number">{each}</th>' for each in others)
    body = "".join(rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{row}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cube(analysis: MatchAnalysis, turn: TurnAnalysis, cube: CubeAnalysis) -> str:
    rows = []
    for name, equity, mwc, was in cube_rows(cube):
        chance = "" if mwc is None else f"{100 * mwc:.2f}%"
        played = ' class="played"' if was else ""
        rows.append(f"<tr{played}><td>{name}</td>{_numbers([f'{equity:+.3f}', chance])}</tr>")
    chances = ", ".join(_percents(cube.outcomes))
    kinds = [
        each.kind.value
        for each in (cube.double_verdict, cube.answer_verdict)
        if each is not None and each.kind is not None
    ]
    said = f", {_who(analysis, 1 - turn.seat)}: {cube.answer.value}" if cube.answer else ""
    did = "doubles" if cube.doubled else "does not double"
    wrong = f" – {escape(', '.join(kinds))}" if kinds else ""
    return (
        f"<p>{_who(analysis, turn.seat)} {did}{said}{wrong}. "
        f"Proper cube action: {escape(cube.proper)}.</p>"
        + _table("plays", ("cube", "equity", "MWC" if cube.mwc else ""), rows)
        + f'<p class="soft">wins, gammons, backgammons, lost gammons, lost backgammons: '
        f"{chances} % · {made_by(cube.by)}</p>"
    )


def _statistics(analysis: MatchAnalysis) -> Iterator[str]:
    yield '<h2 id="statistics">Statistics</h2>'
    names = "".join(f"<th>{_who(analysis, seat)}</th>" for seat in (0, 1))
    yield f'<div class="scroll"><table class="statistics"><thead><tr><th></th>{names}</tr></thead>'
    yield "<tbody>"
    for row in summary(analysis):
        if row.values is None:
            yield f'<tr><th colspan="3">{escape(row.label)}</th></tr>'
        else:
            values = "".join(f"<td>{escape(value)}</td>" for value in row.values)
            yield f"<tr><td>{escape(row.label)}</td>{values}</tr>"
    yield "</tbody></table></div>"


# -- move by move


def _match(analysis: MatchAnalysis, said: Mapping[str, str]) -> Iterator[str]:
    yield '<h2 id="match">Move by move</h2>'
    yield '<p class="comfort"><button id="open">Open all</button><button id="close">Close all'
    yield "</button></p>"
    for number, game in enumerate(analysis.games):
        ending = "unfinished"
        if game.winner is not None:
            ending = f"{_who(analysis, game.winner)} wins {game.points}"
        crawford = ", Crawford" if game.crawford else ""
        opened = " open" if number == 0 else ""
        yield (
            f'<details class="game"{opened}><summary>Game {number + 1} at {game.score[0]}–'
            f"{game.score[1]}{crawford}: {ending}</summary>"
        )
        for index, turn in enumerate(game.turns):
            anchor = _anchor(number, index)
            yield _turn(analysis, game, turn, anchor, said.get(anchor, ""))
        yield "</details>"


def _turn(
    analysis: MatchAnalysis, game: GameAnalysis, turn: TurnAnalysis, anchor: str, said: str
) -> str:
    did, number = [], anchor.partition("t")[2]
    cube = turn.cube_analysis
    if cube is not None and cube.doubled:
        did.append(f"doubles, {cube.answer.value if cube.answer else 'no answer'}")
    if turn.dice is not None:
        words = _play_words(turn, turn.move) if turn.move is not None else "not played"
        did.append(f"{turn.dice[0]}{turn.dice[1]}: {escape(words)}")
    verdicts = [(seat, each) for _, seat, each in decisions(turn) if each.error < 0]
    marks = " ".join(
        f"{_mark(each)} <span class='soft'>{each.error:+.3f}</span>" for _, each in verdicts
    )
    details = _cube(analysis, turn, cube) if cube is not None and matters(cube) else ""
    details += (_plays(turn, turn.move) if turn.move is not None else "") + said
    rolled = turn.dice is not None
    board = _board(analysis, game, turn, rolled=rolled)
    situation = _situation(analysis, game, turn, rolled=rolled)
    luck = "" if turn.luck is None else f'<p class="soft">luck {turn.luck:+.3f}</p>'
    return (
        f'<details class="turn" id="{anchor}"><summary>{number}. '
        f'<span class="who">{_who(analysis, turn.seat)}</span> '
        f'<span class="did">{", ".join(did)}</span> {marks} {_luck(turn)}</summary>'
        f'<div class="decision"><div>{board}</div><div>{situation}{luck}{details}</div></div>'
        "</details>"
    )


def matters(cube: CubeAnalysis) -> bool:
    return cube.close or cube.doubled or cube.double_verdict.error < 0


def _luck(turn: TurnAnalysis) -> str:
    if not turn.luck_mark:
        return ""
    kind = "lucky" if turn.luck_mark > 0 else "unlucky"
    return f'<span class="{kind}">{LUCK[turn.luck_mark]}</span>'


def _play_words(turn: TurnAnalysis, move: MoveAnalysis) -> str:
    return format_play(turn.position, move.played) or "cannot move"
