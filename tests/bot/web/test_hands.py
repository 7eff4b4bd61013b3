"""Both seats by hand in the browser: a live match is entered, corrected, kept and exported."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sixprime.bot.transcribing.handmatch import Asks
from sixprime.bot.web.play.boardmatch import DICE_TOO, HANDS, BoardMatch
from sixprime.engine.position import Position, Step
from sixprime.protocols.formats.record import Game, Rules, SetBoard, Turn, match_between
from tests.support.handwritten import LIVE, fields_of, next_entry
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing
from tests.support.web.visit import Visit

ROLLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:1:10"


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    made = Visit(tmp_path)
    with made.client:
        yield made
    made.archive.close()


def begun(visit: Visit, **more: str) -> str:
    answer = visit.post("/play", **{**LIVE, **more})
    assert answer.status_code == 303
    return str(answer.headers["location"].rpartition("/")[2])


def test_a_match_is_entered_taken_back_and_archived_as_it_was_played(visit: Visit) -> None:
    key, chance = begun(visit), random.Random(5)
    for number in range(2_000):
        match = visit.store.open_match(key)
        if match.asks is Asks.KEEPING:
            break
        deed, fields = fields_of(next_entry(match, chance, illegal=0.05))
        assert visit.post(f"/play/{key}/{deed}", **fields).status_code == 303, (deed, fields)
        if number % 7 == 6:
            here = visit.store.open_match(key)
            if here.asks is not Asks.KEEPING:
                visit.post(f"/play/{key}/back")
                assert visit.store.open_match(key).record == match.record
    assert match.archived is None
    visit.post(f"/play/{key}/finish")
    match = visit.store.open_match(key)
    assert match.asks is Asks.NOTHING
    assert match.archived is not None
    record = visit.archive.match(match.archived)
    assert record == match.record
    assert (record.event, record.round, record.place) == ("Cup", "final", "Oslo")
    assert [player.name for player in record.players] == ["Anna", "Ben"]
    assert str(record.day) == "2026-05-01"
    assert any(
        isinstance(turn, Turn) and turn.illegal for game in record.games for turn in game.actions
    )
    page = visit.client.get(f"/play/{key}").text
    assert "illegal" in page
    assert "The match is over." in page


def test_a_board_that_looks_like_another_after_a_take_back_has_another_mark(visit: Visit) -> None:
    key = begun(visit)
    visit.post(f"/play/{key}/dice", first="3", second="1")
    mark = visit.store.open_match(key).mark
    visit.post(f"/play/{key}/back")
    visit.post(f"/play/{key}/dice", first="6", second="5")
    assert visit.store.open_match(key).mark != mark
    assert visit.post(f"/play/{key}/write", text="8/5 6/5", seen=mark).status_code == 409


def test_with_rolled_dice_each_seat_rolls_and_no_engine_moves(visit: Visit) -> None:
    key = begun(visit, level=HANDS)
    match = visit.store.open_match(key)
    chance = random.Random(2)
    seats = set()
    for _ in range(6):
        match = visit.store.open_match(key)
        seats.add(match.seat)
        if match.asks is Asks.ROLL:
            visit.post(f"/play/{key}/roll")
        else:
            deed, fields = fields_of(next_entry(match, chance))
            visit.post(f"/play/{key}/{deed}", **fields)
    assert seats == {0, 1}
    assert len(visit.store.open_match(key).game.actions) >= 3


def test_a_position_is_played_on_by_hand(visit: Visit) -> None:
    for level, by_hand in ((HANDS, False), (DICE_TOO, True)):
        answer = visit.post("/position/play", id=ROLLED, level=level)
        key = answer.headers["location"].rpartition("/")[2]
        match = visit.store.open_match(key)
        assert (match.hands, match.by_hand, match.asks) == (True, by_hand, Asks.PLAY)
        visit.post(f"/play/{key}/write", text="8/5 6/5")
        assert visit.store.open_match(key).seat == 1
        assert "Light to roll" in visit.client.get(f"/play/{key}").text
        assert ROLLED in visit.store.open_match(key).record.comment


@pytest.mark.parametrize("deed", ["keep", "back"])
def test_against_an_engine_nothing_is_kept_or_taken_back(visit: Visit, deed: str) -> None:
    game = Game(actions=(SetBoard(0, Position.start()), Turn(0, (3, 1))))
    key = visit.store.add(
        BoardMatch("simple", replace(match_between(("a", "b"), 1), games=(game,)))
    )
    before = visit.store.open_match(key)
    assert visit.post(f"/play/{key}/{deed}", text="24/1").status_code == 409
    assert visit.store.open_match(key) == before


def test_two_names_alike_are_refused(visit: Visit) -> None:
    assert visit.post("/play", **{**LIVE, "other": "Anna"}).status_code == 400


def test_a_session_of_money_has_its_rules_and_ends_on_request(visit: Visit) -> None:
    key = begun(visit, length="0", jacoby="on", beavers="on")
    assert visit.store.open_match(key).record.rules == Rules(jacoby=True, beavers=3)
    visit.post(f"/play/{key}/dice", first="3", second="1")
    visit.post(f"/play/{key}/resign", games="2", seat="1")
    visit.post(f"/play/{key}/accept")
    assert visit.store.open_match(key).asks is Asks.NEXT_GAME
    visit.post(f"/play/{key}/finish")
    assert visit.store.open_match(key).archived is not None


def test_automatic_doubles_are_entered_once_and_as_often_as_the_form_says(visit: Visit) -> None:
    key = begun(visit, length="0", automatic_doubles="1")
    before = visit.store.open_match(key).mark
    visit.post(f"/play/{key}/dice", first="3", second="3")
    match = visit.store.open_match(key)
    assert (match.game.cube, match.asks) == (2, Asks.OPENING)
    assert match.mark != before
    visit.post(f"/play/{key}/dice", first="3", second="3")
    assert visit.store.open_match(key).game.cube == 2
    assert begun(visit, length="3", automatic_doubles="1") != key
    for wrong in ("7", "-1", "x"):
        refused = visit.post("/play", **{**LIVE, "length": "0", "automatic_doubles": wrong})
        assert refused.status_code == 400


# --- with a script


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("hands")) as running:
        yield running


@pytest.mark.patient
@needs_chromium
def test_checkers_of_both_seats_are_dragged_and_an_illegal_play_is_kept(entered: Served) -> None:
    with browsing(entered) as person:
        page = person.page
        page.goto(f"{entered.url}/play")
        page.click("#live summary")
        for name, value in (("name", "Anna"), ("other", "Ben"), ("event", "Cup")):
            page.fill(f"#live input[name={name}]", value)
        page.click("#live button")
        page.wait_for_selector("#table[data-shown]")
        key = page.url.rpartition("/")[2]
        throw(person, 1, 3)  # Ben begins
        for point in (8, 6):
            person.acts(partial(page.press, f".source[data-start='{point}']", "Enter"))
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert "Anna to roll" in page.inner_text("#says")
        throw(person, 6, 5)
        page.check("[data-free]")
        page.click(".source[data-start='24']")
        page.click(".target[data-end='15']", force=True)
        assert "Anna rolled 6-5: confirm the play." in page.inner_text("#says")
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        turns = entered.store.open_match(key).game.actions
        assert isinstance(turns[0], Turn)
        assert isinstance(turns[1], Turn)
        assert (turns[0].seat, turns[0].play) == (1, (Step(8, 5), Step(6, 5)))
        assert turns[0].illegal == ""
        assert (turns[1].seat, turns[1].play) == (0, (Step(24, 15),))
        assert "cannot be played" in turns[1].illegal
        assert "24/15, illegal" in page.inner_text(".moves")
        for _ in range(2):
            person.acts(lambda: page.click("button[data-deed=back]"))
        assert "Anna to roll" in page.inner_text("#says")
        assert person.complaints == []


def throw(person: Person, first: int, second: int) -> None:
    """Two taps."""
    person.page.check(f"input[name=first][value='{first}']", force=True)
    person.acts(lambda: person.page.check(f"input[name=second][value='{second}']", force=True))


HOME = (0, 0, 0, 0, 2, 5)
BOARDS = (  # the beginning, from the bar, and off
    Position.start(),
    Position((*HOME, *(0,) * 18, 1), (*HOME, *(0,) * 19)),
    Position((*HOME, *(0,) * 19), (*(1,) * 6, *(0,) * 19)),
)
PLACES = "[...document.querySelectorAll('.checkers > *')].map(e => e.dataset.at).sort()"


@pytest.mark.patient
@needs_chromium
@pytest.mark.parametrize("seed", range(3))
def test_the_script_moves_the_upper_checkers_as_the_server_does(entered: Served, seed: int) -> None:
    """Each checker of seat 1 is where the server has it, also from the bar and off."""
    setup = SetBoard(1, BOARDS[seed])
    games = (Game(actions=(setup, Turn(1, (6, 2)))),)
    match = BoardMatch(HANDS, replace(match_between(("a", "b"), 1), games=games))
    with browsing(entered) as person:
        key = entered.store.add(match)
        page = person.page
        page.goto(f"{entered.url}/play/{key}")
        page.wait_for_selector("#table[data-shown]")
        while source := page.query_selector(".source"):
            person.acts(partial(source.press, "Enter"))
        drawn = page.evaluate(PLACES)
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert drawn == page.evaluate(PLACES)
        assert person.complaints == []
