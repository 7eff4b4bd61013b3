"""Bytes from a client to lines: telnet bytes dropped, backspaces obeyed, length bounded."""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.engine.system.errors import InputError

IAC, SB, SE = 0xFF, 0xFA, 0xF0
WILL, DONT = 0xFB, 0xFE
ERASE = frozenset({0x08, 0x7F})


class InputLines:
    """The lines of one connection, however chunked; CR LF, LF, CR NUL and CR end a line."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line = bytearray()
        self._telnet = bytearray()  # an unfinished IAC sequence
        self._after_cr = False

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that these bytes complete."""
        for byte in data:
            if self._telnet or byte == IAC:
                self._telnet_byte(byte)
            elif self._after_cr and byte in (0x0A, 0x00):
                self._after_cr = False
            elif byte in (0x0A, 0x0D):
                self._after_cr = byte == 0x0D
                yield self._line.decode("latin-1")
                self._line.clear()
            else:
                self._after_cr = False
                self._plain_byte(byte)

    def _plain_byte(self, byte: int) -> None:
        if byte in ERASE:
            del self._line[-1:]
            return
        self._line.append(byte)
        if len(self._line) > self._limit:
            raise InputError("a line is too long")

    def _telnet_byte(self, byte: int) -> None:
        sequence = self._telnet
        sequence.append(byte)
        if len(sequence) < 2:
            return
        kind = sequence[1]
        if kind == SB:
            done = sequence[-2:] == bytes((IAC, SE))
        elif WILL <= kind <= DONT:
            done = len(sequence) == 3
        else:
            done = True
            if kind == IAC:
                self._plain_byte(IAC)
        if len(sequence) > self._limit:
            raise InputError("a line is too long")
        if done:
            sequence.clear()
