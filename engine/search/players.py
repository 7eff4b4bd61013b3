"""Players: our engine at a level, a player that counts pips, and one without aim.

Positions are always as `match.on_roll` sees them; `match.to_act` is the seat that decides.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.ratings import pr_named
from sixprime.engine.rules import legal_plays

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain
    from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision
    from sixprime.engine.search.levels import Level


class BackgammonPlayer(Protocol):
    """The maker of every decision in a game of backgammon; `acting.act` asks it."""

    def play(self, position: Position, match: MatchState) -> Play:
        """Return one of the legal plays for `match.dice`."""

    def double(self, position: Position, match: MatchState) -> bool:
        """Return whether to double before this roll; asked only if the rules allow it."""

    def answer(self, position: Position, match: MatchState) -> Answer:
        """Pass, take or, where `match.beavers` allows it, beaver the double of `match.on_roll`.

        If `match.on_roll` is to act, the double was beavered, and the beaver wants its answer.
        """

    def resign(self, position: Position, match: MatchState) -> int:
        """Return the number of games to offer to lose; 0 plays on."""

    def accept(self, position: Position, match: MatchState) -> bool:
        """Return whether to let the opponent lose `match.resigned` games."""


class EnginePlayer:
    """Our engine as a player, shared between matches or not; `seen` is its last decision."""

    def __init__(
        self, engine: Engine | Callable[[MatchState], Engine], *, certain: bool = False
    ) -> None:
        """`certain`: resign only games that are certainly lost, also at a level like people."""
        self.seen: tuple[MoveDecision | CubeAdvice, Level] | None = None
        self._engine_for = engine if callable(engine) else lambda _: engine
        self._certain = certain
        self._busy = threading.Lock()

    def play(self, position: Position, match: MatchState) -> Play:
        with self._busy:
            engine = self._engine_for(match)
            found = engine.move(position, match)
        self.seen = found, engine.level
        return found.played.play

    def double(self, position: Position, match: MatchState) -> bool:
        return self._cube(position, match).doubles

    def answer(self, position: Position, match: MatchState) -> Answer:
        return self._cube(position, match).answer(turns_of_cube(match))

    def _cube(self, position: Position, match: MatchState) -> CubeAdvice:
        with self._busy:
            engine = self._engine_for(match)
            advice = engine.cube(position, match)
        self.seen = advice, engine.level
        return advice

    def resign(self, position: Position, match: MatchState) -> int:
        """Resign games that are certainly lost, or at a level like people as they do."""
        with self._busy:
            engine = self._engine_for(match)
            return engine.resignation(position, match, match.to_act, certain=self._certain)

    def accept(self, position: Position, match: MatchState) -> bool:
        """Accept if playing on is worth no more."""
        playing_on = match.with_(resigned=0, to_act=match.on_roll)
        with self._busy:
            engine = self._engine_for(match)
            return engine.accepts_resignation(position, playing_on, match.to_act, match.resigned)


class PipCounter:
    """A player without an engine: tidy, timid, and good enough to lose to."""

    def play(self, position: Position, match: MatchState) -> Play:
        """Return the tidiest play: it runs, makes points and leaves few blots."""
        assert match.dice is not None
        return max(legal_plays(position, match.dice), key=lambda p: _worth(p.result)).play

    def double(self, position: Position, match: MatchState) -> bool:
        """Double if a tenth ahead in the race."""
        mine, theirs = position.pips()
        return mine * 1.1 < theirs

    def answer(self, position: Position, match: MatchState) -> Answer:
        """Take if no more than a seventh behind in the race."""
        theirs, mine = position.pips()
        return Answer.TAKE if mine < theirs * 1.14 + 2 else Answer.PASS

    def resign(self, position: Position, match: MatchState) -> int:
        return 0

    def accept(self, position: Position, match: MatchState) -> bool:
        """Accept a gammon, or anything once a gammon is out of reach."""
        loser = position.theirs if match.on_roll == match.to_act else position.mine
        return match.resigned > 1 or sum(loser) < position.checkers or sum(loser[6:]) < 5


class AimlessPlayer:
    """A player of random legal plays, which doubles now and then."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def play(self, position: Position, match: MatchState) -> Play:
        """Pick any legal play with equal probability."""
        assert match.dice is not None
        return self._random.choice(legal_plays(position, match.dice)).play

    def double(self, position: Position, match: MatchState) -> bool:
        """Double at random, seldom."""
        return self._random.random() < 0.05

    def answer(self, position: Position, match: MatchState) -> Answer:
        """Answer at random, mostly with a take."""
        return Answer.TAKE if self._random.random() < 0.7 else Answer.PASS

    def resign(self, position: Position, match: MatchState) -> int:
        return 0

    def accept(self, position: Position, match: MatchState) -> bool:
        """Accept at random, mostly."""
        return self._random.random() < 0.7


WITHOUT_ENGINE: dict[str, type[PipCounter | AimlessPlayer]] = {
    "simple": PipCounter,
    "random": AimlessPlayer,
}


def player_named(level: str) -> BackgammonPlayer:
    """Return our engine at a level, or a player without an engine; UnknownLevel."""
    if level in WITHOUT_ENGINE:
        return WITHOUT_ENGINE[level]()
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.levels import PRESETS, unknown_level

    if level not in PRESETS and pr_named(level) is None:
        raise unknown_level(level, (*PRESETS, *WITHOUT_ENGINE))
    return EnginePlayer(Engine(level, brain=shipped_brain()))


def shipped_brain() -> Brain:
    """Return the nets that ship, loaded once for all players."""
    with _loading:
        return _shipped_brain()


_loading = threading.Lock()


@lru_cache(maxsize=1)
def _shipped_brain() -> Brain:
    from sixprime.engine.nets.weights import load_brain

    return load_brain()


def turns_of_cube(match: MatchState) -> int:
    """Count the turns of the cube in a row: 1 a double, 2 a beaver, 3 a raccoon."""
    if match.cube_owner != 1 - match.on_roll:
        return 1
    return 2 if match.to_act == match.on_roll else 3


def _worth(result: Position) -> float:
    mine, theirs = result.pips()
    blots = sum(i + 4 for i in range(24) if result.mine[i] == 1 and any(result.theirs[24 - i :]))
    return theirs - mine - 0.7 * blots + sum(3.0 for i in range(8) if result.mine[i] >= 2)
