"""The play that was made, as arrows on the board."""

from __future__ import annotations

from markupsafe import Markup

from sixprime.bot.reports.board_svg import HEIGHT, cell
from sixprime.bot.reports.svg import element
from sixprime.engine.position import BAR, OFF, POINTS, Play

_COLOUR, _RIM = "#ffc83d", "#1b1b1b"  # seen on every board and every checker
_HEAD = element(
    "marker",
    element("path", d="M0 0L8 4L0 8z", fill=_COLOUR, stroke=_RIM, stroke_width=0.6),
    id="head", viewBox="-1 -1 10 10", refX=6, refY=4, markerWidth=4, markerHeight=4, orient="auto",
)  # fmt: skip
_REACH = 0.75  # of a point's height, from the middle line to the ends of arrows


def arrows(play: Play, seat: int) -> Markup:
    """Return arrows along the moves of a play of the player below, or of the other: seat 1."""
    bows = []
    for i, (start, end) in enumerate(play):
        (x1, y1), (x2, y2) = _middle(start, seat), _middle(end, seat)
        aside = 7.0 * (i % 2) - 3.5 * (len(play) > 1)  # keeps equal arrows apart
        bend = ((y1 + y2) / 2 + HEIGHT / 2) / 2  # towards the middle of the board
        bows.append(f"M{x1 + aside:g} {y1:g}Q{(x1 + x2) / 2:g} {bend:g} {x2 + aside:g} {y2:g}")
    rims = [element("path", d=bow, stroke=_RIM, stroke_width=7) for bow in bows]
    shafts = [
        element("path", d=bow, stroke=_COLOUR, stroke_width=4.5, marker_end="url(#head)")
        for bow in bows
    ]
    line = {"fill": "none", "stroke_linecap": "round", "aria_hidden": "true"}
    return element("defs", _HEAD) + element("g", *rims, *shafts, **line)


def _middle(place: int, seat: int) -> tuple[float, float]:
    """Return the spot where an arrow touches a place, numbered from the seat's own side."""
    mirrored = seat == 1 and place in (BAR, OFF)
    if seat == 1 and not mirrored:
        place = POINTS + 1 - place
    x, y, width, height = cell(place)
    down = y + height / 2 > HEIGHT / 2
    at = y + height * (_REACH if down else 1 - _REACH)
    if mirrored:
        at = HEIGHT - at
    return x + width / 2, at
