"""The whole server as a value that events change: no sockets, no clock, no dice of its own.

Each event takes the time it happens at and returns its Effects. Whoever drives the world commits
`effects.saves`, then sends `effects.output`, then closes `effects.closing`; slow password work in
`effects.slow` is done elsewhere and comes back as `password_checked` or `password_hashed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
from sixprime.bot.sandbox.state.accounts import Account
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.hall import (
    Effects,
    Hall,
    Memory,
    PasswordWish,
    Session,
    SessionId,
    Stage,
)
from sixprime.bot.sandbox.state.limits import Bucket, Limits
from sixprime.bot.sandbox.state.table import Table
from sixprime.bot.sandbox.state.times import server_time
from sixprime.engine.position import Dice

Words = list[str]
VERSION = "Sixprime sandbox, a server that speaks FIBS"


def _time(hall: Hall, session: Session, words: Words) -> None:
    hall.say(session, server_time(hall.now, hall.account(session).timezone))


def _version(hall: Hall, session: Session, words: Words) -> None:
    hall.say(session, VERSION)


def _bye(hall: Hall, session: Session, words: Words) -> None:
    login.bye(hall, session)


def _wave(hall: Hall, session: Session, words: Words) -> None:
    again = session.waved
    session.waved = True
    for other in hall.others(session.name):
        hall.say(other, f"{session.name} waves goodbye{' again' if again else ''}.")
    if again:
        hall.say(session, "You wave goodbye again and log out.")
        login.bye(hall, session)
    else:
        hall.say(session, "You wave goodbye.")


def _wait_for(hall: Hall, session: Session, words: Words) -> None:
    if not words:
        hall.say(session, "** please give a name as an argument.")
        return
    name = hall.spellings.get(words[0].lower())
    if name is None:
        hall.say(session, f"** Don't know user {words[0]}")
    elif name in hall.online:
        hall.say(session, f"** {name} is already logged in.")
    else:
        session.awaited.add(name)
        hall.say(session, f"** You're waiting for {name} to log in.")


def _stat(hall: Hall, session: Session, words: Words) -> None:
    rolls = sum(hall.dice_count.values())
    doubles = sum(n for (one, two), n in hall.dice_count.items() if one == two)
    faces = [
        sum(n * dice.count(face) for dice, n in hall.dice_count.items()) for face in range(1, 7)
    ]
    hall.say(
        session,
        f"There are {len(hall.online)} users logged on, {len(hall.accounts)} are registered.",
        f"Matches in progress: {len(set(hall.playing.values()))}, unfinished: {len(hall.tables)}.",
        f"Dice rolled since the start: {rolls} times, {doubles} doublets.",
        "Numbers: " + ", ".join(f"{face} came {n} times" for face, n in enumerate(faces, 1)) + ".",
    )


def _help(hall: Hall, session: Session, words: Words) -> None:
    hall.say(session, *helptext.text(words[0] if words else ""))


WITH_WORDS: dict[str, Callable[[Hall, Session, Words], None]] = {
    "accept": play.accept,
    "address": preferences.address,
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
    "show": invite.show,
    "stat": _stat,
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

WITH_TEXT: dict[str, Callable[[Hall, Session, str], None]] = {
    "away": preferences.away,
    "kibitz": talk.kibitz,
    "message": talk.message,
    "say": talk.say,
    "shout": talk.shout,
    "tell": talk.tell,
    "tellx": talk.tellx,
    "whisper": talk.whisper,
}

SHORT = {
    "?": "help",
    "b": "board",
    "i": "invite",
    "j": "join",
    "k": "kibitz",
    "m": "move",
    "r": "roll",
    "s": "say",
    "t": "tell",
    "to": "toggle",
    "w": "who",
    "wh": "whisper",
}


class World:
    """The server without its surroundings; see the module's docstring."""

    def __init__(
        self,
        roll: Callable[[], Dice],
        dialect: Dialect | None = None,
        limits: Limits | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.hall = Hall(roll, dialect or Dialect(), limits or Limits(), memory or Memory())

    # ---- events

    def connected(self, sid: SessionId, host: str, now: float, house: bool = False) -> Effects:
        """A new connection."""
        self.hall.now = now
        bucket = Bucket(self.hall.limits, now)
        session = Session(sid, host, now, bucket, active=now, house=house)
        self.hall.sessions[sid] = session
        login.greet(self.hall, session)
        return self.hall.effects(session)

    def received(self, sid: SessionId, line: str, now: float) -> Effects:
        """One line from a connection, without its line end."""
        self.hall.now = now
        session = self.hall.sessions.get(sid)
        if session is not None:
            self._line(session, _clean(line))
        return self.hall.effects(session)

    def ended(self, sid: SessionId, now: float) -> Effects:
        """The other side says no more, though it may still listen to what it is answered."""
        self.hall.now = now
        session = self.hall.sessions.get(sid)
        if session is not None:
            session.ended = True
            self._go_if_ended(session)
        return self.hall.effects(None)

    def disconnected(self, sid: SessionId, now: float, error: bool = False) -> Effects:
        """The connection is gone, by the other side's will or by an error of the network."""
        self.hall.now = now
        session = self.hall.sessions.get(sid)
        if session is not None:
            name = session.name
            why = f"Network error with {name}." if error else f"{name} drops connection."
            login.leave(self.hall, session, why)
            session.stage = Stage.CLOSED
            del self.hall.sessions[sid]
        return self.hall.effects(None)

    def ticked(self, now: float) -> Effects:
        """Time has passed: who was silent too long has to go."""
        self.hall.now = now
        limits = self.hall.limits
        for session in list(self.hall.sessions.values()):
            if session.house or session.stage is Stage.CLOSED:
                continue
            online = self.hall.online.get(session.name) is session
            since, limit = session.active, limits.idle_s
            if not online:
                since, limit = session.connected, limits.login_s
            if now - since > limit:
                self.hall.say(session, "Connection timed out.")
                login.leave(self.hall, session, f"Connection with {session.name} timed out.")
                self.hall.close(session)
        return self.hall.effects(None)

    def password_checked(self, sid: SessionId, right: bool, now: float) -> Effects:
        """The answer to a PasswordCheck."""
        self.hall.now = now
        session = self.hall.sessions.get(sid)
        if session is None or session.stage is not Stage.CHECKING:
            return self.hall.effects(None)
        if self.hall.online.get(session.name) is not session:
            login.checked(self.hall, session, right)
        elif right:
            wanted, session.new_password = session.new_password, ""
            self.hall.ask(PasswordWish(sid, wanted))
            return self.hall.effects(session)
        else:
            session.new_password, session.stage = "", Stage.LOBBY
            self.hall.say(session, "** Your old password is not correct.")
        self._waiting_lines(session)
        return self.hall.effects(session)

    def password_hashed(self, sid: SessionId, password: str, now: float) -> Effects:
        """The answer to a PasswordWish."""
        self.hall.now = now
        session = self.hall.sessions.get(sid)
        if session is None or session.stage is not Stage.CHECKING:
            return self.hall.effects(None)
        if self.hall.online.get(session.name) is session:
            session.stage = Stage.LOBBY
            self.hall.put_account(replace(self.hall.account(session), password=password))
            self.hall.say(session, "Your password is changed.")
        else:
            login.registered(self.hall, session, password)
        self._waiting_lines(session)
        return self.hall.effects(session)

    def announced(self, line: str, now: float) -> Effects:
        """The operator's words to everybody, such as that the server will shut down."""
        self.hall.now = now
        for session in self.hall.online.values():
            self.hall.say(session, line)
        return self.hall.effects(None)

    def employed(self, sid: SessionId, name: str, client: str, now: float) -> Effects:
        """One of the server's own players comes in, without a password."""
        effects = self.connected(sid, "localhost", now, house=True)
        session = self.hall.sessions[sid]
        session.clip, session.client = True, client
        account = self.hall.accounts.get(name) or Account(name, registered=now)
        login.enter(self.hall, session, account)
        later = self.hall.effects(session)
        return replace(later, output=effects.output + later.output)

    # ---- what others may look at

    def table_of(self, name: str) -> Table | None:
        """The match that this user plays now."""
        return self.hall.table_of(name)

    # ---- lines

    def _line(self, session: Session, line: str) -> None:
        if session.stage is Stage.CLOSED:
            return
        if not session.house and not session.bucket.commands.spend(self.hall.now):
            self.hall.say(session, "** You talk too much, don't you? Good bye.")
            login.leave(self.hall, session, f"admin closes connection with {session.name}.")
            session.waiting.clear()
            self.hall.close(session)
            return
        if session.stage is Stage.CHECKING:
            session.waiting.append(line)
        else:
            self._obeyed(session, line)

    def _obeyed(self, session: Session, line: str) -> None:
        if session.stage is Stage.LOBBY:
            self._command(session, line)
        else:
            login.line(self.hall, session, line)

    def _waiting_lines(self, session: Session) -> None:
        while session.waiting and session.stage not in (Stage.CHECKING, Stage.CLOSED):
            self._obeyed(session, session.waiting.popleft())
        self._go_if_ended(session)

    def _go_if_ended(self, session: Session) -> None:
        if session.ended and session.stage not in (Stage.CHECKING, Stage.CLOSED):
            login.leave(self.hall, session, f"{session.name} drops connection.")
            self.hall.close(session)

    def _command(self, session: Session, line: str) -> None:
        hall = self.hall
        session.active = hall.now
        line = line.strip()
        if session.held and not line:
            hall.raw(session, "")  # the next page
            return
        session.held.clear()
        if line == "!!":
            line = session.last_command
        if not line:
            hall.raw(session, "")  # a new prompt for people
            return
        session.last_command = line
        session.commands += 1
        every = hall.dialect.swallow_every
        if session.clip and not session.house and every and session.commands % every == 0:
            return
        first, _, text = line.partition(" ")
        if not self._board_word(first):
            hall.say(session, f"** Unknown command: '{first}'")
            return
        word = SHORT.get(first, first)
        if word in WITH_TEXT:
            WITH_TEXT[word](hall, session, text.strip())
        elif word in WITH_WORDS:
            WITH_WORDS[word](hall, session, text.split())
        elif looks_like_move(line.split()):
            play.move(hall, session, line.split())
        else:
            hall.say(session, f"** Unknown command: '{first}'")

    def _board_word(self, word: str) -> bool:
        """Is this spelling of `board` one that this server knows?"""
        known = self.hall.dialect.board_words
        return word not in ("b", "board") or known in ("both", word)


def _clean(line: str) -> str:
    """A line as commands see it: printable 7-bit characters, tabs as blanks."""
    return "".join(_printable(char) for char in line.rstrip("\r\n"))


def _printable(char: str) -> str:
    if char == "\t":
        return " "
    if char < " " or char == "\x7f":
        return ""
    return char if char < "\x7f" else "?"
