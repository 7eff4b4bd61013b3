"""Everybody and everything that is here now: the state that the server's commands work on.

The Hall owns accounts, sessions, matches and messages in memory, and collects what has to leave the
pure world: lines for sessions, connections to close, passwords to check (slow, so done elsewhere)
and what has to be on disk before any of those lines goes out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from sixprime.bot.sandbox.state.accounts import UserAccount, WaitingMessage
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Allowance, Bucket, Limits
from sixprime.bot.sandbox.state.match import LastGame, Pair, UnfinishedMatch
from sixprime.engine.position import Dice

SessionId = int
CRLF = "\r\n"
WILL_ECHO = "\xff\xfb\x01"
WONT_ECHO = "\xff\xfc\x01"
BELL = "\x07"
MOST_HOSTS = 10_000


class Stage(Enum):
    """What a session's next line means."""

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
class UserSession:
    """One connection, from its first byte to its last."""

    id: SessionId
    host: str
    connected: float
    bucket: Bucket
    stage: Stage = Stage.LOGIN
    clip: bool = False
    name: str = ""  # the account, or the one that is being tried
    client: str = "-"
    login: float = 0.0
    active: float = 0.0  # when the last command came
    failures: int = 0
    warned: bool = False  # has been told that the account is in use (second_login: twice)
    new_password: str = field(default="", repr=False)
    watching: str | None = None
    invitation: OpenInvitation | None = None
    awaited: set[str] = field(default_factory=set)
    last_command: str = ""
    waiting: deque[str] = field(default_factory=deque)
    held: deque[str] = field(default_factory=deque)  # lines behind a full page
    lines_sent: int = 0
    commands: int = 0
    waved: bool = False
    ended: bool = False  # the client says no more, and goes when its commands are answered
    house: bool = False  # one of the server's own players: never idle, never too fast


@dataclass(frozen=True, slots=True)
class PasswordCheck:
    """Somebody claims to be this account; `stored` is empty where no such account exists."""

    session: SessionId
    password: str = field(repr=False)
    stored: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PasswordWish:
    """A new password to be hashed."""

    session: SessionId
    password: str = field(repr=False)


Slow = PasswordCheck | PasswordWish


@dataclass(frozen=True, slots=True)
class Saves:
    """What has changed and must be durable before the output goes out; None deletes."""

    accounts: dict[str, UserAccount]
    matches: dict[Pair, UnfinishedMatch | None]
    messages: dict[int, WaitingMessage | None]
    last_games: dict[str, LastGame]

    def __bool__(self) -> bool:
        return bool(self.accounts or self.matches or self.messages or self.last_games)


@dataclass(frozen=True, slots=True)
class Effects:
    """What one event did. Commit `saves` first, then send `output`, then close `closing`."""

    output: list[tuple[SessionId, bytes]]
    closing: list[SessionId]
    slow: list[Slow]
    saves: Saves


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that survives a restart, as the store hands it over."""

    accounts: Iterable[UserAccount] = ()
    matches: Iterable[UnfinishedMatch] = ()
    messages: Iterable[WaitingMessage] = ()
    last_games: Iterable[LastGame] = ()


class ServerState:
    """The server's state; see the module's docstring."""

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
        self.dice_count: Counter[Dice] = Counter()
        self._registrations: dict[str, Allowance] = {}  # by host
        self._out: dict[SessionId, list[str]] = {}
        self._closing: list[SessionId] = []
        self._slow: list[Slow] = []
        self._forget_saves()

    # ---- what a command may change

    def put_account(self, account: UserAccount) -> UserAccount:
        """Replace an account (or add it)."""
        self.accounts[account.name] = account
        self.spellings[account.name.lower()] = account.name
        self._dirty_accounts.add(account.name)
        return account

    def put_match(self, match: UnfinishedMatch) -> UnfinishedMatch:
        """Replace a match (or add it)."""
        self.matches[match.pair] = match
        self._dirty_matches.add(match.pair)
        return match

    def drop_match(self, pair: Pair) -> None:
        """A match is finished or thrown away."""
        if self.matches.pop(pair, None) is not None:
            self._dirty_matches.add(pair)

    def put_message(self, to: str, sender: str, text: str) -> None:
        """Keep a message until its addressee logs in."""
        message = WaitingMessage(self.next_message, to, sender, self.now, text)
        self.next_message += 1
        self.messages[message.number] = message
        self._dirty_messages.add(message.number)

    def take_messages(self, to: str) -> list[WaitingMessage]:
        """All messages for a user; they are handed out once."""
        found = [message for message in self.messages.values() if message.to == to]
        for message in found:
            del self.messages[message.number]
            self._dirty_messages.add(message.number)
        return found

    def put_last_game(self, last: LastGame) -> None:
        """What `oldmoves` and `oldboard` show from now on."""
        self.last_games[last.player] = last
        self._dirty_last.add(last.player)

    # ---- who and where

    def account(self, session: UserSession) -> UserAccount:
        """The account of a session that is logged in."""
        return self.accounts[session.name]

    def match_of(self, name: str) -> UnfinishedMatch | None:
        """The match this user is playing now."""
        pair = self.playing.get(name)
        return self.matches[pair] if pair else None

    def opponent_of(self, name: str) -> str | None:
        """Whom this user is playing now."""
        match = self.match_of(name)
        return match.other(name) if match else None

    def watchers(self, name: str) -> list[UserSession]:
        """The sessions that watch this user."""
        return [session for session in self.online.values() if session.watching == name]

    def others(self, *names: str) -> list[UserSession]:
        """Everybody who is logged in, but these."""
        return [session for name, session in self.online.items() if name not in names]

    def may_register(self, host: str) -> bool:
        """One more account from this host? Counts it if so."""
        burst, rate = float(self.limits.registration_burst), self.limits.registrations_per_hour
        if len(self._registrations) >= MOST_HOSTS:
            self._registrations.clear()
        fresh = Allowance(rate / 3_600, burst, burst, self.now)
        return self._registrations.setdefault(host, fresh).spend(self.now)

    # ---- what leaves the world

    def say(self, session: UserSession | str, *lines: str) -> None:
        """Lines for a session, or for a user if he is here."""
        target = self.online.get(session) if isinstance(session, str) else session
        if target is not None and target.stage is not Stage.CLOSED:
            self._out.setdefault(target.id, []).extend(line + CRLF for line in lines)

    def raw(self, session: UserSession, text: str) -> None:
        """Text without a line end: prompts and telnet bytes."""
        if session.stage is not Stage.CLOSED:
            self._out.setdefault(session.id, []).append(text)

    def ring(self, name: str, line: str) -> None:
        """A personal line, with a bell for those who want one."""
        bell = BELL if name in self.accounts and self.accounts[name].has("bell") else ""
        self.say(name, bell + line)

    def ask(self, question: Slow) -> None:
        """Have a password checked or hashed; the answer comes back as an event."""
        self._slow.append(question)

    def close(self, session: UserSession) -> None:
        """Close the connection behind what has been said so far."""
        session.stage = Stage.CLOSED
        self._closing.append(session.id)

    def effects(self, active: UserSession | None) -> Effects:
        """Everything since the last call; `active` is whose command was answered, if any."""
        output = [
            (sid, self._dressed(self.sessions[sid], pieces, active).encode("latin-1", "replace"))
            for sid, pieces in self._out.items()
            if sid in self.sessions
        ]
        saves = Saves(
            {name: self.accounts[name] for name in sorted(self._dirty_accounts)},
            {pair: self.matches.get(pair) for pair in sorted(self._dirty_matches)},
            {number: self.messages.get(number) for number in sorted(self._dirty_messages)},
            {name: self.last_games[name] for name in sorted(self._dirty_last)},
        )
        done = Effects([piece for piece in output if piece[1]], self._closing, self._slow, saves)
        self._out, self._closing, self._slow = {}, [], []
        self._forget_saves()
        return done

    def _forget_saves(self) -> None:
        self._dirty_accounts: set[str] = set()
        self._dirty_matches: set[Pair] = set()
        self._dirty_messages: set[int] = set()
        self._dirty_last: set[str] = set()

    def _dressed(self, session: UserSession, pieces: list[str], active: UserSession | None) -> str:
        """Pieces of text as this session wants them: folded, paged, prompted."""
        account = self.accounts.get(session.name) if session.stage is Stage.LOBBY else None
        if account is None:
            return "".join(pieces)
        mine = active is session
        if account.linelength:
            pieces = [part for piece in pieces for part in _folded(piece, account.linelength)]
        if not account.has("telnet"):
            pieces = [*pieces, CRLF]
        if session.clip:
            return self._clip_dressed(session, pieces, mine)
        if account.pagelength:
            session.held.extend(piece for piece in pieces if piece)
            pieces = [
                session.held.popleft() for _ in range(min(len(session.held), account.pagelength))
            ]
            if session.held:
                return "".join(pieces) + "-- press Return for more --"
        return ("" if mine else CRLF) + "".join(pieces) + "> "

    def _clip_dressed(self, session: UserSession, pieces: list[str], mine: bool) -> str:
        dialect = self.dialect
        if dialect.blank_before_async and not mine:
            pieces = [CRLF, *pieces]
        dressed = []
        for piece in pieces:
            session.lines_sent += 1
            stray = dialect.stray_prompts and session.lines_sent % dialect.stray_prompts == 0
            dressed.append("> " + piece if stray else piece)
            if _glues(dialect, piece):
                dressed[-1] = dressed[-1].removesuffix(CRLF)
        if dressed and not dressed[-1].endswith(CRLF):
            dressed.append(CRLF)  # nothing followed that could be glued on
        return "".join(dressed)


def _glues(dialect: Dialect, piece: str) -> bool:
    if piece.startswith("board:"):
        return dialect.glue_board
    return dialect.glue_accept and " the double." in piece and "The cube shows" in piece


def _folded(piece: str, width: int) -> list[str]:
    body = piece.removesuffix(CRLF)
    if body == piece or len(body) <= width or body.startswith("board:"):
        return [piece]
    return [body[i : i + width] + CRLF for i in range(0, len(body), width)]
