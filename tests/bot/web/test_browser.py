"""The pages in Debian's Chromium: whole matches by mouse, by touch and by keyboard alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.engine.position import Position, Step
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import MOST_ACTIONS, Served, browsing, planted

pytestmark = [needs_chromium, pytest.mark.patient]


def ends_of(source: Any) -> list[str]:
    return str(source.get_attribute("data-ends")).split(",")


def test_a_match_is_played_by_clicking(served: Served) -> None:
    with browsing(served, viewport={"width": 1000, "height": 900}) as person:

        def move() -> None:
            source = person.page.query_selector(".source")
            if len(ends_of(source)) == 1:
                person.acts(source.click)
                return
            source.click()
            person.acts(lambda: person.page.click(".target.open >> nth=0"))

        person.begin()
        person.play_out(move)
        assert "the match" in person.page.inner_text("#says")
        person.page.click("text=Archive >> nth=0")
        assert "Sixprime simple" in person.page.inner_text("table")
        assert person.complaints == []


def test_a_match_is_played_by_dragging_on_a_phone(served: Served) -> None:
    with browsing(served, viewport={"width": 360, "height": 740}, has_touch=True) as person:
        page = person.page

        def middle(selector: str) -> tuple[float, float]:
            box = page.query_selector(selector).bounding_box()
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        wire = page.context.new_cdp_session(page)

        def touch(kind: str, *points: dict[str, float]) -> None:
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        def move() -> None:
            page.query_selector(".board").scroll_into_view_if_needed()  # a target, too, is touched
            end = ends_of(page.query_selector(".source"))[-1]
            (x, y), (to_x, to_y) = middle(".source"), middle(f".target[data-end='{end}']")
            touch("touchStart", {"x": x, "y": y})
            for part in (0.1, 0.4, 1.0):
                touch("touchMove", {"x": x + part * (to_x - x), "y": y + part * (to_y - y)})
            person.acts(lambda: touch("touchEnd"))

        person.begin()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        person.play_out(move)
        assert person.complaints == []


def test_a_match_is_played_by_keyboard_alone(served: Served) -> None:
    with browsing(served) as person:
        keyboard = person.page.keyboard

        def press(selector: str) -> None:
            """Tab until the element has the focus, then press Enter."""
            for _ in range(80):
                if person.page.evaluate("s => document.activeElement.matches(s)", selector):
                    person.acts(lambda: keyboard.press("Enter"))
                    return
                keyboard.press("Tab")
            pytest.fail(f"the keyboard does not reach {selector}")

        person.begin()
        for _ in range(MOST_ACTIONS):
            if person.asks == "NOTHING":
                break
            has_main = person.page.query_selector(".deeds button.main")
            press(".deeds button.main" if has_main else ".source")
        assert person.asks == "NOTHING"
        assert person.complaints == []


def test_the_tutor_warns_of_a_blunder_and_the_play_is_taken_back(served: Served) -> None:
    match = planted()
    assert match.asks is Asks.PLAY
    match.make((Step(24, 21), Step(6, 5)))
    key = served.store.add(match)
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: person.page.click("button[data-deed=confirm]"))
        assert "8/5 6/5" not in person.page.inner_text(".warning")  # one may think again
        person.page.click("text=Show what is better")
        assert "8/5 6/5" in person.page.inner_text(".warning")
        assert "very bad" in person.page.inner_text(".warning")
        person.acts(lambda: person.page.click("button[data-deed=rethink]"))
        assert served.store.open_match(key).begun == ()
        assert person.complaints == []


def test_dice_come_by_hand_against_a_requested_rating(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play")
        page.click("text=More choices")
        page.fill("input[name=rating]", "1500")
        page.check("input[name=by_hand]")
        page.click("text=Start")
        page.wait_for_selector("form.dice")
        assert "Sixprime 1500" in page.inner_text(".bench")

        def tap(die: str, pips: int) -> None:  # `check` may tap twice: in the form drawn anew, too
            page.click(f"label:has(input[name={die}][value='{pips}'])")

        def enter(first: int, second: int) -> None:
            tap("first", first)
            person.acts(lambda: tap("second", second))

        enter(2, 2)
        assert "Roll again" in page.inner_text("[role=alert]")
        enter(3, 1)
        page.fill("input[name=text]", "8/5 6/5")
        person.acts(lambda: page.press("input[name=text]", "Enter"))
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        enter(6, 6)  # the engine's
        assert "6-6" in page.inner_text(".engine")
        assert person.asks == "ROLL"
        assert person.complaints == []


def test_a_double_is_beavered(served: Served) -> None:
    side = Position.start().mine
    board = SetBoard(1, Position(side, side))
    game = Game(actions=(board, Cube(1, CubeStep.DOUBLE)))
    record = Match((Player("me"), Player("it")), 0, (game,), Rules(beavers=3))
    key = served.store.add(BoardMatch("simple", record))
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: person.page.click("button[data-deed=beaver]"))
        assert "takes" in person.page.inner_text(".engine")
        assert "takes" in person.page.text_content("#heard")
        assert person.complaints == []
    state = served.store.open_match(key).replay().state
    assert (state.cube, state.cube_owner) == (4, 0)


def test_a_match_is_analysed_when_it_is_over(served: Served) -> None:
    game = Game(actions=(SetBoard(0, Position((2, *(0,) * 24), (2, *(0,) * 24))), Turn(0, (2, 1))))
    players = Player("me"), Player("Sixprime simple")
    key = served.store.add(BoardMatch("simple", Match(players, 1, (game,)), begun=()))
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        for _ in range(2):
            person.acts(lambda: page.click(".source"))
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert "You win the match" in page.inner_text("#says")
        page.click("text=Analyse deeper")
        page.wait_for_selector("text=analysed at world-class")
        assert person.complaints == []


def test_a_reload_and_a_killed_server_lose_nothing_in_mid_turn(tmp_path: Path) -> None:
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        key = served.store.add(planted())
        page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: page.press(".source[data-start='8']", "Enter"))
        before = page.inner_text("#says")
        page.reload()
        assert page.inner_text("#says") == before
        served.kill()
        served.start()
        page.reload()
        assert page.inner_text("#says") == before
        person.acts(lambda: page.press(".source[data-start='6']", "Enter"))
        assert page.is_visible("button[data-deed=confirm]")


def test_a_lost_network_and_a_server_killed_while_the_engine_thinks_lose_nothing(
    served: Served,
) -> None:
    match = planted()
    key = served.store.add(match)
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.context.set_offline(True)
        for point in (8, 6):  # a step needs no server
            page.press(f".source[data-start='{point}']", "Enter")
        page.click("button[data-deed=confirm]")
        assert "Nothing is lost" in page.inner_text("#lost")
        page.context.set_offline(False)
        page.wait_for_selector("#lost", state="detached")  # and the play is made by itself
        turn = served.store.open_match(key).game.actions[1]
        assert isinstance(turn, Turn)
        assert turn.play == (Step(8, 5), Step(6, 5))
        match.write_play("8/5 6/5")
        match.confirm()
        assert match.asks is Asks.ENGINE  # as a server leaves it that is killed now
        served.store.save(key, match)
        page.reload()
        assert person.asks in ("ROLL", "PLAY", "ANSWER")


def test_without_a_script_a_play_is_written(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served, java_script_enabled=False) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.fill("input[name=text]", "8/5 6/5")
        page.click("form[action$=write] button")
        page.click("button[data-deed=confirm]")
        assert person.asks in ("ROLL", "PLAY", "ANSWER")
        page.goto(f"{served.url}/position")
        assert not page.is_visible("#roll-out")
        page.fill("input[name=dice]", "31")
        page.click("#look")
        assert "8/5 6/5" in page.inner_text("section[aria-label=Plays]")
