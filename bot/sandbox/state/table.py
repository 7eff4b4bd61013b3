"""A match between two users: the running game, the score, and what may happen next.

A Table is a frozen value; each transition gives the next one and asks no questions, because the
commands in `matches.py` have already refused what FIBS refuses. Seats are 0 and 1 as in
`players`; which seat plays O changes from game to game. `position` is what the player on roll sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sixprime.engine import game
from sixprime.engine.position import BAR, OFF, Dice, MatchState, Phase, Play, Position
from sixprime.protocols.fibs.wire.board import DOWN, UP, move_text

Pair = tuple[str, str]  # two names in alphabetical order: the key of a match
MAX_CUBE = 2**15


@dataclass(frozen=True, slots=True)
class Table:
    """One unfinished match; see the module's docstring."""

    players: tuple[str, str]  # seat 0 joined the match, seat 1 had invited
    length: int  # 0: unlimited
    crawford_rule: bool = True
    redoubles: int = 0  # instant redoubles that may follow one double
    position: Position = field(default_factory=Position.start)
    match: MatchState = field(default_factory=lambda: MatchState(phase=Phase.NOT_STARTED))
    o_seat: int = 0
    opening: bool = False  # the opening roll is still to be played
    crawford_played: bool = False
    games: int = 0  # started so far
    joined: int | None = None  # the seat that waits for the other to join the next game
    redoubled: int = 0  # instant redoubles since the double that waits for an answer
    record: tuple[str, ...] = ()  # this game, as `oldmoves` shows it
    last_dice: Dice | None = None  # the roll before this one, for servers that leave it standing

    # ---- who

    @property
    def pair(self) -> Pair:
        """The key under which the server keeps this match."""
        one, two = sorted(self.players)
        return one, two

    def seat(self, name: str) -> int:
        """The seat of this player."""
        return self.players.index(name)

    def other(self, name: str) -> str:
        """The opponent of this player."""
        return self.players[1 - self.seat(name)]

    def letter(self, seat: int) -> str:
        """O or X."""
        return "O" if seat == self.o_seat else "X"

    # ---- what now

    @property
    def in_game(self) -> bool:
        """Is a game in progress, or are we between two?"""
        return self.match.phase is Phase.PLAYING

    @property
    def resigner(self) -> int | None:
        """The seat whose resignation waits for an answer."""
        return 1 - self.match.to_act if self.match.resigned else None

    @property
    def doubler(self) -> int | None:
        """The seat whose double (or redouble) waits for an answer."""
        return 1 - self.match.to_act if self.match.doubled else None

    @property
    def unlimited(self) -> bool:
        """Is this a match without a length, which never ends and is never rated?"""
        return self.length == 0

    def cube_is_in_play(self) -> bool:
        """Are doubles possible in this game at all?"""
        return self.length != 1 and not self.match.crawford

    def may_double(self, seat: int) -> bool:
        """May this seat double when it is its turn to roll? Dead cubes count: FIBS allows them."""
        owner = self.match.cube_owner
        return self.cube_is_in_play() and owner in (None, seat) and self.match.cube < MAX_CUBE

    def view(self, seat: int) -> Position:
        """The board as this seat sees it."""
        return self.position if seat == self.match.on_roll else self.position.flipped()

    # ---- the course of a game

    def next_game(self, dice: tuple[int, int], cube: int) -> Table:
        """A new game, opened by these two different dice: seat 0's, seat 1's."""
        first = 0 if dice[0] > dice[1] else 1
        crawford = self.crawford_is_next()
        match = MatchState(
            length=self.length,
            score=self.match.score,
            on_roll=first,
            to_act=first,
            dice=(dice[first], dice[1 - first]),
            cube=cube,
            crawford=crawford,
            beavers=self.redoubles,
        )
        return replace(
            self,
            position=Position.start(),
            match=match,
            opening=True,
            crawford_played=self.crawford_played or crawford,
            games=self.games + 1,
            joined=None,
            redoubled=0,
            record=(),
            last_dice=None,
        )

    def crawford_is_next(self) -> bool:
        """Will the next game be the Crawford game, without a cube?"""
        return self.crawford_rule and game.is_crawford(
            self.length, self.match.score, played_before=self.crawford_played
        )

    def rolled(self, dice: Dice) -> Table:
        """The player on roll has thrown these."""
        return self.with_match(dice=dice)

    def played(self, play: Play) -> Table:
        """The player on roll has made this play (() is a dance); the other is on roll."""
        dice, mover = self.match.dice, self.match.on_roll
        assert dice is not None
        steps = self.steps_text(mover, play) or "can't move"
        table = self._noted(mover, f"({dice[0]} {dice[1]}) {steps}")
        position, match = game.played(self.position, self.match, play)
        return replace(table, position=position, match=match, opening=False, last_dice=dice)

    def doubled(self) -> Table:
        """The player on roll has offered a double."""
        return self._after(game.doubled, self.match.on_roll, "doubles")

    def redoubled_at_once(self) -> Table:
        """Who should answer a double has turned the cube once more (a beaver)."""
        table = self._after(game.beavered, self.match.to_act, "redoubles")
        return replace(table, redoubled=self.redoubled + 1)

    def taken(self) -> Table:
        """The cube is turned; it belongs to who was doubled first."""
        return replace(self._after(game.taken, self.match.to_act, "accepts"), redoubled=0)

    def dropped(self) -> Table:
        """The double is refused: the old stake is lost."""
        return self._after(game.dropped, self.match.to_act, "rejects")

    def resigned(self, seat: int, games: int) -> Table:
        """Offer that this seat loses 1, 2 or 3 times the cube."""
        table = self._noted(seat, "wants to resign")
        return replace(table, match=game.resigned(self.match, seat, games))

    def resignation_accepted(self) -> Table:
        """The offered points are won."""
        return self._after(game.resignation_accepted, self.match.to_act, "accepts")

    def resignation_rejected(self) -> Table:
        """The game goes on where it was."""
        return self._after(game.resignation_withdrawn, self.match.to_act, "rejects")

    @property
    def won(self) -> game.GameWon | None:
        """Who has won this game, and how many points; None while it goes on."""
        return game.won(self.position, self.match)

    def scored(self, won: game.GameWon, alternate: bool) -> Table:
        """The game is finished and scored; `alternate`: O and X change sides for the next one."""
        ended = self._noted(won.winner, "wins").with_match(
            score=game.score_after(self.match.score, won),
            dice=None,
            doubled=False,
            resigned=0,
            phase=Phase.OVER,
        )
        return replace(ended, o_seat=1 - self.o_seat if alternate else self.o_seat)

    @property
    def winner(self) -> int | None:
        """The seat that has won the match."""
        if self.unlimited:
            return None
        return next((seat for seat in (0, 1) if self.match.score[seat] >= self.length), None)

    def with_match(self, **changes: object) -> Table:
        """A copy with these fields of the match state changed."""
        return replace(self, match=self.match.with_(**changes))

    # ---- in the server's words

    def point_name(self, seat: int, place: int) -> str:
        """A place of the seat's own numbering as this game's board numbers it."""
        if place in (BAR, OFF):
            return "bar" if place == BAR else "off"
        return str(place if seat == self.o_seat else 25 - place)

    def steps_text(self, seat: int, play: Play) -> str:
        """`8-5 6-5`"""
        return move_text(play, DOWN if seat == self.o_seat else UP)

    def kind(self) -> str:
        """`5 point match` or `unlimited match`"""
        return "unlimited match" if self.unlimited else f"{self.length} point match"

    def _after(self, step: Callable[[MatchState], MatchState], seat: int, what: str) -> Table:
        return replace(self._noted(seat, what), match=step(self.match))

    def _noted(self, seat: int, what: str) -> Table:
        return replace(self, record=(*self.record, f"{self.letter(seat)}: {what}"))


@dataclass(frozen=True, slots=True)
class LastGame:
    """A finished game, kept for `oldmoves` and `oldboard` of one of its players."""

    player: str
    table: Table  # with the score before the game
