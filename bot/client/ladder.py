"""The ladder of a player: its level, a cheaper one, 0-ply, and a player that counts pips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import structlog

from sixprime.bot.client.thinking import Facing, Rung
from sixprime.bot.settings import levels
from sixprime.bot.settings.schema import PIPS, PlayerSettings
from sixprime.bot.settings.values import TARGET
from sixprime.bot.settings.values import Level as LevelSetting
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.position import MatchState
from sixprime.engine.ratings import canonical
from sixprime.engine.search import ratingtable
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import PRESETS, Level
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer, PipCounter, shipped_brain
from sixprime.engine.system.errors import ConfigError

log = structlog.get_logger("bot.think")

LAST_WITHIN_S = 3.0
SEARCHING = 0.8  # share of the allowed time after which a search must answer


class RatedEngines:
    """Our engine at a target rating; the noise depends on match length and opponent."""

    def __init__(self, level: Level, brain: Brain, facing: Facing) -> None:
        self._level = level
        self._brain = brain
        self._facing = facing
        self._made: dict[tuple[int, float | None], Engine] = {}

    def __call__(self, match: MatchState) -> Engine:
        target = self._level.target
        assert target is not None
        rating = self._facing.rating if target.rating is None else None
        key = match.length, rating
        if key not in self._made:
            level = ratingtable.shipped_ratings().resolved(
                self._level, target, match.length, rating
            )
            log.info(
                "playing at a rating", rating=target.wanted(rating), noise=level.checker.noise,
                length=match.length,
            )  # fmt: skip
            self._made = {key: Engine(level, brain=self._brain)}
        return self._made[key]


def rung(
    name: str, level: Level | None, within_s: float, threads: int = 1, *, certain: bool = True
) -> Rung:
    """Return a rung that thinks at this level; None is the player without an engine.

    `certain`: it resigns only games that are certainly lost.
    """
    if level is None:
        return Rung(name, PipCounter, within_s)
    share_s = SEARCHING * within_s
    seconds = share_s if level.seconds is None else min(level.seconds, share_s)
    found = replace(level, seconds=seconds, threads=max(threads, level.cores))
    facing = Facing()

    def make() -> BackgammonPlayer:
        brain = shipped_brain()
        if found.target is not None:
            return EnginePlayer(RatedEngines(found, brain, facing), certain=certain)
        return EnginePlayer(Engine(found, brain=brain), certain=certain)

    return Rung(name, make, within_s, facing)


def ladder(player: PlayerSettings) -> tuple[Rung, ...]:
    """Return the rungs, best first.

    ConfigError if the settings name a level that does not exist.
    """
    thinking = player.thinking
    last = rung(PIPS, None, LAST_WITHIN_S)
    if player.level == PIPS:
        return (last,)
    known, named = levels_of(player)
    first = named["level"]
    if cube := named.get("cube_level"):
        target = first.target and replace(first.target, cube_noise=cube.cube.noise)
        first = replace(first, cube=cube.cube, cube_person=cube.cube_person, target=target)
    certain = player.resign != "like-people"
    rungs = [rung(first.name, first, thinking.within_s, thinking.threads, certain=certain)]
    if cheaper := named.get("thinking.cheaper_level"):
        rungs.append(rung(f"cheaper: {cheaper.name}", cheaper, thinking.cheaper_within_s))
    return (*rungs, rung("0-ply", known["expert"], LAST_WITHIN_S), last)


def levels_of(player: PlayerSettings) -> tuple[Mapping[str, Level], dict[str, Level]]:
    """Return all known levels, and the levels in the player's settings by path.

    ConfigError lists every fault.
    """
    known = PRESETS if player.levels_file is None else levels.load_levels(player.levels_file)
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
                named[path] = levels.read_level(level, known, name, ("player", *path.split(".")))
        except ConfigError as error:
            faults += error.faults
    if faults:
        raise ConfigError(faults)
    return known, named


def level_name(level: LevelSetting) -> str:
    """Return the name of a level for people, chat and the archive."""
    if isinstance(level, str):
        return f"about {level}" if level.isdecimal() else canonical(level)
    rating, pr = level.get(TARGET), level.get("pr")
    if isinstance(pr, int | float):
        return f"pr {pr:g}"
    if rating == "opponent":
        return "about my opponent's"
    return "custom" if rating is None else f"about {rating}"
