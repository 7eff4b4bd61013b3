"""Levels of one's own: from YAML files and mappings, every fault by its path.

    levels:
      sleepy: {noise: 0.03, cube: {noise: 0}}
      patient: {like: grandmaster, seconds: 5, threads: 2}

Settings beside `checker` and `cube` are for both. Without `like` a level starts from a 0-ply look
without noise. `config/levels.yaml` shows every setting.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from bot.config import Settings
from bot.configfile import ConfigError, Place, _Loader, _near, _path, _reason
from engine.levels import PRESETS, Level
from engine.search import FILTERS, Evaluation, MoveFilter, Pass

FilterName = Literal["tiny", "narrow", "normal", "large", "huge"]
MOST_PLIES = 4
LEVELS = "levels"


class PassSettings(Settings):
    """What goes on after one ply."""

    accept: Annotated[int, Field(ge=0, le=1000)] = 0
    extra: Annotated[int, Field(ge=0, le=1000)]
    threshold: Annotated[float, Field(ge=0, le=10)]


class LookSettings(Settings):
    """Of engine.search.Evaluation; None leaves what the level had."""

    plies: Annotated[int, Field(ge=0, le=MOST_PLIES)] | None = None
    filter: FilterName | None = None
    passes: tuple[PassSettings | None, ...] | None = None
    prune: bool | None = None
    cubeful: bool | None = None
    noise: Annotated[float, Field(ge=0, le=1)] | None = None
    deterministic: bool | None = None


class LevelSettings(LookSettings):
    """A whole level."""

    like: str | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    threads: Annotated[int, Field(ge=1, le=256)] | None = None
    checker: LookSettings = LookSettings()
    cube: LookSettings = LookSettings()
    target_rating: JsonValue = None


class BadLevel(ValueError):
    """A level that cannot be; `faults` are lines that say where, what and what instead."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(faults[0] + more)


def load(path: Path) -> dict[str, Level]:
    """The presets and the levels of a file; ConfigError names every fault."""
    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise ConfigError(path, [error.strerror or "cannot be read"]) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        text = str(error).replace("\n", " ")
        raise ConfigError(path, [f"not YAML: {text}"]) from error
    levels, faults = dict(PRESETS), []
    if not isinstance(tree, dict) or not isinstance(tree.get(LEVELS), dict):
        raise ConfigError(path, [f"{LEVELS}: a mapping from names to levels is needed"])
    faults = [f"no setting '{key}', known: {LEVELS}" for key in tree if key != LEVELS]
    for name, settings in tree[LEVELS].items():
        try:
            levels[str(name)] = read(settings, levels, str(name), (LEVELS, str(name)))
        except BadLevel as error:
            faults += error.faults
    if faults:
        raise ConfigError(path, faults)
    return levels


def read(
    wanted: object,
    known: Mapping[str, Level] = PRESETS,
    name: str = "custom",
    place: Place = (),
) -> Level:
    """The level that a name or a mapping means; BadLevel names each fault under `place`."""
    if isinstance(wanted, str):
        if wanted in known:
            return known[wanted]
        raise BadLevel([f"{_at(place)}{_unknown(wanted, known)}"])
    if not isinstance(wanted, dict) or not wanted:
        raise BadLevel([f"{_at(place)}a level is a name, or a mapping of settings"])
    try:
        settings = LevelSettings.model_validate_json(json.dumps(wanted))
    except (ValidationError, TypeError, ValueError) as error:
        raise BadLevel(_faults(error, place)) from None
    if settings.target_rating is not None:
        where = _path((*place, "target_rating"))
        raise BadLevel([f"{where}: ratings are not measured yet, name a level instead"])
    level = Level(name, Evaluation(), Evaluation())
    if settings.like is not None:
        if settings.like not in known:
            where = _path((*place, "like"))
            raise BadLevel([f"{where}: {_unknown(settings.like, known)}"])
        level = known[settings.like]
    return replace(
        level,
        name=name,
        checker=_look(level.checker, settings, settings.checker, (*place, "checker")),
        cube=_look(level.cube, settings, settings.cube, (*place, "cube")),
        seconds=level.seconds if settings.seconds is None else settings.seconds,
        threads=settings.threads or level.threads,
    )


def _look(before: Evaluation, both: LookSettings, own: LookSettings, place: Place) -> Evaluation:
    changes: dict[str, Any] = {}
    for settings in (both, own):
        said = {field: getattr(settings, field) for field in LookSettings.model_fields}
        if said["filter"] is not None and said["passes"] is not None:
            raise BadLevel([f"{_path((*place, 'passes'))}: give filter or passes, not both"])
        if said["filter"] is not None:
            said["filter"] = FILTERS[said["filter"]]
        if said["passes"] is not None:
            said["filter"] = _filter(said["passes"])
        del said["passes"]
        changes |= {field: value for field, value in said.items() if value is not None}
    look = replace(before, **changes)
    if 0 < look.plies <= len(look.filter.rows) and len(look.filter.rows[look.plies - 1]) == (
        look.plies
    ):
        return look
    if look.plies == 0:
        return look
    raise BadLevel(
        [
            f"{_path((*place, 'passes'))}: a look of {look.plies} plies needs {look.plies} passes, "
            f"these are {len(look.filter.rows)}"
        ]
    )


def _filter(passes: tuple[PassSettings | None, ...]) -> MoveFilter:
    rules = [None if p is None else Pass(p.accept, p.extra, p.threshold) for p in passes]
    return MoveFilter("custom", tuple(tuple(rules[:plies]) for plies in range(1, len(rules) + 1)))


def described(level: Level) -> dict[str, Any]:
    """A level as a mapping that `read` understands."""
    shown: dict[str, Any] = {"checker": _shown(level.checker), "cube": _shown(level.cube)}
    if level.seconds is not None:
        shown["seconds"] = level.seconds
    if level.threads != 1:
        shown["threads"] = level.threads
    return shown


def _shown(look: Evaluation) -> dict[str, Any]:
    shown = asdict(look)
    if look.filter == FILTERS.get(look.filter.name):
        shown["filter"] = look.filter.name
    else:
        del shown["filter"]
        rules = look.filter.rows[look.plies - 1]
        shown["passes"] = [rule and rule._asdict() for rule in rules]
    return shown


def _unknown(name: str, known: Mapping[str, Level]) -> str:
    return f"no level '{name[:40]}'" + (_near(name, tuple(known)) or f", known: {', '.join(known)}")


def _at(place: Place) -> str:
    return f"{_path(place)}: " if place else ""


def _faults(error: ValidationError | TypeError | ValueError, place: Place) -> list[str]:
    if not isinstance(error, ValidationError):
        return [f"{_at(place)}not plain settings"]
    return [_fault(fault, place) for fault in error.errors(include_url=False)]


def _fault(fault: ErrorDetails, place: Place) -> str:
    where = (*place, *fault["loc"])
    if fault["type"] != "extra_forbidden":
        return f"{_path(where)}: {_reason(fault)}"
    inside, key = fault["loc"][:-1], str(fault["loc"][-1])
    model: type[Settings] = LevelSettings
    if inside:
        model = PassSettings if "passes" in inside else LookSettings
    known = tuple(field for field in model.model_fields if field != "target_rating")
    return f"{_at(where[:-1])}no setting '{key}'" + (
        _near(key, known) or f", known: {', '.join(known)}"
    )
