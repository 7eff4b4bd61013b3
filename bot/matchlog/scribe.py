"""Makes events of a match from the server's messages.

The board is the truth. Lines name the player and the roll; the play is the legal one that leads
from the board before to the board after. If lines were lost and no play explains the change, nor
just one roll of the opponent, a SetBoard records the new board. A repeated line changes nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from operator import ge
from typing import Any

from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Rated,
    Resigning,
    Sending,
    VariantSeen,
    Who,
)
from sixprime.engine.game import is_crawford
from sixprime.engine.position import Dice, Play, Position, Variant
from sixprime.engine.rules import legal_plays, turns_between
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.lifecycle import Ended, MatchEnds, PutAside, is_about
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import matches, turns
from sixprime.protocols.fibs.wire.board import FibsBoard, read_move
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refused
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    Break,
    Cube,
    CubeStep,
    Ending,
    GameResult,
    Interruption,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
)
from sixprime.protocols.servers import MatchInPlay, Session

US, THEM = 0, 1
_STEPS = {c.Double: CubeStep.DOUBLE, c.Accept: CubeStep.TAKE, c.Reject: CubeStep.DROP}


class Scribe:
    """The events of one match with one opponent, across interruptions."""

    def __init__(self, who: Who, session: Session, level: str) -> None:
        self.who = who
        self.level = level
        self._session = session
        self._events: list[Event] = []
        self._at = dt.datetime.now(dt.UTC)
        self._match: MatchInPlay | None = None
        self._begun = False
        self._resumed: bool | None = None  # None: unknown
        self._has_length = False  # from a line or a board
        self._in_game = False
        self._view = Position.start()  # from our side
        self._rolled: tuple[int, Dice] | None = None  # seat and dice still to be played
        self._next: int | None = None  # seat on roll after the last play
        self._own: Play | None = None  # the play that we sent
        self._analysis: Analysis | None = None  # of our next action
        self._doubler: int | None = None
        self._cube = 1
        self._score = (0, 0)
        self._resigning: tuple[int, int] | None = None  # seat, games
        self._direction = -1

    def resume(self, session: Session) -> None:
        """Follow the match on a new connection; the known part of the game stays."""
        self._session = session
        self._begun, self._resumed, self._has_length = False, None, False
        self._own = self._resigning = self._doubler = None  # the board shows open offers

    # --- in

    def decided(self, analysis: Analysis | None) -> None:
        """Keep the analysis behind the command that we send next."""
        self._analysis = analysis

    def sending(self, command: Command, at: dt.datetime) -> list[Event]:
        """Return the event that makes our decision durable, before the command is sent."""
        action: Action | None = None
        match command:
            case c.Resign(games):
                return [Resigning(self.who, at, games)]
            case c.Move(play) if self._rolled is not None:
                action = Turn(US, self._rolled[1], play)
            case c.Double() | c.Accept() | c.Reject() if self._doubler in (None, THEM):
                action = Cube(US, _STEPS[type(command)]) if self._resigning is None else None
        return [] if action is None or not self._in_game else [Sending(self.who, at, action)]

    def said(self, command: Command, at: dt.datetime) -> list[Event]:
        """Note a command that is on its way; it counts when the server shows its effect."""
        self._own = command.play if isinstance(command, c.Move) else self._own
        return self._out(at)

    def events_of(
        self, message: Message, match: MatchInPlay | None, at: dt.datetime
    ) -> list[Event]:
        """Return the events that this message reveals."""
        self._at = at
        if match is not None:
            if match.is_over:  # recorded while it was played
                return self._out(at)
            self._match = match
        self._hear_beginning(message)
        match message:
            case matches.GameStarts() if not (self._begun and self._view == self._start):
                self._in_game = False  # a game that has just begun is announced late
            case turns.OpeningRoll(mine, _, theirs) if mine != theirs:
                self._open(US if mine > theirs else THEM, (mine, theirs))
            case FibsBoard() if is_about(message, self._opponent):
                self._see(message)
            case Refused():
                self._own = None
            case _ if self._in_game and is_about(message, self._opponent):
                if action := _ACTIONS.get(type(message)):
                    action(self, message)
        return self._out(at)

    def _hear_beginning(self, message: Message) -> None:
        match message:
            case matches.Resumed() | matches.ResumedBy():
                self._resumed = True
            case matches.NowPlaying() | matches.JoinedYou():
                self._resumed, self._in_game, self._has_length = False, False, True
            case matches.GameStarts() | turns.OpeningRoll() if self._resumed is None:
                self._resumed = False

    def over(self, ends: MatchEnds, at: dt.datetime) -> list[Event]:
        self._at = at
        winner = US if ends.how is Ended.WON else THEM
        self._begin()
        self._in_game = False
        self._tell(MatchOver(self.who, at, winner, ends.score))
        return self._out(at)

    def saved(self, why: PutAside, at: dt.datetime) -> list[Event]:
        self._at = at
        if not self._begun:
            return self._out(at)
        seat = THEM if why.by_opponent else US
        left = why in (PutAside.WE_LEFT, PutAside.OPPONENT_LEFT)
        what = Break.LEFT if left else Break.DROPPED
        if self._in_game:
            self._act(Interruption(seat, what, at))
        self._tell(MatchSaved(self.who, at, why.value))
        return self._out(at)

    def rated(self, at: dt.datetime) -> list[Event]:
        """Return the new ratings, once the who lines after the match have come."""
        self._tell(Rated(self.who, at, *self._standings()))
        return self._out(at)

    # --- out

    def _out(self, at: dt.datetime) -> list[Event]:
        self._at = at
        events, self._events = self._events, []
        return events

    def _tell(self, event: Event) -> None:
        self._events.append(event)

    def _act(self, action: Action) -> None:
        self._begin()
        self._tell(Acted(self.who, self._at, action))

    @property
    def _opponent(self) -> Player:
        """The opponent, as the server writes the name."""
        return Player(self.who.opponent) if self._match is None else self._match.opponent

    def _standings(self) -> tuple[PlayerRating, PlayerRating]:
        session = self._session
        user = session.people.users.get(self._opponent)
        theirs = PlayerRating() if user is None else PlayerRating(user.rating, user.experience)
        return PlayerRating(session.rating, session.experience), theirs

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        # a board alone is the middle of a game: a server that joins us again after a login, say
        resumed = self._resumed is not False
        match = self._match
        length = None if match is None else match.length
        score = (0, 0) if match is None else match.score
        ours, theirs = self._standings()
        self._tell(
            MatchStarted(self.who, self._at, length, resumed, score, ours, theirs, self.level)
        )
        if resumed and self._in_game:
            self._act(Interruption(US, Break.RESUMED, self._at))

    # --- games

    @property
    def _start(self) -> Position:
        return Position.start(self._view.variant())

    def _new_game(self, crawford: bool, score: tuple[int, int]) -> None:
        self._begin()
        self._in_game = True
        self._view, self._rolled, self._own, self._next = self._start, None, None, None
        self._doubler, self._resigning, self._cube = None, None, 1
        self._score = score
        self._tell(GameStarted(self.who, self._at, score, crawford))

    def _open(self, seat: int, dice: Dice) -> None:
        """Open a game by its first roll, unless that is repeated or of an unknown match."""
        if self._in_game or not self._has_length:
            return  # the board tells it all
        match = self._match
        score = (0, 0) if match is None else match.score
        self._new_game(self._is_crawford(score), score)
        self._roll(seat, dice)

    def _is_crawford(self, score: tuple[int, int]) -> bool:
        """Guess from the score, until the board that follows at once says for sure."""
        match = self._match
        if match is None or match.length is None or not match.crawford_rule:
            return False
        played = match.length - 1 in self._score and self._score != score
        played = played or bool(match.board and match.board.did_crawford)
        return is_crawford(match.length, score, played_before=played)

    def _over(self, winner: int, points: int, ending: Ending) -> None:
        if not self._in_game:
            return
        self._begin()
        self._in_game = False
        score = (
            self._score[0] + points * (winner == US),
            self._score[1] + points * (winner == THEM),
        )
        self._tell(GameOver(self.who, self._at, GameResult(winner, points, ending), score))

    # --- turns

    def _roll(self, seat: int, dice: Dice) -> None:
        known = self._rolled
        if known is not None and (seat, sorted(dice)) == (known[0], sorted(known[1])):
            return
        if seat == THEM:
            self._have_moved()
        if seat == self._doubler:  # nobody rolls before the answer
            self._take(1 - seat)
        self._rolled, self._own, self._next = (seat, dice), None, None
        self._doubler = self._resigning = None
        self._act(Turn(seat, dice))

    def _have_moved(self) -> None:
        """Record our play when the opponent goes on, though its board comes late or never."""
        if (own := self._own) is not None and own in self._legal(US).values():
            self._played(own)

    def _played(self, play: Play) -> None:
        assert self._rolled is not None
        seat, dice = self._rolled
        analysis = self._analysis if seat == US else None
        self._act(Turn(seat, dice, play, _chosen(analysis, play)))
        mover = self._view if seat == US else self._view.flipped()
        after = mover.after(play)
        self._view = after if seat == US else after.flipped()
        self._rolled = self._own = None
        self._next = 1 - seat
        if seat == US:
            self._analysis = None

    def _legal(self, seat: int) -> dict[Position, Play]:
        """Return the legal plays of the roll, by the position they lead to as the mover sees it."""
        if self._rolled is None or self._rolled[0] != seat:
            return {}
        mover = self._view if seat == US else self._view.flipped()
        return {legal.result: legal.play for legal in legal_plays(mover, self._rolled[1])}

    def _see(self, board: FibsBoard) -> None:
        """Find out which actions led to this board."""
        self._direction, self._has_length = board.direction, True
        view = board.view()
        self._in_game &= board.turn == 0 or board.score == self._score  # the game's end was lost
        if not self._in_game:
            if board.turn == 0:
                return
            self._new_game(board.is_crawford(), board.score)
            self._learn_variant(view)
            if view != self._start or board.cube > 1:
                self._set_up(board)
        else:
            self._begin()
            self._learn_variant(view)
            self._explain(board, view)
        if board.turn == 0:
            return
        self._see_cube(board)
        rolled = board.rolled
        if rolled is not None and self._rolled is None and not board.was_doubled:
            self._roll(board.on_roll, rolled)

    def _learn_variant(self, view: Position) -> None:
        """Note another variant, which only the server's boards show."""
        variant = view.variant()
        if variant not in (Variant.STANDARD, self._view.variant()):
            self._view = Position.start(variant)
            self._tell(VariantSeen(self.who, self._at, variant))

    def _explain(self, board: FibsBoard, view: Position) -> None:
        if view != self._view:
            self._explain_change(board, view)
            return
        if board.turn == 0:
            return
        if self._rolled is not None:
            seat, dice = self._rolled
            still = board.on_roll == seat and board.rolled is not None
            if not still and set(self._legal(seat).values()) == {()}:
                self._played(())
            elif still and sorted(board.rolled or ()) != sorted(dice):
                self._set_up(board)
        if self._next not in (None, board.on_roll):
            self._set_up(board)  # somebody could not move, and we did not hear it

    def _explain_change(self, board: FibsBoard, view: Position) -> None:
        if self._rolled is not None:
            seat = self._rolled[0]
            play = self._legal(seat).get(view if seat == US else view.flipped())
            if play is not None:
                again = board.turn != 0 and board.on_roll == seat
                self._played(play)
                if not again:
                    return  # else the other side's turn was lost
        if board.turn != 0 and not self._deduce(board, view):
            self._set_up(board)

    def _deduce(self, board: FibsBoard, view: Position) -> bool:
        """Record a turn of the opponent, maybe after ours, that was not heard, if only one fits."""
        same_cube = board.cube == self._cube << (self._doubler is not None)
        unasked = view.mine[-1] and not board.may_be_doubled()  # we may have danced
        if board.on_roll != US or unasked or not same_cube:
            return False
        ours = {self._view: None} if self._next == THEM else self._legal(US)
        fits = [
            (own, *turn)
            for mine, own in ours.items()
            if all(map(ge, mine.mine[:-1], view.mine))  # else that was not it
            for turn in turns_between(mine.flipped(), view.flipped())
        ]
        if len(fits) != 1:
            return False
        ((own, dice, play),) = fits
        if own is not None:
            self._played(own)
        self._roll(THEM, dice)
        self._played(play)
        return True

    def _set_up(self, board: FibsBoard) -> None:
        """Record the board as it stands now, after lines were lost."""
        state = board.match_state()
        self._view, self._rolled, self._own, self._next = board.view(), None, None, None
        self._cube, self._doubler = board.cube, None
        self._act(SetBoard(state.on_roll, board.position(), board.cube, state.cube_owner))

    def _see_cube(self, board: FibsBoard) -> None:
        if board.was_doubled:
            self._double(THEM)
        elif board.own_double_open:
            self._double(US)
        elif board.cube > self._cube and self._doubler is not None:
            self._take(1 - self._doubler)
        elif board.cube == 2 * self._cube and (owner := board.match_state().cube_owner) is not None:
            self._double(1 - owner)  # both lines were lost
            self._take(owner)
        self._cube = board.cube

    def _dance(self, seat: int) -> None:
        if self._rolled is not None and self._rolled[0] == seat:
            self._played(())

    def _win(self, winner: int, points: int) -> None:
        self._last_play(winner)
        self._over(winner, points, Ending.BORNE_OFF)

    def _they_move(self, steps: str) -> None:
        try:
            play = read_move(steps, -self._direction)
            result = self._view.flipped().after(play)
        except (InputError, IndexError):
            return  # the next board shows it
        legal = self._legal(THEM)
        if result in legal:
            self._played(legal[result])

    def _last_play(self, winner: int) -> None:
        """Record the last play, which no board follows: ours, or the play that ends the game."""
        for result, play in self._legal(winner).items():
            if not any(result.mine) and (winner == THEM or self._own in (None, play)):
                self._played(play)
                return

    # --- offers

    def _double(self, seat: int) -> None:
        if self._doubler is None:
            if seat == THEM:
                self._have_moved()
            if self._rolled is not None and self._rolled[0] == seat:
                self._rolled = None  # by the server, before it heard of the double: void
            self._doubler = seat
            self._act(Cube(seat, CubeStep.DOUBLE, self._take_analysis(seat)))

    def _take(self, seat: int) -> None:
        if self._doubler is not None:
            self._doubler = None
            self._cube *= 2
            self._act(Cube(seat, CubeStep.TAKE, self._take_analysis(seat)))

    def _drop(self, seat: int, points: int) -> None:
        self._double(1 - seat)  # if that line was lost
        self._doubler = None
        self._act(Cube(seat, CubeStep.DROP, self._take_analysis(seat)))
        self._over(1 - seat, points, Ending.DROPPED)

    def _take_analysis(self, seat: int) -> Analysis | None:
        if seat != US:
            return None
        analysis, self._analysis = self._analysis, None
        return analysis

    def _offer(self, seat: int, points: int) -> None:
        games = max(1, min(3, points // self._cube))
        if self._resigning != (seat, games):
            self._resigning = (seat, games)
            self._act(Resignation(seat, ResignStep.OFFERED, games))

    def _settle(self, seat: int, points: int) -> None:
        self._offer(1 - seat, points)
        games = self._resigning[1] if self._resigning is not None else 1
        self._resigning = None
        self._act(Resignation(seat, ResignStep.ACCEPTED, games))
        self._over(seat, points, Ending.RESIGNED)

    def _reject(self, seat: int) -> None:
        if self._resigning is not None:
            games, self._resigning = self._resigning[1], None
            self._act(Resignation(seat, ResignStep.REJECTED, games))


def _chosen(analysis: Analysis | None, play: Play) -> Analysis | None:
    """Return the analysis behind our last command, if it is of this play."""
    if analysis is None or analysis.chosen is None:
        return None
    chosen = analysis.candidates[analysis.chosen].play
    return analysis if sorted(chosen) == sorted(play) else None


_ACTIONS: Mapping[type, Callable[[Scribe, Any], None]] = {
    turns.YouRoll: lambda scribe, line: scribe._roll(US, line.dice),
    turns.PlayerRolls: lambda scribe, line: scribe._roll(THEM, line.dice),
    turns.YouCannotMove: lambda scribe, _: scribe._dance(US),
    turns.CannotMove: lambda scribe, _: scribe._dance(THEM),
    turns.Moves: lambda scribe, line: scribe._they_move(line.steps),
    turns.YouWinGame: lambda scribe, line: scribe._win(US, line.points),
    turns.OpponentWinsGame: lambda scribe, line: scribe._win(THEM, line.points),
    turns.WatchedWinsGame: lambda scribe, line: scribe._win(THEM, line.points),
    turns.YouDouble: lambda scribe, _: scribe._double(US),
    turns.OpponentDoubles: lambda scribe, _: scribe._double(THEM),
    turns.YouAcceptDouble: lambda scribe, _: scribe._take(US),
    turns.AcceptsDouble: lambda scribe, _: scribe._take(THEM),
    turns.YouGiveUp: lambda scribe, line: scribe._drop(US, line.points),
    turns.GivesUp: lambda scribe, line: scribe._drop(THEM, line.points),
    turns.YouResign: lambda scribe, line: scribe._offer(US, line.points),
    turns.OpponentResigns: lambda scribe, line: scribe._offer(THEM, line.points),
    turns.YouAcceptResignation: lambda scribe, line: scribe._settle(US, line.points),
    turns.AcceptsResignation: lambda scribe, line: scribe._settle(THEM, line.points),
    turns.YouRejectResignation: lambda scribe, _: scribe._reject(US),
    turns.RejectsResignation: lambda scribe, _: scribe._reject(THEM),
}  # by the kind of a line about our match
