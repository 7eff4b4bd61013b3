"""SGF as text: game trees of nodes of properties, with the line of each. Knows no backgammon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from unicodedata import category

from sixprime.protocols.formats.record import BadMatchFile

_TOKEN = re.compile(r"\s*+(?:([();])|([A-Za-z]++))")
_OPEN = re.compile(r"\s*+\[")
_CLOSE = re.compile(r"\]|\\.", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|\n|\r|.)", re.DOTALL)
_BLANK = re.compile(r"[\t\v\f]")


@dataclass(slots=True)
class Node:
    """A node: the values of each property, still escaped as in the file."""

    line: int
    properties: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str) -> str | None:
        values = self.properties.get(name)
        return values[0] if values else None

    def text(self, name: str) -> str:
        """Return a property's first value as text for people; empty if there is none."""
        return unescape(self.first(name) or "")


def parse(text: str) -> Iterator[Iterator[Node]]:
    """Yield the trees of a file, each with its first variation only; BadMatchFile if it is not SGF.

    Nodes come one by one: together they can be far larger in memory than on disk.
    """
    text = text.removeprefix("\ufeff")
    start = text.find("(")
    if start < 0:
        raise BadMatchFile(1, "no game tree in it")
    parser = _Parser(text, start)
    while parser.tree_follows():
        tree = parser.tree()
        yield tree
        for _ in tree:  # skip the nodes that the caller did not take
            pass
        parser.find_whole()


class _Parser:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self._counted = 0  # lines have been counted up to this index
        self._line = 1
        self._whole = True

    def find_whole(self) -> None:
        """Continue with the next tree if the last one broke off."""
        if not self._whole:
            start = self.text.find("(;", self.at)
            self.at = start if start >= 0 else len(self.text)

    def line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def tree_follows(self) -> bool:
        found = _TOKEN.match(self.text, self.at)
        if found and found[1] == "(":
            return True
        if self.text[self.at :].strip():
            self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
            raise BadMatchFile(self.line(), "expected `(`")
        return False

    def tree(self) -> Iterator[Node]:
        """Yield the nodes from `(` to its `)`; later variations are no part of the game."""
        node: Node | None = None
        depth, ended, self._whole = 0, False, False
        while True:
            sign, name = self._token()
            if sign in (")", ";") and node is not None and not ended:
                yield node  # now complete
            if sign == "(":
                depth += 1
            elif sign == ")":
                depth -= 1
                ended = True
                if depth == 0:
                    self._whole = True
                    return
            elif sign == ";":
                node = Node(self.line())
            else:
                self._property(name, node)

    def _token(self) -> tuple[str, str]:
        found = _TOKEN.match(self.text, self.at)
        if not found:
            rest = self.text[self.at :].lstrip()
            self.at = len(self.text) - len(rest)
            what = f"cannot read `{rest[0]}`" if rest else "the file ends within a game"
            raise BadMatchFile(self.line(), what)
        self.at = found.end()
        return found[1] or "", found[2] or ""

    def _property(self, name: str, node: Node | None) -> None:
        line = self.line()
        values = []
        while (value := self._value()) is not None:
            values.append(value)
        if not values:
            raise BadMatchFile(line, f"the property {name} has no complete value")
        if node is None:
            raise BadMatchFile(line, "a property outside of a node")
        capitals = "".join(char for char in name if char.isupper())
        node.properties.setdefault(capitals, []).extend(values)

    def _value(self) -> str | None:
        """Return the value that begins here, still escaped; None if none begins, or ends."""
        opened = _OPEN.match(self.text, self.at)
        if opened:
            for end in _CLOSE.finditer(self.text, opened.end()):
                if end[0] == "]":
                    self.at = end.end()
                    return self.text[opened.end() : end.start()]
        return None


_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of Unicode


def unescape(value: str) -> str:
    """Return a text value with its escapes resolved."""
    joined = _ESCAPED.sub(lambda found: "" if found[1][0] in "\r\n" else found[1], value)
    return _BLANK.sub(" ", joined)


def escape(text: str) -> str:
    """Return a text as a value, without characters that steer and halves of characters."""
    text = _BLANK.sub(" ", re.sub(r"\r\n?", "\n", text))
    clean = "".join(char for char in text if char == "\n" or category(char) not in _STEERING)
    return clean.replace("\\", "\\\\").replace("]", "\\]")
