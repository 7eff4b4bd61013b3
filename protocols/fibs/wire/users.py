"""Messages of the server about other users: who is here, who plays and watches, old games.

`length` None is an unlimited match.
"""

from __future__ import annotations

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text, Words
from sixprime.protocols.fibs.wire.templates import line


@line(
    "5 {name} {opponent} {watching} {ready} {away} {rating} {experience} {idle_s} {login}"
    " {host:word} {client:word} {email:word}[~ {_:rest}]"
)
class User(Message):
    """One user; `login` in Unix seconds, `idle_s` since the last command."""

    name: Player
    opponent: Player | None
    watching: Player | None
    ready: bool
    away: bool
    rating: float
    experience: int
    idle_s: int
    login: int
    host: str
    client: str
    email: str


@line("6")
class WhoEnds(Message): ...


@line("7 {name}[ {text}]")
class LoggedIn(Words): ...


@line("8 {name}[ {text}]")
class LoggedOut(Words): ...


@line("There are {count} users logged on[.]")
class UserCount(Message):
    count: int


@line("The following users are away:")
class AwayUsersBegin(Message): ...


@line("None of the users is away[.]")
class NobodyAway(Message): ...


@line("{name} has {count:games}[.]")
class SavedCount(Message):
    name: Player
    count: int = 0


@line("List of games:")
class GamesHead(Message): ...


@line("{name:user15} - {other:user>15} ({length:matchof} {score}-{other_score})")
class GameRow(Message):
    """A row of it: `marvin          -        trillian (5 point match 2-2)`"""

    name: Player
    other: Player
    length: int | None
    score: int
    other_score: int


@line("Watching players:")
class WatchersHead(Message): ...


@line("Watching players: none[.]")
class NobodyWatches(Message): ...


@line("{name} is watching you[.]")
class WatchesYou(OfUser):
    """Before IsWatching, which would read it, too: earlier lines win."""


@line("{name} is watching {other}[.]")
class IsWatching(Message):
    name: Player
    other: Player


@line("Information about {name}:")
class WhoisHead(OfUser): ...


@line("  {text}")
class WhoisLine(Text):
    """A line of it, indented by two blanks."""


@line("No information found on user {name}[.]")
class NoInformation(OfUser): ...


@line("Pipcounts: {name} {pips} {other} {other_pips}[~.]")
class Pipcounts(Message):
    name: Player
    pips: int
    other: Player
    other_pips: int


@line("You're now watching {name}[.]", "You are now watching {name}[.]")
class YouWatch(OfUser): ...


@line("{name} is not doing anything interesting[.]")
class NotInteresting(OfUser): ...


@line("[~** ]You stop watching {name}[.]")
class YouStopWatching(OfUser): ...


@line("{name} logs out. You're not watching anymore[.]")
class WatchedLeft(OfUser): ...


@line("{name} stops watching you[.]")
class StopsWatchingYou(OfUser): ...


@line("{name} starts watching {other}[.]")
class StartsWatching(Message):
    name: Player
    other: Player


@line("{name} stops watching {other}[.]")
class StopsWatching(Message):
    name: Player
    other: Player


@line("You look great[.]")
class LookGreat(Message): ...


@line("** {name} is not playing[.]", "{name} is not playing[.]")
class IsNotPlaying(OfUser): ...


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
