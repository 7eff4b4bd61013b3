"""Progress, and the budget of commands without it.

Progress is a situation on our own board that we have never seen, so it cannot repeat. Prompts,
lines of text, states and known boards do not count: a server can send them forever. Without
progress every command draws on a budget, so no server makes us send one again and again. Nor do we
stay forever: a match has its own patience, but once a match without progress has ended, only
progress or a quiet while stops the clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command

MINUTE_S, HOUR_S = 60.0, 3_600.0
MOST_OF_A_KIND = 6  # a minute
MOST_A_MINUTE = 30
MOST_AN_HOUR = 60
LOBBY_AN_HOUR = 50  # of all commands; the rest are kept for a match that begins
SETTLED_WITHIN_S = 300.0  # of the login, or of a match without progress
IN_PEACE_S = 20.0  # in the lobby: really settled, not between two matches
LOGIN_COSTS = 15  # commands, settings included
KNOWN_SITUATIONS = 5_000  # more than any loop of a server

Kind = tuple[type[Command], object]


class Progress:
    """One bot's progress, across its connections."""

    def __init__(self) -> None:
        self.at = float("-inf")  # the last progress
        self._match = 0  # its number
        self._seen: dict[int, int] = {}  # situations, and the last match with each
        self._sent: deque[tuple[float, Kind]] = deque()  # since then

    def match_begins(self) -> None:
        """Note that a match begins or is resumed, perhaps from an earlier situation."""
        self._match += 1

    def knows(self, board: FibsBoard, *, in_this_match: bool) -> bool:
        """Return whether we have seen this board, in this match or ever."""
        match = self._seen.get(hash(board.situation()))
        return match == self._match if in_this_match else match is not None

    def note_board(self, board: FibsBoard, now: float) -> None:
        """Note a board on which we play."""
        situation = hash(board.situation())
        known = situation in self._seen
        self._seen[situation] = self._match
        if known:
            return
        if len(self._seen) > KNOWN_SITUATIONS:
            del self._seen[next(iter(self._seen))]
        self.at = now
        self._sent.clear()

    def sent(self, command: Command, now: float) -> None:
        self._sent.append((now, _kind(command)))
        while self._sent[0][0] <= now - HOUR_S:
            self._sent.popleft()

    def free_at(self, command: Command, *, in_match: bool) -> float:
        kind = _kind(command)
        alike = [at for at, other in self._sent if other == kind]
        all_at = [at for at, _ in self._sent]
        return max(
            _has_room(alike, MOST_OF_A_KIND, MINUTE_S),
            _has_room(all_at, MOST_A_MINUTE, MINUTE_S),
            _has_room(all_at, MOST_AN_HOUR if in_match else LOBBY_AN_HOUR, HOUR_S),
        )

    def login_at(self) -> float:
        """Return the time from which a login and its settings fit into the budget."""
        return _has_room([at for at, _ in self._sent], LOBBY_AN_HOUR - LOGIN_COSTS, HOUR_S)


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
