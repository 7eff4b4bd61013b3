"""A match, a game or a position as LaTeX, with boards in a `picture` (package pict2e)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sixprime.bot.process.printable import printable
from sixprime.bot.reports.board_svg import PIPS
from sixprime.bot.reports.export import picture
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses
from sixprime.bot.reports.export.scenes import (
    BELOW,
    Act,
    Scene,
    ending,
    facts,
    header,
    is_position,
    names_of,
    standing,
)
from sixprime.bot.reports.text import Row, ShownTable
from sixprime.bot.reports.turns import Line, Told
from sixprime.engine.position import BAR, POINTS, MatchState, Position
from sixprime.protocols.formats.record import Match

_HEAD = r"""\documentclass[a4paper]{article}
\usepackage[margin=18mm]{geometry}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\else
  \usepackage{fontspec}
\fi
\usepackage{pict2e}
\usepackage{xcolor}
\setlength{\parindent}{0pt}
\setlength{\unitlength}{2.4mm}
\newcommand{\dark}{\circle*{1.5}}
\newcommand{\light}{\textcolor{white}{\circle*{1.5}}\circle{1.5}}
"""
_SIGNS = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # no ligature
    "–": r"\textendash{}",
    "±": r"\textpm{}",
    "·": r"\textperiodcentered{}",
}
_SPECIAL = re.compile("[{}]".format(re.escape("".join(_SIGNS))))
_HIGH, _WIDE = 22, 28  # of a board, in checkers
_TALL = 5  # checkers drawn on a point
_SIDES = (r"\dark", r"\light")  # of seats 0 and 1


def escaped(text: str) -> str:
    """Return a text of one paragraph that LaTeX sets as it is."""
    return _SPECIAL.sub(lambda found: _SIGNS[found[0]], " ".join(printable(text).split()))


def document(match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES) -> str:
    alone = is_position(acts)
    parts = [_HEAD, *_empty_board(), r"\begin{document}", ""]
    parts += [rf"\section*{{{escaped(' – '.join(names_of(match)))}}}", ""]
    parts += [_paragraph(f"{name}: {text}") for name, text in facts(match)]
    for act in acts:
        parts += [rf"\subsection*{{Game {act.number + 1}}}", _paragraph(standing(match, act))]
        parts += _paragraphs(act.game.comment)
        for scene in act.scenes:
            parts += _scene(match, scene, None if alone else BELOW, analyses.of(scene))
        if act.game.result is not None and not alone:
            parts.append(rf"\textbf{{{escaped(ending(match, act.game.result))}}}" "\n")
        parts += _statistics("Statistics of the game", *analyses.statistics(match, [act]))
    if len(acts) > 1:
        parts += _statistics("Statistics of the match", *analyses.statistics(match, acts))
    return "\n".join([*parts, r"\end{document}", ""])


def _paragraph(text: str) -> str:
    return f"{escaped(text)}\n"


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.strip():
            yield rf"\emph{{{escaped(line)}}}" "\n"


def _scene(match: Match, scene: Scene, below: int | None, told: Iterable[Told]) -> Iterator[str]:
    yield rf"\subsubsection*{{{escaped(f'{scene.number}. {header(match, scene)}')}}}"
    yield from board(scene.position, scene.state, below)
    yield from (_paragraph(line) for line in (scene.did, *picture.words(match, scene)) if line)
    for each in told:
        if isinstance(each, ShownTable):
            yield from _table(each.heads, each.rows, each.played)
            yield from [_paragraph(each.note)] if each.note else []
        else:
            yield _line(each)
    if scene.marks:
        yield rf"\textbf{{{escaped(f'Marked: {scene.marks}')}}}" "\n"
    yield from _paragraphs(scene.comment)


def _line(line: Line) -> str:
    words = escaped(line.text)
    return rf"\textbf{{{words}}}" "\n" if line.style in ("blunder", "joker") else f"{words}\n"


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], played: int | None
) -> Iterator[str]:
    yield rf"{{\footnotesize\begin{{tabular}}{{{'l' * len(heads)}}}"
    yield _row(heads)
    for place, row in enumerate(rows):
        yield _row(row, bold=place == played)
    yield r"\end{tabular}}" "\n"


def _row(cells: Sequence[str], *, bold: bool = False) -> str:
    shown = (rf"\textbf{{{escaped(cell)}}}" if bold else escaped(cell) for cell in cells)
    return " & ".join(shown) + r" \\"


def _statistics(title: str, names: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield rf"\subsubsection*{{{title}}}"
    cells: list[tuple[str, ...]] = []
    for row in rows:  # a table does not break, so each part has its own
        if row.values is None:
            yield from _table(("", *names), cells, None) if cells else []
            yield rf"\textbf{{{escaped(row.label)}}}" "\n"
            cells = []
        else:
            cells.append((row.label, *row.values))
    yield from _table(("", *names), cells, None)


# -- boards; the unit is a checker, and the origin is below on the left


def board(position: Position, state: MatchState, below: int | None) -> Iterator[str]:
    """Yield the lines of a picture with this seat below, or the player on roll."""
    seat = state.on_roll if below is None else below
    seen = position if seat == state.on_roll else position.flipped()
    yield rf"\begin{{picture}}({_WIDE},{_HIGH})\emptyboard"
    yield r"\numbers" if seat == state.on_roll else r"\numbersabove"
    for side, counts in enumerate((seen.mine, seen.theirs)):
        who = seat if side == 0 else 1 - seat
        for place, count in enumerate(counts, 1):
            yield from _pile(side, place, count, who)
    for side, off in enumerate(seen.off()):
        yield _centred(27, 2 if side == 0 else _HIGH - 2, str(off or ""))
    yield from _dice_and_cube(state, seat)
    yield r"\end{picture}" "\n"


def _empty_board() -> Iterator[str]:
    yield r"\newcommand{\emptyboard}{%"
    yield rf"\put(0,1){{\framebox(26,{_HIGH - 2}){{}}}}\put(12,1){{\framebox(2,{_HIGH - 2}){{}}}}%"
    for point in range(1, POINTS + 1):
        x, bottom = _x(point), point <= POINTS // 2
        base, tip = (1.0, 9.0) if bottom else (_HIGH - 1.0, _HIGH - 9.0)
        yield rf"\polygon({x - 1:g},{base:g})({x:g},{tip:g})({x + 1:g},{base:g})%"
    yield "}"
    for name, first, sign in (("numbers", 0, 1), ("numbersabove", POINTS + 1, -1)):
        yield rf"\newcommand{{\{name}}}{{%"
        for point in range(1, POINTS + 1):
            y = 0.4 if point <= POINTS // 2 else _HIGH - 0.4
            yield _centred(_x(point), y, str(first + sign * point)) + "%"
        yield "}"


def _x(point: int) -> float:
    column = 12 - point if point <= 12 else point - 13
    return 1 + 2 * column + (2 if column >= 6 else 0)


def _pile(side: int, place: int, count: int, who: int) -> Iterator[str]:
    if place == BAR:
        x, from_below = 13.0, side == 1
    else:
        point = place if side == 0 else POINTS + 1 - place
        x, from_below = _x(point), point <= POINTS // 2
    for depth in range(min(count, _TALL)):
        y = 1.8 + 1.6 * depth
        yield rf"\put({x:g},{y if from_below else _HIGH - y:g}){{{_SIDES[who]}}}"
    if count > _TALL:
        y = 1.8 + 1.6 * _TALL
        yield _centred(x, y if from_below else _HIGH - y, str(count))


def _dice_and_cube(state: MatchState, seat: int) -> Iterator[str]:
    middle = _HIGH / 2
    for place, die in enumerate(state.dice or ()):
        x, y = (17 if state.on_roll == seat else 3) + 3 * place, middle - 1
        yield rf"\put({x},{y:g}){{\framebox(2,2){{}}}}"
        for across, down in PIPS[die]:
            yield rf"\put({x + 1 + 0.5 * across:g},{middle - 0.5 * down:g}){{\circle*{{0.35}}}}"
    value, y = state.cube, middle
    if state.doubled:
        value *= 2
    elif state.cube_owner is not None:
        y += -5 if state.cube_owner == seat else 5
    shown = value if value > 1 else 64
    yield rf"\put(26.2,{y - 0.9:g}){{\framebox(1.8,1.8){{\tiny {shown}}}}}"


def _centred(x: float, y: float, text: str) -> str:
    return rf"\put({x:g},{y:g}){{\makebox(0,0){{\tiny {text}}}}}"
