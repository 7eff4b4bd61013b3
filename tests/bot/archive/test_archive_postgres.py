"""The archive on a real PostgreSQL server: cut connections, rivals, kills, settings, passwords.

`.ci/postgres` starts a server and runs these, and what tests/bot/archive/test_archive.py says of
both databases; elsewhere they are skipped unless SIXPRIME_TEST_POSTGRES names a server.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from sixprime.bot.archive.database import ArchiveAway, ArchiveError, open_database
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.events import Event, Evidence, GameStarted, MatchSaved, MatchStarted
from sixprime.bot.settings.schema import ArchiveSettings
from tests.support.archive.told import (
    MORNING,
    POSTGRES,
    WHO,
    again,
    began,
    bones,
    fibs_match,
    keep,
    needs_postgres,
    settings_in,
    told,
)

pytestmark = [pytest.mark.postgres, needs_postgres]


@pytest.fixture
def kept(tmp_path: Path) -> ArchiveSettings:
    """Settings of an empty archive."""
    return settings_in(tmp_path, "postgres")


def url() -> str:
    assert POSTGRES
    return POSTGRES


def cut_others() -> None:
    """As a restart of the server, or a firewall, does it."""
    engine = create_engine(url().replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    engine.dispose()


def test_cut_connections_lose_nothing(kept: ArchiveSettings) -> None:
    match = fibs_match(5)
    archive = LiveArchive(kept)
    for number, event in enumerate(told(match)):
        if number % 20 == 7:
            cut_others()
        archive.note(event)
    archive.finish(WHO)
    (row,) = archive.rows()
    assert bones(archive.match(row.id)) == bones(match)
    archive.close()


def test_a_connection_cut_in_mid_transaction_is_written_with_the_next_event(
    kept: ArchiveSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = fibs_match(7)
    archive = LiveArchive(kept)
    write, failed = archive._write, 0

    def cut(connection: object, event: Event) -> None:
        nonlocal failed
        if isinstance(event, GameStarted) and failed == 0:
            failed += 1
            cut_others()
        write(connection, event)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "_write", cut)
    for event in told(match):
        try:
            archive.note(event)
        except ArchiveAway:
            failed += 1
    archive.finish(WHO)
    assert failed == 2
    (row,) = archive.rows()
    assert list(archive.events(row.id)) == list(told(match))
    archive.close()


@pytest.mark.parametrize("seed", [3])
def test_drops_and_restarts_leave_one_match_with_all_its_games(
    kept: ArchiveSettings, seed: int
) -> None:
    match = fibs_match(seed)
    events = list(told(match))
    archive = LiveArchive(kept)
    at = 0
    for cut in range(15, min(len(events) - 2, 90), 25):
        for event in events[at:cut]:
            archive.note(event)
        at = cut
        archive.note(MatchSaved(WHO, MORNING, "the connection is lost"))
        archive.close()
        archive = LiveArchive(kept)
        for event in again(events[:cut], match):
            archive.note(event)
    keep(archive, events[at:])
    (row,) = archive.rows()
    assert bones(archive.match(row.id)) == bones(match)
    archive.close()


OPENS = """
import sys
from sixprime.bot.archive.database import open_database
sys.stdin.readline()
open_database(sys.argv[1]).dispose()
"""


def test_bots_that_start_together_make_the_tables_once(kept: ArchiveSettings) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", OPENS, url()], stdin=subprocess.PIPE)
        for _ in range(2)
    ]
    for each in started:
        assert each.stdin is not None
        each.stdin.write(b"\n")
        each.stdin.close()
    assert [each.wait(60) for each in started] == [0, 0]
    engine = open_database(url())
    with engine.begin() as connection:
        assert len(connection.execute(text("SELECT version FROM sixprime_schema")).all()) == 1
    engine.dispose()


NOTES = """
import sys
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.settings.schema import ArchiveSettings
from tests.support.archive.told import fibs_match, told
archive = LiveArchive(ArchiveSettings(database=sys.argv[1], folder=None))
for event in told(fibs_match(5)):
    archive.note(event)
    print(type(event).__name__, flush=True)
"""


def test_a_kill_loses_nothing_that_was_noted(kept: ArchiveSettings) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NOTES, url()], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for _ in range(25):
            assert child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    archive = LiveArchive(kept)
    (row,) = archive.rows()
    noted = list(archive.events(row.id))
    assert len(noted) >= 25
    assert noted == list(told(fibs_match(5)))[: len(noted)]
    archive.close()


def test_strange_names_and_lines_are_kept_or_refused_but_never_stop_the_archive(
    kept: ArchiveSettings,
) -> None:
    archive = LiveArchive(kept)
    strange = Evidence(
        WHO, MORNING, "Zo\u00eb \U0001f3b2 \x1b", ("S \x00\xff", "C '; DROP TABLE matches; --")
    )
    archive.note(began(3, resumed=False))
    archive.note(strange)
    long = replace(began(1, resumed=False), who=replace(WHO, opponent="x" * 300))
    with pytest.raises(ArchiveError, match="value too long"):
        archive.note(long)
    archive.note(GameStarted(WHO, MORNING, (0, 0), crawford=False))
    (row,) = archive.rows()
    assert list(archive.events(row.id))[1] == strange
    archive.close()


# --- how databases are set up


@pytest.fixture
def odd_database(kept: ArchiveSettings) -> Iterator[Callable[[str], ArchiveSettings]]:
    """Makes a database with these words of CREATE DATABASE."""
    engine = create_engine(
        url().replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )

    def made(how: str) -> ArchiveSettings:
        with engine.connect() as connection:
            connection.execute(text("DROP DATABASE IF EXISTS sixprime_odd WITH (FORCE)"))
            connection.execute(text(f"CREATE DATABASE sixprime_odd TEMPLATE template0 {how}"))
        address = make_url(url()).set(database="sixprime_odd")
        return kept.model_copy(update={"database": address.render_as_string(hide_password=False)})

    yield made
    with engine.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS sixprime_odd WITH (FORCE)"))
    engine.dispose()


@pytest.mark.parametrize("how", ["ENCODING 'SQL_ASCII'", "ENCODING 'LATIN1'"])
def test_a_match_does_not_depend_on_the_databases_encoding(
    odd_database: Callable[[str], ArchiveSettings], how: str
) -> None:
    match, strange = fibs_match(5), Evidence(WHO, MORNING, "Zo\u00eb", ("S \xff",))
    archive = LiveArchive(odd_database(how))
    keep(archive, [*told(match), strange])
    (row,) = archive.rows()
    assert bones(archive.match(row.id)) == bones(match)
    assert list(archive.events(row.id))[-1] == strange
    archive.close()


def test_what_happens_while_the_database_is_read_only_is_written_later(
    odd_database: Callable[[str], ArchiveSettings],
) -> None:
    settings, match = odd_database(""), fibs_match(5)
    archive, events = LiveArchive(settings), list(told(match))
    for event in events[:20]:
        archive.note(event)
    set_all("default_transaction_read_only = on")
    for event in events[20:30]:
        with pytest.raises(ArchiveAway, match="cannot execute INSERT in a read-only transaction"):
            archive.note(event)
    set_all("default_transaction_read_only = off")
    keep(archive, events[30:])
    (row,) = archive.rows()
    assert list(archive.events(row.id)) == events
    archive.close()


def set_all(how: str) -> None:
    """Of the odd database, from now on."""
    engine = create_engine(url().replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f"ALTER DATABASE sixprime_odd SET {how}"))
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = 'sixprime_odd'"
            )
        )
    engine.dispose()


def test_nothing_is_prepared_as_a_pooler_may_give_each_transaction_another_server(
    kept: ArchiveSettings,
) -> None:
    archive = LiveArchive(kept)
    for event in told(fibs_match(5)):
        archive.note(event)
    with archive.reading() as connection:
        assert connection.execute(text("SELECT name FROM pg_prepared_statements")).all() == []
    archive.close()


# --- passwords


@pytest.fixture
def own_password() -> Iterator[tuple[str, str]]:
    """A user of the database with a password, as a URL without it."""
    secret = "s3cret/@#%'x"
    engine = create_engine(url().replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("DROP ROLE IF EXISTS sixprime_guest"))
        connection.execute(
            text("CREATE ROLE sixprime_guest LOGIN SUPERUSER PASSWORD 's3cret/@#%''x'")
        )
    address = make_url(url()).set(username="sixprime_guest", password=None)
    yield address.render_as_string(), secret
    with engine.begin() as connection:
        connection.execute(text("DROP ROLE sixprime_guest"))
    engine.dispose()


def test_the_databases_password_comes_from_a_file_or_a_variable(
    own_password: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, secret = own_password
    (tmp_path / "password").write_text(secret + "\n")
    monkeypatch.setenv("THE_DATABASE", secret)
    for settings in (
        ArchiveSettings(database=address, database_password_file=tmp_path / "password"),
        ArchiveSettings(database=address, database_password_env="THE_DATABASE"),
    ):
        LiveArchive(settings).close()


def test_a_wrong_password_is_one_line_that_does_not_tell_it(
    own_password: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, _ = own_password
    monkeypatch.setenv("THE_DATABASE", "wr0ng-one")
    with pytest.raises(ArchiveError) as told_:
        LiveArchive(ArchiveSettings(database=address, database_password_env="THE_DATABASE"))
    message = str(told_.value)
    assert "wr0ng-one" not in message
    assert "\n" not in message
    with pytest.raises(ArchiveError) as told_:
        open_database(f"{address}?password=wr0ng-one")
    assert "wr0ng-one" not in str(told_.value)


# --- the command line


def test_the_command_line_works_on_a_server_too(
    kept: ArchiveSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = LiveArchive(kept)
    keep(archive, told(fibs_match(5)))
    archive.close()
    config = tmp_path / "bot.yaml"
    config.write_text(
        f"account: {{user: anna}}\narchive: {{database: {json.dumps(url())}, folder: null}}\n"
    )
    assert main(["archive", "list", "--config", str(config), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["opponent"] == WHO.opponent
    assert main(["archive", "stats", "--config", str(config), "--json"]) == 0
    assert main(["archive", "export", str(tmp_path / "out"), "--config", str(config)]) == 0
    assert len(list((tmp_path / "out").iterdir())) == 3
    assert main(["archive", "import", str(tmp_path / "out"), "--config", str(config)]) == 0
    capsys.readouterr()


def test_events_of_a_match_have_one_number_each(kept: ArchiveSettings) -> None:
    """Two bots of one account cannot write one event twice; the second is told so."""
    first, second = LiveArchive(kept), LiveArchive(kept)
    first.note(began(3, resumed=False))
    second.note(began(3, resumed=True))
    assert isinstance(next(first.events(1)), MatchStarted)
    assert [row.noted for row in first.rows()] == [2]
    first.close()
    second.close()
