"""Questions and offers in a match, and which questions a board alone implies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from sixprime.engine.game import Action, Answer, BeforeRoll, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.position import Dice
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.refusals import Refusal


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
    """The opponent's double: accept or reject."""

    board: FibsBoard


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


class Offer(Enum):
    """Offers that wait for an answer."""

    OUR_DOUBLE = "we doubled"
    THEIR_DOUBLE = "the opponent doubled"
    OUR_RESIGNATION = "we want to resign"
    THEIR_RESIGNATION = "the opponent wants to resign"


OFFERS: dict[type[Message], Offer] = {
    turns.YouDouble: Offer.OUR_DOUBLE,
    turns.OpponentDoubles: Offer.THEIR_DOUBLE,
    turns.YouResign: Offer.OUR_RESIGNATION,
    turns.OpponentResigns: Offer.THEIR_RESIGNATION,
}
OPEN_OFFERS: dict[Refusal, Offer] = {
    Refusal.DOUBLE_UNANSWERED: Offer.OUR_DOUBLE,
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
