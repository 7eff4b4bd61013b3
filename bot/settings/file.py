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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from sixprime.bot.settings.blanking import without_password
from sixprime.bot.settings.faults import Place, dotted, no_setting, validated
from sixprime.bot.settings.relativepaths import rooted
from sixprime.bot.settings.schema import LEVELS, PIPS, Config, ControlSettings, Profile
from sixprime.engine.ratings import PR_N, pr_fault, pr_named
from sixprime.engine.system.errors import ConfigError, nearest_or_all
from sixprime.engine.system.yamlfile import parse_yaml, read_text, read_yaml

SECTIONS = tuple(name for name in Profile.model_fields if name != "name")
PROFILES = "profiles"
FOR_ALL: dict[str, Any] = {  # the section of each name
    name: field.annotation for name, field in Config.model_fields.items() if name != PROFILES
}

Tree = dict[str, Any]  # raw YAML, which does not leave this file


def load_config(path: Path) -> Config:
    """Return the settings of a file; ConfigError names every fault."""
    return read_config(read_text(path), path)


def read_config(text: str, path: Path) -> Config:
    """Return the settings of a text; `path` is for messages, and relative paths begin beside it."""
    tree = rooted(parse_yaml(text, path), path.parent)
    if not isinstance(tree, dict):
        raise ConfigError("not a mapping of settings; `sixprime config init` writes one", path)
    faults: list[str] = []
    config = _read_tree(tree, faults)
    if config is None or faults:
        raise ConfigError(list(dict.fromkeys(faults)), path)
    return config


def control_of(path: Path) -> ControlSettings:
    """Return the section `control` of a file whose other settings may be wrong."""
    tree = rooted(read_yaml(path), path.parent)
    section = tree.get("control", {}) if isinstance(tree, dict) else {}
    faults: list[str] = []
    found = validated(ControlSettings, section, faults, ("control",))
    if found is None:
        raise ConfigError(faults, path)
    return found


# --- profiles


def _read_tree(tree: Tree, faults: list[str]) -> Config | None:
    known = (*SECTIONS, *FOR_ALL, PROFILES)
    faults += [no_setting((), key, known) for key in tree if key not in known]
    for_all: Tree = {
        name: validated(model, tree.get(name, {}), faults, (name,))
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
    """Yield the name and own settings of each profile; None names a file without `profiles`."""
    if PROFILES not in tree:
        yield None, {}
        return
    profiles = tree[PROFILES]
    if not isinstance(profiles, dict) or not profiles:
        faults.append(f"{PROFILES}: has to be a mapping from names to settings")
        return
    for name, own in profiles.items():
        if isinstance(own, dict):
            place = (PROFILES, name)
            faults += [no_setting(place, key, SECTIONS) for key in own if key not in SECTIONS]
            yield name, own
        else:
            faults.append(f"{PROFILES}.{name}: has to be a mapping of settings")


def _profile(name: str | None, common: Tree, own: Tree, faults: list[str]) -> Profile | None:
    tree = _merged(common, {key: own[key] for key in SECTIONS if key in own})
    account = tree.get("account")
    user = account.get("user") if isinstance(account, dict) else None
    tree["name"] = name or (user if isinstance(user, str) else "bot")
    place: Place = () if name is None else (PROFILES, name)
    profile = validated(Profile, tree, faults, place, own)
    faults += [f"{dotted(where)}: {what}" for where, what in _unknown_levels(tree, place)]
    return profile


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
    """Yield faults in the levels that a raw profile names, beside all other faults."""
    player = _section(tree, "player")
    if player.get("levels_file") is not None:
        return
    named = (
        ("level", player.get("level")),
        ("cube_level", player.get("cube_level")),
        ("thinking.cheaper_level", _section(player, "thinking").get("cheaper_level")),
    )
    for key, level in named:
        if isinstance(level, str) and not level.isdecimal() and (fault := _level_fault(level)):
            yield (*place, "player", key), fault


def _level_fault(name: str) -> str | None:
    if name in (*LEVELS, PIPS):
        return None
    pr = pr_named(name)
    if pr is not None:
        return pr_fault(pr)
    return f"no level '{name}'{nearest_or_all(name, (*LEVELS, PR_N))}"


def _section(tree: Tree, name: str) -> Tree:
    found = tree.get(name)
    return found if isinstance(found, dict) else {}


# --- choosing, showing


def chosen(config: Config, name: str | None) -> tuple[Profile, ...]:
    """Return all profiles, or the profile of this name; ConfigError names the nearest."""
    if name is None:
        return config.profiles
    found = tuple(profile for profile in config.profiles if profile.name == name)
    if not found:
        known = tuple(profile.name for profile in config.profiles)
        raise ConfigError(f"no profile '{name}'{nearest_or_all(name, known)}")
    return found


def shown(config: Config) -> str:
    """Return the effective settings as YAML; a password in a database URL is left out."""
    tree: Mapping[str, Any] = json.loads(
        TypeAdapter(Config).dump_json(config, exclude={"profiles": {"__all__": {"name"}}})
    )
    profiles = dict(zip((p.name for p in config.profiles), tree["profiles"], strict=True))
    for profile in profiles.values():
        if profile["archive"]["database"]:
            profile["archive"]["database"] = without_password(profile["archive"]["database"])
    content = {"profiles": profiles, **{name: tree[name] for name in FOR_ALL}}
    return yaml.safe_dump(content, sort_keys=False, width=100)
