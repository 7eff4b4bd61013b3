"""`sixprime demo`: a server, two bots, a match; a record of it; and it ends by itself."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.matchfiles import read_matches
from sixprime.bot.cli.main import main
from sixprime.bot.demo.demonstration import (
    FIRST,
    LEVELS,
    SECOND,
    Demo,
    DemoEvent,
    Listening,
    Plan,
)
from sixprime.bot.demo.screen import Screen
from sixprime.bot.matchlog.events import (
    Acted,
    GameOver,
    GameStarted,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Who,
)
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.position import Step, Variant
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Ending,
    GameResult,
    Match,
    SetBoard,
    Turn,
)
from tests.support.bot.scene import check_replay

pytestmark = pytest.mark.patient


@pytest.fixture(autouse=True)
def _nobody_settles_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots invite as soon as they are in the lobby."""
    monkeypatch.setattr("sixprime.bot.client.lobby.desk.SETTLE_S", 0.1)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both play without an engine, at once."""
    for name in (FIRST, SECOND):
        monkeypatch.setitem(LEVELS, name, "pips")


def matches_in(folder: Path) -> list[Match]:
    with closing(Archive(Plan(folder, 1, 1, 0).archive)) as archive:
        return [archive.match(row.id) for row in archive.rows()]


def turns(shown: str) -> list[str]:
    """The lines of turns and of what the cube did."""
    return [line for line in shown.splitlines() if re.match(r" +\d* +(anna|ben) ", line)]


def test_a_demo_plays_a_rated_match_and_leaves_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--length", "1", "--seed", "42", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    (match,) = matches_in(tmp_path)
    assert match.finished
    check_replay(match)
    assert match.winner is not None
    assert f"{match.players[match.winner].name} wins the match, {max(match.score)}-0" in shown.out
    for player in match.players:
        assert f"{player.rating_before:.2f} -> {player.rating_after:8.2f}" in shown.out
        assert player.rating_before != player.rating_after
    for suffix in (".fibs", ".sgf", ".mat"):
        (path,) = tmp_path.glob(f"matches/*{suffix}")
        assert str(path) in shown.out
        assert [each.score for each in read_matches(path)] == [match.score]
    assert "|BAR|" in shown.out
    assert "  over   world-class  " in shown.out  # the archive's line
    assert any(re.search(r"anna .* [+-]\d\.\d{3}, wins \d+%$", line) for line in turns(shown.out))

    assert main(["demo", "--length", "1", "--seed", "42", "--out", str(tmp_path)]) == 0
    assert turns(capsys.readouterr().out) == turns(shown.out)
    first, second = matches_in(tmp_path)
    assert [game.actions for game in first.games] == [game.actions for game in second.games]


@pytest.mark.usefixtures("plain")
def test_so_many_matches_are_played_as_were_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["demo", "--length=1", "--matches=3", "--seed=1", "--out", str(tmp_path)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert [f"Match {n} of 3, 1 point, rated" in shown for n in (1, 2, 3)] == [True] * 3
    matches = matches_in(tmp_path)
    assert [match.finished for match in matches] == [True] * 3
    assert matches[2].players[0].rating_before == matches[1].players[0].rating_after


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("variant", [Variant.NACKGAMMON, Variant.HYPERGAMMON_2])
def test_another_game_is_read_from_its_boards_and_told_as_it_is(
    variant: Variant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, out = variant.called, str(tmp_path)
    assert main(["demo", "--length=3", "--seed=1", "--variant", name, "--out", out]) == 0
    assert f"--length 3 --variant {name} --seed 1" in capsys.readouterr().out
    (match,) = matches_in(tmp_path)
    assert match.finished
    assert match.rules.variant is variant
    check_replay(match)
    first, *_ = match.games[0].actions
    assert isinstance(first, Turn)
    assert not any(isinstance(each, SetBoard) for game in match.games for each in game.actions)
    files = [path for path in (tmp_path / "matches").iterdir() if read_matches(path) != []]
    assert {path.suffix for path in files} == {".sgf", ".mat"}
    for path in files:
        (read,) = read_matches(path)
        assert (read.rules.variant, read.score) == (variant, match.score)


def test_a_game_without_its_database_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sixprime.engine.bearoff.databases.cache_folder", lambda: tmp_path)
    hypergammon.cache_clear()
    how = "hypergammon with 3 checkers needs its database: sixprime bearoff hyper --checkers 3"
    assert main(["demo", "--variant", "hypergammon-3"]) == 2
    assert capsys.readouterr().err == f"sixprime demo: --variant: {how}\n"
    assert main(["sandbox", "--variant", "hypergammon-3", "--house", "expert"]) == 2
    assert capsys.readouterr().err == f"sixprime sandbox: house: {how}\n"


@pytest.mark.usefixtures("plain")
def test_whoever_stops_a_demo_finds_the_match_as_it_was(tmp_path: Path) -> None:
    demo: Demo

    def show(told: DemoEvent) -> None:
        acted.extend([told] if isinstance(told, Acted) else [])
        if len(acted) == 20:
            demo.request_stop()

    acted: list[DemoEvent] = []
    demo = Demo(Plan(tmp_path, 7, 1, 3), show)
    assert asyncio.run(demo.run()) is False
    (match,) = matches_in(tmp_path)
    assert not match.finished
    assert len(list(tmp_path.glob("matches/*.unfinished.*"))) == 3
    with closing(Archive(demo.plan.archive)) as archive:
        assert archive.rows()[0].state == MatchStatus.SAVED.value


@pytest.mark.usefixtures("plain")
def test_a_demo_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    demo = Demo(Plan(tmp_path, 64, 1, 3, within_s=0.5), lambda _: None)
    with pytest.raises(Unavailable, match=r"not over after 0\.5 s, given up"):
        asyncio.run(demo.run())


@pytest.mark.usefixtures("plain")
def test_what_fails_while_it_is_shown_ends_the_demo(tmp_path: Path) -> None:
    def show(told: DemoEvent) -> None:
        if isinstance(told, GameStarted):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        asyncio.run(Demo(Plan(tmp_path, 1, 1, 3), show).run())


@pytest.mark.usefixtures("plain")
def test_trouble_of_the_bots_is_told_and_counts_as_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("sixprime.bot.archive.matchfiles.write_match", full)
    assert main(["demo", "--length", "1", "--seed", "3", "--out", str(tmp_path)]) == 1
    complaint = capsys.readouterr().err
    log = tmp_path / "demo.log"
    assert complaint == f"sixprime demo: the bots had trouble: the archive failed; see {log}\n"


@pytest.mark.parametrize("option", ["--length=0", "--length=65", "--matches=0", "--seed=-1"])
def test_impossible_options_are_one_clear_line(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", option]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"sixprime demo: {option.split('=')[0]}")
    assert complaint.count("\n") == 1


def test_a_folder_that_cannot_be_is_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["demo", "--out", str(tmp_path / "file" / "x")]) == 2
    assert capsys.readouterr().err.endswith("Not a directory; name another folder with --out\n")


def opening() -> Iterator[DemoEvent]:
    """A game of one turn; then the opponent has enough."""
    who, at = Who("127.0.0.1", FIRST, SECOND), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    yield Listening(4321)
    yield MatchStarted(
        who, at, 3, False, (0, 0), PlayerRating(1500.0, 0), PlayerRating(1510.5, 0), "pips"
    )
    yield GameStarted(who, at, (0, 0), crawford=False)
    for play in (None, (Step(8, 5), Step(6, 5))):
        yield Acted(who, at, Turn(1, (3, 1), play))
    for step, seat in ((CubeStep.DOUBLE, 0), (CubeStep.DROP, 1)):
        yield Acted(who, at, Cube(seat, step))
    yield GameOver(who, at, GameResult(0, 1, Ending.DROPPED), (1, 0))
    yield MatchSaved(who, at, "YouLeft")


def test_a_terminal_has_a_living_board_and_others_only_one_a_game() -> None:
    shown = {}
    for is_terminal in (True, False):
        output = io.StringIO()
        console = Console(file=output, force_terminal=is_terminal, width=100, height=40)
        with Screen(console, 3, 1) as screen:
            for told in opening():
                screen.show(told)
        shown[is_terminal] = output.getvalue()
    assert "ben rolls 31" in shown[True]
    assert "ben played 31" in shown[True]
    assert shown[False].count("|BAR|") == 1
    for line in (
        "Match, 3 points, rated: anna 1500.00, ben 1510.50",
        "   1  ben   31: 8/5 6/5",
        "      anna  doubles to 2",
        "      ben   drops",
        "anna wins 1 point: ben has dropped",
        "the match is put aside",
    ):
        assert line in shown[False]
        assert line in shown[True]
    assert "\x1b" not in shown[False]
