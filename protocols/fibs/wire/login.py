"""Messages of the server around a session, from prompt to farewell, and about itself."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text


class LoginPrompt(Message):
    """`login: `, without a line end."""


@dataclass(frozen=True, slots=True)
class PasswordPrompt(Message):
    """A question for a password, without a line end."""

    text: str = "password:"


class BannerLine(Text):
    """Decoration before the login, without any meaning."""


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """`1 NAME LASTLOGIN HOST`: we are logged in; the time is in Unix seconds."""

    name: Player
    last_login: int
    last_host: str


class MotdBegins(Message):
    """`3`"""


class MotdLine(Text):
    """Free text between `3` and `4`; it may look like anything."""


class MotdEnds(Message):
    """`4`: from here on commands are understood."""


class LoginFailed(Text):
    """A wrong name or password, in the words of the server."""


class AlreadyLoggedIn(Message):
    """`** Warning: You are already logged in.`: the older connection is being closed."""


@dataclass(frozen=True, slots=True)
class KickedByTwin(Message):
    """`** You just logged in a second time from HOST, terminating this session.`"""

    host: str


class TimedOut(Message):
    """`Connection timed out.`: we were idle too long."""


class Farewell(Text):
    """The answer to `bye`."""


class Shutdown(Text):
    """The server will restart or shut down soon."""


class ServerTime(Text):
    """The answer to `time`, and a line of the banner."""


@dataclass(frozen=True, slots=True)
class MaxLogins(Message):
    """`max_logins is N (maximum: N)`"""

    now: int
    maximum: int


class GuestNotice(Message):
    """`Please register before using this server:`"""


class OneNameOnly(Message):
    """`ONE USERNAME PER PERSON ONLY!!!`"""


class NameWillBe(OfUser):
    """`Your name will be NAME`"""


class NoPasswordMeansAnotherName(Message):
    """`Type in no password and hit Enter/Return if you want to change it now.`"""


class Registered(Message):
    """`You are registered.`"""


class BeginnersHelp(Message):
    """`Type 'help beginner' to get started.`"""
