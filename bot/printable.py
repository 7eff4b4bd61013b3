"""Text of others, fit for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Nothing from the wire or from a file steers a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
