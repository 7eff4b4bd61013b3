"""Decisions as rows: they equal the analyses, and Parquet files of them are never half written."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sixprime
from sixprime.bot.analysis.collection import parquetfiles
from sixprime.bot.analysis.collection.dataset import (
    COLUMNS,
    NAMES,
    current_analyses,
    stored_decisions,
)
from sixprime.bot.analysis.collection.parquetfiles import export_decisions
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.changing import remove
from sixprime.bot.archive.tables import matches
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.values import MatchAnalysis, decisions
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.wholefiles import write_json
from sixprime.protocols.formats.ids import read_position_id, read_xgid
from sixprime.protocols.formats.notation import parse_play
from tests.support.archive.collected import SETTINGS, analyses, archive
from tests.support.places import ROOT

__all__ = ["analyses", "archive"]  # fixtures


def rows_of(archive: Archive) -> list[dict[str, Any]]:
    ids = list(current_analyses(archive, SETTINGS.key))
    return [
        dict(zip(NAMES, row, strict=True))
        for stored in stored_decisions(archive, SETTINGS.key, ids)
        for row in stored.rows or ()
    ]


def test_the_rows_are_the_decisions_of_the_analyses(
    archive: Archive, analyses: list[MatchAnalysis]
) -> None:
    expected = [
        (match, game, place, what.value, analysis.players[seat], -verdict.error, -verdict.cost)
        for match, analysis in enumerate(analyses, start=1)
        for game, played in enumerate(analysis.games, start=1)
        for place, turn in enumerate(played.turns, start=1)
        for what, seat, verdict in decisions(turn)
    ]
    names = ("match", "game", "turn", "decision", "player", "loss_emg", "loss")
    rows = rows_of(archive)
    found = [tuple(row[name] for name in names) for row in rows if row["played"] is not None]
    assert sorted(found) == sorted(expected)
    for row in rows:  # a roll counts as luck, although its play never came
        assert row["played"] is not None or (row["dice"] and row["legal"] is None)


def test_their_sums_are_the_statistics(archive: Archive, analyses: list[MatchAnalysis]) -> None:
    rows = rows_of(archive)
    for match, analysis in enumerate(analyses, start=1):
        for seat, player in enumerate(analysis.statistics):
            mine = [row for row in rows if (row["match"], row["seat"]) == (match, seat)]
            decided = [row for row in mine if row["decided"]]
            assert sum(row["loss_emg"] for row in decided) == pytest.approx(-player.errors.emg)
            assert len(decided) == player.decisions
            assert sum(row["counted"] for row in mine) == player.counted
            assert sum(row["luck_emg"] or 0.0 for row in mine) == pytest.approx(player.luck.emg)
            assert [row["pr"] for row in mine] == pytest.approx([player.pr] * len(mine))


def test_each_row_names_its_position_and_its_plays(archive: Archive) -> None:
    for row in rows_of(archive):
        position, state = read_xgid(row["xgid"])
        assert read_position_id(row["position_id"]) == position
        owner = {"centre": None, "player": row["seat"], "opponent": 1 - row["seat"]}
        assert state.cube_owner == owner[row["cube_owner"]]
        assert state.cube == row["cube"]
        assert state.doubled == (row["decision"] == "answer")
        assert (state.to_act, state.length) == (row["seat"], row["length"])
        assert (state.score[row["seat"]], state.score[1 - row["seat"]]) == (
            row["score"],
            row["their_score"],
        )
        if row["decision"] == "play" and row["played"] is not None:
            dice = int(row["dice"][0]), int(row["dice"][1])
            legal = legal_plays(position, dice)
            assert row["legal"] == len(legal)
            for words in (row["played"], row["best"]):
                assert parse_play(words, position, dice, legal)
            assert (row["rank"] == 1) <= (row["played"] == row["best"])
        if row["equity"] is not None:
            assert row["best_equity"] - row["equity"] == pytest.approx(row["loss_emg"], abs=1e-6)


def test_the_command_writes_csv(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "decisions.csv"
    source = ["--database", str(archive.settings.database)]
    assert main(["archive", "decisions", "--csv", str(out), *source]) == 0
    with out.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["xgid"] for row in written] == [row["xgid"] for row in rows_of(archive)]
    assert main(["archive", "decisions", *source]) == 2
    assert "--parquet FOLDER" in capsys.readouterr().err


# --- Parquet

pyarrow = pytest.importorskip("pyarrow")


def table_of(folder: Path) -> list[dict[str, Any]]:
    return list(sixprime.decisions(folder).to_pylist())


def in_order(rows: list[dict[str, Any]]) -> list[Any]:
    return sorted(rows, key=lambda row: (row["match"], row["game"], row["turn"], row["decision"]))


def test_the_files_hold_the_rows_and_a_second_run_has_nothing_to_do(
    archive: Archive, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert export_decisions(archive, out, SETTINGS.key).written == 3
    assert in_order(table_of(out)) == in_order(rows_of(archive))
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    again = export_decisions(archive, out, SETTINGS.key)
    assert (again.written, again.there) == (0, 3)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert sixprime.sql("SELECT count(*) FROM decisions", out).fetchall() == [
        (len(rows_of(archive)),)
    ]


def test_a_run_without_news_imports_no_heavy_library(archive: Archive, tmp_path: Path) -> None:
    export_decisions(archive, tmp_path / "out", SETTINGS.key)
    words = ["archive", "decisions", "--parquet", str(tmp_path / "out")]
    words += ["--database", str(archive.settings.database)]
    script = (
        "import sys; from sixprime.bot.cli.main import main; code = main(sys.argv[1:]);"
        "print(code, {'numba', 'numpy', 'pyarrow', 'duckdb'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "0 set()\n"
    assert "0 matches written, 3 were there" in done.stderr


def test_a_match_analysed_anew_is_replaced_and_a_removed_one_is_gone(
    archive: Archive, analyses: list[MatchAnalysis], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_decisions(archive, out, SETTINGS.key)
    keep(archive, SETTINGS.key, [(Wanted(3, 0), packed(analyses[0]))])
    assert export_decisions(archive, out, SETTINGS.key).written == 1
    assert in_order(table_of(out)) == in_order(rows_of(archive))
    remove(archive, [1])
    assert export_decisions(archive, out, SETTINGS.key).written == 0
    assert in_order(table_of(out)) == in_order(rows_of(archive))
    assert {row["match"] for row in table_of(out)} == {2, 3}
    with archive.writing() as connection:  # another month, and one that went on
        connection.execute(matches.update().where(matches.c.id == 2).values(noted=7))
    export_decisions(archive, out, SETTINGS.key)
    assert {row["match"] for row in table_of(out)} == {3}


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The number of steps, each a change on the disk, after which the process dies."""
    left = [0]

    def step(change: Any) -> Any:
        def instead(*args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return change(*args, **kwargs)

        return instead

    monkeypatch.setattr(Path, "replace", step(Path.replace))
    monkeypatch.setattr(Path, "unlink", step(Path.unlink))
    monkeypatch.setattr(parquetfiles, "write_json", step(write_json))
    monkeypatch.setattr(parquetfiles, "TOGETHER", 1)
    return iter([left])


def test_a_run_that_is_killed_anywhere_goes_on(
    archive: Archive, analyses: list[MatchAnalysis], tmp_path: Path, dying: Iterator[list[int]]
) -> None:
    left = next(dying)
    for steps in itertools.count():
        out = tmp_path / f"out{steps}"
        left[0] = 10**9
        export_decisions(archive, out, SETTINGS.key)
        keep(archive, SETTINGS.key, [(Wanted(1, 0), packed(analyses[0]))])
        keep(archive, SETTINGS.key, [(Wanted(2, 0), packed(analyses[1]))])
        left[0] = steps
        try:
            export_decisions(archive, out, SETTINGS.key)
        except Killed:
            held = table_of(out)  # what counts is whole at any time
            assert in_order(held) == in_order(rows_of(archive))
            left[0] = 10**9
            export_decisions(archive, out, SETTINGS.key)
            assert in_order(table_of(out)) == in_order(rows_of(archive))
            listed = json.loads((next(out.glob("level=*")) / "files.json").read_text())["files"]
            assert {path.parent.name + "/" + path.name for path in out.rglob("*.parquet")} == set(
                listed
            )
        else:
            assert steps > 4
            return


def test_every_column_has_a_type_and_a_meaning() -> None:
    assert len(set(NAMES)) == len(COLUMNS)
    assert all(column.meaning for column in COLUMNS)
