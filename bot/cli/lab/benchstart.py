"""`sixprime benchstart`: the times of first and later commands, as one JSON object.

Each command is a process of its own, whose CPU time includes that of its helpers.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sixprime.bot.cli.lab.costs import PROGRAM, cost_of_command, print_parts

HINT = ("hint", "4HPwATDgc/ABMA", "--dice", "31")
MATCH = """\
 3 point match

 Game 1
 Ann : 0                              Ben : 0
  1) 31: 8/5 6/5                      42: 8/4 6/4
  2) 64: 24/14                        Doubles => 2
  3)  Drops
"""
SETTINGS = "server: {host: 127.0.0.1, port: 9}\naccount: {user: me, password_env: NONE}\n"


def measure_starts(options: Namespace) -> int:
    with TemporaryDirectory() as folder:
        places = Path(folder), options.times
        return print_parts({name: partial(PARTS[name], *places) for name in PARTS}, options.only)


def _cold(folder: Path, times: int) -> dict[str, object]:
    """In an empty cache: a hint at 0-ply, then the next commands of a new user."""
    cache = folder / "cold"
    match = folder / "match.mat"
    match.write_text(MATCH)
    return {
        "hint": _took(HINT, cache, folder),
        "hint_looking_ahead": _took((*HINT[:-1], "52"), cache, folder),
        "analyse": _took(("analyse", str(match)), cache, folder),
    }


def _demo(folder: Path, times: int) -> dict[str, object]:
    """In an empty cache of its own."""
    return {"demo": _took(("demo", "--out", str(folder / "demo")), folder / "cache", folder)}


def _warm(folder: Path, times: int) -> dict[str, object]:
    """In the user's cache, after one run that fills it."""
    settings, database = folder / "sixprime.yaml", f"sqlite:///{folder}/archive.db"
    settings.write_text(SETTINGS)
    match = folder / "match.mat"
    match.write_text(MATCH)
    commands: dict[str, tuple[str, ...]] = {
        "hint": HINT,
        "help": ("--help",),
        "status": ("status", "--config", str(settings)),
        "config": ("config", "check", str(settings)),
        "convert": ("convert", str(match), str(folder / "match.sgf")),
        "archive_list": ("archive", "list", "--database", database),
    }
    cost_of_command(_process("archive", "import", "--database", database, str(match)))
    return {name: _median(words, folder, times) for name, words in commands.items()}


def _median(words: tuple[str, ...], folder: Path, times: int) -> dict[str, float]:
    runs = [_took(words, None, folder) for _ in range(1 + times)][1:]
    return {key: round(median(run[key] for run in runs), 3) for key in runs[0]}


def _took(words: tuple[str, ...], cache: Path | None, folder: Path) -> dict[str, float]:
    environment = dict(os.environ)
    if cache is not None:
        environment.pop("NUMBA_CACHE_DIR", None)
        environment["SIXPRIME_CACHE"] = str(cache)
    fine = (0, 1, 2) if words[0] == "status" else (0,)  # no bot runs
    cost = cost_of_command(_process(*words), fine=fine, folder=folder, environment=environment)
    return {name: round(seconds, 3) for name, seconds in cost._asdict().items()}


def _process(*words: str) -> list[str]:
    return [*PROGRAM, *words]


PARTS: dict[str, Callable[[Path, int], dict[str, object]]] = {
    "cold": _cold,
    "warm": _warm,
    "demo": _demo,
}
