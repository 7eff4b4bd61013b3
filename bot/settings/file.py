"""Reading settings from YAML: one file, one or several profiles, every fault by its path.

Sections at the top of a file hold for every profile; a profile under `profiles` says what differs:

    server: {host: fibs.com}
    profiles:
      anna: {account: {user: anna_bot}, player: {level: beginner}}
      ben: {account: {user: ben_bot}}

Without `profiles` the file is one profile, named after its account.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sixprime.bot.settings.schema import (
    LEVELS,
    PIPS,
    Config,
    Logging,
    MetricsSettings,
    Profile,
    Section,
)

SECTIONS = tuple(name for name in Profile.model_fields if name != "name")
FOR_ALL: dict[str, type[Section]] = {"logging": Logging, "metrics": MetricsSettings}
PROFILES = "profiles"
SECRET = ("password", "passwd", "pass", "secret")

Place = tuple[str | int, ...]
Tree = dict[str, Any]  # YAML as it was read; nothing of it travels further inward than this file


class ConfigError(Exception):
    """The operator's file is wrong; `faults` are lines that say where, what and what instead."""

    def __init__(self, path: Path, faults: list[str]) -> None:
        self.path = path
        self.faults = faults
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{path}: {faults[0]}{more}")


class NoProfile(Exception):
    """The file has no profile of this name; the text lists those it has."""


def load(path: Path) -> Config:
    """The settings of a file; ConfigError names every fault."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(path, ["not a text file in UTF-8"]) from None
    except OSError as error:
        raise ConfigError(path, [error.strerror or "cannot be read"]) from error
    return read(text, path)


def read(text: str, path: Path) -> Config:
    """The settings of a text; `path` is only for the messages."""
    try:
        tree = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ConfigError(path, [_not_yaml(error)]) from None
    except RecursionError:
        raise ConfigError(path, ["nested too deeply"]) from None
    if not isinstance(tree, dict):
        raise ConfigError(path, ["not a mapping of settings; `sixprime config init` writes one"])
    faults: list[str] = []
    config = _read_tree(tree, faults)
    if config is None or faults:
        raise ConfigError(path, list(dict.fromkeys(faults)))
    return config


# --- YAML, without its traps


class _Loader(yaml.SafeLoader):
    """No dates, no merge surprises, no key twice, no aliases."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not used", None)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is not a word", key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key.value}' stands here twice", key.start_mark
                )
            seen.add(key.value)
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    return loader.construct_mapping(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def _not_yaml(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"{where}{problem}"


# --- profiles


def _read_tree(tree: Tree, faults: list[str]) -> Config | None:
    known = (*SECTIONS, *FOR_ALL, PROFILES)
    faults += [_no_setting((), key, known) for key in tree if key not in known]
    for_all: Tree = {
        name: _validated(model, tree.get(name, {}), (name,), {}, faults)
        for name, model in FOR_ALL.items()
    }
    common = {name: tree[name] for name in SECTIONS if name in tree}
    profiles = [
        profile
        for name, own in _own_settings(tree, faults)
        if (profile := _profile(name, common, own, faults)) is not None
    ]
    _same_account_twice(profiles, faults)
    if faults:
        return None
    return Config.model_construct(profiles=tuple(profiles), **for_all)


def _own_settings(tree: Tree, faults: list[str]) -> Iterator[tuple[str | None, Tree]]:
    """Name and own settings of each profile; a name of None is a file without `profiles`."""
    if PROFILES not in tree:
        yield None, {}
        return
    profiles = tree[PROFILES]
    if not isinstance(profiles, dict) or not profiles:
        faults.append(f"{PROFILES}: a mapping from names to settings is needed")
        return
    for name, own in profiles.items():
        if isinstance(own, dict):
            place = (PROFILES, name)
            faults += [_no_setting(place, key, SECTIONS) for key in own if key not in SECTIONS]
            yield name, own
        else:
            faults.append(f"{PROFILES}.{name}: a mapping of settings is needed")


def _profile(name: str | None, common: Tree, own: Tree, faults: list[str]) -> Profile | None:
    tree = _merged(common, {key: own[key] for key in SECTIONS if key in own})
    account = tree.get("account")
    user = account.get("user") if isinstance(account, dict) else None
    tree["name"] = name or (user if isinstance(user, str) else "bot")
    place: Place = () if name is None else (PROFILES, name)
    profile = _validated(Profile, tree, place, own, faults)
    faults += [f"{_path(where)}: {what}" for where, what in _unknown_levels(tree, place)]
    return profile if isinstance(profile, Profile) else None


def _merged(common: Tree, own: Tree) -> Tree:
    merged = dict(common)
    for key, value in own.items():
        before = merged.get(key)
        both = isinstance(before, dict) and isinstance(value, dict) and key not in _WHOLE
        merged[key] = _merged(before, value) if both and before is not None else value
    return merged


_WHOLE = ("level", "cube_level", "cheaper_level", "experience_for_length")  # values, not sections


def _same_account_twice(profiles: list[Profile], faults: list[str]) -> None:
    seen: dict[tuple[str, int, str], str] = {}
    for profile in profiles:
        account = (profile.server.host, profile.server.port, profile.account.user)
        if account in seen:
            faults.append(
                f"{PROFILES}.{profile.name}.account.user: '{profile.account.user}' is already "
                f"the account of '{seen[account]}'; a server closes the older connection"
            )
        seen[account] = profile.name


def _unknown_levels(tree: Tree, place: Place) -> Iterator[tuple[Place, str]]:
    """Of a profile as it is written, whatever else may be wrong with it."""
    player = _section(tree, "player")
    if player.get("levels_file") is not None:
        return
    named = (
        ("level", player.get("level")),
        ("cube_level", player.get("cube_level")),
        ("thinking.cheaper_level", _section(player, "thinking").get("cheaper_level")),
    )
    for key, level in named:
        if isinstance(level, str) and level not in (*LEVELS, PIPS):
            near = _near(level, LEVELS) or f", known: {', '.join(LEVELS)}"
            yield (*place, "player", key), f"no level '{level}'{near}"


def _section(tree: Tree, name: str) -> Tree:
    found = tree.get(name)
    return found if isinstance(found, dict) else {}


# --- faults in words


def _validated(
    model: type[Section], tree: object, place: Place, own: Tree, faults: list[str]
) -> Section | None:
    """The section, or None and its faults; `own` is what stands under `place` in the file."""
    try:
        return model.model_validate_json(json.dumps(tree))
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            where = fault["loc"]
            missing = fault["type"] == "missing"
            inside = missing or place[:1] != (PROFILES,) or _stands_in(own, where)
            faults.append(_fault(model, fault, (*place, *where) if inside else where))
        return None


def _stands_in(tree: object, place: Place) -> bool:
    """Does the profile itself say this?"""
    for part in place:
        if isinstance(part, int):
            return True
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]
    return True


def _fault(model: type[BaseModel], fault: ErrorDetails, place: Place) -> str:
    if fault["type"] == "extra_forbidden":
        inner = _model_at(model, fault["loc"][:-1])
        return _no_setting(place[:-1], str(place[-1]), tuple(inner.model_fields) if inner else ())
    return f"{_path(place)}: {_reason(fault)}"


def _no_setting(place: Place, key: str, known: tuple[str, ...]) -> str:
    where = f"{_path(place)}: " if place else ""
    if key.lower() in SECRET:
        return (
            f"{where}no setting '{key}': a password is not written here, "
            "use password_env, password_file or password_prompt"
        )
    near = _near(key, known)
    if not near:
        elsewhere = [path for path in _all_paths(Profile) if path.rpartition(".")[2] == key]
        near = f"; there is {elsewhere[0]}" if elsewhere else f", known: {', '.join(known)}"
    return f"{where}no setting '{key}'{near}"


def _near(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word.lower(), known, 1)
    return f", did you mean '{near[0]}'?" if near else ""


def _model_at(model: type[BaseModel], place: Place) -> type[BaseModel] | None:
    for part in place:
        field = model.model_fields.get(str(part))
        inner = field.annotation if field else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return None
        model = inner
    return model


def _all_paths(model: type[BaseModel], place: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield place + name
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _all_paths(inner, f"{place}{name}.")


def _path(place: Place) -> str:
    """`lobby.accept.match_lengths[2]`"""
    text = ""
    for part in place:
        if part == "[key]":
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that ends",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "path_type": "a file name",
    "tuple_type": "a list, such as [1, 3, 5]",
    "dict_type": "a mapping",
    "model_type": "a mapping of settings",
    "model_attributes_type": "a mapping of settings",
    "string_pattern_mismatch": "a match length from 1 to 99",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def _reason(fault: ErrorDetails) -> str:
    kind, context, value = fault["type"], fault.get("ctx", {}), _shown(fault)
    if kind == "value_error":
        return str(context.get("error", fault["msg"]))
    if kind == "missing":
        return "is missing"
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f"{value} is out of range, it has to be {words} {context[bound]:g}"
    if kind == "literal_error":
        known = tuple(context["expected"].replace("'", "").replace(" or ", ", ").split(", "))
        near = _near(str(fault["input"]), known)
        return f"{value} is none of {', '.join(known)}{near}"
    if kind in _KINDS:
        quoted = isinstance(fault["input"], str) and _KINDS[kind] not in ("text", "a file name")
        try:
            hint = quoted and isinstance(yaml.safe_load(fault["input"]), int | float | bool)
        except yaml.YAMLError:
            hint = False
        return f"{value} is not {_KINDS[kind]}" + (", write it without quotes" if hint else "")
    return fault["msg"]


def _shown(fault: ErrorDetails) -> str:
    """What the file says, unless it could be a secret."""
    secret = {"account", "database"} & {str(part) for part in fault["loc"]}
    if secret:
        return "this"
    value = fault["input"]
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)[:60]


# --- choosing, showing


def chosen(config: Config, name: str | None) -> tuple[Profile, ...]:
    """All profiles, or the one of this name; NoProfile with a clear text."""
    if name is None:
        return config.profiles
    found = tuple(profile for profile in config.profiles if profile.name == name)
    if not found:
        known = tuple(profile.name for profile in config.profiles)
        raise NoProfile(
            f"no profile '{name}'{_near(name, known) or ', known: ' + ', '.join(known)}"
        )
    return found


def shown(config: Config) -> str:
    """The effective settings as YAML; a password in a database URL is left out."""
    tree: Mapping[str, Any] = json.loads(
        TypeAdapter(Config).dump_json(config, exclude={"profiles": {"__all__": {"name"}}})
    )
    profiles = dict(zip((p.name for p in config.profiles), tree["profiles"], strict=True))
    for profile in profiles.values():
        if profile["archive"]["database"]:
            profile["archive"]["database"] = without_password(profile["archive"]["database"])
    content = {"profiles": profiles, "logging": tree["logging"], "metrics": tree["metrics"]}
    return yaml.safe_dump(content, sort_keys=False, width=100)


def without_password(url: str) -> str:
    """`postgresql://user:***@host/db`"""
    url = re.sub(r"([?&]\w*password=)[^&]*", r"\1***", url)
    scheme, separator, rest = url.partition("://")
    login, at, host = rest.rpartition("@")
    user, colon, _ = login.partition(":")
    return f"{scheme}{separator}{user}{':***' if colon else ''}{at}{host}" if at else url
