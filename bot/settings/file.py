"""Reads settings from YAML: one file, one or several profiles; reports every fault by its path.

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
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from sixprime.bot.settings.blanking import without_password
from sixprime.bot.settings.faults import Place, dotted, fault_in_words, no_setting
from sixprime.bot.settings.relativepaths import rooted
from sixprime.bot.settings.schema import LEVELS, PIPS, Config, ControlSettings, Profile
from sixprime.bot.settings.values import Section
from sixprime.engine.system.errors import nearest_or_all

SECTIONS = tuple(name for name in Profile.model_fields if name != "name")
PROFILES = "profiles"
FOR_ALL: dict[str, Any] = {  # the section of each name
    name: field.annotation for name, field in Config.model_fields.items() if name != PROFILES
}
LARGEST = 1_000_000  # bytes; a file with every setting has 12,000

Tree = dict[str, Any]  # raw YAML, which does not leave this file


class ConfigError(Exception):
    """The settings file is wrong; each of `faults` says where, what, and what would be right."""

    def __init__(self, path: Path, faults: list[str]) -> None:
        self.path = path
        self.faults = faults
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{path}: {faults[0]}{more}")


class NoProfile(Exception):
    """The file has no profile of this name; the text lists those it has."""


def load(path: Path) -> Config:
    """The settings of a file; ConfigError names every fault."""
    return read(text_of(path), path)


def text_of(path: Path) -> str:
    """The text of the file; ConfigError if it cannot be read."""
    try:
        if path.exists() and not path.is_file():  # a pipe may never end, or never begin
            raise ConfigError(path, ["not a file"])
        if path.stat().st_size > LARGEST:
            raise ConfigError(path, [f"larger than {LARGEST:,} bytes"])
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(path, ["not a text file in UTF-8"]) from None
    except OSError as error:
        raise ConfigError(path, [error.strerror or "cannot be read"]) from error


def parsed(text: str, path: Path) -> object:
    """The YAML of a text, without YAML's traps; `path` is only for the messages."""
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ConfigError(path, [_not_yaml(error)]) from None
    except RecursionError:
        raise ConfigError(path, ["nested too deeply"]) from None


def read(text: str, path: Path) -> Config:
    """The settings of a text; `path` is for messages, and where its relative paths begin."""
    tree = rooted(parsed(text, path), path.parent)
    if not isinstance(tree, dict):
        raise ConfigError(path, ["not a mapping of settings; `sixprime config init` writes one"])
    faults: list[str] = []
    config = _read_tree(tree, faults)
    if config is None or faults:
        raise ConfigError(path, list(dict.fromkeys(faults)))
    return config


def control_of(path: Path) -> ControlSettings:
    """The section `control` of a file whose other settings may be wrong."""
    tree = rooted(parsed(text_of(path), path), path.parent)
    section = tree.get("control", {}) if isinstance(tree, dict) else {}
    faults: list[str] = []
    found = _validated(ControlSettings, section, ("control",), {}, faults)
    if not isinstance(found, ControlSettings):
        raise ConfigError(path, faults)
    return found


# --- YAML, without its traps


_SCALARS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false",
            "null": "null"}  # fmt: skip
_TAGS = {f"tag:yaml.org,2002:{name}": name for name in (*_SCALARS, "seq", "map")}

_OLD_NUMBER = re.compile(r"[-+]?(?:0[\d_]|[\d_]++:)")  # octal 010, and 1:30 in sixties


class _Loader(yaml.SafeLoader):
    """No dates, no numbers but decimal ones, no merged keys, no key twice, no aliases.

    And no types but those of settings.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag not in _TAGS:
            name = node.tag.replace("tag:yaml.org,2002:", "!!")
            raise _refused(f"{name} is not used", node)
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, str):
                value.encode()
            elif isinstance(node, yaml.ScalarNode) and _OLD_NUMBER.match(node.value):
                why = "a number that begins with 0, or has a colon, would be another"
                raise _refused(f"{why}: write it in decimal, or as text in quotes", node)
        except UnicodeEncodeError:
            raise _refused("half a character", node) from None
        except (LookupError, ValueError):  # as `!!int x`, or a number of too many digits
            raise _refused(f"no {_SCALARS.get(_TAGS[node.tag], 'list')}", node) from None
        return value

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not used", None)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise _refused("no mapping", node)
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _refused("a key is not a word", key)
            if key.value in seen:
                raise _refused(f"'{key.value}' stands here twice", key)
            seen.add(key.value)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def _refused(why: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, why, node.start_mark)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _TAGS]
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
    faults += [no_setting((), key, known) for key in tree if key not in known]
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
            faults += [no_setting(place, key, SECTIONS) for key in own if key not in SECTIONS]
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
    faults += [f"{dotted(where)}: {what}" for where, what in _unknown_levels(tree, place)]
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
        account = (profile.server.host.lower(), profile.server.port, profile.account.user)
        if account in seen:
            faults.append(
                f"{PROFILES}.{profile.name}.account.user: '{profile.account.user}' is already "
                f"the account of '{seen[account]}'; a server closes the older connection"
            )
        seen[account] = profile.name


def _unknown_levels(tree: Tree, place: Place) -> Iterator[tuple[Place, str]]:
    """Faults in the levels a raw profile names, found even if other settings are wrong."""
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
            yield (*place, "player", key), f"no level '{level}'{nearest_or_all(level, LEVELS)}"


def _section(tree: Tree, name: str) -> Tree:
    found = tree.get(name)
    return found if isinstance(found, dict) else {}


def _validated(
    model: type[Section], tree: object, place: Place, own: Tree, faults: list[str]
) -> Section | None:
    """The section, or None and its faults; `own` is what the file has under `place`."""
    try:
        return model.model_validate_json(json.dumps(tree))
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            where = fault["loc"]
            missing = fault["type"] == "missing"
            inside = missing or place[:1] != (PROFILES,) or _stands_in(own, where)
            faults.append(fault_in_words(model, fault, (*place, *where) if inside else where))
        return None


def _stands_in(tree: object, place: Place) -> bool:
    """Is this set in the profile itself, not above it?"""
    for part in place:
        if isinstance(part, int):
            return True
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]
    return True


# --- choosing, showing


def chosen(config: Config, name: str | None) -> tuple[Profile, ...]:
    """All profiles, or the one of this name; NoProfile with a clear text."""
    if name is None:
        return config.profiles
    found = tuple(profile for profile in config.profiles if profile.name == name)
    if not found:
        known = tuple(profile.name for profile in config.profiles)
        raise NoProfile(f"no profile '{name}'{nearest_or_all(name, known)}")
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
    content = {"profiles": profiles, **{name: tree[name] for name in FOR_ALL}}
    return yaml.safe_dump(content, sort_keys=False, width=100)
