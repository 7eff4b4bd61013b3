"""A match between two users, played or saved: the running game, the score, the next steps.

An UnfinishedMatch is a frozen value. Each transition returns the next one without checks, since
`play.py` has refused the commands that FIBS refuses. Seats are 0 and 1 as in `players`;
which seat plays O changes from game to game. `position` is as the player on roll sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from sixprime.engine import game
from sixprime.engine.position import BAR, OFF, Dice, MatchState, Phase, Play, Position, Variant
from sixprime.protocols.fibs.wire.board import DOWN, UP, move_text

Pair = tuple[str, str]  # two names in alphabetical order: the key of a match
MAX_CUBE = 2**15


def pair_of(one: str, two: str) -> Pair:
    """Return the key of a match between these two."""
    return min(one, two), max(one, two)


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """See the module's docstring; aliases are the names in the store."""

    players: tuple[str, str]  # seat 0 joined the match, seat 1 had invited
    length: int  # 0: unlimited
    crawford_rule: bool = True
    redoubles: int = 0  # instant redoubles that may follow one double
    variant: Variant = Variant.STANDARD
    position: Position = field(default_factory=Position.start)
    state: Annotated[MatchState, Field(alias="match")] = field(
        default_factory=lambda: MatchState(phase=Phase.NOT_STARTED)
    )
    o_seat: int = 0
    opening: bool = False  # the opening roll is still to be played
    crawford_played: bool = False
    games: int = 0  # started so far
    joined: int | None = None  # the seat that is waiting for the other to join the next game
    redoubled: int = 0  # instant redoubles since the double that is not answered yet
    record: tuple[str, ...] = ()  # this game, as `oldmoves` shows it
    last_dice: Dice | None = None  # the previous roll, for servers that keep showing it

    # ---- players

    @property
    def pair(self) -> Pair:
        """Return the key under which the server keeps this match."""
        return pair_of(*self.players)

    def seat(self, name: str) -> int:
        return self.players.index(name)

    def other(self, name: str) -> str:
        return self.players[1 - self.seat(name)]

    def letter(self, seat: int) -> str:
        return "O" if seat == self.o_seat else "X"

    # ---- the moment

    @property
    def in_game(self) -> bool:
        """Return whether a game is in progress, not a pause between two."""
        return self.state.phase is Phase.PLAYING

    @property
    def resigner(self) -> int | None:
        """Return the seat whose resignation waits for an answer."""
        return 1 - self.state.to_act if self.state.resigned else None

    @property
    def doubler(self) -> int | None:
        """Return the seat whose double (or redouble) waits for an answer."""
        return 1 - self.state.to_act if self.state.doubled else None

    def is_turn_of(self, seat: int) -> bool:
        """Return whether this seat is on roll and no double waits for an answer."""
        return self.state.on_roll == seat and not self.state.doubled

    @property
    def unlimited(self) -> bool:
        """Return whether the match has no length, so that it never ends and is never rated."""
        return self.length == 0

    def cube_is_in_play(self) -> bool:
        """Return whether this game allows doubles."""
        return self.length != 1 and not self.state.crawford

    def may_double(self) -> bool:
        """Return whether the player on roll may double; FIBS allows even a dead cube."""
        return self.state.cube < MAX_CUBE and self.state.may_double(dead_cube=True)

    def view(self, seat: int) -> Position:
        return self.position if seat == self.state.on_roll else self.position.flipped()

    # ---- the course of a game

    def next_game(self, dice: tuple[int, int], cube: int) -> UnfinishedMatch:
        """Begin a game, opened by these two different dice: seat 0's, seat 1's."""
        first = 0 if dice[0] > dice[1] else 1
        crawford = self.crawford_is_next()
        state = MatchState(
            length=self.length,
            score=self.state.score,
            on_roll=first,
            to_act=first,
            dice=(dice[first], dice[1 - first]),
            cube=cube,
            crawford=crawford,
            beavers=self.redoubles,
        )
        return replace(
            self,
            position=Position.start(self.variant),
            state=state,
            opening=True,
            crawford_played=self.crawford_played or crawford,
            games=self.games + 1,
            joined=None,
            redoubled=0,
            record=(),
            last_dice=None,
        )

    def crawford_is_next(self) -> bool:
        """Return whether the next game is the Crawford game, without a cube."""
        return self.crawford_rule and game.is_crawford(
            self.length, self.state.score, played_before=self.crawford_played
        )

    def rolled(self, dice: Dice) -> UnfinishedMatch:
        return self.with_state(dice=dice)

    def played(self, play: Play) -> UnfinishedMatch:
        """Make this play (() is a dance); the other player is then on roll."""
        dice, mover = self.state.dice, self.state.on_roll
        assert dice is not None
        steps = self.steps_text(mover, play) or "can't move"
        match = self._noted(mover, f"({dice[0]} {dice[1]}) {steps}")
        position, state = game.played(self.position, self.state, play)
        return replace(match, position=position, state=state, opening=False, last_dice=dice)

    def doubled(self) -> UnfinishedMatch:
        return self._after(game.doubled, self.state.on_roll, "doubles")

    def redoubled_at_once(self) -> UnfinishedMatch:
        """Turn the cube again at once by the player who was doubled (a beaver)."""
        match = self._after(game.beavered, self.state.to_act, "redoubles")
        return replace(match, redoubled=self.redoubled + 1)

    def taken(self) -> UnfinishedMatch:
        """Turn the cube; the player who was doubled first owns it."""
        return replace(self._after(game.taken, self.state.to_act, "accepts"), redoubled=0)

    def dropped(self) -> UnfinishedMatch:
        """Refuse the double, which loses the old stake."""
        return self._after(game.dropped, self.state.to_act, "rejects")

    def resigned(self, seat: int, games: int) -> UnfinishedMatch:
        """Offer, by a seat, to lose 1, 2 or 3 times the cube."""
        match = self._noted(seat, "wants to resign")
        return replace(match, state=game.resigned(self.state, seat, games))

    def resignation_accepted(self) -> UnfinishedMatch:
        return self._after(game.resignation_accepted, self.state.to_act, "accepts")

    def resignation_rejected(self) -> UnfinishedMatch:
        """Reject the resignation; the game goes on."""
        return self._after(game.resignation_withdrawn, self.state.to_act, "rejects")

    @property
    def won(self) -> game.GameWon | None:
        """Return the winner of this game and the points; None while it goes on."""
        return game.won(self.position, self.state)

    def scored(self, won: game.GameWon, alternate: bool) -> UnfinishedMatch:
        """Score the finished game; `alternate`: O and X change sides for the next one."""
        ended = self._noted(won.winner, "wins").with_state(
            score=game.score_after(self.state.score, won),
            dice=None,
            doubled=False,
            resigned=0,
            phase=Phase.OVER,
        )
        return replace(ended, o_seat=1 - self.o_seat if alternate else self.o_seat)

    @property
    def winner(self) -> int | None:
        if self.unlimited:
            return None
        return next((seat for seat in (0, 1) if self.state.score[seat] >= self.length), None)

    def with_state(self, **changes: object) -> UnfinishedMatch:
        """Return a copy with these fields of the match state changed."""
        return replace(self, state=self.state.with_(**changes))

    # ---- in the server's words

    def point_name(self, seat: int, place: int) -> str:
        """Return the board's number of a place in the seat's own numbering."""
        if place in (BAR, OFF):
            return "bar" if place == BAR else "off"
        return str(place if seat == self.o_seat else 25 - place)

    def steps_text(self, seat: int, play: Play) -> str:
        """`8-5 6-5`"""
        return move_text(play, DOWN if seat == self.o_seat else UP)

    def kind(self) -> str:
        """`5 point match` or `unlimited match`"""
        return "unlimited match" if self.unlimited else f"{self.length} point match"

    def _after(
        self, step: Callable[[MatchState], MatchState], seat: int, what: str
    ) -> UnfinishedMatch:
        return replace(self._noted(seat, what), state=step(self.state))

    def _noted(self, seat: int, what: str) -> UnfinishedMatch:
        return replace(self, record=(*self.record, f"{self.letter(seat)}: {what}"))


@dataclass(frozen=True, slots=True)
class LastGame:
    """A finished game, kept for `oldmoves` and `oldboard` of one of its players."""

    player: str
    match: Annotated[UnfinishedMatch, Field(alias="table")]  # with the score before the game
