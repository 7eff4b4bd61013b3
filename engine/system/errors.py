"""The tree of our exceptions, and the "did you mean" of messages about unknown names.

    SixprimeError
    |-- InputError      theirs: a file, a line, an ID or a position breaks its rules: refuse it.
    |   `-- BadId, BadMatchFile, BadRecord, BadWeights, IllegalPosition, ...
    |-- ConfigError     the operator's: settings. Name file, setting and remedy; exit code 2.
    |-- UsageError      the operator's: words of a command line. One line; exit code 2.
    |-- Unavailable     the world's: a server, a file, a program or workers cannot be had now.
    |   `-- CannotConnect, ArchiveError, Occupied, ...
    `-- IllegalCommand, IllegalAnswer, BrokenEngine   ours: log them, and go on without the result.

Each text is one line for people, of at most `MOST_SHOWN` characters: texts that it quotes may be
whole files, and are cut here, for every error. `except` names the narrowest class on which it can
act.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

MOST_SHOWN = 500


class SixprimeError(Exception):
    """The root of our exceptions."""

    def __init__(self, *words: object) -> None:
        super().__init__(*(shortened(word) if isinstance(word, str) else word for word in words))


class InputError(SixprimeError, ValueError):
    """Input from outside breaks its rules."""


class Unavailable(SixprimeError):
    """The work needs something that cannot be had now."""


class ConfigError(SixprimeError, ValueError):
    """Wrong settings; each of `faults` names the place, the fault and the remedy."""

    def __init__(self, faults: str | Sequence[str], path: Path | None = None) -> None:
        self.faults = [*map(shortened, [faults] if isinstance(faults, str) else faults)]
        self.path = path  # of the file; None if the faults say all
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        super().__init__(f"{self.where()}{self.faults[0]}{more}")

    def where(self) -> str:
        """Return the beginning of a line about one fault."""
        return "" if self.path is None else f"{self.path}: "


def shortened(text: str) -> str:
    """Return the text, or its beginning and end with the number of characters between them."""
    more = len(text) - MOST_SHOWN
    if more <= 0:
        return text
    begin, end = text[: MOST_SHOWN // 2], text[-(MOST_SHOWN // 3) :]
    return f"{begin} ... ({len(text) - len(begin) - len(end):,} more) ... {end}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean '...'?` if a known word is similar in any case, else nothing."""
    lower = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), lower, 1)
    return f", did you mean '{lower[near[0]]}'?" if near else ""


def nearest_or_all(word: str, known: Iterable[str]) -> str:
    """Return the nearest known word, or all of them."""
    known = tuple(known)
    return nearest(word, known) or f", known: {', '.join(known)}"
