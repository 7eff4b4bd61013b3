"""One match as we play it: what the server has told, and what it asks us.

Decisions come from the board, the offers that are open, and nothing else; lines of text only tell
that there is something to look at. So a question is asked once for one situation: when it has been
answered the situation is done, until the server shows another one, refuses the answer, or shows no
effect of it for a while; then the board is asked for, and what it says counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from sixprime.protocols.fibs.lifecycle import Ended
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    JoinNextGame,
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
    Move,
    Reject,
    Resign,
    Roll,
)
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Kibitzed, Said, Whispered

EFFECT_WITHIN_S = 10.0  # of a command that should change the game
BOARD_WITHIN_S = 3.0  # of a line that comes with a board
PROMPTED_BOARD_WITHIN_S = 0.5  # of a prompt: none comes after a dance, and the server waits
PROMPT_WITHIN_S = 5.0  # of a board that shows our turn
ROLL_WITHIN_S = 8.0  # of an accepted double: the server rolls for us
JOIN_WITHIN_S = 10.0  # of the end of a game: the question whether to go on
QUIET_S = 300.0  # in the opponent's turn
FRESH_S = 20.0  # so long a board need not be asked for again because somebody doubts it
_WAITING_FOR_US = re.compile(r"\b(roll|move|join)\b", re.IGNORECASE)


class Offer(Enum):
    """What waits for an answer, by whom."""

    OUR_DOUBLE = "we doubled"
    THEIR_DOUBLE = "the opponent doubled"
    OUR_RESIGNATION = "we want to resign"
    THEIR_RESIGNATION = "the opponent wants to resign"


class Awaited(Enum):
    """What we wait for in a match."""

    DECISION = "our own decision"
    EFFECT = "the effect of our command"
    BOARD = "a board"
    PROMPT = "our turn to be announced"
    OPPONENT = "the opponent's turn to be over"
    OPPONENTS_ANSWER = "the opponent's answer"
    NEXT_GAME = "the question for the next game"
    OPPONENT_TO_JOIN = "the opponent to join the next game"


@dataclass(frozen=True, slots=True)
class Result:
    """A finished game: points, the cube included."""

    won: bool
    points: int


class Match:
    """The match of this connection, from joining to its end or its being put aside."""

    def __init__(self, opponent: Player, now: float, resumed: bool = False) -> None:
        self.opponent = opponent
        self.length: int | None = None
        self.length_known = False
        self.score = (0, 0)  # ours, theirs
        self.board: FibsBoard | None = None
        self.offer: Offer | None = None
        self.offered_points: int | None = None  # of a resignation
        self.between_games = False
        self.joined = False  # the next game
        self.crawford_rule = True
        self.games: list[Result] = []
        self.ended: Ended | None = None
        self.confirmed = False  # our own who line names the opponent
        self.refused = 0  # commands in this situation
        self.moved_at = now  # when the game last went on
        self._seen_at = now  # when a board came last
        self._resumed = resumed
        self._game_over = False
        self._counted = False  # the result of this game
        self._stale = True  # the board is older than what we heard since
        self._paused = False  # look at the board before the next turn
        self._offer_before_board = False
        self._announced = resumed  # after a resume nothing announces our turn
        self._double_refused = False
        self._done: FibsBoard | None = None
        self._effect_until: float | None = None
        self._look_at: float = now + EFFECT_WITHIN_S
        self._look_every = BOARD_WITHIN_S
        self.asked_at: float | None = None  # for the board, several times if nothing came
        self._spelling = "board"

    # --- what is asked of us

    def question(self) -> Question | None:
        """What we have to decide now; asked until it is answered."""
        if self.ended is not None or self._effect_until is not None:
            return None
        if self.between_games:
            return None if self.joined else JoinNextGame()
        if self.board is None or self._game_over:
            return None
        return self._turn(self.board) if self.offer is None else self._answer(self.board)

    def _answer(self, board: FibsBoard) -> Question | None:
        if self._stale:
            return None  # what an offer is worth stands in the board
        if self.offer is Offer.THEIR_RESIGNATION:
            return AnswerResignation(board, self.offered_points)
        if self.offer is Offer.THEIR_DOUBLE:
            return AnswerDouble(replace(board, was_doubled=True, may_double=(False, False)))
        return None

    def _turn(self, board: FibsBoard) -> Question | None:
        if (
            self._stale
            or self._paused
            or (self._done is not None and board.same_situation(self._done))
        ):
            return None
        question = implied(board, self.crawford_rule)
        if not isinstance(question, RollOrDouble):
            return question
        if not self._announced:
            return None
        return replace(question, may_double=question.may_double and not self._double_refused)

    @property
    def cube(self) -> int:
        """What a game is worth."""
        return 1 if self.board is None else self.board.cube

    @property
    def may_resign(self) -> bool:
        """Is there a game, and nothing else on offer?"""
        is_on = self.board is not None and not self._game_over and not self.between_games
        return is_on and self.offer is None and self._effect_until is None

    def awaited(self) -> Awaited:
        """What has to happen next."""
        board = self.board
        ours = board is not None and board.turn == board.colour and board.rolled is None
        happens = (
            (self.question() is not None, Awaited.DECISION),
            (self._effect_until is not None, Awaited.EFFECT),
            (self.between_games, Awaited.OPPONENT_TO_JOIN),
            (self._game_over, Awaited.NEXT_GAME),
            (self.offer in (Offer.OUR_DOUBLE, Offer.OUR_RESIGNATION), Awaited.OPPONENTS_ANSWER),
            (board is None or self._stale or self._paused, Awaited.BOARD),
            (ours, Awaited.PROMPT),
        )
        return next((what for is_so, what in happens if is_so), Awaited.OPPONENT)

    # --- time

    @property
    def deadline(self) -> float:
        """When to look again if nothing happens."""
        return self._look_at if self._effect_until is None else self._effect_until

    def wants(self, now: float) -> Command | None:
        """Ask for the board, if it is time; to be called at the deadline and after messages."""
        if self.ended is not None:
            return None
        if self._effect_until is not None and now >= self._effect_until:
            self._no_effect(now)
        if self._effect_until is None and now >= self._look_at:
            return AskBoard(self._spelling)
        return None

    def _no_effect(self, now: float) -> None:
        self._effect_until = None
        if self.between_games:
            self.joined = False  # asked once more
            return
        self._done = None
        self._stale = True  # nothing is said twice before the board has been seen
        self._look(now, 0.0)

    def makes_sure(self, now: float) -> bool:
        """Has a board come lately? If not, one is asked for: what waits may wait for us."""
        fresh = now < self._seen_at + FRESH_S
        if not fresh and self.asked_at is None and not self.between_games:
            self._look(now, 0.0)
        return fresh or self.between_games

    def _look(self, now: float, after: float) -> None:
        """At the latest so much later look at the board."""
        self._look_at = min(self._look_at, now + after)

    def _look_again(self, now: float, after: float) -> None:
        self._look_at = now + after

    # --- what we send

    def sent(self, command: Command, now: float) -> None:
        """Take notice of what goes out."""
        match command:
            case Roll() | Double() | Move():
                self._done = self.board
                self._announced = False
                self._effect_until = now + EFFECT_WITHIN_S
            case Accept() | Reject() | Resign():
                self._effect_until = now + EFFECT_WITHIN_S
            case JoinNext():
                self.joined = True
                self._effect_until = now + EFFECT_WITHIN_S
            case AskBoard():
                self.asked_at = now if self.asked_at is None else self.asked_at
                self._look_every = min(2 * self._look_every, QUIET_S)
                self._look_again(now, self._look_every)

    # --- what we hear

    def receive(self, message: Message, now: float) -> None:
        """Take notice of a line; only lines about our own match may come here."""
        if isinstance(message, FibsBoard):
            self._see(message, now)
        elif isinstance(message, BrokenBoard):
            self._stale = True
            self.asked_at = None
            self._look_again(now, self._look_every)
        elif isinstance(message, Refused):
            self._hear_refusal(message, now)
        elif isinstance(message, Kibitzed | Said | Whispered):
            if _WAITING_FOR_US.search(message.text):
                self.makes_sure(now)
        else:
            self._hear(message, now)

    def _see(self, board: FibsBoard, now: float) -> None:
        self._seen_at = now
        known = self.board is not None and board.same_situation(self.board)
        requested, self.asked_at = self.asked_at is not None, None
        if self._game_over and not (requested or self.joined) and board.turn != 0:
            return  # the last board of a finished game
        self.board = board
        self._stale = self._paused = False
        self.length, self.length_known = board.length, True
        if not known:
            self.moved_at = now
            self._effect_until = None
            self.refused = 0
            self._double_refused = False
            self._look_every = BOARD_WITHIN_S
        if requested:
            self._announced = True
            if self._effect_until is None:
                self._done = None  # whatever we did, this is how it stands
        if board.turn == 0:
            self._see_the_end(requested, now)
            return
        self.score = board.score
        self._game_over = self.between_games = self.joined = False
        self._see_offers(board, known)
        ours = board.on_roll == 0 and board.rolled is None and not board.own_double_open
        waits = PROMPT_WITHIN_S if ours and not requested else QUIET_S
        self._look_again(now, waits)

    def _see_the_end(self, requested: bool, now: float) -> None:
        self._game_over = True
        self.offer = None
        if requested and not self.between_games:
            self.between_games, self.joined = True, False
        self._look_again(now, QUIET_S if self.between_games else JOIN_WITHIN_S)

    def _see_offers(self, board: FibsBoard, known: bool) -> None:
        if board.was_doubled:
            self.offer = Offer.THEIR_DOUBLE
        elif board.own_double_open:
            self.offer = Offer.OUR_DOUBLE
        elif self.offer in (Offer.OUR_DOUBLE, Offer.THEIR_DOUBLE):
            self.offer = None
        elif not known and not self._offer_before_board:
            self.offer = None  # the game has gone on
        self._offer_before_board = False

    def _hear(self, message: Message, now: float) -> None:
        kind = type(message)
        if kind in PROGRESS:
            self._progress(now, PROGRESS[kind])
        elif kind in OFFERS:
            self._open(OFFERS[kind], getattr(message, "points", None))
            self._look_again(now, 1.0 if self._stale else QUIET_S)
        elif kind in RESULTS:
            self._game_ends(Result(RESULTS[kind], getattr(message, "points", 0)), now)
        elif isinstance(
            message, matches.ScoreIs | matches.PointsFor | matches.YouWinMatch | matches.WinsMatch
        ):
            self._hear_score(message)
        elif isinstance(message, matches.NowPlaying | matches.JoinedYou | matches.MatchLengthIs):
            self.length, self.length_known = message.length, True
        else:
            self._hear_turn(message, now)

    def _hear_turn(self, message: Message, now: float) -> None:
        match message:
            case matches.GameStarts():
                self._new_game(now)
            case turns.OpeningRoll() if self._game_over:
                self._new_game(now)
            case turns.PlayerRolls():
                self.offer = self._effect_until = None
            case turns.YourTurn():
                self._announced = True
                if self._stale or self.board is None or self.board.turn != self.board.colour:
                    self._stale = True
                    self._look(now, PROMPTED_BOARD_WITHIN_S)
            case turns.PleaseMove() | turns.YouMoveFirst() if self._stale:
                self._look(now, BOARD_WITHIN_S)
            case turns.RejectsResignation() | turns.YouRejectResignation():
                self.offer = self.offered_points = self._effect_until = None
                self._paused = True  # the board is as before, but nothing more may come
                self._look_again(now, 1.0)
            case turns.YouCannotMove():
                self._done = self.board
                self._effect_until = None
            case (
                matches.WaitForJoin() | matches.JoinOrLeave()
            ):  # also instead of a board that we asked for
                self._effect_until = self.asked_at = None
                self.between_games = True
                self.joined = self.joined and isinstance(message, matches.WaitForJoin)
                self._look_again(now, QUIET_S)

    def _hear_score(
        self, message: matches.ScoreIs | matches.PointsFor | matches.YouWinMatch | matches.WinsMatch
    ) -> None:
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
        self._offer_before_board = self._stale
        if (
            offer is Offer.THEIR_DOUBLE
            and self.board is not None
            and self.board.is_crawford(self.crawford_rule)
        ):
            self.crawford_rule = False  # the opponent would not be allowed to

    def _progress(self, now: float, board_within: float) -> None:
        """Something happened in the game that a board will show."""
        self.moved_at = now
        self._stale = True
        self._effect_until = None
        self.offer = None
        self._look_again(now, board_within)

    def _new_game(self, now: float) -> None:
        self._progress(now, BOARD_WITHIN_S)
        self.offered_points = None
        self._game_over = self.between_games = self.joined = self._announced = False
        self._counted = False
        self._done = self.board = None

    def _game_ends(self, result: Result, now: float) -> None:
        if not self._counted:
            self.games.append(result)
            self._counted = True
        self._progress(now, JOIN_WITHIN_S)
        self._game_over = True

    def _hear_refusal(self, message: Refused, now: float) -> None:
        if message.why in OPEN_OFFERS:
            self._done = None
            self._open(OPEN_OFFERS[message.why], self.offered_points)
            return
        match message.why:
            case Refusal.UNKNOWN_COMMAND | Refusal.NOT_IMPLEMENTED:
                if message.about in ("board", "b"):
                    self._spelling = "b" if message.about == "board" else "board"
                    self.asked_at = None
                    self._look_again(now, 1.0)
            case why if why in IN_GAME:
                self._start_over(why, now)

    def _start_over(self, why: Refusal, now: float) -> None:
        """A command was refused: nothing has changed, and we were wrong about something."""
        self.refused += 1
        self._done = None
        self._effect_until = None
        self.offer = None
        if why in NO_DOUBLE:
            self._double_refused = self._announced = True
            self._look(now, BOARD_WITHIN_S)
        else:
            self._stale = True
            self._look_again(now, min(1.0 * self.refused**2, QUIET_S))


# Lines that a board will show, and within what time it comes or is asked for.
PROGRESS: dict[type[Message], float] = {
    turns.YouRoll: BOARD_WITHIN_S,
    turns.OnlyMove: BOARD_WITHIN_S,
    turns.BearingOff: BOARD_WITHIN_S,
    turns.Done: BOARD_WITHIN_S,
    turns.Moves: BOARD_WITHIN_S,
    turns.CannotMove: BOARD_WITHIN_S,
    turns.AcceptsDouble: ROLL_WITHIN_S,
    turns.YouAcceptDouble: QUIET_S,
    turns.Redoubles: BOARD_WITHIN_S,
}
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
SCORES = (matches.ScoreIs, matches.PointsFor, matches.YouWinMatch, matches.WinsMatch)
RESULTS: dict[type[Message], bool] = {  # did we win?
    turns.YouWinGame: True,
    turns.GivesUp: True,
    turns.YouAcceptResignation: True,
    turns.OpponentWinsGame: False,
    turns.WatchedWinsGame: False,
    turns.YouGiveUp: False,
    turns.AcceptsResignation: False,
}
NO_DOUBLE = frozenset({Refusal.CRAWFORD, Refusal.NO_DOUBLE_IN_FIRST_MOVE, Refusal.NOT_YOUR_DOUBLE})
IN_GAME = NO_DOUBLE | frozenset(
    {
        Refusal.DONE_ALREADY,
        Refusal.NOT_YOUR_ROLL,
        Refusal.ROLLED_ALREADY,
        Refusal.NOT_YOUR_MOVE,
        Refusal.ROLL_FIRST,
        Refusal.TOO_FEW_MOVES,
        Refusal.TOO_MANY_MOVES,
        Refusal.BAD_STEP,
        Refusal.BAD_BEAROFF,
        Refusal.BAR_FIRST,
        Refusal.BAD_WORDS,
        Refusal.ILLEGAL_MOVE,
        Refusal.DOUBLE_BEFORE_ROLL,
        Refusal.RESIGNING_NOT_DOUBLING,
        Refusal.WAIT_FOR_MOVE,
        Refusal.NOTHING_OFFERED,
        Refusal.GAME_OVER,
        Refusal.OPENING_ROLL_OPEN,
    }
)
