"""Blanks secrets before a text that may repeat them is kept or shown.

A secret is found in every spelling (plain, in a repr, in JSON, in a URL), also with control
characters or terminal escapes in between, which a reader would not see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

HIDDEN = "***"
PASSWORD_KEY = r"(?i:\w*(?:password|passwd|pwd))"  # in the query of a database URL
MOST_HELD = 1_024  # characters that may be the beginning of a secret; more are blanked
_ESCAPE = r"\x1b\[[0-?]{0,32}"  # without its end
_BETWEEN = rf"(?>(?:{_ESCAPE}[@-~]|(?!\x1b\[)[^\n -~\xa0-\U0010ffff])*)"


def _written(secret: str) -> Iterator[str]:
    """Yield the spellings of a secret."""
    yield from (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], quote(secret, safe=""))


def _begun(form: str) -> str:
    """Return a pattern of every beginning of this form, the longest first."""
    pattern = ""
    for char in reversed(form[:-1]):
        pattern = f"{re.escape(char)}(?:{_BETWEEN}{pattern})?" if pattern else re.escape(char)
    return pattern


class Blank:
    """A function that blanks these secrets in a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        written = {form for each in secrets if each for form in _written(each)}
        forms = sorted(written, key=len, reverse=True)
        whole = "|".join(_BETWEEN.join(map(re.escape, form)) for form in forms)
        begun = "|".join(_begun(form) for form in forms if len(form) > 1)
        self.whole = re.compile(whole or "(?!)")
        self.begun = re.compile(rf"(?:{begun}){_BETWEEN}(?:{_ESCAPE})?\Z" if begun else "(?!)")

    def __call__(self, text: str) -> str:
        return self.whole.sub(HIDDEN, text)


class BlankedStream:
    """One direction of a connection; it holds back the possible beginning of a secret."""

    def __init__(self, blank: Blank) -> None:
        self._blank = blank
        self._held = ""

    def feed(self, data: bytes) -> bytes:
        """Return the part of these and earlier bytes that may be kept by now."""
        text = self._held + data.decode("latin-1")
        kept, end = [], 0
        for found in self._blank.whole.finditer(text):
            kept += [text[end : found.start()], HIDDEN]
            end = found.end()
        begun = self._blank.begun.search(text, end)
        until = len(text) if begun is None else begun.start()
        kept.append(text[end:until])
        self._held = text[until:]
        if len(self._held) > MOST_HELD:
            kept.append(self.rest().decode())
        return "".join(kept).encode("latin-1")

    def rest(self) -> bytes:
        """Return the blanked rest at the end of the connection."""
        held, self._held = self._held, ""
        return HIDDEN.encode() if held else b""


def without_password(url: str) -> str:
    """Return the URL as `postgresql://user:***@host/db`."""
    url = re.sub(rf"([?&;]{PASSWORD_KEY}=)[^&;]*", rf"\1{HIDDEN}", url)
    scheme, separator, rest = url.partition("://")
    login, at, host = rest.rpartition("@")
    user, colon, _ = login.partition(":")
    return f"{scheme}{separator}{user}{':' + HIDDEN if colon else ''}{at}{host}" if at else url
