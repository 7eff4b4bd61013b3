"""Matches as text with boards, as gnubg and we export them: `* anna moves 24/22 13/8` below each.

gnubg writes one file for each game; several files joined are one match again. Analyses are not
read, and boards only where they do not follow from the plays. A comment below a move ends with the
next one; we indent its lines, and gnubg does not.
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
from sixprime.protocols.formats.reading import HEAD, Reading, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Marks,
    Rules,
    day_in,
    match_between,
    split_lines,
)

_SCORE = re.compile(r"The score \(after (\d{1,6}+) games?\) is: (.*+)$")
_LENGTH = re.compile(r" \(match to (\d{1,6}+) points?\)(, Crawford game|, post-Crawford play)?$")
_SCORES = re.compile(r"(.{1,200}?) (\d{1,6}+), (.*+)$")
_MOVE = re.compile(r"Move number \d{1,6}:  ")
_TURN = re.compile(
    r"Move number \d{1,6}:  (.{1,200}) (?:to play ([1-6][1-6])|on roll, cube decision\?)$"
)
_BOARD = re.compile(r"Position ID: ([A-Za-z0-9+/]{14})$")
_DONE = re.compile(r"\* (.{1,200}?) (?:cannot move|([a-z]{5,9}+)|moves (.*+))$")
_WON = re.compile(r"(.{1,200}) wins (\d{1,6}) points?$")
_FACT = re.compile(r"(Date|Event|Round|Place|Annotator|Comments): (.+)")
_ANNOTATION, _MARKS = "Annotation:", "Marks: "
_INDENT = "  "
_END = re.compile(r"(Game|Match|Session) statistics|Output generated ")
_MATCH_ID = re.compile(r"Match ID   : ([A-Za-z0-9+/]{12})")
_HEADING = re.compile(r"\s*The score \(after \d")
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
    reader.end_comment()
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
        self._said: list[str] | None = None  # the lines of a comment that may go on
        self._of_match = False  # the comment belongs to the match

    def read_line(self, number: int, line: str) -> None:
        if self._said is not None and not self._ends(line):
            self._said.append(line.removeprefix(_INDENT))
            return
        self.end_comment()
        if found := _SCORE.match(line):
            self._begin(number, found[1], found[2])
        elif self._match is None:
            return
        elif line == _ANNOTATION:
            self._said, self._of_match = [], False
        elif line.startswith(_MARKS):
            marks = Marks.from_words(line.removeprefix(_MARKS).split(", "))
            self.sheets[-1].game.say("", None if marks == Marks() else marks)
        elif found := _FACT.fullmatch(line):
            self._note(found[1], found[2].strip())
        elif found := _BOARD.search(line):
            self._board(number, found[1])
        elif found := _TURN.match(line) or _DONE.match(line) or _WON.match(line):
            if found[1] in self._match[:2]:
                self._act(number, found, self._match.index(found[1]))
            else:
                self.sheets[-1].not_understood(number, line)

    def _ends(self, line: str) -> bool:
        """Return whether a comment ends before this line."""
        ends = any(found.match(line) for found in (_SCORE, _MOVE, _WON, _END))
        ends = ends or (self._of_match and line == _ANNOTATION)
        return ends and not line.startswith(_INDENT)

    def end_comment(self) -> None:
        """Give a comment to its move, its game or the match."""
        text = "\n".join(self._said or ()).strip("\n")
        of_match, self._said = self._of_match, None
        if text and of_match:
            draft = self.sheets[-1].draft
            draft.match = replace(draft.match, comment=text)
        elif text and self.sheets[-1].draft.games:
            self.sheets[-1].game.say(text)

    def _note(self, name: str, text: str) -> None:
        draft = self.sheets[-1].draft
        if name == "Comments":
            self._said, self._of_match = [text], True
        elif name == "Date":
            draft.match = replace(draft.match, date=day_in(text) or draft.match.date)
        else:
            fact: dict[str, Any] = {name.lower(): text}
            draft.match = replace(draft.match, **fact)

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
    """Return whether it is more than a position, unless comments hide that."""
    whole = len(head.encode()) < HEAD
    return bool(_HEADING.match(head) and (OF_A_GAME.search(head) or not whole))


READER = text_reader("gnubgtext", "a match as text with boards", (), _looks_like, read_gnubgtext)
