"""A small stage for the sandbox's world: users log in, type, and hear lines; nothing is slow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from sixprime.bot.sandbox.state.accounts import UserAccount
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.bot.sandbox.state.passwordqueue import PasswordCheck
from sixprime.bot.sandbox.state.server import Effects, Stored, UserSession
from sixprime.bot.sandbox.world import World
from sixprime.engine.position import Dice

NOON = 1_700_000_000.0
READY = frozenset({"allowpip", "autoboard", "crawford", "double", "ready", "report", "telnet"})


def account(name: str, *toggles: str, **fields: object) -> UserAccount:
    """An account that is ready to play, with the password `secret99`."""
    made = UserAccount(name, "secret99", toggles=READY | set(toggles))
    return UserAccount(**{**{f: getattr(made, f) for f in made.__slots__}, **fields})


class Scene:
    """A world, its time, its dice, and what each user has heard."""

    def __init__(
        self,
        accounts: Iterable[UserAccount] = (),
        matches: Iterable[UnfinishedMatch] = (),
        dice: Iterable[Dice] = (),
        dialect: Dialect | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.dice = deque(dice)
        memory = Stored(accounts=accounts, matches=matches)
        self.world = World(self.dice.popleft, dialect, limits, memory)
        self.now = NOON
        self.sids: dict[str, int] = {}
        self.raw: dict[int, str] = {}
        self.closed: set[int] = set()
        self.effects: Effects | None = None
        self.checked = 0  # passwords
        self.may_fail = False
        self._next = 1

    def connect(self, who: str, host: str = "cafe.example.com") -> int:
        """A new connection, called `who` from now on."""
        sid, self._next = self._next, self._next + 1
        self.sids[who] = sid
        self.raw[sid] = ""
        self._happen(self.world.connected(sid, host, self.now))
        return sid

    def send(self, who: str, line: str) -> list[str]:
        """Type a line; what this user hears at once."""
        self.heard(who)
        self._happen(self.world.received(self.sids[who], line, self.now))
        return self.heard(who)

    def clip(self, who: str, client: str = "test", host: str = "cafe.example.com") -> list[str]:
        """Log in as a client program."""
        self.connect(who, host)
        self.heard(who)
        return self.send(who, f"login {client} 1008 {who} secret99")

    def telnet(self, who: str, host: str = "cafe.example.com") -> list[str]:
        """Log in as a human."""
        self.connect(who, host)
        self.send(who, who)
        return self.send(who, "secret99")

    def drop(self, who: str) -> None:
        """The connection is cut."""
        self._happen(self.world.disconnected(self.sids[who], self.now))

    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds
        self._happen(self.world.ticked(self.now))

    def heard(self, who: str) -> list[str]:
        """The lines since this was last asked; prompts are the last piece."""
        sid = self.sids[who]
        text, self.raw[sid] = self.raw[sid], ""
        return text.removesuffix("\r\n").split("\r\n") if text else []

    def session(self, who: str) -> UserSession:
        """The session of a user."""
        return self.world.server.sessions[self.sids[who]]

    def match(self, who: str) -> UnfinishedMatch:
        """The match that this user plays."""
        match = self.world.server.match_of(who)
        assert match is not None
        return match

    def account(self, who: str) -> UserAccount:
        """The account of a user as it is now."""
        return self.world.server.accounts[who]

    def _happen(self, effects: Effects) -> None:
        self.effects = effects
        if effects.faults and not self.may_fail:
            raise effects.faults[0].error
        for sid, data in effects.output:
            assert sid not in self.closed
            self.raw[sid] = self.raw.get(sid, "") + data.decode("latin-1")
        self.closed |= set(effects.closing)
        for question in effects.slow:
            if isinstance(question, PasswordCheck):
                self.checked += 1
                right = bool(question.stored) and question.password == question.stored
                self._happen(self.world.password_checked(question.session, right, self.now))
            else:
                self._happen(
                    self.world.password_hashed(question.session, question.password, self.now)
                )
