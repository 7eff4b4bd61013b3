"""`sixprime demo`: a server, two bots and rated matches on this machine, shown as they happen."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import sys
from argparse import Namespace
from contextlib import closing
from pathlib import Path

from rich.console import Console

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.matchfiles import FORMATS, UNFINISHED_MARK
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.main import main
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.demo.demonstration import Demo, Plan
from sixprime.bot.demo.screen import Screen
from sixprime.bot.process.logs import configure
from sixprime.bot.process.printable import counted
from sixprime.bot.process.signals import stop_signals
from sixprime.bot.settings.archiveplace import address_of
from sixprime.bot.settings.schema import Logging
from sixprime.engine.bearoff.hypergammon import needs
from sixprime.engine.compiling.preparations import PLAYING
from sixprime.engine.position import Variant, variant_named
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.wholefiles import private_file

LONGEST = 64
LOG = "demo.log"
FORMAT_NAMES = {"oldmoves": "FIBS oldmoves", "sgf": "SGF", "mat": "Jellyfish .mat"}


def play_demo(options: Namespace) -> int:
    """Play the matches, show them, and print a summary."""
    if not 1 <= options.length <= LONGEST:
        raise UsageError(f"--length is between 1 and {LONGEST}, not {options.length}")
    if options.matches < 1:
        raise UsageError(f"--matches is at least 1, not {options.matches}")
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    if not 0 <= seed < 2**32:
        raise UsageError(f"--seed is between 0 and {2**32 - 1}, not {seed}")
    if missing := needs(variant_named(options.variant)):
        raise UsageError(f"--variant: {missing}")
    try:
        private_file(options.out / LOG)
        (options.out / LOG).write_text("")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{options.out}: {reason}; name another folder with --out") from error
    get_ready(*PLAYING)
    return _perform(options, seed)


def _perform(options: Namespace, seed: int) -> int:
    variant = variant_named(options.variant)
    plan = Plan(options.out, options.length, options.matches, seed, variant)
    try:
        with (
            refusing(ArchiveError),
            (plan.folder / LOG).open("w", encoding="utf-8", buffering=1) as log,
            closing(Archive(plan.archive)) as archive,
        ):
            configure(Logging(format="json"), stream=log)
            known = {row.id for row in archive.rows()}
            with Screen(
                Console(highlight=False), plan.length, plan.matches, plan.variant
            ) as screen:
                over = asyncio.run(_play(Demo(plan, screen.show)))
            return _summary(plan, archive, known, over)
    except Unavailable as error:
        return _failed(plan, str(error))


async def _play(demo: Demo) -> bool:
    """Play; Ctrl-C leaves the match, and a second one ends at once."""
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise KeyboardInterrupt
        demo.request_stop()

    with stop_signals(stop):
        return await demo.run()


def _failed(plan: Plan, why: str) -> int:
    print(f"sixprime demo: {why}; see {plan.folder / LOG}", file=sys.stderr)
    return 1


# --- afterwards


def _summary(plan: Plan, archive: Archive, known: set[int], over: bool) -> int:
    """Print the matches and the places of the files; return 1 if anything is missing."""
    played = [row.id for row in archive.rows() if row.id not in known]
    for match_id in played:
        _describe(plan, archive, match_id)
    database = f"--database {address_of(str(plan.folder / 'archive.db'))}"
    print("\nThe archive:", flush=True)
    main(["archive", "list", *database.split(maxsplit=1), "--most", str(len(played))])
    program, more = _program(), f" --matches {plan.matches}" if plan.matches > 1 else ""
    print(f"All matches   {program} archive list {database}")
    if played:
        print(f"This match    {program} archive show {played[-1]} {database}")
    if plan.variant is not Variant.STANDARD:
        more += f" --variant {plan.variant.called}"
    print(f"Once more     {program} demo --length {plan.length}{more} --seed {plan.seed}")
    print(f"The bots' log {plan.folder / LOG}", flush=True)
    if not over:
        print("sixprime demo: stopped before the end", file=sys.stderr)
        return 130
    fault = _fault(plan, archive, played)
    return 0 if fault is None else _failed(plan, fault)


def _program() -> str:
    """Return the command by which this user can run the program."""
    called = Path(sys.argv[0])
    is_elsewhere = called.name == "sixprime" and shutil.which("sixprime") is None
    return str(called) if is_elsewhere else "sixprime"


def _describe(plan: Plan, archive: Archive, match_id: int) -> None:
    match = archive.match(match_id)
    first, second = match.score
    print(f"\n{match.players[0].name} {first}, {match.players[1].name} {second}", end="")
    print("" if match.finished else " (unfinished)")
    for player in match.players:
        before, after = player.rating_before, player.rating_after
        if before is not None and after is not None:
            change = f"{before:8.2f} -> {after:8.2f}  ({after - before:+.2f})"
            print(f"  {player.name:<6} rating {change}")
    for name, path in _files(plan, archive, match_id).items():
        print(f"  {FORMAT_NAMES[name]:<15} {path}")


def _files(plan: Plan, archive: Archive, match_id: int) -> dict[str, Path]:
    stem = archive.row(match_id).stem
    found = {}
    for name in FORMAT_NAMES:
        for mark in ("", UNFINISHED_MARK):
            path = plan.folder / "matches" / f"{stem}{mark}{FORMATS[name].suffixes[0]}"
            if path.exists():
                found[name] = path
                break
    return found


def _fault(plan: Plan, archive: Archive, played: list[int]) -> str | None:
    """Return the fault of a demonstration that is over, or None."""
    troubles = _troubles(plan.folder / LOG)
    if troubles:
        return f"the bots had trouble: {troubles[0]}"
    if len(played) != plan.matches:
        return f"of {counted(plan.matches, 'match')}, the archive has {len(played)}"
    for match_id in played:
        match = archive.match(match_id)
        if not match.finished:
            return f"match {match_id} is unfinished in the archive"
        if any(player.rating_after is None for player in match.players):
            return f"match {match_id} was not rated"
        missing = set(plan.formats) - _files(plan, archive, match_id).keys()
        if missing:
            return f"match {match_id} has no {min(missing)} file"
    return None


def _troubles(log: Path) -> list[str]:
    """List the events logged as warnings or worse."""
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [
        str(entry.get("event")) for entry in entries if entry.get("level") in ("warning", "error")
    ]
