"""Boards as users see them: the colon line of style 3, pictures in styles 1 and 2."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands.moves import must_move
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.table import Table
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.wire.board import NO_DICE, YOU, O, X, board_of

FULL_HEIGHT = 5  # checkers that a picture stacks before it writes a number


def board(table: Table, viewer: str, style: int, dialect: Dialect, you: bool = True) -> list[str]:
    """The board seen from this player's side; `you` is False for watchers."""
    if style == 3:
        return [colon_line(table, viewer, dialect, you)]
    return picture(table, viewer, style, you)


def colon_line(table: Table, viewer: str, dialect: Dialect, you: bool = True) -> str:
    """The `board:` line, with the habits of this dialect."""
    match, seat = table.match, table.seat(viewer)
    made = board_of(
        table.position,
        match,
        player=YOU if you else viewer,
        opponent=table.other(viewer),
        seat=seat,
        colour=O if seat == table.o_seat else X,
        can_move=_can_move(table, seat, dialect),
    )
    pending = match.doubled and dialect.pending_turn == "doubler"
    hidden = match.crawford and not dialect.crawford_may_double
    return replace(
        made,
        turn=-made.turn if pending else made.turn,
        dice=_dice(table, seat, made.dice, dialect),
        opponent_dice=_dice(table, 1 - seat, made.opponent_dice, dialect),
        may_double=(False, False) if hidden else made.may_double,
        did_crawford=_did_crawford(table, dialect),
        redoubles=table.redoubles if table.unlimited else 0,
    ).line()


def _dice(table: Table, seat: int, dice: Dice, dialect: Dialect) -> Dice:
    if dice == NO_DICE and dialect.stale_dice and table.match.on_roll != seat:
        dice = table.last_dice or NO_DICE
    return (max(dice), min(dice)) if dialect.sorted_dice else dice


def _can_move(table: Table, seat: int, dialect: Dialect) -> int:
    if dialect.can_move_field == "zero":
        return 0
    if not table.in_game or table.match.on_roll != seat or table.match.dice is None:
        return 2 if dialect.can_move_field == "stale" else 0
    return must_move(table)


def _did_crawford(table: Table, dialect: Dialect) -> bool:
    if table.length == 1:
        return dialect.one_point_post_crawford
    return table.crawford_played and not table.match.crawford


# ---- pictures


def picture(table: Table, viewer: str, style: int, you: bool) -> list[str]:
    """A board for people. Style 1 has O at the bottom, style 2 always the viewer himself."""
    seat = table.seat(viewer)
    bottom = table.o_seat if style == 1 else seat
    view = table.view(bottom)
    mark, other = table.letter(bottom), table.letter(1 - bottom)
    columns = [
        (mark, view.mine[p - 1]) if view.mine[p - 1] else (other, view.theirs[24 - p])
        for p in range(1, 25)
    ]
    top_bar, bottom_bar = (mark, view.mine[24]), (other, view.theirs[24])
    upper = _half(columns[12:18], columns[18:24], top_bar)
    lower = _half(columns[11:5:-1], columns[5::-1], bottom_bar)[::-1]
    names = _names(table, seat, you)
    lines = [
        _edge(table, bottom, range(13, 25)) + f"   {other}: {names[1 - bottom]}",
        *upper,
        "  |                  |BAR|                   |    " + _score(table),
        *lower,
        _edge(table, bottom, range(12, 0, -1)) + f"   {mark}: {names[bottom]}",
        "",
        _foot(table, seat),
    ]
    return [line.rstrip() for line in lines]


def _names(table: Table, seat: int, you: bool) -> dict[int, str]:
    mine, theirs = table.players[seat], table.players[1 - seat]
    pips, their_pips = table.view(seat).pips()
    score = table.match.score
    return {
        seat: f"{'you' if you else mine} - score {score[seat]}, {pips} pips",
        1 - seat: f"{theirs} - score {score[1 - seat]}, {their_pips} pips",
    }


def _edge(table: Table, bottom: int, places: range) -> str:
    names = [f"{table.point_name(bottom, place):->2}" for place in places]
    return "  +" + "-".join(names[:6]) + "-+---+-" + "-".join(names[6:]) + "-+"


def _half(
    left: list[tuple[str, int]], right: list[tuple[str, int]], bar: tuple[str, int]
) -> list[str]:
    """The five rows from the edge to the middle."""
    return [
        "  |"
        + "".join(f" {_cell(column, row)} " for column in left)
        + f"|{_cell(bar, row):^3}|"
        + "".join(f"  {_cell(column, row)}" for column in right)
        + " |"
        for row in range(FULL_HEIGHT)
    ]


def _cell(column: tuple[str, int], row: int) -> str:
    mark, count = column
    if row == FULL_HEIGHT - 1 and count > FULL_HEIGHT:
        return str(count) if count < 10 else chr(ord("a") + count - 10)
    return mark if count > row else " "


def _score(table: Table) -> str:
    if table.match.crawford:
        return f"{table.kind()}, Crawford game"
    return table.kind()


def _foot(table: Table, seat: int) -> str:
    match = table.match
    mine, theirs = table.view(table.o_seat).off()
    owner = ""
    if match.cube_owner is not None:
        owner = f" (owned by {table.letter(match.cube_owner)})"
    text = f"  OFF: O-{mine} X-{theirs}   Cube: {match.cube}{owner}   You are {table.letter(seat)}"
    if not table.in_game:
        return text
    if match.dice is not None:
        return text + f"   {table.letter(match.on_roll)} rolled {match.dice[0]} {match.dice[1]}"
    if match.doubled:
        return text + f"   {table.letter(1 - match.to_act)} doubles"
    return text + f"   {table.letter(match.on_roll)} to roll"
