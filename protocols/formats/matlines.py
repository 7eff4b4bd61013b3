"""The lines of .mat files by any program: text in, values out, no board.

A line of a game has a cell for each player: a roll with its play, an action with the cube, or the
end of the game. The column of a cell shows its player.
"""

from __future__ import annotations

import datetime as dt
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sixprime.engine.position import MAX_CHECKERS, Dice, Position, Variant
from sixprime.engine.ratings import LEAST_RATING
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import BEAVERS, BadId, read_board_letters
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Marks,
    Match,
    Opinion,
    Player,
    Rules,
    SetBoard,
    day_in,
    on_line,
)

VARIANTS = {
    Variant.NACKGAMMON: "NackGammon",
    Variant.HYPERGAMMON_1: "HyperGammon (1)",
    Variant.HYPERGAMMON_2: "HyperGammon (2)",
    Variant.HYPERGAMMON: "HyperGammon (3)",
}
BEGINS = re.compile(
    r"^[^\S\n]*+(?:\d{1,6}(?:\s++|-)points?|unlimited|money)\s++(?:match|session|game)",
    re.MULTILINE | re.IGNORECASE,
)
_HEADER = re.compile(r'[;#]\s*+\[\s*+([^"\[\]]{1,40})"(.*)"\]\s*+$')
_ELO = re.compile(r"(\d{1,5})(?:[.,](\d{1,4}))?(?:/(\d{1,7}))?")
_TIME = re.compile(r"(\d{1,2})[.:](\d{2})(?:[.:](\d{2}))?")
_LENGTH = re.compile(BEGINS.pattern.replace(r"\d{1,6}", r"(\d{1,6})"), re.IGNORECASE)
_GAME = re.compile(r"\s*+Game\s++\d++\s*+(?:[:.]|\(.*\))?$", re.IGNORECASE)
_SCORES = re.compile(
    r"(?>\s*+(.*?):\s*+(\d{1,6})\s++)"  # a name may have a colon
    r"((?:\S.*)?):\s*+(\d{1,6})(?:[^\w:][^:]*+)?$"  # `: 4 (Crawford)`
)
_GLUED = re.compile(  # gnubg leaves no blank behind a name of 28 letters or more
    r"\s?(?>(.{20,200}?) : )(0|[1-9]\d{0,5}+)(\S.{0,200}?) : (\d{1,6}+)$"
)
_RATED = re.compile(r"(.*),\s*+(\d{1,5}(?:\.\d++)?)$")
_SET_POS = re.compile(r"[;#]\s*Set Pos=([-A-Pa-p]{26})/(-?\d{1,2})\s*+$")
_NUMBER = re.compile(r"\s*+(\d{1,6})\)")
_JOINED = re.compile(r"(?<=\S)\s\s+(?=\d{1,6}\)\s)")  # a row behind another, its line end lost
_CELL = re.compile(
    r"(?<![\d/])(?P<dice>\d\d)\s*+:"
    r"|\b(?P<cube>double|redouble|beaver|raccoon|take|accept|drop|pass|reject|refuse|decline)"
    r"[a-z]*+(?:\s*+(?:(?:=>?|to|at)\s*+\d++|\(\d++\)))?"
    r"|\b(?P<end>win|won|los[est]|resign|concede|forfeit|gives? up|time ?out)[a-z]*+"
    r"(?:\s++(?P<points>\d{1,6}))?(?:\s++points?)?(?:\s++and\s++the\s++match)?",
    re.IGNORECASE,
)
_TABS = re.compile(r"\t\t(?![ \t]{0,40}+\d{1,6}\))")  # before a cell of the right column
_MIDDLE = 20  # a single cell that starts before this column is the left one
_CUBE_WORDS = {
    "double": CubeStep.DOUBLE,
    "redouble": CubeStep.DOUBLE,
    "beaver": CubeStep.BEAVER,
    "raccoon": CubeStep.BEAVER,
    "take": CubeStep.TAKE,
    "accept": CubeStep.TAKE,
}  # the others refuse
_DANCE = re.compile(r"(?:cannot|can't|can not|no|no legal) (?:move|play)s?|dances?|fans?|-+", re.I)
_NOTE = re.compile(r"[?!.]++(?=\s|$)|\([^()\d][^()]{0,80}\)")  # a comment on a play
_SIGNS = {
    "!!": Opinion.VERY_GOOD,
    "!": Opinion.GOOD,
    "!?": Opinion.INTERESTING,
    "?!": Opinion.DOUBTFUL,
    "?": Opinion.BAD,
    "??": Opinion.VERY_BAD,
}
_UNKNOWN = re.compile(r"\?++|illegal play(?:\s*+\((.*)\))?.*+", re.IGNORECASE)
_YES = ("on", "true", "yes", "1")


# -- the head of a match


@dataclass(slots=True)
class Head:
    """The facts about a match before its first game."""

    fields: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    def note(self, line: str) -> bool:
        """Note `; [Name "text"]`; return False if the line belongs into the comment."""
        found = _HEADER.match(line)
        if not found:
            return False
        name = " ".join(found[1].lower().split())
        self.fields[name] = found[2].strip()
        return name in _KEPT

    def match(self, length: int) -> Match:
        day = day_in(self.fields.get("eventdate", ""))
        return Match(
            players=(_header_player(self, 1), _header_player(self, 2)),
            length=length,
            rules=self._rules(),
            date=day,
            started=_time(day, self.fields.get("eventtime", "")),
            place=self.fields.get("site", ""),
            event=self.fields.get("event", ""),
            round=self.fields.get("round", ""),
            annotator=self.fields.get("transcriber", ""),
            comment="\n".join(self.comments),
        )

    def _rules(self) -> Rules:
        named = {words.lower(): variant for variant, words in VARIANTS.items()}
        said = {name: text.lower() in _YES for name, text in self.fields.items()}
        return Rules(
            crawford=said.get("crawford", True),
            jacoby=said.get("jacoby", False),
            beavers=BEAVERS if said.get("beaver", said.get("beavers", False)) else 0,
            variant=named.get(self.fields.get("variation", "").lower(), Variant.STANDARD),
        )


_KEPT = {"site", "event", "round", "eventdate", "transcriber", "jacoby", "variation"}


def _header_player(head: Head, number: int) -> Player:
    """Return a player in the head; `1600,00/12` is a rating and the experience.

    Galaxy writes the final score in their place, such as `7,00/0`.
    """
    name = head.fields.get(f"player {number}", "")
    elo = _ELO.fullmatch(head.fields.get(f"player {number} elo", ""))
    rating = float(f"{elo[1]}.{elo[2] or 0}") if elo else 0.0
    if elo is None or rating < LEAST_RATING:
        return Player(name)
    return Player(name, rating_before=rating, experience_before=int(elo[3]) if elo[3] else None)


def with_players(match: Match, names: tuple[str, str]) -> Match:
    """Return the match with the names of its first scores; a rating may follow a comma.

    The head may name them in the other order.
    """
    players = match.players
    if names[0] != players[0].name and names in (
        (players[1].name, players[0].name),
        (players[1].name, ""),
        ("", players[0].name),
    ):
        players = players[::-1]
    first, second = (_player(name, known) for name, known in zip(names, players, strict=True))
    return replace(match, players=(first, second))


def rated(name: str) -> re.Match[str] | None:
    """Match a name and, after a comma, a rating."""
    return _RATED.match(name)


def _player(text: str, known: Player) -> Player:
    if found := rated(text):
        return replace(known, name=found[1].strip(), rating_before=float(found[2]))
    return replace(known, name=text or known.name)


def _time(day: dt.date | None, text: str) -> dt.datetime | None:
    """Return the time of day; files do not name the zone, so UTC is assumed."""
    found = _TIME.fullmatch(text)
    if day is None or found is None:
        return None
    try:
        at = dt.time(int(found[1]), int(found[2]), int(found[3] or 0), tzinfo=dt.UTC)
    except ValueError:
        return None
    return dt.datetime.combine(day, at)


# -- lines


def without_tabs(line: str) -> str:
    """Return the line with blanks for tabs, so that cells are in their columns."""
    return _TABS.sub(" " * 2 * _MIDDLE, line, count=1).expandtabs(8)


def length_in(line: str) -> int | None:
    """Return the length in ` N point match`, 0 for money; None for another line."""
    found = _LENGTH.match(line)
    return int(found[1] or 0) if found else None


def begins_game(line: str) -> bool:
    """Return whether a line looks like ` Game 3`."""
    return _GAME.match(line) is not None


@dataclass(frozen=True, slots=True)
class Scores:
    """The line `NAME : SCORE   NAME : SCORE`."""

    names: tuple[str, str]
    points: tuple[int, int]


def scores_in(line: str) -> Scores | None:
    """Return the names, of which one may be missing, and the scores before a game."""
    found = _SCORES.match(line) or _GLUED.match(line)
    if not found:
        return None
    return Scores((found[1].strip(), found[3].strip()), (int(found[2]), int(found[4])))


def setup_in(line: str) -> tuple[str, int] | None:
    """Return the letters and the cube of eXtreme Gammon's `; Set Pos=`."""
    found = _SET_POS.match(line)
    return (found[1], int(found[2])) if found else None


def board_of(number: int, rules: Rules, places: str, exponent: int) -> SetBoard:
    """Return the board of `; Set Pos=`; BadMatchFile if there is no such board."""
    if abs(exponent) > 12:
        raise BadMatchFile(number, f"no cube of 2 to the power of {exponent}")
    with on_line(number):
        position = read_board_letters(places)
    checkers = Position.start(rules.variant).checkers or MAX_CHECKERS
    position = Position(position.mine, position.theirs, checkers)
    owner = None if exponent == 0 else int(exponent > 0)
    return SetBoard(0, position, 2 ** abs(exponent), owner)


@dataclass(frozen=True, slots=True)
class Cell:
    """One player's part of a line: a roll, an action with the cube, or the end of the game."""

    seat: int
    dice: Dice | None = None
    said: str = ""  # after the dice
    step: CubeStep | None = None
    wins: bool = False  # neither dice nor cube: wins, or gives up
    points: int | None = None


def rows_in(line: str) -> list[str]:
    """Return the rows of a game on one line: mostly one."""
    return _JOINED.split(line) if _NUMBER.match(line) else [line]


def cells_in(line: str) -> tuple[list[Cell], str, int | None]:
    """Return the cells of a line, the part that cannot be read, and its number."""
    numbered = _NUMBER.match(line)
    body = numbered.end() if numbered else 0
    found = list(_CELL.finditer(line, body))
    starts = [each.start() for each in found] + [len(line)]
    unread = [line[body : starts[0]].strip()]
    seats = _seats(found)
    cells = []
    for each, end in zip(found, starts[1:], strict=True):
        said = " ".join(line[each.end() : end].split())
        seat = seats[each.start()]
        if each["dice"]:
            dice = int(each["dice"][0]), int(each["dice"][1])
            cells.append(Cell(seat, dice, said))
            continue
        unread.append(said)
        if each["cube"]:
            step = _CUBE_WORDS.get(each["cube"].lower(), CubeStep.DROP)
            cells.append(Cell(seat, step=step))
        else:
            points = int(each["points"]) if each["points"] else None
            cells.append(Cell(seat, wins=each["end"].lower() in ("win", "won"), points=points))
    return cells, " ".join(filter(None, unread)), int(numbered[1]) if numbered else None


def _seats(cells: list[re.Match[str]]) -> dict[int, int]:
    """Return the seat of each cell by its column, which need not be gnubg's."""
    seats = {cell.start(): int(cell.start() >= _MIDDLE) for cell in cells}
    first, *others = [cell.start() for cell in cells if not cell["end"]] or [0]
    return {**seats, first: 0, **dict.fromkeys(others, 1)} if others else seats


def play_in(said: str) -> str:
    """Return the play in the words after the dice, in this format's own notation."""
    play = _NOTE.sub("", said)
    return play if "/" in play else play.replace("-", "/")


def opinion_in(said: str) -> tuple[str, Marks | None]:
    """Return the comment and the mark that somebody wrote behind a play."""
    notes = _NOTE.findall(said)
    marks = [Marks(_SIGNS[note]) for note in notes if note in _SIGNS]
    words = [note[1:-1].strip() for note in notes if note.startswith("(")]
    return "\n".join(words), marks[-1] if marks else None


def is_dance(said: str) -> bool:
    """Return whether the words after the dice say that no checker can move."""
    return _DANCE.fullmatch(said) is not None


def is_unknown(said: str) -> bool:
    """Return whether they say that the play is not known."""
    return _UNKNOWN.fullmatch(said) is not None


def board_shown(said: str) -> Position | None:
    """Return the board that Snowie adds to an illegal play, as the other player sees it."""
    found = _UNKNOWN.fullmatch(said)
    with suppress(BadId):
        return pasted.read_position(found[1])[0] if found and found[1] else None
    return None
