"""Talk, in both directions; whatever the text says, it is only talk."""

from __future__ import annotations

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text, Words
from sixprime.protocols.fibs.wire.templates import line


@line("There are messages for you:")
class MessagesWaiting(Message): ...


@line("9 {name} {time}[ {text}]")
class MessageLeft(Message):
    """Left while we were away."""

    name: Player
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
    """On some servers."""


@line("** {count:users} heard you[.]")
class Heard(Message):
    count: int


@line("You say to yourself: {text}")
class ToYourself(Text): ...


@line("{name} is away: {text}")
class IsAway(Words): ...


@line("** You gag {name}[.]", what="gag")
@line("** You ungag {name}[.]", what="ungag")
@line("** You blind {name}[.]", what="blind")
@line("** You unblind {name}[.]", what="unblind")
class Gags(Message):
    """`** You gag NAME.` and its three sisters; `what` is gag, ungag, blind or unblind."""

    what: str
    name: Player


@line("You wave goodbye[.]")
@line("You wave goodbye again and log out[.]", again=True)
class YouWave(Message):
    again: bool = False


@line("{name} waves goodbye[.]")
@line("{name} waves goodbye again[.]", again=True)
class Waves(Message):
    name: Player
    again: bool = False


@line("** FINALLY!!! {name} logs in[~.]")
class FinallyHere(OfUser):
    """Whom we waited for."""


@line("{name} is waiting for you to log in[.]")
class WaitedForYou(OfUser): ...


class Notice(Text):
    """`** ...`: something the tables do not know; an error line changes no game."""
