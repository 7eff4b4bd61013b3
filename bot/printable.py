"""Makes text from the wire or a file safe to print."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text without control characters, which could steer a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
