"""The whole server as pure state changed by events: no sockets, no clock, no dice of its own.

Each event is given its time and returns its Effects. The caller commits `effects.saves`, then sends
`effects.output`, then closes `effects.closing`; slow password work in `effects.slow` is done
elsewhere and comes back as `password_checked` or `password_hashed`. An event never raises: a
failure is undone, and named in `effects.faults`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sixprime.bot.sandbox.commands import (
    helptext,
    invite,
    lobby,
    login,
    play,
    preferences,
    talk,
    watch,
)
from sixprime.bot.sandbox.commands.moves import looks_like_move
from sixprime.bot.sandbox.state.accounts import UserAccount
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Bucket, Limits, network_of
from sixprime.bot.sandbox.state.passwordqueue import SessionId
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    Effects,
    ServerState,
    Stage,
    Stored,
    UserSession,
    Words,
    refuse,
)
from sixprime.bot.sandbox.state.times import server_time
from sixprime.engine.position import Dice

VERSION = "Sixprime sandbox, a server that speaks FIBS"
FAILED = "** The server made a mistake, and has done nothing. It is noted."


def _time(server: ServerState, session: UserSession, words: Words) -> None:
    server.say(session, server_time(server.now, server.account(session).timezone))


def _version(server: ServerState, session: UserSession, words: Words) -> None:
    server.say(session, VERSION)


def _save(server: ServerState, session: UserSession, words: Words) -> None:
    server.say(session, "Settings saved.")  # they were at once


def _bye(server: ServerState, session: UserSession, words: Words) -> None:
    login.bye(server, session)


def _wave(server: ServerState, session: UserSession, words: Words) -> None:
    again = session.waved
    session.waved = True
    for other in server.others(session.name):
        server.say(other, f"{session.name} waves goodbye{' again' if again else ''}.")
    if again:
        server.say(session, "You wave goodbye again and log out.")
        login.bye(server, session)
    else:
        server.say(session, "You wave goodbye.")


def _wait_for(server: ServerState, session: UserSession, words: Words) -> None:
    waiting = ", ".join(sorted(session.awaited))
    refuse((not words and not waiting, "You are not waiting for any players."))
    refuse((not words, f"You are waiting for {waiting}"))
    name = server.known(words)
    refuse(
        (name == session.name, "** Look behind you. Maybe you are waiting there."),
        (name in server.online, f"** '{name}' is already logged in."),
    )
    session.awaited |= {name}
    server.say(session, f"** You'll receive a message when '{name}' logs in.")


def _stat(server: ServerState, session: UserSession, words: Words) -> None:
    rolls = sum(server.tally.dice.values())
    doubles = sum(n for (one, two), n in server.tally.dice.items() if one == two)
    faces = [
        sum(n * dice.count(face) for dice, n in server.tally.dice.items()) for face in range(1, 7)
    ]
    server.say(
        session,
        f"There are {len(server.online)} users logged on, {len(server.accounts)} are registered.",
        f"Matches in progress: {len(set(server.playing.values()))}, "
        f"unfinished: {len(server.matches)}.",
        f"Dice rolled since the start: {rolls} times, {doubles} doublets.",
        "Numbers: " + ", ".join(f"{face} came {n} times" for face, n in enumerate(faces, 1)) + ".",
    )


def _average(server: ServerState, session: UserSession, words: Words) -> None:
    """Show how many users were here in each hour, since the server started."""
    server.tally.note_users(server.now, len(server.online))
    rows = (
        f"{hour:02}:00-{hour:02}:59 {here.total / here.times:10.1f} {here.least:3} {here.most:3}"
        for hour, here in sorted(server.tally.users.items())
    )
    server.say(session, "Time (UTC)  average min max", *rows)


def _help(server: ServerState, session: UserSession, words: Words) -> None:
    server.say(session, *helptext.text(words[0] if words else ""))


WITH_WORDS: dict[str, Callable[[ServerState, UserSession, Words], None]] = {
    "accept": play.accept,
    "address": preferences.address,
    "average": _average,
    "back": preferences.back,
    "beaver": play.redouble,
    "blind": preferences.blind,
    "board": play.show_board,
    "double": play.double,
    "gag": preferences.gag,
    "help": _help,
    "invite": invite.invite,
    "join": invite.join,
    "last": lobby.last,
    "leave": invite.leave,
    "look": watch.look,
    "move": play.move,
    "name": preferences.rename,
    "oldboard": play.oldboard,
    "oldmoves": play.oldmoves,
    "otter": play.redouble,
    "password": preferences.password,
    "pip": play.pip,
    "raccoon": play.redouble,
    "ratings": lobby.ratings,
    "rawwho": lobby.rawwho,
    "redouble": play.redouble,
    "reject": play.reject,
    "resign": play.resign,
    "roll": play.roll,
    "set": preferences.set_variable,
    "save": _save,
    "show": invite.show,
    "stat": _stat,
    "date": _time,
    "time": _time,
    "toggle": preferences.toggle,
    "unwatch": watch.unwatch,
    "version": _version,
    "waitfor": _wait_for,
    "watch": watch.watch,
    "wave": _wave,
    "who": lobby.who,
    "whois": lobby.whois,
    **dict.fromkeys(sorted(login.FAREWELLS), _bye),
}

WITH_TEXT: dict[str, Callable[[ServerState, UserSession, str], None]] = {
    "away": preferences.away,
    "kibitz": talk.kibitz,
    "message": talk.message,
    "say": talk.say,
    "shout": talk.shout,
    "tell": talk.tell,
    "tellx": talk.tellx,
    "whisper": talk.whisper,
}

SHORT = {  # other words are understood, too, as soon as one command alone begins so
    "?": "help",
    "b": "board",
    "k": "kibitz",
    "m": "move",
    "r": "roll",
    "s": "say",
    "t": "tell",
    "w": "who",
    "wh": "whisper",
}


class World:
    """The server without sockets and disk; see the module's docstring."""

    def __init__(
        self,
        roll: Callable[[], Dice],
        dialect: Dialect | None = None,
        limits: Limits | None = None,
        memory: Stored | None = None,
    ) -> None:
        self.server = ServerState(
            roll, dialect or Dialect(), limits or Limits(), memory or Stored()
        )

    # ---- events

    def connected(self, sid: SessionId, host: str, now: float, house: bool = False) -> Effects:
        self.server.now = now
        bucket = Bucket(self.server.limits, now)
        session = UserSession(sid, host, now, bucket, active=now, house=house)
        self.server.sessions[sid] = session
        login.greet(self.server, session)
        return self.server.effects(session)

    def received(self, sid: SessionId, line: str, now: float) -> Effects:
        """Take one line from a connection, without its line end."""
        if session := self._session(sid, now):
            self._line(session, _clean(line))
        return self.server.effects(session)

    def ended(self, sid: SessionId, now: float) -> Effects:
        """Note that the client sends no more, but may still read answers."""
        if session := self._session(sid, now):
            session.ended = True
            self._go_if_ended(session)
        return self.server.effects(None)

    def disconnected(self, sid: SessionId, now: float, error: bool = False) -> Effects:
        """Note a connection closed by the client or by a network error."""
        if session := self._session(sid, now):
            name = session.name
            why = f"Network error with {name}." if error else f"{name} drops connection."
            self._leaves(session, why)
            session.stage = Stage.CLOSED
            del self.server.sessions[sid]
            self.server.passwords.forget(sid)
        return self.server.effects(None)

    def ticked(self, now: float) -> Effects:
        """Disconnect clients that were silent too long."""
        self.server.now = now
        self.server.tally.note_users(now, len(self.server.online))
        sessions = [each for each in self.server.sessions.values() if not each.house]
        places = Counter(network_of(each.host) for each in sessions)
        for session in sessions:
            if session.stage is not Stage.CLOSED and self._is_too_silent(session, places):
                self.server.say(session, "Connection timed out.")
                self._leaves(session, f"Connection with {session.name} timed out.")
                self.server.close_session(session)
        for sid in self.server.passwords.late(now):
            self._password_done(sid, partial(login.unchecked, self.server))
        return self.server.effects(None)

    def _is_too_silent(self, session: UserSession, places: Counter[str]) -> bool:
        now, limits = self.server.now, self.server.limits
        if self.server.online.get(session.name) is session:
            return now - session.active > limits.idle_s
        crowded = (
            places[network_of(session.host)] * 2 > limits.connections_per_host
            or places.total() * 2 > limits.connections
        )
        return now - session.connected > limits.login_s / (6 if crowded else 1)

    def password_checked(self, sid: SessionId, right: bool, now: float) -> Effects:
        """Take the result of a PasswordCheck."""
        return self._answered(sid, partial(self._checked, right=right), now, wrong=not right)

    def _checked(self, session: UserSession, right: bool) -> None:
        if self.server.online.get(session.name) is not session:
            login.checked(self.server, session, right)
        elif right:
            wanted, session.new_password = session.new_password, ""
            self.server.hash_password(session, wanted)
        else:
            session.new_password, session.stage = "", Stage.LOBBY
            session.failures += 1
            self.server.say(session, "** Sorry. Old password not correct.")

    def password_hashed(self, sid: SessionId, password: str, now: float) -> Effects:
        """Take the result of a PasswordWish."""
        return self._answered(sid, partial(self._hashed, password=password), now)

    def _hashed(self, session: UserSession, password: str) -> None:
        if self.server.online.get(session.name) is session:
            session.stage = Stage.LOBBY
            self.server.put_account(replace(self.server.account(session), password=password))
            self.server.say(session, "Password changed.")
        else:
            login.registered(self.server, session, password)

    def password_failed(self, sid: SessionId, now: float) -> Effects:
        """Take a failure to check or hash a password."""
        return self._answered(sid, partial(login.unchecked, self.server), now)

    def _answered(
        self, sid: SessionId, then: Callable[[UserSession], None], now: float, wrong: bool = False
    ) -> Effects:
        self.server.now = now
        self.server.passwords.done(sid, now, wrong=wrong)
        return self.server.effects(self._password_done(sid, then))

    def _password_done(
        self, sid: SessionId, then: Callable[[UserSession], None]
    ) -> UserSession | None:
        session = self.server.sessions.get(sid)
        if session is None or session.stage is not Stage.CHECKING:
            return None
        self._before_the_lobby(session, partial(then, session))
        self._waiting_lines(session)
        return session

    def announced(self, line: str, now: float) -> Effects:
        """Say the operator's words to everybody, such as that the server will shut down."""
        self.server.now = now
        for session in self.server.online.values():
            self.server.say(session, line)
        return self.server.effects(None)

    def employed(self, sid: SessionId, name: str, now: float) -> Effects:
        """Log in one of the server's own players, without a password and ready to play."""
        effects = self.connected(sid, "localhost", now, house=True)
        session = self.server.sessions[sid]
        session.clip, session.client = True, "sixprime_house_bot"
        account = self.server.accounts.get(name) or UserAccount(name, registered=now)
        login.enter(self.server, session, account.with_toggle("ready", True))
        later = self.server.effects(session)
        return replace(later, output=effects.output + later.output)

    # ---- lines

    def _session(self, sid: SessionId, now: float) -> UserSession | None:
        """Return the session of an event, if it still exists."""
        self.server.now = now
        return self.server.sessions.get(sid)

    def _line(self, session: UserSession, line: str) -> None:
        if session.stage is Stage.CLOSED:
            return
        if not session.house and not session.bucket.commands.spend(self.server.now):
            self.server.say(session, "** You talk too much, don't you? Good bye.")
            self._leaves(session, f"admin closes connection with {session.name}.")
            session.input.waiting.clear()
            self.server.close_session(session)
            return
        if session.stage is Stage.CHECKING:
            session.input.waiting.append(line)
        else:
            self._obeyed(session, line)

    def _obeyed(self, session: UserSession, line: str) -> None:
        if session.stage is Stage.LOBBY:
            self._command(session, line)
        else:
            self._before_the_lobby(session, lambda: login.line(self.server, session, line))

    def _before_the_lobby(self, session: UserSession, work: Callable[[], None]) -> None:
        """Take a step of a login or registration; a failure ends it."""
        if not self.server.attempt("login", session, work):
            self.server.say(session, FAILED)
            self._leaves(session, f"{session.name} drops connection.")
            self.server.close_session(session)

    def _leaves(self, session: UserSession, why: str) -> None:
        """Leave the lobby, even if that fails."""
        server = self.server
        if server.attempt("logout", session, lambda: login.leave(server, session, why)):
            return
        if server.online.get(session.name) is session:
            del server.online[session.name]
            for name in server.playing.get(session.name, ()):
                server.playing.pop(name, None)

    def _waiting_lines(self, session: UserSession) -> None:
        while session.input.waiting and session.stage not in (Stage.CHECKING, Stage.CLOSED):
            self._obeyed(session, session.input.waiting.popleft())
        self._go_if_ended(session)

    def _go_if_ended(self, session: UserSession) -> None:
        if session.ended and session.stage not in (Stage.CHECKING, Stage.CLOSED):
            self._leaves(session, f"{session.name} drops connection.")
            self.server.close_session(session)

    def _command(self, session: UserSession, line: str) -> None:
        server = self.server
        session.active = server.now
        line = line.strip()
        if session.output.held and not line:
            server.raw(session, "")  # the next page
            return
        session.output.held.clear()
        if line == "!!":
            line = session.input.last_command
        if not line:
            server.raw(session, "")  # a new prompt for people
            return
        session.input.last_command = line
        session.input.commands += 1
        every = server.dialect.swallow_every
        if session.clip and not session.house and every and session.input.commands % every == 0:
            return
        first, _, text = line.partition(" ")
        word = self._command_called(first)
        try:
            done = server.attempt(word, session, lambda: self._obey(session, word, text, line))
        except CommandRefused as refusal:
            server.say(session, str(refusal))
        else:
            if not done:
                server.say(session, FAILED)

    def _obey(self, session: UserSession, word: str, text: str, line: str) -> None:
        if word in WITH_TEXT:
            WITH_TEXT[word](self.server, session, text.strip())
        elif word in WITH_WORDS:
            WITH_WORDS[word](self.server, session, text.split())
        elif looks_like_move(line.split()):
            play.move(self.server, session, line.split())
        else:
            raise CommandRefused(f"** Unknown command: '{line.partition(' ')[0]}'")

    def _command_called(self, word: str) -> str:
        """Return the command of this name, or the only one that begins so; "" if none."""
        dialect = self.server.dialect
        word = word.lower()
        called = {command: command for command in (*WITH_WORDS, *WITH_TEXT)} | SHORT
        called |= {new: old for old, new in dialect.renamed.items()}
        for gone in (*dialect.missing, *dialect.renamed):
            called.pop(gone, None)
        begun = [command for name, command in called.items() if name.startswith(word)]
        return called.get(word) or (begun[0] if word and len(begun) == 1 else "")


def _clean(line: str) -> str:
    """Return a line for commands: printable 7-bit characters, tabs as blanks."""
    return "".join(_printable(char) for char in line.rstrip("\r\n"))


def _printable(char: str) -> str:
    if char == "\t":
        return " "
    if char < " " or char == "\x7f":
        return ""
    return char if char < "\x7f" else "?"
