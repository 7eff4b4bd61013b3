"""What was learned of a server is there after a restart, and a broken file is begun anew."""

from __future__ import annotations

import asyncio
import datetime as dt
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from sixprime.bot.recording import dialects, keptfile
from sixprime.bot.recording.dialects import NAME, DialectFile, packed, place_for, unpacked
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.schema import ArchiveSettings, ServerSettings
from sixprime.protocols.fibs.dialect import OPTIONAL, ROLL_WITHIN_S, LearnedDialect

FIBS, OTHER = ServerSettings(), ServerSettings(host="Other.example", port=4322)


def test_what_was_learned_is_known_after_a_restart_on_that_server_alone(tmp_path: Path) -> None:
    file = tmp_path / "state" / NAME
    first = DialectFile(file)
    learned = first.dialect_of(FIBS)
    assert first.dialect_of(ServerSettings(host="FIBS.com")) is learned
    first.save()
    assert not file.exists()  # nothing has been learned
    learned.note_unknown("kibitz")
    learned.note_missing_prompt(True)
    first.save()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert DialectFile(file).dialect_of(FIBS) == learned
    assert DialectFile(file).dialect_of(OTHER) == LearnedDialect()


def test_what_is_learned_while_playing_is_saved_soon_and_at_the_end(tmp_path: Path) -> None:
    async def scene() -> None:
        kept = DialectFile(tmp_path / NAME)
        keeping = asyncio.create_task(kept.keep())
        kept.dialect_of(FIBS).note_unknown("kibitz")
        await asyncio.sleep(11)
        assert DialectFile(tmp_path / NAME).dialect_of(FIBS).unknown == {"kibitz"}
        kept.dialect_of(FIBS).note_unknown("time")
        keeping.cancel()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())
    assert DialectFile(tmp_path / NAME).dialect_of(FIBS).unknown == {"kibitz", "time"}


def test_two_processes_share_the_file(tmp_path: Path) -> None:
    one, two = DialectFile(tmp_path / NAME), DialectFile(tmp_path / NAME)
    one.dialect_of(FIBS).note_unknown("kibitz")
    one.save()
    two.dialect_of(OTHER).note_unknown("time")
    two.save()
    assert DialectFile(tmp_path / NAME).dialect_of(FIBS).unknown == {"kibitz"}
    assert DialectFile(tmp_path / NAME).dialect_of(OTHER).unknown == {"time"}


def test_the_file_is_bounded_and_servers_may_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = DialectFile(tmp_path / NAME)
    for port in range(1, keptfile.MOST_KEYS + 20):
        kept.dialect_of(ServerSettings(port=port)).note_unknown("time")
        kept.save()
    assert DialectFile(tmp_path / NAME).dialect_of(ServerSettings(port=19)) == LearnedDialect()
    assert DialectFile(tmp_path / NAME).dialect_of(ServerSettings(port=20)).unknown == {"time"}
    later = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=31)
    monkeypatch.setattr(dialects, "_today", lambda: later)
    assert DialectFile(tmp_path / NAME).dialect_of(ServerSettings(port=20)) == LearnedDialect()


@pytest.mark.parametrize("broken", [b"", b"[]", b"\xff", b'{"x": 1}', b'{"fibs.com:4321": {"lea'])
def test_a_broken_file_is_one_warning_and_begun_anew(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / NAME).write_bytes(broken)
    with capture_logs() as logs:
        kept = DialectFile(tmp_path / NAME)
        kept.dialect_of(FIBS).note_unknown("time")
        kept.save()
    assert [entry["event"] for entry in logs] == ["starting without what was known of servers"]
    assert DialectFile(tmp_path / NAME).dialect_of(FIBS).unknown == {"time"}


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with capture_logs() as logs:
        kept = DialectFile(tmp_path / "file" / NAME)
        kept.dialect_of(FIBS).note_unknown("time")
        kept.save()
    assert [entry["log_level"] for entry in logs][-1] == "warning"


@given(st.text() | st.from_regex(r'\{"(unknown|prompt_within_s)": .{0,30}\}'))
def test_any_text_is_a_dialect_that_can_be_played_or_refused(text: str) -> None:
    try:
        dialect = unpacked(text)
    except ValueError:
        return
    assert dialect.unknown <= OPTIONAL
    assert set(dialect.prompt_within_s) == {True, False}
    assert all(0 <= wait <= ROLL_WITHIN_S for wait in dialect.prompt_within_s.values())
    assert unpacked(packed(dialect)) == dialect


@pytest.mark.parametrize(
    ("database", "place"),
    [
        ("sqlite:///archive/sixprime.db", "archive/dialects.json"),
        ("sqlite://", "matches/dialects.json"),
        ("postgresql://bot@db/sixprime", "matches/dialects.json"),
        (None, "STATE/sixprime/dialects.json"),
    ],
)
def test_the_file_lies_beside_the_archive_or_with_the_users_state(
    database: str | None, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "STATE")
    archive = ArchiveSettings(database=database, folder=Path("matches"))
    assert place_for(archive) == Path(place)
