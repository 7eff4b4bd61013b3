"""Identifiers: a position or a whole game state as a short text, in the forms of gnubg 1.07.

A Position ID, the 26 integers and the 20 letters hold a board as one side sees it and do not say
which: here as everywhere it is the player on roll, and while a double is on offer, the doubler. A
Match ID names seats 0 and 1. An XGID always shows the bottom player's side, which is seat 1.

Writing loses these values, and reading gives them their defaults:

    Position ID, 26 integers, 20 letters   all but the checkers
    Match ID    beavers, the cube's limit; the larger die is written first; Jacoby in match play
    XGID        how many beavers (some are read as 3); a limit of 1024,
                which XG writes where there is none; Jacoby and beavers in match play

A Crawford mark without a side 1 away, or in a match to 1, means nothing and is dropped in writing
and in reading, as in gnubg. An XGID is not written for a finished game or a resignation. Bad input
and states that no ID can hold raise BadId.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import mul, sub
from string import ascii_letters, digits

from sixprime.engine.position import (
    MAX_CHECKERS,
    PLACES,
    POINTS,
    Checkers,
    Dice,
    IllegalPosition,
    MatchState,
    Phase,
    Position,
    is_roll,
    parse_dice,
)
from sixprime.engine.system.errors import InputError

POSITION_ID_LENGTH = 14
MATCH_ID_LENGTH = 12
MAX_LENGTH = 64  # points; gnubg refuses longer matches
BEAVERS = 3  # gnubg's default, used where a form says only that beavers are allowed

_POSITION_BYTES = 10
_MATCH_BYTES = 9
_RUNS = {count: "1" * count + "0" for count in range(MAX_CHECKERS + 1)}
_ALPHABET = frozenset(ascii_letters + digits + "+/")
_HEX = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")
_SHOWN = 60  # characters of a bad text that an error repeats


class BadId(InputError):
    """A text that is no valid identifier, or a state that none can hold.

    `line` is its line in a longer text, from 1.
    """

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


# Position ID: 80 bits; for the opponent, then the player on roll, for each of the 25 places one 1
# per checker and then a 0. The first bit is the lowest bit of the first byte.


def position_id(position: Position) -> str:
    return b2a_base64(_packed(position), newline=False)[:POSITION_ID_LENGTH].decode("ascii")


def read_position_id(text: str) -> Position:
    """Return the position of 14 characters; BadId says what is wrong."""
    text = text.strip()
    _check_base64("Position ID", text, POSITION_ID_LENGTH)
    raw = a2b_base64(text + "==")
    if text[-1] not in "AQgw":  # 84 bits in 14 characters, the last four of them unused
        raise BadId(f"Position ID {_shown(text)}: its last character sets bits beyond the 80th")
    return _unpacked(raw, f"Position ID {text}")


def read_twenty_letters(text: str) -> Position:
    """Return the position of 20 letters from A to P."""
    text = text.strip()
    if len(text) != 2 * _POSITION_BYTES:
        raise BadId(f"board {_shown(text)}: {len(text)} characters, not 20")
    strange = sorted(set(text) - set("ABCDEFGHIJKLMNOP"))
    if strange:
        raise BadId(f"board {_shown(text)}: {strange[0]!r} is not a letter from A to P")
    return _unpacked(bytes.fromhex(text.translate(_HEX)), f"board {text}")


def _packed(position: Position) -> bytes:
    try:
        bits = "".join([_RUNS[count] for count in (*position.theirs, *position.mine)])
    except (KeyError, TypeError):
        bits = ""
    if len(bits) != 2 * PLACES + sum(position.mine) + sum(position.theirs) or (
        sum(position.mine) > MAX_CHECKERS or sum(position.theirs) > MAX_CHECKERS
    ):
        raise BadId(_complaint(position))
    return int(bits[::-1], 2).to_bytes(_POSITION_BYTES, "little")


def _unpacked(raw: bytes, what: str) -> Position:
    bits = format(int.from_bytes(raw, "little"), "080b")[::-1]
    runs = bits.split("0")
    places, rest = runs[: 2 * PLACES], runs[2 * PLACES :]
    if not rest:
        raise BadId(f"{what}: the bits end before the 50th place: too many checkers")
    if any(rest):
        raise BadId(f"{what}: {sum(map(len, rest))} bits are set after the last place")
    counts = tuple(map(len, places))
    return _standing(counts[PLACES:], counts[:PLACES], what)


def _standing(mine: Checkers, theirs: Checkers, what: str) -> Position:
    """Return the position if it is possible; BadId otherwise."""
    position = Position(mine, theirs)
    if (
        not 0 < sum(mine) <= MAX_CHECKERS
        or not 0 < sum(theirs) <= MAX_CHECKERS
        or any(map(mul, mine[:POINTS], theirs[POINTS - 1 :: -1]))
        or (mine[POINTS] and theirs[POINTS])
    ):
        try:
            position.checked()
        except IllegalPosition as error:
            raise BadId(f"{what}: {error}") from None
    return position


def _complaint(position: Position) -> str:
    try:
        position.checked()
    except IllegalPosition as error:
        return str(error)
    return f"no ID holds more than {MAX_CHECKERS} checkers a side"


# The 26 integers of `set board simple`: my bar, points 1 to 24 with the opponent's checkers
# negative, the opponent's bar (a plain count).


def board_integers(position: Position) -> tuple[int, ...]:
    mine, theirs = position.mine, position.theirs
    return (mine[POINTS], *map(sub, mine[:POINTS], theirs[POINTS - 1 :: -1]), theirs[POINTS])


def read_board_integers(numbers: Sequence[int] | str) -> Position:
    """Return the position of 26 integers, or of a text of them separated by blanks."""
    if isinstance(numbers, str):
        words = numbers.split()
        numbers = [bounded(word, "board", -MAX_CHECKERS, MAX_CHECKERS) for word in words]
    if len(numbers) != POINTS + 2:
        raise BadId(f"board: {len(numbers)} numbers, not 26")
    for whose, count in (("my", numbers[0]), ("the opponent's", numbers[-1])):
        if count < 0:
            raise BadId(f"board: {count} checkers on {whose} bar")
    points = numbers[1:-1]
    mine = (*(max(count, 0) for count in points), numbers[0])
    theirs = (*(max(-count, 0) for count in reversed(points)), numbers[-1])
    return _standing(mine, theirs, "board")


# Match ID: 72 bits, each field little-endian from bit 0 of byte 0: name -> (first bit, width).

_FIELDS: Mapping[str, tuple[int, int]] = {
    "cube": (0, 4),  # its log2
    "cube owner": (4, 2),  # a seat; 3 is centred, and 2 is read so too
    "on roll": (6, 1),
    "Crawford": (7, 1),
    "phase": (8, 3),
    "to act": (11, 1),
    "doubled": (12, 1),
    "resigned": (13, 2),
    "first die": (15, 3),
    "second die": (18, 3),
    "length": (21, 15),
    "score 0": (36, 15),
    "score 1": (51, 15),
    "no Jacoby": (66, 1),
    "unused": (67, 5),
}
_FIRST_DIE, _SECOND_DIE = _FIELDS["first die"][0], _FIELDS["second die"][0]
_CENTRED = 3


def match_id(match: MatchState) -> str:
    """Return the 12 characters of everything but the checkers."""
    _check_score(match.length, match.score, "match")
    high, low = max(match.dice or (0, 0)), min(match.dice or (0, 0))
    if match.dice is not None and not is_roll(match.dice):
        raise BadId(f"match: a die shows 1 to 6, not {match.dice[0]}-{match.dice[1]}")
    packed = 0
    for (name, (first, width)), value in zip(
        _FIELDS.items(),
        (
            _log2(match.cube),
            _CENTRED if match.cube_owner is None else match.cube_owner,
            match.on_roll,
            _is_crawford(match.crawford, match.length, match.score),
            match.phase,
            match.to_act,
            match.doubled,
            match.resigned,
            high,
            low,
            match.length,
            *match.score,
            not match.jacoby or match.length > 0,
            0,
        ),
        strict=True,
    ):
        if not 0 <= value < 1 << width:
            raise BadId(f"match: {value} does not fit into the field {name!r} of a Match ID")
        packed |= value << first
    return _match_text(packed)


def _match_text(packed: int) -> str:
    return b2a_base64(packed.to_bytes(_MATCH_BYTES, "little"), newline=False).decode("ascii")


def read_match_id(text: str) -> MatchState:
    """Return the state of 12 characters; BadId says what is wrong."""
    text = text.strip()
    _check_base64("Match ID", text, MATCH_ID_LENGTH)
    packed = int.from_bytes(a2b_base64(text), "little")
    values = [packed >> first & (1 << width) - 1 for first, width in _FIELDS.values()]
    log2_cube, owner, on_roll, crawford, phase, to_act, doubled, resigned = values[:8]
    high, low, length, score_0, score_1, no_jacoby, unused = values[8:]
    what = f"Match ID {text}"
    if phase > max(Phase):
        raise BadId(f"{what}: there is no phase {phase} of a game")
    if high > 6 or low > 6 or (high == 0) != (low == 0):
        raise BadId(f"{what}: the dice cannot show {high} and {low}")
    if unused:
        raise BadId(f"{what}: bits after the 67th are set")
    _check_score(length, (score_0, score_1), what)
    if crawford and not length:
        raise BadId(f"{what}: a Crawford game, but money play")
    return MatchState(
        length=length,
        score=(score_0, score_1),
        on_roll=on_roll,
        to_act=to_act,
        dice=(high, low) if high else None,
        cube=1 << log2_cube,
        cube_owner=owner if owner < 2 else None,
        doubled=bool(doubled),
        resigned=resigned,
        crawford=_is_crawford(bool(crawford), length, (score_0, score_1)),
        jacoby=not no_jacoby and length == 0,
        phase=Phase(phase),
    )


# XGID: the board seen from the bottom, and nine fields; all separated by colons.

_PREFIX = "XGID="
_XGID_FIELDS = 10
_MAX_XGID_CUBE = 12  # log2
_NO_LIMIT = 10  # log2, the default of XG


def xgid(position: Position, match: MatchState) -> str:
    """Return the text of a position and its match, with the prefix."""
    _check_score(match.length, match.score, "match", running=True)
    if match.phase is not Phase.PLAYING:
        raise BadId(f"an XGID holds a game that is played, not one in phase {match.phase.name}")
    if match.resigned:
        raise BadId("an XGID holds no resignation")
    if (match.to_act != match.on_roll) != match.doubled:
        raise BadId(f"an XGID cannot say that player {match.to_act} is to act here")
    if not 0 <= _log2(match.cube) <= _MAX_XGID_CUBE:
        raise BadId(f"match: an XGID holds cubes up to 4096, not {match.cube}")
    bottom = match.on_roll == 1
    seen = position if bottom else position.flipped()
    dice = "{}{}".format(*match.dice) if match.dice else "00"
    if match.length:
        rules = int(_is_crawford(match.crawford, match.length, match.score))
    else:
        rules = int(match.jacoby) + 2 * int(match.beavers > 0)
    fields = (
        board_letters(seen),
        _log2(match.cube),
        {None: 0, 1: 1, 0: -1}[match.cube_owner],
        1 if bottom else -1,
        "D" if match.doubled else dice,
        match.score[1],
        match.score[0],
        rules,
        match.length,
        _NO_LIMIT if match.max_cube is None else _log2(match.max_cube),
    )
    return _PREFIX + ":".join(map(str, fields))


def read_xgid(text: str) -> tuple[Position, MatchState]:
    """Return the position, as the player on roll sees it, and the match of an XGID."""
    text = text.strip()
    fields = (text[len(_PREFIX) :] if text.upper().startswith(_PREFIX) else text).split(":")
    if len(fields) != _XGID_FIELDS:
        raise BadId(f"XGID {_shown(text)}: {len(fields)} fields between colons, not 10")
    seen = read_board_letters(fields[0])
    log2_cube = bounded(fields[1], "XGID: the cube", 0, _MAX_XGID_CUBE)
    owner = bounded(fields[2], "XGID: the cube's owner", -1, 1)
    turn = bounded(fields[3], "XGID: the turn", -1, 1)
    if turn == 0:
        raise BadId("XGID: the turn is 0, not 1 or -1")
    dice = _read_dice(fields[4])
    score = (bounded(fields[6], "XGID: a score"), bounded(fields[5], "XGID: a score"))
    length = bounded(fields[8], "XGID: the match length", 0, MAX_LENGTH)
    if length:
        rules = bounded(fields[7], "XGID: the Crawford mark", 0, 1)
    else:
        rules = bounded(fields[7], "XGID: the money rules", 0, 3)
    limit = bounded(fields[9], "XGID: the cube's limit")
    _check_score(length, score, "XGID", running=True)
    on_roll = 1 if turn == 1 else 0
    doubled = fields[4] == "D"
    match = MatchState(
        length=length,
        score=score,
        on_roll=on_roll,
        to_act=1 - on_roll if doubled else on_roll,
        dice=dice,
        cube=1 << log2_cube,
        cube_owner={0: None, 1: 1, -1: 0}[owner],
        doubled=doubled,
        crawford=_is_crawford(length > 0 and rules == 1, length, score),
        jacoby=length == 0 and rules & 1 == 1,
        beavers=BEAVERS if length == 0 and rules & 2 else 0,
        max_cube=None if limit == _NO_LIMIT else 1 << min(limit, 15),
    )
    return (seen if on_roll == 1 else seen.flipped()), match


class StateIds:
    """The IDs of a state before its roll, with any roll and board; None where one has no room."""

    def __init__(self, state: MatchState) -> None:
        self._packed: int | None = None
        self._fields: list[str] | None = None
        with suppress(BadId):
            self._packed = int.from_bytes(a2b_base64(match_id(state)), "little")
        with suppress(BadId):
            self._fields = xgid(Position.start(), state).split(":")

    def match_id(self, dice: Dice | None) -> str | None:
        if self._packed is None:
            return None
        high, low = (0, 0) if dice is None else (max(dice), min(dice))
        return _match_text(self._packed | high << _FIRST_DIE | low << _SECOND_DIE)

    def xgid(self, letters: str, dice: Dice | None) -> str | None:
        """Return the XGID of a board in `board_letters`."""
        if self._fields is None:
            return None
        _, cube, owner, turn, roll, *rest = self._fields
        roll = roll if dice is None else f"{dice[0]}{dice[1]}"
        return _PREFIX + ":".join((letters, cube, owner, turn, roll, *rest))


_LETTERS = {
    0: "-",
    **{count: chr(ord("A") + count - 1) for count in range(1, MAX_CHECKERS + 1)},
    **{-count: chr(ord("a") + count - 1) for count in range(1, MAX_CHECKERS + 1)},
}


def board_letters(seen: Position) -> str:
    """Return the 26 characters of an XGID's board, as the bottom player sees it."""
    bottom_bar, *points, top_bar = board_integers(seen)
    try:
        return "".join([_LETTERS[count] for count in (-top_bar, *points, bottom_bar)])
    except KeyError:
        raise BadId(_complaint(seen)) from None


def read_board_letters(text: str) -> Position:
    """Return the board of 26 characters, as the bottom player sees it."""
    if len(text) != POINTS + 2:
        raise BadId(f"XGID: {len(text)} characters of a position, not 26")
    counts = []
    for letter in text:
        if "A" <= letter <= "P":
            counts.append(ord(letter) - ord("A") + 1)
        elif "a" <= letter <= "p":
            counts.append(ord("a") - ord(letter) - 1)
        elif letter == "-":
            counts.append(0)
        else:
            raise BadId(f"XGID: {letter!r} stands for no number of checkers")
    if counts[0] > 0:
        raise BadId("XGID: the first place is the top player's bar, with a small letter")
    if counts[-1] < 0:
        raise BadId("XGID: the last place is the bottom player's bar, with a capital letter")
    return read_board_integers((counts[-1], *counts[1:-1], -counts[0]))


def _read_dice(text: str) -> tuple[int, int] | None:
    if text in ("00", "D"):
        return None
    try:
        return parse_dice(text)
    except ValueError:
        wanted = "XGID: the dice are two digits from 1 to 6, 00 or D"
        raise BadId(f"{wanted}, not {_shown(text)}") from None


def _check_base64(what: str, text: str, length: int) -> None:
    if len(text) != length:
        hint = ""
        if len(text) in (POSITION_ID_LENGTH, MATCH_ID_LENGTH) and _ALPHABET.issuperset(text):
            hint = "; is it a Match ID?" if len(text) == MATCH_ID_LENGTH else "; a Position ID?"
        raise BadId(f"{what} {_shown(text)}: {len(text)} characters, not {length}{hint}")
    if not _ALPHABET.issuperset(text):
        strange = next(letter for letter in text if letter not in _ALPHABET)
        raise BadId(f"{what} {_shown(text)}: {strange!r} is not one of A-Z a-z 0-9 + /")


def _check_score(length: int, score: tuple[int, int], what: str, *, running: bool = False) -> None:
    """Refuse an impossible score; it may equal the length only after the last game."""
    if not 0 <= length <= MAX_LENGTH:
        raise BadId(f"{what}: matches are of 1 to {MAX_LENGTH} points, not {length}")
    if length and max(score) + running > length:
        raise BadId(f"{what}: a score of {max(score)} in a match to {length}")


def _is_crawford(marked: bool, length: int, score: tuple[int, int]) -> bool:
    return marked and length > 1 and length - 1 in score


def _log2(cube: int) -> int:
    if cube < 1 or cube & (cube - 1):
        raise BadId(f"match: a cube of {cube}, which is not a power of 2")
    return cube.bit_length() - 1


def bounded(text: str, what: str, low: int = 0, high: int = 32767) -> int:
    if not re.fullmatch("[-+]?[0-9]{1,6}", text):
        raise BadId(f"{what}: {_shown(text)} is not a number")
    number = int(text)
    if not low <= number <= high:
        raise BadId(f"{what}: {number} is not from {low} to {high}")
    return number


def _shown(text: str) -> str:
    """Return a text fit for an error message: quoted, escaped and bounded."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
