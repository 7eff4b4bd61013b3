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

from sixprime.bot.settings.levels import read
from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.bot.web.play.tutor import Tutor, Warned
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search import ratingtable
from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision
from sixprime.engine.search.players import (
    BackgammonPlayer,
    EnginePlayer,
    player_named,
    shipped_brain,
    turns_of_cube,
)
from sixprime.protocols.formats.notation import format_play

SHOWN = 5
NOT_ANSWERING = frozenset({"roll", "dice", "double"})
ANSWERING = frozenset({"take", "drop", "beaver"})
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A play among the best."""

    play: str
    equity: float
    loss: float
    win: float  # chance
    gammon: float


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
        """Let the engine act until it is the person's turn; who cannot double has rolled."""
        player = _player(match.level)
        while match.asks is Asks.ENGINE:
            match.engine_acts(player)
        state = match.replay().state
        if match.asks is Asks.ROLL and not match.by_hand and not state.may_double():
            match.roll()

    def plays(self, position: Position, state: MatchState, dice: Dice) -> list[Ranked]:
        """The best plays."""
        return ranked(position, self._engine().move(position, state, dice))

    def hints(self, match: BoardMatch) -> list[Ranked] | CubeAdvice | None:
        """What the engine would do in the person's place."""
        replay = match.replay()
        position, state = replay.position, replay.state
        if match.asks is Asks.PLAY and state.dice is not None:
            return self.plays(position, state, state.dice)
        if match.asks is Asks.ROLL or (match.asks is Asks.ANSWER and turns_of_cube(state) == 1):
            return self.cube(position, state.with_(doubled=False, to_act=state.on_roll))
        return None

    def warns(self, match: BoardMatch, deed: str) -> Warned | None:
        """What the tutor has against this deed."""
        tutor, asks = match.tutor, match.asks
        if tutor is None:
            return None
        if deed == "confirm":
            return self._warns_of_play(match, tutor) if tutor.plays and match.may_confirm else None
        fits = deed in {Asks.ROLL: NOT_ANSWERING, Asks.ANSWER: ANSWERING}.get(asks, ())
        return self._warns_of_cube(match, tutor, deed) if tutor.cube and fits else None

    def cube(self, position: Position, state: MatchState) -> CubeAdvice:
        """The cube action before a roll."""
        return self._engine().cube(position, state)

    def _warns_of_play(self, match: BoardMatch, tutor: Tutor) -> Warned | None:
        replay = match.replay()
        assert replay.state.dice is not None
        decision = self._engine().move(replay.position, replay.state)
        result = replay.position.after(match.begun)
        made = next((each for each in decision.candidates if each.result == result), None)
        if made is None:
            return None
        better = f"better is {format_play(replay.position, decision.best.play)}"
        return tutor.warned(decision.best.equity - made.equity, better)

    def _warns_of_cube(self, match: BoardMatch, tutor: Tutor, deed: str) -> Warned | None:
        replay = match.replay()
        state = replay.state
        before = state.with_(doubled=False, to_act=state.on_roll)
        if turns_of_cube(state) > 1 or not before.may_double():
            return None
        worth = self.cube(replay.position, before).decision
        wait, take, drop = worth.equities
        if state.doubled:  # seen by the doubler, who gains what a wrong answer loses
            loss = drop - take if deed == "drop" else take - drop
            if deed == "beaver":
                loss = max(take, 2 * take) - min(take, drop)
            return tutor.warned(loss, f"better is to {worth.answer().value}")
        doubled = min(take, drop)
        loss = wait - doubled if deed == "double" else doubled - wait
        return tutor.warned(loss, "do not double yet" if deed == "double" else "double")

    def _engine(self) -> Engine:
        return _engine(self._level)


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
    """By the name of a level, or a rating in figures."""
    if level.isdigit():
        return EnginePlayer(lambda match: _rated(int(level), match.length))
    return player_named(level)


@lru_cache(maxsize=8)
def _rated(rating: int, length: int) -> Engine:
    wanted = read({"target_rating": rating})
    assert wanted.target is not None
    level = ratingtable.load().resolved(wanted, wanted.target, length)
    return Engine(level, brain=shipped_brain())


def ratings() -> tuple[int, int]:
    """The lowest and the highest that can be asked for."""
    least, most = ratingtable.load().reach()
    return int(least), int(most)


@lru_cache(maxsize=2)
def _engine(level: str) -> Engine:
    return Engine(level, brain=shipped_brain())
