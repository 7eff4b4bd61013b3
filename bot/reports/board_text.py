"""A board as text, for terminals: the player on roll below, home to the right or to the left."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from sixprime.bot.process.printable import counted
from sixprime.engine.position import BAR, POINTS, MatchState, Position

ROWS = 5  # checkers drawn on a point; a number on the innermost row tells of more
BESIDE = 54  # columns of the board, with 15 checkers off


class Home(Enum):
    """The side of the home board of the player below."""

    RIGHT = "right"
    LEFT = "left"


def draw(
    position: Position,
    signs: tuple[str, str] = ("X", "O"),
    home: Home = Home.RIGHT,
    beside: Sequence[str] = (),
    *,
    flipped: bool = False,
) -> str:
    """Return thirteen lines; `signs` are mine and theirs, `beside` goes to their right.

    `flipped` puts the player on roll above, who keeps the sign and numbers the points.
    """
    if flipped:
        position, signs = position.flipped(), (signs[1], signs[0])
    numbers = [POINTS + 1 - point if flipped else point for point in range(POINTS + 1)]
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    if home is Home.LEFT:
        upper, lower = upper[::-1], lower[::-1]
    mine, theirs = signs
    bar_above = (position.mine[BAR - 1], mine)  # my checkers enter at the top, theirs at the bottom
    bar_below = (position.theirs[BAR - 1], theirs)
    lines = [_edge([numbers[point] for point in upper])]
    lines += [_row(position, signs, upper, bar_above, depth) for depth in range(ROWS)]
    lines += [" |" + " " * 18 + "|BAR|" + " " * 18 + "|"]
    lines += [_row(position, signs, lower, bar_below, depth) for depth in reversed(range(ROWS))]
    lines += [_edge([numbers[point] for point in lower])]
    mine_off, theirs_off = position.off()
    lines[1] += _off(theirs, theirs_off)
    lines[-2] += _off(mine, mine_off)
    for i, words in enumerate(beside):
        lines[i] = f"{lines[i]:<{BESIDE}}{words}"
    return "\n".join(line.rstrip() for line in lines)


def _edge(points: list[int]) -> str:
    cells = [f"{point:-^3}" if point < 10 else f"-{point}" for point in points]
    return f" +{''.join(cells[:6])}+---+{''.join(cells[6:])}+"


def _row(
    position: Position, signs: tuple[str, str], points: list[int], bar: tuple[int, str], depth: int
) -> str:
    cells = [_cell(*_on(position, signs, point), depth) for point in points]
    return f" |{''.join(cells[:6])}|{_cell(*bar, depth)}|{''.join(cells[6:])}|"


def situation(position: Position, state: MatchState) -> list[str]:
    """Return the score, the cube and the pips of X, on roll, and O, to write beside a board."""
    me, other = state.on_roll, 1 - state.on_roll
    length = counted(state.length, "point") if state.length else money_in_words(state)
    score = f", {state.score[me]}-{state.score[other]}" if state.length else ""
    has_it = {None: "", me: ", X has it", other: ", O has it"}[state.cube_owner]
    mine, theirs = position.pips()
    return [
        f"{length}{score}" + (", Crawford" if state.crawford else ""),
        f"cube {state.cube}{has_it}",
        f"pips: X {mine}, O {theirs}",
    ]


def money_in_words(state: MatchState) -> str:
    """Return the rules of money play, short enough to stand beside a board."""
    rules = "Jacoby" if state.jacoby else "no Jacoby"
    return f"money, {rules}{', beavers' if state.beavers else ''}"


def _on(position: Position, signs: tuple[str, str], point: int) -> tuple[int, str]:
    """Return the number of checkers on a point, and their sign."""
    count = position.mine[point - 1]
    return (count, signs[0]) if count else (position.theirs[POINTS - point], signs[1])


def _cell(count: int, sign: str, depth: int) -> str:
    """Return the three columns of a point, `depth` rows from the edge."""
    if depth == ROWS - 1 and count > ROWS:
        return f"{count:^3}"
    return f" {sign} " if depth < count else "   "


def _off(sign: str, count: int) -> str:
    return f" {count} {sign} off" if count else ""
