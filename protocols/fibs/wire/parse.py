"""A line becomes a message.

Talk can never pass for the server: every line that carries somebody's words begins with its CLIP
number, with the name of the message's kind, or with blanks, and patterns match whole lines only.
The meaning of a line also depends on its time: before the login everything is banner, and between
`3` and `4` everything is message of the day.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from sixprime.protocols.fibs.wire import login
from sixprime.protocols.fibs.wire.board import BOARD, read_board
from sixprime.protocols.fibs.wire.matches import GameSaved
from sixprime.protocols.fibs.wire.messages import Message, Unknown
from sixprime.protocols.fibs.wire.refusals import Refused
from sixprime.protocols.fibs.wire.tables import NUMBERED, PROMPTS, PROSE
from sixprime.protocols.fibs.wire.talk import Notice
from sixprime.protocols.fibs.wire.templates import NAME, Template
from sixprime.protocols.fibs.wire.users import RatingLine

_PROMPTS = tuple(prompt.rstrip() for prompt in PROMPTS)
_NUMBER = re.compile(r"([0-9]{1,2})(?: |$)")
# Messages that mean something before the login; all others there are decoration.
_BEFORE_LOGIN: tuple[type[Message], ...] = (
    login.LoginPrompt,
    login.PasswordPrompt,
    login.Welcome,
    login.AlreadyLoggedIn,
    login.KickedByTwin,
    login.LoginFailed,
    login.TimedOut,
    login.Shutdown,
    login.Farewell,
    login.GuestNotice,
    login.OneNameOnly,
    login.NameWillBe,
    login.NoPasswordMeansAnotherName,
    login.Registered,
    login.BeginnersHelp,
    Refused,
)
_LOGS = re.compile(rf"[78] {NAME} {NAME} (?:logs in|logs out|drops connection)\.", re.ASCII)
_WORDS = re.compile(r"(\S++)(?:[ \t]++([A-Za-z']++))?")

# Lines that no template can write with all their blanks and words: their text is kept.
_AS_THEY_ARE = tuple(
    (kind, re.compile(kind.PATTERN))
    for kind in (RatingLine, login.Shutdown, login.ServerTime, GameSaved)
)


class Context(Enum):
    BANNER = "before the login"
    MOTD = "between `3` and `4`"
    ONLINE = "after it"


def parse(line: str, context: Context = Context.ONLINE) -> Message:
    """Return the message of a line without its line end, telnet bytes and prompts."""
    if context is Context.MOTD:
        return login.MotdEnds() if line == "4" else login.MotdLine(line)
    message = _online(line)
    if context is Context.BANNER and not isinstance(message, _BEFORE_LOGIN):
        return login.BannerLine(line)
    return message


def end_of_first(text: str) -> int:
    """Return the end of the first line of a text in which a line end may be missing.

    Some servers write reports without one. The cut comes behind the full stop of a known form
    (`Template.closed`) or a login's, where another known line begins, if the whole means nothing.
    Talk stays one line: its text is free, and begins with its number.
    """
    if text[:1].isdigit():
        whole, ends = False, [found.end()] if (found := _LOGS.match(text)) else []
    else:
        whole, ends = True, _closed_ends(text)
    for end in ends:
        if end < len(text) and _begins_known(text[end:].lstrip(" \t>")):
            known = whole and not isinstance(_online(text), Unknown | Notice)
            return len(text) if known else end
    return len(text)


def _closed_ends(text: str) -> list[int]:
    closed = [row.closed for row in _candidates(text)]
    found = [pattern.match(text) for pattern in closed if pattern is not None]
    return [match.end() for match in found if match is not None]


def _begins_known(text: str) -> bool:
    is_known = BOARD.match(text) is not None or not isinstance(_online(text), Unknown)
    return is_known or bool(_closed_ends(text))


def _online(line: str) -> Message:
    message = _read(line)
    if "''" in line and isinstance(message, Unknown | Notice):  # some servers double apostrophes
        single = _read(line.replace("''", "'"))
        return message if isinstance(single, Unknown | Notice) else single
    return message


def _read(line: str) -> Message:
    if line.startswith("board:"):
        return read_board(line)
    if line in _PROMPTS:
        return login.LoginPrompt() if line == _PROMPTS[0] else login.PasswordPrompt(line)
    number = _NUMBER.match(line)
    if number:
        rows: tuple[Template, ...] = NUMBERED.get(int(number[1]), ())
    else:
        rows = _candidates(line)
    for row in rows:
        message = row.parse_line(line)
        if message is not None:
            return message
    return _otherwise(line)


def _otherwise(line: str) -> Message:
    for message, pattern in _AS_THEY_ARE:
        if pattern.fullmatch(line):
            return message(line)
    return Unknown(line)


def _candidates(line: str) -> tuple[Template, ...]:
    """Return the rows that can match, in the order of the table.

    Most rows need a certain first word, or a certain second word after a name.
    """
    words = _WORDS.match(line)
    if words is None:
        return _rows(None, None)
    first, second = (0, words[1]), (1, words[2])
    return _rows(first if first in _STARTS else None, second if second in _STARTS else None)


@cache  # bounded: only words of the table come here
def _rows(*starts: tuple[int, str] | None) -> tuple[Template, ...]:
    return tuple(row for row in PROSE if row.start is None or row.start in starts)


_STARTS = frozenset(row.start for row in PROSE) - {None}
