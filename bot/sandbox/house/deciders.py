"""What the house players think with: the engine at a level, or next to nothing."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain
    from sixprime.engine.search.decide import Engine


class Decider(Protocol):
    """What a house player thinks with. `position` is as `match.on_roll` sees it, always."""

    def choose_play(self, position: Position, match: MatchState) -> Play:
        """One of the legal plays for `match.dice`."""

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """Offer the cube now, before the roll?"""

    def takes(self, position: Position, match: MatchState) -> bool:
        """Take the double of `match.on_roll`?"""

    def accepts_resignation(self, position: Position, match: MatchState) -> bool:
        """Is `match.resigned` enough for the player `match.to_act`?"""


class EngineDecider:
    """Our own engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def choose_play(self, position: Position, match: MatchState) -> Play:
        """The best the level sees."""
        return self._engine.move(position, match).best.play

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """When the level thinks it right."""
        return match.may_double() and self._engine.cube(position, match).decision.double

    def takes(self, position: Position, match: MatchState) -> bool:
        """When the level thinks it right; who doubles a dead cube is always taken."""
        from sixprime.engine.search.cube import Answer

        undoubled = match.with_(doubled=False, to_act=match.on_roll)
        if not undoubled.may_double():
            return True
        return self._engine.answer(position, match) is not Answer.PASS

    def accepts_resignation(self, position: Position, match: MatchState) -> bool:
        """When playing on promises no more."""
        seat, games = match.to_act, match.resigned
        going_on = match.with_(resigned=0, to_act=match.on_roll)
        return self._engine.accepts_resignation(position, going_on, seat, games)


class SimpleDecider:
    """A player without an engine: tidy, timid, and good enough to lose to."""

    def __init__(self, seed: int | None = None, noise: float = 0.0) -> None:
        self._random = random.Random(seed)
        self._noise = noise

    def choose_play(self, position: Position, match: MatchState) -> Play:
        """The play whose result looks best."""
        assert match.dice is not None
        plays = legal_plays(position, match.dice)
        return max(plays, key=lambda legal: self._worth(legal.result)).play

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """With a tenth fewer pips to go."""
        mine, theirs = position.pips()
        return mine * 1.1 < theirs

    def takes(self, position: Position, match: MatchState) -> bool:
        """Not more than a seventh behind."""
        theirs, mine = position.pips()
        return mine < theirs * 1.14 + 2

    def accepts_resignation(self, position: Position, match: MatchState) -> bool:
        """Whenever a gammon is out of sight, or offered."""
        loser = position.mine if match.on_roll != match.to_act else position.theirs
        return match.resigned > 1 or sum(loser) < position.checkers or sum(loser[6:]) < 5

    def _worth(self, result: Position) -> float:
        mine, theirs = result.pips()
        blots = sum(i + 4 for i in range(24) if result.mine[i] == 1 and self._exposed(result, i))
        points = sum(3.0 for i in range(8) if result.mine[i] >= 2)
        return theirs - mine - blots * 0.7 + points + self._noise * self._random.random()

    @staticmethod
    def _exposed(result: Position, index: int) -> bool:
        return any(result.theirs[24 - index :])


class RandomDecider:
    """Any legal play, and a cube now and then."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose_play(self, position: Position, match: MatchState) -> Play:
        """Any."""
        assert match.dice is not None
        return self._random.choice(legal_plays(position, match.dice)).play

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """Seldom."""
        return self._random.random() < 0.05

    def takes(self, position: Position, match: MatchState) -> bool:
        """Mostly."""
        return self._random.random() < 0.7

    def accepts_resignation(self, position: Position, match: MatchState) -> bool:
        """Mostly."""
        return self._random.random() < 0.7


WITHOUT_ENGINE: dict[str, type[SimpleDecider | RandomDecider]] = {
    "simple": SimpleDecider,
    "random": RandomDecider,
}


def decider_for(level: str) -> Decider:
    """The decider of a level by name; ValueError with one clear line for what is not to be had."""
    if level in WITHOUT_ENGINE:
        return WITHOUT_ENGINE[level]()
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.levels import PRESETS, UnknownLevel, nearest, preset

    if level not in PRESETS:
        raise UnknownLevel(f"no level {level[:40]!r}{nearest(level, (*PRESETS, *WITHOUT_ENGINE))}")
    return EngineDecider(Engine(preset(level), brain=_brain()))


@lru_cache(maxsize=1)
def _brain() -> Brain:
    from sixprime.engine.nets.weights import load_brain

    return load_brain()
