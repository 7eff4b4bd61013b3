"""Talk, in both directions; whatever the text says, it is only talk."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text, Words


class MessagesWaiting(Message):
    """`There are messages for you:`"""


@dataclass(frozen=True, slots=True)
class MessageLeft(Message):
    """`9 NAME TIME text`, left while we were away."""

    name: Player
    time: int
    text: str = ""


class MessageDelivered(OfUser):
    """`10 NAME`"""


class MessageSaved(OfUser):
    """`11 NAME`"""


class Said(Words):
    """`12 NAME text`: a `tell` to us, or the opponent's `say`."""


class Shouted(Words):
    """`13 NAME text`"""


class Whispered(Words):
    """`14 NAME text`"""


class Kibitzed(Words):
    """`15 NAME text`"""


class YouTold(Words):
    """`16 NAME text`: the echo of our own tell or say."""


@dataclass(frozen=True, slots=True)
class YouShouted(Message):
    """`17 text`"""

    text: str = ""


@dataclass(frozen=True, slots=True)
class YouWhispered(Message):
    """`18 text`"""

    text: str = ""


@dataclass(frozen=True, slots=True)
class YouKibitzed(Message):
    """`19 text`"""

    text: str = ""


class Alerted(Words):
    """`20 NAME text`, on some servers."""


@dataclass(frozen=True, slots=True)
class Heard(Message):
    """`** N users heard you.`"""

    count: int


class ToYourself(Text):
    """`You say to yourself: text`"""


class IsAway(Words):
    """`NAME is away: text`"""


@dataclass(frozen=True, slots=True)
class Gags(Message):
    """`** You gag NAME.` and its three sisters; `what` is gag, ungag, blind or unblind."""

    what: str
    name: Player


@dataclass(frozen=True, slots=True)
class YouWave(Message):
    """`You wave goodbye.`, the second time `You wave goodbye again and log out.`"""

    again: bool = False


@dataclass(frozen=True, slots=True)
class Waves(Message):
    """`NAME waves goodbye.`"""

    name: Player
    again: bool = False


class FinallyHere(OfUser):
    """`** FINALLY!!! NAME logs in`: whom we waited for."""


class WaitedForYou(OfUser):
    """`NAME is waiting for you to log in.`"""


class Notice(Text):
    """`** ...`: something the tables do not know; an error line changes no game."""
