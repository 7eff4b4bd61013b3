"""The end of an error message about a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """`, did you mean '...'?` if one of these is similar, else nothing; case does not matter."""
    lower = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), lower, 1)
    return f", did you mean '{lower[near[0]]}'?" if near else ""


def nearest_or_all(word: str, known: Iterable[str]) -> str:
    """The nearest of these, or all."""
    known = tuple(known)
    return nearest(word, known) or f", known: {', '.join(known)}"
