"""Origins of figures: the line above a table, picture or transcript that says how it was made.

`Measured 2026-11-26 with nets 749b36e9b502: ...` or `Made 2026-11-29: ...` holds until the next
heading that is not below its own. The commands are in that line, in the rows of the table, or typed
in a transcript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ORIGIN = re.compile(r"^(Measured|Made) (\d{4}-\d\d-\d\d)(?: with nets ([0-9a-f]{12}))?: ")
HEADING = re.compile(r"^(#+) (.+)$")
COMMAND = re.compile(r"`((?:sixprime|python -m) [^`]+)`")
DECIMAL = re.compile(r"(?<![\w.])[+-]?\d*\.\d+\b(?!\.)")
UNITS = re.compile(r"\d (?:MiB|nats|%)|\d (?:matches|evaluations) a second")
INTERVAL = re.compile(r"\b9[05] %")  # says which interval, and is not measured


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a page below one origin, its own first."""

    heading: str
    first: int
    lines: tuple[str, ...]

    @property
    def commands(self) -> list[str]:
        """The commands of its first line, or else of the rows of its table."""
        rows = "\n".join(line for line in self.lines if " | " in line)
        return COMMAND.findall(self.lines[0]) or COMMAND.findall(rows)


def parts(page: str) -> list[Part]:
    """Return the parts of a page that have an origin."""
    lines = page.splitlines()
    places = [number for number, line in enumerate(lines) if ORIGIN.match(line)]
    found = []
    for place in places:
        depth, heading = _heading_above(lines, place)
        end = next(
            (
                number
                for number in range(place + 1, len(lines))
                if number in places or _depth(lines, number) in range(1, depth + 1)
            ),
            len(lines),
        )
        found.append(Part(heading, place, tuple(lines[place:end])))
    return found


def _heading_above(lines: list[str], place: int) -> tuple[int, str]:
    for number in range(place, -1, -1):
        if depth := _depth(lines, number):
            return depth, lines[number].lstrip("# ")
    return 1, ""


def _depth(lines: list[str], number: int) -> int:
    """Return the level of a heading, or 0 for other lines."""
    match = HEADING.match(lines[number])
    is_code = sum(line.startswith("```") for line in lines[:number]) % 2
    return len(match[1]) if match and not is_code else 0


def figures(page: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that tell measured figures: of tables, pictures, transcripts, sentences."""
    fence = ""
    for number, line in enumerate(page.splitlines()):
        if line.startswith("```"):
            fence = "" if fence else line
        elif fence == "```":
            if DECIMAL.search(line) and not line.startswith(("$", "> ")):
                yield number, line
        elif not fence and _tells_figures(line):
            yield number, line


def _tells_figures(line: str) -> bool:
    if line.startswith("!["):
        return True
    prose = INTERVAL.sub("", re.sub(r"`[^`]*`|\]\([^)]*\)", "", line))
    if " | " in prose:
        return len(DECIMAL.findall(prose)) >= 2
    return bool(UNITS.search(prose))


def without_origin(page: str) -> list[str]:
    """Return the lines of figures that no origin covers."""
    covered = {
        number for part in parts(page) for number in range(part.first, part.first + len(part.lines))
    }
    return [line for number, line in figures(page) if number not in covered]
