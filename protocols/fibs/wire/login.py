"""Messages of the server around a session, from prompt to farewell, and about itself."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text
from sixprime.protocols.fibs.wire.templates import line


class LoginPrompt(Message):
    """`login: `, without a line end."""


@dataclass(frozen=True, slots=True)
class PasswordPrompt(Message):
    """A question for a password, without a line end."""

    text: str = "password:"


class BannerLine(Text):
    """A line before the login that means nothing."""


@line("1 {name} {last_login} {last_host:word}[~ {_:rest}]", "1 {name}[~ {_:rest}]")
class Welcome(Message):
    """The end of the login; number and name suffice. The time is in Unix seconds."""

    name: Player
    last_login: int = 0
    last_host: str = ""


@line("3")
class MotdBegins(Message): ...


class MotdLine(Text):
    """Free text between `3` and `4`; it may look like anything."""


@line("4")
class MotdEnds(Message):
    """The end of the message of the day; the server understands commands now."""


@line("** User not known or wrong password[.]", text="** User not known or wrong password.")
@line("** access denied![~ {_:rest}]", text="** access denied!")
@line("Login incorrect[~.]", text="Login incorrect")
class LoginFailed(Text):
    """A wrong name or password, in the words of the server."""


@line("** Warning: You are already logged in[.]")
class AlreadyLoggedIn(Message):
    """A warning: the server closes our older connection."""


@line("** You just logged in a second time from {host:lazy}, terminating this session[.]")
class KickedByTwin(Message):
    host: str


@line("Connection timed out[.]")
class TimedOut(Message):
    """The end of a connection, for idling too long."""


@line("[~ ]Goodbye[.]", text="Goodbye.")
@line("Thanks for using this server!", text="Thanks for using this server!")
class Farewell(Text):
    """The answer to `bye`."""


class Shutdown(Text):
    """The announcement of a restart or shutdown soon."""

    PATTERN = r"\*\*\* ATTENTION !.*+|(?:\*++ )?FIBS will (?:restart|shut down).*+"


class ServerTime(Text):
    """The answer to `time`, and a line of the banner."""

    PATTERN = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \w++ ++\d\d? \d\d:\d\d:\d\d .*+"


@line("Please register before using this server:")
class GuestNotice(Message): ...


@line("ONE USERNAME PER PERSON ONLY!!!")
class OneNameOnly(Message): ...


@line("Your name will be {name}[~.]")
class NameWillBe(OfUser): ...


@line("Type in no password and hit Enter/Return if you want to change it now[.]")
class NoPasswordMeansAnotherName(Message): ...


@line("You are registered[.]")
class Registered(Message): ...


@line("Type 'help beginner' to get started[.]")
class BeginnersHelp(Message): ...
