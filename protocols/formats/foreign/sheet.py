"""A match while a foreign file is read: what cannot be is remarked on, and reading goes on.

`line` is where something stands in the file, 0 in a file without lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sixprime.engine.position import Dice, Play
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.reading import Reading, Remarks
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    ResignStep,
    Turn,
)

NO_MOVE = frozenset({"can't move", "cannot move", "no move", "o-o", "0/0"})


class Sheet:
    """The match of one file; `match` is what is known besides the games."""

    def __init__(self, match: Match) -> None:
        check_length(0, match.length)
        self.remarks = Remarks()
        self.draft = MatchDraft(match, self.remarks)
        self.comment = ""  # of what comes next
        self._lost = True  # can nothing be added now, for the file is wrong or no game has begun?

    @property
    def game(self) -> Draft:
        """The game that is being read."""
        return self.draft.games[-1]

    @property
    def reading(self) -> bool:
        """Has a game begun, and is it still open?"""
        return not self._lost and self.game.replay.result is None

    def begin(
        self, line: int, score: tuple[int, int] | None = None, *, crawford: bool | None = None
    ) -> None:
        """Begin a game; without a score, at that which the games before have led to."""
        self._lost, self.comment = False, ""
        games = self.draft.games
        if score is None:
            score = games[-1].done().score_after if games else (0, 0)
        try:
            self.draft.begin(line, score)
        except BadMatchFile as error:
            self._lost = True
            self.remark(line, f"{error.reason}: this game is left out")
            return
        if crawford is not None:
            self._restart(replace(self.game.game, crawford=crawford))

    def automatic_double(self, line: int) -> None:
        """The first roll was a tie, and the cube goes up before the game."""

        def act() -> None:
            if self.game.actions:
                raise BadMatchFile(line, "an automatic double during the game")
            self._restart(replace(self.game.game, cube=2 * self.game.game.cube))

        self._try(line, act)

    def _restart(self, game: Game) -> None:
        match = self.draft.match
        self.draft.games[-1] = Draft(0, match.length, match.rules, game, self.remarks)

    def roll(self, line: int, seat: int, dice: Dice, moves: str) -> None:
        """A roll and the moves behind it: none where the player dances, or did not play."""

        def act() -> None:
            words = moves.strip()
            hops: Play | None = None if not words else ()
            if words and words.lower() not in NO_MOVE:
                hops = hops_in(line, words)
            self.game.play(line, Turn(seat, dice, comment=self._comment()), hops)

        self._try(line, act)

    def cube(self, line: int, seat: int, step: CubeStep) -> None:
        """A double, or the answer to one."""
        self._try(line, lambda: self.game.cube(line, Cube(seat, step, comment=self._comment())))

    def won(self, line: int, winner: int, points: int | None) -> None:
        """The file says who won: by resignation, if nothing on the board tells it."""
        if self.draft.games and self.game.replay.result is None:
            self._lost = False  # whatever went wrong before: the result counts
        self._try(line, lambda: self.game.won(line, winner, points))
        self._lost = True

    def resigned(self, line: int, loser: int, games: int) -> None:
        """The file says that this seat gave up so many games."""

        def act() -> None:
            self.game.add(line, Resignation(loser, ResignStep.OFFERED, games))
            self.game.add(line, Resignation(1 - loser, ResignStep.ACCEPTED, games))

        self._try(line, act)

    def remark(self, line: int, text: str) -> None:
        """Tell the reader of the file about something in it."""
        self.remarks.add(line, text)

    def _comment(self) -> str:
        comment, self.comment = self.comment, ""
        return comment

    def _try(self, line: int, act: Callable[[], None]) -> None:
        """Do it, or say why not and leave the rest of the game out."""
        if self._lost:
            return
        try:
            act()
        except BadMatchFile as error:
            self._lost = True
            self.remark(line, f"{error.reason}: the rest of this game is left out")

    def done(self) -> Reading:
        """What was read; BadMatchFile if it is nothing."""
        if not self.draft.games:
            for remark in self.remarks.all():
                raise BadMatchFile(remark.line, remark.text)
            raise BadMatchFile(0, "a match without games")
        return Reading((self.draft.done(),), self.remarks.all())
