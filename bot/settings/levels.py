"""The operator's own levels, from YAML files and mappings; every fault by its path.

    levels:
      sleepy: {noise: 0.03, cube: {noise: 0}}
      patient: {like: grandmaster, seconds: 5, threads: 2}
    friend: {target_rating: 1600}
    club: {pr: 7, seed: 3}
    equal: {target_rating: opponent, bounds: {least: 1300, most: 1900}}

Settings outside `checker` and `cube` apply to both. Without `like` a level starts from a 0-ply look
without noise. `config/levels.yaml` shows every setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from sixprime.bot.settings.faults import Place, dotted, validated
from sixprime.bot.settings.relativepaths import rooted
from sixprime.bot.settings.values import TARGET, Section
from sixprime.engine.bearoff.files import BadDatabase
from sixprime.engine.nets.weights import Named, opened
from sixprime.engine.people import Person
from sixprime.engine.people.choosing import TRAITS
from sixprime.engine.people.cube import PORTRAIT
from sixprime.engine.ratings import LEAST_PR, MOST_PR
from sixprime.engine.search.levels import PRESETS, Level, Target, UnknownLevel, preset
from sixprime.engine.search.plies import FILTERS, Evaluation, MoveFilter, Pass, Rolling
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.yamlfile import read_yaml

Pr = Annotated[float, Field(ge=LEAST_PR, le=MOST_PR)]
FilterName = Literal["tiny", "narrow", "normal", "large", "huge"]
MOST_PLIES = 4
OPPONENT = "opponent"
LEVELS = "levels"
LOOKING_AHEAD = ("plies", "filter", "passes", "keep", "rolls", "noise", "rollout")


class PassSettings(Section):
    """The candidates that are searched deeper after one ply."""

    accept: Annotated[int, Field(ge=0, le=1000)] = 0
    extra: Annotated[int, Field(ge=0, le=1000)]
    threshold: Annotated[float, Field(ge=0, le=10)]


class RollingSettings(Section):
    """As sixprime.engine.search.plies.Rolling; None keeps the level's value, or the default."""

    trials: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    truncate: Annotated[int, Field(ge=0, le=1000)] | None = None
    clear: Annotated[float, Field(gt=0, le=100)] | None = None
    plays: Annotated[int, Field(ge=2, le=100)] | None = None
    within: Annotated[float, Field(ge=0, le=10)] | None = None
    cube_within: Annotated[float, Field(ge=0, le=10)] | None = None
    weight: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    cube_weight: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class EfficiencySettings(Section):
    """The settings of sixprime.engine.search.plies.CubeEfficiency."""

    contact: Annotated[float, Field(ge=0, le=1)] | None = None
    bearoff: Annotated[float, Field(ge=0, le=1)] | None = None
    race: Annotated[float, Field(ge=0, le=1)] | None = None


class LookSettings(Section):
    """As sixprime.engine.search.plies.Evaluation; None keeps the value of the level."""

    plies: Annotated[int, Field(ge=0, le=MOST_PLIES)] | None = None
    filter: FilterName | None = None
    passes: tuple[PassSettings | None, ...] | None = None
    prune: bool | None = None
    keep: Annotated[int, Field(ge=1, le=1000)] | None = None
    rolls: Literal[7, 12, 21] | None = None
    cubeful: bool | None = None
    noise: Annotated[float, Field(ge=0, le=1)] | None = None
    deterministic: bool | None = None
    efficiency: EfficiencySettings | None = None
    rollout: RollingSettings | None = None  # of what these plies leave open


class BearoffSettings(Section):
    """Files of bearoff databases of one's own."""

    one_sided: str | None = None
    two_sided: str | None = None


class BoundsSettings(Section):
    """The lowest and highest rating to play at when following the opponent's."""

    least: Annotated[float, Field(ge=0, le=4000)] = 0.0
    most: Annotated[float, Field(ge=0, le=4000)] = 4000.0


class CubeLookSettings(LookSettings):
    """The same for the cube; or the PR of a person who decides about it."""

    pr: Pr | None = None


class LevelSettings(LookSettings):
    like: str | None = None
    pr: Pr | None = None  # plays like people of this PR
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None  # another seed: another person
    portrait: tuple[float, ...] | None = None  # of one player, from `sixprime levels learn`
    seconds: Annotated[float, Field(gt=0)] | None = None
    threads: Annotated[int, Field(ge=0, le=256)] | None = None
    checker: LookSettings = LookSettings.usual()
    cube: CubeLookSettings = CubeLookSettings.usual()
    met: str | None = None  # match equity table
    bearoff: BearoffSettings | None = None
    target_rating: JsonValue = None  # a number or OPPONENT
    bounds: BoundsSettings | None = None


def load_levels(path: Path) -> dict[str, Level]:
    """Return the presets and the levels of a file; ConfigError names every fault."""
    tree = rooted(read_yaml(path), path.parent)
    levels = dict(PRESETS)
    if not isinstance(tree, dict) or not isinstance(tree.get(LEVELS), dict):
        raise ConfigError(f"{LEVELS}: has to be a mapping from names to levels", path)
    faults = [f"no setting '{key}', known: {LEVELS}" for key in tree if key != LEVELS]
    for name, settings in tree[LEVELS].items():
        try:
            levels[str(name)] = read_level(settings, levels, str(name), (LEVELS, str(name)))
        except ConfigError as error:
            faults += error.faults
    if faults:
        raise ConfigError(faults, path)
    return levels


def read_level(
    wanted: object, known: Mapping[str, Level] = PRESETS, name: str = "custom", place: Place = ()
) -> Level:
    """Return the level that a name, a rating or a mapping means.

    ConfigError names faults under `place`.
    """
    if isinstance(wanted, str) and wanted.isdecimal() and wanted not in known:
        wanted = {TARGET: int(wanted)}
    if isinstance(wanted, str):
        return _named(wanted, known, _at(place))
    if not isinstance(wanted, dict) or not wanted:
        raise ConfigError(f"{_at(place)}a level is a name, or a mapping of settings")
    faults: list[str] = []
    settings = validated(LevelSettings, wanted, faults, place)
    if settings is None:
        raise ConfigError(faults)
    target = _target(settings, place)
    level = Level(name, Evaluation(), Evaluation())
    if settings.like is not None:
        level = _named(settings.like, known, _at((*place, "like")))
    whole = replace(
        level,
        name=name,
        checker=_look(level.checker, settings, settings.checker, (*place, "checker")),
        cube=_look(level.cube, settings, settings.cube, (*place, "cube")),
        seconds=level.seconds if settings.seconds is None else settings.seconds,
        threads=level.threads if settings.threads is None else settings.threads,
        met=_met(settings.met, place) or level.met,
        bearoff=level.bearoff if settings.bearoff is None else _bearoff(settings.bearoff, place),
    )
    whole = _with_people(whole, settings, place)
    return whole if target is None else _rated(whole, target, place)


def _named(name: str, known: Mapping[str, Level], where: str) -> Level:
    try:
        return preset(name, known)
    except UnknownLevel as error:
        raise ConfigError(f"{where}{error}") from None


def _with_people(level: Level, settings: LevelSettings, place: Place) -> Level:
    """Return the level with the people who choose its plays and decide about its cube."""
    person, cube = level.person, level.cube_person
    if settings.pr is not None:
        person = cube = Person(settings.pr)
    if person is not None:
        _check_looks_no_further(settings, place)
    _check_portrait(settings.portrait, place)
    if any(getattr(settings.cube, name) is not None for name in LOOKING_AHEAD):
        cube = None
    if settings.cube.pr is not None:
        cube = replace(person or Person(settings.cube.pr), pr=settings.cube.pr)
    own = settings.model_dump(include={"seed", "portrait"}, exclude_none=True)
    if person is None and cube is None:
        if own:
            raise ConfigError(f"{dotted((*place, min(own)))}: only with pr")
        return level
    person, cube = (each and replace(each, **own) for each in (person, cube))
    return replace(
        level,
        checker=level.checker if person is None else _at_first_sight(level.checker),
        cube=level.cube if cube is None else _at_first_sight(level.cube),
        person=person,
        cube_person=cube,
    )


def _at_first_sight(look: Evaluation) -> Evaluation:
    """Return the look of `expert`, on which the choices of people rest."""
    kept = ("cubeful", "deterministic", "efficiency")
    return Evaluation(prune=False, **{name: getattr(look, name) for name in kept})


def _check_looks_no_further(settings: LevelSettings, place: Place) -> None:
    for look, within in ((settings, ()), (settings.checker, ("checker",))):
        for name in (TARGET, *LOOKING_AHEAD):
            if getattr(look, name, None) is not None:
                where = dotted((*place, *within, name))
                raise ConfigError(f"{where}: leave it out, pr says how plays are chosen")


def _check_portrait(portrait: tuple[float, ...] | None, place: Place) -> None:
    wanted = TRAITS + PORTRAIT
    if portrait is not None and len(portrait) != wanted:
        where, lengths = dotted((*place, "portrait")), f"length {len(portrait)}, not {wanted}"
        raise ConfigError(f"{where}: {lengths}: of another model of people, learn it again")


def _met(name: str | None, place: Place) -> str | None:
    from sixprime.engine.search.equityfile import BadEquityTable
    from sixprime.engine.search.matchequity import load_table

    if name is not None:
        try:
            load_table(name)
        except BadEquityTable as error:
            raise ConfigError(f"{dotted((*place, 'met'))}: {error}") from None
    return name


def _bearoff(settings: BearoffSettings, place: Place) -> Named:
    for name, path in settings.model_dump(exclude_none=True).items():
        try:
            opened(Named(**{name: path}))
        except BadDatabase as error:
            raise ConfigError(f"{dotted((*place, 'bearoff', name))}: {error}") from None
    return Named(**settings.model_dump())


def _target(settings: LevelSettings, place: Place) -> Target | None:
    """Return the rating to play at; ConfigError if other settings contradict it."""
    rating, bounds = settings.target_rating, settings.bounds
    if rating is None:
        if bounds is not None:
            raise ConfigError(f"{dotted((*place, 'bounds'))}: only with target_rating: {OPPONENT}")
        return None
    for look, within in ((settings, ()), (settings.checker, ("checker",))):
        if look.noise is not None:
            where = dotted((*place, *within, "noise"))
            raise ConfigError(f"{where}: leave noise out, target_rating decides how much there is")
    where = dotted((*place, "target_rating"))
    if rating == OPPONENT:
        bounds = bounds or BoundsSettings()
        if bounds.most < bounds.least:
            raise ConfigError(f"{dotted((*place, 'bounds'))}: most is below least, swap them")
        return Target(None, bounds.least, bounds.most, settings.cube.noise)
    if isinstance(rating, bool) or not isinstance(rating, int | float):
        raise ConfigError(f"{where}: a rating such as 1600, or '{OPPONENT}'")
    if bounds is not None:
        raise ConfigError(f"{dotted((*place, 'bounds'))}: only with target_rating: {OPPONENT}")
    return Target(float(rating), cube_noise=settings.cube.noise)


def _rated(level: Level, target: Target, place: Place) -> Level:
    """Return a level with a target, at the noise of a match of the usual length."""
    from sixprime.engine.search import ratingtable as table

    where = dotted((*place, "target_rating"))
    if any(look.plies or look.rollout for look in (level.checker, level.cube)):
        raise ConfigError(f"{where}: ratings are measured for 0 plies, leave plies and like out")
    try:
        ratings = table.shipped_ratings()
        if target.rating is not None:
            ratings.check(target.rating, target.cube_noise)
        return replace(ratings.resolved(level, target, table.USUAL_LENGTH), target=target)
    except table.BadRating as error:
        raise ConfigError(f"{where}: {error}") from error


def _look(before: Evaluation, both: LookSettings, apart: LookSettings, place: Place) -> Evaluation:
    changes: dict[str, Any] = {}
    for settings in (both, apart):
        said = {field: getattr(settings, field) for field in LookSettings.model_fields}
        if said["filter"] is not None and said["passes"] is not None:
            raise ConfigError(f"{dotted((*place, 'passes'))}: give filter or passes, not both")
        if said["filter"] is not None:
            said["filter"] = FILTERS[said["filter"]]
        if said["passes"] is not None:
            said["filter"] = _filter(said["passes"])
        del said["passes"]
        if settings.rollout is not None:
            start = changes.get("rollout") or before.rollout or Rolling()
            said["rollout"] = replace(start, **settings.rollout.model_dump(exclude_none=True))
        if settings.efficiency is not None:
            own = settings.efficiency.model_dump(exclude_none=True)
            said["efficiency"] = replace(changes.get("efficiency", before.efficiency), **own)
        changes |= {field: value for field, value in said.items() if value is not None}
    look = replace(before, **changes)
    if look.rollout is not None and look.noise > 0:
        where = dotted((*place, "rollout"))
        raise ConfigError(f"{where}: a rollout sees no noise, leave one of them out")
    rows = look.filter.rows
    if look.plies == 0 or (look.plies <= len(rows) and len(rows[look.plies - 1]) == look.plies):
        return look
    what = f"a look of {look.plies} plies needs {look.plies} passes, these are {len(rows)}"
    raise ConfigError(f"{dotted((*place, 'passes'))}: {what}")


def _filter(passes: tuple[PassSettings | None, ...]) -> MoveFilter:
    rules = [None if p is None else Pass(p.accept, p.extra, p.threshold) for p in passes]
    return MoveFilter("custom", tuple(tuple(rules[:plies]) for plies in range(1, len(rules) + 1)))


def described(level: Level) -> dict[str, Any]:
    """Return a level as a mapping that `read_level` understands."""
    shown: dict[str, Any] = {"checker": _shown(level.checker), "cube": _shown(level.cube)}
    if level.person is not None or level.cube_person is not None:
        shown = _people_shown(shown, level.person, level.cube_person)
    if level.target is not None:
        shown = _rating_shown(shown, level.target) | shown
    if level.seconds is not None:
        shown["seconds"] = level.seconds
    if level.threads != 1:
        shown["threads"] = level.threads
    if level.met is not None:
        shown["met"] = level.met
    if any(level.bearoff):
        shown["bearoff"] = level.bearoff._asdict()
    return shown


def _people_shown(
    looks: dict[str, Any], person: Person | None, cube: Person | None
) -> dict[str, Any]:
    """Show the people who decide instead of how the engine looks."""
    either = person or cube
    assert either is not None
    shown: dict[str, Any] = {"seed": either.seed}
    if either.portrait is not None:
        shown["portrait"] = list(either.portrait)
    if person is None:
        shown["checker"] = looks["checker"]
    else:
        shown = {"pr": person.pr, **shown, "deterministic": looks["checker"]["deterministic"]}
    if cube is None:
        shown["cube"] = looks["cube"]
    elif person is None or cube.pr != person.pr:
        shown["cube"] = {"pr": cube.pr}
    return shown


def _rating_shown(looks: dict[str, Any], target: Target) -> dict[str, Any]:
    """Show the target rating instead of the noise that plays at it."""
    del looks["checker"]["noise"]
    if target.cube_noise is None:
        del looks["cube"]["noise"]
    if target.rating is not None:
        return {"target_rating": target.rating}
    most = min(target.most, BoundsSettings().most)
    return {"target_rating": OPPONENT, "bounds": {"least": target.least, "most": most}}


def _shown(look: Evaluation) -> dict[str, Any]:
    shown = asdict(look)
    if look.rollout is None:
        del shown["rollout"]
    shown["efficiency"] = {k: v for k, v in shown["efficiency"].items() if v is not None}
    if not shown["efficiency"]:
        del shown["efficiency"]
    if look.filter == FILTERS.get(look.filter.name):
        shown["filter"] = look.filter.name
    else:
        del shown["filter"]
        rules = look.filter.rows[look.plies - 1]
        shown["passes"] = [rule and rule._asdict() for rule in rules]
    return shown


def _at(place: Place) -> str:
    return f"{dotted(place)}: " if place else ""
