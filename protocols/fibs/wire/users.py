"""Messages of the server about other users: their lines, watching, old games.

`length` None is an unlimited match.
"""

from __future__ import annotations

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text, Words
from sixprime.protocols.fibs.wire.templates import line

_STATE = "5 {name} {opponent} {watching} {ready} {away} {rating} {experience}"


@line(
    f"{_STATE} {{idle_s}} {{login}} {{host:word}} {{client:word}} {{email:word}}[~ {{_:rest}}]",
    f"{_STATE} {{idle_s}} {{login}}[ {{host:word?}}][ {{client:word?}}][ {{email:word?}}]",
    f"{_STATE}[~ {{_:rest}}]",
)
class User(OfUser):
    """One user; `login` in Unix seconds, `idle_s` since the last command.

    All fields from `idle_s` on may be empty or missing: the user is visible all the same.
    """

    opponent: Player | None
    watching: Player | None
    ready: bool
    away: bool
    rating: float
    experience: int
    idle_s: int = 0
    login: int = 0
    host: str = ""
    client: str = ""
    email: str = ""


@line("6")
class WhoEnds(Message): ...


@line("7 {name}[ {text}]")
class LoggedIn(Words): ...


@line("8 {name}[ {text}]")
class LoggedOut(Words): ...


class RatingLine(Text):
    """A line of the calculation of our new rating, for people to read."""

    PATTERN = (
        "(?:rating calculation:|rating difference |match length ++N=|Experience: "
        "|Probability that underdog|P=|K=max|change for ).*+"
    )


@line("You're now watching {name}[.]", "You are now watching {name}[.]")
class YouWatch(OfUser): ...


@line("[~** ]You stop watching {name}[.]")
class YouStopWatching(OfUser): ...


@line(
    "{name} logs out[~.]. You're not watching anymore[.]",  # or two full stops
    "{name} drops connection[~.]. You're not watching anymore[.]",
    "Connection with {name} timed out[~.]. You're not watching anymore[.]",
    "Network error with {name}[~.]. You're not watching anymore[.]",
    "Closed old connection with user {name}[~.]. You're not watching anymore[.]",
)
class WatchedLeft(OfUser): ...


@line("Score is {score}-{other_score} in {length:match}[.]")
class OldScore(Message):
    score: int
    other_score: int
    length: int | None


@line("{x} is X - {o} is O[~.]")
class OldSeats(Message):
    x: Player
    o: Player


@line("{seat:seat}: {text}")
class OldMove(Message):
    """Or any other action of a seat."""

    seat: str
    text: str
