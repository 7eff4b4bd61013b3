"""Toggles and variables of an account: names, defaults and the server's words for each change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

UNLIMITED = 9999  # as field 52 of the board line writes an unlimited number of redoubles


class AccountToggle(NamedTuple):
    """A switch of the account: its default, and what the server says when it flips."""

    default: bool
    yes: str
    no: str


# name and default, what is said when it becomes YES, and when NO
_TOGGLES = """\
allowpip YES
    You allow the use the server's 'pip' command.
    You don't allow the use of the server's 'pip' command.
autoboard YES
    The board will be refreshed after every move.
    The board won't be refreshed after every move.
autodouble NO
    You agree that doublets during opening double the cube.
    You don't agree that doublets during opening double the cube.
automove NO
    Forced moves will be done automatically.
    Forced moves won't be done automatically.
bell NO
    Your terminal will ring the bell if someone talks to you or invites you
    Your terminal won't ring the bell if someone talks to you or invites you
crawford YES
    You insist on playing with the Crawford rule.
    You would like to play without using the Crawford rule.
double YES
    You will be asked if you want to double.
    You won't be asked if you want to double.
greedy NO
    Will use automatic greedy bearoffs.
    Won't use automatic greedy bearoffs.
moreboards NO
    Will send rawboards after rolling.
    Won't send rawboards after rolling.
moves NO
    You want a list of moves after this game.
    You won't see a list of moves after this game.
notify YES
    You'll be notified when new users log in.
    You won't be notified when new users log in.
ratings NO
    You'll see how the rating changes are calculated.
    You won't see how the rating changes are calculated.
ready NO
    You're now ready to invite or join someone.
    You're now refusing to play with someone.
report YES
    You will be informed about starting and ending matches.
    You won't be informed about starting and ending matches.
silent NO
    You won't hear what other players shout.
    You will hear what other players shout.
telnet YES
    You use telnet and don't need extra 'newlines'.
    You use a client program and will receive extra 'newlines'.
wrap NO
    The server will wrap long lines.
    Your terminal knows how to wrap long lines.
"""


def _toggles() -> Iterator[tuple[str, AccountToggle]]:
    lines = iter(_TOGGLES.splitlines())
    for heading, yes, no in zip(lines, lines, lines, strict=True):
        name, default = heading.split()
        yield name, AccountToggle(default == "YES", f"** {yes.strip()}", f"** {no.strip()}")


TOGGLES = dict(_toggles())
DEFAULT_TOGGLES = frozenset(name for name, toggle in TOGGLES.items() if toggle.default)
PER_GAME = ("double", "greedy", "moves")  # back to their defaults when a game starts

VARIABLES = ("boardstyle", "linelength", "pagelength", "redoubles", "sortwho", "timezone")
ORDERS = ("login", "name", "rating", "rrating")


class BadValue(ValueError):
    """A variable cannot take this value; the text is the server's line."""


def parse_value(variable: str, text: str) -> int | str:
    """The value that `set VARIABLE TEXT` means; BadValue with the server's line otherwise."""
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
                raise BadValue(
                    f"** Unknown value '{text}'. Try 'login', 'name', 'rating' or 'rrating'."
                )
            return text
        case "timezone":
            if text not in zones():
                raise BadValue(f"** Can't find timezone '{text}'. Try one of:")
            return text
        case _:
            raise BadValue("** Invalid argument. Type 'help set'.")


def show_value(variable: str, value: int | str) -> str:
    """A value as the list of `set` shows it."""
    if variable == "redoubles":
        return {0: "none", UNLIMITED: "unlimited"}.get(int(value), str(value))
    return str(value)


def quoted_value(variable: str, value: int | str) -> str:
    """A value as the answer to `set VARIABLE x` shows it: words in quotes, numbers bare."""
    shown = show_value(variable, value)
    return shown if shown.isdigit() else f"'{shown}'"


@lru_cache(maxsize=1)
def zones() -> frozenset[str]:
    """The time zones this machine knows; always UTC."""
    from zoneinfo import available_timezones

    return frozenset(available_timezones()) | {"UTC"}


def _number(text: str, low: int, high: int, line: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4 or not low <= int(text) <= high:
        raise BadValue(line)
    return int(text)
