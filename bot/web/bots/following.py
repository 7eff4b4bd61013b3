"""The match of a bot as its card tells it, from the events sent to the archive.

Chances and equity come from our own decisions: a spectator never makes the engine think.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from statistics import mean

from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    VariantSeen,
)
from sixprime.bot.process.printable import Sentence, printable
from sixprime.engine.position import BAR, OFF, Dice, Play, Position
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    Cube,
    CubeStep,
    Resignation,
    SetBoard,
    Turn,
)

US = 0
PACED = 10  # turns whose mean is the pace
LONGEST_GAME = 500  # decisions drawn
GAMES = ("single game", "gammon", "backgammon")


class FollowedMatch:
    def __init__(self) -> None:
        self.opponent = ""
        self.last: str = ""  # the last play or cube action, in words
        self.marked: tuple[int, ...] = ()  # points where the last checkers landed, in our numbering
        self.rolled: tuple[int, Dice] | None = None  # the seat and dice still to play
        self.at: float | None = None  # time of `last`, in seconds since 1970
        self.chances: list[float] = []  # of winning, after each of our decisions in this game
        self.equity: float | None = None  # of the last play
        self._view = self._start = Position.start()  # from our side
        self._since: dt.datetime | None = None  # start of the turn
        self._took_s: tuple[deque[float], deque[float]] = (deque(maxlen=PACED), deque(maxlen=PACED))

    def pace(self) -> tuple[float | None, float | None]:
        """Return the mean length, in seconds, of our recent turns and of the opponent's."""
        ours, theirs = (mean(each) if each else None for each in self._took_s)
        return ours, theirs

    def follow(self, event: Event) -> None:
        match event:
            case MatchStarted(who):
                self._start = Position.start()
                self._begin()
                self.opponent = printable(who.opponent)
                for each in self._took_s:
                    each.clear()
            case GameStarted(_, at):
                self._begin()
                self._since = at
            case VariantSeen(_, _, variant):
                self._view = self._start = Position.start(variant)
            case Acted(_, at, action):
                self.at = at.timestamp()
                self._act(action, at)
            case GameOver(_, _, result):
                points = result.points
                self.last = Sentence("We win a game worth %(points)s", points=points)
                if result.winner != US:
                    self.last = Sentence(
                        "%(name)s wins a game worth %(points)s", name=self.opponent, points=points
                    )
                self.rolled = None
            case MatchSaved() | MatchOver():
                self._begin()

    def _begin(self) -> None:
        self.last, self.marked, self.rolled, self._since = "", (), None, None
        self.chances, self.equity = [], None
        self._view = self._start

    def _act(self, action: Action, at: dt.datetime) -> None:
        seat = getattr(action, "seat", US)
        match action:
            case SetBoard(on_roll, position):
                self._view = position if on_roll == US else position.flipped()
                self.rolled, self.marked, self.last, self._since = None, (), "", at
            case Turn(seat, dice, None):
                self.rolled = seat, dice
            case Turn(seat, dice, tuple(play), analysis):
                self._play(seat, dice, play, at)
                if seat == US and analysis is not None:
                    self._see(analysis)
            case Cube(seat, step, analysis):
                self.last, self.marked = self._said(seat, Sentence(step.value)), ()
                if seat == US and analysis is not None and analysis.cube is not None:
                    wins = analysis.cube.no_double[0]  # of whoever doubles
                    self._add(wins if step is CubeStep.DOUBLE else 1 - wins)
            case Resignation(_, step, games):
                kind = Sentence(GAMES[games - 1])
                text = Sentence(
                    "%(kind)s as a resignation, %(step)s", kind=kind, step=Sentence(step.value)
                )
                self.last = self._said(seat, text)

    def _play(self, seat: int, dice: Dice, play: Play, at: dt.datetime) -> None:
        mover = self._view if seat == US else self._view.flipped()
        words = format_play(mover, play) or Sentence("cannot move")
        self.last = self._said(seat, words, f" {dice[0]}-{dice[1]}")
        ends = {step.end for step in play} - {step.start for step in play} - {OFF}
        self.marked = tuple(sorted(ends if seat == US else {BAR - end for end in ends}))
        after = mover.after(play)
        self._view = after if seat == US else after.flipped()
        self.rolled = None
        if self._since is not None:
            self._took_s[seat].append((at - self._since).total_seconds())
        self._since = at

    def _said(self, seat: int, words: str, dice: str = "") -> Sentence:
        """Return the words of a player, after the dice."""
        if seat == US:
            return Sentence("We%(dice)s: %(words)s", dice=dice, words=words)
        return Sentence("%(name)s%(dice)s: %(words)s", name=self.opponent, dice=dice, words=words)

    def _see(self, analysis: Analysis) -> None:
        if analysis.chosen is not None and analysis.candidates:
            chosen = analysis.candidates[analysis.chosen]
            self._add(chosen.probabilities[0])
            self.equity = chosen.equity

    def _add(self, wins: float) -> None:
        self.chances = [*self.chances, wins][-LONGEST_GAME:]
