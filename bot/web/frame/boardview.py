"""The board in the browser: the picture of the reports, with places to press."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup

from sixprime.bot.reports.board_svg import (
    CELL,
    HEIGHT,
    MINE,
    THEIRS,
    cell,
    checker,
    checkers,
    dice_at,
    doubling_cube,
    empty,
    framed,
    off_at,
    spot,
)
from sixprime.bot.reports.svg import element
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.engine.position import BAR, OFF, POINTS, MatchState, Play, Position

Cell = tuple[float, float, float, float]  # left, top, width, height


def board(
    position: Position,
    match: MatchState,
    *,
    below: int = 0,
    to_edit: bool = False,
    over: Markup | None = None,
) -> Markup:
    """Return the board with the seat `below` at the bottom; the position is from its side.

    `to_edit`: any move is possible. `over`: shapes drawn above the checkers.
    """
    shapes = [
        *empty(both_numbers=True),
        element("g", *checkers(position), class_="checkers"),
        *doubling_cube(match.with_(on_roll=below)),
    ]
    if match.dice is not None:
        dice = dice_at(match.dice, right=match.on_roll == below)
        shapes.append(element("g", *dice, class_="dice"))
    if to_edit:
        shapes.append(samples())
    handles = _places(position) if to_edit else ()
    drawn = element("g", *shapes, over or "", aria_hidden="true")  # the title says it in words
    named = {"class_": "board", "role": "group", "aria_label": gettext("Board")}
    return framed([facing([drawn, *handles])], spoken(position), **named)


def facing(shapes: Iterable[Markup]) -> Markup:
    """Return the shapes as a page may mirror them, for a home on the left."""
    return element("g", *shapes, class_="facing")


def samples() -> Markup:
    """Return one piece of each kind, for a script that moves checkers."""
    pieces = [shape for fill in (MINE, THEIRS) for shape in (checker(0, 0, fill), off_at(0, fill))]
    return element("g", *pieces, class_="samples", display="none")


def trail(position: Position, seat: int, play: Play) -> Markup:
    """Return marks of a play where its checkers were and are, on the board after it."""
    side = position.mine if seat == 0 else position.theirs
    moved = Counter(end for _, end in play)
    moved.subtract(start for start, _ in play)
    marks = []
    for place, change in moved.items():
        if place == OFF:
            continue
        count = side[place - 1]
        for i in range(abs(change)):
            depth = count - 1 - i if change > 0 else count + i
            x, y = spot(seat, place, max(depth, 0))
            kind = "came" if change > 0 else "left"
            marks.append(element("circle", class_=kind, cx=x, cy=y, r=CELL * 0.47))
    return element("g", *marks, class_="trail")


def spoken(position: Position, who: tuple[str, str] | None = None) -> str:
    """Return the board in words, for screen readers."""
    mine, theirs = (
        ", ".join(
            gettext(
                "%(count)s on %(place)s",
                count=count,
                place=gettext("the bar") if place == BAR else place,
            )
            for place, count in reversed(list(enumerate(side, 1)))
            if count
        )
        for side in (position.mine, position.theirs)
    )
    you, opponent = who or (gettext("You"), gettext("Opponent"))
    return gettext(
        "%(you)s: %(mine)s. %(opponent)s, in own numbers: %(theirs)s.", you=you, opponent=opponent,
        mine=mine or gettext("all off"), theirs=theirs or gettext("all off"),
    )  # fmt: skip


def _area(where: Cell, **attributes: object) -> Markup:
    x, y, width, height = where
    return element("rect", **attributes, x=x, y=y, width=width, height=height)


def _places(position: Position) -> Iterable[Markup]:
    """Yield all places of an editable board; 0 and 25 are the bars, as in an XGID."""
    mine, theirs = position.mine, position.theirs
    off = position.off()
    yield _place("above", _mirrored(cell(OFF)), gettext("Off, %(count)s light", count=off[1]))
    yield _place("0", _mirrored(cell(BAR)), gettext("Bar, %(count)s light", count=theirs[BAR - 1]))
    for point in range(POINTS, 0, -1):
        dark, light = mine[point - 1], theirs[POINTS - point]
        text = N_("Point %(point)s, empty")
        if dark or light:
            text = (
                N_("Point %(point)s, %(dark)s dark")
                if dark
                else N_("Point %(point)s, %(light)s light")
            )
        label = gettext(text, point=point, dark=dark, light=light)
        yield _place(str(point), cell(point), label)
    yield _place("25", cell(BAR), gettext("Bar, %(count)s dark", count=mine[BAR - 1]))
    yield _place("below", cell(OFF), gettext("Off, %(count)s dark", count=off[0]))


def _place(name: str, where: Cell, label: str) -> Markup:
    """Return a place, which a script makes pressable."""
    return _area(where, class_="place", data_place=name, data_label=label, rx=6)


def _mirrored(where: Cell) -> Cell:
    """Return the same place of the player above."""
    x, y, width, height = where
    return x, HEIGHT - y - height, width, height
