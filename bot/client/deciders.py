"""Who decides: the engine at a level, or a plain player where no nets are installed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import structlog

from sixprime.bot.client.thinking import Chosen, Decider, Facing, Step, Verdict
from sixprime.bot.settings.schema import PIPS
from sixprime.engine.analysis.settings import context_of
from sixprime.engine.analysis.values import CubeWorth, RankedPlay
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import Analysis

if TYPE_CHECKING:
    from sixprime.bot.settings.schema import PlayerSettings
    from sixprime.bot.settings.values import Level as LevelSetting
    from sixprime.engine.kernels.evaluation import Brain
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.levels import Level

log = structlog.get_logger("bot.think")

TOLD = 10  # candidates kept of a decision
LAST_WITHIN_S = 3.0
SEARCHING = 0.8  # of the time allowed; then the search answers with what it has


class PipDecider:
    """Runs, makes points, leaves few blots; knows nothing else."""

    def choose_play(self, position: Position, match: MatchState) -> Chosen:
        """The tidiest."""
        assert match.dice is not None
        return Chosen(max(legal_plays(position, match.dice), key=lambda p: _worth(p.result)).play)

    def wants_double(self, position: Position, match: MatchState) -> Verdict:
        """With a tenth fewer pips to go."""
        mine, theirs = position.pips()
        return Verdict(mine * 1.1 < theirs)

    def takes(self, position: Position, match: MatchState) -> Verdict:
        """Not more than a seventh behind."""
        theirs, mine = position.pips()
        return Verdict(mine < theirs * 1.14 + 2)

    def resigns(self, position: Position, match: MatchState) -> int:
        """Never."""
        return 0

    def accepts_resignation(self, position: Position, match: MatchState, games: int) -> bool:
        """Whenever a gammon is out of sight, or offered."""
        loser = position.theirs if match.on_roll == 0 else position.mine
        return games > 1 or sum(loser) < position.checkers


def _worth(result: Position) -> float:
    mine, theirs = result.pips()
    blots = sum(
        i + 4 for i in range(24) if result.mine[i] == 1 and any(result.theirs[24 - i - 1 :])
    )
    return theirs - mine - 0.7 * blots + sum(3.0 for i in range(8) if result.mine[i] >= 2)


class EngineDecider:
    """Our engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._busy = threading.Lock()

    def choose_play(self, position: Position, match: MatchState) -> Chosen:
        """The best."""
        with self._busy:
            found = self._engine.move(position, match)
        look = self._engine.level.checker
        candidates = tuple(
            RankedPlay(each.play, each.outcomes, each.equity, context_of(look, each.plies))
            for each in found.candidates[:TOLD]
        )
        return Chosen(found.best.play, Analysis(candidates, chosen=0))

    def wants_double(self, position: Position, match: MatchState) -> Verdict:
        """By the engine's verdict."""
        return self._cube(position, match, lambda decision: decision.double)

    def takes(self, position: Position, match: MatchState) -> Verdict:
        """By the same verdict."""
        return self._cube(position, match, lambda decision: decision.take)

    def _cube(self, position: Position, match: MatchState, yes: Callable[..., bool]) -> Verdict:
        with self._busy:
            advice = self._engine.cube(position, match)
        decision, outcomes = advice.decision, advice.outcomes
        cubeless = 2 * outcomes[0] - 1 + outcomes[1] + outcomes[2] - outcomes[3] - outcomes[4]
        worth = CubeWorth(
            (*outcomes, cubeless, decision.no_double),
            (*outcomes, cubeless, decision.double_take),
            context_of(self._engine.level.cube, self._engine.level.cube.plies),
        )
        return Verdict(yes(decision), Analysis(cube=worth))

    def resigns(self, position: Position, match: MatchState) -> int:
        """Only what is certain anyway."""
        with self._busy:
            return self._engine.resignation(position, match, 0)

    def accepts_resignation(self, position: Position, match: MatchState, games: int) -> bool:
        """By equity."""
        with self._busy:
            return self._engine.accepts_resignation(position, match, 0, games)


class RatedDecider:
    """Our engine at a rating: with other noise for each length of match, and each opponent."""

    def __init__(self, level: Level, brain: Brain, facing: Facing) -> None:
        self._level = level
        self._brain = brain
        self._facing = facing
        self._made: dict[tuple[int, float | None], EngineDecider] = {}

    def choose_play(self, position: Position, match: MatchState) -> Chosen:
        """As the engine of this match."""
        return self._at(match).choose_play(position, match)

    def wants_double(self, position: Position, match: MatchState) -> Verdict:
        """As the engine of this match."""
        return self._at(match).wants_double(position, match)

    def takes(self, position: Position, match: MatchState) -> Verdict:
        """As the engine of this match."""
        return self._at(match).takes(position, match)

    def resigns(self, position: Position, match: MatchState) -> int:
        """As the engine of this match."""
        return self._at(match).resigns(position, match)

    def accepts_resignation(self, position: Position, match: MatchState, games: int) -> bool:
        """As the engine of this match."""
        return self._at(match).accepts_resignation(position, match, games)

    def _at(self, match: MatchState) -> EngineDecider:
        from sixprime.engine.search import ratingtable as table
        from sixprime.engine.search.decide import Engine

        target = self._level.target
        assert target is not None
        rating = self._facing.rating if target.rating is None else None
        key = match.length, rating
        if key not in self._made:
            level = table.load().resolved(self._level, target, match.length, rating)
            log.info(
                "playing at a rating", rating=target.wanted(rating), noise=level.checker.noise,
                length=match.length,
            )  # fmt: skip
            self._made = {key: EngineDecider(Engine(level, brain=self._brain))}
        return self._made[key]


_loading = threading.Lock()


def _brain() -> Brain | None:
    """The nets that ship, loaded once for all players; None where there are none."""
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Brain | None:
    from sixprime.engine.nets.weights import BadWeights, load_brain

    try:
        return load_brain(None)
    except (BadWeights, OSError) as error:
        log.warning("no nets are installed, playing by pip count", error=str(error))
        return None


def step(name: str, level: Level | None, within_s: float, threads: int = 1) -> Step:
    """A rung that thinks at this level; None is the plain player."""
    if level is None:
        return Step(name, PipDecider, within_s)
    share_s = SEARCHING * within_s
    seconds = share_s if level.seconds is None else min(level.seconds, share_s)
    found = replace(level, seconds=seconds, threads=max(threads, level.threads))
    facing = Facing()

    def make() -> Decider:
        from sixprime.engine.search.decide import Engine

        brain = _brain()
        if brain is None:
            return PipDecider()
        if found.target is not None:
            return RatedDecider(found, brain, facing)
        return EngineDecider(Engine(found, brain=brain))

    return Step(name, make, within_s, facing)


def ladder(player: PlayerSettings) -> tuple[Step, ...]:
    """The player's level, the cheaper one, 0-ply, a plain player.

    BadLevel or ConfigError where the settings name none.
    """
    thinking = player.thinking
    last = step(PIPS, None, LAST_WITHIN_S)
    if player.level == PIPS:
        return (last,)
    known, named = levels_of(player)
    first = named["level"]
    if cube := named.get("cube_level"):
        target = first.target and replace(first.target, cube_noise=cube.cube.noise)
        first = replace(first, cube=cube.cube, target=target)
    rungs = [step(first.name, first, thinking.within_s, thinking.threads)]
    if cheaper := named.get("thinking.cheaper_level"):
        rungs.append(step(f"cheaper: {cheaper.name}", cheaper, thinking.cheaper_within_s))
    return (*rungs, step("0-ply", known["expert"], LAST_WITHIN_S), last)


def levels_of(player: PlayerSettings) -> tuple[Mapping[str, Level], dict[str, Level]]:
    """All levels that there are, and those that the player's settings name, by their paths.

    BadLevel with every fault of these.
    """
    from sixprime.bot.settings import levels
    from sixprime.engine.search.levels import PRESETS

    known = PRESETS if player.levels_file is None else levels.load(player.levels_file)
    plain = (None, PIPS)  # no levels
    wanted = {
        "level": (player.level, level_name(player.level), plain),
        "cube_level": (player.cube_level, "cube", plain if player.level == PIPS else (None,)),
        "thinking.cheaper_level": (player.thinking.cheaper_level, "cheaper", plain),
    }
    named: dict[str, Level] = {}
    faults: list[str] = []
    for path, (level, name, no_levels) in wanted.items():
        try:
            if level not in no_levels:
                named[path] = levels.read(level, known, name, ("player", *path.split(".")))
        except levels.BadLevel as error:
            faults += error.faults
    if faults:
        raise levels.BadLevel(faults)
    return known, named


def level_name(level: LevelSetting) -> str:
    """What others are told."""
    if isinstance(level, str):
        return level
    rating = level.get("target_rating")
    if rating == "opponent":
        return "about my opponent's"
    return "custom" if rating is None else f"about {rating}"
