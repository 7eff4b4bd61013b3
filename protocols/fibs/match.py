"""One match as we play it: its state, and the questions of the server.

The board wins over any line about the match. Decisions come only from the board and the open
offers; a line of text announces a change. If it contradicts a board on which nothing is under way,
it is late: we ask for the board, and answer its question.

One situation gets one answer from us, however slow the line. It is done after our answer, until the
server shows another one, refuses the answer, or has lost it. The answer is lost if the order of the
server's answers shows so (`AnswerOrder`), and only a board that comes later asks again.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sixprime.protocols.fibs.boardrequests import (
    BOARD_WITHIN_S,
    OF_OPPONENT,
    PROGRESS,
    PROMPTED_BOARD_WITHIN_S,
    QUIET_S,
    RESULTS,
    BoardRequests,
)
from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, StaleBoard
from sixprime.protocols.fibs.linewatch import AnswerOrder
from sixprime.protocols.fibs.progress import Progress
from sixprime.protocols.fibs.prompts import TurnPrompt
from sixprime.protocols.fibs.questions import (
    OFFERS,
    OPEN_OFFERS,
    AnswerDouble,
    AnswerResignation,
    JoinNextGame,
    LastCommand,
    Offer,
    Question,
    RollOrDouble,
    implied,
)
from sixprime.protocols.fibs.states import Awaited, GameStage, Trust
from sixprime.protocols.fibs.wire import matches, turns
from sixprime.protocols.fibs.wire.board import BrokenBoard, FibsBoard
from sixprime.protocols.fibs.wire.commands import (
    Accept,
    AskBoard,
    Command,
    Double,
    JoinNext,
    Leave,
    Move,
    Reject,
    Resign,
    Roll,
)
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.refusals import IN_GAME, NO_DOUBLE, Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Kibitzed, Said, Whispered

JOIN_WITHIN_S = 10.0  # after a game: the question whether to go on
_WAITING_FOR_US = re.compile(r"\b(roll|move|join)\b", re.IGNORECASE)


class MatchInPlay:
    """The match of this connection, from its beginning until it is over or put aside."""

    def __init__(
        self, begins: MatchBegins, dialect: LearnedDialect, order: AnswerOrder, now: float
    ) -> None:
        self.opponent = begins.opponent
        self.length: int | None = None
        self.score = (0, 0)  # ours, theirs
        self.board: FibsBoard | None = None
        self.stage = GameStage.ON
        self.offer: Offer | None = None
        self.offered_points: int | None = None  # of a resignation
        self.crawford_rule = True
        self.ended: Ended | None = None
        self.confirmed = False  # our own who line names the opponent
        self.refused = 0  # commands refused in this situation
        self.requests = BoardRequests(dialect, now)
        self._may_be_over = begins.how is not Beginning.NEW  # until a board shows a game
        self._trust = Trust.STALE
        self._offer_before_board = False
        self._prompt = TurnPrompt(dialect, announced=begins.how is Beginning.RESUMED)
        self._double_refused = False
        self.command = LastCommand(order)
        self._has_game = False  # a game has begun on this connection
        self._game_score: tuple[int, int] | None = None  # of the last game that a board showed

    # --- questions

    @property
    def between_games(self) -> bool:
        """True if the next game waits to be joined."""
        return self.stage in (GameStage.TO_JOIN, GameStage.JOINED)

    @property
    def is_over(self) -> bool:
        """True if the match was played to its end before, although the server still lists it."""
        return self.stage is GameStage.MATCH_OVER

    @property
    def has_accepted_resignation(self) -> bool:
        """True if we have accepted a resignation and do not know the result yet."""
        return self.offer is Offer.THEIR_RESIGNATION and self.command.waits

    @property
    def _stands(self) -> bool:
        """True if a board shows a running game and nothing is under way that could end it."""
        is_on = self.board is not None and self.stage is GameStage.ON
        return (
            is_on and self._trust is Trust.CURRENT and self.offer is None and not self.command.waits
        )

    def question(self) -> Question | None:
        """Return the decision we have to make now; it stays until it is answered."""
        if self.ended is not None or self.command.waits or self.is_over:
            return None
        if self.stage is GameStage.TO_JOIN:
            return JoinNextGame()
        if self.board is None or self.stage is not GameStage.ON:
            return None
        return self._turn(self.board) if self.offer is None else self._answer(self.board)

    def _answer(self, board: FibsBoard) -> Question | None:
        if self._trust is Trust.STALE:
            return None  # only the board shows what an offer is worth
        if self.offer is Offer.THEIR_RESIGNATION:
            return AnswerResignation(board, self.offered_points)
        if self.offer is Offer.THEIR_DOUBLE:
            return AnswerDouble(replace(board, was_doubled=True, may_double=(False, False)))
        return None

    def _turn(self, board: FibsBoard) -> Question | None:
        if self.command.answers(board) or self._trust is not Trust.CURRENT:
            return None
        question = implied(board)
        if not isinstance(question, RollOrDouble):
            return question
        if not self._prompt.announced:
            return None
        return replace(question, may_double=question.may_double and not self._double_refused)

    @property
    def may_resign(self) -> bool:
        """True if there is a game, and nothing else on offer."""
        is_on = self.board is not None and self.stage is GameStage.ON
        return is_on and self.offer is None and not self.command.waits

    def awaited(self) -> Awaited:
        happens = (
            (self.question() is not None, Awaited.DECISION),
            (self.command.waits, Awaited.EFFECT),
            (self.between_games, Awaited.OPPONENT_TO_JOIN),
            (self.stage is GameStage.OVER, Awaited.NEXT_GAME),
            (self.offer in (Offer.OUR_DOUBLE, Offer.OUR_RESIGNATION), Awaited.OPPONENTS_ANSWER),
            (self.board is None or self._trust is not Trust.CURRENT, Awaited.BOARD),
            (self._shows_our_turn, Awaited.PROMPT),
        )
        return next((what for is_so, what in happens if is_so), Awaited.OPPONENT)

    @property
    def _has_not_moved(self) -> bool:
        board = self.board
        answered = board is not None and self.command.answers(board)
        return not answered or self.command.waits_as(Roll, Double)

    @property
    def _shows_our_turn(self) -> bool:
        board = self.board
        ours = board is not None and board.turn == board.colour and board.rolled is None
        return ours and self._trust is Trust.CURRENT

    # --- time

    @property
    def deadline(self) -> float:
        """Time of the next request if nothing happens."""
        until = self.command.until
        if until is None:
            return min(self.requests.due, self._prompt.deadline)
        return min(until, self.requests.due) if self._asks_board else until

    def wants(self, now: float, question: Command) -> Command | None:
        """Return a request for the board or this question, if due; called after messages, too."""
        if self.is_over:
            return None if self.command.waits else Leave()
        self._prompt.check(now)
        self._forget_lost(now)
        if self.command.doubts(now):
            self.requests.within(now, 0.0)
        if self.command.asks_order(now):
            return question
        asks = self._asks_board or not self.command.waits
        return self.requests.next if asks and now >= self.requests.due else None

    @property
    def _asks_board(self) -> bool:
        """True if a board may show the effect of our command."""
        return self.command.is_doubted and not self.between_games

    @property
    def left_at(self) -> float:
        """Time at which a match that is over counts as left, though the server has not answered."""
        until = self.command.until
        return until if until is not None and self.is_over else float("inf")

    def _forget_lost(self, now: float) -> None:
        """Forget a command that the server has not heard: the situation is open again."""
        if not self.command.is_lost(now):
            return
        self.command.forget()
        if self.between_games:
            self.stage = GameStage.TO_JOIN  # asked once more, and later each time
            self.refused += 1
            return
        self._trust = Trust.STALE  # see the board before repeating a command
        if self.requests.asked_at is None:
            self.requests.within(now, 0.0)

    def ask_unless_fresh(self, now: float) -> bool:
        """Return whether a board came recently; if not, ask for one: the server may wait for us."""
        if self.between_games:
            return True
        fresh = self.requests.is_fresh(now)
        if not fresh and self.requests.asked_at is None:
            self.requests.within(now, 0.0)
        return fresh

    # --- commands out

    def sent(self, command: Command, now: float) -> None:
        board = None
        match command:
            case Roll() | Double() | Move():
                board = self.board
                self._prompt.start_over()
            case JoinNext():
                self.stage = GameStage.JOINED
            case AskBoard():
                self.requests.note_sent(now)
                return
            case Accept() | Reject() | Resign():
                pass
            case Leave() if self.is_over:
                pass
            case _:
                return
        self.command.note_sent(command, board, now, 2 ** min(self.refused, 5))

    # --- messages in

    def checked_board(self, board: FibsBoard, progress: Progress) -> FibsBoard | StaleBoard:
        """Return a board by this match's rules, or a stale one: only dances lead back to it."""
        board = board if self.crawford_rule else replace(board, did_crawford=True)
        latest, requests = self.board, self.requests
        expected = requests.asked_at is not None or requests.danced
        if latest is None or expected or board.same_situation(latest):
            return board
        quiet = self._trust is Trust.CURRENT and not self.command.waits
        return StaleBoard(board) if progress.knows(board, in_this_match=not quiet) else board

    def receive(self, message: Message, now: float) -> None:
        if self.is_over and not isinstance(message, matches.YouWinMatch | matches.WinsMatch):
            return  # nothing revives it, not even a board from before its end
        if isinstance(message, FibsBoard):
            self._note_board(message, now)
        elif isinstance(message, StaleBoard):
            if self.stage is GameStage.ON:
                self.requests.within(now, BOARD_WITHIN_S)  # to be sure
        elif isinstance(message, BrokenBoard):
            self._trust = Trust.STALE
            self.requests.note_broken(now)
        elif isinstance(message, Refused):
            self._note_refusal(message, now)
        elif isinstance(message, Kibitzed | Said | Whispered):
            if _WAITING_FOR_US.search(message.text):
                self.ask_unless_fresh(now)
        else:
            self._note_line(message, now)

    def _note_board(self, board: FibsBoard, now: float) -> None:
        self._forget_lost(now)
        known = self.board is not None and board.same_situation(self.board)
        requested = self.requests.note_board(now)
        if not requested and self._is_of_finished_game(board):
            return
        if self._may_be_over and board.is_match_over():
            self.stage, self.score = GameStage.MATCH_OVER, board.score
            self.command.forget()
            return
        self._may_be_over = False
        if not board.is_game_over():
            self._has_game, self._game_score = True, board.score
        if self.board is None or not board.is_game_over():  # else it shows the score before
            self.score = board.score
        self.board = board
        self._trust = Trust.CURRENT
        self.length = board.length
        if not known:
            self._note_new_situation(board)
        if requested:
            self._prompt.announce()
            if not self.command.waits:
                self.command.forget()  # the board counts more than our command
        if board.is_game_over():
            self._note_game_over(requested, now)
            return
        self.stage = GameStage.ON
        self._note_offers(board, known)
        question = implied(board)
        again = question is not None and not self.command.waits and self.command.answers(board)
        self.requests.wait(now, BOARD_WITHIN_S if again else QUIET_S)
        if isinstance(question, RollOrDouble) and not known:
            self._prompt.expect(question.may_double, now)

    def _note_new_situation(self, board: FibsBoard) -> None:
        if not self.command.is_older(board):
            self.command.forget()
        self.refused = 0
        self._double_refused = False
        self.requests.start_over()

    def _is_of_finished_game(self, board: FibsBoard) -> bool:
        """Return whether this board is older than the result; the score tells games apart."""
        is_over = self.stage in (GameStage.OVER, GameStage.TO_JOIN)
        return is_over and not board.is_game_over() and board.score == self._game_score

    def _note_game_over(self, requested: bool, now: float) -> None:
        if not self.between_games:
            self.stage = GameStage.TO_JOIN if requested else GameStage.OVER
        self.offer = None
        self.requests.wait(now, QUIET_S if self.between_games else JOIN_WITHIN_S)

    def _note_offers(self, board: FibsBoard, known: bool) -> None:
        if board.was_doubled:
            self.offer = Offer.THEIR_DOUBLE
        elif board.own_double_open:
            self.offer = Offer.OUR_DOUBLE
        elif self.offer in (Offer.OUR_DOUBLE, Offer.THEIR_DOUBLE):
            self.offer = None
        elif not known and not self._offer_before_board:
            self.offer = None  # the game has gone on
        self._offer_before_board = False

    def _note_line(self, message: Message, now: float) -> None:
        kind = type(message)
        self.requests.danced |= kind in (turns.YouCannotMove, turns.CannotMove)
        early_board = kind in OF_OPPONENT and self._shows_our_turn and self._has_not_moved
        if early_board or (kind is turns.YouRoll and self.command.waits_as(Move, Double)):
            return  # no effect: it led to the board, or the server has rolled for us
        self._prompt.excused |= kind is turns.AcceptsDouble  # then every server rolls
        if kind is turns.YouRoll and self._shows_our_turn and not self.command.waits_as(Roll):
            self._prompt.note_server_rolls()
        if kind in PROGRESS:
            self._progress(now, PROGRESS[kind])
        elif kind in OFFERS:
            self._open(OFFERS[kind], getattr(message, "points", None))
            self.requests.wait(now, 1.0 if self._trust is Trust.STALE else QUIET_S)
        elif kind in RESULTS:
            self._note_result(now)
        elif isinstance(message, matches.NowPlaying | matches.JoinedYou | matches.MatchLengthIs):
            self.length = message.length
        elif isinstance(message, matches.WaitForJoin | matches.JoinOrLeave):
            self._note_next_game(message, now)
        else:
            self._note_score(message)
            self._note_turn(message, now)

    def _note_result(self, now: float) -> None:
        if self._stands:
            self.requests.within(now, BOARD_WITHIN_S)  # late, or we have missed something
            return
        self.stage = GameStage.OVER if self.stage is GameStage.ON else self.stage
        self._progress(now, JOIN_WITHIN_S)

    def _note_turn(self, message: Message, now: float) -> None:
        match message:
            case matches.GameStarts() if self.stage is not GameStage.ON or self.board is None:
                self._new_game(now)
            case matches.GameStarts() if self.board is not None and self.board.is_moved():
                self.requests.within(now, BOARD_WITHIN_S)
            case turns.OpeningRoll() if self.stage is not GameStage.ON:
                self._new_game(now)
            case turns.PlayerRolls():
                self.offer = None
                self.command.note_effect()
            case turns.YourTurn():
                self._note_our_turn(now)
            case turns.PleaseMove() | turns.YouMoveFirst() if self._trust is Trust.STALE:
                self.requests.within(now, BOARD_WITHIN_S)
            case turns.RejectsResignation() | turns.YouRejectResignation():
                self.offer = self.offered_points = None
                self.command.note_effect()
                if self._trust is Trust.CURRENT:
                    self._trust = Trust.PAUSED  # nothing more may come by itself
                self.requests.wait(now, PROMPTED_BOARD_WITHIN_S)
            case turns.YouCannotMove():
                self.command.note_done(self.board)

    def _note_our_turn(self, now: float) -> None:
        self._prompt.announce()
        if self.board is None or self.board.turn != self.board.colour:
            self._trust = Trust.STALE
        if self._trust is Trust.STALE:
            self.requests.within(now, PROMPTED_BOARD_WITHIN_S)

    def _note_next_game(
        self, message: matches.WaitForJoin | matches.JoinOrLeave, now: float
    ) -> None:
        """Note that the next game waits; the line may come instead of a board that we asked for."""
        runs = self.stage is GameStage.ON and self._has_game
        if runs and self.requests.asked_at is None:
            self.requests.within(now, PROMPTED_BOARD_WITHIN_S)  # late, or we have missed the result
            return
        self.command.note_effect()
        self.requests.asked_at = None
        if self.stage is not GameStage.JOINED or isinstance(message, matches.JoinOrLeave):
            self.stage = GameStage.TO_JOIN
        self.requests.wait(now, QUIET_S)

    def _note_score(self, message: Message) -> None:
        ours, theirs = self.score
        match message:
            case matches.ScoreIs(_, name, points, _, other_points):
                ours, theirs = points, other_points
                if name == self.opponent:
                    ours, theirs = theirs, ours
            case matches.PointsFor(name, points) if name == self.opponent:
                theirs = points
            case matches.PointsFor(_, points):
                ours = points
            case matches.YouWinMatch(_, ours, theirs):
                self.ended = Ended.WON
            case matches.WinsMatch(_, _, theirs, ours):
                self.ended = Ended.LOST
        self.score = (ours, theirs)

    def _open(self, offer: Offer, points: int | None) -> None:
        if self.command.waits_as(Accept, Reject):
            self.offered_points = points if points == self.offered_points else None
            return  # no other offer can come before the effect of our answer
        redoubled = self.offer is Offer.OUR_DOUBLE or (self._stands and self._shows_our_turn)
        if offer is Offer.THEIR_DOUBLE and redoubled:
            self._trust = Trust.STALE  # in our turn: only the board shows the cube
        self.offer, self.offered_points = offer, points
        self.command.note_effect()
        self._offer_before_board = self._trust is Trust.STALE
        if offer is Offer.THEIR_DOUBLE and self.board is not None and self.board.is_crawford():
            self.crawford_rule = False  # the opponent would not be allowed to
            self.board = replace(self.board, did_crawford=True)

    def _progress(self, now: float, board_within: float) -> None:
        """Note that something happened in the game: a board should follow."""
        self._trust = Trust.STALE
        self.command.note_effect()
        self.offer = None
        self.requests.wait(now, board_within)

    def _new_game(self, now: float) -> None:
        self._progress(now, BOARD_WITHIN_S)
        self.stage, self._has_game = GameStage.ON, True
        self._prompt.start_over()
        self.command.forget()
        self.offered_points = self.board = None

    def _note_refusal(self, message: Refused, now: float) -> None:
        if message.why is Refusal.ROLLED_ALREADY:
            self._prompt.note_server_rolls()
        if not self.command.may_be_refused(message.why):
            return  # the answer to an older command
        if message.why in OPEN_OFFERS:
            self.command.forget()
            self._open(OPEN_OFFERS[message.why], self.offered_points)
            self.requests.within(now, 1.0 if self._trust is Trust.STALE else QUIET_S)
        elif message.why in (Refusal.UNKNOWN_COMMAND, Refusal.NOT_IMPLEMENTED):
            self.requests.note_unknown(message.about, now)
        elif message.why in IN_GAME and self.board is not None and not self.command.waits:
            self.requests.within(now, BOARD_WITHIN_S)  # late: we have asked for nothing
        elif message.why is Refusal.GAME_OVER and message.about == "match":
            self.stage = GameStage.MATCH_OVER
            self.command.forget()
        elif message.why in IN_GAME:
            self._start_over(message.why, now)

    def _start_over(self, why: Refusal, now: float) -> None:
        """Note a refused command: nothing has changed, and we were wrong about something."""
        self.refused += 1
        self.command.forget()
        self.offer = None
        if why in NO_DOUBLE:
            self._double_refused = True
            self._prompt.announce()
            self.requests.within(now, BOARD_WITHIN_S)
        else:
            self._trust = Trust.STALE
            self.requests.wait(now, min(1.0 * self.refused**2, QUIET_S))
