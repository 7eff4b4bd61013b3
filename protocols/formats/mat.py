"""Jellyfish .mat files, as gnubg 1.07 writes and reads them: `read` and `write`.

Player 0 is always the left column. The format does not keep ratings, times, levels, analyses,
comments on actions, refused resignations, interruptions, the Jacoby and beaver rules, or a take
after a beaver when nothing follows it; the first game that can be is taken for the Crawford game.
Games with automatic doubles are refused. A board set by hand is kept only as the start of a game,
written as eXtreme Gammon does, which gnubg understands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import zip_longest

from sixprime.engine.position import (
    MAX_CHECKERS,
    OFF,
    POINTS,
    MatchState,
    Play,
    Position,
    Variant,
)
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import read_play
from sixprime.protocols.formats.ids import BadId, board_letters, read_board_letters
from sixprime.protocols.formats.reading import MatchReader, Reading, head_of
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    CannotCarry,
    Cube,
    CubeStep,
    Game,
    Interruption,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
    decode,
    one_line,
    plain_names,
    settled,
    split_lines,
)
from sixprime.protocols.formats.replay import can_move, moments

LEFT, RIGHT = 27, 34  # width of the left cell; column of the right one
_NAME_WIDTH = 31  # of `NAME : SCORE` on the left
_VARIANTS = {
    Variant.NACKGAMMON: "NackGammon",
    Variant.HYPERGAMMON_1: "HyperGammon (1)",
    Variant.HYPERGAMMON_2: "HyperGammon (2)",
    Variant.HYPERGAMMON: "HyperGammon (3)",
}


# -- writing


def write(match: Match) -> str:
    """The match as text."""
    if not match.games:
        raise CannotCarry("a match without games")
    names = _names(match)
    lines = [*_header(match), "", *_comment(match)]
    lines += [f" {match.length} point match", ""]
    for number, game in enumerate(match.games, start=1):
        left = f"{names[0]} : {game.score[0]}"
        padding = " " * (_NAME_WIDTH - len(left.encode()))
        lines += [f" Game {number}", f" {left}{padding}{names[1]} : {game.score[1]}"]
        lines += _game(match, game, number)
        if game.result is not None:
            lines.append("")
    return "\n".join(lines) + "\n"


def _names(match: Match) -> tuple[str, str]:
    """The names without what would be misread: a colon, or a comma as before a rating."""
    width = _NAME_WIDTH - len(" :  ") - _digits(match)
    names = plain_names(match, width, ":")
    rated = any(_RATED.match(name) for name in names)
    return plain_names(match, width, ":,") if rated else names


def _digits(match: Match) -> int:
    return max((len(str(game.score[0])) for game in match.games), default=1)


def _header(match: Match) -> list[str]:
    day = match.date.strftime("%Y.%m.%d") if match.date else ""
    if match.date is None and match.started is not None:
        day = match.started.strftime("%Y.%m.%d")
    known = {
        "Variation": _VARIANTS.get(match.rules.variant, ""),
        "Site": match.place,
        "Event": match.event,
        "Round": match.round,
        "EventDate": day,
        "Transcriber": match.annotator,
    }
    return [f'; [{name} "{one_line(text)}"]' for name, text in known.items() if text]


def _comment(match: Match) -> list[str]:
    return [f"; {_printable(line)}" for line in match.comment.splitlines()]


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


class _Sheet:
    """The two columns of a game, cell by cell."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.filled = 0  # cells

    def put(self, seat: int, text: str) -> None:
        if self.filled % 2 != seat:
            self._cell("")
        self._cell(text)

    def _cell(self, text: str) -> None:
        if self.filled % 2:
            self.lines[-1] += text
        else:
            self.lines.append(f"{self.filled // 2 + 1:3}) {text:{LEFT}} ")
        self.filled += 1

    def wins(self, winner: int, text: str, last: Action | None) -> None:
        if winner == 0:
            self.lines.append(f"      {text}")
        elif self.filled % 2 == 0:
            self.lines.append(" " * RIGHT + text)
        elif isinstance(last, Turn) and last.play is None:  # gnubg writes one blank less
            self.lines[-1] = f"{self.lines[-1][:-1]} {text}"
        else:
            self.lines[-1] += f" {text} " if isinstance(last, Cube) else f" {text}"


def _game(match: Match, game: Game, number: int) -> list[str]:
    sheet = _Sheet()
    actions = tuple(a for a in settled(game) if not isinstance(a, Interruption))
    if game.cube > 1 and not (actions and isinstance(actions[0], SetBoard)):
        raise CannotCarry(f"game {number}: .mat cannot carry automatic doubles")
    setups: list[str] = []
    for i, (action, position, state) in enumerate(moments(match, replace(game, actions=actions))):
        if isinstance(action, Turn):
            sheet.put(action.seat, _turn(action, position))
        elif isinstance(action, Cube):
            text = _cube(action, state)
            if text:
                sheet.put(action.seat, text)
        elif isinstance(action, SetBoard):
            if i:
                raise CannotCarry(f"game {number}: .mat cannot carry a board set during a game")
            setups.append(_set_pos(action))
    if game.result is not None:
        points = game.result.points
        text = f"Wins {points} point{'' if points == 1 else 's'}"
        written = [action for action in actions if isinstance(action, Turn | Cube)]
        sheet.wins(game.result.winner, text, written[-1] if written else None)
    return setups + sheet.lines


def _turn(turn: Turn, position: Position) -> str:
    text = f"{turn.dice[0]}{turn.dice[1]}: "
    for number, step in enumerate(turn.play or ()):
        hit = step.end != OFF and position.theirs[POINTS - step.end] == 1
        text += f"{step.start}/{step.end}{'*' if hit else ''}"
        if number < 3:
            text += " "
        position = position.after((step,))
    return text


def _cube(cube: Cube, state: MatchState) -> str:
    if cube.step is CubeStep.TAKE:
        return "" if _beavered(state) else " Takes"
    if cube.step is CubeStep.DROP:
        return " Drops"
    word = "Doubles" if cube.step is CubeStep.DOUBLE else "Beavers"
    return f" {word} => {2 * state.cube * (2 if cube.step is CubeStep.BEAVER else 1)}"


def _beavered(state: MatchState) -> bool:
    """Has the double on offer been beavered? Only then is the cube on the other side."""
    return state.doubled and state.cube_owner == 1 - state.on_roll


def _set_pos(setup: SetBoard) -> str:
    first = setup.position if setup.on_roll == 0 else setup.position.flipped()
    exponent = setup.cube.bit_length() - 1
    return f"; Set Pos={board_letters(first)}/{-exponent if setup.cube_owner == 0 else exponent}"


# -- reading

_HEADER = re.compile(r'[;#]\s*+\[(\w++)\s++"(.*)"\]\s*+$')
_MATCH = re.compile(r"\s*+(\d{1,6})\s++points?\s++match", re.IGNORECASE)
_BEGINS = re.compile(r"^[^\S\n]*\d{1,6} points? match", re.MULTILINE | re.IGNORECASE)
_GAME = re.compile(r"\s*+Game\s++\d++\s*+$", re.IGNORECASE)
_SCORES = re.compile(r"\s*+([^:]*+):\s*+(\d{1,6})\s++(\S.*):\s*+(\d{1,6})\s*+$")
_RATED = re.compile(r"(.*),\s*+(\d{1,5}(?:\.\d++)?)$")
_SET_POS = re.compile(r"[;#]\s*Set Pos=([-A-Pa-p]{26})/(-?\d{1,2})\s*+$")
_NUMBER = re.compile(r"\s*+\d{1,6}\)")
_CELL = re.compile(
    r"(?P<dice>\d\d)\s*+:"
    r"|(?P<cube>double|redouble|beaver|raccoon|take|drop|pass)[a-z]*+(?:\s*+=>?\s*+\d++)?"
    r"|(?P<end>win|resign)[a-z]*+"
    r"(?:\s++(?P<points>\d{1,6}))?(?:\s++points?)?(?:\s++and\s++the\s++match)?",
    re.IGNORECASE,
)
_MIDDLE = 20  # a cell that stands alone and starts before this column is the left one
_CUBE_WORDS = {
    "double": CubeStep.DOUBLE,
    "redouble": CubeStep.DOUBLE,
    "beaver": CubeStep.BEAVER,
    "raccoon": CubeStep.BEAVER,
    "take": CubeStep.TAKE,
    "drop": CubeStep.DROP,
    "pass": CubeStep.DROP,
}


def read(text: str) -> list[Match]:
    """Every match of the file; BadMatchFile if one of them makes no sense."""
    return read_as_it_is(text).strictly()


def read_as_it_is(text: str) -> Reading:
    """What can be read of a file; BadMatchFile if nothing can."""
    reader = _Reader()
    lines = split_lines(text)
    for number, line in enumerate(lines, start=1):
        reader.line(number, line.expandtabs(8).rstrip())
    reader.end(len(lines))
    return Reading(tuple(reader.matches))


@dataclass(slots=True)
class _Head:
    """The facts about a match that come before its first game."""

    rules: Rules = field(default_factory=Rules)
    fields: dict[str, str] = field(default_factory=dict)
    day: date | None = None
    comments: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.head = _Head()  # of the next match
        self.draft: MatchDraft | None = None
        self.scores_next = False
        self.over = False  # a score ended the match: no game follows
        self.blank = False  # was the line before?
        self.foreign: BadMatchFile | None = None  # raised if the game goes on after this line
        self.begun = 0  # line of ` N point match`

    def line(self, number: int, line: str) -> None:
        after_blank, self.blank = self.blank, not line
        if self.scores_next and _SCORES.match(line):  # whatever the names look like
            self._scores(number, line)
        elif line.lstrip().startswith((";", "#")):
            self._remark(number, line.strip())
        elif found := _MATCH.match(line):
            self._finish()
            self._begin(number, int(found[1]))
        elif _GAME.match(line):
            if self.draft is None:
                raise BadMatchFile(number, "a game before the line ` N point match`")
            self.scores_next = True
        elif not line or self.draft is None or self.over:
            return  # text around matches
        elif self.scores_next:
            raise BadMatchFile(number, "expected `NAME : SCORE   NAME : SCORE`")
        elif not self.draft.games:
            raise BadMatchFile(number, "expected ` Game 1`")
        else:
            self._cells(number, line, self.draft.games[-1], after_blank)

    def end(self, lines: int) -> None:
        if self.draft is None:
            raise BadMatchFile(max(lines, 1), "no line ` N point match` in it")
        if self.scores_next:
            raise BadMatchFile(lines, "a game without its line of scores")
        self._finish()

    def _remark(self, number: int, line: str) -> None:
        found = _SET_POS.match(line)
        if found and self.draft is not None and self.draft.games:
            game = self.draft.games[-1]
            game.add(number, _setup(number, game, found[1], int(found[2])))
        elif found := _HEADER.match(line):
            _note(self.head, found[1].lower(), found[2])
        else:  # of the next match, unless more moves follow
            self.head.comments.append(line[1:].strip())

    def _begin(self, number: int, length: int) -> None:
        check_length(number, length)
        head, self.head, self.begun = self.head, _Head(), number
        match = Match(
            players=(Player(""), Player("")),
            length=length,
            rules=head.rules,
            date=head.day,
            place=head.fields.get("site", ""),
            event=head.fields.get("event", ""),
            round=head.fields.get("round", ""),
            annotator=head.fields.get("transcriber", ""),
            comment="\n".join(head.comments),
        )
        self.draft = MatchDraft(match)

    def _scores(self, number: int, line: str) -> None:
        found, draft = _SCORES.match(line), self.draft
        assert found and draft is not None
        self.scores_next, self.foreign = False, None
        score = int(found[2]), int(found[4])
        if draft.games and 0 < draft.match.length <= max(score):
            self.over = True
            return
        if not draft.games:
            draft.match = replace(draft.match, players=(_player(found[1]), _player(found[3])))
        draft.begin(number, score)

    def _cells(self, number: int, line: str, draft: Draft, after_blank: bool) -> None:
        """One line of a game: at most a cell of each player and who wins.

        After the end of a game, or a blank line, other text may follow, but no more of the game.
        """
        self.head.comments.clear()
        numbered = _NUMBER.match(line)
        body = numbered.end() if numbered else 0
        cells = list(_CELL.finditer(line, body))
        if (cells and line[body : cells[0].start()].strip()) or (line[body:].strip() and not cells):
            why = BadMatchFile(number, f"cannot read `{line[body:].split()[0]}`")
            if numbered or not (after_blank or self.foreign or draft.replay.result):
                raise why
            self.foreign = self.foreign or why
            return
        if self.foreign:
            raise self.foreign
        seats = _seats(cells)
        for cell, following in zip_longest(cells, cells[1:]):
            seat = seats[cell.start()]
            rest = line[cell.end() : following.start() if following else len(line)].split()
            if cell["dice"]:
                _roll(number, draft, seat, cell["dice"], rest)
                continue
            if rest:
                raise BadMatchFile(number, f"cannot read `{rest[0]}`")
            _word(number, draft, seat, cell)

    def _finish(self) -> None:
        """Add the match just read to the others."""
        if self.draft is None:
            return
        if not self.draft.games:
            raise BadMatchFile(self.begun, "a match without games")
        self.matches.append(self.draft.done())
        self.draft, self.over, self.foreign = None, False, None


def _seats(cells: list[re.Match[str]]) -> dict[int, int]:
    """The seat of each cell by its column, which need not stand where gnubg writes it."""
    seats = {cell.start(): int(cell.start() >= _MIDDLE) for cell in cells}
    first, *others = [cell.start() for cell in cells if not cell["end"]] or [0]
    return {**seats, first: 0, **dict.fromkeys(others, 1)} if others else seats


def _note(head: _Head, name: str, text: str) -> None:
    head.fields[name] = text
    if name == "eventdate":
        head.day = _day(text)
    elif name == "jacoby":
        head.rules = replace(head.rules, jacoby=text.lower() in ("on", "true", "yes", "1"))
    elif name == "variation":
        known = {words.lower(): variant for variant, words in _VARIANTS.items()}
        variant = known.get(text.lower(), Variant.STANDARD)
        head.rules = replace(head.rules, variant=variant)


def _day(text: str) -> date | None:
    try:
        return date(*(int(part) for part in re.split(r"[./-]", text, maxsplit=2)))
    except (ValueError, TypeError, OverflowError):
        return None


def _player(text: str) -> Player:
    text = text.rstrip()
    rated = _RATED.match(text)
    if rated:
        return Player(rated[1].strip(), rating_before=float(rated[2]))
    return Player(text)


def _setup(number: int, draft: Draft, places: str, exponent: int) -> SetBoard:
    if draft.actions:
        raise BadMatchFile(number, "a board set during a game")
    if abs(exponent) > 12:
        raise BadMatchFile(number, f"no cube of 2 to the power of {exponent}")
    try:
        position = read_board_letters(places)
    except BadId as error:
        raise BadMatchFile(number, str(error)) from error
    checkers = Position.start(draft.rules.variant).checkers or MAX_CHECKERS
    position = Position(position.mine, position.theirs, checkers)
    owner = None if exponent == 0 else int(exponent > 0)
    return SetBoard(0, position, 2 ** abs(exponent), owner)


def _roll(number: int, draft: Draft, seat: int, dice_text: str, words: list[str]) -> None:
    dice = int(dice_text[0]), int(dice_text[1])
    if not all(1 <= die <= 6 for die in dice):
        raise BadMatchFile(number, f"no dice show {dice_text}")
    position = draft.position_of(seat)
    if " ".join(words).lower() in ("cannot move", "can't move", "no move"):
        words = []
    play: Play | None
    if words in ([], ["????"]):
        play = None if can_move(position, dice) else ()
    else:
        play = read_play(number, position, dice, " ".join(words))
    draft.roll(number, Turn(seat, dice, play))


def _word(number: int, draft: Draft, seat: int, cell: re.Match[str]) -> None:
    if cell["cube"]:
        draft.turn_cube(number, Cube(seat, _CUBE_WORDS[cell["cube"].lower()]))
    elif cell["end"].lower() == "win":
        draft.won(number, seat, int(cell["points"]) if cell["points"] else None)


READER = MatchReader(
    "mat",
    "a .mat file",
    (".mat",),
    lambda data: _BEGINS.search(head_of(data)) is not None,
    lambda data: read_as_it_is(decode(data)),
)
