"""A run's settings, from a YAML file, and its learning curve, as CSV and PNG."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from sixprime.engine.lab import LabError
from sixprime.engine.system.errors import nearest
from sixprime.engine.system.yamlfile import read_yaml

Settings = TypeVar("Settings")


def load_run(path: Path, kind: type[Settings]) -> Settings:
    """Read a YAML file as `kind`, a dataclass; missing settings keep their defaults."""
    return built(kind, read_mapping(path), str(path))


def read_mapping(path: Path) -> dict[str, Any]:
    """Read the mapping in a YAML file; ConfigError if it cannot be read."""
    given = read_yaml(path) or {}
    if not isinstance(given, dict):
        raise LabError(f"{path}: expected settings, not {type(given).__name__}")
    return given


def built(kind: type[Settings], given: Mapping[str, Any], where: str) -> Settings:
    """Build `kind` from settings; the settings of a nested dataclass stand among its own."""
    own = get_type_hints(kind)
    parts = {name: get_type_hints(part) for name, part in own.items() if is_dataclass(part)}
    known = {name: hint for name, hint in own.items() if name not in parts}
    for part in parts.values():
        known |= part
    values = {}
    for name, value in given.items():
        known_setting(name, known, where)
        values[name] = _value(where, name, value, known[name])
    for part_name, part in parts.items():
        chosen = {name: values.pop(name) for name in part if name in values}
        values[part_name] = own[part_name](**chosen)
    return kind(**values)


def known_setting(name: str, known: Iterable[str], where: str, what: str = "setting") -> None:
    """Raise LabError, with the nearest, if this is not a known setting."""
    known = list(known)
    if name not in known:
        raise LabError(f"{where}: no {what} {name!r}{nearest(str(name), known)}")


def _value(where: str, name: str, value: Any, wanted: Any) -> Any:
    if wanted == tuple[int, int, int]:
        if (
            isinstance(value, list | tuple)
            and len(value) == 3
            and all(type(x) is int for x in value)
        ):
            return tuple(value)
        raise LabError(f"{where}: {name}: expected three whole numbers, not {value!r}")
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise LabError(f"{where}: {name}: expected {wanted.__name__}, not {value!r}")
    return value


class LearningCurve:
    """The rows of a run, appended to curve.csv of its folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "curve.csv"

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; the first decides the columns."""
        fresh = not self.path.exists()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row.keys())
            if fresh:
                writer.writeheader()
            writer.writerow(row)

    def draw(self, x: str, columns: Sequence[str]) -> Path:
        """Draw the columns against `x` as curve.png."""
        picture = self.path.with_suffix(".png")
        plot(self.path, x, columns, picture, log=True)
        return picture


def plot(table: Path, x: str, columns: Sequence[str], picture: Path, *, log: bool = False) -> None:
    """Draw columns of a CSV file against `x`; empty cells are left out."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "sixprime"  # makes drawings reproducible
    from matplotlib import pyplot

    try:
        with table.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise LabError(f"{table}: {error.strerror}") from error
    for column in (x, *columns):
        known_setting(column, rows[0] if rows else (), str(table), "column")
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for column in columns:
        points = [(float(row[x]), float(row[column])) for row in rows if row[x] and row[column]]
        if points:
            axes.plot(*zip(*points, strict=True), marker="" if log else ".", label=column)
    axes.set_xlabel(x)
    if log:
        axes.set_yscale("log")
    axes.legend()
    axes.grid(alpha=0.3)
    stamp = {"Date": None} if picture.suffix == ".svg" else None
    figure.savefig(picture, dpi=100, metadata=stamp)
    pyplot.close(figure)


def described(run: Any) -> dict[str, Any]:
    """Return the settings of a run for a provenance note, nested dataclasses included."""
    settings: dict[str, Any] = {}
    for name, value in asdict(run).items():
        settings |= value if isinstance(value, dict) else {name: value}
    return settings
