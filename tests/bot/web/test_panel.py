"""Beside the board: chances, clocks, marked moves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.web.library.replaying import Replayed
from sixprime.bot.web.play.boardmatch import (
    ENGINE,
    YOU,
    BoardMatch,
    match_from_plain,
    match_to_plain,
)
from sixprime.bot.web.play.clock import LONGEST_S, MatchClock, written
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.movelist import ListedMove, games_listed
from sixprime.engine.analysis.values import What
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, Player, SetBoard, Turn
from tests.support.web.manymatches import analysed, played
from tests.support.web.person import planted
from tests.support.web.visit import Visit

PLAYERS = Player("me"), Player("Sixprime")
WINS = 100 * 23 / 36  # rolls that bear off two checkers on 5 and 1


def last_roll(seat: int, *, doubled: bool = False) -> BoardMatch:
    """A seat that has to bear off two checkers by this roll."""
    side = tuple(int(point in (5, 1)) for point in range(1, 26))
    board = SetBoard(seat, Position(side, (2, *(0,) * 24)))
    actions = (board, Cube(seat, CubeStep.DOUBLE)) if doubled else (board,)
    return BoardMatch("simple", Match(PLAYERS, 0, (Game(actions=actions),)))


@pytest.mark.parametrize(
    ("match", "wins"),
    [
        (last_roll(YOU), WINS),
        (last_roll(ENGINE), 100 - WINS),
        (last_roll(ENGINE, doubled=True), 100 - WINS),
    ],
)
def test_chances_are_the_persons(match: BoardMatch, wins: float) -> None:
    found = Coach().chances(match)
    assert found is not None
    assert found[0] == pytest.approx(wins, abs=0.01)
    assert found[1:] == [0, 0, 0, 0]


def test_chances_after_a_roll_are_those_of_the_best_play() -> None:
    match = last_roll(YOU)
    board = match.game.actions[0]
    rolled = [
        BoardMatch("simple", Match(PLAYERS, 0, (Game(actions=(board, Turn(YOU, dice))),)))
        for dice in ((6, 5), (2, 1))
    ]
    assert [round(found[0]) for each in rolled if (found := Coach().chances(each))] == [100, 0]


@given(
    st.lists(st.tuples(st.sampled_from([YOU, ENGINE, None]), st.floats(-50, 5_000)), max_size=20)
)
def test_each_turn_is_charged_to_its_seat_and_never_for_a_whole_night(
    turns: list[tuple[int | None, float]],
) -> None:
    clock, now = MatchClock(since=1e9), 1e9
    used = [0.0, 0.0]
    for seat, passed in turns:
        now += passed
        clock.charge(seat, now)
        if seat is not None:
            used[seat] += min(max(passed, 0.0), LONGEST_S)
    assert clock.match == pytest.approx(used, abs=0.01)


@given(st.integers(0, 400_000))
def test_a_time_is_written_as_on_a_clock(seconds: int) -> None:
    parts = [int(part) for part in written(seconds + 0.9).split(":")]
    assert sum(part * 60**i for i, part in enumerate(reversed(parts))) == seconds
    assert all(part < 60 for part in parts[1:])


def test_the_clock_counts_the_person_and_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit, now = Visit(tmp_path), 1000.0
    monkeypatch.setattr("sixprime.bot.web.play.views.time", SimpleNamespace(time=lambda: now))
    with visit.client:
        match = planted()
        match.tutor = None
        match.clock.charge(None, now)
        key = visit.store.add(match)
        now = 1042.0
        visit.post(f"/play/{key}/play", steps="8/5 6/5", fragment="1")
        assert visit.store.open_match(key).clock.match == [42.0, 0.0]
        visit.client.cookies.set("clock", "on")
        now = 1107.0
        assert 'data-running="65.0"' in visit.get(f"/play/{key}")
        assert 'title="0:42 this game">0:42' in visit.get(f"/play/{key}")
    visit.archive.close()


def moves_of(found: Replayed) -> list[tuple[int, ListedMove]]:
    return [
        (seat, move)
        for game in games_listed(found)
        for row in game.rows
        for seat, cell in enumerate(row.cells)
        for move in cell
    ]


def test_all_moves_are_marked_as_the_analysis_marks_them() -> None:
    signs = {1: "?!", 2: "?", 3: "??"}
    marked, losses = Counter[tuple[int, str]](), 0.0
    for number, match in enumerate(played()):
        analysis = analysed(number)
        moves = moves_of(Replayed.from_match(match, analysis))
        errors = [each for each in analysis.errors() if each.verdict.mark]
        marks = Counter((seat, move.sign) for seat, move in moves if move.sign)
        assert marks == Counter((each.seat, signs[each.verdict.mark]) for each in errors)
        lost = sum(move.loss for _, move in moves if move.mark)
        assert lost == pytest.approx(sum(-each.verdict.error for each in errors))
        marked, losses = marked + marks, losses + lost
    assert len(marked) > 2
    assert losses > 0.5


def test_each_move_leads_to_its_step_of_the_replay() -> None:
    found = Replayed.from_match(played()[0], None)
    moves = moves_of(found)
    assert len(moves) > 40
    for _, move in moves:
        dice, _, play = move.words.partition(": ")
        if play and play != "cannot move":
            says = found.shown(move.place)["says"]
            assert says.partition(": ")[2].startswith(play)
            assert set(dice) <= set(says)


def test_the_tutor_marks_a_play_that_is_made_anyway(tmp_path: Path) -> None:
    visit = Visit(tmp_path)
    with visit.client:
        key = visit.store.add(planted())
        fields = {"steps": "6/5 6/3", "fragment": "1"}
        assert "Play anyway" in visit.post(f"/play/{key}/play", **fields).text
        page = visit.post(f"/play/{key}/confirm", anyway="1", fragment="1").text
        assert '31: 6/5 6/3 <strong class="sign m3" title="loses 0.' in page
        match = visit.store.open_match(key)
        (loss,) = match.losses
        assert (loss.game, loss.action, loss.what) == (0, 1, What.PLAY)
        assert match_from_plain(match_to_plain(match)) == match
    visit.archive.close()


def test_a_match_of_an_older_version_has_no_losses_and_no_time() -> None:
    plain = match_to_plain(planted())
    del plain["losses"], plain["clock"]
    match = match_from_plain(plain)
    assert (match.losses, match.clock.match) == ([], [0.0, 0.0])


@pytest.mark.parametrize(
    ("tutor", "cookie", "is_shown"),
    [(True, "", True), (False, "", False), (True, "off", False), (False, "on", True)],
)
def test_chances_are_shown_with_the_tutor_or_by_choice(
    tmp_path: Path, tutor: bool, cookie: str, is_shown: bool
) -> None:
    visit = Visit(tmp_path)
    with visit.client:
        match = planted()
        if not tutor:
            match.tutor = None
        if cookie:
            visit.client.cookies.set("chances", cookie)
        assert ('class="chances"' in visit.get(f"/play/{visit.store.add(match)}")) is is_shown
    visit.archive.close()


def test_watchers_see_the_chances(tmp_path: Path) -> None:
    visit = Visit(tmp_path, act="may-act-here", watch="may-watch-here")
    with visit.client:
        match = planted()
        match.tutor = None
        key = visit.store.add(match)
        visit.client.post(
            "/login",
            data={"password": "may-watch-here"},
            headers={"origin": "http://127.0.0.1:8760"},
        )
        assert 'class="chances"' in visit.get(f"/play/{key}")
    visit.archive.close()
