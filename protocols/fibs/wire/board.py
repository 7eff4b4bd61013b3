"""The `board:` line, typed, and its way to and from the engine.

This is the only file that knows how FIBS turns the board.

FIBS numbers the points once, for both players: O (colour 1, positive counts) moves from 24 down to
1, X (colour -1, negative counts) from 1 up to 24. The format could also express O going up and X
going down, so the direction is always read from its own field. The engine wants each player's own
numbers: the server's for the player who moves down, 25 minus the server's for the other.

In a MatchState made here seat 0 is the player of the board (`You`, or a watched player), and seat 1
is the opponent, in either colour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from sixprime.engine.position import (
    BAR,
    MAX_CHECKERS,
    MOST_IN_HYPERGAMMON,
    OFF,
    PLACES,
    POINTS,
    Dice,
    MatchState,
    Phase,
    Play,
    Position,
    Step,
    is_roll,
)
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.wire.messages import Message

O, X = 1, -1  # noqa: E741 - the names that FIBS gives the two colours
DOWN, UP = -1, 1
NO_DICE = (0, 0)
UNLIMITED = 9999
YOU = "You"
FIELDS = 53

# Exactly one board at the start of a line; anything after it was glued on.
BOARD = re.compile(
    r"board:[^:\s]{1,64}:[^:\s]{1,64}(?::-?[0-9]{1,6}){49}:(?>9999|0|[1-9][0-9]?)(?!:)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class BrokenBoard(Message):
    """A `board:` line that cannot be true: ask again."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class FibsBoard(Message):
    """The 53 fields; pairs are (player, opponent).

    Home and bar follow from the direction. Dice are (0, 0) where nobody rolled; `points` are the
    26 signed counts of the server's positions, bars included; the bars are believed from `on_bar`.
    """

    player: str
    opponent: str
    length: int | None
    score: tuple[int, int]
    points: tuple[int, ...]
    turn: int
    dice: Dice = NO_DICE
    opponent_dice: Dice = NO_DICE
    cube: int = 1
    may_double: tuple[bool, bool] = (True, True)
    was_doubled: bool = False
    colour: int = O
    direction: int = DOWN
    off: tuple[int, int] = (0, 0)
    on_bar: tuple[int, int] = (0, 0)
    can_move: int = 0
    forced: int = 0
    did_crawford: bool = False  # or there is no such game
    redoubles: int = 0

    def line(self) -> str:
        numbers = (
            UNLIMITED if self.length is None else self.length,
            *self.score,
            *self.points,
            self.turn,
            *self.dice,
            *self.opponent_dice,
            self.cube,
            *self.may_double,
            self.was_doubled,
            self.colour,
            self.direction,
            *((0, BAR) if self.direction == DOWN else (BAR, 0)),  # home and bar
            *self.off,
            *self.on_bar,
            self.can_move,
            self.forced,
            self.did_crawford,
            self.redoubles,
        )
        return ":".join(("board", self.player, self.opponent, *(str(int(n)) for n in numbers)))

    @property
    def is_ours(self) -> bool:
        """True if this is our own match, not a watched one."""
        return self.player == YOU

    @property
    def rolled(self) -> Dice | None:
        """The dice to be played; the dice of the other side are stale."""
        dice = NO_DICE
        if self.turn == self.colour:
            dice = self.dice
        elif self.turn == -self.colour:
            dice = self.opponent_dice
        return dice if is_roll(dice) else None

    def view(self) -> Position:
        """Return the checkers as the player of the board (seat 0) sees them."""
        return _view(self.points, self.colour, self.direction, self.on_bar, self.off[0])

    def position(self) -> Position:
        """Return the checkers as the player on roll sees them, to go with `match_state()`."""
        view = self.view()
        return view.flipped() if self.on_roll == 1 else view

    @property
    def on_roll(self) -> int:
        """The seat whose roll it is: while a double waits, the doubler's; 0 if nobody's."""
        if self.was_doubled:
            return 1
        if self.own_double_open:
            return 0
        return 1 if self.turn == -self.colour else 0

    @property
    def own_double_open(self) -> bool:
        """True if a double of seat 0 waits for an answer.

        Then neither may double, though the rules would let one of them.
        """
        return (
            self.may_double == (False, False)
            and not self.was_doubled
            and self.turn != 0
            and self.rolled is None
            and self.length != 1
            and not self.is_crawford()
        )

    def is_crawford(self) -> bool:
        """Return whether this is the Crawford game; FIBS only says so once it is over."""
        if self.length is None or self.length == 1 or self.did_crawford:
            return False
        one_away = self.length - 1
        return (self.score[0] == one_away) != (self.score[1] == one_away)

    def is_game_over(self) -> bool:
        """Return whether nobody is on turn, or a side has borne off everything."""
        return self.turn == 0 or self.view().is_over()

    def is_match_over(self) -> bool:
        return self.length is not None and max(self.score) >= self.length

    def may_be_doubled(self) -> bool:
        """Return whether the server would take a double of seat 0 before its roll."""
        return self.length != 1 and not self.is_crawford() and self._cube_owner(None) in (None, 0)

    def match_state(self) -> MatchState:
        """Return the state of the match; seat 0 is the player of the board."""
        doubled = self.was_doubled or self.own_double_open
        on_roll = self.on_roll
        return MatchState(
            length=self.length or 0,
            score=self.score,
            on_roll=on_roll,
            to_act=1 - on_roll if doubled else on_roll,
            dice=None if doubled else self.rolled,
            cube=self.cube,
            cube_owner=self._cube_owner(on_roll if doubled else None),
            doubled=doubled,
            crawford=self.is_crawford(),
            beavers=self.redoubles,
            phase=Phase.PLAYING if self.turn else Phase.OVER,
        )

    def same_situation(self, other: FibsBoard) -> bool:
        """Return whether both ask for the same decision: boards may come twice, and we act once."""
        return self.situation() == other.situation()

    def fault(self) -> str | None:
        """Return the reason why this board cannot be true; None if it can."""
        view = self.view()
        few = 0 < view.checkers <= MOST_IN_HYPERGAMMON  # some servers play with them
        faults = (
            (self.colour not in (O, X) or self.direction not in (DOWN, UP), "no colour"),
            (self.turn not in (O, X, 0), "turn is not 1, -1 or 0"),
            (self.cube < 1 or self.cube & (self.cube - 1) != 0, "no such cube"),
            (any(not 0 <= die <= 6 for die in (*self.dice, *self.opponent_dice)), "no dice"),
            (min(*self.off, *self.on_bar) < 0, "less than no checkers"),
            (not few and view.checkers != MAX_CHECKERS, "the player has not 15 checkers"),
            (
                sum(view.theirs) + self.off[1] != view.checkers,
                f"the opponent has not {view.checkers} checkers",
            ),
        )
        return next((text for wrong, text in faults if wrong), None)

    def _cube_owner(self, doubler: int | None) -> int | None:
        if self.cube == 1:
            return None
        if doubler is not None:
            return doubler  # only the owner can turn a turned cube
        if self.may_double == (True, False):
            return 0
        return 1 if self.may_double == (False, True) else None

    def is_moved(self) -> bool:
        view = self.view()
        return view != Position.start(view.variant())

    def situation(self) -> tuple[object, ...]:
        """Return everything that matters for a decision."""
        return (
            self.player,
            self.opponent,
            self.length,
            self.score,
            self.view(),
            self.on_roll,
            tuple(sorted(self.rolled or ())),
            self.cube,
            self._cube_owner(None),
            self.was_doubled,
            self.own_double_open,
            self.turn == 0,
        )


def read_board(line: str) -> FibsBoard | BrokenBoard:
    """Return the board of a whole line, without anything glued to it."""
    found = BOARD.fullmatch(line)
    if found is None:
        return BrokenBoard(line, f"{line.count(':') + 1} fields, or not numbers")
    _, player, opponent, *texts = line.split(":")
    n = [0, 0, 0, *(int(text) for text in texts)]  # numbered as in FIBS's CLIP guide
    board = FibsBoard(
        player=player,
        opponent=opponent,
        length=None if n[3] >= UNLIMITED else n[3],
        score=(n[4], n[5]),
        points=tuple(n[6:32]),
        turn=n[32],
        dice=(n[33], n[34]),
        opponent_dice=(n[35], n[36]),
        cube=n[37],
        may_double=(n[38] != 0, n[39] != 0),
        was_doubled=n[40] != 0,
        colour=n[41],
        direction=n[42],
        off=(n[45], n[46]),
        on_bar=(n[47], n[48]),
        can_move=n[49],
        forced=n[50],
        did_crawford=n[51] != 0,
        redoubles=n[52],
    )
    fault = board.fault()
    if fault is None:
        return board
    mended = replace(board, on_bar=_bars(board))  # some servers miscount the bar
    return mended if mended.fault() is None else BrokenBoard(line, fault)


def _bars(board: FibsBoard) -> tuple[int, int]:
    """Return the checkers on our bar and on theirs, as the points show them."""
    mine, theirs = board.points[0], board.points[BAR]
    if board.direction == DOWN:
        mine, theirs = theirs, mine
    return max(board.colour * mine, 0), max(-board.colour * theirs, 0)


def board_of(
    position: Position,
    match: MatchState,
    *,
    opponent: str,
    player: str = YOU,
    seat: int = 0,
    colour: int = O,
    direction: int | None = None,
    can_move: int = 0,
) -> FibsBoard:
    """Return the board that a server shows the player of `seat`.

    `position` is the view of the player on roll, as everywhere; `colour` and `direction` belong to
    `seat`.
    """
    if direction is None:
        direction = DOWN if colour == O else UP
    view = position if match.on_roll == seat else position.flipped()
    over = match.phase is not Phase.PLAYING
    deciding = match.to_act if match.doubled else match.on_roll
    turn = 0 if over else (colour if deciding == seat else -colour)
    dice = match.dice or NO_DICE
    mine_to_play = match.on_roll == seat
    return FibsBoard(
        player=player,
        opponent=opponent,
        length=match.length or None,
        score=(match.score[seat], match.score[1 - seat]),
        points=_points(view, colour, direction),
        turn=turn,
        dice=dice if mine_to_play else NO_DICE,
        opponent_dice=NO_DICE if mine_to_play else dice,
        cube=match.cube,
        may_double=(
            not match.doubled and match.cube_owner in (None, seat),
            not match.doubled and match.cube_owner in (None, 1 - seat),
        ),
        was_doubled=match.doubled and not mine_to_play,
        colour=colour,
        direction=direction,
        off=view.off(),
        on_bar=(view.mine[PLACES - 1], view.theirs[PLACES - 1]),
        can_move=can_move,
        did_crawford=match.post_crawford and match.length > 1,
        redoubles=match.beavers,
    )


@lru_cache(maxsize=1_000)  # a board is viewed many times
def _view(
    points: tuple[int, ...], colour: int, direction: int, on_bar: tuple[int, int], off: int
) -> Position:
    ours = points if direction == DOWN else points[::-1]
    mine = (*(max(colour * count, 0) for count in ours[1 : POINTS + 1]), on_bar[0])
    theirs = (max(-colour * count, 0) for count in reversed(ours[1 : POINTS + 1]))
    return Position(mine, (*theirs, on_bar[1]), sum(mine) + off)


def _points(view: Position, colour: int, direction: int) -> tuple[int, ...]:
    points = [0] * (POINTS + 2)
    for i in range(PLACES):
        mine, theirs = i + 1, BAR - (i + 1)  # the server's numbers for the player who moves down
        if direction == UP:
            mine, theirs = theirs, mine
        points[mine] += colour * view.mine[i]
        points[theirs] -= colour * view.theirs[i]
    return tuple(points)


# --- moves: server point numbers, the same for both players


def move_text(play: Play, direction: int) -> str:
    """Return a text such as `8-5 6-5`, rear checkers first, as servers apply it step by step."""
    steps = sorted(play, key=lambda step: -step.start)
    return " ".join(
        f"{_place(step.start, direction)}-{_place(step.end, direction)}" for step in steps
    )


def read_move(text: str, direction: int) -> Play:
    """Return the steps of a text by any server; InputError if they go the other way."""
    steps: list[Step] = []
    for word in text.lower().removesuffix(".").split():
        places = [_own(place, direction) for place in word.split("-")]
        if len(places) < 2:
            raise InputError(f"{word!r} is not a step")
        steps += [Step(*pair) for pair in pairwise(places)]
    if any(step.start <= step.end for step in steps):
        raise InputError(f"{text!r} does not go home")
    return tuple(steps)


def _place(point: int, direction: int) -> str:
    if point == BAR:
        return "bar"
    if point == OFF:
        return "off"
    return str(point if direction == DOWN else BAR - point)


def _own(place: str, direction: int) -> int:
    if place in ("bar", "b"):
        return BAR
    if place in ("off", "home", "o", "h"):
        return OFF
    if not (place.isascii() and place.isdigit() and len(place) <= 2 and int(place) <= BAR):
        raise InputError(f"{place!r} is not a point")
    return int(place) if direction == DOWN else BAR - int(place)
