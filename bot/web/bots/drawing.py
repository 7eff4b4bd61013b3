"""The pictures of a bot's card: a board small enough to send at each move, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from sixprime.bot.reports.board_svg import (
    CELL,
    EDGE,
    HEIGHT,
    WIDTH,
    cell,
    dice_at,
    empty,
    framed,
    pieces,
)
from sixprime.bot.reports.svg import element, picture
from sixprime.bot.web.frame.boardview import facing, spoken
from sixprime.bot.web.frame.texts import current
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.wire.board import FibsBoard

DRAWINGS = 256  # boards kept, since most are the same a moment later
WIDE, TALL, RIM = 320, 72, 5  # of a curve
EMPTY = element(
    "svg",
    element("symbol", *empty(both_numbers=True), id="empty-board", viewBox=f"0 0 {WIDTH} {HEIGHT}"),
    class_="once", aria_hidden="true", width=0, height=0,
)  # fmt: skip
"""The empty board, which a page holds once for all its boards."""


def board(shown: FibsBoard, rolled: tuple[int, Dice] | None, marked: tuple[int, ...]) -> Markup:
    """Return a bot's board from its own side, with the dice still to play."""
    return _board(shown, rolled, marked, current().code)


@lru_cache(maxsize=DRAWINGS)
def _board(
    shown: FibsBoard, rolled: tuple[int, Dice] | None, marked: tuple[int, ...], _language: str
) -> Markup:
    view, state = shown.view(), shown.match_state()
    dice = rolled if state.dice is None else (state.on_roll, state.dice)
    shapes = [*pieces(view, state.with_(on_roll=0)), *(_mark(place) for place in marked)]
    if dice is not None:
        shapes += dice_at(dice[1], right=dice[0] == 0)
    shapes.insert(0, element("use", href="#empty-board", width=WIDTH, height=HEIGHT))
    return framed([facing(shapes)], spoken(view), class_="board", role="img")


def _mark(place: int) -> Markup:
    """A mark where the last play ended."""
    x, _, width, _ = cell(place)
    y = HEIGHT - EDGE if place <= 12 else EDGE - 5
    size = {"x": x + CELL * 0.1, "y": y, "width": width - CELL * 0.2, "height": 5}
    return element("rect", class_="moved", **size, fill="#ffd24d")


def curve(
    values: Sequence[float], title: str, *, within: tuple[float, float] | None = None
) -> Markup:
    """Return a curve between `within` or its own extremes; empty for fewer than two values."""
    if len(values) < 2:
        return Markup()
    low, high = within or (min(values), max(values))
    span = (high - low) or 1.0
    step = (WIDE - 2 * RIM) / (len(values) - 1)
    points = [
        (RIM + i * step, RIM + (high - value) / span * (TALL - 2 * RIM))
        for i, value in enumerate(values)
    ]
    path = " ".join(f"{x:z.1f},{y:z.1f}" for x, y in points)
    shapes = [element("polyline", points=path)]
    if within:
        shapes.insert(0, element("line", x1=0, x2=WIDE, y1=TALL / 2, y2=TALL / 2))
    x, y = points[-1]
    shapes.append(element("circle", cx=round(x, 1), cy=round(y, 1), r=4))
    return picture(WIDE, TALL, title, *shapes, class_="curve", role="img")
