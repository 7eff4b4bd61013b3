"""The pictures of a bot's card: its board, small enough to be sent at each move, and its curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from sixprime.bot.reports.board_svg import CELL, EDGE, HEIGHT, WIDTH, cell, dice_at, empty, pieces
from sixprime.bot.web.frame.boardview import spoken
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.wire.board import FibsBoard

DRAWINGS = 256  # boards kept, as most have not changed at the next look
WIDE, TALL, RIM = 320, 72, 5  # of a curve
_HEAD = '<svg xmlns="http://www.w3.org/2000/svg"'
EMPTY = (
    f'{_HEAD} class="once" aria-hidden="true" width="0" height="0"><symbol id="empty-board" '
    f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(empty())}</symbol></svg>'
)  # once in the page, for all boards


@lru_cache(maxsize=DRAWINGS)
def board(shown: FibsBoard, rolled: tuple[int, Dice] | None, marked: tuple[int, ...]) -> str:
    """A bot's board from its own side, with the dice to be played."""
    view, state = shown.view(), shown.match_state()
    dice = rolled if state.dice is None else (state.on_roll, state.dice)
    shapes = [*pieces(view, state.with_(on_roll=0)), *(_mark(place) for place in marked)]
    if dice is not None:
        shapes += dice_at(dice[1], right=dice[0] == 0)
    return (
        f'{_HEAD} class="board" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" text-anchor="middle"><title>{escape(spoken(view))}</title>'
        f'<use href="#empty-board" width="{WIDTH}" height="{HEIGHT}"/>{"".join(shapes)}</svg>'
    )


def _mark(place: int) -> str:
    """Marks where the last play ended."""
    x, _, width, _ = cell(place)
    y = HEIGHT - EDGE if place <= 12 else EDGE - 5
    return (
        f'<rect class="moved" x="{x + CELL * 0.1:g}" y="{y}" width="{width - CELL * 0.2:g}" '
        f'height="5" fill="#ffd24d"/>'
    )


def curve(values: Sequence[float], title: str, *, within: tuple[float, float] | None = None) -> str:
    """A curve between `within` or its own extremes; empty with fewer than two values."""
    if len(values) < 2:
        return ""
    low, high = within or (min(values), max(values))
    span = (high - low) or 1.0
    step = (WIDE - 2 * RIM) / (len(values) - 1)
    points = [
        (RIM + i * step, RIM + (high - value) / span * (TALL - 2 * RIM))
        for i, value in enumerate(values)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    middle = f'<line x1="0" x2="{WIDE}" y1="{TALL / 2:g}" y2="{TALL / 2:g}"/>' if within else ""
    x, y = points[-1]
    return (
        f'{_HEAD} class="curve" role="img" viewBox="0 0 {WIDE} {TALL}">'
        f"<title>{escape(title)}</title>{middle}"
        f'<polyline points="{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="4"/></svg>'
    )
