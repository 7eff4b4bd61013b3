"""The decisions of an archive as Parquet files, brought up to date by each run.

    FOLDER/level=SETTINGS/month=2026-11/NUMBER.parquet
    FOLDER/level=SETTINGS/files.json

`files.json` names the files that count and the matches in them. A run writes new files, then
`files.json`, then deletes the files that count no more: so a run may be killed at any time.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sixprime.bot.analysis.collection.dataset import (
    COLUMNS,
    Row,
    current_analyses,
    stored_decisions,
)
from sixprime.bot.archive.archive import Archive
from sixprime.bot.process.footprint import uncollected
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.wholefiles import read_whole, write_json

TOGETHER = 500  # matches in a step; each step is complete in itself
LIST = "files.json"
VERSION = 1

Progress = Callable[[int, int], None]  # matches done, in total


@dataclass(slots=True)
class Exported:
    """Counts of the matches that were written, and of matches that were there already."""

    written: int = 0
    there: int = 0
    unreadable: list[int] = field(default_factory=list)


def files_in(folder: Path) -> list[str]:
    """Return the Parquet files of a folder that count, at all settings."""
    lists = sorted(folder.glob(f"level=*/{LIST}"))
    if not lists:
        raise Unavailable(
            f"no decisions in {folder}: sixprime archive decisions --parquet {folder}"
        )
    return [
        str(place.parent / name)
        for place in lists
        for name in json.loads(read_whole(place))["files"]
    ]


class DecisionFiles:
    """The Parquet files of the analyses at some settings."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder / f"level={key}"
        self.files: dict[str, dict[int, int]] = {}  # file -> match -> figures.id
        if (self.folder / LIST).exists():
            listed = json.loads(read_whole(self.folder / LIST))
            if listed["version"] != VERSION:
                raise Unavailable(f"{self.folder}: written by another version; use a new folder")
            self.files = {
                name: {int(match): number for match, number in held.items()}
                for name, held in listed["files"].items()
            }
        self._sweep()

    @cached_property
    def _arrow(self) -> Any:
        """The library, which takes longer to import than a run without news."""
        try:
            import pyarrow
            import pyarrow.compute
            import pyarrow.parquet
        except ModuleNotFoundError as error:
            raise Unavailable("it needs the extra `data`: pip install 'sixprime[data]'") from error
        return pyarrow

    def known(self) -> dict[int, int]:
        """Return the number of the analysis of each match in the files."""
        return {match: number for held in self.files.values() for match, number in held.items()}

    def replace(self, rows: dict[int, tuple[int, str, list[Row]]], gone: set[int]) -> None:
        """Write matches (number of the analysis, month, rows) in place of older ones."""
        stale = gone | rows.keys()
        kept: dict[str, list[Any]] = defaultdict(list)  # month -> tables
        held: dict[str, dict[int, int]] = defaultdict(dict)
        for name, there in list(self.files.items()):
            if stale.isdisjoint(there):
                continue
            del self.files[name]
            left = {match: number for match, number in there.items() if match not in stale}
            if left:
                month = _month_of(name)
                kept[month].append(self._read(name, sorted(left)))
                held[month] |= left
        by_month: dict[str, list[Row]] = defaultdict(list)
        for match, (number, month, many) in rows.items():
            by_month[month] += many
            held[month][match] = number
        for month in held:
            table = self._arrow.concat_tables([*kept[month], self._table(by_month[month])])
            name = self._write(month, table)
            self.files[name] = held[month]
        write_json(self.folder / LIST, {"version": VERSION, "files": self.files})
        self._sweep()

    def _schema(self) -> Any:
        arrow = self._arrow
        return arrow.schema([(name, _type(arrow, kind)) for name, kind, _ in COLUMNS])

    def _table(self, rows: Sequence[Row]) -> Any:
        schema = self._schema()
        columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
        arrays = [
            self._arrow.array(values, kind.type)
            for values, kind in zip(columns, schema, strict=True)
        ]
        return self._arrow.Table.from_arrays(arrays, schema=schema)

    def _read(self, name: str, wanted: list[int]) -> Any:
        table = self._arrow.parquet.ParquetFile(self.folder / name).read()
        is_wanted = self._arrow.compute.is_in(
            table["match"], value_set=self._arrow.array(wanted, self._arrow.int64())
        )
        return table.filter(is_wanted)

    def _write(self, month: str, table: Any) -> str:
        folder = self.folder / f"month={month}"
        folder.mkdir(parents=True, exist_ok=True)
        taken = [int(path.stem) for path in folder.glob("*.parquet") if path.stem.isdecimal()]
        name = f"month={month}/{max(taken, default=0) + 1}.parquet"
        part = self.folder / f"{name}.part"
        self._arrow.parquet.write_table(table, part, compression="zstd")
        part.replace(self.folder / name)
        return name

    def _sweep(self) -> None:
        """Delete files that do not count: of a killed run, or replaced."""
        for path in (*self.folder.glob("month=*/*.parquet"), *self.folder.glob("month=*/*.part")):
            if f"{path.parent.name}/{path.name}" not in self.files:
                path.unlink()


def export_decisions(
    archive: Archive, folder: Path, key: str, progress: Progress = lambda done, total: None
) -> Exported:
    """Bring the files of a folder up to date with the analyses at these settings."""
    files, exported = DecisionFiles(folder, key), Exported()
    current = current_analyses(archive, key)
    known = files.known()
    gone = known.keys() - current.keys()
    new = [match for match, number in current.items() if known.get(match) != number]
    exported.there = len(current) - len(new)
    for start in range(0, len(new) or bool(gone), TOGETHER):
        some = new[start : start + TOGETHER]
        with uncollected():
            rows = _rows_of(archive, key, some, exported)
            files.replace(rows, set(gone) if start == 0 else set())
        exported.written += len(rows)
        progress(start + len(some), len(new))
    return exported


def _rows_of(
    archive: Archive, key: str, ids: Sequence[int], exported: Exported
) -> dict[int, tuple[int, str, list[Row]]]:
    rows = {}
    for stored in stored_decisions(archive, key, ids):
        if stored.rows is None:
            exported.unreadable.append(stored.match)
        else:
            rows[stored.match] = stored.number, stored.month, stored.rows
    return rows


def _month_of(name: str) -> str:
    return name.partition("/")[0].removeprefix("month=")


def _type(arrow: Any, kind: str) -> Any:
    return getattr(arrow, {"double": "float64", "bool": "bool_"}.get(kind, kind))()
