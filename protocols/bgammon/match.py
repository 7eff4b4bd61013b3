"""One match as we play it: the table shown, our plan for a turn, the question to the bot.

The table shown is the truth. A bot gets a board whenever a turn begins, dice are rolled or the cube
is turned, never in the middle of a turn: the steps of a turn are ours or the opponent's business
until it is confirmed. The server takes a play step by step, so we send a step, see its effect, and
send the next; when none is left, we confirm. The opening dice are rolled without a question.

One situation gets one command. It is done when the table changes; after a while without that we ask
for the table. The server works in our order, so the table that answers shows whether it was heard.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from sixprime.engine.position import MatchState, Position, Step
from sixprime.engine.system.errors import InputError
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import (
    DiceRolled,
    Failed,
    GameEnded,
    Garbled,
    StepsMade,
    TableShown,
    Told,
)
from sixprime.protocols.bgammon.orientation import (
    THEM,
    US,
    as_roll,
    board_shown,
    lost_games,
    may_double,
    pair_of,
    state_of,
    steps_of,
    view_of,
)
from sixprime.protocols.fibs.lifecycle import Ended
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, Question, RollOrDouble
from sixprime.protocols.fibs.states import Awaited
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused

EFFECT_WITHIN_S = 10.0  # after a command that should change the table
AGAIN_WITHIN_S = 1.0  # after a refusal, for the table
FRESH_S = 20.0  # a table this recent is believed without asking again
MOST_DOUBTS = 5  # the waits double so often
ABSENT = "until your opponent rejoins"  # in a refusal
UNHEARD_S = 120.0  # without a table that we have asked for, the server is deaf
_REFUSED = {
    "move": Refusal.ILLEGAL_MOVE,
    "ok": Refusal.TOO_FEW_MOVES,
    "roll": Refusal.NOT_YOUR_ROLL,
}


@dataclass(slots=True)
class OpenCommand:
    """Our last command in a match, until its effect is seen."""

    until: float | None = None  # then we ask for the table; None: nothing is open
    asked_at: float | None = None  # the first time, and no table has come since
    doubts: int = 0

    def note_sent(self, now: float) -> None:
        self.until, self.doubts = now + EFFECT_WITHIN_S, 0

    def note_asked(self, now: float) -> None:
        self.asked_at = now if self.asked_at is None else self.asked_at
        self.doubts = min(self.doubts + 1, MOST_DOUBTS)
        self.until = now + EFFECT_WITHIN_S * 2**self.doubts

    def hasten(self, now: float) -> None:
        """Ask soon, since the server has said something instead of doing it."""
        if self.until is not None and self.asked_at is None:
            self.until = min(self.until, now + AGAIN_WITHIN_S)


class BgammonMatch:
    """The match of this connection, from two players at a table until one has won or left."""

    def __init__(self, opponent: Player, shown: TableShown, now: float) -> None:
        self.opponent = opponent
        self.length: int | None = shown.length
        self.score = (shown.ours.points, shown.theirs.points)
        self.board: FibsBoard | None = None  # the last that a bot got
        self.table: TableShown | None = None
        self.ended: Ended | None = None
        self.refused = 0  # plays refused in this situation
        self.crawford_rule = True
        self.confirmed = True
        self.is_declined = False  # we leave before the dice, which loses nothing
        self.absent_since: float | None = None  # the opponent's seat is empty
        self.open = OpenCommand()
        self._view = Position.start()  # as we see it, in the middle of a turn, too
        self._state: MatchState | None = None  # of the board
        self._plan: list[Step] = []  # the whole play that we have decided on
        self._shown_at = now

    # --- what the bot asks

    @property
    def is_over(self) -> bool:
        return self.ended is not None

    @property
    def has_begun(self) -> bool:
        """True if leaving the table loses the match: its first dice are rolled."""
        return self.table is not None and self.table.started > 0

    @property
    def between_games(self) -> bool:
        return self.table is None or self.table.turn == 0

    @property
    def _is_ours(self) -> bool:
        """True if we may act: it is our turn, all are here, and we wait for no effect."""
        shown = self.table
        here = self.absent_since is None and self.ended is None and self.open.until is None
        return here and shown is not None and shown.turn == 1 and shown.winner == 0

    @property
    def may_resign(self) -> bool:
        """True if the server would take a resignation now: it ends the game at once."""
        return self._is_ours and self.table is not None and not self.table.is_doubled

    @property
    def lost_games(self) -> int:
        """Number of games that we lose by a pass or a resignation now; nobody can choose it."""
        return lost_games(self._view, US)

    def question(self) -> Question | None:
        """Return the decision we have to make now; it stays until it is answered."""
        shown, board = self.table, self.board
        if shown is None or board is None or shown.moves or shown.winner or self._plan:
            return None
        if shown.is_doubled:
            waits = self.absent_since is not None or self.open.until is not None
            return AnswerDouble(board, self.lost_games) if shown.turn == 2 and not waits else None
        if not self._is_ours:
            return None
        dice = as_roll(shown.dice)
        if dice is None:
            return RollOrDouble(board, may_double(shown))
        return ChoosePlay(board, dice) if shown.available and not shown.is_forced else None

    def awaited(self) -> Awaited:
        shown = self.table
        happens = (
            (self.question() is not None, Awaited.DECISION),
            (self.open.until is not None, Awaited.EFFECT),
            (shown is None, Awaited.BOARD),
            (self.between_games or self.absent_since is not None, Awaited.OPPONENT_TO_JOIN),
            (shown is not None and shown.is_doubled, Awaited.OPPONENTS_ANSWER),
            (shown is not None and shown.turn == 1, Awaited.EFFECT),
        )
        return next((what for is_so, what in happens if is_so), Awaited.OPPONENT)

    # --- commands

    def wants(self, now: float) -> Command | None:
        """Return our next command that needs no decision, if one is due."""
        if self.ended is not None:
            return None
        if self.open.until is not None:
            return b.ShowTable() if now >= self.open.until else None
        return self.due()

    def due(self) -> Command | None:
        """Return the command that brings the turn on, where the bot has nothing to decide."""
        shown = self.table
        if shown is None or self.absent_since is not None or shown.winner:
            return None
        if shown.turn == 0:
            return None if self.is_declined or shown.dice[0] else b.RollForStart()
        if not self._is_ours or shown.is_doubled or shown.is_forced or not all(shown.dice):
            return None
        if not shown.available:
            return b.Confirm()
        if self._plan:
            step = self._next_step(shown)
            return b.TakeBack() if step is None else b.MakeStep(step)
        return b.TakeBack() if shown.moves else None  # of an earlier connection

    def _next_step(self, shown: TableShown) -> Step | None:
        """Return the next step of our plan that the server takes now."""
        left = Counter(self._plan) - Counter(steps_of(shown.moves, US))
        ordered = (step for step in self._plan if left[step])
        return next((step for step in ordered if pair_of(step) in shown.available), None)

    def sent(self, command: Command, now: float) -> None:
        match command:
            case b.ShowTable():
                self.open.note_asked(now)
                return
            case c.Tell() | c.Leave() | b.Pong() | b.ListTables() | b.SetAutoplay():
                return
            case c.Move(play):
                self._plan = list(play)
            case b.TakeBack():
                self._plan = []
        self.open.note_sent(now)

    def ask_unless_fresh(self, now: float) -> bool:
        """Return whether a table came recently; if not, ask: the opponent may wait for us."""
        fresh = now < self._shown_at + FRESH_S
        if not fresh and self.open.until is None:
            self.open.until = now
        return fresh

    @property
    def unheard_at(self) -> float:
        """Time at which the server counts as deaf."""
        asked_at = self.open.asked_at
        return float("inf") if asked_at is None else asked_at + UNHEARD_S

    # --- events

    def receive(self, event: Message, now: float) -> list[Message]:
        """Take an event at our table, and return the messages for the bot."""
        match event:
            case TableShown():
                return self._see(event, now)
            case DiceRolled(_, dice) if self.table is not None and self.table.turn == 0:
                if dice[0]:
                    self._note_change(replace(self.table, dice=dice))
                elif not self.table.dice[0]:  # else the server rolls again after a tie
                    self.table = replace(self.table, dice=dice)  # ours may be on its way
            case StepsMade():
                self._shown_at = now  # the table follows
            case GameEnded():
                return self._game_ends(event)
            case Failed(_, reason) if ABSENT in reason:
                self.absent_since = self.absent_since or now
                self.open, self._plan = OpenCommand(), []  # once more, when both are here
            case Failed(what, reason) if what in _REFUSED:
                self.refused += 1
                self._plan = []
                self.open.hasten(now)
                return [Refused(_REFUSED[what], reason)]
            case Told():
                self.open.hasten(now)
        return []

    def _see(self, shown: TableShown, now: float) -> list[Message]:
        try:
            view = view_of(shown)
            steps_of(shown.moves, THEM if shown.turn == 2 else US)
            steps_of(shown.available, THEM if shown.turn == 2 else US)
        except InputError as error:
            return [Garbled(str(shown)[:200], str(error))]
        last, self._shown_at = self.table, now
        self.absent_since = None if shown.theirs.name else self.absent_since or now
        self._note_change(shown)
        if self.open.asked_at is not None:  # this answers us
            self.open = OpenCommand()
        self.length, self.score = shown.length, (shown.ours.points, shown.theirs.points)
        self._view = view
        if shown.turn == 0 or shown.winner:
            self.board = self._state = None
            return []
        messages: list[Message] = []
        if last is not None and self._state is not None and _has_passed(last, shown):
            messages += self._shows(view, replace_turn(self._state, shown))
        if not shown.moves:
            messages += self._shows(view, state_of(shown))
        return messages

    def _shows(self, view: Position, state: MatchState) -> list[Message]:
        """Return the board of this situation, unless it is the last one."""
        board, last = board_shown(view, state, self.opponent), self.board
        self.board, self._state = board, state
        if last is not None and board.same_situation(last):
            return []
        self.refused = 0
        return [board]

    def _note_change(self, shown: TableShown) -> None:
        """Note the table; a change is the effect of our command, and ends a plan with the turn."""
        last, self.table = self.table, shown
        if last is None or situation_of(last) != situation_of(shown):
            self.open = OpenCommand(asked_at=self.open.asked_at)
        if last is not None and (last.turn, last.dice) != (shown.turn, shown.dice):
            self._plan = []

    def _game_ends(self, won: GameEnded) -> list[Message]:
        winner = THEM if won.winner == self.opponent else US
        state = self._state
        cube = 1 if state is None else state.cube
        points = won.points or lost_games(self._view, 1 - winner) * cube
        score = [*self.score]
        score[winner] += points if self.length != 1 else 1
        self.score = (score[0], score[1])
        if self.length is not None and score[winner] >= self.length:
            self.ended = Ended.WON if winner == US else Ended.LOST
        self.open, self._plan = OpenCommand(), []
        self.board = self._state = None
        # our records know a pass of one game; a dearer one resigns in face of the double
        passed = state is not None and state.doubled and points == cube
        return _told_result(self.opponent, winner, points, bool(won.resigned), passed)


def _told_result(
    opponent: Player, winner: int, points: int, resigned: bool, passed: bool
) -> list[Message]:
    if not resigned:
        if winner == US:
            return [turns.YouWinGame(points)]
        return [turns.OpponentWinsGame(opponent, points)]
    if passed:
        if winner == US:
            return [turns.GivesUp(opponent, points)]
        return [turns.YouGiveUp(opponent, points)]
    if winner == US:
        return [turns.OpponentResigns(opponent, points), turns.YouAcceptResignation(points)]
    return [turns.YouResign(opponent, points), turns.AcceptsResignation(opponent, points)]


def situation_of(shown: TableShown) -> tuple[object, ...]:
    """Return everything of a table that our commands may change."""
    score = shown.ours.points, shown.theirs.points
    turn = shown.turn, shown.dice, shown.moves, shown.winner
    return *turn, shown.cube, shown.is_doubled, *score, shown.places


def _has_passed(last: TableShown, shown: TableShown) -> bool:
    """Return whether a turn has ended between these two, and another one's dice are rolled."""
    ended = last.turn != 0 and all(last.dice) and last.turn != shown.turn
    return ended and all(shown.dice) and not shown.moves


def replace_turn(state: MatchState, shown: TableShown) -> MatchState:
    """Return the state at the beginning of the turn shown, before its dice."""
    on_roll = THEM if shown.turn == 2 else US
    return state.with_(on_roll=on_roll, to_act=on_roll, dice=None, doubled=False)
