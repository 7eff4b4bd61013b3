"""Boards as users see them: the colon line of style 3, pictures in styles 1 and 2."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands.moves import must_move
from sixprime.bot.sandbox.state.dialect import BoardDialect
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.wire.board import NO_DICE, YOU, O, X, board_of

FULL_HEIGHT = 5  # checkers that a picture stacks before it writes a number


def board(
    match: UnfinishedMatch, viewer: str, style: int, dialect: BoardDialect, you: bool = True
) -> list[str]:
    """Return the board from this player's side; `you` is False for watchers."""
    if style == 3:
        return [colon_line(match, viewer, dialect, you)]
    return picture(match, viewer, style, you)


def colon_line(match: UnfinishedMatch, viewer: str, dialect: BoardDialect, you: bool = True) -> str:
    state, seat = match.state, match.seat(viewer)
    made = board_of(
        match.position,
        state,
        player=YOU if you else viewer,
        opponent=match.other(viewer),
        seat=seat,
        colour=O if seat == match.o_seat else X,
        can_move=_can_move(match, seat, dialect),
    )
    pending = state.doubled and dialect.pending_turn == "doubler"
    hidden = state.crawford and not dialect.crawford_may_double
    return replace(
        made,
        turn=-made.turn if pending else made.turn,
        dice=_dice(match, seat, made.dice, dialect),
        opponent_dice=_dice(match, 1 - seat, made.opponent_dice, dialect),
        may_double=(False, False) if hidden else made.may_double,
        did_crawford=_did_crawford(match, dialect),
        redoubles=match.redoubles if match.unlimited else 0,
    ).line()


def _dice(match: UnfinishedMatch, seat: int, dice: Dice, dialect: BoardDialect) -> Dice:
    if dice == NO_DICE and dialect.stale_dice and match.state.on_roll != seat:
        dice = match.last_dice or NO_DICE
    return (max(dice), min(dice)) if dialect.sorted_dice else dice


def _can_move(match: UnfinishedMatch, seat: int, dialect: BoardDialect) -> int:
    if dialect.can_move_field == "zero":
        return 0
    if not match.in_game or match.state.on_roll != seat or match.state.dice is None:
        return 2 if dialect.can_move_field == "stale" else 0
    return must_move(match)


def _did_crawford(match: UnfinishedMatch, dialect: BoardDialect) -> bool:
    if match.length == 1:
        return dialect.one_point_post_crawford
    return match.crawford_played and not match.state.crawford


# ---- pictures


def picture(match: UnfinishedMatch, viewer: str, style: int, you: bool) -> list[str]:
    """Return a board for people; style 1 has O at the bottom, style 2 the viewer."""
    seat = match.seat(viewer)
    bottom = match.o_seat if style == 1 else seat
    view = match.view(bottom)
    mark, other = match.letter(bottom), match.letter(1 - bottom)
    columns = [
        (mark, view.mine[p - 1]) if view.mine[p - 1] else (other, view.theirs[24 - p])
        for p in range(1, 25)
    ]
    top_bar, bottom_bar = (mark, view.mine[24]), (other, view.theirs[24])
    upper = _half(columns[12:18], columns[18:24], top_bar)
    lower = _half(columns[11:5:-1], columns[5::-1], bottom_bar)[::-1]
    names = _names(match, seat, you)
    lines = [
        _edge(match, bottom, range(13, 25)) + f"   {other}: {names[1 - bottom]}",
        *upper,
        "  |                  |BAR|                   |    " + _score(match),
        *lower,
        _edge(match, bottom, range(12, 0, -1)) + f"   {mark}: {names[bottom]}",
        "",
        _foot(match, seat),
    ]
    return [line.rstrip() for line in lines]


def _names(match: UnfinishedMatch, seat: int, you: bool) -> dict[int, str]:
    mine, theirs = match.players[seat], match.players[1 - seat]
    pips, their_pips = match.view(seat).pips()
    score = match.state.score
    return {
        seat: f"{'you' if you else mine} - score {score[seat]}, {pips} pips",
        1 - seat: f"{theirs} - score {score[1 - seat]}, {their_pips} pips",
    }


def _edge(match: UnfinishedMatch, bottom: int, places: range) -> str:
    names = [f"{match.point_name(bottom, place):->2}" for place in places]
    return "  +" + "-".join(names[:6]) + "-+---+-" + "-".join(names[6:]) + "-+"


def _half(
    left: list[tuple[str, int]], right: list[tuple[str, int]], bar: tuple[str, int]
) -> list[str]:
    """Return the five rows from the edge to the middle."""
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


def _score(match: UnfinishedMatch) -> str:
    if match.state.crawford:
        return f"{match.kind()}, Crawford game"
    return match.kind()


def _foot(match: UnfinishedMatch, seat: int) -> str:
    state = match.state
    mine, theirs = match.view(match.o_seat).off()
    owner = ""
    if state.cube_owner is not None:
        owner = f" (owned by {match.letter(state.cube_owner)})"
    text = f"  OFF: O-{mine} X-{theirs}   Cube: {state.cube}{owner}   You are {match.letter(seat)}"
    if not match.in_game:
        return text
    if state.dice is not None:
        return text + f"   {match.letter(state.on_roll)} rolled {state.dice[0]} {state.dice[1]}"
    if state.doubled:
        return text + f"   {match.letter(1 - state.to_act)} doubles"
    return text + f"   {match.letter(state.on_roll)} to roll"
