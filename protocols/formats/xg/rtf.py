"""The comments of an .xg file, which are RTF, as plain text."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\'([0-9a-fA-F]{2})|\\u(-?\d{1,6}) ?\??|\\([a-z]++)-?\d*+ ?|\\(.)|([{}])|([^\\{}]++)",
    re.DOTALL,
)
_NOT_SHOWN = {"fonttbl", "colortbl", "stylesheet", "info", "pict", "generator"}
_SPACES = {"par": "\n", "line": "\n", "tab": " "}
_CONTROLS = re.compile(r"[\x00-\x1f]")


def comments_of(data: bytes) -> list[str]:
    """Return the comments in their order: a move names its own by number."""
    return [plain(each) for each in data.decode("latin-1").split("\r\n")]


def plain(rtf: str) -> str:
    """Return the visible text, without control words that stand for no character."""
    out: list[str] = []
    hidden = [False]  # for each open group
    for found in _TOKEN.finditer(rtf):
        code, point, word, sign, brace, text = found.groups()
        if brace == "{":
            hidden.append(hidden[-1])
        elif brace and len(hidden) > 1:
            hidden.pop()
        elif word in _NOT_SHOWN or sign == "*":
            hidden[-1] = True
        elif not hidden[-1]:
            out.append(_shown(code, point, word, sign, text))
    return "".join(out).encode("utf-16", "replace").decode("utf-16").strip()


def _shown(code: str, point: str, word: str, sign: str, text: str) -> str:
    if code:
        return bytes.fromhex(code).decode("cp1252", "replace")
    if point:
        return chr(int(point) % 0x10000)
    if word:
        return _SPACES.get(word, "")
    return _CONTROLS.sub("", sign if sign and sign in "\\{}" else text or "")
