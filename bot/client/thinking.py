"""Question -> player -> command, off the event loop and within the time allowed.

The ladder has the player's level, a cheaper one and 0-ply. A rung that crashes, takes too long or
breaks the rules is logged, and the next one is asked; below the last rung we play anything legal. A
player that is too slow, or whose question no longer stands, stays at work in its thread; the next
decision then gets a new player.

The last rung is for late decisions, not for an engine that does not work. After a few decisions in
a row that no other rung made, or if warming up fails, there is a `fault`, and we play nobody.
"""

from __future__ import annotations

import asyncio
import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar, assert_never

import structlog

from sixprime.engine.analysis.judging import cube_worth
from sixprime.engine.analysis.settings import cube_by, play_by
from sixprime.engine.analysis.values import RankedPlay
from sixprime.engine.compiling.announcing import announced
from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState
from sixprime.engine.search.acting import Stopgap, act
from sixprime.engine.search.decide import MoveDecision
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer
from sixprime.engine.system.errors import SixprimeError
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Question,
    RollOrDouble,
    command_of,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.formats.record import Analysis

log = structlog.get_logger("bot.think")

KEPT_CANDIDATES = 10  # of a decision, besides the play made
HALF_HARD = 0.04  # EMG between the best two plays that makes a choice half as hard as a tie
HALF_HARD_CUBE = 0.1  # the same for the cube, which people fear more
HALF_MANY = 6  # plays besides the best
WARM_UP_WITHIN_S = 600.0
MOST_FALLBACKS = 3  # decisions of a kind in a row by the last rung alone


class BrokenEngine(SixprimeError):
    """The player does not work; the text says why, in one line."""


@dataclass(slots=True)
class Facing:
    """The opponent's rating, for levels that adapt; set when a match begins."""

    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    make: Callable[[], BackgammonPlayer]
    within_s: float
    facing: Facing = field(default_factory=Facing, compare=False)


@dataclass(frozen=True, slots=True)
class Considered:
    """A command and its reasons; without a command the server goes on by itself."""

    command: Command | None
    analysis: Analysis | None = None
    level: str = ""
    took_s: float = 0.0
    failed: int = 0  # rungs, before one decided
    hardness: float = 0.0  # for people: from 0, no choice, to 1, many plays of one worth


Run = Callable[[Callable[[], "Considered"]], "asyncio.Future[Considered]"]


class Thinker:
    """The decisions of one player; one question at a time."""

    def __init__(
        self,
        rungs: Sequence[Rung],
        *,
        resigns: bool = True,
        dice: random.Random | None = None,
        run: Run | None = None,
    ) -> None:
        self.rungs = rungs
        self.resigns = resigns
        self.ready = False  # warmed up, without a fault since
        self.fault: str | None = None  # the reason not to play
        self.failures = 0  # of rungs, since the beginning
        self._fallbacks_in_a_row: Counter[str] = (
            Counter()
        )  # by kind of question, as rolling needs no engine
        self._free: dict[int, BackgammonPlayer] = {}  # the idle player of each rung
        self._dice = dice or random.Random()
        self._run = run or in_a_thread

    async def decide(self, question: Question, *, may_resign: bool = True) -> Considered:
        """Return a decision in any case, from a lower rung or at random if necessary."""
        if isinstance(question, JoinNextGame):
            return Considered(c.JoinNext())
        loop = asyncio.get_running_loop()
        began = loop.time()
        why: list[str] = []  # reasons, one for each failed rung
        for i, rung in enumerate(self.rungs):
            try:
                async with asyncio.timeout(rung.within_s):
                    decision = await self._run(self._work(i, question, may_resign))
            except TimeoutError:
                log.warning("thinking takes too long", level=rung.name, within_s=rung.within_s)
                why.append(f"{rung.name} takes longer than {rung.within_s:g} s")
            except Exception as error:  # the match goes on in any case
                log.error("thinking failed", level=rung.name, error=repr(error), exc_info=error)
                why.append(f"{rung.name}: {_one_line(error)}")
            else:
                self._note(question, why, fallback=0 < i == len(self.rungs) - 1)
                took_s = loop.time() - began
                return replace(decision, level=rung.name, took_s=took_s, failed=len(why))
        self._note(question, why, fallback=True)
        log.error("deciding at random", question=type(question).__name__)
        decision, took_s = considered(question, Stopgap(self._dice)), loop.time() - began
        return replace(decision, level="random", took_s=took_s, failed=len(why))

    def _note(self, question: Question, why: list[str], *, fallback: bool) -> None:
        """Count a decision made after these failures; `fallback`: without the engine."""
        self.failures += len(why)
        kind = type(question).__name__
        self._fallbacks_in_a_row[kind] = self._fallbacks_in_a_row[kind] + 1 if fallback else 0
        if self._fallbacks_in_a_row[kind] >= MOST_FALLBACKS and self.fault is None:
            self.ready, self.fault = False, why[0] if why else "no player"
            log.error("the engine does not work", why=self.fault, question=kind)

    def _work(self, i: int, question: Question, may_resign: bool) -> Callable[[], Considered]:
        def work() -> Considered:
            player = self._free.pop(i, None) or self.rungs[i].make()
            found = considered(question, player, may_resign=may_resign and self.resigns)
            self._free[i] = player
            return found

        return work

    def faces(self, rating: float | None) -> None:
        """Note that a match begins or goes on with an opponent of this rating; None: unknown."""
        for rung in self.rungs:
            rung.facing.rating = rating

    async def warm_up(self) -> None:
        """Make the first player and let it decide something easy, as kernels may need compiling.

        A failure is a BrokenEngine and a fault; success ends an earlier fault.
        """
        board = FibsBoard("You", "x", 5, (0, 0), _START, 1, dice=(2, 1))
        easy = (ChoosePlay(board, (2, 1)), RollOrDouble(replace(board, dice=(0, 0)), True))
        why = "kernels are compiled, once after an installation or update"
        say = partial(log.info, "getting ready", level=self.rungs[0].name, why=why)
        try:
            with announced(say):
                async with asyncio.timeout(WARM_UP_WITHIN_S):
                    for question in easy:
                        await self._run(self._work(0, question, self.resigns))
        except Exception as error:
            self._free.clear()
            self.ready = False
            why = (
                f"{WARM_UP_WITHIN_S:g} s are not enough" if isinstance(error, TimeoutError) else ""
            )
            self.fault = f"{self.rungs[0].name}: {why or _one_line(error)}"
            log.error("warming up failed", level=self.rungs[0].name, exc_info=error)
            raise BrokenEngine(self.fault) from error
        self.ready, self.fault = True, None
        self._fallbacks_in_a_row.clear()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


_START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


Outcome = TypeVar("Outcome")


def in_a_thread(work: Callable[[], Outcome]) -> asyncio.Future[Outcome]:
    """Run it in a daemon thread of its own, so that exiting does not wait for it.

    `asyncio.to_thread` would keep the process alive until the last abandoned decision ends, and a
    few of those would use up its pool.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outcome] = loop.create_future()

    def settle(set_outcome: Callable[[], None]) -> None:
        if not future.done():
            set_outcome()

    def body() -> None:
        try:
            set_outcome = partial(future.set_result, work())
        except BaseException as caught:  # noqa: BLE001 - the waiting task gets it
            set_outcome = partial(future.set_exception, caught)
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(settle, set_outcome)

    threading.Thread(target=body, name="thinking", daemon=True).start()
    return future


def considered(
    question: Question, player: BackgammonPlayer, *, may_resign: bool = True
) -> Considered:
    """Return a player's answer as a command; IllegalAnswer if it breaks the rules."""
    if isinstance(question, JoinNextGame):
        return Considered(c.JoinNext())
    board = question.board
    position, match, may_double = board.position(), board.match_state(), True
    match question:
        case ChoosePlay(_, dice):
            match, may_resign = match.with_(dice=dice), False
        case RollOrDouble(_, may_double):
            match = match.with_(dice=None)
        case AnswerDouble():
            pass
        case AnswerResignation(_, points):
            games, rest = divmod(points or 0, board.cube)
            if rest or games not in (1, 2, 3):  # only whole games at the present cube are offered
                return Considered(c.Reject())
            match = match.with_(resigned=games, to_act=0)
        case _:
            assert_never(question)
    if isinstance(player, EnginePlayer):
        player.seen = None
    action = act(player, position, match, may_resign=may_resign, may_double=may_double)
    if isinstance(question, AnswerDouble) and _passes_too_dearly(player, question.lost_games):
        action = Answer.TAKE
    command = command_of(action, board.direction)
    return Considered(command, analysis(player, match), hardness=hardness(player, match))


def _passes_too_dearly(player: BackgammonPlayer, games: int) -> bool:
    """Return whether a pass that loses this many games at the cube before is worse than a take."""
    if games == 1 or not isinstance(player, EnginePlayer) or player.seen is None:
        return False
    seen = player.seen[0]
    return not isinstance(seen, MoveDecision) and seen.decision.double_take < games


def analysis(player: BackgammonPlayer, match: MatchState) -> Analysis | None:
    """Return the engine's evaluation behind its decision, for the record."""
    if not isinstance(player, EnginePlayer) or player.seen is None:
        return None
    seen, level = player.seen
    if isinstance(seen, MoveDecision):
        kept = list(seen.candidates[:KEPT_CANDIDATES])
        if seen.chosen >= KEPT_CANDIDATES:
            kept.append(seen.played)
        candidates = tuple(
            RankedPlay(each.play, each.outcomes, each.equity, play_by(level.checker, each))
            for each in kept
        )
        return Analysis(candidates, chosen=min(seen.chosen, KEPT_CANDIDATES))
    return Analysis(
        cube=cube_worth(seen.decision, seen.outcomes, match, cube_by(level.cube, seen.seen))
    )


def hardness(player: BackgammonPlayer, match: MatchState) -> float:
    """Return how hard people find the choice of our engine: close ones, of many plays."""
    if not isinstance(player, EnginePlayer) or player.seen is None:
        return 0.0
    seen = player.seen[0]
    if isinstance(seen, MoveDecision):
        others = len(seen.candidates) - 1
        gap = seen.best.equity - seen.candidates[1].equity if others else math.inf
        return HALF_HARD / (HALF_HARD + gap) * (0.5 + 0.5 * others / (others + HALF_MANY))
    waiting, taken, passed = seen.decision.equities
    gap = taken - passed if match.doubled else min(taken, passed) - waiting
    return HALF_HARD_CUBE / (HALF_HARD_CUBE + abs(gap))
