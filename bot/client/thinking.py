"""Question -> player -> command, off the event loop and within the time allowed.

A decision never takes longer than allowed. There is a ladder: the player's level, a cheaper one,
0-ply; if a rung crashes, takes too long or breaks the rules, that is logged and the next one is
asked. Below the last rung we play anything legal. A player that is too slow, or whose question no
longer stands, is left at work with its thread; if another decision comes meanwhile, a new one is
made.

The last rung is for late decisions, not for an engine that does not work: after a few decisions in
a row that no other rung made, or if warming up fails, there is a `fault`, and while there is one we
play nobody.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import structlog

from sixprime.engine.analysis.judging import cube_worth
from sixprime.engine.analysis.settings import cube_by, play_by
from sixprime.engine.analysis.values import RankedPlay
from sixprime.engine.compiling.announcing import announced
from sixprime.engine.position import MatchState
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import Answer
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer
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
KEPT_CANDIDATES = 10  # of a decision
WARM_UP_WITHIN_S = 600.0
MOST_IN_VAIN = 3  # decisions of a kind in a row that only the last rung makes


class BrokenEngine(Exception):
    """The player does not work; the text says why, in one line."""


class Nonsense(Exception):
    """A player's answer breaks the rules."""


@dataclass(slots=True)
class Facing:
    """Who the opponent is, for levels that adapt; set when a match begins."""

    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Rung:
    name: str
    make: Callable[[], BackgammonPlayer]
    within_s: float
    facing: Facing = field(default_factory=Facing, compare=False)


@dataclass(frozen=True, slots=True)
class Considered:
    """A command and how we chose it; None means that the server goes on without one."""

    command: Command | None
    analysis: Analysis | None = None
    level: str = ""
    took_s: float = 0.0
    failed: int = 0  # rungs, before one decided


Run = Callable[[Callable[[], "Considered"]], "asyncio.Future[Considered]"]


class Thinker:
    """Decides for one player; one question at a time."""

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
        self.ready = False  # warmed up, and without a fault since
        self.fault: str | None = None  # why we must not play
        self.failures = 0  # of rungs, since the beginning
        self._in_vain: Counter[str] = Counter()  # by kind of question: rolling needs no engine
        self._free: dict[int, BackgammonPlayer] = {}  # of each rung, while it is not at work
        self._dice = dice or random.Random()
        self._run = run or in_a_thread

    async def decide(self, question: Question, *, may_resign: bool = True) -> Considered:
        """Always answers, from a lower rung or at random if necessary."""
        if isinstance(question, JoinNextGame):
            return Considered(c.JoinNext())
        loop = asyncio.get_running_loop()
        began = loop.time()
        why: list[str] = []  # each rung failed
        for i, rung in enumerate(self.rungs):
            try:
                async with asyncio.timeout(rung.within_s):
                    decision = await self._run(self._work(i, question, may_resign))
            except TimeoutError:
                log.warning("thinking takes too long", level=rung.name, within_s=rung.within_s)
                why.append(f"{rung.name} takes longer than {rung.within_s:g} s")
            except Exception as error:  # whatever it is, the match goes on
                log.error("thinking failed", level=rung.name, error=repr(error), exc_info=error)
                why.append(f"{rung.name}: {_one_line(error)}")
            else:
                self._note(question, why, in_vain=0 < i == len(self.rungs) - 1)
                took_s = loop.time() - began
                return replace(decision, level=rung.name, took_s=took_s, failed=len(why))
        self._note(question, why, in_vain=True)
        log.error("deciding at random", question=type(question).__name__)
        command, took_s = anything_legal(question, self._dice), loop.time() - began
        return Considered(command, level="random", took_s=took_s, failed=len(why))

    def _note(self, question: Question, why: list[str], *, in_vain: bool) -> None:
        """Count a decision made after these failures; `in_vain`: without the engine."""
        self.failures += len(why)
        kind = type(question).__name__
        self._in_vain[kind] = self._in_vain[kind] + 1 if in_vain else 0
        if self._in_vain[kind] >= MOST_IN_VAIN and self.fault is None:
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
        """A match begins or is resumed with an opponent of this rating; None: unknown."""
        for rung in self.rungs:
            rung.facing.rating = rating

    async def warm_up(self) -> None:
        """Make the first player and let it decide something easy: kernels may need compiling.

        BrokenEngine, and a fault, if it fails; if it works, an earlier fault is over.
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
        self._in_vain.clear()


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
        except BaseException as caught:  # noqa: BLE001 - it belongs to whoever waits
            set_outcome = partial(future.set_exception, caught)
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(settle, set_outcome)

    threading.Thread(target=body, name="thinking", daemon=True).start()
    return future


def considered(
    question: Question, player: BackgammonPlayer, *, may_resign: bool = True
) -> Considered:
    """A player's answer as a command; Nonsense if it is against the rules."""
    match question:
        case JoinNextGame():
            return Considered(c.JoinNext())
        case ChoosePlay(board):
            return _play(board, player)
        case RollOrDouble(board, may_double):
            return _roll_or_double(board, may_double, may_resign, player)
        case AnswerDouble(board):
            match = board.match_state()
            passes = player.answer(board.position(), match) is Answer.PASS
            return Considered(c.Reject() if passes else c.Accept(), analysis(player, match))
        case AnswerResignation(board, points):
            return Considered(_to_resignation(board, points, player))


def _roll_or_double(
    board: FibsBoard, may_double: bool, may_resign: bool, player: BackgammonPlayer
) -> Considered:
    position, match = board.position(), board.match_state()
    games = player.resign(position, match) if may_resign else 0
    if games in KINDS:
        return Considered(c.Resign(games))
    if not may_double or not match.may_double():
        return Considered(c.Roll())
    doubles = player.double(position, match)
    return Considered(c.Double() if doubles else c.Roll(), analysis(player, match))


def _play(board: FibsBoard, player: BackgammonPlayer) -> Considered:
    position, match = board.position(), board.match_state()
    if match.dice is None:
        raise Nonsense("no dice on the board")
    plays = {legal.result: legal.play for legal in legal_plays(position, match.dice)}
    if set(plays.values()) == {()}:
        return Considered(None)
    play = player.play(position, match)
    result = position.after(play) if play else None
    if result not in plays:
        raise Nonsense(f"{play} is not a legal play of {match.dice}")
    return Considered(c.Move(plays[result], board.direction), analysis(player, match))


def _to_resignation(board: FibsBoard, points: int | None, player: BackgammonPlayer) -> Command:
    """The offer has to be a whole number of games at the present cube."""
    games, rest = divmod(points or 0, board.cube)
    if rest or games not in KINDS:
        return c.Reject()
    match = board.match_state().with_(resigned=games, to_act=US)
    return c.Accept() if player.accept(board.position(), match) else c.Reject()


def analysis(player: BackgammonPlayer, match: MatchState) -> Analysis | None:
    """What an engine saw when it decided, for the record."""
    if not isinstance(player, EnginePlayer) or player.seen is None:
        return None
    from sixprime.engine.search.decide import MoveDecision

    seen, level = player.seen
    if isinstance(seen, MoveDecision):
        candidates = tuple(
            RankedPlay(each.play, each.outcomes, each.equity, play_by(level.checker, each))
            for each in seen.candidates[:KEPT_CANDIDATES]
        )
        return Analysis(candidates, chosen=0)
    return Analysis(
        cube=cube_worth(seen.decision, seen.outcomes, match, cube_by(level.cube, seen.seen))
    )


def anything_legal(question: Question, dice: random.Random) -> Command | None:
    """A legal answer chosen without thought, so that the game goes on."""
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
