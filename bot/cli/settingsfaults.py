"""The faults of settings that only this machine shows: files, folders, libraries.

`sixprime config check` and `sixprime doctor` find here the reasons why `sixprime play` would not
start. No password in the environment is demanded, since a service has one of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from sixprime.bot.control.controlsocket import folder_fault
from sixprime.bot.settings.namefiles import checked
from sixprime.bot.settings.passwords import first_line, password_in_file
from sixprime.bot.settings.schema import AUTO, Config, Profile, WebSettings
from sixprime.engine.system.errors import ConfigError


def faults_of(config: Config) -> list[str]:
    """List the faults, each once, as profiles share settings."""
    found: list[str] = []
    for profile in config.profiles:
        found += _level_faults(profile)
        found += _name_faults(profile)
        found += _password_faults(profile)
        found += _database_faults(profile)
    found += _web_faults(config.web)
    found += _socket_faults(config.control.socket)
    return list(dict.fromkeys(found))


def _password_faults(profile: Profile) -> Iterator[str]:
    """Yield the fault of a file that is needed; a password in the environment goes first."""
    if os.environ.get(profile.account.password_env or ""):
        return
    try:
        password_in_file(profile.account)
    except ConfigError as error:
        yield str(error)


def _web_faults(web: WebSettings) -> Iterator[str]:
    if web.listen is None:
        return
    for library in ("starlette", "uvicorn", "jinja2"):
        if find_spec(library) is None:
            yield f"web.listen: {library} is missing: pip install 'sixprime[web]'"
            return
    for name in ("password_file", "watch_password_file", "token_file"):
        path = getattr(web, name)
        try:
            _ = path and first_line(path, f"web.{name}")
        except ConfigError as error:
            yield str(error)


def _socket_faults(path: Path | None) -> Iterator[str]:
    if path not in (None, AUTO) and (fault := folder_fault(path.parent)):
        yield f"control.socket: {fault}"


def _level_faults(profile: Profile) -> list[str]:
    """List the faults of the operator's own levels; presets need no engine."""
    player = profile.player
    named = (player.level, player.cube_level, player.thinking.cheaper_level)
    if player.levels_file is None and not any(isinstance(level, dict) for level in named):
        return []
    from sixprime.bot.client.ladder import levels_of  # the whole engine

    try:
        levels_of(player)
    except ConfigError as error:
        if error.path is not None:  # a file of levels
            raise
        return error.faults
    return []


def _name_faults(profile: Profile) -> list[str]:
    try:
        checked(profile.lobby)
    except ConfigError as error:
        return [str(error)]
    return []


def _database_faults(profile: Profile) -> list[str]:
    """List an unknown kind of database, or a driver that is not installed."""
    address = profile.archive.database
    if address is None or address.startswith("sqlite:///"):
        return []
    from sqlalchemy.engine import make_url  # takes longer to import than all else here
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    from sixprime.bot.archive.database import no_driver, with_driver

    try:
        with_driver(make_url(address)).get_dialect().import_dbapi()
    except ValueError:  # a port that is not a number; opening the archive says so
        return []
    except ModuleNotFoundError as error:
        return [f"archive.database: {no_driver(error)}"]
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        return [f"archive.database: {str(error).splitlines()[0]}"]
    return []
