"""Question -> Decision -> Command, off the event loop and within the time allowed.

A match never waits for a decision. There is a ladder: the player's level, a cheaper one, 0-ply;
a step that crashes, takes too long or answers nonsense is logged and the next one asked. Below the
last step anything legal is played. A step that did not come back in time is abandoned with its
thread, and a new one is made when it is needed again.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog

from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Question,
    RollOrDouble,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.formats.record import Analysis

log = structlog.get_logger("bot.think")

US = 0  # our seat in everything that comes from a board
KINDS = (1, 2, 3)
WARM_UP_WITHIN_S = 600.0


class Nonsense(Exception):
    """A decider answered what the rules do not allow."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A play, and what was thought of it and the others."""

    play: Play
    analysis: Analysis | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, and why."""

    yes: bool
    analysis: Analysis | None = None


class Decider(Protocol):
    """Plays backgammon. Positions are as `match.on_roll` sees them; we are seat 0."""

    def choose_play(self, position: Position, match: MatchState) -> Chosen:
        """One of the legal plays for `match.dice`."""

    def wants_double(self, position: Position, match: MatchState) -> Verdict:
        """Offer the cube now, before our roll?"""

    def takes(self, position: Position, match: MatchState) -> Verdict:
        """Take the double of `match.on_roll`?"""

    def resigns(self, position: Position, match: MatchState) -> int:
        """How many games we should offer to lose, 0 to play on."""

    def accepts_resignation(self, position: Position, match: MatchState, games: int) -> bool:
        """Is it right to let the opponent lose so many games?"""


@dataclass(slots=True)
class Facing:
    """Whom a step's decider plays, as far as that matters to it; told when a match begins."""

    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One rung of the ladder."""

    name: str
    make: Callable[[], Decider]
    within_s: float
    facing: Facing = field(default_factory=Facing, compare=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What we answer; no command is: wait, the server goes on by itself."""

    command: Command | None
    analysis: Analysis | None = None
    step: str = ""
    took_s: float = 0.0


@dataclass(slots=True)
class Failures:
    """What went wrong while thinking, for the metrics."""

    crashed: int = 0
    overlong: int = 0
    at_random: int = 0


Run = Callable[[Callable[[], "Decision"]], "asyncio.Future[Decision]"]


class Thinker:
    """Decides for one player; one question at a time."""

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        resigns: bool = True,
        dice: random.Random | None = None,
        run: Run | None = None,
    ) -> None:
        self.steps = steps
        self.resigns = resigns
        self.failures = Failures()
        self._made: dict[int, Decider] = {}
        self._dice = dice or random.Random()
        self._run = run or in_a_thread

    async def decide(self, question: Question, *, may_resign: bool = True) -> Decision:
        """The answer, always."""
        if isinstance(question, JoinNextGame):
            return Decision(c.JoinNext())
        loop = asyncio.get_running_loop()
        began = loop.time()
        for rung, step in enumerate(self.steps):
            try:
                async with asyncio.timeout(step.within_s):
                    decision = await self._run(self._work(rung, question, may_resign))
            except TimeoutError:
                self.failures.overlong += 1
                self._made.pop(rung, None)  # it may still be at work
                log.warning("thinking takes too long", level=step.name, within_s=step.within_s)
            except Exception as error:  # whatever it is, the match goes on
                self.failures.crashed += 1
                self._made.pop(rung, None)
                log.error("thinking failed", level=step.name, error=repr(error), exc_info=error)
            else:
                took_s = loop.time() - began
                return Decision(decision.command, decision.analysis, step.name, took_s)
        self.failures.at_random += 1
        log.error("deciding at random", question=type(question).__name__)
        return Decision(anything_legal(question, self._dice), None, "random", loop.time() - began)

    def _work(self, rung: int, question: Question, may_resign: bool) -> Callable[[], Decision]:
        def work() -> Decision:
            decider = self._made.get(rung)
            if decider is None:
                decider = self.steps[rung].make()
                self._made[rung] = decider
            return decided(question, decider, may_resign=may_resign and self.resigns)

        return work

    def faces(self, rating: float | None) -> None:
        """A match begins, or goes on, with an opponent of this rating; None: who knows."""
        for step in self.steps:
            step.facing.rating = rating

    async def warm_up(self) -> None:
        """Make the first decider and let it decide something easy: kernels may need compiling."""
        board = FibsBoard("You", "x", 5, (0, 0), _START, 1, dice=(2, 1))
        easy = (ChoosePlay(board, (2, 1)), RollOrDouble(replace(board, dice=(0, 0)), True))
        try:
            async with asyncio.timeout(WARM_UP_WITHIN_S):
                for question in easy:
                    await self._run(self._work(0, question, self.resigns))
        except Exception as error:  # the same will be told again when it matters
            self._made.pop(0, None)
            log.error("warming up failed", level=self.steps[0].name, exc_info=error)


_START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


def in_a_thread(work: Callable[[], Decision]) -> asyncio.Future[Decision]:
    """Run it in a thread of its own, which nobody waits for at exit.

    `asyncio.to_thread` would keep the process alive until the last abandoned decision is done, and
    a few of them would use up its pool.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Decision] = loop.create_future()

    def tell(decision: Decision | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        elif decision is not None:
            future.set_result(decision)

    def body() -> None:
        decision: Decision | None = None
        error: BaseException | None = None
        try:
            decision = work()
        except BaseException as caught:  # noqa: BLE001 - it belongs to whoever waits
            error = caught
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(tell, decision, error)

    threading.Thread(target=body, name="thinking", daemon=True).start()
    return future


def decided(question: Question, decider: Decider, *, may_resign: bool = True) -> Decision:
    """The answer of a decider, checked against the rules; Nonsense if it is against them."""
    match question:
        case JoinNextGame():
            return Decision(c.JoinNext())
        case ChoosePlay(board):
            return _play(board, decider)
        case RollOrDouble(board, may_double):
            return _roll_or_double(board, may_double, may_resign, decider)
        case AnswerDouble(board):
            verdict = decider.takes(board.position(), board.match_state())
            return Decision(c.Accept() if verdict.yes else c.Reject(), verdict.analysis)
        case AnswerResignation(board, points):
            return Decision(_to_resignation(board, points, decider))


def _roll_or_double(
    board: FibsBoard, may_double: bool, may_resign: bool, decider: Decider
) -> Decision:
    position, match = board.position(), board.match_state()
    games = decider.resigns(position, match) if may_resign else 0
    if games in KINDS:
        return Decision(c.Resign(games))
    if not may_double or not match.may_double():
        return Decision(c.Roll())
    verdict = decider.wants_double(position, match)
    return Decision(c.Double() if verdict.yes else c.Roll(), verdict.analysis)


def _play(board: FibsBoard, decider: Decider) -> Decision:
    position, match = board.position(), board.match_state()
    if match.dice is None:
        raise Nonsense("no dice on the board")
    plays = {legal.result: legal.play for legal in legal_plays(position, match.dice)}
    if set(plays.values()) == {()}:
        return Decision(None)
    chosen = decider.choose_play(position, match)
    result = position.after(chosen.play) if chosen.play else None
    if result not in plays:
        raise Nonsense(f"{chosen.play} is no legal play of {match.dice}")
    return Decision(c.Move(plays[result], board.direction), chosen.analysis)


def _to_resignation(board: FibsBoard, points: int | None, decider: Decider) -> Command:
    """What is offered has to be a number of games at the present cube."""
    games, rest = divmod(points or 0, board.cube)
    if rest or games not in KINDS:
        return c.Reject()
    accepts = decider.accepts_resignation(board.position(), board.match_state(), games)
    return c.Accept() if accepts else c.Reject()


def anything_legal(question: Question, dice: random.Random) -> Command | None:
    """Not good, but the game goes on."""
    match question:
        case ChoosePlay(board, rolled):
            play = dice.choice(legal_plays(board.position(), rolled)).play
            return c.Move(play, board.direction) if play else None
        case RollOrDouble():
            return c.Roll()
        case AnswerDouble():
            return c.Accept()
        case AnswerResignation(board, points):
            return c.Accept() if points and points >= 3 * board.cube else c.Reject()
        case JoinNextGame():
            return c.JoinNext()
