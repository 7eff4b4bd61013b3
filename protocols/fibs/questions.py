"""Questions and offers in a match, and which questions a board alone implies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from sixprime.engine.game import Action, Answer, BeforeRoll, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.boardrequests import EFFECT_WITHIN_S
from sixprime.protocols.fibs.linewatch import AnswerOrder
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.refusals import ILLEGAL_MOVES, NO_DOUBLE, Refusal


@dataclass(frozen=True, slots=True)
class RollOrDouble:
    """Our turn before the roll.

    `may_double` says whether the server would accept a double, even one that gains nothing. The
    board's own flags do not suffice: they are set in the Crawford game as well.
    """

    board: FibsBoard
    may_double: bool


@dataclass(frozen=True, slots=True)
class ChoosePlay:
    """Our turn after the roll; without a legal play the turn passes by itself."""

    board: FibsBoard
    dice: Dice


@dataclass(frozen=True, slots=True)
class AnswerDouble:
    """The opponent's double: accept or reject; on some servers a pass loses two games or three."""

    board: FibsBoard
    lost_games: int = 1


@dataclass(frozen=True, slots=True)
class AnswerResignation:
    """The opponent's resignation for these points, the cube included: accept or reject.

    `points` is None if we missed the offer: better reject it.
    """

    board: FibsBoard
    points: int | None


@dataclass(frozen=True, slots=True)
class JoinNextGame:
    """The next game of the match: join or leave."""


Question = RollOrDouble | ChoosePlay | AnswerDouble | AnswerResignation | JoinNextGame
# The answered question by command.
ANSWERS: dict[type[Command], type[Question] | tuple[type[Question], ...]] = {
    c.Roll: RollOrDouble,
    c.Double: RollOrDouble,
    c.Move: ChoosePlay,
    c.Accept: (AnswerDouble, AnswerResignation),
    c.Reject: (AnswerDouble, AnswerResignation),
    c.JoinNext: JoinNextGame,
}


def command_of(action: Action, direction: int) -> Command | None:
    """Return the command for an action on a board of this direction; a dance needs none."""
    match action:
        case CheckerPlay(play):
            return c.Move(play, direction) if play else None
        case ResignOffer(games):
            return c.Resign(games)
        case BeforeRoll():
            return c.Double() if action is BeforeRoll.DOUBLE else c.Roll()
        case Answer():
            return c.Reject() if action is Answer.PASS else c.Accept()
        case ResignAnswer():
            return c.Accept() if action is ResignAnswer.ACCEPT else c.Reject()
        case _:
            assert_never(action)


class LastCommand:
    """Our last command in a match. It answers its situation for good, unless it is lost.

    We wait for its effect. If none is seen for a while, we ask for the board, and whether the
    server has heard the command at all: the same command goes out again only if it has not.
    """

    def __init__(self, order: AnswerOrder) -> None:
        self.until: float | None = None  # wait for the effect; None once we have seen it
        self._order = order
        self._command: Command | None = None
        self._board: FibsBoard | None = None  # the answered situation
        self._mark = order.mark(float("-inf"))
        self._doubts = 0
        self._asked = 0  # questions when it was last doubted

    @property
    def waits(self) -> bool:
        return self.until is not None

    @property
    def is_doubted(self) -> bool:
        return self.waits and self._doubts > 0

    def note_sent(self, command: Command, board: FibsBoard | None, now: float, wait: int) -> None:
        """Wait for the effect of this command, `wait` times as long as usual."""
        self._command, self._board, self._mark = command, board, self._order.mark(now)
        self._doubts = 0
        self.until = now + self._order.within(EFFECT_WITHIN_S) * wait

    def note_effect(self) -> None:
        """Note that the server has done it; the situation stays answered."""
        self.until = None

    def note_done(self, board: FibsBoard | None) -> None:
        """Note that the server has answered this situation in our place."""
        self.note_effect()
        self._command, self._board = None, board

    def forget(self) -> None:
        """Let the situation ask again."""
        self.note_done(None)

    def doubts(self, now: float) -> bool:
        """Return whether it is time to ask; the next time comes later."""
        if self.until is None or now < self.until:
            return False
        self._doubts += 1
        self._asked = self._order.mark(now).questions
        self.until = now + self._order.within(EFFECT_WITHIN_S) * 2 ** min(self._doubts, 5)
        return True

    def asks_order(self, now: float) -> bool:
        """Return whether a question has to show that the server has heard the command."""
        return self.is_doubted and self._order.mark(now).questions == self._asked

    def is_lost(self, now: float) -> bool:
        """Return whether the server has answered later questions, and never this command."""
        return self.is_doubted and self._order.has_passed(self._mark, now)

    def answers(self, board: FibsBoard) -> bool:
        return self._board is not None and board.same_situation(self._board)

    def waits_as(self, *kinds: type[Command]) -> bool:
        """Return whether we wait for the effect of such a command."""
        return self.waits and isinstance(self._command, kinds)

    def is_older(self, board: FibsBoard) -> bool:
        """Return whether the server can have sent this new board before it heard the command.

        Some servers roll for us, even twice: new dice on the same position answer no play and no
        double.
        """
        before = self._board
        if before is not None and self.waits_as(c.Move, c.Double) and board.rolled is not None:
            alike = board.view() == before.view() and board.cube == before.cube
            return alike and board.on_roll == before.on_roll
        if self.waits_as(c.JoinNext):
            return board.is_game_over()
        return self.waits_as(c.Accept, c.Reject) and board.was_doubled

    def may_be_refused(self, why: Refusal) -> bool:
        """Return whether such a refusal can be about this command, not only about an older one."""
        kinds = _REFUSED_COMMANDS.get(why)
        return self._command is None or kinds is None or isinstance(self._command, kinds)


_REFUSED_COMMANDS: dict[Refusal, type[Command] | tuple[type[Command], ...]] = {
    Refusal.NOT_YOUR_ROLL: c.Roll,
    Refusal.ROLLED_ALREADY: c.Roll,
    Refusal.NOT_YOUR_MOVE: c.Move,
    Refusal.ROLL_FIRST: c.Move,
    **dict.fromkeys(ILLEGAL_MOVES, c.Move),
    Refusal.DOUBLE_BEFORE_ROLL: c.Double,
    Refusal.RESIGNING_NOT_DOUBLING: c.Double,
    **dict.fromkeys(NO_DOUBLE, c.Double),
    Refusal.NOTHING_OFFERED: (c.Accept, c.Reject),
    **dict.fromkeys(
        (Refusal.ANSWER_DOUBLE, Refusal.ANSWER_RESIGNATION), (c.Roll, c.Move, c.Double, c.Resign)
    ),
}


class Offer(Enum):
    """Offers that wait for an answer."""

    OUR_DOUBLE = "we doubled"
    THEIR_DOUBLE = "the opponent doubled"
    OUR_RESIGNATION = "we want to resign"
    THEIR_RESIGNATION = "the opponent wants to resign"


OFFERS: dict[type[Message], Offer] = {
    turns.YouDouble: Offer.OUR_DOUBLE,
    turns.OpponentDoubles: Offer.THEIR_DOUBLE,
    turns.YouRedouble: Offer.OUR_DOUBLE,
    turns.OpponentRedoubles: Offer.THEIR_DOUBLE,
    turns.YouResign: Offer.OUR_RESIGNATION,
    turns.OpponentResigns: Offer.THEIR_RESIGNATION,
}
OPEN_OFFERS: dict[Refusal, Offer] = {
    Refusal.DOUBLE_UNANSWERED: Offer.OUR_DOUBLE,
    Refusal.ANSWER_DOUBLE: Offer.THEIR_DOUBLE,
    Refusal.RESIGNATION_UNANSWERED: Offer.OUR_RESIGNATION,
    Refusal.ANSWER_RESIGNATION: Offer.THEIR_RESIGNATION,
}


def implied(board: FibsBoard) -> Question | None:
    """Return the question that a board asks us; None while we wait or watch.

    Doubles come first, because the turn field may show either player while one waits. A board does
    not show an offer to resign.
    """
    if not board.is_ours or board.turn == 0:
        return None
    if board.was_doubled:
        return AnswerDouble(board)
    if board.own_double_open or board.turn != board.colour:
        return None
    dice = board.rolled
    if dice is not None:
        return ChoosePlay(board, dice)
    return RollOrDouble(board, board.may_be_doubled())
