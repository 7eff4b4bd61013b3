"""A match while a foreign file is read, line by line; `line` is 0 in a file without lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sixprime.engine.position import Dice, Step
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.matlines import is_dance
from sixprime.protocols.formats.reading import Reading, Remarks, together
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, Turn

_LEFT_OUT = "left out"
_NO_MOVE = frozenset({"o-o", "0/0"})


class Sheet:
    """The match in a file; `match` is what is known besides the games."""

    def __init__(self, match: Match, *, fibs: bool = False) -> None:
        """`fibs`: moves are written `13-7`, with points numbered from either side."""
        check_length(0, match.length)
        self._fibs = fibs
        self.remarks = Remarks()
        self.draft = MatchDraft(match, self.remarks)
        self.comment = ""  # on what comes next
        self.rolled: tuple[int, int, Dice] | None = None  # line, seat; whose moves come next
        self._open = False  # can something be added to the last game?

    @property
    def game(self) -> Draft:
        return self.draft.games[-1]

    @property
    def reading(self) -> bool:
        """Has a game begun, and is it still open?"""
        return self._open and self.game.replay.result is None

    def begin(
        self, line: int, score: tuple[int, int] | None = None, *, crawford: bool | None = None
    ) -> None:
        """Begin a game; without a score, at the score after the games before."""
        self.unplayed()
        self._open, self.comment = False, ""
        games = self.draft.games
        if score is None:
            score = games[-1].done().score_after if games else (0, 0)
        with self.remarks.instead("the game is left out"):
            self.draft.begin(line, score)
            self._open = True
        if self._open and crawford is not None:
            self._restart(replace(self.game.game, crawford=crawford))

    def automatic_double(self, line: int) -> None:
        """The first roll was a tie, and the cube goes up before the game."""
        if not self._open or self.game.actions:
            self.remarks.add(line, "an automatic double in the middle of a game", _LEFT_OUT)
            return
        with self.remarks.instead(_LEFT_OUT):
            self._restart(replace(self.game.game, cube=2 * self.game.game.cube))

    def _restart(self, game: Game) -> None:
        match = self.draft.match
        self.draft.games[-1] = Draft(0, match.length, match.rules, game, self.remarks)

    def roll(self, line: int, seat: int, dice: Dice, moves: str) -> None:
        """A roll and the moves after it: none if the player dances, or did not play."""
        if self._open:
            with self.remarks.instead(_LEFT_OUT):
                turn = Turn(seat, dice, comment=self._comment())
                self.game.play(line, turn, self._hops(line, moves.strip()))

    def unplayed(self) -> None:
        """Dice whose moves have not come are left unplayed: the file has no play for them."""
        if self.rolled is not None:
            (line, seat, dice), self.rolled = self.rolled, None
            self.roll(line, seat, dice, "")

    def moved(self, line: int, seat: int, moves: str) -> None:
        """The moves that come for the dice in `rolled`."""
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
        """A double, or the answer to one."""
        self.unplayed()
        if self._open:
            with self.remarks.instead(_LEFT_OUT):
                self.game.cube(line, Cube(seat, step, comment=self._comment()))

    def won(self, line: int, winner: int, points: int | None) -> None:
        """The file says who won: by resignation, if the board does not show it."""
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
        """What was read; BadMatchFile if it is nothing."""
        self.unplayed()
        matches = [self.draft.done()] if self.draft.games else []
        return self.remarks.reading(matches, 0, "a match without games")


def all_done(sheets: Iterable[Sheet]) -> Reading:
    """What was read of several matches; BadMatchFile if it is nothing."""
    every = list(sheets)
    if not any(sheet.draft.games for sheet in every):
        return every[0].done()
    return together(
        sheet.done() if sheet.draft.games else Reading((), sheet.remarks.all()) for sheet in every
    )
