"""`sixprime bearoff`: databases in gnubg's own file format, and what they say of a position."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.reports.board_text import draw
from sixprime.engine.bearoff.databases import (
    NotCovered,
    OneSidedDatabase,
    TwoSidedDatabase,
    cached,
    kept,
    one_sided,
    place_of,
    two_sided,
)
from sixprime.engine.bearoff.entries import (
    AnyDatabase,
    index_of,
    index_of_side,
    number_of_entries,
    open_database,
    position_at,
)
from sixprime.engine.bearoff.files import (
    SUMS,
    BadDatabase,
    Hypergammon,
    Kind,
    OneSided,
    TwoSided,
    write_database,
)
from sixprime.engine.bearoff.hypergammon import HypergammonDatabase
from sixprime.engine.position import PLACES, Position
from sixprime.protocols.formats.ids import BadId, position_id, read_position_id


def write_one_sided(options: Namespace) -> int:
    if options.normal and (options.no_gammons or options.uncompressed):
        raise UsageError("--normal goes with neither --no-gammons nor --uncompressed")
    with refusing(ValueError):
        kind = OneSided(
            options.points, not options.no_gammons, not options.uncompressed, options.normal
        )
    return _write(kind, options, threads=1)


def write_two_sided(options: Namespace) -> int:
    with refusing(ValueError):
        kind = TwoSided(options.points, options.checkers, not options.cubeless)
    return _write(kind, options, options.threads)


def write_hypergammon(options: Namespace) -> int:
    with refusing(ValueError):
        kind = Hypergammon(options.checkers)
    if options.file is not None:
        return _write(kind, options, options.threads)
    _check_memory(kind)
    get_ready("bearoff")
    if options.no_header:
        raise UsageError("--no-header needs a FILE: the engine reads the header")
    there, start = kept(kind) is not None, time.perf_counter()
    with bar(f"{kind.called} database") as report, _enough_memory():
        cached(kind, report)
    if kept(kind) is None:
        raise UsageError("the cache folder cannot be written: nothing is kept")
    _tell(place_of(kind), start, "already there" if there else "")
    return 0


def _write(kind: Kind, options: Namespace, threads: int) -> int:
    """Write the database, and its size and time on stderr."""
    if not isinstance(kind, OneSided):
        _check_memory(kind)
    get_ready("bearoff")
    start = time.perf_counter()
    with (
        refusing(OSError, at=options.file),
        _enough_memory(),
        bar(f"{options.words[-1]} database") as report,
    ):
        write_database(kind, options.file, report, threads=threads, header=not options.no_header)
        _tell(options.file, start)
    return 0


def _tell(path: Path, start: float, how: str = "") -> None:
    """Say on stderr which file is there, its size, and the seconds that it took."""
    how = how or f"in {time.perf_counter() - start:.1f} s"
    print(f"{path}: {path.stat().st_size:,} bytes {how}", file=sys.stderr)


def _check_memory(kind: TwoSided | Hypergammon) -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if kind.size > memory:
        wanted, there = (f"{size / 2**30:,.0f} GiB" for size in (kind.size, memory))
        raise UsageError(f"such a database takes {wanted} and this machine has {there} of memory")


@contextmanager
def _enough_memory() -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise UsageError("not enough memory for a database of this size") from error


def show_position(options: Namespace) -> int:
    if options.theirs is None:
        _show_sides([("side", _counts(options.mine))])
        return 0
    mine, theirs = (
        (*counts, *[0] * (PLACES - len(counts)))
        for counts in map(_counts, (options.mine, options.theirs))
    )
    _show_position(Position(mine, theirs))
    return 0


def check_file(options: Namespace) -> int:
    database = _opened(options)
    kind, entries = database.kind, number_of_entries(database)
    summed = "its checksum is right" if kind in SUMS else "its size is right"
    if options.json:
        print(json.dumps({"kind": kind.called, **asdict(kind), "entries": entries}))
        return 0
    settings = ", ".join(f"{name} {value}" for name, value in asdict(kind).items())
    print(f"{options.file}: {kind.called} ({settings}), {entries:,} entries; whole, {summed}")
    return 0


def show_entry(options: Namespace) -> int:
    database = _opened(options)
    with refusing(NotCovered, BadId, BadDatabase):
        if options.entry.isdecimal():
            position = position_at(database, int(options.entry))
        else:
            position = read_position_id(options.entry)
            if isinstance(database, HypergammonDatabase):
                position = replace(position, checkers=database.kind.checkers)
        index, figures = index_of(database, position), _figures(database, position)
    if options.json:
        print(json.dumps({"entry": index, "position": position_id(position), **figures}))
        return 0
    print(draw(position))
    print(f"entry {index}, Position ID {position_id(position)}")
    if isinstance(database, OneSidedDatabase):
        sides = ("on roll", position.mine), ("opponent", position.theirs)
        for name, side in sides:
            print(f"{name}: side {index_of_side(database, side)}")
        if not database.kind.normal:
            _show_sides([each for each in sides if any(each[1])], database)
            return 0
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):<12}{_in_digits(value)}")
    return 0


def _in_digits(value: object) -> str:
    if isinstance(value, list):
        return " ".join(f"{each:.4f}" for each in value)
    return f"{value:+z.6f}" if isinstance(value, float) else str(value)


def _opened(options: Namespace) -> AnyDatabase:
    with refusing(OSError, BadDatabase):
        return open_database(options.file)


def _figures(database: AnyDatabase, position: Position) -> dict[str, Any]:
    """Return the contents of an entry; equities are for money and a stake of 1."""
    if isinstance(database, HypergammonDatabase):
        found = database.figures(position)._asdict()
        return {name: [*value] if name == "chances" else value for name, value in found.items()}
    if isinstance(database, TwoSidedDatabase):
        if database.kind.cubeful:
            return database.equities(position)._asdict()
        return {"cubeless": database.cubeless(position)}
    rolls = database.rolls(position.mine)
    found = {"mean": rolls.mean, "deviation": rolls.variance**0.5}
    found["effective_pips"] = rolls.effective_pips
    if database.kind.normal:
        return found
    found["off"] = database.distribution(position.mine).tolist()
    if database.kind.gammons:
        found["first_off"] = database.first_off(position.mine).tolist()
    return found


def _counts(text: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"{text!r} is not a list of counts like 0,2,3") from None
    if len(counts) > 6 or min(counts) < 0 or sum(counts) > 15:
        raise UsageError(f"{text!r}: up to 15 checkers on up to 6 points, ace point first")
    if not any(counts):
        raise UsageError(f"{text!r}: no checker is left, the game is over")
    return counts


def _show_sides(
    sides: Sequence[tuple[str, Sequence[int]]], database: OneSidedDatabase | None = None
) -> None:
    database = database or one_sided()
    distributions = [database.distribution(side) for _, side in sides]
    rolls = [database.rolls(side) for _, side in sides]
    print("rolls     " + "".join(f"{name:>11}" for name, _ in sides))
    for after in range(len(distributions[0])):
        if any(chances[after] > 0 for chances in distributions):
            print(f"{after:<10}" + "".join(f"{chances[after]:>11.3%}" for chances in distributions))
    print("mean      " + "".join(f"{side.mean:>11.3f}" for side in rolls))
    print("deviation " + "".join(f"{side.variance**0.5:>11.3f}" for side in rolls))
    print("effective " + "".join(f"{side.effective_pips:>11.3f}" for side in rolls) + "  pips")


def _show_position(position: Position) -> None:
    database = one_sided()
    if not database.covers(position):
        raise UsageError("a checker is outside the six points of the database")
    _show_sides([("on roll", position.mine), ("opponent", position.theirs)])
    outcomes = database.outcomes(position)
    print(
        f"playing for speed: win {outcomes.win:.2%}, gammons {outcomes.win_gammon:.2%} won "
        f"and {outcomes.lose_gammon:.2%} lost, equity {outcomes.equity:+.4f}"
    )
    exact = two_sided()
    if exact.covers(position):
        equities, now = exact.equities(position), exact.equities(position).with_doubling()
        print(f"exact: win {exact.outcomes(position).win:.2%}, equity {equities.cubeless:+.4f}")
        print("money equity            before   with doubling now")
        print(f"  own cube             {equities.owned:+.4f}   {now.owned:+.4f}")
        print(f"  centred cube         {equities.centred:+.4f}   {now.centred:+.4f}")
        print(f"  the opponent's cube  {equities.against:+.4f}   {now.against:+.4f}")
