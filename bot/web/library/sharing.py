"""The picture of a step of a match, for people who do not have this archive."""

from __future__ import annotations

from sixprime.bot.reports.board_svg import (
    HEIGHT,
    WIDTH,
    checkers,
    dice_at,
    doubling_cube,
    empty,
)
from sixprime.bot.reports.export.paper import chart_png
from sixprime.bot.reports.svg import element, picture
from sixprime.bot.web.library.arrows import arrows
from sixprime.bot.web.library.replaying import Replayed
from sixprime.engine.position import MatchState
from sixprime.protocols.formats.record import Turn

_CAPTION = 64  # its height
_LONGEST = 75  # characters of a line


def svg(found: Replayed, number: int) -> str:
    """Return a step as a picture: the board from seat 0's side, the score, the action in words."""
    number = min(number, len(found.stages) - 1)
    action, position, state = found.stages[number].moment
    mine = position if state.on_roll == 0 else position.flipped()
    shapes = [*empty(), *checkers(mine), *doubling_cube(state.with_(on_roll=0))]
    if isinstance(action, Turn):
        shapes += dice_at(action.dice, right=action.seat == 0)
        shapes.append(arrows(action.play or (), action.seat))
    lines = (_standing(found.names, state), found.shown(number)["says"])
    text = [
        element("text", _cut(line), x=8, y=HEIGHT + 25 + 26 * i, font_size=18 - 2 * i, fill=ink)
        for i, (line, ink) in enumerate(zip(lines, ("#22252a", "#5b616b"), strict=True))
    ]
    board = element("g", *shapes, text_anchor="middle")
    return picture(
        WIDTH, HEIGHT + _CAPTION, lines[0], board, *text, width=WIDTH, height=HEIGHT + _CAPTION,
        font_family="system-ui,sans-serif",
    )  # fmt: skip


def png(found: Replayed, number: int) -> bytes:
    """Return that picture as PNG; ImportError without the extra `print`."""
    return chart_png(svg(found, number))


def _standing(names: tuple[str, str], state: MatchState) -> str:
    score = f"{names[0]} {state.score[0]} – {state.score[1]} {names[1]}"
    terms = f"match to {state.length}" if state.length else "money"
    return f"{score}, {terms}{', Crawford' if state.crawford else ''}"


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
