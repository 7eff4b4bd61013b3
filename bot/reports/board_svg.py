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

_TRAY = WIDTH - EDGE / 2 - TRAY / 2  # its middle
_TRAY_LEFT = _TRAY - 0.47 * CELL
_THICK = CELL * 0.24  # a checker on its side
_TRAY_TALL = 4.1 * CELL  # an owned cube lies between the trays
_TRAY_TOPS = EDGE, HEIGHT - EDGE - _TRAY_TALL  # the opponent's and mine

TRAY_FELT = "#3d2718"
FELT, FRAME, LIGHT, DARK = "#d9bd8d", "#5b3a22", "#efdcb4", "#8c4a2f"
MINE, THEIRS, LINE = "#2f3640", "#f6f1e6", "#2b2b2b"
_SEATS = {MINE: "mine", THEIRS: "theirs"}  # classes, so that a page may have colours of its own

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
    position: Position,
    match: MatchState | None = None,
    dice: Dice | None = None,
    title: str = "",
    *,
    flipped: bool = False,
) -> Markup:
    """Return the picture as the content of a file; `flipped` puts the player on roll above."""
    if not flipped:
        return document([*empty(), *pieces(position, match, dice)], title)
    colours, match = (THEIRS, MINE), match or MatchState()
    above = match.with_(on_roll=1 - match.on_roll)
    shapes = [*empty(from_above=True), *checkers(position.flipped(), colours)]
    shapes += doubling_cube(above)
    shapes += [] if dice is None else dice_at(dice, right=False, colours=colours)
    return document(shapes, title)


def document(shapes: Iterable[Markup], title: str = "") -> Markup:
    """Return the content of a file with these shapes."""
    return framed(shapes, title, width=WIDTH, height=HEIGHT) + "\n"


def framed(shapes: Iterable[Markup], title: str, **attributes: object) -> Markup:
    """Return an element with these shapes, in the coordinates of a board."""
    fonts = {"font_family": "sans-serif", "text_anchor": "middle"}
    return picture(WIDTH, HEIGHT, title, *shapes, **attributes, **fonts)


def empty(*, both_numbers: bool = False, from_above: bool = False) -> list[Markup]:
    """Return the shapes that all boards share.

    `both_numbers`: the opponent's numbers, too, of which a page shows one kind. `from_above`: the
    opponent's alone.
    """
    inside = HEIGHT - 2 * EDGE
    return [
        _box(0, 0, WIDTH, HEIGHT, FRAME, "frame"),
        *(
            _sunk(x, EDGE, 6 * CELL, inside, FELT, "felt")
            for x in (EDGE, EDGE + 6 * CELL + BAR_WIDTH)
        ),
        *(_sunk(_TRAY_LEFT, y, 0.94 * CELL, _TRAY_TALL, TRAY_FELT, "tray") for y in _TRAY_TOPS),
        *(_triangle(point) for point in range(1, POINTS + 1)),
        *(
            _number(point, POINTS + 1 - point if from_above else point)
            for point in range(1, POINTS + 1)
        ),
        *(
            _number(point, POINTS + 1 - point, " across")
            for point in range(1, POINTS + 1)
            if both_numbers
        ),
    ]


def pieces(
    position: Position, match: MatchState | None = None, dice: Dice | None = None
) -> list[Markup]:
    """Return checkers, dice and cube, with the player on roll below and dark."""
    shapes = [*checkers(position), *doubling_cube(match or MatchState())]
    return [*shapes, *dice_at(dice)] if dice is not None else shapes


def seen_by(seat: int, position: Position, match: MatchState) -> list[Markup]:
    """Return checkers, dice and cube with this seat below; seat 0 is dark.

    The position is as the player on roll sees it.
    """
    turned = seat != match.on_roll
    colours = (MINE, THEIRS) if seat == 0 else (THEIRS, MINE)
    seen = position.flipped() if turned else position
    shapes = [*checkers(seen, colours), *doubling_cube(match.with_(on_roll=seat))]
    if match.dice is not None:
        shapes += dice_at(match.dice, right=not turned, colours=colours)
    return shapes


def checkers(position: Position, colours: tuple[str, str] = (MINE, THEIRS)) -> list[Markup]:
    """Return the checkers; the first colour belongs to the player below."""
    shapes: list[Markup] = []
    sides = (position.mine, position.theirs)
    for seat, (side, off) in enumerate(zip(sides, position.off(), strict=True)):
        for place, count in enumerate(side, 1):
            shapes += _pile(seat, place, count, colours[seat])
        shapes += _stack(seat == 0, off, colours[seat])
    return shapes


def dice_at(
    dice: Dice, *, right: bool = True, colours: tuple[str, str] = (MINE, THEIRS)
) -> list[Markup]:
    """Return dice on the right, where the player below rolls, or on the left."""
    left = EDGE + (8 * CELL + BAR_WIDTH if right else 2 * CELL)
    fill = colours[0] if right else colours[1]
    return [_die(left + (1 + i) * CELL, die, fill) for i, die in enumerate(dice)]


def cell(place: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a point, or the bar (25) or tray (0) of mine."""
    height = (HEIGHT - 2 * EDGE) / 2
    if place == OFF:
        return WIDTH - EDGE / 2 - TRAY, HEIGHT - EDGE - height, TRAY, height
    if place == BAR:
        return EDGE + 6 * CELL, EDGE, BAR_WIDTH, height  # a hit checker enters above
    top = HEIGHT - EDGE - height if place <= 12 else EDGE
    return _x(place) - CELL / 2, top, CELL, height


def spot(seat: int, place: int, depth: int) -> tuple[float, float]:
    """Return the middle of a checker on a point or the bar, in the seat's own numbers.

    Seat 0 sits below, and `depth` counts checkers from the edge.
    """
    if place == BAR:
        return EDGE + 6 * CELL + BAR_WIDTH / 2, _y(seat == 1, depth)
    point = place if seat == 0 else POINTS + 1 - place
    return _x(point), _y(point <= 12, min(depth, TALL - 1))


def _x(point: int) -> float:
    """Return the middle of a point: 1 is at the lower right, 13 at the upper left."""
    column = 12 - point if point <= 12 else point - 13
    return EDGE + (column + 0.5) * CELL + (BAR_WIDTH if column >= 6 else 0)


def _y(below: bool, depth: float) -> float:
    """Return the middle of the checker `depth` places from the edge."""
    from_edge = EDGE + (depth + 0.5) * CELL
    return HEIGHT - from_edge if below else from_edge


def _box(x: float, y: float, width: float, height: float, fill: str, name: str) -> Markup:
    return element("rect", class_=name, x=x, y=y, width=width, height=height, fill=fill)


def _sunk(x: float, y: float, width: float, height: float, fill: str, name: str) -> Markup:
    """Return an area below the frame, whose upper and left edges throw a shadow on it."""
    bottom, right = y + height, x + width
    shade, shine = (
        element("path", d=path, fill="none", stroke=colour, stroke_width=2.5, stroke_opacity=0.35)
        for path, colour in (
            (f"M{x:g} {bottom:g}V{y:g}H{right:g}", "#000"),
            (f"M{x:g} {bottom:g}H{right:g}V{y:g}", "#fff"),
        )
    )
    return element("g", _box(x, y, width, height, fill, name), shade, shine)


def _triangle(point: int) -> Markup:
    x, below = _x(point), point <= 12
    base = HEIGHT - EDGE if below else EDGE
    tip = base - 4.6 * CELL if below else base + 4.6 * CELL
    corners = f"{x - CELL / 2:g},{base:g} {x + CELL / 2:g},{base:g} {x:g},{tip:g}"
    name, fill = ("dark", DARK) if point % 2 else ("light", LIGHT)
    return element("polygon", class_=f"point {name}", points=corners, fill=fill)


def _number(point: int, shown: int, kind: str = "") -> Markup:
    y = HEIGHT - 8 if point <= 12 else 18
    return _text(_x(point), y, str(shown), "#fff", 13, f"number{kind}")


def _text(x: float, y: float, words: str, fill: str, size: int, name: str) -> Markup:
    return element("text", words, class_=name, x=x, y=y, font_size=size, fill=fill)


def checker(x: float, y: float, fill: str) -> Markup:
    """Return a checker with its shadow, its rim and the light on it."""
    radius = CELL * 0.47
    return element(
        "g",
        element("circle", cx=0.8, cy=2, r=radius, fill="#000", fill_opacity=0.3),
        element("circle", class_="disc", r=radius - 0.5, fill=fill, stroke=LINE),
        element(
            "circle", class_="rim", r=radius * 0.68, fill="none", stroke=_ink(fill),
            stroke_opacity=0.3, stroke_width=1.5,
        ),
        element(
            "path", d="M-16.5-4.5A17 17 0 0 1 10.3-13.7", fill="none", stroke="#fff",
            stroke_width=2.4, stroke_linecap="round", stroke_opacity=0.45 if fill == MINE else 1,
        ),
        class_=f"checker {_SEATS[fill]}",
        transform=f"translate({x:g} {y:g})",
    )  # fmt: skip


def count_at(x: float, y: float, count: int, fill: str) -> Markup:
    """Return the number of a tall pile, on its last checker."""
    return _text(x, y + 6, str(count), _ink(fill), 18, f"count on-{_SEATS[fill]}")


def _pile(seat: int, place: int, count: int, fill: str) -> list[Markup]:
    shapes = [checker(*spot(seat, place, i), fill) for i in range(min(count, TALL))]
    if count > TALL:
        shapes.append(count_at(*spot(seat, place, TALL - 1), count, fill))
    return shapes


def _ink(fill: str) -> str:
    """Return the colour of signs on a checker or die of this colour."""
    return THEIRS if fill == MINE else MINE


def _stack(below: bool, count: int, fill: str) -> list[Markup]:
    """Return a stack of checkers borne off, from the edge of the board inwards."""
    tops = (EDGE + CELL * (0.1 + 0.26 * i) for i in range(count))
    return [off_at(HEIGHT - top - _THICK if below else top, fill) for top in tops]


def off_at(y: float, fill: str) -> Markup:
    """Return a checker that lies on its side in a tray."""
    wide = CELL * 0.9
    size = {"x": _TRAY - wide / 2, "y": y, "width": wide, "height": _THICK, "rx": 2.5}
    return element("rect", class_=f"off {_SEATS[fill]}", **size, fill=fill, stroke=LINE)


def _die(x: float, die: int, fill: str) -> Markup:
    size = CELL * 0.84
    y = HEIGHT / 2 - size / 2
    square = {"x": x, "y": y, "width": size, "height": size, "rx": 8}
    shadow = element("rect", **(square | {"x": x + 1, "y": y + 2.2}), fill="#000", fill_opacity=0.3)
    face = element(
        "rect", element("title", str(die)), class_="face", **square, fill=fill, stroke=LINE
    )
    pips = [
        element(
            "circle", class_="pip", cx=x + size * (0.5 + 0.25 * across),
            cy=y + size * (0.5 + 0.25 * down), r=size * 0.095, fill=_ink(fill),
        )
        for across, down in PIPS[die]
    ]  # fmt: skip
    name = f"rolled {_SEATS[fill]}"
    return element("g", shadow, face, *pips, class_=name, data_die=die)


def doubling_cube(match: MatchState) -> list[Markup]:
    """Return the cube: in the middle, on its owner's side, or offered; 64 means not turned."""
    size = CELL * 0.84
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
    square = {"width": size, "height": size, "rx": 5}
    return [
        element("rect", x=x + 1, y=y + 2.2, **square, fill="#000", fill_opacity=0.3),
        element("rect", class_="cube", x=x, y=y, **square, fill="#fdfbf5", stroke=LINE),
        element(
            "rect", class_="bevel", x=x + 3.5, y=y + 3.5, width=size - 7, height=size - 7, rx=4,
            fill="none", stroke=LINE, stroke_opacity=0.25,
        ),
        _text(x + size / 2, y + size * 0.67, shown, LINE, min(18, 48 // len(shown)), "value"),
    ]  # fmt: skip
