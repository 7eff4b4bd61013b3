"""Sums over the Parquet table are what the commands print, and what gnubg prints."""

from __future__ import annotations

import json
import os
import random
import re
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sixprime
from sixprime.bot.analysis.collection.parquetfiles import export_decisions
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.protocols import readers
from sixprime.protocols.formats.record import Match
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.archive.imported import add
from tests.support.archive.told import settings_in
from tests.support.engine.analyses import analyse_match, analysis_in_record
from tests.support.gnubg.analyses import Analysed, analysed_by_gnubg, fixture, injected, lines_of

pytest.importorskip("duckdb")
HUMAN = Path(os.environ.get("SIXPRIME_HUMAN_MATCHES", "/work/shared/data/human"))
TAR = HUMAN / "human-matches.tar.xz"
here = pytest.mark.skipif(not TAR.exists(), reason="matches of people, not ours to keep")
SETTINGS = AnalysisSettings.of("expert")
START = "4HPwATDgc/ABMA"


class Exported(NamedTuple):
    """An archive whose matches are all analysed, and the folder of its decisions."""

    source: list[str]  # options that name the archive
    folder: Path

    def rows(self, query: str) -> list[Any]:
        found: list[Any] = sixprime.sql(query, self.folder).fetchall()
        return found

    def said(self, capsys: pytest.CaptureFixture[str], verb: str, *words: str) -> Any:
        capsys.readouterr()
        assert main(["archive", verb, "--json", *words, *self.source]) == 0
        return json.loads(capsys.readouterr().out)


def exported(folder: Path, found: Sequence[tuple[Match, MatchAnalysis]], key: str) -> Exported:
    with closing(Archive(settings_in(folder))) as archive:
        for match, analysis in found:
            number = add(archive, match)
            if number is not None:  # else a double
                keep(archive, key, [(Wanted(number, 0), packed(analysis))])
        export_decisions(archive, folder / "out", key)
        return Exported(["--database", str(archive.settings.database)], folder / "out")


@cache
def people() -> dict[str, bytes]:
    """The files of matches between people."""
    with tarfile.open(TAR) as archive:
        opened = ((each.name, archive.extractfile(each)) for each in archive if each.isreg())
        return {name: file.read() for name, file in opened if file is not None}


def drawn(count: int) -> Iterator[Match]:
    files = people()
    for name in random.Random(51).sample(sorted(files), count):
        yield readers.read_match_file(name, files[name]).matches[0]


@pytest.fixture(
    scope="module",
    params=[20, pytest.param(300, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])],
)
def humans(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    found = [(match, analyse_match(match, SETTINGS)) for match in drawn(request.param)]
    return exported(tmp_path_factory.mktemp("oracles"), found, SETTINGS.key)


SUMS = """
    SELECT player, count(DISTINCT match) FILTER (won_match),
        count(*) FILTER (decision = 'play' AND played IS NOT NULL) AS moves,
        count(*) FILTER (decision = 'play' AND decided) AS unforced,
        count(*) FILTER (decision <> 'play' AND decided) AS close,
        count(*) FILTER (counted) AS counted,
        sum(loss_emg) FILTER (decision = 'play') AS checker,
        coalesce(sum(loss_emg) FILTER (decision <> 'play'), 0) AS cube,
        coalesce(sum(luck_emg), 0) AS luck
    FROM decisions WHERE player <> '' GROUP BY player ORDER BY player
"""
SEATS = """
    SELECT name, count(DISTINCT match) FROM (
        SELECT player AS name, match FROM decisions UNION ALL SELECT opponent, match FROM decisions
    ) GROUP BY name
"""  # some never came to decide
OTHERS = """
    SELECT player, (SELECT count(*) FROM decisions AS others
        WHERE others.opponent = own.player AND decision = 'play' AND played IS NOT NULL)
    FROM decisions AS own GROUP BY player
"""


def rate(total: float, count: int) -> Any:
    """Thousandths, as printed: three digits, rounded in either direction where the sum is a tie."""
    return pytest.approx(1000 * total / count, abs=0.0005 + 1e-9) if count else None


def total(given: float) -> Any:
    return pytest.approx(given, abs=1e-9)


@here
def test_statistics_of_every_player_are_sums_over_the_table(
    humans: Exported, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, theirs = humans.rows(SUMS), dict(humans.rows(OTHERS))
    seats = dict(humans.rows(SEATS))
    assert len(rows) > 10
    for player, won, moves, unforced, close, counted, checker, cube, luck in rows:
        stats = humans.said(capsys, "stats", "--player", player)
        assert (stats["total"]["matches"], stats["total"]["won"]) == (seats[player], won)
        skill = stats["skill"]["total"]
        assert skill["analysed"] == seats[player]
        assert skill["error_rate"] == rate(checker + cube, unforced + close)
        assert skill["checker_rate"] == rate(checker, unforced)
        assert skill["cube_rate"] == rate(cube, close)
        assert skill["luck_rate"] == rate(luck, moves)
        assert skill["snowie_rate"] == rate(checker + cube, moves + theirs[player])
        assert skill["pr"] == rate((checker + cube) / 2, counted)


@here
def test_errors_of_every_player_are_sums_over_the_table(
    humans: Exported, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds: dict[str, dict[str, tuple[int, Any]]] = {}
    worst: dict[str, list[tuple[Any, ...]]] = {}
    for player, error, count, given in humans.rows(
        "SELECT player, error, count(*), sum(loss_emg) FROM decisions "
        "WHERE player <> '' AND error IS NOT NULL GROUP BY ALL"
    ):
        kinds.setdefault(player, {})[error] = count, total(given)
    for player, *place in humans.rows(
        "SELECT player, match, game, turn, decision, round(loss_emg, 6) FROM decisions "
        "WHERE player <> '' AND error IS NOT NULL "
        "ORDER BY loss_emg DESC, match, game, turn, decision"
    ):
        worst.setdefault(player, []).append(tuple(place))
    assert len(kinds) > 10
    for player in kinds:
        said = humans.said(capsys, "errors", "--player", player, "--most", "5")
        told = {each["kind"]: (each["errors"], each["given"]) for each in said["kinds"]}
        assert told == kinds[player]
        shown = [
            (each["match"], each["game"], each["turn"], each["what"], round(each["given"], 6))
            for each in said["worst"]
        ]
        assert shown == worst[player][:5]


@here
def test_openings_of_every_player_are_sums_over_the_table(
    humans: Exported, capsys: pytest.CaptureFixture[str]
) -> None:
    plays: dict[str, dict[tuple[str, str], tuple[int, Any]]] = {}
    for player, dice, played, count, given in humans.rows(
        "SELECT player, dice, played, count(*), sum(loss_emg) FROM decisions "
        f"WHERE player <> '' AND turn = 1 AND position_id = '{START}' "
        "AND decision = 'play' AND played IS NOT NULL "
        "GROUP BY ALL"
    ):
        plays.setdefault(player, {})[dice, played] = count, total(given)
    assert len(plays) > 10
    for player in plays:
        said = humans.said(capsys, "openings", "--player", player)["plays"]
        told = {(each["roll"], each["play"]): (each["times"], each["given"]) for each in said}
        assert told == plays[player]


# --- gnubg

PRINTED = re.compile(r"([-+]?\d+\.\d+)\(")  # EMG, then MWC or points in brackets


def of_gnubg(analysed: Analysed, seat: int) -> dict[str, Any]:
    """Gnubg's totals of a player as it printed them; some labels stand for plays and for cubes."""
    found: dict[str, list[str]] = {}
    for label, *values in lines_of(analysed.statistics):
        found.setdefault(label, []).append(values[seat])
    emg = {label: [PRINTED.match(value) for value in values] for label, values in found.items()}

    def amount(label: str, place: int) -> float:
        match = emg[label][place]
        return float(match[1]) if match else 0.0

    return {
        "unforced": int(found["Unforced moves"][0]),
        "moves": int(found["Total moves"][0]),
        "close": int(found["Close or actual cube decisions"][0]),
        "checker": amount("Error total EMG (MWC)", 0),
        "cube": amount("Error total EMG (MWC)", 1),
        "luck": amount("Luck total EMG (MWC)", 0),
    }


def assert_sums_are_gnubgs(cases: Sequence[Analysed], folder: Path) -> None:
    """Compare with what gnubg prints: its own equities are in the records, to all their digits."""
    found = [(injected(case), analysis_in_record(injected(case))) for case in cases]
    key = found[0][1].settings
    for number, (case, pair) in enumerate(zip(cases, found, strict=True)):
        place = folder / str(number)
        place.mkdir()
        names = [player.name for player in pair[0].players]
        rows = {row[0]: row[2:] for row in exported(place, [pair], key).rows(SUMS)}
        for seat, name in enumerate(names):
            moves, unforced, close, _, checker, cube, luck = rows[name]
            told = of_gnubg(case, seat)
            assert (moves, unforced, close) == (told["moves"], told["unforced"], told["close"])
            assert checker == pytest.approx(-told["checker"], abs=0.00051)
            assert cube == pytest.approx(-told["cube"], abs=0.00051)
            assert luck == pytest.approx(told["luck"], abs=0.00051)


def test_sums_over_ten_matches_are_what_gnubg_printed(tmp_path: Path) -> None:
    cases = [case for case in fixture() if case.plies == 2 and case.match.length][:10]
    assert len(cases) == 10
    assert_sums_are_gnubgs(cases, tmp_path)


@here
@pytest.mark.gnubg
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sums_over_ten_matches_of_people_are_what_gnubg_prints(tmp_path: Path) -> None:
    cases = []
    for number, match in enumerate(drawn(10)):
        place = tmp_path / f"gnubg{number}"
        place.mkdir()
        (place / "match.sgf").write_text(sgf.write_sgf(match))
        cases.append(analysed_by_gnubg(place / "match.sgf", 0, place))
    assert_sums_are_gnubgs(cases, tmp_path)
