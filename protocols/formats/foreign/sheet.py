"""A match while a foreign file is read, line by line; `line` is 0 in a file without lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sixprime.engine.position import Dice, Step
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.matlines import is_dance
from sixprime.protocols.formats.reading import Reading, Remarks
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, Turn

_LEFT_OUT = "left out"
_NO_MOVE = frozenset({"o-o", "0/0"})


class Sheet:
    """The match in a file; `match` has all facts but the games."""

    def __init__(self, match: Match, *, fibs: bool = False) -> None:
        """`fibs` says that moves look like `13-7`, with points numbered from either side."""
        check_length(0, match.length)
        self._fibs = fibs
        self.remarks = Remarks()
        self.draft = MatchDraft(match, self.remarks)
        self.comment = ""  # on what comes next
        self.rolled: tuple[int, int, Dice] | None = None  # line, seat, dice
        self._open = False  # the last game takes more actions

    @property
    def game(self) -> Draft:
        return self.draft.games[-1]

    @property
    def reading(self) -> bool:
        """True while a game is open."""
        return self._open and self.game.replay.result is None

    def begin_game(
        self, line: int, score: tuple[int, int] | None = None, *, crawford: bool | None = None
    ) -> None:
        """Begin a game; its score follows from the games before if none is given."""
        self.unplayed()
        self._open, self.comment = False, ""
        games = self.draft.games
        if score is None:
            score = games[-1].done().score_after if games else (0, 0)
        with self.remarks.instead("the game is left out"):
            self.draft.begin_game(line, score)
            self._open = True
        if self._open and crawford is not None:
            self._restart(replace(self.game.game, crawford=crawford))

    def automatic_double(self, line: int) -> None:
        """Turn the cube before the game: the first roll was a tie."""
        if not self._open or self.game.actions:
            self.remarks.add(line, "an automatic double in the middle of a game", _LEFT_OUT)
            return
        with self.remarks.instead(_LEFT_OUT):
            self._restart(replace(self.game.game, cube=2 * self.game.game.cube))

    def _restart(self, game: Game) -> None:
        match = self.draft.match
        self.draft.games[-1] = Draft(0, match.length, match.rules, game, self.remarks)

    def roll(self, line: int, seat: int, dice: Dice, moves: str) -> None:
        """Add a roll and its moves, none if the player dances, or did not play."""
        if self._open:
            with self.remarks.instead(_LEFT_OUT):
                turn = Turn(seat, dice, comment=self._comment())
                self.game.add_roll(line, turn, self._hops(line, moves.strip()))

    def unplayed(self) -> None:
        """Leave dice unplayed whose moves have not come: the file has no play for them."""
        if self.rolled is not None:
            (line, seat, dice), self.rolled = self.rolled, None
            self.roll(line, seat, dice, "")

    def moved(self, line: int, seat: int, moves: str) -> None:
        """Add the moves of the dice in `rolled`."""
        rolled, self.rolled = self.rolled, None
        if rolled is None or rolled[1] != seat:
            self.remarks.add(line, "a move without a roll", _LEFT_OUT)
        else:
            self.roll(line, seat, rolled[2], moves)

    def _hops(self, line: int, moves: str) -> tuple[Step, ...] | None:
        if not moves:
            return None
        if is_dance(moves) or moves.lower() in _NO_MOVE:
            return ()
        return hops_in(line, moves, fibs=self._fibs)

    def cube(self, line: int, seat: int, step: CubeStep) -> None:
        """Add a double, or the answer to one."""
        self.unplayed()
        if self._open:
            with self.remarks.instead(_LEFT_OUT):
                self.game.cube(line, Cube(seat, step, comment=self._comment()))

    def won(self, line: int, winner: int, points: int | None) -> None:
        """End the game as the file says: by resignation, if the board does not show it."""
        self.unplayed()
        if self._open:
            with self.remarks.instead(_LEFT_OUT):
                self.game.won(line, winner, points)
        self._open = False

    def not_understood(self, line: int, text: str) -> None:
        self.remarks.add(line, f"`{text.strip()[:40]}` is not understood", _LEFT_OUT)

    def _comment(self) -> str:
        comment, self.comment = self.comment, ""
        return comment

    def done(self) -> Reading:
        """Return the match; BadMatchFile if there is none."""
        self.unplayed()
        matches = [self.draft.done()] if self.draft.games else []
        return self.remarks.reading(matches, 0, "a match without games")


def all_done(sheets: Iterable[Sheet]) -> Reading:
    """Return several matches; BadMatchFile if there is none."""
    remarks, matches = Remarks(), []
    for sheet in sheets:
        sheet.unplayed()
        matches += [sheet.draft.done()] if sheet.draft.games else []
        remarks.extend(sheet.remarks.all())
    return remarks.reading(matches, 0, "a match without games")
