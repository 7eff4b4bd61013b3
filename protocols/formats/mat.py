"""Jellyfish .mat files, as gnubg 1.07 writes and reads them.

Player 0 is always the left column. The format does not keep ratings, times, levels, analyses,
marks, comments on games and actions, refused resignations, interruptions, the Jacoby and beaver
rules, or a take after a beaver at the end of a game. The first game that can be the Crawford game
is one. Games with automatic doubles are refused. Only the start of a game keeps a board set by
hand, in the form of eXtreme Gammon, which gnubg understands. gnubg misreads games with comments
between the rows; we read them, and marks behind plays such as `8/5??`.

This module also reads files by Galaxy, Studio, GridGammon, eXtreme Gammon and people;
protocols.formats.matlines knows their lines.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.engine.position import OFF, POINTS, MatchState, Play, Position
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.ids import board_letters
from sixprime.protocols.formats.matlines import (
    BEGINS,
    VARIANTS,
    Cell,
    Head,
    Scores,
    begins_game,
    board_of,
    board_shown,
    cells_in,
    is_dance,
    is_unknown,
    length_in,
    opinion_in,
    play_in,
    rated,
    rows_in,
    scores_in,
    setup_in,
    with_players,
    without_tabs,
)
from sixprime.protocols.formats.reading import Reading, Remarks, text_reader
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    CannotCarry,
    Cube,
    CubeStep,
    Game,
    Interruption,
    Match,
    SetBoard,
    Turn,
    one_line,
    plain_names,
    settled,
    split_lines,
)
from sixprime.protocols.formats.replay import moments

LEFT, RIGHT = 27, 34  # width of the left cell; column of the right one
_NAME_WIDTH = 31  # of `NAME : SCORE` on the left


# -- writing


def write_mat(match: Match) -> str:
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


def write_gam(match: Match, number: int) -> str:
    """Return one game as JellyFish's .gam, which has no score and no length of a match."""
    names = plain_names(match, _NAME_WIDTH - 2, ":,")
    padding = " " * (_NAME_WIDTH - len(names[0].encode()))
    game = match.games[number]
    lines = [f" {names[0]}{padding}{names[1]}", *_game(match, game, number + 1)]
    return "\n".join([*lines, *([] if game.result is None else [""]), ""])


def _names(match: Match) -> tuple[str, str]:
    """Return the names without characters that a reader misunderstands: colons, some commas."""
    width = _NAME_WIDTH - len(" :  ") - _digits(match)
    names = plain_names(match, width, ":")
    return plain_names(match, width, ":,") if any(map(rated, names)) else names


def _digits(match: Match) -> int:
    return max((len(str(game.score[0])) for game in match.games), default=1)


def _header(match: Match) -> list[str]:
    day = match.date.strftime("%Y.%m.%d") if match.date else ""
    if match.date is None and match.started is not None:
        day = match.started.strftime("%Y.%m.%d")
    known = {
        "Variation": VARIANTS.get(match.rules.variant, ""),
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
            if not i:
                setups.append(_set_pos(action))
            elif action.position not in (position, position.flipped()):
                raise CannotCarry(f"game {number}: .mat cannot carry a board set during a game")
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
        beavered = state.doubled and state.cube_owner == 1 - state.on_roll
        return "" if beavered else " Takes"
    if cube.step is CubeStep.DROP:
        return " Drops"
    word = "Doubles" if cube.step is CubeStep.DOUBLE else "Beavers"
    return f" {word} => {2 * state.cube * (2 if cube.step is CubeStep.BEAVER else 1)}"


def _set_pos(setup: SetBoard) -> str:
    first = setup.position if setup.on_roll == 0 else setup.position.flipped()
    exponent = setup.cube.bit_length() - 1
    return f"; Set Pos={board_letters(first)}/{-exponent if setup.cube_owner == 0 else exponent}"


# -- reading


def read_mat(text: str) -> Reading:
    """Return the matches in a file; BadMatchFile if there is none."""
    reader = _Reader()
    lines = split_lines(text)
    for number, line in enumerate(lines, start=1):
        reader.read_line(number, without_tabs(line).rstrip())
    return reader.end(len(lines))


class _Reader:
    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.remarks = Remarks()
        self.head = Head()  # of the next match
        self.draft: MatchDraft | None = None
        self.scores_next = False
        self.over = False  # a score ended the match: no game follows
        self.blank = False  # the line before was blank
        self.foreign: BadMatchFile | None = None  # becomes a remark if the game goes on after it
        self.lost: tuple[int, int, int | None] | None = None  # line, seat, points
        self.row = 0  # the number of the last row of this game

    def read_line(self, number: int, line: str) -> None:
        after_blank, self.blank = self.blank, not line
        if self.scores_next and (scores := scores_in(line)):  # names may look like anything
            self._scores(number, scores)
        elif line.lstrip().startswith((";", "#")):
            self._remark(number, line.strip())
        elif (length := length_in(line)) is not None:
            self._finish(number)
            self.over = True  # unless the match begins
            with self.remarks.instead("the match is left out"):
                self._begin(number, length)
        elif begins_game(line):
            self._say()
            if self.draft is None and self.over:
                return
            if self.draft is None:
                self.remarks.add(number, "no line ` N point match`", "taken for a money session")
                self._begin(number, 0)
            self.scores_next = True
        elif not line or self.draft is None or self.over:
            return  # text around matches
        elif self.scores_next:
            self.remarks.add(number, "expected `NAME : SCORE   NAME : SCORE`", "left out")
        elif not self.draft.games:
            self.remarks.add(number, "expected ` Game 1`", "left out")
        else:
            self._rows(number, line, self.draft.games[-1], after_blank)

    def end(self, lines: int) -> Reading:
        if self.scores_next:
            self.remarks.add(lines, "a game without its line of scores", "left out")
        self._finish(lines, goes_on=False)
        return self.remarks.reading(self.matches, max(lines, 1), "no line ` N point match` in it")

    def _remark(self, number: int, line: str) -> None:
        if self.draft is not None and self.draft.games and (setup := setup_in(line)):
            game = self.draft.games[-1]
            with self.remarks.instead("the board is left out"):
                game.add_action(number, board_of(number, game.rules, *setup))
        elif not self.head.note(line):  # of the next match, unless more moves follow
            self.head.comments.append(line[1:].strip())

    def _begin(self, number: int, length: int) -> None:
        check_length(number, length)
        self.draft, self.head = MatchDraft(self.head.match(length), self.remarks), Head()
        self.over = False

    def _scores(self, number: int, scores: Scores) -> None:
        draft = self.draft
        assert draft is not None
        self.scores_next, self.foreign, self.row = False, None, 0
        self._settle()
        if draft.games and 0 < draft.match.length <= max(scores.points):
            self.over = True
            return
        if not draft.games:
            draft.match = with_players(draft.match, scores.names)
            if not all(player.name for player in draft.match.players):
                self.remarks.add(number, "a player without a name")
        with self.remarks.instead("the game is left out"):
            draft.begin_game(number, scores.points)

    def _rows(self, number: int, line: str, draft: Draft, after_blank: bool) -> None:
        for row in rows_in(line):
            self._cells(number, row, draft, after_blank)

    def _cells(self, number: int, line: str, draft: Draft, after_blank: bool) -> None:
        """Read one line of a game: at most one cell per player, and the winner.

        After the end of a game or a blank line other text may follow.
        """
        self._say()
        cells, unread, row = cells_in(line)
        numbered = row is not None
        if unread:
            why = BadMatchFile(number, f"cannot read `{unread[:40]}`")
            if numbered or not (after_blank or self.foreign or draft.replay.result):
                self.remarks.add(number, why.reason, "left out")
            else:
                self.foreign = self.foreign or why
                return
        if self.foreign and cells:
            self.remarks.add(self.foreign.line, self.foreign.reason, "left out")
            self.foreign = None
        if row is not None:
            if row > self.row + 1 and any(cell.dice or cell.step for cell in cells):
                self.remarks.add(number, f"row {row} follows row {self.row}: something is missing")
            self.row = row
        for cell in cells:
            with self.remarks.instead("left out"):
                self._cell(number, draft, cell)

    def _cell(self, number: int, draft: Draft, cell: Cell) -> None:
        if cell.dice is not None:
            said = None if not cell.said else self._said(number, cell.said)
            comment, marks = opinion_in(cell.said) if said else ("", None)
            turn = Turn(cell.seat, cell.dice, comment=comment, marks=marks)
            draft.add_roll(number, turn, said)
            if board := board_shown(cell.said):
                draft.set_shown_board(number, 1 - cell.seat, board)
        elif cell.step is not None:
            draft.cube(number, Cube(cell.seat, cell.step))
        elif cell.wins:
            self.lost = None
            draft.won(number, cell.seat, cell.points)
        else:
            self.lost = number, cell.seat, cell.points

    def _said(self, number: int, text: str) -> Play | None:
        if is_dance(text):
            return ()
        try:
            return hops_in(number, play_in(text))
        except BadMatchFile as error:
            if not is_unknown(text):
                self.remarks.add(number, error.reason)
            return None

    def _say(self) -> None:
        """Give the comments so far to the action before them, or to its game."""
        if self.draft is not None and self.draft.games and self.head.comments:
            self.draft.games[-1].say("\n".join(self.head.comments))
            self.head.comments.clear()

    def _settle(self) -> None:
        """End a game without a line for the winner: the player who gave up has lost."""
        if self.lost is not None and self.draft is not None and self.draft.games:
            number, seat, points = self.lost
            with self.remarks.instead("left out"):
                self.draft.games[-1].won(number, 1 - seat, points)
        self.lost = None

    def _finish(self, number: int, *, goes_on: bool = True) -> None:
        if self.draft is not None:
            self._settle()
            if not goes_on:
                self._say()
            if self.draft.games:
                self.matches.append(self.draft.done())
            else:
                self.remarks.add(number, "a match without games", "left out")
        self.draft, self.over, self.foreign = None, False, None


READER = text_reader("mat", "a .mat file", (".mat",), BEGINS.search, read_mat)
