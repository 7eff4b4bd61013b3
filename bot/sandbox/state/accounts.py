"""Accounts: names, passwords and everything kept about a user between two visits."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sixprime.bot.sandbox.state.variables import DEFAULT_TOGGLES

START_RATING = 1500.0
MIN_PASSWORD = 4
MAX_PASSWORD = 128
MAX_NAME = 20
MAX_EMAIL = 60
RESERVED = frozenset({"you", "guest", "name", "login", "connect", "bye", "admin", "server", "root"})
HOUSE = "house_"  # prefix of the names of the server's own players

_NAME = re.compile(r"[A-Za-z_]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


@dataclass(frozen=True, slots=True)
class UserAccount:
    """One user; `password` is a scrypt text, or empty where nobody can log in by password."""

    name: str
    password: str = ""
    registered: float = 0.0
    rating: float = START_RATING
    experience: int = 0
    email: str = ""
    toggles: frozenset[str] = DEFAULT_TOGGLES  # the names that are YES
    boardstyle: int = 2
    linelength: int = 0
    pagelength: int = 0
    redoubles: int = 0  # 9999: unlimited
    sortwho: str = "login"
    timezone: str = "UTC"
    last_login: float = 0.0
    last_logout: float = 0.0
    last_host: str = "-"
    away: str | None = None
    gagged: frozenset[str] = frozenset()
    blinded: frozenset[str] = frozenset()

    def has(self, toggle: str) -> bool:
        return toggle in self.toggles

    def with_toggle(self, toggle: str, on: bool) -> UserAccount:
        changed = self.toggles | {toggle} if on else self.toggles - {toggle}
        return replace(self, toggles=changed)


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message left for an absent user; `number` is its key in the store."""

    number: int
    to: str
    sender: str
    time: float
    text: str


def name_fault(name: str) -> str | None:
    """Return the server's refusal of a name; None for a good one."""
    if not _NAME.fullmatch(name):
        return "** Your name may only contain letters and the underscore character _ ."
    if len(name) > MAX_NAME:
        return f"** Your name may not be longer than {MAX_NAME} characters."
    if name.lower() in RESERVED or name.lower().startswith(HOUSE):
        return f"** Please use another name. '{name}' is already used by someone else."
    return None


def password_fault(password: str) -> str | None:
    """Return the server's refusal of a password; None for a good one."""
    if ":" in password:
        return "Your password may not contain ':'"
    if len(password) < MIN_PASSWORD:
        return f"Minimal password length is {MIN_PASSWORD} characters."
    if len(password) > MAX_PASSWORD or " " in password:
        return f"Your password has to be one word of at most {MAX_PASSWORD} characters."
    return None


def email_fault(words: list[str]) -> str | None:
    """Return the server's refusal of an email address; None for a good one."""
    if not words:
        return "** You didn't give your address."
    if len(words[0]) > MAX_EMAIL:
        return "** Your address is too long."
    if len(words) > 1 or not _EMAIL.fullmatch(words[0]):
        return f"** '{' '.join(words)}' is not an email address."
    return None
