"""Talk, in both directions; no text is more than talk."""

from __future__ import annotations

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Text, Words
from sixprime.protocols.fibs.wire.templates import line


@line("9 {name} {time}[ {text}]")
class MessageLeft(OfUser):
    """A message that was left while we were away."""

    time: int
    text: str = ""


@line("10 {name}")
class MessageDelivered(OfUser): ...


@line("11 {name}")
class MessageSaved(OfUser): ...


@line("12 {name}[ {text}]")
class Said(Words):
    """A `tell` to us, or the opponent's `say`."""


@line("13 {name}[ {text}]")
class Shouted(Words): ...


@line("14 {name}[ {text}]")
class Whispered(Words): ...


@line("15 {name}[ {text}]")
class Kibitzed(Words): ...


@line("16 {name}[ {text}]")
class YouTold(Words):
    """The echo of our own tell or say."""


@line("17[ {text}]")
class YouShouted(Message):
    text: str = ""


@line("18[ {text}]")
class YouWhispered(Message):
    text: str = ""


@line("19[ {text}]")
class YouKibitzed(Message):
    text: str = ""


@line("20 {name}[ {text}]")
class Alerted(Words):
    """An alert, which only some servers have."""


@line("{name} is away: {text}")
class IsAway(Words): ...


class Notice(Text):
    """`** ...`: an error line that the tables do not know; it changes no game."""
