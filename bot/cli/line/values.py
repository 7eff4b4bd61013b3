"""Kinds of values that options take: numbers, days, files, databases."""

from __future__ import annotations

import datetime as dt
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sixprime.bot.cli.line.errors import UsageError, refusing

LARGEST = 2**63 - 1  # number that databases and kernels can hold
MOST_THREADS = 256
MOST_PLIES = 4


def at_least(least: float, kind: type[int | float] = int) -> Callable[[str], Any]:
    """Numbers, by default whole ones, from `least` on."""

    def number(word: str) -> float:
        value = kind(word)
        if not value >= least:  # `nan` is not
            raise ArgumentTypeError(f"{word}: at least {least} is needed")
        if value > LARGEST:
            raise ArgumentTypeError(f"{word}: at most {LARGEST} is possible")
        return value

    return number


def value_of(parse: Callable[[str], Any], wanted: str) -> Callable[[str], Any]:
    """Values that `parse` reads; its ValueError becomes an error that names what is wanted."""

    def value(word: str) -> Any:
        try:
            return parse(word)
        except ValueError as error:
            raise ArgumentTypeError(f"{word} is not {wanted}") from error

    return value


def depths(word: str) -> tuple[int, ...]:
    """Numbers of plies, rising: `2`, `0,2` or `0..2`."""
    first, dots, last = word.partition("..")
    try:
        plies = range(int(first), int(last) + 1) if dots else map(int, word.split(","))
        rising = tuple(sorted(set(plies)))
    except ValueError:
        rising = ()
    if not rising or rising[0] < 0 or rising[-1] > MOST_PLIES:
        raise ArgumentTypeError(f"{word}: 0 to {MOST_PLIES} are possible, such as 2, 0,2 or 0..2")
    return rising


def first_turn(word: str) -> tuple[int, int]:
    """A game and a turn of it, such as `2.8`."""
    game, dot, turn = word.partition(".")
    if not (dot and game.isdecimal() and turn.isdecimal() and int(game) and int(turn)):
        raise ArgumentTypeError(f"{word} is not a game and a turn, such as 2.8")
    return int(game), int(turn)


def some_of(*known: str) -> Callable[[str], tuple[str, ...]]:
    """Some of these words, with commas."""

    def chosen(word: str) -> tuple[str, ...]:
        names = tuple(word.split(","))
        for name in names:
            if name not in known:
                raise ArgumentTypeError(f"{name} is not one of {', '.join(known)}")
        return names

    return chosen


def text(word: str) -> str:
    """Words that may be empty; others, such as names of files, may not."""
    return word


def threads(word: str) -> int:
    """Numbers of threads."""
    number = int(word)
    if not 1 <= number <= MOST_THREADS:
        raise UsageError(f"--threads {word}: 1 to {MOST_THREADS} are possible")
    return number


def new_file(word: str) -> Path:
    """Files to write; one that cannot be written is refused before the work begins."""
    path = Path(word)
    with refusing(OSError, at=path):  # too long for a name
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent}: no such folder")
        if path.is_dir():
            raise UsageError(f"{path}: is a folder")
    return path


def database(word: str) -> str:
    """Addresses of archives, without a password."""
    from sixprime.bot.settings.passwords import passwords_in  # few commands need it

    if passwords_in(word):
        raise UsageError(
            "no password on a command line, where everybody can read it: use settings, or libpq's "
            "PGPASSFILE or PGPASSWORD"
        )
    return word


day = value_of(dt.date.fromisoformat, "a day such as 2026-11-23")
