"""One match as we play it: its state, and the questions of the server.

Decisions come only from the board and the open offers; lines of text only announce a change. Each
situation is asked about once. It is done after our answer, until the server shows another one,
refuses the answer, or shows no effect for a while; then we ask for the board, and it counts. A
board with our turn may be followed by a prompt, or by a roll that the server makes for us; we learn
which for each server.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum

from sixprime.protocols.fibs.boardrequests import (
    BOARD_WITHIN_S,
    EFFECT_WITHIN_S,
    QUIET_S,
    BoardRequests,
)
from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, StaleBoard
from sixprime.protocols.fibs.progress import Progress
from sixprime.protocols.fibs.prompts import TurnPrompt
from sixprime.protocols.fibs.questions import (
    OFFERS,
    OPEN_OFFERS,
    AnswerDouble,
    AnswerResignation,
    JoinNextGame,
    Offer,
    Question,
    RollOrDouble,
    implied,
)
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

PROMPTED_BOARD_WITHIN_S = 0.5  # after a prompt, a dance or an offer: often none comes
ROLL_WITHIN_S = 8.0  # after an accepted double: the server rolls for us
JOIN_WITHIN_S = 10.0  # after a game: the question whether to go on
_WAITING_FOR_US = re.compile(r"\b(roll|move|join)\b", re.IGNORECASE)


class GameStage(Enum):
    ON = "a game is on, or begins"
    OVER = "a game is over"
    TO_JOIN = "the next game waits for us to join"
    JOINED = "the next game waits for the opponent to join"
    MATCH_OVER = "the match was played to its end before; the server does not know"


class Trust(Enum):
    CURRENT = "nothing has happened since"
    PAUSED = "it is as before, but ask for it before the next turn"
    STALE = "lines that came since have changed it"


class Awaited(Enum):
    DECISION = "our own decision"
    EFFECT = "the effect of our command"
    BOARD = "a board"
    PROMPT = "our turn to be announced"
    OPPONENT = "the opponent's turn to be over"
    OPPONENTS_ANSWER = "the opponent's answer"
    NEXT_GAME = "the question for the next game"
    OPPONENT_TO_JOIN = "the opponent to join the next game"


class MatchInPlay:
    """The match of this connection, from its beginning until it is over or put aside."""

    def __init__(self, begins: MatchBegins, dialect: LearnedDialect, now: float) -> None:
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
        # after a resume nothing announces our turn
        self._prompt = TurnPrompt(dialect, announced=begins.how is Beginning.RESUMED)
        self._double_refused = False
        self._done: FibsBoard | None = None
        self._effect_until: float | None = None

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
        return self.offer is Offer.THEIR_RESIGNATION and self._effect_until is not None

    def question(self) -> Question | None:
        """Return the decision we have to make now; it stays until it is answered."""
        if self.ended is not None or self._effect_until is not None or self.is_over:
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

    def _is_answered(self, board: FibsBoard) -> bool:
        return self._done is not None and board.same_situation(self._done)

    def _turn(self, board: FibsBoard) -> Question | None:
        if self._is_answered(board) or self._trust is not Trust.CURRENT:
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
        return is_on and self.offer is None and self._effect_until is None

    def awaited(self) -> Awaited:
        happens = (
            (self.question() is not None, Awaited.DECISION),
            (self._effect_until is not None, Awaited.EFFECT),
            (self.between_games, Awaited.OPPONENT_TO_JOIN),
            (self.stage is GameStage.OVER, Awaited.NEXT_GAME),
            (self.offer in (Offer.OUR_DOUBLE, Offer.OUR_RESIGNATION), Awaited.OPPONENTS_ANSWER),
            (self.board is None or self._trust is not Trust.CURRENT, Awaited.BOARD),
            (self._shows_our_turn, Awaited.PROMPT),
        )
        return next((what for is_so, what in happens if is_so), Awaited.OPPONENT)

    @property
    def _shows_our_turn(self) -> bool:
        board = self.board
        ours = board is not None and board.turn == board.colour and board.rolled is None
        return ours and self._trust is Trust.CURRENT

    # --- time

    @property
    def deadline(self) -> float:
        """Time of the next request if nothing happens."""
        if self._effect_until is not None:
            return self._effect_until
        return min(self.requests.due, self._prompt.deadline)

    def wants(self, now: float) -> Command | None:
        """Return a request for the board, if due; called at the deadline and after messages."""
        if self.is_over:
            return Leave() if self._effect_until is None else None
        self._prompt.check(now)
        if self._effect_until is not None and now >= self._effect_until:
            self._no_effect(now)
        if self._effect_until is None and now >= self.requests.due:
            return self.requests.next
        return None

    @property
    def left_at(self) -> float:
        """Time at which a match that is over counts as left, though the server has not answered."""
        until = self._effect_until
        return until if until is not None and self.is_over else float("inf")

    def _no_effect(self, now: float) -> None:
        self._effect_until = None
        if self.between_games:
            self.stage = GameStage.TO_JOIN  # asked once more, and later each time
            self.refused += 1
            return
        self._done, self._trust = None, Trust.STALE  # see the board before repeating a command
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
        match command:
            case Roll() | Double() | Move():
                self._done = self.board
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
        self._effect_until = now + EFFECT_WITHIN_S * 2 ** min(self.refused, 5)

    # --- messages in

    def checked_board(self, board: FibsBoard, progress: Progress) -> FibsBoard | StaleBoard:
        """Return a board by this match's rules, or a stale one: only dances lead back to it."""
        board = board if self.crawford_rule else replace(board, did_crawford=True)
        latest, requests = self.board, self.requests
        expected = requests.asked_at is not None or requests.danced
        if latest is None or expected or board.same_situation(latest):
            return board
        quiet = self._trust is Trust.CURRENT and self._effect_until is None
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
        known = self.board is not None and board.same_situation(self.board)
        requested = self.requests.note_board(now)
        is_last = self.stage in (GameStage.OVER, GameStage.TO_JOIN) and not board.is_game_over()
        if is_last and not requested:
            return  # the board of a finished game
        if self._may_be_over and board.is_match_over():
            self.stage, self._effect_until = GameStage.MATCH_OVER, None
            self.score = board.score
            return
        self._may_be_over = False
        if self.board is None or not board.is_game_over():  # else it shows the score before
            self.score = board.score
        self.board = board
        self._trust = Trust.CURRENT
        self.length = board.length
        if not known:
            self._effect_until = self._done = None
            self.refused = 0
            self._double_refused = False
            self.requests.start_over()
        if requested:
            self._prompt.announce()
            if self._effect_until is None:
                self._done = None  # the board counts more than our command
        if board.is_game_over():
            self._note_game_over(requested, now)
            return
        self.stage = GameStage.ON
        self._note_offers(board, known)
        question = implied(board)
        again = question is not None and self._effect_until is None and self._is_answered(board)
        self.requests.wait(now, BOARD_WITHIN_S if again else QUIET_S)
        if isinstance(question, RollOrDouble) and not known:
            self._prompt.expect(question.may_double, now)

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
        if kind is turns.Moves and self._done is None and self._shows_our_turn:
            return  # the board came before the move that led to it
        if kind in PROGRESS:
            self._progress(now, PROGRESS[kind])
        elif kind in OFFERS:
            self._open(OFFERS[kind], getattr(message, "points", None))
            self.requests.wait(now, 1.0 if self._trust is Trust.STALE else QUIET_S)
        elif kind in RESULTS:
            self.stage = GameStage.OVER if self.stage is GameStage.ON else self.stage
            self._progress(now, JOIN_WITHIN_S)
        elif isinstance(message, matches.NowPlaying | matches.JoinedYou | matches.MatchLengthIs):
            self.length = message.length
        elif isinstance(message, matches.WaitForJoin | matches.JoinOrLeave):
            self._note_next_game(message, now)
        else:
            self._note_score(message)
            self._note_turn(message, now)

    def _note_turn(self, message: Message, now: float) -> None:
        match message:
            case matches.GameStarts():
                if self.stage is not GameStage.ON or self.board is None or self.board.is_moved():
                    self._new_game(now)
            case turns.OpeningRoll() if self.stage is not GameStage.ON:
                self._new_game(now)
            case turns.PlayerRolls():
                self.offer = self._effect_until = None
            case turns.YourTurn():
                self._note_our_turn(now)
            case turns.PleaseMove() | turns.YouMoveFirst() if self._trust is Trust.STALE:
                self.requests.within(now, BOARD_WITHIN_S)
            case turns.RejectsResignation() | turns.YouRejectResignation():
                self.offer = self.offered_points = self._effect_until = None
                if self._trust is Trust.CURRENT:
                    self._trust = Trust.PAUSED  # nothing more may come by itself
                self.requests.wait(now, PROMPTED_BOARD_WITHIN_S)
            case turns.YouCannotMove():
                self._done = self.board
                self._effect_until = None

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
        self._effect_until = self.requests.asked_at = None
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
        self.offer, self.offered_points = offer, points
        self._effect_until = None
        self._offer_before_board = self._trust is Trust.STALE
        if offer is Offer.THEIR_DOUBLE and self.board is not None and self.board.is_crawford():
            self.crawford_rule = False  # the opponent would not be allowed to
            self.board = replace(self.board, did_crawford=True)

    def _progress(self, now: float, board_within: float) -> None:
        """Note that something happened in the game: a board should follow."""
        self._trust = Trust.STALE
        self._effect_until = None
        self.offer = None
        self.requests.wait(now, board_within)

    def _new_game(self, now: float) -> None:
        self._progress(now, BOARD_WITHIN_S)
        self.stage = GameStage.ON
        self._prompt.start_over()
        self.offered_points = self._done = self.board = None

    def _note_refusal(self, message: Refused, now: float) -> None:
        if message.why in OPEN_OFFERS:
            self._done = None
            self._open(OPEN_OFFERS[message.why], self.offered_points)
        elif message.why in (Refusal.UNKNOWN_COMMAND, Refusal.NOT_IMPLEMENTED):
            self.requests.note_unknown(message.about, now)
        elif message.why is Refusal.GAME_OVER and message.about == "match":
            self.stage, self._effect_until = GameStage.MATCH_OVER, None
        elif message.why in IN_GAME:
            self._start_over(message.why, now)

    def _start_over(self, why: Refusal, now: float) -> None:
        """Note a refused command: nothing has changed, and we were wrong about something."""
        self.refused += 1
        if why is Refusal.ROLLED_ALREADY:
            self._prompt.note_refusal()
        self._done = None
        self._effect_until = None
        self.offer = None
        if why in NO_DOUBLE:
            self._double_refused = True
            self._prompt.announce()
            self.requests.within(now, BOARD_WITHIN_S)
        else:
            self._trust = Trust.STALE
            self.requests.wait(now, min(1.0 * self.refused**2, QUIET_S))


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
RESULTS: tuple[type[Message], ...] = (
    turns.YouWinGame,
    turns.GivesUp,
    turns.YouAcceptResignation,
    turns.OpponentWinsGame,
    turns.WatchedWinsGame,
    turns.YouGiveUp,
    turns.AcceptsResignation,
)
