"""Toggles and variables of an account: defaults, values, and the server's lines about changes."""

from __future__ import annotations

from functools import lru_cache

from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.wire.account import TOGGLE_TEXTS

UNLIMITED = 9999  # as field 52 of the board line writes an unlimited number of redoubles


DEFAULT_TOGGLES = frozenset(
    {"allowpip", "autoboard", "crawford", "double", "notify", "report", "telnet"}
)  # toggles that are YES
PER_GAME = ("double", "greedy", "moves")  # back to their defaults when a game starts

ORDERS = ("login", "name", "rating", "rrating")


def toggle_text(name: str, on: bool) -> str:
    """Return the server's line about a flipped toggle."""
    yes, no = TOGGLE_TEXTS[name]
    return "** " + (yes if on else no).replace("|", "")


def parse_value(variable: str, text: str) -> int | str:
    """Return the value for `set VARIABLE TEXT`; InputError has the server's line otherwise."""
    match variable:
        case "boardstyle":
            return _number(text, 1, 3, "** Valid arguments are the numbers 1 to 3.")
        case "linelength" | "pagelength":
            line = f"** Valid arguments are the numbers 0 to 999. Use 0 for no {variable}."
            return _number(text, 0, 999, line)
        case "redoubles":
            if text in ("none", "unlimited"):
                return 0 if text == "none" else UNLIMITED
            line = "** Valid arguments are 'none', 'unlimited' and the numbers 1 to 99."
            return _number(text, 1, 99, line)
        case "sortwho":
            if text not in ORDERS:
                raise InputError(
                    f"** Unknown value '{text}'. Try 'login', 'name', 'rating' or 'rrating'."
                )
            return text
        case "timezone":
            if text not in zones():
                raise InputError(f"** Can't find timezone '{text}'. Try one of:")
            return text
        case _:
            raise InputError("** Invalid argument. Type 'help set'.")


def show_value(variable: str, value: int | str) -> str:
    """Return a value as the list of `set` shows it."""
    if variable == "redoubles":
        return {0: "none", UNLIMITED: "unlimited"}.get(int(value), str(value))
    return str(value)


def quoted_value(variable: str, value: int | str) -> str:
    """Return a value as the answer to `set VARIABLE x` shows it: words in quotes, numbers bare."""
    shown = show_value(variable, value)
    return shown if shown.isdigit() else f"'{shown}'"


@lru_cache(maxsize=1)
def zones() -> frozenset[str]:
    """Return the time zones of this machine, with UTC."""
    from zoneinfo import available_timezones

    return frozenset(available_timezones()) | {"UTC"}


def _number(text: str, low: int, high: int, line: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4 or not low <= int(text) <= high:
        raise InputError(line)
    return int(text)
