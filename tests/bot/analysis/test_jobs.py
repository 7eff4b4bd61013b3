"""Analysing an archive: each match once, whoever does it, however often it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from sqlalchemy import text

from sixprime.bot.analysis.jobs import Outcome, analyse_archive
from sixprime.bot.analysis.store import (
    Wanted,
    analysis_of,
    keep,
    keys,
    packed,
    unanalysed,
    unpacked,
)
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.bot.process.workers import Pool, cluster, cores
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.position import Variant
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in
from tests.support.engine.analyses import analyse_match
from tests.support.formats.played import random_match

pytestmark = pytest.mark.patient

FAST = AnalysisSettings.of("expert")
MATCHES = 5


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """An archive with some matches."""
    found = filled(tmp_path)
    yield found
    found.close()


def filled(folder: Path, count: int = MATCHES) -> Archive:
    archive = Archive(settings_in(folder))
    for match in played(500, count):
        assert add(archive, match) is not None
    return archive


@pytest.fixture
def here() -> Iterator[Pool]:
    """Work is done in this process."""
    with ThreadPoolExecutor(1) as executor:
        yield Pool(executor, 1)


def bodies(archive: Archive) -> list[object]:
    with archive.reading() as connection:
        found = connection.execute(text("SELECT match_id, body FROM analyses ORDER BY match_id"))
        return [(row.match_id, row.body) for row in found]


def test_every_match_is_analysed_once_at_the_same_settings(archive: Archive, here: Pool) -> None:
    told: list[tuple[int, int]] = []
    outcome = analyse_archive(archive, FAST, here, progress=lambda *done: told.append(done))
    assert outcome == Outcome(MATCHES, 0, {})
    assert told[-1] == (MATCHES, MATCHES)
    assert analyse_archive(archive, FAST, here) == Outcome(0, MATCHES, {})
    assert keys(archive) == [(FAST.key, MATCHES)]
    kept = analysis_of(archive, 1, FAST.key)
    assert kept == analyse_match(archive.match(1), FAST)
    assert unpacked(packed(kept).body) == kept
    with archive.reading() as connection:
        row = connection.execute(text("SELECT * FROM figures WHERE match_id = 1")).one()
    for whose, player in zip(("our", "their"), kept.statistics, strict=True):
        assert getattr(row, f"{whose}_moves") == player.moves
        assert getattr(row, f"{whose}_luck") == player.luck.emg


def test_a_match_that_went_on_or_other_settings_are_analysed_again(
    archive: Archive, here: Pool
) -> None:
    analyse_archive(archive, FAST, here)
    with archive.writing() as connection:
        connection.execute(text("UPDATE matches SET noted = noted + 1 WHERE id = 2"))
    assert analysis_of(archive, 2, FAST.key) is None
    assert analyse_archive(archive, FAST, here) == Outcome(1, MATCHES - 1, {})
    other = AnalysisSettings.of("expert", keep=2)
    missing, there = unanalysed(archive, other.key, {1, 3})
    assert ([each.match_id for each in missing], there) == ([1, 3], 0)


def test_a_match_that_cannot_be_analysed_is_told_and_skipped(archive: Archive, here: Pool) -> None:
    record = json.loads(archive.row(2).record)
    turns = [each for each in record["games"][0]["actions"] if each["kind"] == "Turn"]
    turns[3]["play"] = [[24, 1]]
    with archive.writing() as connection:
        for match_id, words in ((2, json.dumps(record)), (3, "nonsense")):
            asked = text("UPDATE matches SET record = :words WHERE id = :id")
            connection.execute(asked, {"words": words, "id": match_id})
        connection.execute(text("UPDATE matches SET state = 'playing' WHERE id = 4"))
    outcome = analyse_archive(archive, FAST, here)
    assert outcome.analysed == MATCHES - 3
    assert sorted(outcome.broken) == [2, 3]
    assert "24/1" in outcome.broken[2]
    assert "not JSON" in outcome.broken[3]
    assert analyse_archive(archive, FAST, here).there == MATCHES - 3


def test_a_match_without_its_database_is_told_in_one_line(
    archive: Archive,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sixprime.engine.bearoff.databases.cache_folder", lambda: tmp_path)
    hypergammon.cache_clear()
    three = random_match(17, variant=Variant.HYPERGAMMON)
    number = add(archive, three)
    (path := tmp_path / "three.sgf").write_text(sgf.write_sgf(three))
    how = "hypergammon with 3 checkers needs its database: sixprime bearoff hyper --checkers 3"
    database = ["--database", archive.settings.database or ""]
    quick = ["--level", "beginner"]
    assert main(["archive", "analyse", "--processes", "1", *quick, *database]) == 1
    told = capsys.readouterr()
    assert f"{MATCHES} matches analysed, 0 were already, 1 broken" in told.out
    assert told.err.splitlines() == [
        f"sixprime archive: 0 of {MATCHES + 1} matches analysed at beginner already",
        f"sixprime archive: match {number}: {how}",
    ]
    assert main(["analyse", str(path), str(path), *quick]) == 1
    assert capsys.readouterr().err.splitlines() == [f"sixprime analyse: {path}: {how}"] * 2


def test_processes_give_the_same_bytes(archive: Archive, here: Pool, tmp_path: Path) -> None:
    analyse_archive(archive, FAST, here)
    with closing(filled(tmp_path / "other")) as other, cores(2) as pool:
        assert analyse_archive(other, FAST, pool).analysed == MATCHES
        assert bodies(other) == bodies(archive)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_of_two_workers_gives_the_same_bytes(
    archive: Archive, here: Pool, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask (the extra `dask`)")
    analyse_archive(archive, FAST, here)
    with (
        closing(filled(tmp_path / "other")) as other,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as there,
        cluster(there.scheduler_address) as pool,
    ):
        assert pool.width == 2
        assert analyse_archive(other, FAST, pool).analysed == MATCHES
        assert bodies(other) == bodies(archive)
        there.scale(3)
        there.wait_for_workers(3)
        assert pool.capacity() == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_that_is_lost_is_told_and_what_it_made_is_kept(archive: Archive) -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask (the extra `dask`)")
    alone = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}

    def lose(done: int, total: int) -> None:
        if done:
            there.close()

    with (
        distributed.LocalCluster(**alone) as there,
        cluster(there.scheduler_address) as pool,
        pytest.raises(Unavailable, match="workers were lost"),
    ):
        analyse_archive(archive, FAST, pool, progress=lose)
    assert 0 < len(bodies(archive)) < MATCHES


def test_workers_with_other_nets_are_refused(archive: Archive, here: Pool) -> None:
    strange = AnalysisSettings.of("expert", weights="0123456789ab")

    class Worker(ThreadPoolExecutor):
        """Told settings that name no nets, as a cluster is, beside the key of others."""

        def submit(self, function, record, settings, key, weights):  # type: ignore[no-untyped-def,override]
            return super().submit(function, record, FAST, strange.key, weights)

    with Worker(1) as executor, pytest.raises(Unavailable, match="other nets"):
        analyse_archive(archive, FAST, Pool(executor, 1))


@pytest.mark.parametrize("waits", [False, True])
def test_a_worker_that_the_system_kills_is_told(archive: Archive, waits: bool) -> None:
    class Worker(ProcessPoolExecutor):
        """Dies of the first match, before or after the next is submitted."""

        def submit(self, *_):  # type: ignore[no-untyped-def,override]
            future = super().submit(os._exit, 1)
            if waits:
                future.exception()
            return future

    with (
        Worker(1, get_context("spawn")) as executor,
        pytest.raises(Unavailable, match="a worker was killed; is there too little memory"),
    ):
        analyse_archive(archive, FAST, Pool(executor, 1))


def test_a_scheduler_that_is_not_there_is_told_in_one_line(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ["archive", "analyse", "--database", archive.settings.database or ""]
    assert main([*words, "--scheduler", "127.0.0.1:1"]) == 2
    assert "needs Dask" in capsys.readouterr().err


SLOWLY = """
import sys, time
from sixprime.bot.analysis import jobs as analysisjobs
from sixprime.bot.cli.main import run
kept = analysisjobs.keep
def slowly(*arguments):
    kept(*arguments)
    print("kept", flush=True)
    time.sleep(0.3)
analysisjobs.keep = slowly
if __name__ == "__main__":
    run()
"""


def test_a_killed_run_leaves_whole_analyses_and_goes_on_where_it_was(
    archive: Archive, here: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analyse_archive(archive, FAST, here)
    with closing(filled(tmp_path / "other")) as other:
        database = other.settings.database or ""
        script = tmp_path / "slowly.py"
        script.write_text(SLOWLY)
        words = ["archive", "analyse", "--level", "expert", "--database", database]
        command = [sys.executable, str(script), *words, "--processes", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path.cwd()) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"kept\n"
            children = offspring(child.pid)
            child.send_signal(signal.SIGKILL)
            assert child.wait(timeout=60) == -signal.SIGKILL
        before = len(bodies(other))
        assert 1 <= before < MATCHES
        assert children
        assert ended(children)
        assert main([*words, "--processes", "1", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["analysed"], told["skipped"]) == (MATCHES - before, before)
        assert bodies(other) == bodies(archive)


def offspring(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ended(pids: list[int]) -> bool:
    """Are all of them gone, or gone soon?"""
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def test_a_killed_worker_costs_its_match_a_second_try(archive: Archive) -> None:
    killed: list[BaseProcess] = []

    def kill(done: int, total: int) -> None:
        if done and not killed:
            killed.extend(active_children())
            for each in killed:
                each.kill()

    with cores(1) as pool:
        assert analyse_archive(archive, FAST, pool, progress=kill) == Outcome(MATCHES, 0, {})
    assert killed


def test_an_analysis_is_replaced_as_a_whole(archive: Archive) -> None:
    data = packed(analyse_match(archive.match(1), FAST))
    for noted in (0, 0, 7):
        keep(archive, FAST.key, [(Wanted(1, noted), data)])
    with archive.reading() as connection:
        kept = connection.execute(text("SELECT noted FROM analyses")).scalars().all()
    assert kept == [7]
