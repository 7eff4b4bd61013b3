"""The server's state in memory, on which its commands work.

ServerState owns accounts, sessions, matches and messages, and collects the effects: lines for
sessions, connections to close, passwords to check (slow, so done elsewhere) and the changes that
must be on disk before any of those lines is sent.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from enum import Enum, auto
from operator import attrgetter
from typing import Any

from sixprime.bot.sandbox.state.accounts import UserAccount, WaitingMessage
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Allowances, Bucket, Limits, network_of
from sixprime.bot.sandbox.state.match import LastGame, Pair, UnfinishedMatch
from sixprime.bot.sandbox.state.output import CRLF, SessionOutput, folded
from sixprime.bot.sandbox.state.passwordqueue import (
    PasswordCheck,
    PasswordQueue,
    PasswordWish,
    SessionId,
    Slow,
)
from sixprime.engine.position import Dice
from sixprime.engine.system.errors import SixprimeError
from sixprime.engine.system.faults import fault_of

WILL_ECHO = "\xff\xfb\x01"
WONT_ECHO = "\xff\xfc\x01"
BELL = "\x07"

Words = list[str]  # of a command, after its name


class CommandRefused(SixprimeError):
    """A command is refused; the text is the line that the user reads."""


def refuse(*reasons: tuple[bool, str]) -> None:
    """Raise CommandRefused with the first line whose condition holds."""
    for holds, line in reasons:
        if holds:
            raise CommandRefused(line)


class Stage(Enum):
    """The meaning of a session's next line."""

    LOGIN = auto()  # a user name, `guest` or a CLIP login
    PASSWORD = auto()
    GUEST = auto()  # `name NEWNAME`
    NEW_PASSWORD = auto()
    RETYPE = auto()
    CHECKING = auto()  # a password is being checked; lines wait
    LOBBY = auto()  # logged in
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """The one open offer of an inviter; `length` None means to resume, 0 is unlimited."""

    to: str
    length: int | None


@dataclass(slots=True)
class SessionInput:
    waiting: deque[str] = field(default_factory=deque)  # while a password is being checked
    commands: int = 0
    last_command: str = ""


@dataclass(slots=True)
class UserSession:
    """One connection, from its first byte to its last."""

    id: SessionId
    host: str
    connected: float
    bucket: Bucket
    stage: Stage = Stage.LOGIN
    clip: bool = False
    name: str = ""  # of the account, or of the account being tried
    client: str = "-"
    active: float = 0.0  # when the last command came
    failures: int = 0
    warned: bool = False  # was warned that the account is in use (second_login: twice)
    new_password: str = field(default="", repr=False)
    watching: str | None = None
    invitation: OpenInvitation | None = None
    awaited: frozenset[str] = frozenset()
    input: SessionInput = field(default_factory=SessionInput)
    output: SessionOutput = field(default_factory=SessionOutput)
    waved: bool = False
    ended: bool = False  # the client sends no more, and goes when its commands are answered
    house: bool = False  # one of the server's own players: never idle, never too fast


@dataclass(frozen=True, slots=True)
class Saves:
    """Changes to make durable before the output goes out; None deletes."""

    accounts: dict[str, UserAccount] = field(default_factory=dict)
    matches: dict[Pair, UnfinishedMatch | None] = field(default_factory=dict)
    messages: dict[int, WaitingMessage | None] = field(default_factory=dict)
    last_games: dict[str, LastGame] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.accounts or self.matches or self.messages or self.last_games)


CHANGEABLE = (
    *("stage", "name", "clip", "client", "new_password"),
    *("watching", "invitation", "awaited", "waved"),
)
CHANGED_BY_COMMANDS = attrgetter(*CHANGEABLE)


@dataclass(frozen=True, slots=True)
class FailedCommand:
    """A defect of the server: the command, its user and the exception. It changed nothing."""

    what: str
    user: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of one event. Commit `saves` first, then send `output`, then close `closing`."""

    output: list[tuple[SessionId, bytes]]
    closing: list[SessionId]
    slow: list[Slow]
    saves: Saves
    faults: list[FailedCommand]


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that survives a restart, as the store returns it."""

    accounts: Iterable[UserAccount] = ()
    matches: Iterable[UnfinishedMatch] = ()
    messages: Iterable[WaitingMessage] = ()
    last_games: Iterable[LastGame] = ()


@dataclass(slots=True)
class HourUsers:
    """The numbers of users in one hour of the day, as seen from time to time."""

    total: int = 0
    times: int = 0
    least: int = 0
    most: int = 0


@dataclass(slots=True)
class Tally:
    """Counts since the server started: dice, and users by the hour of the day (UTC)."""

    dice: Counter[Dice] = field(default_factory=Counter)
    users: dict[int, HourUsers] = field(default_factory=dict)

    def note_users(self, now: float, count: int) -> None:
        hour = self.users.setdefault(int(now // 3_600) % 24, HourUsers(least=count))
        hour.total, hour.times = hour.total + count, hour.times + 1
        hour.least, hour.most = min(hour.least, count), max(hour.most, count)


class ServerState:
    def __init__(
        self, roll: Callable[[], Dice], dialect: Dialect, limits: Limits, memory: Stored
    ) -> None:
        self.roll = roll
        self.dialect = dialect
        self.limits = limits
        self.now = 0.0
        self.accounts = {account.name: account for account in memory.accounts}
        self.spellings = {name.lower(): name for name in self.accounts}
        self.matches = {match.pair: match for match in memory.matches}
        self.messages = {message.number: message for message in memory.messages}
        self.last_games = {last.player: last for last in memory.last_games}
        self.next_message = max(self.messages, default=0) + 1
        self.sessions: dict[SessionId, UserSession] = {}
        self.online: dict[str, UserSession] = {}
        self.playing: dict[str, Pair] = {}
        self.tally = Tally()
        self.passwords = PasswordQueue(limits)
        self._registrations = Allowances(
            limits.registrations_per_hour / 3_600, float(limits.registration_burst)
        )
        self._out: dict[SessionId, list[str]] = {}
        self._closing: list[SessionId] = []
        self._faults: list[FailedCommand] = []
        self._saves = Saves()

    # ---- changes by commands

    def put_account(self, account: UserAccount) -> UserAccount:
        self.accounts[account.name] = account
        self.spellings[account.name.lower()] = account.name
        self._saves.accounts[account.name] = account
        return account

    def put_match(self, match: UnfinishedMatch) -> UnfinishedMatch:
        self.matches[match.pair] = match
        self._saves.matches[match.pair] = match
        return match

    def drop_match(self, pair: Pair) -> None:
        if self.matches.pop(pair, None) is not None:
            self._saves.matches[pair] = None

    def put_message(self, to: str, sender: str, text: str) -> None:
        """Keep a message until its addressee logs in."""
        message = WaitingMessage(self.next_message, to, sender, self.now, text)
        self.next_message += 1
        self.messages[message.number] = message
        self._saves.messages[message.number] = message

    def take_messages(self, to: str) -> list[WaitingMessage]:
        """Remove and return all messages for a user."""
        found = [message for message in self.messages.values() if message.to == to]
        for message in found:
            del self.messages[message.number]
            self._saves.messages[message.number] = None
        return found

    def put_last_game(self, last: LastGame) -> None:
        """Set the game that `oldmoves` and `oldboard` show from now on."""
        self.last_games[last.player] = last
        self._saves.last_games[last.player] = last

    # ---- users and matches

    def account(self, session: UserSession) -> UserAccount:
        return self.accounts[session.name]

    def match_of(self, name: str) -> UnfinishedMatch | None:
        pair = self.playing.get(name)
        return self.matches[pair] if pair else None

    def opponent_of(self, name: str) -> str | None:
        """Return the user's opponent in the match being played now."""
        match = self.match_of(name)
        return match.other(name) if match else None

    def watchers(self, name: str) -> list[UserSession]:
        return [session for session in self.online.values() if session.watching == name]

    def others(self, *names: str) -> list[UserSession]:
        """Return everybody who is logged in, except these."""
        return [session for name, session in self.online.items() if name not in names]

    def may_register(self, host: str) -> bool:
        """Count a registration from this host; return whether it is allowed."""
        return self._registrations.take(network_of(host), self.now)

    # ---- checks of commands

    def check_online(self, name: str) -> None:
        refuse((name not in self.online, f"** There is no one called {name}"))

    def known(self, words: list[str], refusal: str = "** Don't know user {}") -> str:
        """Return the account named by the first word."""
        refuse((not words, "** please give a name as an argument."))
        name = self.spellings.get(words[0].lower())
        if name is None:
            raise CommandRefused(refusal.format(words[0]))
        return name

    def check_talk(self, session: UserSession) -> None:
        """Count a message or invitation of this session; CommandRefused if there are too many."""
        allowed = session.bucket.chats.spend(self.now)
        refuse((not allowed, "** You talk too much, don't you?"))

    # ---- faults

    def attempt(self, what: str, session: UserSession | None, work: Callable[[], None]) -> bool:
        """Do this wholly or not at all; return False if it failed, with everything as before."""
        restore = self._memory()
        fault = fault_of(work)
        if isinstance(fault, CommandRefused):
            raise fault
        if fault is not None:
            restore()
            self._faults.append(FailedCommand(what, session.name if session else "", fault))
        return fault is None

    def _memory(self) -> Callable[[], None]:
        """Save everything that a command can change, and return a function that restores it."""
        tables: list[dict[Any, Any]] = [self.online, self.playing, self.accounts, self.spellings]
        tables += [self.matches, self.messages, self.last_games]
        tables += [getattr(self._saves, each.name) for each in fields(Saves)]
        kept = [(table, table.copy()) for table in tables]
        sessions = [(each, CHANGED_BY_COMMANDS(each)) for each in self.sessions.values()]
        out = {sid: len(pieces) for sid, pieces in self._out.items()}
        closing = len(self._closing)

        def restore() -> None:
            for table, before in kept:
                table.clear()
                table.update(before)
            for session, values in sessions:
                for name, value in zip(CHANGEABLE, values, strict=True):
                    setattr(session, name, value)
            self._out = {sid: self._out[sid][:count] for sid, count in out.items()}
            del self._closing[closing:]

        return restore

    # ---- output

    def say(self, session: UserSession | str, *lines: str) -> None:
        """Send lines to a session, or to a user who is logged in."""
        target = self.online.get(session) if isinstance(session, str) else session
        if target is not None and target.stage is not Stage.CLOSED:
            self._out.setdefault(target.id, []).extend(line + CRLF for line in lines)

    def raw(self, session: UserSession, text: str) -> None:
        """Send text without a line end: prompts and telnet bytes."""
        if session.stage is not Stage.CLOSED:
            self._out.setdefault(session.id, []).append(text)

    def ring(self, name: str, line: str) -> None:
        """Send a personal line, with a bell if the user wants one."""
        bell = BELL if name in self.accounts and self.accounts[name].has("bell") else ""
        self.say(name, bell + line)

    def say_if_away(self, session: UserSession, name: str) -> None:
        """Send the message that this user left when going away, if any."""
        away = self.accounts[name].away
        if away is not None:
            self.say(session, f"{name} is away: {away}")

    def check_password(self, session: UserSession, name: str, password: str) -> None:
        """Have a password of the account `name` checked; the answer comes back as an event."""
        account, network = self.accounts.get(name), network_of(session.host)
        session.stage = Stage.CHECKING
        check = PasswordCheck(
            session.id,
            password,
            stored=account.password if account else "",
            account=name,
            network=network,
            known=account is not None and network_of(account.last_host) == network,
            pause_s=min(2.0 ** (session.failures - 1), 10.0) if session.failures else 0.0,
        )
        self.passwords.put(check, self.now)

    def hash_password(self, session: UserSession, password: str) -> None:
        """Have a new password hashed; the answer comes back as an event."""
        session.stage = Stage.CHECKING
        self.passwords.put(PasswordWish(session.id, password), self.now)

    def close_session(self, session: UserSession) -> None:
        """Close the connection after the output so far."""
        session.stage = Stage.CLOSED
        self._closing.append(session.id)

    def effects(self, active: UserSession | None) -> Effects:
        """Return the effects since the last call; `active` is the session of the last command."""
        output = [
            (sid, self._dressed(self.sessions[sid], pieces, active).encode("latin-1", "replace"))
            for sid, pieces in self._out.items()
            if sid in self.sessions
        ]
        sent = [piece for piece in output if piece[1]]
        due = self.passwords.due(self.now)
        done = Effects(sent, self._closing, due, self._saves, self._faults)
        self._out, self._closing, self._saves, self._faults = {}, [], Saves(), []
        return done

    def _dressed(self, session: UserSession, pieces: list[str], active: UserSession | None) -> str:
        """Return pieces of text as this session wants them: folded, paged, prompted."""
        account = self.accounts.get(session.name) if session.stage is Stage.LOBBY else None
        if account is None:
            return "".join(pieces)
        pieces = folded(pieces, account)
        if session.clip:
            return session.output.for_program(pieces, self.dialect, answer=active is session)
        return session.output.for_people(pieces, account.pagelength, answer=active is session)
