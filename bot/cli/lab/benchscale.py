"""`sixprime benchanalysis --scale`: the costs of answers about large archives, as JSON.

An archive of matches is copied onto itself under new numbers until it is large enough. Then each
question runs as a process of its own, and each page is asked of a web server.
"""

from __future__ import annotations

import calendar
import datetime as dt
import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from sqlalchemy import Connection, Table, delete, func, insert, literal, null, select
from sqlalchemy.exc import DBAPIError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.copying import count_on
from sixprime.bot.archive.database import ArchiveError, file_of
from sixprime.bot.archive.tables import (
    analyses,
    errors,
    figures,
    first_plays,
    matches,
    metadata,
    openings,
)
from sixprime.bot.cli.lab.costs import (
    MIB,
    PROGRAM,
    PeakCost,
    cost_and_peak,
    cost_of_command,
)
from sixprime.bot.cli.lab.reporting import chosen
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.footprint import cpu_s, memory
from sixprime.bot.process.printable import counted
from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.bot.web.library.listquery import SORTS

SIZES = (1_000, 10_000, 100_000)
TOGETHER = 1_000  # matches copied in a transaction
_COPIED = (matches, analyses, figures, errors, first_plays, openings)
_SUMMARIES = (matches, figures)  # and no records
_SQLITE = b"SQLite format 3\0"
_LONGEST_S = 600


def measure_scale(options: Namespace) -> int:
    if not options.files:
        return _print(options, {"as it is": _measured_as_it_is(options)})
    costs: dict[str, object] = {}
    with TemporaryDirectory() as folder:
        url = options.database or f"sqlite:///{folder}/archive.db"
        _fill(url, options)
        for size in sorted(set(options.scale or SIZES)):
            label = f"copying to {size:,} matches"
            with _opened(url) as archive, bar(label) as progress:
                grow(archive, size, progress, summaries=options.summaries)
            costs[str(size)] = _measured(url, options)
    return _print(options, costs)


def _measured_as_it_is(options: Namespace) -> Mapping[str, object]:
    if options.scale or not options.database:
        raise UsageError("say which FILEs to copy, or --database of an archive to measure as it is")
    file = file_of(options.database)
    if file is not None and not file.exists():
        raise UsageError(f"no archive at {file} yet")
    return _measured(options.database, options)


def _print(options: Namespace, costs: Mapping[str, object]) -> int:
    machine = {"cores": os.cpu_count(), "load": os.getloadavg()[0]}
    place = options.database or "sqlite"
    print(json.dumps({**machine, "archive": place, "matches": costs}))
    return 0


# --- the archive


@contextmanager
def _opened(url: str) -> Iterator[Archive]:
    with (
        refusing(ArchiveError, DBAPIError),
        closing(Archive(ArchivePlace(url, folder=None))) as archive,
    ):
        yield archive


def _fill(url: str, options: Namespace) -> None:
    """Import and analyse the files, or copy the archive, into an empty archive."""
    with _opened(url) as archive:
        if held := _matches_in(archive):
            raise UsageError(f"{url} holds {counted(held, 'match')}; give an empty archive")
    there = ("--database", url)
    if _is_archive(options.files):
        steps: list[tuple[str, ...]] = [("copy", options.files[0], url)]
    else:
        level = ("--level", options.level)
        steps = [("import", *options.files, *there), ("analyse", *level, *there)]
    for step in steps:
        print(f"sixprime archive {step[0]} ...", file=sys.stderr, flush=True)
        cost_of_command((*PROGRAM, "archive", *step), fine=(0, 1))  # 1: files were refused


def _is_archive(files: Sequence[str]) -> bool:
    if len(files) != 1:
        return False
    path = Path(files[0])
    if "://" in files[0] or path.suffix in (".yaml", ".yml"):
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _matches_in(archive: Archive) -> int:
    with archive.reading() as connection:
        return connection.execute(select(func.count()).select_from(matches)).scalar() or 0


def grow(
    archive: Archive,
    size: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    summaries: bool = False,
) -> None:
    """Copy the first matches under new numbers until there are so many; surplus ones are deleted.

    With `summaries` the copies have figures, but no records, analyses, errors and plays.
    """
    held = _matches_in(archive)
    if not held:
        raise UsageError("the files hold no match")
    if held > size:
        _cut(archive, size)
    while held < size:
        some = min(TOGETHER, held, size - held)
        with archive.writing() as connection:
            last = _nth_id(connection, some)
            shift = connection.execute(select(func.max(matches.c.id))).scalar() or 0
            for table in _SUMMARIES if summaries else _COPIED:
                _copy(connection, table, last, shift, summaries=summaries)
            count_on(connection, matches)
        held += some
        progress(held, size)
    with archive.connect() as connection:
        if connection.dialect.name == "postgresql":  # it does this by itself, but later
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql("VACUUM ANALYZE")


def _cut(archive: Archive, size: int) -> None:
    with archive.writing() as connection:
        last = _nth_id(connection, size)
        for table in reversed(metadata.sorted_tables):
            if "match_id" in table.c:
                connection.execute(delete(table).where(table.c.match_id > last))
        connection.execute(delete(matches).where(matches.c.id > last))


def _nth_id(connection: Connection, number: int) -> int:
    asked = select(matches.c.id).order_by(matches.c.id).offset(number - 1).limit(1)
    return int(connection.execute(asked).scalar_one())


def _copy(connection: Connection, table: Table, last: int, shift: int, *, summaries: bool) -> None:
    """Copy the rows of the matches up to the last one."""
    number = "id" if table is matches else "match_id"
    kept = [column for column in table.c if column.name not in ("id", number, "stem")]
    values = [null() if summaries and column.name == "record" else column for column in kept]
    rows = select(table.c[number] + literal(shift), *values).where(table.c[number] <= last)
    names = [number, *(column.name for column in kept)]
    connection.execute(insert(table).from_select(names, rows))


# --- questions


class Example(NamedTuple):
    """A match and a player to ask about, and a month with matches."""

    match_id: int
    player: str
    month: Mapping[str, str]  # first and last day


def _example(connection: Connection) -> Example:
    """Return the first match, the player with most matches, and the month of the newest match."""
    most = select(matches.c.opponent).group_by(matches.c.opponent).order_by(func.count().desc())
    newest = connection.execute(select(func.max(matches.c.started))).scalar()
    first = (newest or dt.datetime.now(dt.UTC)).date().replace(day=1)
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    return Example(
        connection.execute(select(func.min(matches.c.id))).scalar_one(),
        connection.execute(most.limit(1)).scalar_one(),
        {"from": first.isoformat(), "to": last.isoformat()},
    )


def questions(example: Example, folder: Path, *, whole: bool) -> Mapping[str, tuple[str, ...]]:
    """Return the commands to measure; `whole`: the archive has records and analyses."""
    shown, player = ("show", str(example.match_id)), ("--player", example.player)
    decisions = ("decisions", "--parquet", str(folder / "decisions"))
    worst = ("errors", "--most", "10")
    archive: dict[str, tuple[str, ...]] = {
        "list --last 50": ("list", "--most", "50"),
        "list --player": ("list", "--most", "50", *player),
        "list": ("list",),
        "stats": ("stats",),
        "stats --player": ("stats", *player),
        "players": ("players",),
    }
    if whole:
        archive |= {
            "show": shown,
            "show --html": (*shown, "--html", str(folder / "match.html")),
            "errors --worst 10": worst,
            "errors --player": (*worst, *player),
            "openings": ("openings",),
            "openings --player": ("openings", *player),
            "decisions": decisions,
            "decisions again": decisions,
            "backup": ("backup", str(folder / "backup.db")),
            "check": ("check",),
        }
    found = {name: ("archive", *words) for name, words in archive.items()}
    quiz = ("quiz", "--list", "--memory", str(folder / "quiz.json"), *player)
    return found | ({"quiz --player": quiz} if whole else {})


def pages(example: Example) -> Mapping[str, str]:
    """Return the addresses of the pages to measure."""
    queries: Mapping[str, Mapping[str, str]] = {
        **{f"sorted by {sort}": {"sort": sort} for sort in SORTS},
        "last page": {"page": "999999"},
        "opponent": {"opponent": example.player},
        "part of a name": {"opponent": example.player[1:4]},
        "length": {"length": "3"},
        "error": {"error": "10"},
        "month": example.month,
    }
    found = {"page": "/archive"}
    found |= {f"page: {name}": f"/archive?{urlencode(query)}" for name, query in queries.items()}
    found["page: match"] = f"/archive/{example.match_id}"
    found["page: statistics"] = "/archive/statistics"
    found["page: statistics of a month"] = f"/archive/statistics?{urlencode(example.month)}"
    return found


def _measured(url: str, options: Namespace) -> Mapping[str, object]:
    """Return the numbers of rows, and the costs of the questions."""
    with _opened(url) as archive, archive.reading() as connection:
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar() or 0
            for table in _COPIED
        }
        if not rows["matches"]:
            raise UsageError(f"{url} holds no match")
        example = _example(connection)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        verbs = questions(example, place, whole=rows["analyses"] == rows["figures"])
        addresses = pages(example)
        costs: dict[str, object] = {}
        with ExitStack() as stack:
            server: _Server | None = None
            for name in chosen([*verbs, *addresses], options.only):
                if name in verbs:
                    words = (*PROGRAM, *verbs[name], "--database", url)
                    cost = cost_and_peak(words, place, fine=(0, 1))  # 1: faults were found
                else:
                    server = server or stack.enter_context(_serving(url, place))
                    cost = server.cost_of_page(addresses[name])
                costs[name] = {word: round(figure, 3) for word, figure in cost._asdict().items()}
    return {"rows": rows, "costs": costs}


class _Server:
    """`sixprime web` as a process."""

    def __init__(self, pid: int, address: str) -> None:
        self._pid = pid
        self._place = urlsplit(address)

    def cost_of_page(self, path: str) -> PeakCost:
        """Return the server's cost of a page; its peak is that since its start."""
        before, start = cpu_s(self._pid), time.perf_counter()
        connection = HTTPConnection(
            self._place.hostname or "", self._place.port, timeout=_LONGEST_S
        )
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status != HTTPStatus.OK:
            raise UsageError(f"{path}: the server answers {answer.status}")
        spent = time.perf_counter() - start, cpu_s(self._pid) - before
        return PeakCost(*spent, memory(self._pid).peak / MIB)


@contextmanager
def _serving(url: str, folder: Path) -> Iterator[_Server]:
    """Run a web server, which has shown a page already: the first one takes longer."""
    words = ("web", "--listen", "127.0.0.1:0", "--database", url, "--matches", str(folder / "web"))
    with subprocess.Popen((*PROGRAM, *words), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            server = _Server(process.pid, process.stdout.readline().strip())
            server.cost_of_page("/archive?server=none")
            yield server
        finally:
            process.terminate()
