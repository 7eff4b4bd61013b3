"""The lobby of a server of tables: we open a table, or sit down at one.

Nobody is invited there, and a user is only seen once both sit at a table. A program whose name
begins with BOT_ opens tables; it may not sit down where a person sits. After a match both sides may
ask for a rematch while they still sit.

Pure, as the desk is.
"""

from __future__ import annotations

import re

from sixprime.bot.client.lobby.desk import SETTLE_S, Desk
from sixprime.bot.client.lobby.terms import Declined
from sixprime.bot.client.lobby.waiting import Waiting
from sixprime.bot.process.printable import Sentence
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import OpenTable
from sixprime.protocols.bgammon.session import BgammonSession, RematchOffered
from sixprime.protocols.bgammon.standing import SEATED_WITHIN_S
from sixprime.protocols.fibs.people import People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.users import User
from sixprime.protocols.servers import Session

LIST_AGAIN_S = 20.0  # between two looks at the open tables
ANOTHER_GAME = ("(Acey-deucey) ", "(Tabula) ")  # beginnings of titles
A_BOT = "(?i)bot_.*"
_OWNER = re.compile(r"([A-Za-z0-9_]+)'s? match")  # of a table that nobody has given a title


class Foyer(Desk):
    """See the module's docstring."""

    _session: BgammonSession | None = None
    _asked_at = float("-inf")  # for a seat
    _now = float("-inf")
    _offers_rematch = False  # the opponent does, and has no answer yet

    def connected(self, session: Session | None = None) -> None:
        super().connected(session)
        assert isinstance(session, BgammonSession)
        self._session = session
        self._offers_rematch = False
        self._asked_at = float("-inf")

    def on_message(self, message: Message, now: float) -> None:
        self._now = now
        if isinstance(message, RematchOffered):
            self._offers_rematch = True
        super().on_message(message, now)

    def invite(self, name: Player, length: int, people: People, now: float) -> Command:
        """Sit down next at this user's table, by the operator's order."""
        self.known.entry(name).rests.forgive()
        self._wish = b.JoinTable(name)
        return self._wish

    def objection(self, opponent: Player, length: int | None, resumed: bool) -> str | None:
        """Return the reason to leave before the first dice; None: we play the match."""
        session, terms = self._session, self.terms
        if resumed or session is None or session.match is None or terms.is_welcome(opponent):
            return None
        sentence = self._objection(opponent, session.people.users.get(opponent), length)
        session.match.is_declined = sentence is not None
        return sentence

    def _objection(self, opponent: Player, user: User | None, length: int | None) -> str | None:
        terms = self.terms
        declined = self._declined(opponent, user)
        if declined is None and length != self.settings.invite.match_length:  # of our own tables
            declined = terms.objects_to_length(opponent, length)
        if declined is not None:
            return declined.sentence
        rated = self.settings.accept.rating
        if user is not None and opponent not in terms.names.allow and not rated.holds(user.rating):
            return "Sorry, I play opponents of other ratings."
        return None

    def _declined(self, name: Player, user: User | None, *, named: bool = False) -> Declined | None:
        """Return the objection to this user at any table; `named`: by the operator."""
        terms, now = self.terms, self._now
        return terms.is_enough_with(name, now) or terms.objects_to(name, user, now, named=named)

    # --- tables

    def wants(self, people: People, me: Player, now: float) -> Command | None:
        session, self._now = self._session, now
        assert session is not None
        command = self._wanted(session, now)
        return command if command is None or session.may_send(command, now) else None

    def _wanted(self, session: BgammonSession, now: float) -> Command | None:
        self.terms.forget_counts()
        if self.idle_since is None:
            self.idle_since = now
        if session.seat.table is not None:
            return self._at_table(session, now)
        if self._wish is not None:
            wish, self._wish = self._wish, None
            return wish
        if not self._begins(now) or now < max(self.idle_since, self._asked_at) + SETTLE_S:
            return None
        return self._sits_down(session, now)

    def _begins(self, now: float) -> bool:
        """Return whether we may begin a match with somebody."""
        stops = self.closing or self.settings.paused
        return not (stops or self.terms.is_quiet or self.terms.is_enough_today(now))

    def _at_table(self, session: BgammonSession, now: float) -> Command | None:
        """Return the next command at a table before or after a match."""
        if session.seat.leave_at is not None:
            return self._rematch_with(session, now)
        if not self._begins(now) or self._wish is not None:
            return c.Leave()
        if self._looks_round(session) and now >= self._asked_at + self._alone_s:
            if command := self._looks(session, now):
                return command
            return None if self._choice(session) is None else c.Leave()
        return None

    def _rematch_with(self, session: BgammonSession, now: float) -> Command | None:
        last, offered = session.last_match, self._rematch
        if last is None or not self._begins(now):
            return c.Leave()
        row = self.settings.games_in_a_row
        is_enough = row and self.known.in_a_row(last.opponent) >= row
        if is_enough or self._declined(last.opponent, None, named=True):
            return c.Leave()
        if self._offers_rematch or offered is not None:
            self._offers_rematch, self._rematch = False, None
            return b.OfferRematch()
        return None

    @property
    def _alone_s(self) -> float:
        """Seconds alone at our table before we look round for another."""
        return max(self.settings.invite.after_idle_s, LIST_AGAIN_S)

    def _looks_round(self, session: BgammonSession) -> bool:
        """Return whether we sit down at the tables of others."""
        return self.settings.invite.after_idle_s > 0 and not session.is_bot

    def _looks(self, session: BgammonSession, now: float) -> Command | None:
        is_new = now < session.tables.listed_at + LIST_AGAIN_S
        return None if is_new else b.ListTables()

    def _sits_down(self, session: BgammonSession, now: float) -> Command | None:
        """Sit down at a table that suits us, or open one."""
        if self._looks_round(session):
            if command := self._looks(session, now):
                return command
            if (table := self._choice(session)) is not None:
                session.tables.forget(table)
                self._asked_at = now
                return b.JoinTable(table.number)
        self._asked_at = now
        return b.CreateTable(self.settings.invite.match_length)

    def _choice(self, session: BgammonSession) -> OpenTable | None:
        """Return the best table to sit down at: of preferred users, then of the highest rating."""
        preferred = [*self.terms.names.preferred]
        tables = [each for each in session.tables.open if self._suits(each, session.me)]

        def rank(table: OpenTable) -> tuple[bool, int, int]:
            name = owner_of(table)
            place = preferred.index(name) if name in preferred else len(preferred)
            return self.terms.known.peek(name).is_bot, place, -table.rating

        return min(tables, key=rank, default=None)

    def _suits(self, table: OpenTable, me: Player) -> bool:
        settings, name = self.settings, owner_of(table)
        if table.players != 1 or table.has_password or name.lower() == me.lower():
            return False
        named = name in self.terms.names.preferred
        if not named and (settings.invite.whom != "anyone" or table.name.startswith(ANOTHER_GAME)):
            return False
        fits = table.points in settings.accept.match_lengths
        rated = named or settings.invite.rating.holds(table.rating)
        return fits and rated and not self._declined(name, None, named=named)

    # --- why it waits

    def waiting(self, now: float) -> Waiting:
        """Return whom or what we wait for."""
        session = self._session
        assert session is not None
        since, seat = self.idle_since, session.seat
        if seat.leave_at is not None and session.last_match is not None:
            name = session.last_match.opponent
            sentence = Sentence("waits for %(name)s to want a rematch", name=name)
            return Waiting("opponent", sentence, since, seat.leave_at)
        if seat.table is not None:
            sentence = Sentence("waits for somebody to sit down at its table")
            return Waiting("nobody", sentence, self._asked_at)
        if now < self._asked_at + SEATED_WITHIN_S:
            sentence = Sentence("waits for the server to give it a seat")
            return Waiting("server", sentence, self._asked_at)
        return Waiting("idle", Sentence("has just come to the lobby"), since)


def owner_of(table: OpenTable) -> Player:
    """Return the user who has opened a table, if its title tells."""
    told = _OWNER.fullmatch(table.name)
    return Player("" if told is None else told[1])
