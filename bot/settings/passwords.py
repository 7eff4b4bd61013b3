"""Finds a password: in an environment variable, a file or at the terminal. Never in a log."""

from __future__ import annotations

import getpass
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from sixprime.bot.settings.blanking import PASSWORD_KEY
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.trusted import secret_fault

if TYPE_CHECKING:
    from sixprime.bot.settings.archiveplace import ArchivePlace
    from sixprime.bot.settings.schema import AccountSettings, ArchiveSettings

NOT_WAITING = getattr(os, "O_NONBLOCK", 0)  # for somebody who writes into a pipe
LONGEST = 2**16  # characters of a password and its line


@dataclass(frozen=True, slots=True)
class Secret:
    """A string that does not show when printed or logged."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return "***"


def find_password(account: AccountSettings, environment: Mapping[str, str] | None = None) -> Secret:
    """Return the account's password, none for a guest; ConfigError if there is none anywhere."""
    if account.guest:
        return Secret("")
    environment = os.environ if environment is None else environment
    looked = []
    if account.password_env:
        if found := environment.get(account.password_env):
            return _checked(found, f"the variable {account.password_env}")
        looked.append(f"the environment variable {account.password_env} is not set")
    if in_file := password_in_file(account):
        return in_file
    if account.password_prompt:
        if sys.stdin.isatty():
            return _checked(getpass.getpass(f"Password of {account.user}: "), "your answer")
        looked.append("there is no terminal to ask at")
    raise ConfigError(
        f"no password for {account.user}: {' and '.join(looked) or 'none configured'}"
    )


def password_in_file(account: AccountSettings) -> Secret | None:
    """Return the password in the account's file, None without a file; ConfigError."""
    if account.password_file is None:
        return None
    text = first_line(account.password_file, "account.password_file")
    return _checked(text, str(account.password_file))


def find_database_password(archive: ArchiveSettings | ArchivePlace) -> Secret | None:
    """Return the database password, None if no setting names one; ConfigError."""
    name, path = archive.database_password_env, archive.database_password_file
    if name and (found := os.environ.get(name)):
        return Secret(found)
    if path is not None:
        found = first_line(path, "archive.database_password_file")
        if not found:
            raise ConfigError(f"archive.database_password_file: {path}: empty")
        return Secret(found)
    if name:
        raise ConfigError(
            f"archive.database_password_env: the environment variable {name} is not set"
        )
    return None


def passwords_in(address: str) -> list[str]:
    """Return the passwords in a database URL, as written there and decoded."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):  # such a URL cannot be opened either
        return []
    asked = [str(value) for key, value in url.query.items() if re.fullmatch(PASSWORD_KEY, key)]
    found = [each for each in (url.password, *asked) if each]
    return [*found, *(quote(each) for each in found), *(quote_plus(each) for each in found)]


def first_line(path: Path, setting: str) -> str:
    """Return the first line of a file named by a setting; ConfigError.

    It is refused if others could have written it, or if it is a device or a pipe, which may never
    end, or never begin.
    """
    try:
        place = Path(os.path.expanduser(path))  # noqa: PTH111
        with open(os.open(place, os.O_RDONLY | NOT_WAITING), encoding="utf-8") as file:  # noqa: PTH123
            if fault := secret_fault(place, file.fileno()):
                raise ConfigError(f"{setting}: {path}: {fault}")
            line = file.readline(LONGEST)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise ConfigError(f"{setting}: {path}: {reason}") from None
    return line.partition("\n")[0].strip("\r\n\ufeff")


def _checked(text: str, where: str) -> Secret:
    if not text or len(text) > 60 or any(not "!" <= char <= "~" or char == ":" for char in text):
        raise ConfigError(f"{where} holds no password: one printable word without ':' is needed")
    return Secret(text)
