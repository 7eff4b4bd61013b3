"""`sixprime benchstart`: how long the first and the next commands take, as one JSON object.

Each command is a process of its own. Beside its time stands the CPU time of it and its helpers,
which other work on the machine disturbs less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sixprime.bot.cli.lab.costs import children_s
from sixprime.bot.cli.lab.reporting import chosen
from sixprime.bot.cli.line.errors import UsageError

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
    parts = chosen(PARTS, options.only)
    figures: dict[str, object] = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0]}
    with TemporaryDirectory() as folder:
        for part in parts:
            figures[part] = PARTS[part](Path(folder), options.times)
    print(json.dumps(figures))
    return 0


def _cold(folder: Path, times: int) -> dict[str, object]:
    """In an empty cache: a hint without looking ahead, then what a new user tries next."""
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
    subprocess.run(_process("archive", "import", "--database", database, str(match)),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    return {name: _median(words, folder, times) for name, words in commands.items()}


def _median(words: tuple[str, ...], folder: Path, times: int) -> dict[str, float]:
    runs = [_took(words, None, folder) for _ in range(1 + times)][1:]
    return {key: round(median(each[key] for each in runs), 3) for key in runs[0]}


def _took(words: tuple[str, ...], cache: Path | None, folder: Path) -> dict[str, float]:
    environment = dict(os.environ)
    if cache is not None:
        environment.pop("NUMBA_CACHE_DIR", None)
        environment["SIXPRIME_CACHE"] = str(cache)
    spent, begun = children_s(), time.perf_counter()
    done = subprocess.run(
        _process(*words), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    lasted = time.perf_counter() - begun
    if done.returncode and words[0] != "status":  # no bot runs
        raise UsageError(f"sixprime {' '.join(words)}: {done.stderr.strip().splitlines()[-1]}")
    return {"s": round(lasted, 3), "cpu_s": round(children_s() - spent, 3)}


def _process(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "sixprime", *words]


PARTS: dict[str, Callable[[Path, int], dict[str, object]]] = {
    "cold": _cold,
    "warm": _warm,
    "demo": _demo,
}
