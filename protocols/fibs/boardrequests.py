"""Requests for boards that the server has not sent, and the lines that a board should follow."""

from __future__ import annotations

from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.commands import AskBoard
from sixprime.protocols.fibs.wire.messages import Message

EFFECT_WITHIN_S = 10.0  # after a command that should change the game
BOARD_WITHIN_S = 3.0  # after a line that a board should follow
PROMPTED_BOARD_WITHIN_S = 0.5  # after a prompt, a dance or an offer: often none comes
ROLL_WITHIN_S = 8.0  # after an accepted double: the server rolls for us
QUIET_S = 300.0  # in the opponent's turn
UNHEARD_S = 120.0  # no board came when asked for: the server does not hear us
FRESH_S = 20.0  # a board this recent is believed without asking again


class BoardRequests:
    """The requests of one match: the longer nothing new comes, the rarer they get."""

    def __init__(self, dialect: LearnedDialect, now: float) -> None:
        self.due = now + EFFECT_WITHIN_S
        self.asked_at: float | None = None  # several times, if nothing came
        self.danced = False  # somebody, since the last board
        self._seen_at = now
        self._every = BOARD_WITHIN_S
        self._dialect = dialect

    @property
    def next(self) -> AskBoard:
        return self._dialect.board

    @property
    def unheard_at(self) -> float:
        """Time at which the server counts as deaf."""
        return float("inf") if self.asked_at is None else self.asked_at + UNHEARD_S

    def wait(self, now: float, seconds: float) -> None:
        """Ask this many seconds from now."""
        self.due = now + seconds

    def within(self, now: float, seconds: float) -> None:
        """Ask this many seconds from now at the latest."""
        self.due = min(self.due, now + seconds)

    def note_sent(self, now: float) -> None:
        self.asked_at = now if self.asked_at is None else self.asked_at
        self._every = min(2 * self._every, QUIET_S)
        self.wait(now, self._every)

    def note_board(self, now: float) -> bool:
        """Note a board; return whether we had asked for it."""
        requested, self.asked_at = self.asked_at is not None, None
        self._seen_at, self.danced = now, False
        return requested

    def note_broken(self, now: float) -> None:
        """Note a board that cannot be true."""
        self.asked_at = None
        self.wait(now, self._every)

    def note_unknown(self, spelling: str, now: float) -> None:
        """Try the other spelling soon: the server does not know this one."""
        if spelling in ("board", "b"):
            self.asked_at = None
            self.wait(now, 1.0)

    def start_over(self) -> None:
        """Ask as often as at first again: the game has moved on."""
        self._every = BOARD_WITHIN_S

    def is_fresh(self, now: float) -> bool:
        """Return whether the last board is recent enough to be believed."""
        return now < self._seen_at + FRESH_S


# Lines that a board should follow, and how long to wait before asking for it.
PROGRESS: dict[type[Message], float] = {
    turns.YouRoll: BOARD_WITHIN_S,
    turns.OnlyMove: BOARD_WITHIN_S,
    turns.BearingOff: BOARD_WITHIN_S,
    turns.Done: BOARD_WITHIN_S,
    turns.Moves: BOARD_WITHIN_S,
    turns.CannotMove: PROMPTED_BOARD_WITHIN_S,
    turns.AcceptsDouble: ROLL_WITHIN_S,
    turns.YouAcceptDouble: QUIET_S,
    turns.Redoubles: BOARD_WITHIN_S,
}
OF_OPPONENT = (turns.Moves, turns.CannotMove, turns.PlayerRolls)
RESULTS: tuple[type[Message], ...] = (
    turns.YouWinGame,
    turns.GivesUp,
    turns.YouAcceptResignation,
    turns.OpponentWinsGame,
    turns.WatchedWinsGame,
    turns.YouGiveUp,
    turns.AcceptsResignation,
)
