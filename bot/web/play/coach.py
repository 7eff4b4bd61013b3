"""The engine behind the board: the opponent, hints, and the tutor's warnings.

One thing at a time is thought about, off the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision
from sixprime.engine.search.players import BackgammonPlayer, player_named, shipped_brain
from sixprime.protocols.formats.notation import format_play

DOUBTFUL, BAD, VERY_BAD = 0.04, 0.08, 0.16  # points, as gnubg counts by default
SHOWN = 5
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A play among the best."""

    play: str
    equity: float
    loss: float
    win: float  # chance
    gammon: float


@dataclass(frozen=True, slots=True)
class Warned:
    """What the tutor has against a play or a cube decision."""

    how: str
    loss: float
    better: str


class Coach:
    """Thinks for everybody at the boards of this server."""

    def __init__(self, level: str = "world-class") -> None:
        self._level = level
        self._threads = ThreadPoolExecutor(1, "coach")

    async def think(self, work: Callable[[], T]) -> T:
        """Do this off the event loop, when it is its turn."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def warm_up(self) -> None:
        """Load the nets soon, so that nobody waits for them at the first hint."""
        self._threads.submit(self.plays, Position.start(), MatchState(), (3, 1))

    def close(self) -> None:
        """No more thinking."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def reply(self, match: BoardMatch) -> None:
        """Let the engine act until it is the person's turn."""
        player = _player(match.level)
        while match.asks is Asks.ENGINE:
            match.engine_acts(player)

    def plays(self, position: Position, state: MatchState, dice: Dice) -> list[Ranked]:
        """The best plays."""
        return ranked(position, self._engine().move(position, state, dice))

    def hints(self, match: BoardMatch) -> list[Ranked] | CubeAdvice | None:
        """What the engine would do in the person's place."""
        replay = match.replay()
        position, state = replay.position, replay.state
        if match.asks is Asks.PLAY and state.dice is not None:
            return self.plays(position, state, state.dice)
        if match.asks in (Asks.ROLL, Asks.ANSWER):
            before = state.with_(doubled=False, to_act=state.on_roll)
            return self.cube(position, before)
        return None

    def warns(self, match: BoardMatch, deed: str) -> Warned | None:
        """What the tutor has against this deed."""
        if deed == "confirm":
            return self.warns_of_play(match) if match.may_confirm else None
        asks = match.asks
        if (deed in ("roll", "double") and asks is Asks.ROLL) or (
            deed in ("take", "drop") and asks is Asks.ANSWER
        ):
            return self.warns_of_cube(match, active=deed in ("double", "take"))
        return None

    def cube(self, position: Position, state: MatchState) -> CubeAdvice:
        """The cube action before a roll."""
        return self._engine().cube(position, state)

    def warns_of_play(self, match: BoardMatch) -> Warned | None:
        """Is the play on the board doubtful, or worse?"""
        replay = match.replay()
        assert replay.state.dice is not None
        decision = self._engine().move(replay.position, replay.state)
        result = replay.position.after(match.begun)
        made = next((each for each in decision.candidates if each.result == result), None)
        if made is None:
            return None
        better = f"better is {format_play(replay.position, decision.best.play)}"
        return warned(decision.best.equity - made.equity, better)

    def warns_of_cube(self, match: BoardMatch, *, active: bool) -> Warned | None:
        """Is doubling, or taking (`active`), or leaving it, a mistake?"""
        replay = match.replay()
        state = replay.state
        answers = state.doubled
        before = state.with_(doubled=False, to_act=state.on_roll)
        if not answers and not before.may_double():
            return None
        worth = self.cube(replay.position, before).decision
        double, take, drop = worth.no_double, worth.double_take, worth.double_pass
        if answers:
            loss = take - drop if active else drop - take
            return warned(loss, "this is a drop" if active else "this is a take")
        doubled = min(take, drop)
        loss = double - doubled if active else doubled - double
        return warned(loss, "do not double yet" if active else "double")

    def _engine(self) -> Engine:
        return _engine(self._level)


def warned(loss: float, better: str) -> Warned | None:
    """The warning for so large a loss, if it deserves one."""
    grades = ((VERY_BAD, "very bad"), (BAD, "bad"), (DOUBTFUL, "doubtful"))
    how = next((word for least, word in grades if loss >= least), None)
    return None if how is None else Warned(how, loss, better)


def ranked(position: Position, decision: MoveDecision) -> list[Ranked]:
    """The best plays with what they lose."""
    best = decision.best.equity
    return [
        Ranked(
            format_play(position, each.play) or "cannot move",
            each.equity,
            best - each.equity,
            each.outcomes[0],
            each.outcomes[1],
        )
        for each in decision.candidates[:SHOWN]
    ]


@lru_cache(maxsize=8)
def _player(level: str) -> BackgammonPlayer:
    return player_named(level)


@lru_cache(maxsize=2)
def _engine(level: str) -> Engine:
    return Engine(level, brain=shipped_brain())
