"""Where a password comes from: an environment variable, a file or the terminal. Never a log."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.config import Account


class NoPassword(Exception):
    """None was found; the text says where it was looked for."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that shows itself to nobody who only prints it."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return "***"


def find_password(
    account: Account, environment: Mapping[str, str] | None = None, *, ask: bool = True
) -> Secret:
    """The account's password; NoPassword if there is none anywhere."""
    environment = os.environ if environment is None else environment
    looked = []
    if account.password_env:
        if found := environment.get(account.password_env):
            return _checked(found, f"the variable {account.password_env}")
        looked.append(f"the environment variable {account.password_env} is not set")
    if account.password_file is not None:
        try:
            text = account.password_file.expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not a text file"
            raise NoPassword(f"account.password_file: {account.password_file}: {reason}") from None
        return _checked(text.partition("\n")[0].strip("\r\n\ufeff"), str(account.password_file))
    if account.password_prompt and ask:
        if sys.stdin.isatty():
            return _checked(getpass.getpass(f"Password of {account.user}: "), "your answer")
        looked.append("there is no terminal to ask at")
    raise NoPassword(f"no password for {account.user}: {' and '.join(looked) or 'none configured'}")


def _checked(text: str, where: str) -> Secret:
    if not text or len(text) > 60 or any(not "!" <= char <= "~" or char == ":" for char in text):
        raise NoPassword(f"{where} holds no password: one printable word without ':' is needed")
    return Secret(text)
