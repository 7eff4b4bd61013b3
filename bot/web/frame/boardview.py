"""The board in the browser: the picture of the reports, with places that can be pressed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sixprime.bot.reports.board_svg import HEIGHT, WIDTH, cell, dice_at, draw
from sixprime.engine.position import BAR, OFF, POINTS, Dice, MatchState, Position, Step

Cell = tuple[float, float, float, float]  # left, top, width, height


def board(
    position: Position,
    match: MatchState,
    *,
    moves: Mapping[Step, int] | None = None,
    below: int = 0,
    to_edit: bool = False,
) -> str:
    """The board with the seat `below` at the bottom; the position is as that seat sees it.

    `moves`: where a checker may go now, and by how many dice. `to_edit`: checkers may go anywhere.
    """
    picture = draw(position, match.with_(on_roll=below), None, spoken(position))
    dice = _dice(match.dice, match.on_roll == below)
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    picture = picture.replace(size, 'class="board" role="group" aria-label="Board"', 1)
    handles = _places(position) if to_edit else _handles(moves or {})
    picture = picture.replace("</title>", '</title><g aria-hidden="true">', 1)  # told in words
    return picture.replace("</svg>", f"{dice}</g>{''.join(handles)}</svg>")


def spoken(position: Position, who: tuple[str, str] = ("You", "Opponent")) -> str:
    """The board in words, for screen readers."""
    mine, theirs = (
        ", ".join(
            f"{count} on {'the bar' if place == BAR else place}"
            for place, count in reversed(list(enumerate(side, 1)))
            if count
        )
        for side in (position.mine, position.theirs)
    )
    return f"{who[0]}: {mine or 'all off'}. {who[1]}, in own numbers: {theirs or 'all off'}."


def _handles(moves: Mapping[Step, int]) -> Iterable[str]:
    """Something to press for every checker that may move, and for where it may go."""
    for end in sorted({end for _, end in moves}):
        x, y, width, height = cell(end)
        yield (
            f'<rect class="target" data-end="{end}" x="{x:g}" y="{y:g}" width="{width:g}" '
            f'height="{height:g}" rx="6"/>'
        )
    near: dict[int, list[int]] = defaultdict(list)
    far: dict[int, list[int]] = defaultdict(list)
    for (start, end), dice in sorted(moves.items()):
        (near if dice == 1 else far)[start].append(end)
    for start in sorted(near, reverse=True):
        x, y, width, height = cell(start)
        places = " or ".join(_named(end) for end in near[start])
        yield (
            f'<rect class="source" tabindex="0" role="button" data-start="{start}" '
            f'data-ends="{_joined(near[start])}" data-far="{_joined(far[start])}" '
            f'aria-label="Move from {_named(start)} to {places}" '
            f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'
        )


def _joined(places: Iterable[int]) -> str:
    return ",".join(map(str, places))


def _places(position: Position) -> Iterable[str]:
    """Where checkers can be put by hand: 0 and 25 are the bars, as in the letters of an XGID."""
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


def _place(name: str, where: Cell, label: str) -> str:
    """A place, which a script makes pressable."""
    x, y, width, height = where
    return (
        f'<rect class="place" data-place="{name}" data-label="{label}" x="{x:g}" y="{y:g}" '
        f'width="{width:g}" height="{height:g}" rx="6"/>'
    )


def _mirrored(where: Cell) -> Cell:
    """The same place of the player above."""
    x, y, width, height = where
    return x, HEIGHT - y - height, width, height


def _named(place: int) -> str:
    return {BAR: "the bar", OFF: "off"}.get(place, str(place))


def _dice(dice: Dice | None, mine: bool) -> str:
    if dice is None:
        return ""
    return "".join(dice_at(dice, right=mine))
