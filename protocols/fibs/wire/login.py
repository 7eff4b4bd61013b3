"""What the server says before a session begins and when it ends, and about itself."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player


@dataclass(frozen=True, slots=True)
class LoginPrompt(Message):
    """`login: `, without a line end."""


@dataclass(frozen=True, slots=True)
class PasswordPrompt(Message):
    """A question for a password, without a line end."""

    text: str = "password:"


@dataclass(frozen=True, slots=True)
class BannerLine(Message):
    """Decoration before the login; nothing in it means anything."""

    text: str


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """`1 NAME LASTLOGIN HOST`: we are logged in; the time is in Unix seconds."""

    name: Player
    last_login: int
    last_host: str


@dataclass(frozen=True, slots=True)
class MotdBegins(Message):
    """`3`"""


@dataclass(frozen=True, slots=True)
class MotdLine(Message):
    """Free text between `3` and `4`; it may look like anything."""

    text: str


@dataclass(frozen=True, slots=True)
class MotdEnds(Message):
    """`4`: from here on commands are understood."""


@dataclass(frozen=True, slots=True)
class LoginFailed(Message):
    """A wrong name or password, in the words of the server."""

    text: str


@dataclass(frozen=True, slots=True)
class AlreadyLoggedIn(Message):
    """`** Warning: You are already logged in.`: the older connection is being closed."""


@dataclass(frozen=True, slots=True)
class KickedByTwin(Message):
    """`** You just logged in a second time from HOST, terminating this session.`"""

    host: str


@dataclass(frozen=True, slots=True)
class TimedOut(Message):
    """`Connection timed out.`: we were idle too long."""


@dataclass(frozen=True, slots=True)
class Farewell(Message):
    """The answer to `bye`."""

    text: str


@dataclass(frozen=True, slots=True)
class Shutdown(Message):
    """The server will restart or shut down soon."""

    text: str


@dataclass(frozen=True, slots=True)
class ServerTime(Message):
    """The answer to `time`, and a line of the banner."""

    text: str


@dataclass(frozen=True, slots=True)
class MaxLogins(Message):
    """`max_logins is N (maximum: N)`"""

    now: int
    maximum: int


@dataclass(frozen=True, slots=True)
class GuestNotice(Message):
    """`Please register before using this server:`"""


@dataclass(frozen=True, slots=True)
class OneNameOnly(Message):
    """`ONE USERNAME PER PERSON ONLY!!!`"""


@dataclass(frozen=True, slots=True)
class NameWillBe(Message):
    """`Your name will be NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class NoPasswordMeansAnotherName(Message):
    """`Type in no password and hit Enter/Return if you want to change it now.`"""


@dataclass(frozen=True, slots=True)
class Registered(Message):
    """`You are registered.`"""


@dataclass(frozen=True, slots=True)
class BeginnersHelp(Message):
    """`Type 'help beginner' to get started.`"""
