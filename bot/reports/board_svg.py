"""A board as an SVG picture: the player on roll below in the dark colour, home to the right."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from sixprime.bot.reports.svg import element, picture
from sixprime.engine.position import BAR, OFF, POINTS, Dice, MatchState, Position

CELL = 44  # a point is this wide, and a checker nearly so
EDGE = 26  # for the numbers
BAR_WIDTH = CELL
TRAY = CELL + 12
TALL = 5  # checkers drawn on a point; a number on the last tells of more
HEIGHT = 11 * CELL + 2 * EDGE
WIDTH = 12 * CELL + BAR_WIDTH + TRAY + 2 * EDGE

_TRAY_LEFT = WIDTH - EDGE / 2 - TRAY / 2 - 0.47 * CELL
_TRAY_TALL = 4.1 * CELL  # an owned cube lies between the trays
_TRAY_TOPS = EDGE, HEIGHT - EDGE - _TRAY_TALL  # the opponent's and mine

TRAY_FELT = "#553a26"
FELT, FRAME, LIGHT, DARK = "#e9e1cf", "#6b4a2f", "#d2b48c", "#a2694b"
MINE, THEIRS, LINE = "#2f3640", "#fafafa", "#2b2b2b"

_DIAGONAL = ((-1, -1), (1, 1))
_FOUR = (*_DIAGONAL, (-1, 1), (1, -1))
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _DIAGONAL,
    3: (*_DIAGONAL, (0, 0)),
    4: _FOUR,
    5: (*_FOUR, (0, 0)),
    6: (*_FOUR, (-1, 0), (1, 0)),
}  # places on a die, across and down from its middle


def draw(
    position: Position, match: MatchState | None = None, dice: Dice | None = None, title: str = ""
) -> Markup:
    """Return the picture as the content of a file."""
    return document([*empty(), *pieces(position, match, dice)], title)


def document(shapes: Iterable[Markup], title: str = "") -> Markup:
    """Return the content of a file with these shapes."""
    return framed(shapes, title, width=WIDTH, height=HEIGHT) + "\n"


def framed(shapes: Iterable[Markup], title: str, **attributes: object) -> Markup:
    """Return an element with these shapes, in the coordinates of a board."""
    fonts = {"font_family": "sans-serif", "text_anchor": "middle"}
    return picture(WIDTH, HEIGHT, title, *shapes, **attributes, **fonts)


def empty() -> list[Markup]:
    """Return the shapes that all boards share."""
    return [
        _box(0, 0, WIDTH, HEIGHT, FRAME),
        _box(EDGE, EDGE, 6 * CELL, HEIGHT - 2 * EDGE, FELT),
        _box(EDGE + 6 * CELL + BAR_WIDTH, EDGE, 6 * CELL, HEIGHT - 2 * EDGE, FELT),
        *(_box(_TRAY_LEFT, y, 0.94 * CELL, _TRAY_TALL, TRAY_FELT) for y in _TRAY_TOPS),
        *(_triangle(point) for point in range(1, POINTS + 1)),
        *(_number(point) for point in range(1, POINTS + 1)),
    ]


def pieces(
    position: Position,
    match: MatchState | None = None,
    dice: Dice | None = None,
    colours: tuple[str, str] = (MINE, THEIRS),
) -> list[Markup]:
    """Return checkers, dice and cube; the first colour belongs to the player on roll."""
    mine, theirs = colours
    shapes: list[Markup] = []
    for point in range(1, POINTS + 1):
        shapes += _pile(_x(point), point <= 12, position.mine[point - 1], mine)
        shapes += _pile(_x(point), point <= 12, position.theirs[POINTS - point], theirs)
    middle = EDGE + 6 * CELL + BAR_WIDTH / 2
    shapes += _pile(middle, False, position.mine[BAR - 1], mine)
    shapes += _pile(middle, True, position.theirs[BAR - 1], theirs)
    mine_off, theirs_off = position.off()
    tray = WIDTH - EDGE / 2 - TRAY / 2
    shapes += _stack(tray, True, mine_off, mine) + _stack(tray, False, theirs_off, theirs)
    if dice is not None:
        shapes += dice_at(dice, colours=colours)
    return shapes + _cube(match or MatchState())


def dice_at(
    dice: Dice, *, right: bool = True, colours: tuple[str, str] = (MINE, THEIRS)
) -> list[Markup]:
    """Return dice on the right, where the player below rolls, or on the left."""
    left = EDGE + (8 * CELL + BAR_WIDTH if right else 2 * CELL)
    fill = colours[0] if right else colours[1]
    return [shape for i, die in enumerate(dice) for shape in _die(left + (1 + i) * CELL, die, fill)]


def cell(place: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a point, or the bar (25) or tray (0) of mine."""
    height = (HEIGHT - 2 * EDGE) / 2
    if place == OFF:
        return WIDTH - EDGE / 2 - TRAY, HEIGHT - EDGE - height, TRAY, height
    if place == BAR:
        return EDGE + 6 * CELL, EDGE, BAR_WIDTH, height  # a hit checker enters above
    top = HEIGHT - EDGE - height if place <= 12 else EDGE
    return _x(place) - CELL / 2, top, CELL, height


def _x(point: int) -> float:
    """Return the middle of a point: 1 is at the lower right, 13 at the upper left."""
    column = 12 - point if point <= 12 else point - 13
    return EDGE + (column + 0.5) * CELL + (BAR_WIDTH if column >= 6 else 0)


def _y(below: bool, depth: float) -> float:
    """Return the middle of the checker `depth` places from the edge."""
    from_edge = EDGE + (depth + 0.5) * CELL
    return HEIGHT - from_edge if below else from_edge


def _box(x: float, y: float, width: float, height: float, fill: str) -> Markup:
    return element("rect", x=x, y=y, width=width, height=height, fill=fill)


def _triangle(point: int) -> Markup:
    x, below = _x(point), point <= 12
    base = HEIGHT - EDGE if below else EDGE
    tip = base - 4.6 * CELL if below else base + 4.6 * CELL
    corners = f"{x - CELL / 2:g},{base:g} {x + CELL / 2:g},{base:g} {x:g},{tip:g}"
    return element("polygon", points=corners, fill=DARK if point % 2 else LIGHT)


def _number(point: int) -> Markup:
    return _text(_x(point), HEIGHT - 8 if point <= 12 else 18, str(point), "#fff", 13)


def _text(x: float, y: float, words: str, fill: str, size: int) -> Markup:
    return element("text", words, x=x, y=y, font_size=size, fill=fill)


def _pile(x: float, below: bool, count: int, fill: str) -> list[Markup]:
    radius, drawn = CELL * 0.47, range(min(count, TALL))
    shapes = [
        element("circle", class_="checker", cx=x, cy=_y(below, i), r=radius, fill=fill, stroke=LINE)
        for i in drawn
    ]
    if count > TALL:
        shapes.append(_text(x, _y(below, TALL - 1) + 6, str(count), _ink(fill), 18))
    return shapes


def _ink(fill: str) -> str:
    """Return the colour of signs on a checker or die of this colour."""
    return THEIRS if fill == MINE else MINE


def _stack(x: float, below: bool, count: int, fill: str) -> list[Markup]:
    """Return a stack of checkers borne off, from the edge of the board inwards."""
    wide, thick = CELL * 0.9, CELL * 0.24
    shapes = []
    for i in range(count):
        top = EDGE + CELL * (0.1 + 0.26 * i)
        y = HEIGHT - top - thick if below else top
        size = {"x": x - wide / 2, "y": y, "width": wide, "height": thick}
        shapes.append(element("rect", class_="off", **size, fill=fill, stroke=LINE))
    return shapes


def _die(x: float, die: int, fill: str) -> list[Markup]:
    size = CELL * 0.8
    y = HEIGHT / 2 - size / 2
    square = {"x": x, "y": y, "width": size, "height": size, "rx": 6}
    face = element("rect", element("title", str(die)), **square, fill=fill, stroke=LINE)
    pips = [
        element(
            "circle", cx=x + size * (0.5 + 0.26 * across), cy=y + size * (0.5 + 0.26 * down),
            r=size * 0.09, fill=_ink(fill),
        )
        for across, down in PIPS[die]
    ]  # fmt: skip
    return [face, *pips]


def _cube(match: MatchState) -> list[Markup]:
    """Return the cube: in the middle, on its owner's side, or offered; 64 means not turned."""
    size = CELL * 0.8
    x = EDGE + 6 * CELL + (BAR_WIDTH - size) / 2
    y = HEIGHT / 2 - size / 2
    value = match.cube
    if match.doubled:
        x, value = EDGE + 3 * CELL - size / 2, 2 * match.cube
    elif match.cube_owner is not None:
        mine = match.cube_owner == match.on_roll
        x = WIDTH - EDGE / 2 - TRAY / 2 - size / 2
        y += (0.94 if mine else -0.94) * CELL
    shown = str(value if value > 1 else 64)
    return [
        element("rect", x=x, y=y, width=size, height=size, rx=4, fill="#fff", stroke=LINE),
        _text(x + size / 2, y + size * 0.68, shown, LINE, min(18, 48 // len(shown))),
    ]
