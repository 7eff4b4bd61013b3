"""The board in the browser: the picture of the reports, with places to press."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from markupsafe import Markup

from sixprime.bot.reports.board_svg import HEIGHT, cell, dice_at, empty, framed, pieces
from sixprime.bot.reports.svg import element
from sixprime.engine.position import BAR, OFF, POINTS, MatchState, Position, Step

Cell = tuple[float, float, float, float]  # left, top, width, height


def board(
    position: Position,
    match: MatchState,
    *,
    moves: Mapping[Step, int] | None = None,
    below: int = 0,
    to_edit: bool = False,
    over: Markup | None = None,
) -> Markup:
    """Return the board with the seat `below` at the bottom; the position is from its side.

    `moves`: the legal moves of one checker, with their number of dice. `to_edit`: any move is
    possible.
    `over`: shapes drawn above the checkers.
    """
    shapes = [*empty(), *pieces(position, match.with_(on_roll=below))]
    if match.dice is not None:
        shapes += dice_at(match.dice, right=match.on_roll == below)
    handles = _places(position) if to_edit else _handles(moves or {})
    drawn = element("g", *shapes, over or "", aria_hidden="true")  # the title says it in words
    named = {"class_": "board", "role": "group", "aria_label": "Board"}
    return framed([drawn, *handles], spoken(position), **named)


def spoken(position: Position, who: tuple[str, str] = ("You", "Opponent")) -> str:
    """Return the board in words, for screen readers."""
    mine, theirs = (
        ", ".join(
            f"{count} on {'the bar' if place == BAR else place}"
            for place, count in reversed(list(enumerate(side, 1)))
            if count
        )
        for side in (position.mine, position.theirs)
    )
    return f"{who[0]}: {mine or 'all off'}. {who[1]}, in own numbers: {theirs or 'all off'}."


def _handles(moves: Mapping[Step, int]) -> Iterable[Markup]:
    """Yield a place to press for each checker that may move, and for each destination."""
    for end in sorted({end for _, end in moves}):
        yield _area(cell(end), class_="target", data_end=end, rx=6)
    near: dict[int, list[int]] = defaultdict(list)
    far: dict[int, list[int]] = defaultdict(list)
    for (start, end), dice in sorted(moves.items()):
        (near if dice == 1 else far)[start].append(end)
    for start in sorted(near, reverse=True):
        places = " or ".join(_named(end) for end in near[start])
        yield _area(
            cell(start), class_="source", tabindex=0, role="button", data_start=start,
            data_ends=_joined(near[start]), data_far=_joined(far[start]),
            aria_label=f"Move from {_named(start)} to {places}", rx=6,
        )  # fmt: skip


def _area(where: Cell, **attributes: object) -> Markup:
    x, y, width, height = where
    return element("rect", **attributes, x=x, y=y, width=width, height=height)


def _joined(places: Iterable[int]) -> str:
    return ",".join(map(str, places))


def _places(position: Position) -> Iterable[Markup]:
    """Yield all places of an editable board; 0 and 25 are the bars, as in an XGID."""
    mine, theirs = position.mine, position.theirs
    off = position.off()
    yield _place("above", _mirrored(cell(OFF)), f"Off, {off[1]} light")
    yield _place("0", _mirrored(cell(BAR)), f"Bar, {theirs[BAR - 1]} light")
    for point in range(POINTS, 0, -1):
        dark, light = mine[point - 1], theirs[POINTS - point]
        stand = f"{dark} dark" if dark else f"{light} light" if light else "empty"
        yield _place(str(point), cell(point), f"Point {point}, {stand}")
    yield _place("25", cell(BAR), f"Bar, {mine[BAR - 1]} dark")
    yield _place("below", cell(OFF), f"Off, {off[0]} dark")


def _place(name: str, where: Cell, label: str) -> Markup:
    """Return a place, which a script makes pressable."""
    return _area(where, class_="place", data_place=name, data_label=label, rx=6)


def _mirrored(where: Cell) -> Cell:
    """Return the same place of the player above."""
    x, y, width, height = where
    return x, HEIGHT - y - height, width, height


def _named(place: int) -> str:
    return {BAR: "the bar", OFF: "off"}.get(place, str(place))
