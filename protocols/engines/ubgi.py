"""Universal Backgammon Interface: the messages of its three generations, without I/O.

    draft 0.01  `ubgi`, then bare positions (XGID, FIBS board), each answered by an action
    0.1         `setoption name N value V`, `go role chequer`, `bestmove`
    0.2         `set`, `get`, `keys`, `go chequer`; other words for errors

We understand all three at once, because a word hardly ever means different things in them. Errors
have the names of 0.2 until the client shows that it speaks 0.1. A client of the draft waits for
`readyok` after the greeting, which would confuse the others, so that is an option (`draft`). They
disagree on depth: `EvalPlies` and `depth` count from 0 as gnubg does, `engine.ply` counts from 1.

Seats are p0 and p1. A Position ID is a board as the player on roll sees it; `setturn` only says who
is on roll, by default p0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import MAX_LENGTH, BadId
from sixprime.protocols.formats.notation import format_steps

LONGEST_LINE = 4096  # characters
MAX_PLIES = 4


class Fault(Enum):
    """Reasons why a command failed, by their names in 0.1 and 0.2."""

    UNKNOWN = ("unknown_command", "bad_command")
    ARGUMENT = ("bad_argument", "bad_value")
    CONTEXT = ("missing_context", "bad_state")
    UNSUPPORTED = ("unsupported_feature", "unsupported")


class BadCommand(InputError):
    """The command cannot be carried out; the text says why."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


class Word(Enum):
    """Commands of one word."""

    HELLO = "ubgi"
    IS_READY = "isready"
    NEW_GAME = "newgame"
    KEYS = "keys"
    STOP = "stop"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class NewSession:
    """`newsession type money|match [length N] [jacoby on|off] [crawford on|off]`."""

    length: int
    jacoby: bool = True
    crawford: bool = True


@dataclass(frozen=True, slots=True)
class SetScore:
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SetCube:
    """`setcube value N owner center|p0|p1`."""

    value: int
    owner: int | None


@dataclass(frozen=True, slots=True)
class SetTurn:
    seat: int


@dataclass(frozen=True, slots=True)
class SetPosition:
    """`position gnubgid ...`: the checkers; `position xgid ...`: the match too."""

    position: Position
    match: MatchState | None


@dataclass(frozen=True, slots=True)
class SetDice:
    dice: Dice


@dataclass(frozen=True, slots=True)
class SetKey:
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class SetOption:
    """`setoption name NAME value VALUE`."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class GetKey:
    key: str


class Role(Enum):
    CHEQUER = "chequer"
    CUBE = "cube"
    TURN = "turn"


@dataclass(frozen=True, slots=True)
class Go:
    """`go [role] [chequer|cube|turn] [depth N] [movetime MS]`; by default the due role."""

    role: Role | None = None
    plies: int | None = None
    seconds: float | None = None
    old: bool = False  # as 0.1 writes it


@dataclass(frozen=True, slots=True)
class BarePosition:
    """A position alone on a line, by which the draft asks for a decision."""

    position: Position
    match: MatchState


Command = (
    Word
    | NewSession
    | SetScore
    | SetCube
    | SetTurn
    | SetPosition
    | SetDice
    | SetKey
    | SetOption
    | GetKey
    | Go
    | BarePosition
)

_COLOURS = {"p0": 0, "p1": 1}
_OWNERS: dict[str, int | None] = {"center": None, "centre": None, **_COLOURS}


def parse_command(line: str) -> Command:
    """Parse a line; BadCommand if it is no command."""
    words = line.split()
    if not words or len(line) > LONGEST_LINE:
        raise BadCommand(Fault.UNKNOWN, "empty or too long a line")
    verb, rest = words[0], words[1:]
    if verb in _READERS:
        return _READERS[verb](rest)
    if not rest and verb in _WORDS:
        return _WORDS[verb]
    try:
        position, match = pasted.read_position(line)
    except pasted.NoPosition:
        raise BadCommand(Fault.UNKNOWN, f"unknown command {shown(verb)}") from None
    except BadId as error:
        raise BadCommand(Fault.ARGUMENT, str(error)) from None
    return BarePosition(position, match or MatchState())


def _read_session(words: list[str]) -> NewSession:
    named = _named("newsession", words, ("type", "length", "jacoby", "crawford"))
    kind = named.get("type")
    if kind not in ("money", "match"):
        raise BadCommand(Fault.ARGUMENT, "newsession: type money or match")
    length = 0
    if kind == "match":
        length = _number("newsession: length", named.get("length", ""), 1, MAX_LENGTH)
    return NewSession(
        length,
        _switch("newsession: jacoby", named.get("jacoby", "on")),
        _switch("newsession: crawford", named.get("crawford", "on")),
    )


def _read_score(words: list[str]) -> SetScore:
    if len(words) != 2:
        raise BadCommand(Fault.ARGUMENT, "setscore: two scores")
    first, second = (_number("setscore", word, 0, 32767) for word in words)
    return SetScore((first, second))


def _read_cube(words: list[str]) -> SetCube:
    named = _named("setcube", words, ("value", "owner"))
    value = _number("setcube: value", named.get("value", "1"), 1, 1 << 15)
    owner = named.get("owner", "center")
    if value & (value - 1):
        raise BadCommand(Fault.ARGUMENT, f"setcube: {value} is not a power of 2")
    if owner not in _OWNERS:
        raise BadCommand(Fault.ARGUMENT, f"setcube: owner center, p0 or p1, not {shown(owner)}")
    return SetCube(value, _OWNERS[owner])


def _read_turn(words: list[str]) -> SetTurn:
    if len(words) != 1 or words[0] not in _COLOURS:
        raise BadCommand(Fault.ARGUMENT, "setturn: p0 or p1")
    return SetTurn(_COLOURS[words[0]])


def _read_position(words: list[str]) -> SetPosition:
    if len(words) < 2 or words[0] not in ("gnubgid", "xgid"):
        raise BadCommand(Fault.ARGUMENT, "position: gnubgid or xgid, and the identifier")
    try:
        return SetPosition(*pasted.read_position(" ".join(words[1:])))
    except BadId as error:
        raise BadCommand(Fault.ARGUMENT, str(error)) from None


def _read_dice(words: list[str]) -> SetDice:
    if len(words) != 2:
        raise BadCommand(Fault.ARGUMENT, "dice: two numbers")
    first, second = (_number("dice", word, 1, 6) for word in words)
    return SetDice((first, second))


def _read_set(words: list[str]) -> SetKey:
    if len(words) < 2:
        raise BadCommand(Fault.ARGUMENT, "set: a key and a value")
    return SetKey(words[0], " ".join(words[1:]))


def _read_option(words: list[str]) -> SetOption:
    found = re.fullmatch(r"name (.+?) value (.+)", " ".join(words))
    if not found:
        raise BadCommand(Fault.ARGUMENT, "setoption: name NAME value VALUE")
    return SetOption(found[1], found[2])


def _read_get(words: list[str]) -> GetKey:
    if len(words) != 1:
        raise BadCommand(Fault.ARGUMENT, "get: one key")
    return GetKey(words[0])


def _read_go(words: list[str]) -> Go:
    old = words[:1] == ["role"]
    words = words[1:] if old else words
    role = None
    if words and words[0] in _ROLES:
        role, words = _ROLES[words[0]], words[1:]
    elif old:
        raise BadCommand(Fault.ARGUMENT, "go role: chequer, cube or turn")
    named = _named("go", words, ("depth", "movetime", "nodes", "trials"))
    for limit in ("nodes", "trials"):
        if limit in named:
            raise BadCommand(Fault.UNSUPPORTED, f"go: no limit of {limit}")
    depth, movetime = named.get("depth"), named.get("movetime")
    return Go(
        role,
        None if depth is None else _number("go: depth", depth, 0, MAX_PLIES),
        None if movetime is None else _number("go: movetime", movetime, 1, 10**9) / 1000,
        old,
    )


_WORDS = {word.value: word for word in Word}
_ROLES = {role.value: role for role in Role}
_READERS: dict[str, Callable[[list[str]], Command]] = {
    "newsession": _read_session,
    "setscore": _read_score,
    "setcube": _read_cube,
    "setturn": _read_turn,
    "position": _read_position,
    "dice": _read_dice,
    "set": _read_set,
    "setoption": _read_option,
    "get": _read_get,
    "go": _read_go,
}


def _named(verb: str, words: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Return `name value name value` as a mapping."""
    if len(words) % 2:
        raise BadCommand(Fault.ARGUMENT, f"{verb}: {shown(words[-1])} has no value")
    for name in words[::2]:
        if name not in names:
            raise BadCommand(Fault.ARGUMENT, f"{verb}: {shown(name)} is not a name")
    return dict(zip(words[::2], words[1::2], strict=True))


def _number(what: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch("[0-9]{1,10}", text) or not low <= int(text) <= high:
        raise BadCommand(Fault.ARGUMENT, f"{what}: {shown(text)} is not from {low} to {high}")
    return int(text)


def _switch(what: str, text: str) -> bool:
    if text not in ("on", "off"):
        raise BadCommand(Fault.ARGUMENT, f"{what}: on or off, not {shown(text)}")
    return text == "on"


def shown(text: str) -> str:
    """Quote the beginning of a client's word in ASCII, for an error message."""
    return ascii(text[:40])


def play_text(play: Play) -> str:
    """Write every step, with `bar` and `off` as words; `pass` for a dance."""
    return format_steps(play) or "pass"
