"""A small honest server that plays standard matches by the protocol, without I/O.

It follows PROTOCOL.md and what the real server was seen to do: who may say what, the opening roll,
dice that roll by themselves where nobody may double, steps one by one, `ok`, prices of a pass.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sixprime.engine.position import BAR, OFF, PLACES, POINTS, Position, Step
from sixprime.engine.rules import legal_plays

OUR_OFF, THEIR_OFF, OUR_BAR, THEIR_BAR = 0, 25, 26, 27
SHOWN = 28
TERMS = 1_500  # the rating of a registered user
Say = Callable[..., None]


def places_of(view: Position) -> list[int]:
    """The 28 counts by which the server shows these checkers to their owner."""
    places = [0] * SHOWN
    for i in range(POINTS):
        places[i + 1] += view.mine[i]
        places[POINTS - i] -= view.theirs[i]
    places[OUR_BAR], places[THEIR_BAR] = view.mine[PLACES - 1], -view.theirs[PLACES - 1]
    places[OUR_OFF], places[THEIR_OFF] = view.off()[0], -view.off()[1]
    return places


def pair_of(step: Step, ours: bool) -> list[int]:
    """A step as the server numbers it for its mover, or for the other side."""
    bar, off = (OUR_BAR, OUR_OFF) if ours else (THEIR_BAR, THEIR_OFF)
    ends = []
    for point in step:
        place = point if ours else BAR - point
        ends.append(bar if point == BAR else off if point == OFF else place)
    return ends


@dataclass(eq=False)
class Guest:
    """One connection; what the server says to it piles up in `said`."""

    name: str = ""
    said: list[dict[str, Any]] = field(default_factory=list)
    autoplay: bool = False
    open: bool = True

    def take(self) -> bytes:
        """Everything said since, as bytes."""
        said, self.said = self.said, []
        return b"".join(json.dumps(each).encode() + b"\n" for each in said)


@dataclass(eq=False)
class Table:
    """A match; seats are 0 and 1."""

    number: int
    points: int
    title: str
    names: list[str] = field(default_factory=lambda: ["", ""])
    guests: list[Guest | None] = field(default_factory=lambda: [None, None])
    allowed: list[str] = field(default_factory=list)  # since the first die
    score: list[int] = field(default_factory=lambda: [0, 0])
    started: int = 0
    crawford: int = 0
    winner: int | None = None
    rematch: int | None = None
    view: Position = field(default_factory=Position.start)  # of seat 0
    turn: int | None = None
    dice: list[int] = field(default_factory=lambda: [0, 0])
    cube: int = 1
    owner: int | None = None
    doubled: bool = False
    before: Position = field(default_factory=Position.start)  # of this turn, its mover's view
    steps: list[Step] = field(default_factory=list)

    def new_game(self) -> None:
        self.view, self.turn, self.dice = Position.start(), None, [0, 0]
        self.cube, self.owner, self.doubled, self.steps = 1, None, False, []

    def seen_by(self, seat: int) -> Position:
        return self.view if seat == 0 else self.view.flipped()

    def may_double(self) -> bool:
        cube = self.cube < 64 and self.owner in (None, self.turn)
        return self.points > 1 and self.crawford != 1 and cube and not self.doubled

    def next_steps(self) -> list[Step]:
        """The steps that may be next, of all plays of the roll that go on as it was begun."""
        if self.turn is None or not all(self.dice) or self.winner is not None:
            return []
        plays = legal_plays(self.before, (self.dice[0], self.dice[1]))
        results = {legal.result for legal in plays}
        most = max(len(legal.play) for legal in plays)
        left = list(self.dice) * (2 if self.dice[0] == self.dice[1] else 1)
        here = self.seen_by(self.turn)
        for step in self.steps:
            left.remove(_die_of(step, left))
        more = most - len(self.steps) - 1
        found = [
            step
            for die in set(left)
            for step in _steps(here, die)
            if _reaches(here.after((step,)), _without(left, die), more, results)
        ]
        return list(dict.fromkeys(found))


def _die_of(step: Step, left: list[int]) -> int:
    pips = step.start - step.end
    return pips if pips in left else min(die for die in left if die > pips)


def _steps(view: Position, die: int) -> list[Step]:
    rear = max((i + 1 for i in range(PLACES) if view.mine[i]), default=0)
    starts = [BAR] if view.mine[PLACES - 1] else range(rear, 0, -1)
    found = []
    for start in starts:
        end = start - die
        if not view.mine[start - 1] or (end > 0 and view.theirs[POINTS - end] > 1):
            continue
        if end <= 0 and (rear > 6 or (end < 0 and start != rear)):
            continue
        found.append(Step(start, max(end, OFF)))
    return found


def _reaches(view: Position, left: list[int], more: int, results: set[Position]) -> bool:
    if more == 0:
        return view in results
    return any(
        _reaches(view.after((step,)), _without(left, die), more - 1, results)
        for die in set(left)
        for step in _steps(view, die)
    )


def _without(left: list[int], die: int) -> list[int]:
    rest = list(left)
    rest.remove(die)
    return rest


class FakeServer:
    """See the module's docstring."""

    def __init__(self, seed: int = 1, accounts: dict[str, str] | None = None) -> None:
        self.dice = random.Random(seed)
        self.accounts = accounts or {}
        self.guests: list[Guest] = []
        self.tables: list[Table] = []
        self.refused: list[tuple[str, str]] = []  # names, and what was refused
        self._tables = 0

    # --- connections

    def connects(self) -> Guest:
        """A new connection; its greeting, which is no JSON, goes before what it is told."""
        guest = Guest()
        self.guests.append(guest)
        return guest

    def hangs_up(self, guest: Guest) -> None:
        """The line is cut; the seat stays."""
        guest.open = False
        if guest in self.guests:
            self.guests.remove(guest)
            self._leaves(guest)

    def hears(self, guest: Guest, line: str) -> None:
        """A line from this connection."""
        words = line.split()
        if not words or not guest.open:
            return
        if not guest.name:
            if words[0] == "loginjson":
                self._login(guest, words[1:])
            return
        handler = getattr(self, f"_hears_{words[0]}", None)
        if handler is None:
            _tell(guest, "notice", Message=f"Unknown command: {words[0]}")
        else:
            handler(guest, words[1:])

    def _login(self, guest: Guest, words: list[str]) -> None:
        name, password = [*words[1:], "", ""][:2]
        if password and self.accounts.get(name) != password:
            _tell(guest, "notice", Message="Connection terminated: No account was found with ...")
            guest.open = False
            return
        name = name if password else f"Guest_{name}"
        if any(other.name == name for other in self.guests):
            _tell(
                guest, "notice", Message="Connection terminated: That username is already in use."
            )
            guest.open = False
            return
        guest.name = f"BOT_{name[4:]}" if name.startswith("bot_") else name
        _tell(guest, "welcome", PlayerName=guest.name, Clients=len(self.guests), Games=0)
        _tell(guest, "settings", AutoPlay=guest.autoplay, Pips=True)
        self._hears_list(guest, [])
        for table in self.tables:
            if table.winner is None and guest.name in table.allowed:
                self._sits(guest, table, table.allowed.index(guest.name))

    def ping(self) -> None:
        for guest in self.guests:
            _tell(guest, "ping", Message="1795930332")

    # --- tables

    def table_of(self, guest: Guest) -> Table | None:
        return next((table for table in self.tables if guest in table.guests), None)

    def _hears_list(self, guest: Guest, words: list[str]) -> None:
        games = [
            {
                "ID": table.number,
                "Password": False,
                "Points": table.points,
                "Players": 2 - table.guests.count(None),
                "Rating": self._rating(table.names[0] or table.names[1]),
                "Name": table.title,
            }
            for table in self.tables
        ]
        _tell(guest, "list", Games=games or None)

    def _hears_create(self, guest: Guest, words: list[str]) -> None:
        if self.table_of(guest) is not None:
            self._refuse(guest, "create", "Please leave the match you are in before creating.")
            return
        self._tables += 1
        table = Table(self._tables, int(words[1]), " ".join(words[3:]) or f"{guest.name}'s match")
        self.tables.append(table)
        self._sits(guest, table, self.dice.randrange(2))

    def _hears_join(self, guest: Guest, words: list[str]) -> None:
        wanted = next((t for t in self.tables if words[0] in (str(t.number), *t.names)), None)
        if wanted is None or self.table_of(guest) is not None or None not in wanted.guests:
            self._refuse(guest, "join", "Match not found.")
        elif not wanted.allowed or guest.name in wanted.allowed:
            self._sits(guest, wanted, wanted.guests.index(None))

    def _sits(self, guest: Guest, table: Table, seat: int) -> None:
        table.guests[seat], table.names[seat] = guest, guest.name
        _tell(guest, "joined", Player=guest.name, GameID=table.number, PlayerNumber=1)
        self._board(table, seat)
        other = table.guests[1 - seat]
        if other is not None:
            _tell(other, "joined", Player=guest.name, GameID=table.number, PlayerNumber=2)
            self._board(table, 1 - seat)

    def _hears_leave(self, guest: Guest, words: list[str]) -> None:
        if self.table_of(guest) is None:
            self._refuse(guest, "leave", "You are not currently in a match.")
        self._leaves(guest)

    def _leaves(self, guest: Guest) -> None:
        table = self.table_of(guest)
        if table is None:
            return
        seat = table.guests.index(guest)
        table.guests[seat], table.names[seat] = None, ""
        for each in (guest, table.guests[1 - seat]):
            if each is not None:
                _tell(each, "left", Player=guest.name)
        if table.guests == [None, None]:
            self.tables.remove(table)

    def _hears_rematch(self, guest: Guest, words: list[str]) -> None:
        table = self.table_of(guest)
        if table is None or table.winner is None or None in table.guests:
            self._refuse(guest, "", "The match you are in is still in progress.")
            return
        seat = table.guests.index(guest)
        if table.rematch in (None, seat):
            table.rematch = seat
            other = table.guests[1 - seat]
            assert other is not None
            _tell(other, "notice", Message="Your opponent would like to play again.")
            return
        table.winner, table.rematch, table.started, table.crawford = None, None, 0, 0
        table.score, table.allowed = [0, 0], []
        table.new_game()
        for each in (0, 1):
            for number, name in ((1, table.names[each]), (2, table.names[1 - each])):
                _tell(_of(table, each), "joined", Player=name, GameID=1, PlayerNumber=number)
            self._board(table, each)

    # --- what is shown

    def _rating(self, name: str) -> int:
        return TERMS if name in self.accounts else 0

    def _player(self, table: Table, seat: int, number: int) -> dict[str, Any]:
        name, points = table.names[seat], table.score[seat]
        rating = self._rating(name)
        return {"Number": number, "Name": name, "Rating": rating, "Points": points, "Inactive": 0}

    def _board(self, table: Table, seat: int, *, forced: bool = False) -> None:
        guest = table.guests[seat]
        if guest is None:
            return

        def number(whose: int | None) -> int:
            return 0 if whose is None else 1 if whose == seat else 2

        turn, dice = table.turn, table.dice
        rolled = dice if turn is not None or seat == 0 else dice[::-1]
        _tell(
            guest,
            "board",
            Started=table.started,
            Player1=self._player(table, seat, 1),
            Player2=self._player(table, 1 - seat, 2),
            Variant=0,
            Board=places_of(table.seen_by(seat)),
            Turn=number(turn),
            Roll1=rolled[0],
            Roll2=rolled[1],
            Moves=[pair_of(step, turn == seat) for step in table.steps],
            Winner=number(table.winner),
            Points=table.points,
            Crawford=table.crawford,
            DoubleValue=table.cube,
            DoublePlayer=number(table.owner),
            DoubleOffered=table.doubled,
            PlayerNumber=1,
            Available=[pair_of(step, turn == seat) for step in table.next_steps()] or None,
            Forced=forced,
            Spectating=False,
        )

    def _boards(self, table: Table, *, forced: bool = False) -> None:
        for seat in (0, 1):
            self._board(table, seat, forced=forced)

    def _both(self, table: Table, kind: str, **fields: Any) -> None:
        for guest in table.guests:
            if guest is not None:
                _tell(guest, kind, **fields)

    # --- a game

    def _here(self, guest: Guest, what: str) -> tuple[Table, int] | None:
        """The table and seat of somebody who may act, else a refusal."""
        table = self.table_of(guest)
        if table is None or table.winner is not None or None in table.guests:
            self._refuse(guest, what, "You may not do that now.")
            return None
        return table, table.guests.index(guest)

    def _refuse(self, guest: Guest, what: str, why: str) -> None:
        self.refused.append((guest.name, f"{what}: {why}"))
        if what in ("create", "join", "leave", "roll", "move", "ok"):
            _tell(guest, f"failed{what}", Reason=why)
        else:
            _tell(guest, "notice", Message=why)

    def _die(self) -> int:
        return self.dice.randint(1, 6)

    def _hears_roll(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "roll")
        if here is None:
            return
        table, seat = here
        if table.turn is None:
            self._open(table, seat, guest)
        elif table.turn != seat or any(table.dice) or table.doubled:
            self._refuse(guest, "roll", "It is not your turn to roll.")
        else:
            self._roll(table)

    def _open(self, table: Table, seat: int, guest: Guest) -> None:
        if table.dice[seat]:
            self._refuse(guest, "roll", "It is not your turn to roll.")
            return
        table.allowed = [*table.names]
        table.dice[seat] = self._die()
        self._opening(table, guest.name)
        while all(table.dice) and table.dice[0] == table.dice[1]:
            table.dice = [self._die(), 0]
            self._opening(table, table.names[0])
            table.dice[1] = self._die()
            self._opening(table, table.names[1])
        if all(table.dice):
            table.started = table.started or 1_795_930_332
            table.turn = int(table.dice[1] > table.dice[0])
            self._begin_turn(table)

    def _opening(self, table: Table, name: str) -> None:
        for seat in (0, 1):
            ours, theirs = table.dice[seat], table.dice[1 - seat]
            _tell(_of(table, seat), "rolled", Player=name, Roll1=ours, Roll2=theirs)

    def _roll(self, table: Table) -> None:
        assert table.turn is not None
        table.dice = [self._die(), self._die()]
        name = table.names[table.turn]
        self._both(table, "rolled", Player=name, Roll1=table.dice[0], Roll2=table.dice[1])
        self._begin_turn(table)

    def _begin_turn(self, table: Table) -> None:
        assert table.turn is not None
        table.before, table.steps = table.seen_by(table.turn), []
        plays = legal_plays(table.before, (table.dice[0], table.dice[1]))
        guest = _of(table, table.turn)
        if not guest.autoplay or len(plays) > 1 or not plays[0].play:
            self._boards(table)
            return
        self._boards(table, forced=True)
        for step in plays[0].play:
            self._step(table, step)
        if not self._is_won(table):
            self._pass(table)

    def _step(self, table: Table, step: Step) -> None:
        turn = table.turn
        assert turn is not None
        table.steps.append(step)
        after = table.seen_by(turn).after((step,))
        table.view = after if turn == 0 else after.flipped()
        for seat in (0, 1):
            moves = [pair_of(step, turn == seat)]
            _tell(_of(table, seat), "moved", Player=table.names[turn], Moves=moves)

    def _hears_move(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "move")
        if here is None:
            return
        table, seat = here
        steps = [_read_step(word) for word in words]
        if table.turn != seat or len(steps) != 1 or steps[0] not in table.next_steps():
            self._refuse(guest, "move", "Illegal move.")
            return
        self._step(table, steps[0])
        self._boards(table)
        self._is_won(table)

    def _hears_reset(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "")
        if here is None or here[0].turn != here[1] or not here[0].steps:
            return
        table, seat = here
        table.view = table.before if seat == 0 else table.before.flipped()
        table.steps = []
        self._boards(table)

    def _hears_ok(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "ok")
        if here is None:
            return
        table, seat = here
        if table.doubled and table.turn != seat:
            table.cube, table.owner, table.doubled = 2 * table.cube, seat, False
            self._boards(table)
        elif table.turn != seat or table.doubled or not all(table.dice):
            self._refuse(guest, "", "It is not your turn.")
        elif table.next_steps():
            self._refuse(guest, "ok", "The following legal moves are available: ...")
        else:
            self._pass(table)

    def _pass(self, table: Table) -> None:
        assert table.turn is not None
        table.turn, table.dice, table.steps = 1 - table.turn, [0, 0], []
        if table.may_double():
            self._boards(table)
        else:
            self._roll(table)

    def _hears_double(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "")
        if here is None:
            return
        table, seat = here
        if table.turn != seat or any(table.dice) or not table.may_double():
            self._refuse(guest, "", "You may not double at this time.")
            return
        table.doubled = True
        self._boards(table)

    def _hears_resign(self, guest: Guest, words: list[str]) -> None:
        here = self._here(guest, "")
        if here is None:
            return
        table, seat = here
        if table.doubled == (table.turn == seat):
            self._refuse(guest, "", "You may not resign until it is your turn.")
            return
        self._game_over(table, 1 - seat, self._price(table, seat), resigned=guest.name)

    @staticmethod
    def _price(table: Table, loser: int) -> int:
        view = table.seen_by(loser)
        return 3 if any(view.mine[18:]) else 1 if view.off()[0] else 2

    def _is_won(self, table: Table) -> bool:
        turn = table.turn
        if turn is None or any(table.seen_by(turn).mine):
            return False
        table.winner = turn
        self._boards(table)
        self._game_over(table, turn, self._price(table, 1 - turn))
        return True

    def _game_over(self, table: Table, winner: int, games: int, resigned: str = "") -> None:
        points = games * table.cube
        table.score[winner] = min(table.score[winner] + points, 127)
        is_over = table.score[winner] >= table.points
        table.winner = winner if is_over else None
        self._both(
            table,
            "win",
            Player=table.names[winner],
            Points=points if table.points > 1 else 0,
            Rating=7 * is_over,
            Resigned=resigned,
        )
        if not is_over:
            one_away = table.points - 1 in table.score
            table.crawford = min(table.crawford + 1, 2) if table.crawford or one_away else 0
            table.new_game()
        self._boards(table)

    # --- the rest

    def _hears_board(self, guest: Guest, words: list[str]) -> None:
        table = self.table_of(guest)
        if table is None:
            self._refuse(guest, "", "You are not currently in a match.")
        else:
            self._board(table, table.guests.index(guest))

    def _hears_say(self, guest: Guest, words: list[str]) -> None:
        table = self.table_of(guest)
        other = None if table is None else table.guests[1 - table.guests.index(guest)]
        if other is not None:
            _tell(other, "say", Player=guest.name, Message=" ".join(words))

    def _hears_history(self, guest: Guest, words: list[str]) -> None:
        self._leaves(guest)
        _tell(
            guest,
            "history",
            Player=words[0],
            Page=1,
            Matches=[],
            CasualBackgammonSingle=1490,
            CasualBackgammonMulti=1510,
        )

    def _hears_pong(self, guest: Guest, words: list[str]) -> None: ...

    def _hears_set(self, guest: Guest, words: list[str]) -> None:
        guest.autoplay = words == ["autoplay", "1"]

    def _hears_disconnect(self, guest: Guest, words: list[str]) -> None:
        _tell(guest, "notice", Message="Connection terminated: Client disconnected")
        self.hangs_up(guest)


def _of(table: Table, seat: int) -> Guest:
    guest = table.guests[seat]
    assert guest is not None
    return guest


def _read_step(word: str) -> Step | None:
    start, _, end = word.partition("/")
    try:
        return Step(BAR if start == "bar" else int(start), OFF if end == "off" else int(end))
    except ValueError:
        return None


def _tell(guest: Guest, kind: str, **fields: Any) -> None:
    guest.said.append({"Type": kind, "Player": "", **fields})
