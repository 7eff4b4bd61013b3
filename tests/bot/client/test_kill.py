"""Bots and servers that are killed at any moment: all that was played is in the archive, once.

The short series runs always. The full one is `pytest -m slow tests/bot/client/test_kill.py`; the
seed of both can be set in the environment, as SIXPRIME_KILL_SEED, and so can the number of matches
and of kills of the full one: SIXPRIME_KILL_SERIES=MATCHES,BOTS,SERVERS.

The campaign of issue 50 - 100 kills of the bots, 30 stops of PostgreSQL, 10 full disks - is
`pytest -m slow -k campaign tests/bot/client/test_kill.py -s`; it needs root, for a small disk, and
PostgreSQL. SIXPRIME_CAMPAIGN=MATCHES,KILLS,STOPS,DISKS changes it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bot.postgres import PostgresServer
from tests.support.bot.processes import Bout, Kill, campaign, differences, series
from tests.support.gnubg.program import typed

pytestmark = pytest.mark.patient

SEED = int(os.environ.get("SIXPRIME_KILL_SEED", "6"))
FULL = os.environ.get("SIXPRIME_KILL_SERIES", "100,30,10")
CAMPAIGN = os.environ.get("SIXPRIME_CAMPAIGN", "150,100,30,10")
LOAD = {".sgf": "load match", ".mat": "import mat", ".fibs": "import oldmoves"}


def played(bout: Bout, matches: int, kills: list[Kill]) -> None:
    """Play, stop, and compare what everybody remembers."""
    try:
        bout.play(matches, kills)
        bout.end()
    finally:
        bout.give_up()
    assert bout.server.deaths[-9] + sum(bot.deaths[-9] for bot in bout.bots.values()) == len(kills)
    assert sum(len(served) for served in bout.served().values()) >= matches
    assert differences(bout) == []


def test_killed_bots_and_servers_leave_every_match_whole(tmp_path: Path) -> None:
    bout = Bout(tmp_path, SEED, lengths=(1, 1, 1))
    kills = [
        Kill("left", "line line='move ", 0),
        Kill("server", "mine after committing:9", 1),
        Kill("right", "mine before noting MatchOver", 2),
        Kill("left", "mine within a file:2", 3),
    ]
    played(bout, 6, kills)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bout]:
    """The full series, played."""
    bout = Bout(tmp_path_factory.mktemp("full"), SEED, lengths=(1, 3), level="beginner")
    matches, bots, servers = (int(number) for number in FULL.split(","))
    played(bout, matches, series(SEED, matches, bots, servers))
    yield bout


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_long_series_of_kills_leaves_every_match_whole(full: Bout) -> None:
    assert sum(full.tally.kills.values()) == sum(map(int, FULL.split(",")[1:]))


@pytest.mark.slow
@pytest.mark.timeout(10800)
@pytest.mark.skipif(not PostgresServer.is_installed(), reason="needs PostgreSQL")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_the_campaign_loses_and_doubles_no_match(tmp_path: Path) -> None:
    bout = Bout(tmp_path, SEED, lengths=(1, 3), level="beginner", strained=True)
    matches, kills, stops, disks = (int(number) for number in CAMPAIGN.split(","))
    faults = campaign(SEED, matches, kills, stops, disks)
    try:
        bout.play(matches, faults)
        bout.end()
        bout.give_up()
        served = sum(map(len, bout.served().values()))
        also, strokes = bout.tally.also, sum(bout.tally.kills.values())
        wrong = differences(bout)
        sys.stdout.write(f"{served} matches, {strokes} faults, {also} kills besides\n")
        sys.stdout.write("".join(f"{each}\n" for each in wrong))
        assert wrong == []
    finally:
        bout.give_up()
        bout.close()
    assert sum(bout.tally.kills.values()) == len(faults)


@pytest.mark.slow
@pytest.mark.gnubg
@pytest.mark.timeout(7200)
def test_gnubg_loads_every_file_of_the_series(full: Bout) -> None:
    for side in full.names:
        folder = full.folder / side / "matches"
        assert_gnubg_loads(sorted(folder.iterdir()), full.folder)


def assert_gnubg_loads(files: list[Path], folder: Path) -> None:
    """It exports each of them again, with as many games as we wrote."""
    commands = (
        "set automatic game off\nset confirm new off\nset confirm save off\nset display off\n"
    )
    commands += "set player 0 human\nset player 1 human\n"
    (folder / "out").mkdir(exist_ok=True)
    for path in files:
        out = folder / "out" / f"{path.name}.mat"
        commands += f"{LOAD[path.suffix]} {path}\nexport match mat {out}\n"
    typed(commands, folder)
    for path in files:
        made = (folder / "out" / f"{path.name}.mat").read_text()
        ours = path.with_suffix(".mat").read_text()
        assert made.count("\n Game ") == ours.count("\n Game "), path.name
