"""Bytes become lines, wherever TCP cut them: bounded, cleaned, split at prompts and glued text.

Only LF ends a line. CR, NUL and every other control byte but TAB are dropped, and so are telnet
commands, terminal escapes, trailing blanks, leading `> ` prompts and empty lines. Bytes are read as
latin-1, which never fails. Some prompts come without a line end: a line that begins with one is cut
after it, so the result does not depend on whether the rest has arrived. A board, the answer to a
double, or a line with a full stop of its own may have the next line glued to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sixprime.protocols.fibs.wire.board import BOARD
from sixprime.protocols.fibs.wire.messages import LineTooLong
from sixprime.protocols.fibs.wire.parse import end_of_first
from sixprime.protocols.fibs.wire.tables import PROMPTS
from sixprime.protocols.fibs.wire.templates import NAME

LONGEST = 4_096  # bytes of one line; longer ones are thrown away
KEPT_OF_TOO_LONG = 80
PROMPT_WITHIN = 512  # bytes at the start of a line in which a prompt is looked for

# A y with two dots in chat is the first byte of a telnet command, and the others may follow it: so
# no command reaches beyond its line.
_TELNET = re.compile(
    rb"\xff(?:"
    rb"\xfa(?>(?:[^\xff\n]++|\xff[^\xf0\n])*)"  # SB ...
    rb"(?:\xff\xf0|(?=\xff?\n)|(?P<open>\xff?)\Z)"  # SE
    rb"|(?P<verb>[\xfb-\xfe])(?:(?P<option>[^\r\n])|(?P<half>\Z))?"
    rb"|[\xf0-\xf9\xff]"
    rb"|(?P<lone>\Z))?",
    re.DOTALL,
)
_REFUSAL = {b"\xfb": b"\xff\xfe", b"\xfd": b"\xff\xfc"}  # WILL: DONT; DO: WONT
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\)?"  # OSC and other strings: titles
    r"|\x1b[ -/]*+[0-~]?"  # everything else
)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_COMMAND_PROMPTS = re.compile(r"\A(?>(?:> )*)(?:>\Z)?")
_BEFORE_PROMPT = rb"(?>(?:[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f]|> )*)"
_PROMPT = re.compile(
    _BEFORE_PROMPT + b"(" + b"|".join(re.escape(prompt.encode()) for prompt in PROMPTS) + b")",
    re.DOTALL,
)
_CUBE = re.compile(
    rf"(?:You accept|{NAME} accepts) the double\.(?:[ \t]*+The cube shows (?:1024|512|256|128|64|32"
    r"|16|8|4|2|[0-9]{1,6})\.?)?",
    re.ASCII,
)


class Telnet:
    """Takes the telnet commands out of a stream: every option is refused, nothing is kept."""

    def __init__(self) -> None:
        self._begun = b""  # at most three bytes of a command whose rest has not arrived
        self._refused: set[bytes] = set()  # once each, or two refusers could go on forever

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the data without telnet commands, and our answers to these commands."""
        data = self._begun + data
        self._begun = b""
        answers: list[bytes] = []

        def take(found: re.Match[bytes]) -> bytes:
            if found["open"] is not None:  # its content so far does not matter
                self._begun = b"\xff\xfa" + found["open"]
            elif found["half"] is not None or found["lone"] is not None:
                self._begun = found.group()
            elif found["option"] and found["verb"] in _REFUSAL:
                answer = _REFUSAL[found["verb"]] + found["option"]
                if answer not in self._refused:
                    self._refused.add(answer)
                    answers.append(answer)
            return b""

        return _TELNET.sub(take, data), b"".join(answers)


class Lines:
    """The lines of one connection."""

    def __init__(self) -> None:
        self._telnet = Telnet()
        self._rest = bytearray()  # since the last line end or prompt
        self._searched = 0  # the rest has no line end before this index
        self._skipping = False  # in the middle of a line that is too long

    def feed(self, data: bytes) -> Iterator[str | LineTooLong]:
        """Yield the lines that these bytes complete."""
        data, _ = self._telnet.feed(data)
        for start in range(0, len(data), LONGEST):  # so that the rest stays bounded
            self._rest += data[start : start + LONGEST]
            yield from self._complete()

    def _complete(self) -> Iterator[str | LineTooLong]:
        while True:
            end = self._rest.find(b"\n", self._searched)
            prompt = self._prompt(end)
            if prompt is not None:
                yield prompt
            elif end < 0:
                break
            else:
                raw = bytes(self._rest[:end])
                self._drop(end + 1)
                if self._skipping:
                    self._skipping = False
                elif len(raw) > LONGEST:
                    yield _too_long(raw)
                else:
                    yield from _split(_clean(raw))
        self._searched = len(self._rest)
        if self._skipping:
            self._drop(len(self._rest))
        elif len(self._rest) > LONGEST:
            beginning = bytes(self._rest)
            self._drop(len(self._rest))
            self._skipping = True
            yield _too_long(beginning)

    def _prompt(self, end: int) -> str | None:
        if self._skipping:
            return None
        found = _PROMPT.match(self._rest, 0, min(PROMPT_WITHIN, end if end >= 0 else PROMPT_WITHIN))
        if found is None:
            return None
        text = found[1].decode("ascii").rstrip()
        self._drop(found.end())
        return text

    def _drop(self, count: int) -> None:
        del self._rest[:count]
        self._searched = 0


def _too_long(raw: bytes) -> LineTooLong:
    return LineTooLong(_clean(raw[:KEPT_OF_TOO_LONG]))


def _clean(raw: bytes) -> str:
    return _CONTROLS.sub("", _ESCAPES.sub("", raw.decode("latin-1"))).rstrip(" \t")


def _split(text: str) -> Iterator[str]:
    """Yield the line, and anything glued to it, each without the prompts before it."""
    while text := _COMMAND_PROMPTS.sub("", text):
        found = BOARD.match(text) or _CUBE.match(text)
        end = end_of_first(text) if found is None else found.end()
        yield text[:end]
        text = text[end:].lstrip(" \t")
