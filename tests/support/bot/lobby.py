"""Lobby policy with users, on a clock of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sixprime.bot.client.lobby.desk import Desk
from sixprime.bot.settings.schema import (
    Chat,
    InviteSettings,
    Lobby,
)
from sixprime.protocols.fibs.people import People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.matches import (
    Invited,
    TypeJoin,
)
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.users import User, WhoEnds

ME, MARVIN, TRILLIAN = Player("sixbot"), Player("marvin"), Player("trillian")
T = 1_000.0


def user(name: str = "marvin", **fields: Any) -> User:
    plain = User(
        name=Player(name), opponent=None, watching=None, ready=True, away=False, rating=1623.41,
        experience=2115, idle_s=0, login=1, host="h", client="hyperclient_3.1", email="-",
    )  # fmt: skip
    return replace(plain, **fields)


class Scene:
    """A desk and what it has been told."""

    def __init__(self, lobby: Lobby | None = None, *users: User) -> None:
        self.desk = Desk(lobby or Lobby(), Chat().bots)
        self.people = People()
        self.now = T
        self.hear(*(users or (user(),)), WhoEnds())

    def hear(self, *messages: Message) -> Scene:
        for message in messages:
            self.people.receive(message, self.now)
            self.desk.on_message(message, self.now)
        return self

    def says(self, after_s: float = 0.0) -> Command | None:
        self.now += after_s
        return self.desk.wants(self.people, ME, self.now)

    def invited(self, length: int | None = 5, name: Player = MARVIN) -> Command | None:
        self.hear(Invited(name, length), TypeJoin(name))
        said = self.says()
        if isinstance(said, c.Join):
            self.people.forget_invitation(name)  # as when the match begins
        return said


def inviting(**fields: Any) -> Lobby:
    plain: dict[str, Any] = {"after_idle_s": 30.0, "preferred": ("marvin",)}
    return Lobby(invite=InviteSettings(**plain | fields))
