"""The archive: what was noted stays, once, whatever was interrupted or repeated."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, text
from sqlalchemy.engine import make_url
from sqlalchemy.schema import DropTable
from structlog.testing import capture_logs

from sixprime.bot.archive import database as archivetables
from sixprime.bot.archive.archive import MatchStatus
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.collection.importing import add_file, matches_of_file
from sixprime.bot.archive.database import PSYCOPG, ArchiveError, _dialling, open_database
from sixprime.bot.archive.live import LiveArchive, archive_of
from sixprime.bot.archive.matchfiles import FORMATS, Format, read_matches, write_match
from sixprime.bot.archive.matchrecord import record_of
from sixprime.bot.matchlog.eventjson import body_of, event_of, kind_of
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    Evidence,
    GameStarted,
    MatchSaved,
    Resigning,
    Way,
    Who,
    Wire,
)
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import (
    Action,
    Break,
    CannotCarry,
    Ending,
    GameResult,
    Interruption,
    Match,
    Resignation,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.replay import moments
from tests.support.archive.told import (
    MORNING,
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


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, needs_postgres])]
)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> ArchiveSettings:
    """Settings of an empty archive."""
    return settings_in(tmp_path, request.param)


def test_a_match_is_kept_with_all_that_was_told(kept: ArchiveSettings) -> None:
    match = fibs_match(5)
    archive = LiveArchive(kept)
    keep(archive, told(match))
    (row,) = archive.rows()
    found = archive.match(row.id)
    assert bones(found) == bones(match)
    assert found.finished
    assert found.winner == match.winner
    us, them = found.players
    assert (us.rating_before, us.rating_after, us.experience_after) == (1500.25, 1502.5, 17)
    assert (them.rating_before, them.rating_after) == (1723.5, None)
    assert (us.level, found.started, found.place) == ("expert", MORNING, WHO.server)
    assert (row.state, row.winner, row.ended) == ("over", match.winner, found.ended)
    assert sum(archive.results("anna", "ben")) == 1
    assert list(archive.events(row.id)) == list(told(match))
    archive.close()


def test_the_three_files_of_a_match_say_what_the_record_says(kept: ArchiveSettings) -> None:
    match = fibs_match(7)
    archive = LiveArchive(kept)
    keep(archive, told(match))
    assert kept.folder is not None
    files = sorted(kept.folder.iterdir())
    stem = f"2026-11-21_093000_anna_ben_{match.length}"
    assert [file.name for file in files] == [f"{stem}{each}" for each in (".fibs", ".mat", ".sgf")]
    for file in files:
        (found,) = read_matches(file)
        assert found.score == match.score
        assert len(found.games) == len(match.games)
    archive.close()


def test_files_that_have_no_place_are_one_line_of_the_log(kept: ArchiveSettings) -> None:
    archive = LiveArchive(kept)
    for event in told(fibs_match(7)):
        archive.note(event)
    assert kept.folder is not None
    kept.folder.write_text("not a folder")
    with capture_logs() as logs:
        archive.catch_up(WHO.server, WHO.account)
    assert [each["event"] for each in logs] == ["match files failed"]
    assert "exc_info" not in logs[0]
    archive.close()


def test_a_file_marked_unfinished_goes_even_if_none_can_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(_: Match) -> str:
        raise CannotCarry("a board set during a game")

    whole = fibs_match(1)  # of two games
    write_match(replace(whole, games=whole.games[:1]), tmp_path, "a", FORMATS)
    monkeypatch.setitem(
        cast(dict[str, Format], FORMATS), "mat", Format(mat.read_mat, cannot, (".mat",))
    )
    assert write_match(whole, tmp_path, "a", FORMATS).left_out
    assert {each.name for each in tmp_path.iterdir()} == {"a.fibs", "a.sgf"}


def test_a_match_whose_files_cannot_be_written_keeps_no_other_from_its_own(
    kept: ArchiveSettings,
) -> None:
    archive, (one, *others) = LiveArchive(kept), (replace(WHO, opponent=each) for each in "def")
    for event in told(fibs_match(5)):
        archive.note(replace(event, who=one))
    assert kept.folder is not None
    blocked = kept.folder / f"{archive.stems()[archive.rows()[0].id]}.fibs"
    blocked.mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        archive.finish(one)
    with capture_logs() as logs:
        for who in others:
            keep(archive, [replace(event, who=who) for event in told(fibs_match(5))], who)
    assert [each["event"] for each in logs] == ["match files failed"]
    assert [row.filed > 0 for row in archive.rows()] == [False, True, True]
    archive.close()


def test_a_dropped_match_has_files_marked_unfinished_until_it_is_over(
    kept: ArchiveSettings,
) -> None:
    match = next(each for each in map(fibs_match, range(9)) if len(each.games[0].actions) > 20)
    events = list(told(match))
    archive = LiveArchive(kept)
    assert kept.folder is not None
    drop = Acted(WHO, MORNING, Interruption(1, Break.DROPPED, MORNING))
    keep(archive, [*events[:9], drop, MatchSaved(WHO, MORNING, "OpponentDropped")])
    names = [file.name for file in kept.folder.iterdir()]
    assert len(names) == len(FORMATS)
    assert all(".unfinished" in name for name in names)
    assert archive.rows()[0].state == MatchStatus.SAVED.value
    later = replace(began(match.length, resumed=True), at=MORNING + dt.timedelta(days=1))
    keep(archive, [later, *events[9:]])
    names = [file.name for file in kept.folder.iterdir()]
    assert len(names) == len(FORMATS)
    assert not any(".unfinished" in name or name.endswith(".part") for name in names)
    (row,) = archive.rows()
    found = archive.match(row.id)
    assert bones(found) == bones(match)
    breaks = [each for each in found.games[0].actions if isinstance(each, Interruption)]
    assert [(each.seat, each.what) for each in breaks] == [(1, Break.DROPPED), (0, Break.RESUMED)]
    archive.close()


@pytest.mark.parametrize("kind", ["sqlite"])
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 500), st.lists(st.tuples(st.integers(1, 200), st.booleans()), max_size=4))
def test_drops_restarts_and_repeats_leave_one_match_with_all_its_games(
    kind: str, seed: int, cuts: list[tuple[int, bool]]
) -> None:
    """At each cut we go, politely or killed; after it the server shows the board again."""
    match = fibs_match(seed)
    events = list(told(match))
    with tempfile.TemporaryDirectory() as folder:
        kept = settings_in(Path(folder), kind).model_copy(update={"folder": None})
        archive = LiveArchive(kept)
        at = 0
        for cut, politely in sorted(cuts):
            if not at < cut < len(events) - 2:
                continue
            for event in events[at:cut]:
                archive.note(event)
            at = cut
            if politely:
                archive.note(MatchSaved(WHO, MORNING, "the connection is lost"))
                archive.finish(WHO)
            archive.close()
            archive = LiveArchive(kept)
            for event in again(events[:cut], match):
                archive.note(event)
        keep(archive, events[at:])
        (row,) = archive.rows()
        found = archive.match(row.id)
        archive.close()
    assert found.comment == ""
    assert bones(found) == bones(match)


def test_the_play_that_a_kill_swallowed_is_found_on_the_next_board() -> None:
    match = fibs_match(5)
    events = list(told(match))
    lost = next(
        i for i, each in enumerate(events) if isinstance(each, Acted) and _is_play(each.action)
    )
    played = record_of(WHO, events[: lost + 1])
    (*_, (_, position, state)) = moments(
        played,
        replace(played.games[0], actions=(*played.games[0].actions, Interruption(0, Break.LEFT))),
    )
    board = Acted(WHO, MORNING, SetBoard(state.on_roll, position))
    start = GameStarted(WHO, MORNING, (0, 0), crawford=False)
    back: list[Event] = [began(match.length, resumed=True), start, board]
    found = record_of(WHO, [*events[:lost], *back, *events[lost + 1 :]])
    assert not any(isinstance(each, SetBoard) for each in found.games[0].actions)
    assert found.score == match.score


def _is_play(action: Action) -> bool:
    return isinstance(action, Turn) and bool(action.play)


def test_the_end_of_a_game_that_nobody_told_is_told_by_the_next_score() -> None:
    events: list[Event] = [
        began(3, resumed=False),
        GameStarted(WHO, MORNING, (0, 0), crawford=False),
        Acted(WHO, MORNING, Turn(0, (3, 1))),
        GameStarted(WHO, MORNING, (0, 2), crawford=True),
    ]
    match = record_of(WHO, events)
    assert match.games[0].result == GameResult(1, 2, Ending.RESIGNED)
    assert [type(each) for each in match.games[0].actions[1:]] == [Resignation, Resignation]
    assert match.games[1].crawford


def test_another_match_begins_where_the_saved_one_is_gone(kept: ArchiveSettings) -> None:
    archive = LiveArchive(kept)
    events = list(told(fibs_match(5)))
    keep(archive, [*events[:9], MatchSaved(WHO, MORNING, "OpponentLeft")])
    keep(archive, events)
    assert [row.state for row in archive.rows()] == ["abandoned", "over"]
    assert kept.folder is not None
    assert len(list(kept.folder.iterdir())) == 2 * len(FORMATS)  # no file took another's name
    archive.close()


def test_the_conversation_is_kept_up_to_its_bound(kept: ArchiveSettings) -> None:
    archive = LiveArchive(kept.model_copy(update={"raw_log_kib": 1}))
    archive.note(Wire(WHO, MORNING, Way.HEARD, "Starting a new game with ben."))
    archive.note(began(3, resumed=False))
    archive.note(Wire(WHO, MORNING, Way.SAID, "roll"))
    archive.note(GameStarted(WHO, MORNING, (0, 0), crawford=False))
    assert archive.conversation(1) == "S Starting a new game with ben.\nC roll\n"
    for _ in range(300):
        archive.note(Wire(WHO, MORNING, Way.HEARD, "x" * 80))
    archive.finish(WHO)
    said = archive.conversation(1)
    assert said.startswith("S Starting")
    assert said.endswith("is not kept\n")
    assert len(said) < 1_200
    archive.close()


def test_old_raw_logs_go_and_the_matches_stay(kept: ArchiveSettings) -> None:
    archive = LiveArchive(kept)
    events = list(told(fibs_match(3)))
    keep(archive, [*events[:2], Wire(WHO, MORNING, Way.SAID, "roll"), *events[2:]])
    archive.finish(WHO)
    late = events[-1].at + dt.timedelta(days=30)
    other = replace(WHO, opponent="carl")
    archive.note(replace(began(1, resumed=False), who=other, at=late))
    archive.note(Wire(other, late, Way.SAID, "move 8-5 6-5"))
    archive.note(GameStarted(other, late, (0, 0), crawford=False))
    before = archive.match(1), archive.match(2)
    archive.note(Evidence(replace(WHO, opponent="nobody"), MORNING, "old", ()))

    def forget(account: str, days: float) -> int:
        return archive.forget_raw(WHO.server, account, events[-1].at + dt.timedelta(days=days))

    assert forget(WHO.account, 0) == forget("somebody", 99) == 0
    assert "roll" in archive.conversation(1)
    assert [forget(WHO.account, 1), forget(WHO.account, 1)] == [1, 0]
    assert (archive.match(1), archive.match(2)) == before
    assert not archive.conversation(1)
    assert "move 8-5 6-5" in archive.conversation(2)
    assert [each for each in findings(archive) if each.match == 1] == []
    with archive.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM strays")).scalar() == 0
    archive.close()


def test_evidence_without_a_match_is_kept_and_other_events_are_refused(
    kept: ArchiveSettings,
) -> None:
    archive = LiveArchive(kept)
    archive.note(Evidence(WHO, MORNING, "a riddle", ("S what", "C who")))
    with pytest.raises(ArchiveError, match="never began"):
        archive.note(GameStarted(WHO, MORNING, (0, 0), crawford=False))
    archive.note(began(1, resumed=False))  # the refused one does not come back
    assert len(archive.rows()) == 1
    archive.close()


def test_names_of_players_never_leave_the_folder(kept: ArchiveSettings, tmp_path: Path) -> None:
    who = Who("../../etc", "..", "../../../x y\x1b[2J")
    archive = LiveArchive(kept)
    archive.note(replace(began(1, resumed=False), who=who))
    archive.note(GameStarted(who, MORNING, (0, 0), crawford=False))
    archive.note(Acted(who, MORNING, Turn(0, (3, 1))))
    archive.finish(who)
    assert kept.folder is not None
    assert len(list(kept.folder.iterdir())) == len(FORMATS)
    assert {each.name for each in tmp_path.iterdir()} <= {"files", "kept"}
    archive.close()


def test_events_come_back_from_text_as_they_were() -> None:
    evidence = Evidence(WHO, MORNING, "Zoë", ("a", "\x00"))
    others: list[Event] = [Resigning(WHO, MORNING, 3), MatchSaved(WHO, MORNING, "x"), evidence]
    for event in [*told(fibs_match(3)), *others]:
        if not isinstance(event, Wire):
            assert event_of(kind_of(event), event.who, event.at, body_of(event)) == event


# --- the database itself


def test_an_older_database_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    open_database(url).dispose()
    step = ("CREATE TABLE later (id INTEGER)",)
    later = max(archivetables.STEPS) + 1
    monkeypatch.setattr(archivetables, "STEPS", {**archivetables.STEPS, later: step})
    for _ in range(2):  # once
        engine = open_database(url)
        with engine.begin() as connection:
            assert connection.execute(
                text("SELECT version FROM sixprime_schema")
            ).scalars().all() == [later]
            connection.execute(text("SELECT * FROM later"))
        engine.dispose()


def test_an_archive_without_analyses_gets_a_place_for_them(kept: ArchiveSettings) -> None:
    archive = LiveArchive(kept)
    keep(archive, told(fibs_match(5)))
    archive.close()
    assert kept.database is not None
    engine = open_database(kept.database)
    with engine.begin() as connection:  # as version 1 left it
        for since in (each for step in archivetables.STEPS.values() for each in step):
            if isinstance(since, Table):
                connection.execute(DropTable(since))
        connection.execute(text("UPDATE sixprime_schema SET version = 1"))
    engine.dispose()
    archive = LiveArchive(kept)
    assert matches_of_file(archive, "unknown") is None
    assert add_file(archive, "known", [fibs_match(6)]) == [2]
    assert (matches_of_file(archive, "known"), len(archive.rows())) == (1, 2)
    archive.close()


def test_a_database_of_a_newer_program_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    monkeypatch.setattr(archivetables, "STEPS", {1: (), 9: ()})
    open_database(url).dispose()
    monkeypatch.setattr(archivetables, "STEPS", {1: ()})
    with pytest.raises(ArchiveError, match="version 9"):
        open_database(url)


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x", "sqlite:////proc/no/where.db"])
def test_a_database_that_cannot_be_used_is_one_clear_line(url: str) -> None:
    with pytest.raises(ArchiveError) as caught:
        open_database(url)
    assert "\n" not in str(caught.value)


def test_a_file_is_named_as_its_user_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "Übung 1.db"
    path.write_text("no database")
    with pytest.raises(ArchiveError, match=f"^sqlite:///{path}: file is not a database$"):
        open_database(f"sqlite:///{path}")


def test_sqlite_is_embedded_and_durable(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/a.db")
    with engine.begin() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    engine.dispose()


def test_settings_without_a_database_keep_nothing(tmp_path: Path) -> None:
    yaml = "account: {user: anna}\narchive: {database: null}\n"
    (profile,) = read_config(yaml, tmp_path / "x.yaml").profiles
    assert archive_of(profile) is None


NOTES = """
import sys
from sixprime.bot.archive.live import LiveArchive
from tests.support.archive.told import WHO, fibs_match, settings_in, told
from pathlib import Path
archive = LiveArchive(settings_in(Path(sys.argv[1])))
while True:
    for event in told(fibs_match(5)):
        archive.note(event)
        print(type(event).__name__, flush=True)
    archive.finish(WHO)
"""


def test_a_kill_at_any_moment_loses_nothing_that_was_noted(tmp_path: Path) -> None:
    noted = 0
    for lines in (3, 90):
        with subprocess.Popen(
            [sys.executable, "-c", NOTES, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for _ in range(lines):
                assert child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            noted += lines + len(child.stdout.read().splitlines())
        archive = LiveArchive(settings_in(tmp_path))
        archive.catch_up(WHO.server, WHO.account)
        rows = archive.rows()
        found = sum(len(list(archive.events(row.id))) for row in rows)
        assert noted <= found <= noted + 1  # one may be durable and not reported yet
        noted = found
        assert all(row.noted == row.filed for row in archive.rows())
        assert archive.match(rows[-1].id).games or lines < 4
        archive.close()
    for file in (tmp_path / "files").iterdir():
        if file.suffix != ".part":  # the kill left it beside its place
            read_matches(file)


def test_a_server_that_is_gone_is_given_up_in_time_unless_the_url_says_otherwise() -> None:
    url = make_url("postgresql+psycopg://host/archive")
    assert _dialling(url) == PSYCOPG
    own = _dialling(url.set(query={"tcp_user_timeout": "5000"}))
    assert own == {name: value for name, value in PSYCOPG.items() if name != "tcp_user_timeout"}
    assert _dialling(url.set(drivername="mysql")) == {}
    assert _dialling(url.set(drivername="postgresql+psycopg2")) == {}  # it has other options
