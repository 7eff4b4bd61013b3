"""A position on an editable board, legal or not yet.

The board is written as in an XGID: 26 letters from the view of the player below, who is seat 1 and
has capitals. IDs and links name seats in the same way, so a pasted position keeps its author's
view.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.engine.position import (
    MAX_CHECKERS,
    POINTS,
    Checkers,
    MatchState,
    Position,
    parse_dice,
)
from sixprime.engine.search.decide import NoDecision, check
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import (
    BEAVERS,
    MAX_LENGTH,
    board_letters,
    match_id,
    position_id,
    xgid,
)

BELOW, ABOVE = 1, 0  # seats
START = board_letters(Position.start())
EMPTY = "-" * (POINTS + 2)
CUBES = tuple(1 << power for power in range(11))
_BOARD = re.compile(f"[-A-Oa-o]{{{POINTS + 2}}}")
LONGEST = 4_000  # characters of a pasted text


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The board as the player below sees it, and the match."""

    seen: Position
    match: MatchState

    @classmethod
    def from_position(cls, position: Position, match: MatchState) -> BoardSetup:
        """Return the setup of a position that is seen by the player on roll."""
        return cls(position if match.on_roll == BELOW else position.flipped(), match)

    @property
    def position(self) -> Position:
        """The position as the player on roll sees it."""
        return self.seen if self.match.on_roll == BELOW else self.seen.flipped()

    @property
    def letters(self) -> str:
        return board_letters(self.seen)

    def fault(self) -> str:
        """Return the reason why no game has this position; empty if it is legal."""
        try:
            check(self.position, self.match)
        except NoDecision as error:
            return str(error)
        return ""

    def query(self) -> dict[str, str]:
        """Return query parameters from which `read_setup` restores this setup, legal or not."""
        match = self.match
        said = {
            "at": self.letters,
            "turn": str(match.on_roll),
            "dice": "".join(map(str, match.dice or ())),
            "cube": str(match.cube),
            "owner": {None: "", BELOW: "below", ABOVE: "above"}[match.cube_owner],
            "length": str(match.length),
            "above": str(match.score[ABOVE]),
            "below": str(match.score[BELOW]),
            "crawford": "on" if match.crawford else "",
            "jacoby": "on" if match.jacoby else "",
            "beavers": "on" if match.beavers else "",
        }
        return {name: word for name, word in said.items() if word}

    def ids(self) -> dict[str, str]:
        """Return the IDs of a legal position, by name."""
        position, match = self.position, self.match
        pair = f"{position_id(position)}:{match_id(match)}"
        return {"XGID": xgid(position, match), N_("Position and Match ID"): pair}


def read_setup(query: Mapping[str, str]) -> BoardSetup:
    """Return the setup in a form or link: an ID, or a board with its match; or ValueError."""
    given = {name: value.strip() for name, value in query.items()}
    setup = _pasted(given) if given.get("id") else _laid_out(given)
    board = {"start": START, "empty": EMPTY}.get(given.get("set", ""))
    return setup if board is None else replace(setup, seen=_board(board))


def without_faults(query: Mapping[str, str]) -> BoardSetup:
    """Return the setup from the readable fields alone."""
    kept: dict[str, str] = {}
    for name, value in query.items():
        with suppress(ValueError):
            read_setup({**kept, name: value})
            kept[name] = value
    return read_setup(kept)


def _pasted(given: Mapping[str, str]) -> BoardSetup:
    if len(given["id"]) > LONGEST:
        raise InputError(
            gettext("Paste a position alone, not %(count)s characters.", count=len(given["id"]))
        )
    position, match = pasted.read_position(given["id"])
    match = match or MatchState()
    if given.get("dice"):
        match = match.with_(dice=parse_dice(given["dice"]), doubled=False, to_act=match.on_roll)
    position.checked()
    return BoardSetup.from_position(position, match)


def _laid_out(given: Mapping[str, str]) -> BoardSetup:
    length = _number(given, "length", 0, MAX_LENGTH)
    score = tuple(_number(given, name, 0, 999) for name in ("above", "below"))
    if length and max(score) >= length:
        raise InputError(
            gettext(
                "At %(score)s a match to %(length)s is over.",
                score=f"{score[1]}–{score[0]}",
                length=length,
            )
        )
    on_roll = _number(given, "turn", 0, 1, BELOW)
    cube = _number(given, "cube", 1, CUBES[-1], 1)
    if cube not in CUBES:
        raise InputError(gettext("No cube shows %(cube)s.", cube=cube))
    dice = given.get("dice")
    match = MatchState(
        length=length,
        score=(score[0], score[1]) if length else (0, 0),
        on_roll=on_roll,
        to_act=on_roll,
        dice=parse_dice(dice) if dice else None,
        cube=cube,
        cube_owner={"below": BELOW, "above": ABOVE}.get(given.get("owner", "")),
        crawford=length > 1 and length - 1 in score and "crawford" in given,
        jacoby=not length and "jacoby" in given,
        beavers=BEAVERS if not length and "beavers" in given else 0,
    )
    return BoardSetup(_board(given.get("at") or START), match)


def _number(given: Mapping[str, str], name: str, low: int, high: int, usual: int = 0) -> int:
    text = given.get(name) or str(usual)
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise InputError(
            gettext(
                "%(field)s: a number from %(low)s to %(high)s is needed, not %(text)s.",
                field=name,
                low=low,
                high=high,
                text=repr(text[:20]),
            )
        )
    return int(text)


def _board(letters: str) -> Position:
    """Return the checkers of 26 letters, which may be none at all."""
    if not _BOARD.fullmatch(letters):
        raise InputError(
            gettext("A board has 26 places: empty (-) or 1 to 15 checkers (A-O, a-o).")
        )
    mine, theirs = _side(letters[1:], "A"), _side(letters[-2::-1], "a")
    if letters[0].isupper() or letters[-1].islower():
        raise InputError(gettext("Each player has a bar of their own."))
    if max(sum(mine), sum(theirs)) > MAX_CHECKERS:
        raise InputError(gettext("A player has at most %(count)s checkers.", count=MAX_CHECKERS))
    return Position(mine, theirs)


def _side(letters: str, one: str) -> Checkers:
    counts = [ord(letter) - ord(one) + 1 for letter in letters]
    return tuple(count if 0 < count <= MAX_CHECKERS else 0 for count in counts)
