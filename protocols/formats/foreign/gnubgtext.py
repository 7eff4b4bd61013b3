"""Matches as text with boards, as gnubg and we export them: `* anna moves 24/22 13/8` below each.

gnubg writes one file for each game; several files joined are one match again. Analyses are not
read, and boards only where they do not follow from the plays.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sixprime.engine.position import parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet, all_done
from sixprime.protocols.formats.ids import BadId, read_match_id, read_position_id
from sixprime.protocols.formats.positionfile import OF_A_GAME
from sixprime.protocols.formats.reading import Reading, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Rules,
    match_between,
    split_lines,
)

_SCORE = re.compile(r"The score \(after (\d{1,6}+) games?\) is: (.*+)$")
_LENGTH = re.compile(r" \(match to (\d{1,6}+) points?\)(, Crawford game|, post-Crawford play)?$")
_SCORES = re.compile(r"(.{1,200}?) (\d{1,6}+), (.*+)$")
_TURN = re.compile(
    r"Move number \d{1,6}:  (.{1,200}) (?:to play ([1-6][1-6])|on roll, cube decision\?)$"
)
_BOARD = re.compile(r"Position ID: ([A-Za-z0-9+/]{14})$")
_DONE = re.compile(r"\* (.{1,200}?) (?:cannot move|([a-z]{5,9}+)|moves (.*+))$")
_WON = re.compile(r"(.{1,200}) wins (\d{1,6}) points?$")
_FACT = re.compile(r"(Event|Round|Place|Annotator): (.+)")
_MATCH_ID = re.compile(r"Match ID   : ([A-Za-z0-9+/]{12})")
_HEADING = re.compile(r"^The score \(after \d", re.MULTILINE)
_CUBE = {
    "doubles": CubeStep.DOUBLE,
    "beavers": CubeStep.BEAVER,
    "accepts": CubeStep.TAKE,
    "rejects": CubeStep.DROP,
}


def read_gnubgtext(text: str) -> Reading:
    """Return the matches in a file; BadMatchFile if there is none."""
    reader = _Reader(_is_jacoby(text))
    lines = split_lines(text)
    for number, line in enumerate(lines, start=1):
        reader.read_line(number, line.rstrip())
    if not reader.sheets:
        raise BadMatchFile(len(lines), "no line `The score (after 0 games) is: ...`")
    return all_done(reader.sheets)


def _is_jacoby(text: str) -> bool:
    found = _MATCH_ID.search(text)
    with suppress(BadId):
        return found is not None and read_match_id(found[1]).jacoby
    return False


class _Reader:
    def __init__(self, jacoby: bool) -> None:
        self.sheets: list[Sheet] = []
        self._jacoby = jacoby
        self._match: tuple[str, str, int] | None = None  # the names and the length
        self._on_roll: int | None = None  # the seat of the board that comes next

    def read_line(self, number: int, line: str) -> None:
        if found := _SCORE.match(line):
            self._begin(number, found[1], found[2])
        elif self._match is None:
            return
        elif found := _FACT.fullmatch(line):
            fact: dict[str, Any] = {found[1].lower(): found[2].strip()}
            draft = self.sheets[-1].draft
            draft.match = replace(draft.match, **fact)
        elif found := _BOARD.search(line):
            self._board(number, found[1])
        elif found := _TURN.match(line) or _DONE.match(line) or _WON.match(line):
            if found[1] in self._match[:2]:
                self._act(number, found, self._match.index(found[1]))
            else:
                self.sheets[-1].not_understood(number, line)

    def _begin(self, number: int, before: str, told: str) -> None:
        """Begin a game after so many others, with these names and scores."""
        end = _LENGTH.search(told)
        one = _SCORES.match(told[: end.start()] if end else told)
        second, _, other = one[3].rpartition(" ") if one else ("", "", "")
        if one is None or not re.fullmatch(r"\d{1,6}", other):
            return
        match = one[1], second, int(end[1]) if end else 0
        if match != self._match or before == "0":
            rules = Rules(jacoby=self._jacoby and not match[2])
            self._match = match
            self.sheets.append(Sheet(match_between(match[:2], match[2], rules=rules)))
        crawford = end[2] == ", Crawford game" if end and match[2] else None
        self.sheets[-1].begin_game(number, (int(one[2]), int(other)), crawford=crawford)

    def _act(self, number: int, found: re.Match[str], seat: int) -> None:
        sheet = self.sheets[-1]
        if found.re is _WON:
            sheet.won(number, seat, int(found[2]))
        elif found.re is _TURN:
            sheet.unplayed()
            self._on_roll = seat
            if found[2]:
                sheet.rolled = number, seat, parse_dice(found[2])
        elif found[2] in _CUBE:
            sheet.cube(number, seat, _CUBE[found[2]])
        elif found[2] is None:
            sheet.moved(number, seat, found[3] or "cannot move")
        else:
            sheet.not_understood(number, found[0])

    def _board(self, number: int, text: str) -> None:
        """Set a board that does not follow from the plays: somebody set it by hand."""
        seat, self._on_roll = self._on_roll, None
        sheet = self.sheets[-1]
        if seat is None or not sheet.reading:
            return
        with suppress(BadId), sheet.remarks.instead("left out"):
            sheet.game.set_shown_board(number, seat, read_position_id(text))


def _looks_like(head: str) -> bool:
    return bool(_HEADING.search(head) and OF_A_GAME.search(head))  # not a position alone


READER = text_reader("gnubgtext", "a match as text with boards", (), _looks_like, read_gnubgtext)
