"""The kinds of servers: how each is dialled, its session, and its lobby."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sixprime.bot.client.connection import Dial, dial_tcp, dial_telnet
from sixprime.bot.client.lobby.desk import Desk
from sixprime.bot.client.lobby.foyer import A_BOT, Foyer
from sixprime.bot.settings.namefiles import NameFiles
from sixprime.bot.settings.schema import Profile
from sixprime.protocols.bgammon.commands import line_of
from sixprime.protocols.bgammon.session import BgammonSession
from sixprime.protocols.fibs.progress import KnownServer
from sixprime.protocols.fibs.session import Session as FibsSession
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.servers import Session


@dataclass(frozen=True, slots=True)
class Network:
    """One kind of server."""

    dial: Dial
    session: Callable[[Login, float, KnownServer], Session]
    desk: Callable[[Profile, NameFiles], Desk]
    line: Callable[[Command], str] = lambda command: command.line()
    keeps_seats: bool = False  # a match goes on after a logout, and leaving it loses it


NETWORKS = {
    "fibs": Network(
        dial_telnet,
        lambda login, now, known: FibsSession(login, now, known=known),
        lambda profile, files: Desk(profile.lobby, profile.chat.bots, files),
    ),
    "bgammon": Network(
        dial_tcp,
        lambda login, now, known: BgammonSession(login, now, known),
        lambda profile, files: Foyer(profile.lobby, (*profile.chat.bots, A_BOT), files),
        line_of,
        keeps_seats=True,
    ),
}
