"""Progress, and the budgets of commands without it.

Progress is a situation on our own board that we have never seen, so it cannot repeat. Prompts,
lines of text, states and known boards do not count: a server can send them forever. Nor does a
board that shows no running game while the next one waits to be joined: nobody has joined. Nor do we
stay forever: a match has its own patience, but once a match without progress has ended, only
progress or a quiet while stops the clock.

Invariant: a budget stops repetition, and never silences us. Without progress every command draws on
one of three budgets, for logins, for settings and for all others. Each allows some commands at once
and then one more every minute or two, so a first try waits for two minutes at most; settings do not
wait, they stay as they are. The server's administrator still gets, in any hour without a new board,
at most 40 logins, 70 commands about settings and 90 others, 30 in a minute, 6 of them the same.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.settings import READY
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command

MINUTE_S = 60.0
MOST_OF_A_KIND = 6  # a minute
MOST_A_MINUTE = 30
SETTLED_WITHIN_S = 300.0  # of the login, or of a match without progress
IN_PEACE_S = 20.0  # in the lobby: really settled, not between two matches
KNOWN_SITUATIONS = 5_000  # more than any loop of a server

Kind = tuple[type[Command], object]


@dataclass(frozen=True, slots=True)
class Budget:
    """Commands without progress: some at once, and then one more every `every_s`."""

    at_once: int
    every_s: float


LOGINS = Budget(10, 120.0)
SETTINGS = Budget(40, 120.0)  # a first set-up takes up to 24
OTHERS = Budget(30, 60.0)
LOBBY_AT_ONCE = 20  # of the others; the rest are kept for a match that begins


def budget_of(command: Command) -> Budget:
    """Return the budget of a command; `ready` belongs to playing, not to the settings."""
    match command:
        case c.Login():
            return LOGINS
        case c.Toggle(name) if name == READY:
            return OTHERS
        case c.SetVariable() | c.Toggle() | c.ListToggles() | c.ShowSaved():
            return SETTINGS
        case _:
            return OTHERS


class Progress:
    """One bot's progress, across its connections."""

    def __init__(self) -> None:
        self.at = float("-inf")  # the last progress
        self._match = 0  # its number
        self._seen: dict[int, int] = {}  # situations, and the last match with each
        self._sent: deque[tuple[float, Kind]] = deque()  # since then, within the last minute
        self._full_at: dict[Budget, float] = {}  # when nothing is missing any more

    def match_begins(self) -> None:
        """Note that a match begins or is resumed, perhaps from an earlier situation."""
        self._match += 1

    def knows(self, board: FibsBoard, *, in_this_match: bool) -> bool:
        """Return whether we have seen this board, in this match or ever."""
        match = self._seen.get(hash(board.situation()))
        return match == self._match if in_this_match else match is not None

    def note_board(self, board: FibsBoard, now: float, *, pauses: bool = False) -> None:
        """Note a board on which we play; it `pauses` where the next game waited to be joined."""
        situation = hash(board.situation())
        known = situation in self._seen
        self._seen[situation] = self._match
        if known or (pauses and board.is_game_over()):
            return
        if len(self._seen) > KNOWN_SITUATIONS:
            del self._seen[next(iter(self._seen))]
        self.at = now
        self._sent.clear()
        self._full_at.clear()

    def sent(self, command: Command, now: float) -> None:
        self._sent.append((now, _kind(command)))
        while self._sent[0][0] <= now - MINUTE_S:
            self._sent.popleft()
        budget = budget_of(command)
        self._full_at[budget] = max(self._full_at.get(budget, now), now) + budget.every_s

    def free_at(self, command: Command, *, in_match: bool) -> float:
        """Return the time from which the command may go out."""
        kind = _kind(command)
        alike = [at for at, other in self._sent if other == kind]
        all_at = [at for at, _ in self._sent]
        return max(
            _has_room(alike, MOST_OF_A_KIND, MINUTE_S),
            _has_room(all_at, MOST_A_MINUTE, MINUTE_S),
            self._paid_at(budget_of(command), in_match=in_match),
        )

    def is_spent(self, setting: Command, now: float) -> bool:
        """Return whether this setting has to stay as it is."""
        budget = budget_of(setting)
        return budget is SETTINGS and now < self._paid_at(budget)

    def login_at(self) -> float:
        """Return the time from which the next login may go out."""
        return self._paid_at(LOGINS)

    def allow_login(self) -> None:
        """Forget the logins so far: the operator wants another one."""
        self._full_at.pop(LOGINS, None)

    def _paid_at(self, budget: Budget, *, in_match: bool = False) -> float:
        """Return the time from which the budget has room for one command."""
        at_once = LOBBY_AT_ONCE if budget is OTHERS and not in_match else budget.at_once
        return self._full_at.get(budget, float("-inf")) - (at_once - 1) * budget.every_s


class Settling:
    """The clock of one connection; it runs from state to state, and from match to match."""

    def __init__(self, progress: Progress) -> None:
        self.fruitless = False  # since the last progress a match has ended without any
        self._progress = progress
        self._runs = False
        self._since = self._began_at = float("-inf")
        self._match: object | None = None
        self._peace_at: float | None = None  # the time since which we are settled

    def note(self, match: object | None, now: float, *, settled: bool) -> None:
        """Note the match and the state; call this after anything that may have changed them."""
        in_peace = self._peace_at is not None and now >= self._peace_at + IN_PEACE_S
        if in_peace or self._progress.at >= self._since:
            self._since, self.fruitless = now, False
        if match is not self._match:
            if not self.fruitless:
                self._since = now
                still_since = max(self._began_at, now - SETTLED_WITHIN_S)
                self.fruitless = self._match is not None and self._progress.at <= still_since
            self._match, self._began_at = match, now
        if not settled:
            self._peace_at = None
        elif self._peace_at is None:
            self._peace_at = now
        self._runs = not settled and (match is None or self.fruitless)

    @property
    def until(self) -> float:
        """Time at which it is too late to settle."""
        return self._since + SETTLED_WITHIN_S if self._runs else float("inf")


@dataclass(slots=True)
class KnownServer:
    """Knowledge of a server that a bot keeps from one connection to the next."""

    dialect: LearnedDialect = field(default_factory=LearnedDialect)
    progress: Progress = field(default_factory=Progress)
    agreed_at: float = float("-inf")  # when its who line last agreed with us
    welcomed: bool = False  # at least once: name and password are right


def _kind(command: Command) -> Kind:
    """Return the kind of a command; its user or setting is a part of it."""
    return type(command), getattr(command, "name", None)


def _has_room(times: list[float], most: int, within_s: float) -> float:
    """Return the time from which fewer than `most` of these lie within the last `within_s`."""
    return times[-most] + within_s if len(times) >= most else float("-inf")
