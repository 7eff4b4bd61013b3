"""GamesGrid's saved games (.sgg): one line a roll, one for its play, two columns by tabs.

As in gnubg the player named first takes seat 1. Lines may be repeated; chat between the lines
becomes the comment on the next action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date

from sixprime.engine.position import Dice, Variant, parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Match,
    Player,
    Rules,
    Turn,
    day_in,
    split_lines,
)

_FILE = re.compile(  # the names, before a first game: chat may look like them
    r"^(?:(?:The )?GamesGrid[^\n]*+\n\s{0,9})?[ \t]*+\S[^\n]{0,99} vs\. [^\n]*+\n"
    r"(?=(?:[^\n]*+\n){0,20}Game 1\.0\*?-0)",
    re.MULTILINE,
)
_NAMES = re.compile(r"\s*+(\S.{0,99}?)\s++vs\.\s++(\S.*+)$")
_GAME = re.compile(r"Game (\d{1,6})\.(\d{1,6})(\*?)-(\d{1,6})(\*?)(?:/(\d{1,6}))?")
_DAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\s++(\w++ \d{1,2},\s*+\d{4})")
_ELO = re.compile(r"ELO:\s*+(\d{1,5}(?:\.\d*+)?)\s++(\d{1,9})\s++(\d{1,5}(?:\.\d*+)?)\s++(\d{1,9})")
_OPTION = re.compile(
    r"(Jacoby|Automatic Doubles|Crawford|Beavers|Raccoons|Doubling Cube|Rated|Match Length|Variant)"
    r":\s*+(.*+)$"
)
_TURN = re.compile(r"(\d{1,6})\t(\t?)\s*+(.*+)$")
_ROLL = re.compile(r"([1-6][1-6]):?\s*+(.*+)$")
_CLOSED_OUT = re.compile(r"-++:?\s*+(?:O-O)?$", re.IGNORECASE)
_WINS = re.compile(r"(\S++)\s++wins\s++(\d{1,6})\s++point")
_VARIANTS = {"hypergammon": Variant.HYPERGAMMON, "nackgammon": Variant.NACKGAMMON}
_WORDS = (
    ("double", CubeStep.DOUBLE),
    ("redouble", CubeStep.DOUBLE),
    ("beaver", CubeStep.BEAVER),
    ("raccoon", CubeStep.BEAVER),
    ("accept", CubeStep.TAKE),
    ("pass", CubeStep.DROP),
)


def read_gamesgrid(text: str, first: int = 1) -> Reading:
    """Return the match in a file; BadMatchFile if there is none."""
    lines = split_lines(text)
    head = _Head()
    reader: _Reader | None = None
    for number, line in enumerate(lines, start=first):
        if head.names is None:
            found = _NAMES.match(line)
            head.names = (found[1], found[2].rstrip()) if found else None
        elif game := _GAME.match(line):
            reader = reader or _Reader(head.match(int(game[6] or 0)), head.names)
            reader.begin_game(number, game)
        elif reader is None:
            head.option(line.strip())
        else:
            reader.read_line(number, line)
    if head.names is None:
        raise BadMatchFile(first + len(lines) - 1, "no line `NAME vs. NAME`")
    if reader is None:
        raise BadMatchFile(first + len(lines) - 1, "no line `Game 1.0-0`")
    return reader.sheet.done()


@dataclass(slots=True)
class _Head:
    """The facts before the first game."""

    names: tuple[str, str] | None = None
    options: dict[str, str] = field(default_factory=dict)
    ratings: tuple[str, ...] = ()  # of seat 0: rating, experience; and of seat 1
    day: date | None = None
    place: str = "GamesGrid"

    def option(self, line: str) -> None:
        if found := _OPTION.match(line):
            self.options[found[1]] = found[2].lower()
        elif found := _ELO.match(line):
            self.ratings = found.groups()
        elif found := _DAY.match(line):
            self.day = day_in(found[1]) or self.day
        elif line:
            self.place = line

    def match(self, length: int) -> Match:
        def said(name: str, default: str) -> bool:
            return self.options.get(name, default) == "yes"

        assert self.names is not None
        first, second = Player(self.names[1]), Player(self.names[0])
        if self.ratings:
            one, many, other, more = self.ratings
            first = replace(first, rating_before=float(one), experience_before=int(many))
            second = replace(second, rating_before=float(other), experience_before=int(more))
        rules = Rules(
            crawford=said("Crawford", "yes"),
            jacoby=length == 0 and said("Jacoby", "yes"),
            cube=said("Doubling Cube", "yes"),
            automatic_doubles=int(length == 0 and said("Automatic Doubles", "no")),
            variant=_VARIANTS.get(self.options.get("Variant", ""), Variant.STANDARD),
        )
        return Match((first, second), length, rules=rules, date=self.day, place=self.place)


class _Reader:
    def __init__(self, match: Match, names: tuple[str, str]) -> None:
        self.sheet = Sheet(match)
        self.names = names
        self.gives_up: int | None = None  # the seat that resigns

    def begin_game(self, number: int, game: re.Match[str]) -> None:
        self.gives_up = None
        score = int(game[4]), int(game[2])
        self.sheet.begin_game(number, score, crawford=bool(game[3] or game[5]))

    def read_line(self, number: int, line: str) -> None:
        sheet = self.sheet
        if wins := _WINS.match(line):
            self.sheet.unplayed()
            self._won(number, wins[1], int(wins[2]))
        elif turn := _TURN.match(line):
            self._turn(number, int(not turn[2]), turn[3].rstrip())
        elif "Automatic double" in line:
            sheet.automatic_double(number)
        elif line.strip():
            sheet.comment += f"{line.strip()}\n"

    def _turn(self, number: int, seat: int, words: str) -> None:
        low = words.lower()
        if found := _ROLL.match(words):
            self._roll(number, seat, parse_dice(found[1]), found[2])
        elif words and _CLOSED_OUT.match(words):  # no dice are written: any do
            self._roll(number, seat, (6, 6), "O-O")
        elif low.startswith("resign"):
            self.gives_up = seat
        elif step := next((step for word, step in _WORDS if low.startswith(word)), None):
            self._cube(number, seat, step)
        elif low and not low.startswith("reject"):
            self.sheet.not_understood(number, words)
        elif low:
            self.gives_up = None

    def _roll(self, number: int, seat: int, dice: Dice, words: str) -> None:
        if self.sheet.rolled is not None and self.sheet.rolled[1:] != (seat, dice):
            self.sheet.unplayed()
        if not words or words.lower().startswith("resign"):
            self.sheet.rolled = number, seat, dice
            self.gives_up = seat if words else self.gives_up
        elif self.sheet.rolled is not None or not self._done_already(seat, dice):
            self.sheet.rolled, self.gives_up = None, None
            self.sheet.roll(number, seat, dice, words)

    def _done_already(self, seat: int, dice: Dice) -> bool:
        """Return whether this repeats the turn just played."""
        actions = self.sheet.game.actions if self.sheet.reading else []
        last = actions[-1] if actions else None
        return isinstance(last, Turn) and (last.seat, last.dice) == (seat, dice)

    def _cube(self, number: int, seat: int, step: CubeStep) -> None:
        self.sheet.unplayed()
        if not self.sheet.reading:
            return
        state = self.sheet.game.replay.state
        if step is CubeStep.DOUBLE and state.doubled and state.to_act != seat:
            return  # written twice
        if step is CubeStep.TAKE and not state.doubled:
            return  # accepts an offer to resign
        self.sheet.cube(number, seat, step)

    def _won(self, number: int, name: str, points: int) -> None:
        if name in self.names:
            winner = 1 - self.names.index(name)
        elif self.gives_up is not None:
            winner = 1 - self.gives_up
        else:
            self.sheet.remarks.add(number, f"`{name[:40]}` is none of the players")
            return
        self.sheet.won(number, winner, points)


def _looks_like(head: str) -> bool:
    lines = split_lines(head)
    return any(map(_NAMES.match, lines)) and any(map(_GAME.match, lines))


READER = text_reader(
    "sgg", "a saved game of GamesGrid", (".sgg",), _looks_like, one_by_one(read_gamesgrid, _FILE)
)
