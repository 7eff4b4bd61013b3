"""Talk, in both directions; whatever the text says, it is only talk."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player


@dataclass(frozen=True, slots=True)
class MessagesWaiting(Message):
    """`There are messages for you:`"""


@dataclass(frozen=True, slots=True)
class MessageLeft(Message):
    """`9 NAME TIME text`, left while we were away."""

    name: Player
    time: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class MessageDelivered(Message):
    """`10 NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class MessageSaved(Message):
    """`11 NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Said(Message):
    """`12 NAME text`: told to us, or said by the opponent."""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Shouted(Message):
    """`13 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Whispered(Message):
    """`14 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Kibitzed(Message):
    """`15 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class YouTold(Message):
    """`16 NAME text`: the echo of our own tell or say."""

    name: Player
    text: str = ""


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


@dataclass(frozen=True, slots=True)
class Alerted(Message):
    """`20 NAME text`, on some servers."""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Heard(Message):
    """`** N users heard you.`"""

    count: int


@dataclass(frozen=True, slots=True)
class ToYourself(Message):
    """`You say to yourself: text`"""

    text: str


@dataclass(frozen=True, slots=True)
class IsAway(Message):
    """`NAME is away: text`"""

    name: Player
    text: str = ""


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


@dataclass(frozen=True, slots=True)
class FinallyHere(Message):
    """`** FINALLY!!! NAME logs in`: whom we waited for."""

    name: Player


@dataclass(frozen=True, slots=True)
class WaitedForYou(Message):
    """`NAME is waiting for you to log in.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Notice(Message):
    """`** ...`: something the tables do not know; an error line changes no game."""

    text: str
