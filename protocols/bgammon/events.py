"""Events of the server: bytes become lines, and every line becomes a message.

A line is one JSON object with a `Type`; the greeting of a new connection alone is plain text.
Fields that we do not know are ignored, and an event that we do not know is an `Unknown` line. Texts
are cleaned of control characters, numbers and lists are bounded: a line that breaks these rules is
`Garbled`, and nothing here raises.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sixprime.engine.position import Dice
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.wire.messages import LineTooLong, Message, Player, Unknown
from sixprime.protocols.fibs.wire.talk import Said

LONGEST = 262_144  # bytes of a line: a list of many tables, or the replay of a long game
KEPT_OF_TOO_LONG = 80
LONGEST_TEXT = 4_096
LONGEST_REPLAY = 200_000
MOST_ITEMS = 5_000  # of a list
MOST_NUMBER = 2**53
PLACES_SHOWN = 28  # off, 24 points, off, bar, bar

Pair = tuple[int, int]
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Garbled(Message):
    """A line that is no event, or an event that cannot be true."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class Greeted(Message):
    """A new connection begins with this plain line."""

    text: str


@dataclass(frozen=True, slots=True)
class Welcomed(Message):
    """Our login is accepted, under this name."""

    name: Player
    clients: int
    tables: int


@dataclass(frozen=True, slots=True)
class Told(Message):
    """A sentence of the server to its users, in the language of the client."""

    text: str


@dataclass(frozen=True, slots=True)
class Pinged(Message):
    """The server wants a sign of life with these words."""

    text: str


@dataclass(frozen=True, slots=True)
class OpenTable(Message):
    """A table of the list; `rating` is the better of its players', 0 for guests."""

    number: int
    has_password: bool
    points: int
    players: int
    rating: int
    name: str


@dataclass(frozen=True, slots=True)
class TablesListed(Message):
    tables: tuple[OpenTable, ...]


@dataclass(frozen=True, slots=True)
class Seated(Message):
    """Somebody, perhaps we, has taken a seat at a table; number 1 is our own seat."""

    name: Player
    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeft(Message):
    """Somebody, perhaps we, has left the table."""

    name: Player


@dataclass(frozen=True, slots=True)
class Failed(Message):
    """The server refuses a command: `create`, `join`, `leave`, `roll`, `move` or `ok`."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class SeatShown:
    """A player as the board shows it; an empty seat has no name."""

    name: Player
    rating: int
    points: int
    inactive_s: int


@dataclass(frozen=True, slots=True)
class TableShown(Message):
    """The `board` event; we are always player 1, and positive counts are our checkers."""

    started: int
    ours: SeatShown
    theirs: SeatShown
    variant: int
    places: tuple[int, ...]
    turn: int  # 0 before the opening roll; while a double waits, the doubler's
    dice: Dice  # 0: not rolled; before the opening our die and theirs
    moves: tuple[Pair, ...]  # of this turn, not confirmed yet
    winner: int
    length: int
    crawford: int  # 0: still to come, 1: this game, 2: over
    cube: int
    cube_owner: int
    is_doubled: bool  # a double waits for an answer
    available: tuple[Pair, ...]  # the steps that may be next
    is_forced: bool  # the server plays it
    is_watched: bool


@dataclass(frozen=True, slots=True)
class DiceRolled(Message):
    """Before the opening the other die may be 0."""

    name: Player
    dice: Dice


@dataclass(frozen=True, slots=True)
class StepsMade(Message):
    """Steps of a turn, or backwards if they are taken back."""

    name: Player
    steps: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class GameEnded(Message):
    """A game is won; `points` are 0 in a match of one, `gain` is the winner's after a match."""

    winner: Player
    points: int
    gain: int
    resigned: Player


@dataclass(frozen=True, slots=True)
class OptionsShown(Message):
    """The account's settings; the look of a client does not matter here."""

    autoplay: bool


@dataclass(frozen=True, slots=True)
class HistoryShown(Message):
    """A player's ratings: in matches of one point, and of more."""

    name: Player
    single: int
    multi: int


@dataclass(frozen=True, slots=True)
class ReplayShown(Message):
    """A game's replay; number -1 is the one just played."""

    number: int
    content: str


class EventLines:
    """The events of one connection, wherever TCP cut their lines."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False  # in the middle of a line that is too long

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the events that these bytes complete."""
        for start in range(0, len(data), LONGEST):  # so that the rest stays bounded
            before = len(self._rest)
            self._rest += data[start : start + LONGEST]
            yield from self._complete(before)

    def _complete(self, searched: int) -> Iterator[Message]:
        while (end := self._rest.find(b"\n", searched)) >= 0:
            raw = bytes(self._rest[:end])
            del self._rest[: end + 1]
            searched = 0
            if self._skipping:
                self._skipping = False
            elif len(raw) > LONGEST:
                yield _too_long(raw)
            elif line := raw.decode("utf-8", "replace").strip():
                yield read_event(line)
        if self._skipping:
            self._rest.clear()
        elif len(self._rest) > LONGEST:
            yield _too_long(bytes(self._rest[:LONGEST]))
            self._rest.clear()
            self._skipping = True


def _too_long(raw: bytes) -> LineTooLong:
    return LineTooLong(cleaned(raw[:KEPT_OF_TOO_LONG].decode("utf-8", "replace")))


def read_event(line: str) -> Message:
    """Return the event of a line, or the reason why it is none."""
    if not line.startswith("{"):
        return Greeted(cleaned(line)[:LONGEST_TEXT]) if line.startswith("hello ") else _no(line)
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):  # too many digits, or too deep
        return _no(line)
    kind = fields.get("Type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return Unknown(cleaned(line)[:LONGEST_TEXT])
    try:
        return reader(fields)
    except InputError as error:
        return Garbled(cleaned(line)[:LONGEST_TEXT], str(error))


def _no(line: str) -> Garbled:
    return Garbled(cleaned(line)[:LONGEST_TEXT], "no JSON object")


def cleaned(text: str) -> str:
    """Return a text for logs and people: no control characters, no halves of a character."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else " " for char in text).strip()


# --- fields, each of the type it must have


def _text(fields: Fields, name: str, most: int = LONGEST_TEXT) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise InputError(f"{name} is no text")
    return cleaned(value)


def _player(fields: Fields, name: str = "Player") -> Player:
    value = _text(fields, name, 64)
    if " " in value:
        raise InputError(f"{name} is no name")
    return Player(value)


def _number(fields: Fields, name: str, least: int = 0, most: int = MOST_NUMBER) -> int:
    value = fields.get(name, 0)
    if type(value) is not int or not least <= value <= most:
        raise InputError(f"{name} is no number from {least} to {most}")
    return value


def _flag(fields: Fields, name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise InputError(f"{name} is not true or false")
    return value


def _items(fields: Fields, name: str, most: int = MOST_ITEMS) -> list[Any]:
    value = fields.get(name)
    if value is None:  # Go's empty list
        return []
    if not isinstance(value, list) or len(value) > most:
        raise InputError(f"{name} is no list of at most {most}")
    return value


def _objects(fields: Fields, name: str) -> list[Fields]:
    items = _items(fields, name)
    if not all(isinstance(item, dict) for item in items):
        raise InputError(f"{name} is no list of objects")
    return items


def _pairs(fields: Fields, name: str) -> tuple[Pair, ...]:
    pairs = []
    for item in _items(fields, name):
        ends = item if isinstance(item, list) else []
        if len(ends) != 2 or not all(type(end) is int and 0 <= end < PLACES_SHOWN for end in ends):
            raise InputError(f"{name} has a step between no places")
        pairs.append((ends[0], ends[1]))
    return tuple(pairs)


def _die(fields: Fields, name: str) -> int:
    return _number(fields, name, 0, 6)


# --- events


def _listed(fields: Fields) -> Message:
    return TablesListed(
        tuple(
            OpenTable(
                _number(table, "ID"),
                _flag(table, "Password"),
                _number(table, "Points", -128, 127),
                _number(table, "Players", 0, 2),
                _number(table, "Rating", -100_000, 100_000),
                _text(table, "Name"),
            )
            for table in _objects(fields, "Games")
        )
    )


def _shown_seat(fields: Fields, name: str) -> SeatShown:
    player = fields.get(name)
    if not isinstance(player, dict):
        raise InputError(f"{name} is no object")
    return SeatShown(
        _player(player, "Name"),
        _number(player, "Rating", -100_000, 100_000),
        _number(player, "Points", 0, 127),
        _number(player, "Inactive"),
    )


def _shown(fields: Fields) -> Message:
    places = _items(fields, "Board", PLACES_SHOWN)
    whole = len(places) == PLACES_SHOWN
    if not whole or not all(type(count) is int and -15 <= count <= 15 for count in places):
        raise InputError(f"Board has not {PLACES_SHOWN} counts")
    return TableShown(
        started=_number(fields, "Started"),
        ours=_shown_seat(fields, "Player1"),
        theirs=_shown_seat(fields, "Player2"),
        variant=_number(fields, "Variant", 0, 127),
        places=tuple(places),
        turn=_number(fields, "Turn", 0, 2),
        dice=(_die(fields, "Roll1"), _die(fields, "Roll2")),
        moves=_pairs(fields, "Moves"),
        winner=_number(fields, "Winner", 0, 2),
        length=_number(fields, "Points", 1, 127),
        crawford=_number(fields, "Crawford", 0, 2),
        cube=_cube(fields),
        cube_owner=_number(fields, "DoublePlayer", 0, 2),
        is_doubled=_flag(fields, "DoubleOffered"),
        available=_pairs(fields, "Available"),
        is_forced=_flag(fields, "Forced"),
        is_watched=_flag(fields, "Spectating") or _number(fields, "PlayerNumber", 0, 2) != 1,
    )


def _cube(fields: Fields) -> int:
    cube = _number(fields, "DoubleValue", 1, 64)
    if cube & (cube - 1):
        raise InputError(f"the cube shows {cube}")
    return cube


def _rolled(fields: Fields) -> Message:
    return DiceRolled(_player(fields), (_die(fields, "Roll1"), _die(fields, "Roll2")))


def _won(fields: Fields) -> Message:
    return GameEnded(
        _player(fields),
        _number(fields, "Points", 0, 127),
        _number(fields, "Rating", -100_000, 100_000),
        _player(fields, "Resigned"),
    )


def _history(fields: Fields) -> Message:
    single, multi = (_number(fields, f"CasualBackgammon{n}", 0, 100_000) for n in _RATINGS)
    return HistoryShown(_player(fields), single, multi)


def _failed(what: str) -> Callable[[Fields], Message]:
    return lambda fields: Failed(what, _text(fields, "Reason"))


_RATINGS = ("Single", "Multi")
_READERS: dict[str, Callable[[Fields], Message]] = {
    "welcome": lambda fields: Welcomed(
        _player(fields, "PlayerName"), _number(fields, "Clients"), _number(fields, "Games")
    ),
    "notice": lambda fields: Told(_text(fields, "Message")),
    "ping": lambda fields: Pinged(_text(fields, "Message", 100)),
    "say": lambda fields: Said(_player(fields), _text(fields, "Message")),
    "list": _listed,
    "joined": lambda fields: Seated(
        _player(fields), _number(fields, "GameID"), _number(fields, "PlayerNumber", 0, 2)
    ),
    "left": lambda fields: SeatLeft(_player(fields)),
    "board": _shown,
    "rolled": _rolled,
    "moved": lambda fields: StepsMade(_player(fields), _pairs(fields, "Moves")),
    "win": _won,
    "settings": lambda fields: OptionsShown(_flag(fields, "AutoPlay")),
    "history": _history,
    "replay": lambda fields: ReplayShown(
        _number(fields, "ID", -1), _text(fields, "Content", LONGEST_REPLAY)
    ),
    **{
        f"failed{what}": _failed(what) for what in ("create", "join", "leave", "roll", "move", "ok")
    },
}
