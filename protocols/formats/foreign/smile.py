"""Smile, the binary JSON of BGBlitz, as plain values.

The reader follows the public description of the format. Numbers stand for repeated names and short
texts, so the reader counts them as the writer did.
"""

from __future__ import annotations

import struct
from typing import Any

from sixprime.protocols.formats.reading import count
from sixprime.protocols.formats.record import BadMatchFile

MAGIC = b":)\n"
_END = 0xFC  # of a long text
_MOST_SHARED, _LONGEST_SHARED = 1024, 64
_DEEPEST = 50


def read_smile(data: bytes) -> Any:
    """Return the one value in the data."""
    if data[:3] != MAGIC or len(data) < 5:
        raise BadMatchFile(0, "no Smile: it begins with other bytes")
    try:
        return _Bytes(data).value(0)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise BadMatchFile(0, "it breaks off or is damaged") from error


class _Shared:
    """Texts that may be repeated as numbers."""

    def __init__(self, *, keeps: bool) -> None:
        self._keeps, self._texts = keeps, list[str]()

    def keep(self, text: str, size: int) -> str:
        if self._keeps and size <= _LONGEST_SHARED:
            if len(self._texts) == _MOST_SHARED:
                self._texts.clear()
            self._texts.append(text)
        return text

    def at(self, number: int) -> str:
        return self._texts[number]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 4
        self._names = _Shared(keeps=bool(data[3] & 1))
        self._texts = _Shared(keeps=bool(data[3] & 2))

    def value(self, depth: int) -> Any:
        count("values")
        token = self._byte()
        if token in _WORDS:
            return _WORDS[token]
        if token in (0xF8, 0xFA):
            return self._list(depth) if token == 0xF8 else self._object(depth)
        if 0xC0 <= token < 0xE0:
            return _signed(token & 0x1F)
        if token in (0x24, 0x25):
            return _signed(self._number())
        if token in (0x28, 0x29):
            return self._real(8 if token == 0x29 else 4)
        return self._said(token)

    def _real(self, size: int) -> float:
        bits = self._sevens(10 if size == 8 else 5) & (1 << 8 * size) - 1
        (number,) = struct.unpack(">d" if size == 8 else ">f", bits.to_bytes(size, "big"))
        return float(number)

    def _said(self, token: int) -> str:
        if token < 0x20:
            return self._texts.at(token - 1)
        if 0x40 <= token < 0xC0:
            size = (token & 0x1F) + _SIZES[(token >> 5) - 2]
            return self._texts.keep(self._text(size), size)
        if 0xEC <= token < 0xF0:
            return self._texts.at((token & 3) << 8 | self._byte())
        if token in (0xE0, 0xE4):
            return self._long_text()
        raise BadMatchFile(0, f"a value of kind {token:#x}")

    def _list(self, depth: int) -> list[Any]:
        found = []
        while self._data[self._at] != 0xF9:
            found.append(self._below(depth))
        self._at += 1
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found = {}
        while (token := self._byte()) != 0xFB:
            name = self._name(token)
            found[name] = self._below(depth)
        return found

    def _below(self, depth: int) -> Any:
        if depth == _DEEPEST:
            raise BadMatchFile(0, "nested too deeply")
        return self.value(depth + 1)

    def _name(self, token: int) -> str:
        if token == 0x20:
            return ""
        if 0x30 <= token < 0x34:
            return self._names.at((token & 3) << 8 | self._byte())
        if token == 0x34:
            return self._long_text()
        if 0x40 <= token < 0x80:
            return self._names.at(token - 0x40)
        if token < 0x80:
            raise BadMatchFile(0, f"a name of kind {token:#x}")
        size = (token & 0x3F) + (1 if token < 0xC0 else 2)
        return self._names.keep(self._text(size), size)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _text(self, size: int) -> str:
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise IndexError
        return self._data[start : self._at].decode()

    def _long_text(self) -> str:
        end = self._data.find(_END, self._at)
        if end < 0:
            raise IndexError
        text = self._text(end - self._at)
        self._at += 1
        return text

    def _sevens(self, count: int) -> int:
        number = 0
        for _ in range(count):
            number = number << 7 | self._byte()
        return number

    def _number(self) -> int:
        """Read a number of seven bits a byte; the last one has the highest bit and six."""
        number = 0
        for _ in range(10):
            byte = self._byte()
            if byte & 0x80:
                return number << 6 | byte & 0x3F
            number = number << 7 | byte
        raise BadMatchFile(0, "a number without an end")


_WORDS = {0x20: "", 0x21: None, 0x22: False, 0x23: True}
_SIZES = (1, 33, 2, 34)  # of the shortest text of each kind


def _signed(number: int) -> int:
    return number >> 1 ^ -(number & 1)
