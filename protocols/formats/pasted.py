"""Positions in pasted text: read here for arguments, files and pages alike.

A text may hold Position IDs with or without Match IDs, XGIDs, FIBS board lines, Snowie's lines of
40 fields, boards of 26 integers or 20 letters; in any words, labels, quotes, lines or links. A bare
ID among words is found by itself, since hardly any other word of its length is a legal position. A
word that only looks like an ID, or follows its label, is refused and never skipped.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import unquote, unquote_plus

from sixprime.engine.position import MatchState, Position
from sixprime.protocols.fibs.wire.board import BrokenBoard, read_board
from sixprime.protocols.formats.ids import (
    MATCH_ID_LENGTH,
    POSITION_ID_LENGTH,
    BadId,
    bounded,
    read_board_integers,
    read_match_id,
    read_position_id,
    read_twenty_letters,
    read_xgid,
)
from sixprime.protocols.formats.reading import count
from sixprime.protocols.formats.record import CannotCarry

NAMES = ("O", "X")  # as gnubg draws them: seat 0 is O, seat 1 is X
WANTED = "paste a Position ID, a GNUID or an XGID"

_SNOWIE_FIELDS = 40
_SNOWIE_LENGTH = 64  # of a match, at most
_SNOWIE_CUBE = 4096
_XGID = "XGID="
_ID = "[A-Za-z0-9+/]"
_QUOTES = "\"'`“”‘’«»()\\[\\]"
_AROUND = f"[ ,.;*{_QUOTES}]*+"
_STRIPPED = " ,.;\"'`“”‘’«»()[]"
_POSITION = f"(?<!{_ID}){_ID}{{{POSITION_ID_LENGTH}}}"
_LABEL = r"(?i:position[ -]?id|match[ -]?id|(?<![\w/+])gnu(?:bg)?[ -]?id)"
_TOKEN = re.compile(
    rf"""
    ^(?P<snowie>(?:[^;<\n]*+;){{{_SNOWIE_FIELDS - 1}}}[^<\n]*+)$
    |^[ ]*+(?P<integers>[-+]?[0-9]++(?>(?:[ ]++[-+]?[0-9]++){{19,99}}))[ ]*+$
    |^{_AROUND}(?P<letters>[A-Z]{{20}}){_AROUND}$
    |(?<!\w)(?P<board>board:[^:\s]++:[^:\s]++(?>(?::-?[0-9]++){{1,99}}))
    |(?>(?:(?<!\w)(?i:xgid)[\s=:]++)?)(?<![-\w])  # mail breaks an XGID into lines
     (?P<xgid>[-A-Pa-p](?:\s*+[-A-Pa-p]){{25}}(?:\s*+:[-+\w\s]*+){{8}}:\s*+[-+]?[0-9]++(?!:))
    |(?<!\w)(?P<broken>(?i:xgid)=\S++|(?<!-)[-A-Za-z]{{20,32}}(?::[^\s:]*+){{4}}:\S*+)
    |(?P<label>{_LABEL})(?>(?P<colon>[ ]*+[:=])?)
     [\s{_QUOTES}]*+(?>(?:<[^<>\n]*+>[\s{_QUOTES}]*+){{0,99}})
    |(?P<position>{_POSITION})(?=(?i:match[ -]?id)|(?!{_ID}))
    |(?<!{_ID})(?P<match>{_ID}{{{MATCH_ID_LENGTH}}})(?!{_ID})
    """,
    re.VERBOSE | re.MULTILINE,
)
# A word or two alone on a line that are no prose, one letter too few or too many perhaps.
_ALONE = re.compile(
    rf"^{_AROUND}({_ID}{{11,17}})(?>(?:[: ]++({_ID}{{9,15}}))?){_AROUND}$", re.MULTILINE
)
_UNLIKE_PROSE = re.compile(r"[0-9+/]|[a-z].*[A-Z]")
_ONE_WORD = re.compile(r"[^\s:]{11,17}(?:[:\s]\S{9,15})?")
_INTEGERS = re.compile(r"\s*+[-+]?[0-9]++(?>(?:\s++[-+]?[0-9]++){1,99})\s*+")
_BARE = re.compile(f"{_ID}{{{POSITION_ID_LENGTH}}}")
_LINK = re.compile(r"[?&]id=([^&#\s]++)")
_WORD = re.compile(r"\S++")
_ESCAPE = re.compile("%(?:3A|3D|2F|2B)", re.IGNORECASE)
_UNSEEN = str.maketrans("\u2010\u2011\u2212", "---", "\u200b\u200c\u200d\u2060\ufeff\u00ad")

T = TypeVar("T")
_Read = tuple[Position | None, MatchState | None, tuple[str, str]]


class NoPosition(BadId):
    """A text in which nothing looks like a position."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """A position, and its text."""

    text: str
    line: int
    position: Position
    match: MatchState | None = None  # None: the form holds none
    names: tuple[str, str] = NAMES
    labelled: bool = False

    def agrees(self, other: Pasted) -> bool:
        """Return whether both say the same, as far as both say it."""
        if self.position != other.position:
            return False
        return not (self.match and other.match) or _view(self.match) == _view(other.match)

    def fuller(self, other: Pasted) -> Pasted:
        """Return the fuller of two that agree; an XGID has beavers and the cube's limit."""
        more = other.match is not None and other.text.startswith(_XGID)
        return other if self.match is None or more else self


def read_position(text: str) -> tuple[Position, MatchState | None]:
    """Return the one position in a text, and its match if the text has it."""
    if _BARE.fullmatch(text):  # `decide` reads thousands a second
        return read_position_id(text), None
    one, *others = positions_in(text)
    for other in others:
        if not one.agrees(other):
            two = f"{one.text} and {other.text}"
            raise BadId(f"two positions, {two}: paste one of them", other.line)
        one = one.fuller(other)
    return one.position, one.match


def positions_in(text: str) -> list[Pasted]:
    """Return all positions in a text, in their order; BadId if there is none or one is wrong.

    A board and its XGID below are one position, as is a board that gnubg shows twice.
    """
    text = _plain(text)
    if _INTEGERS.fullmatch(text) and not _TOKEN.search(text):  # a board in several lines
        return [Pasted(text, 1, _strictly(read_board_integers, text))]
    finder = _Finder(text)
    finder.find()
    found: list[Pasted] = []
    for each in finder.found:
        if found and (found[-1].labelled or each.labelled) and found[-1].agrees(each):
            found[-1] = found[-1].fuller(each)
        else:
            found.append(each)
    return found


def looks_like(text: str) -> bool:
    """Return whether this is a text with positions, broken ones included.

    FIBS boards count only at its beginning: the log of an evening is full of them.
    """
    for token in _TOKEN.finditer(_plain(text)):
        kind = str(token.lastgroup)
        if kind in ("xgid", "broken", "snowie") or (kind == "board" and not token.start()):
            return True
        if kind == "position":
            with suppress(BadId):
                read_position_id(token[kind])
                return True
    return False


def _plain(text: str) -> str:
    """Return the text without escapes and invisible characters, all blanks and line ends alike."""
    text = re.sub(r"\r\n?", "\n", text)
    text = _LINK.sub(lambda link: f" {unquote_plus(link[1])} ", text)
    if _ESCAPE.search(text):
        text = _WORD.sub(
            lambda word: unquote(word[0]) if _ESCAPE.search(word[0]) else word[0], text
        )
    return re.sub(r"[^\S\n]", " ", text.translate(_UNSEEN))


class _Finder:
    """One pass through a text, and the positions in it."""

    def __init__(self, text: str) -> None:
        self.found: list[Pasted] = []
        self._text = text
        self._ends = [end.start() for end in re.finditer("\n", text)]
        self._starts: set[int] = set()  # of the words read
        self._named = -1  # the start of the word after a label
        self._due: tuple[int, str] | None = None  # start and label of a due ID
        self._early: tuple[str, MatchState] | None = None  # a Match ID before its Position ID

    def find(self) -> None:
        for token in _TOKEN.finditer(self._text):
            self._check_due(token.start())
            if token["label"] is None:
                self._take(token, str(token.lastgroup))
                continue
            self._named = token.end()
            self._due = (token.end(), token["label"].lower()) if token["colon"] else None
        self._check_due(len(self._text))
        self._check_lone_words()
        if self._early is not None:
            raise BadId(f"Match ID {self._early[0]}: there is no Position ID beside it")
        if not self.found:
            _refuse(self._text.strip())

    def _take(self, token: re.Match[str], kind: str) -> None:
        text, at = token[kind], token.start(kind)
        try:
            position, match, names = _strictly(_READ[kind], text, self._line(at))
        except BadId:
            if kind in ("position", "match"):
                return  # only a word of their length
            raise
        self._starts.add(at)
        self._due = None
        if position is None:
            if match is not None:
                self._pair(text, match)
            return
        if kind == "xgid":
            text = _XGID + "".join(text.split())
        elif kind == "position" and re.match(r":\S", self._text[token.end() :][:2]):
            self._due = token.end() + 1, "match"
        count("positions")
        self.found.append(Pasted(text, self._line(at), position, match, names, at == self._named))
        if kind == "position" and self._early is not None:
            early, self._early = self._early, None
            self._pair(*early)

    def _pair(self, text: str, match: MatchState) -> None:
        """Join a Match ID to the Position ID before it, or keep it for the next."""
        last = self.found[-1] if self.found else None
        if last is not None and last.match is None:
            self.found[-1] = replace(last, text=f"{last.text}:{text}", match=match)
        elif last is None or last.match is None or _view(last.match) != _view(match):
            if self._early is not None and self._early[1] != match:
                raise BadId(f"two Match IDs, {self._early[0]} and {text}, for one position")
            self._early = text, match

    def _check_due(self, reached: int) -> None:
        """Refuse the word after a label if it was no ID."""
        if self._due is None or reached <= self._due[0]:
            return
        (at, what), self._due = self._due, None
        for word in self._text[at:].split(None, 1)[:1]:
            first, _, second = word.strip(_STRIPPED).partition(":")
            if not what.startswith("match"):
                _strictly(read_position_id, first, self._line(at))
            if second or what.startswith("match"):
                _strictly(read_match_id, second or first, self._line(at))

    def _check_lone_words(self) -> None:
        for line in _ALONE.finditer(self._text):
            for group in (1, 2):
                word, at = line[group], line.start(group)
                if word and at not in self._starts and _UNLIKE_PROSE.search(word):
                    _strictly(
                        read_match_id if group == 2 else read_position_id, word, self._line(at)
                    )

    def _line(self, at: int) -> int:
        return bisect(self._ends, at) + 1


def _strictly(reader: Callable[[str], T], text: str, line: int = 1) -> T:
    try:
        return reader(text)
    except BadId as error:
        raise BadId(str(error), line) from None


def _refuse(text: str) -> None:
    """Refuse a text without positions, and say why."""
    if not text:
        raise NoPosition("no position given")
    if re.search(r"(?<!\w)OGID\s*[=:]", text, re.IGNORECASE):
        raise BadId(f"an OGID is not supported; {WANTED}")
    if _ONE_WORD.fullmatch(text) and _UNLIKE_PROSE.search(text):
        _strictly(read_position_id, re.split(r"[\s:]", text)[0])
    raise NoPosition(f"no position in {text[:60]!r}: {WANTED}")


def _view(match: MatchState) -> object:
    """Return the facts in every form, as the player on roll sees them."""
    us = match.on_roll
    return (
        match.length,
        (match.score[us], match.score[1 - us]),
        match.dice and sorted(match.dice),
        match.cube,
        match.cube_owner is not None and (match.cube_owner == us, "turned"),
        (match.doubled, match.resigned, match.crawford, match.jacoby),
    )


def _snowie(line: str) -> _Read:
    fields = [field.strip() for field in line.split(";")][:_SNOWIE_FIELDS]

    def number(at: int, low: int, high: int) -> int:
        return bounded(fields[at], f"field {at + 1} of 40", low, high)

    seat = number(4, 0, 1)
    length = number(0, 0, _SNOWIE_LENGTH)
    on_roll, other = number(8, 0, 9999), number(9, 0, 9999)
    if length and max(on_roll, other) >= length:
        raise BadId(f"a {length} point match is over at this score")
    cube = number(10, 1, _SNOWIE_CUBE)
    if cube & (cube - 1):
        raise BadId(f"no cube shows {cube}")
    owner = {0: None, 1: seat, -1: 1 - seat}[number(11, -1, 1)]
    dice = number(38, 0, 6), number(39, 0, 6)
    board = [number(at, -15, 15) for at in range(12, 38)]
    # our order: own bar, points, the other's bar; Snowie swaps the bars
    position = read_board_integers([board[25], *board[1:25], abs(board[0])])
    names = (fields[5] or NAMES[seat], fields[6] or NAMES[1 - seat])
    state = MatchState(
        length=length,
        score=(on_roll, other) if seat == 0 else (other, on_roll),
        on_roll=seat,
        to_act=seat,
        dice=dice if all(dice) else None,
        cube=cube,
        cube_owner=owner,
        crawford=length > 0 and number(7, 0, 1) == 1,
        jacoby=length == 0 and number(1, 0, 1) == 1,
    )
    return position, state, names if seat == 0 else names[::-1]


def snowie_line(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    """Return a position as Snowie's text; CannotCarry."""
    if state.doubled:
        raise CannotCarry("Snowie's text has no double on offer")
    if state.length > _SNOWIE_LENGTH:
        raise CannotCarry(f"Snowie's text has no match of {state.length} points")
    if state.cube > _SNOWIE_CUBE:
        raise CannotCarry(f"Snowie's text has no cube of {state.cube}")
    seat, owner = state.on_roll, state.cube_owner
    there = 0 if owner is None else 1 if owner == seat else -1
    board = [
        mine - theirs
        for mine, theirs in zip(position.mine[:-1], reversed(position.theirs[:-1]), strict=True)
    ]
    fields = (
        *(state.length, int(state.jacoby), 0, 0, seat, names[seat], names[1 - seat]),
        *(int(state.crawford), state.score[seat], state.score[1 - seat], state.cube, there),
        *(-position.theirs[-1], *board, position.mine[-1], *(state.dice or (0, 0))),
    )
    return "".join(f"{field};" for field in fields) + "\n"


def _board(line: str) -> _Read:
    board = read_board(line)
    if isinstance(board, BrokenBoard):
        raise BadId(f"a broken FIBS board: {board.reason}")
    return board.position(), board.match_state(), NAMES


def _xgid(text: str) -> _Read:
    return *read_xgid("".join(text.split())), NAMES


_READ: Mapping[str, Callable[[str], _Read]] = {
    "snowie": _snowie,
    "board": _board,
    "xgid": _xgid,
    "broken": _xgid,
    "integers": lambda text: (read_board_integers(text), None, NAMES),
    "letters": lambda text: (read_twenty_letters(text), None, NAMES),
    "position": lambda text: (read_position_id(text), None, NAMES),
    "match": lambda text: (None, read_match_id(text), NAMES),
}
