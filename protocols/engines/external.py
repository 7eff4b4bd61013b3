"""gnubg's external player protocol, the server side, without I/O.

Either gnubg dials in and asks for every decision of one of its players, or another program, "a
client", asks `version`, `board:...` or `evaluation fibsboard board:...`. Only gnubg ends its lines
with a newline and a NUL. Both write the same board line, so one parser serves both.

Seats: the side whose colour is in field 41 is seat 1, in gnubg's lines player 1; the other is seat
0. The board is drawn once for both: seat 1 has the checkers with the sign of field 41 and moves in
the direction of field 42; gnubg itself always writes 1 and -1 there, up to 24 being seat 1's own
points. A Position is the view of the player on roll, as everywhere. While a double waits, names
and scores come exchanged, and the turn is still the doubler's.

gnubg's reading of the line, which we follow, differs from FIBS's: the second score is seat 1's, and
in the Crawford game one side is 1 away while fields 51 and 52 are both 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from sixprime.engine.game import Action, Answer, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.position import (
    OFF,
    POINTS,
    IllegalPosition,
    MatchState,
    Play,
    Position,
    is_roll,
)
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.ids import BEAVERS
from sixprime.protocols.formats.notation import format_steps

LONGEST_LINE = 4096  # bytes; a longer line is an error
MAX_LENGTH = 64  # points; of longer matches only the end counts

_NUMBERS = 50
_UNLIMITED = 9999
_TRUE = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


class BadRequest(InputError):
    """The line is not a valid request; the text goes into the reply."""


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The rules that a board line leaves open; the defaults are a gnubg session's."""

    jacoby: bool = True
    crawford: bool = True
    beavers: bool = True
    resignation: int = 0  # games that the player on roll offers to lose


@dataclass(frozen=True, slots=True)
class ExternalBoard:
    """A `board:` line: names by seat, and the position as the player on roll sees it."""

    names: tuple[str, str]
    position: Position
    match: MatchState


# Requests


@dataclass(frozen=True, slots=True)
class Decide:
    """`board:...`: choose an action for the player to act."""

    board: ExternalBoard


@dataclass(frozen=True, slots=True)
class Evaluate:
    """`evaluation fibsboard board:...`: six numbers."""

    board: ExternalBoard
    plies: int = 0
    cubeful: bool = False
    noise: float = 0.0
    deterministic: bool = True
    prune: bool = True


@dataclass(frozen=True, slots=True)
class Switch:
    """`set debug on`, `set interface new`."""

    name: Literal["debug", "interface"]
    on: bool


class Plain(Enum):
    """Requests of one word."""

    VERSION = "version"
    HELP = "help"
    EXIT = "exit"


Request = Decide | Evaluate | Switch | Plain


class ExternalLines:
    """Bytes to lines, wherever TCP cut them. `gnubg`: a NUL has shown that gnubg asks."""

    def __init__(self) -> None:
        self.gnubg = False
        self._rest = b""
        self._dropping = False

    def feed(self, data: bytes) -> Iterator[str | None]:
        """Yield the lines that these bytes complete; None for one longer than LONGEST_LINE."""
        if b"\0" in data:
            self.gnubg = True
            data = data.replace(b"\0", b"")
        *whole, rest = (self._rest + data).split(b"\n")
        self._rest = rest
        for line in whole:
            if self._dropping or len(line) > LONGEST_LINE:
                self._dropping = False
                yield None
            else:
                yield line.decode("utf-8", "replace").strip()
        if len(self._rest) > LONGEST_LINE:
            self._dropping = True
        if self._dropping:
            self._rest = b""


_BOARD = re.compile(
    r'board:("[^"]*+"|[^:"]*+):("[^"]*+"|[^:"]*+):([-+0-9:]*+)(.*+)',
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


def parse_request(line: str) -> Request:
    """Parse a line without its end; BadRequest if it is no request."""
    line = line.strip()
    if not line:
        raise BadRequest("no command given")
    if line[:6].lower() == "board:":
        board, options = _board(line)
        rules, rest = _rules(options)
        if rest:
            raise BadRequest(f"syntax error, unknown option {rest[0][:40]!r}")
        return Decide(_ruled(board, rules))
    words = line.split()
    verb = words[0].lower()
    if verb == "evaluation":
        return _evaluation(line)
    if verb == "set":
        return _setting(words[1:])
    if len(words) == 1:
        if verb == "quit":
            return Plain.EXIT
        for plain in Plain:
            if plain.value == verb:
                return plain
    raise BadRequest(f"syntax error, unknown command {words[0][:40]!r}")


def read_board(line: str, rules: SessionRules | None = None) -> ExternalBoard:
    """Parse a board line without options; BadRequest if it is none."""
    board, options = _board(line.strip())
    if options:
        raise BadRequest("syntax error after the board")
    return _ruled(board, rules or SessionRules())


def _board(line: str) -> tuple[tuple[ExternalBoard, bool], list[str]]:
    """Return the board without money rules, the mark of Crawford games, and the words after it."""
    found = _BOARD.fullmatch(line)
    if not found:
        raise BadRequest("badly formed board")
    numbers, tail = found[3].split(":"), found[4]
    if len(numbers) != _NUMBERS or (tail and not tail[0].isspace()):
        raise BadRequest(f"badly formed board: {len(numbers) + 2} fields, not 52")
    if not all(re.fullmatch("[-+]?[0-9]{1,6}", number) for number in numbers):
        raise BadRequest("badly formed board: a field is not a number")
    names = (found[1].strip('"'), found[2].strip('"'))
    return _understood(names, [0, 0, 0, *map(int, numbers)]), tail.split()


def _understood(names: tuple[str, str], n: list[int]) -> tuple[ExternalBoard, bool]:
    """Return the board and the mark of Crawford games; field 0 is the word `board`."""
    if n[32] == 0 or n[41] == 0 or n[42] == 0:
        raise BadRequest("badly formed board: nobody is on turn, or no colour or direction")
    on_roll = 1 if n[32] * n[41] > 0 else 0
    down = n[42] < 0  # from 24 to 1, in the numbering of the line
    points = [count if n[41] > 0 else -count for count in (n[7:31] if down else n[30:6:-1])]
    bars = (n[31], n[6]) if down else (n[6], n[31])
    view = Position(
        (*(max(count, 0) for count in points), abs(bars[0])),
        (*(max(-count, 0) for count in reversed(points)), abs(bars[1])),
    )
    try:
        view.checked()
    except IllegalPosition as error:
        raise BadRequest(f"badly formed board: {error}") from None
    length, score = _match_length(n[3]), (n[4], n[5])
    may = (n[38] != 0, n[39] != 0)
    doubled = n[40] != 0 or may == (False, False)
    if doubled:
        names, score = names[::-1], score[::-1]
    if min(score) < 0 or (length and max(score) >= length):
        raise BadRequest(f"badly formed board: a score of {score[0]}-{score[1]} in {length} points")
    if n[37] < 1 or n[37] & (n[37] - 1) or n[37] > 1 << 15:
        raise BadRequest(f"badly formed board: a cube of {n[37]}")
    match = MatchState(
        length=length,
        score=score,
        on_roll=on_roll,
        to_act=1 - on_roll if doubled else on_roll,
        dice=None if doubled else _dice(n[33:37]),
        cube=n[37],
        cube_owner=_owner(may, n[37], on_roll),
        doubled=doubled,
    ).shortened(MAX_LENGTH)
    one_away = length > 1 and length - 1 in score
    position = view if on_roll == 1 else view.flipped()
    return ExternalBoard(names, position, match), one_away and n[51] == 0 and n[52] == 0


def _match_length(field: int) -> int:
    if field < 0:
        raise BadRequest(f"badly formed board: a match to {field}")
    return 0 if field == _UNLIMITED else field


def _dice(fields: list[int]) -> tuple[int, int] | None:
    """Return the first pair, or the second if the first is missing."""
    pair = (fields[0], fields[1]) if fields[0] else (fields[2], fields[3])
    if pair == (0, 0):
        return None
    if not is_roll(pair):
        raise BadRequest(f"badly formed board: dice of {pair[0]} and {pair[1]}")
    return pair


def _owner(may: tuple[bool, bool], cube: int, on_roll: int) -> int | None:
    """Return the cube's owner: None if both may double; if neither may, the doubler."""
    if may[0] == may[1]:
        return None if may[0] or cube == 1 else on_roll
    return 1 if may[0] else 0


def _ruled(read: tuple[ExternalBoard, bool], rules: SessionRules) -> ExternalBoard:
    board, crawford = read
    match = board.match
    money = match.length == 0
    match = replace(
        match,
        crawford=crawford and rules.crawford,
        jacoby=money and rules.jacoby,
        beavers=BEAVERS if money and rules.beavers else 0,
        resigned=rules.resignation,
        to_act=1 - match.on_roll if rules.resignation else match.to_act,
    )
    return replace(board, match=match)


def _rules(words: list[str]) -> tuple[SessionRules, list[str]]:
    """Return the options of a board, and the remaining words."""
    rules, rest = SessionRules(), list[str]()
    left = iter(words)
    for word in left:
        name = _SWITCHES.get(word.lower())
        if name is not None:
            rules = replace(rules, **{name: _switch(word, next(left, ""))})
        elif word.lower() == "resignation":
            games = next(left, "")
            if games not in ("1", "2", "3"):
                raise BadRequest("syntax error, resignation 1, 2 or 3")
            rules = replace(rules, resignation=int(games))
        else:
            rest.append(word)
    return rules, rest


_SWITCHES = {"jacobyrule": "jacoby", "crawfordrule": "crawford", "beavers": "beavers"}


def _evaluation(line: str) -> Evaluate:
    words = line.split(None, 2)
    if len(words) < 3 or words[1].lower() != "fibsboard":
        raise BadRequest("syntax error, evaluation fibsboard board:...")
    board, options = _board(words[2])
    rules, rest = _rules(options)
    asked: dict[str, Any] = {}
    while rest:
        word, value = rest[0].lower(), rest[1] if len(rest) > 1 else ""
        taken = 2
        if word in ("cubeful", "cubeless"):
            asked["cubeful"], taken = word == "cubeful", 1
        elif word == "cube":
            asked["cubeful"] = _switch(word, value)
        elif word in ("prune", "deterministic"):
            on = _TRUE.get(value.lower())
            asked[word], taken = on is not False, 1 if on is None else 2
        elif word == "plies" and re.fullmatch("[0-9]", value):
            asked["plies"] = int(value)
        elif word == "noise" and re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,9})?", value):
            asked["noise"] = float(value) / (1 if "." in value else 10_000)
        else:
            raise BadRequest(f"syntax error, option {rest[0][:40]!r}")
        rest = rest[taken:]
    return Evaluate(_ruled(board, rules), **asked)


def _setting(words: list[str]) -> Switch:
    lower = [word.lower() for word in words]
    if len(lower) == 2 and lower[0] == "debug":
        return Switch("debug", _switch("debug", lower[1]))
    if lower in (["interface", "new"], ["interface", "old"]):
        return Switch("interface", lower[1] == "new")
    option = words[0][:40] if words else ""
    raise BadRequest(f"set option {option!r} not supported")


def _switch(word: str, text: str) -> bool:
    if text.lower() not in _TRUE:
        raise BadRequest(f"syntax error, {word.lower()} on or off")
    return _TRUE[text.lower()]


# Answers


def answer_line(action: Action, board: ExternalBoard, *, gnubg: bool) -> bytes:
    """Write an action in words for gnubg, and for a client as gnubg itself would answer.

    Only gnubg understands an offer to resign.
    """
    match action:
        case CheckerPlay(play):
            text = format_steps(play) if gnubg else _plain(board.position, play)
        case ResignOffer(games):
            text = f"resign {games}"
        case Answer.PASS:
            text = "drop"
        case ResignAnswer.DECLINE:
            text = "reject"
        case _:
            text = action.value
    return text.encode("ascii") + b"\n"


def _plain(position: Position, play: Play) -> str:
    """Write `25/20* 8/5 `, with a blank after every step but the fourth."""
    blots = {POINTS - i for i, count in enumerate(position.theirs[:POINTS]) if count == 1}
    words = []
    for start, end in play:
        hit = end in blots and end != OFF
        blots.discard(end)
        words.append(f"{start}/{end}{'*' if hit else ''}")
    return " ".join(words) + (" " if 0 < len(words) < 4 else "")


Numbers = tuple[float, float, float, float, float, float]


def evaluation_line(numbers: Numbers) -> bytes:
    """Write W WG WBG LG LBG and the value, as gnubg answers."""
    return " ".join(f"{number:f}" for number in numbers).encode("ascii") + b"\n"


def version_lines(software: str) -> bytes:
    lines = ("Interface: 2", "RFBF: 0", "Engine: 1.00", f"Software: {software}")
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def setting_line(setting: Switch) -> bytes:
    name = "Debug output" if setting.name == "debug" else "New interface"
    return f"{name} {'ON' if setting.on else 'OFF'}\n".encode("ascii")


HELP_LINE = b"\tNo help information available\n"


def error_line(error: str) -> bytes:
    """Write the answer to an invalid request, cut to a safe length and printable."""
    text = "".join(letter if " " <= letter <= "~" else "?" for letter in error)
    return f"Error: {text[:200]}\n".encode("ascii")
