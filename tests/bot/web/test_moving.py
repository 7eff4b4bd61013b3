"""The table's script by itself, in Chromium: it draws, moves, asks again, and sees others."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.engine.position import Step
from sixprime.protocols.formats.record import Game, Match, Player, SetBoard, Turn
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing, planted, played_on

pytestmark = [needs_chromium, pytest.mark.patient]

PIECES = """page => [...page.querySelectorAll(".checkers > *")].map(each => [
    each.getAttribute("class"), each.getAttribute("transform"), each.getAttribute("x"),
    each.getAttribute("y"), each.tagName === "text" ? each.textContent : "",
].join(" ")).sort()"""
SIZES = [(1440, 900), (1280, 720), (390, 844), (844, 390)]


def begun(seed: int) -> BoardMatch:
    """A match in the middle of a game that was played at random."""
    actions = SetBoard(0, played_on(seed, 10 + 3 * seed)), Turn(0, (6, 1))
    return BoardMatch("simple", Match((Player("me"), Player("it")), 1, (Game(actions=actions),)))


def play(page: Any) -> None:
    """Play the 3-1 of `planted` and confirm it."""
    for point in (8, 6):
        page.press(f".source[data-start='{point}']", "Enter")
    page.click("button[data-deed=confirm]")


def opened(person: Person, match: BoardMatch) -> str:
    """Store a match and show it."""
    key = person.served.store.add(match)
    person.page.goto(f"{person.served.url}/play/{key}")
    person.page.wait_for_selector("#table[data-shown]")
    return key


@pytest.mark.parametrize("seed", range(12))
def test_the_script_draws_the_checkers_where_the_server_does(served: Served, seed: int) -> None:
    with browsing(served) as person:
        key = opened(person, begun(seed))
        drawn = person.page.evaluate(f"({PIECES})(document)")
        sent = person.page.evaluate(
            f"""async (address) => {{
                const text = await (await fetch(address)).text();
                return ({PIECES})(new DOMParser().parseFromString(text, "text/html"));
            }}""",
            f"{served.url}/play/{key}",
        )
        assert drawn == sent
        assert len(drawn) > 2


def test_a_board_after_steps_is_the_one_that_the_server_draws_of_them(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        for seed in range(6):
            key = opened(person, begun(seed))
            while source := page.query_selector(".source"):
                person.acts(partial(source.press, "Enter"))
            drawn = page.evaluate(f"({PIECES})(document)")
            (_, steps) = page.evaluate("JSON.parse(sessionStorage.getItem(location.pathname))")
            match = served.store.open_match(key)
            match.make(tuple(Step(*step) for step in steps))
            served.store.save(key, match)
            page.evaluate("sessionStorage.clear()")
            page.goto(f"{served.url}/play/{key}")
            page.wait_for_selector("#table[data-shown]")
            assert page.evaluate(f"({PIECES})(document)") == drawn


def test_the_engines_dice_and_play_are_shown_and_stay_marked(served: Served) -> None:
    with browsing(served, reduced_motion="no-preference") as person:
        page = person.page
        key = opened(person, planted())
        play(page)
        page.wait_for_selector(".replaying .earlier")
        page.wait_for_selector("svg:not(.replaying) .trail")
        turns = [
            each for each in served.store.open_match(key).game.actions
            if isinstance(each, Turn) and each.seat == 1
        ]  # fmt: skip
        shown = page.locator(".earlier [data-die]")
        assert [int(shown.nth(i).get_attribute("data-die")) for i in (0, 1)] == [*turns[0].dice]
        assert page.locator(".trail .came").count() > 0
        assert person.complaints == []


def test_a_press_ends_the_animation(served: Served) -> None:
    with browsing(served, reduced_motion="no-preference") as person:
        page = person.page
        opened(person, planted())
        play(page)
        page.wait_for_selector(".replaying .earlier")
        page.mouse.click(5, 5)
        page.locator("svg.board").click(position={"x": 3, "y": 3})
        assert page.locator("svg.replaying").count() == 0


def test_a_pointer_that_is_never_released_does_not_block_the_page(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        opened(person, planted())
        for point in (8, 6):
            page.press(f".source[data-start='{point}']", "Enter")
        box = page.query_selector("#says").bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()  # and a menu opens above it
        person.acts(lambda: page.press("button[data-deed=confirm]", "Enter"))
        page.wait_for_selector(".engine")


def test_a_second_tab_and_a_spectator_see_the_same_board(served: Served) -> None:
    with browsing(served) as person:
        key = opened(person, planted())
        other = person.page.context.new_page()
        other.goto(f"{served.url}/play/{key}")
        other.wait_for_selector("#table[data-shown]")
        play(person.page)
        other.wait_for_selector(".engine")
        person.page.wait_for_selector(".engine")
        boards = [page.evaluate(f"({PIECES})(document)") for page in (person.page, other)]
        assert boards[0] == boards[1]


def test_a_server_that_began_anew_does_the_first_deed_that_it_is_asked_for(served: Served) -> None:
    with browsing(served) as person:
        key = opened(person, planted())
        served.kill()
        served.start()
        play(person.page)
        person.page.wait_for_selector(".engine")
        assert len(served.store.open_match(key).game.actions) > 2


def test_a_whole_match_on_a_network_that_loses_requests_and_answers(served: Served) -> None:
    """Every play is asked for once, or again if it was lost, and made once."""
    chance = random.Random(3)
    with browsing(served) as person:
        page = person.page
        plays: list[str] = []

        def slow(route: Any) -> None:
            if route.request.method == "POST":
                plays.append(route.request.post_data)
            if (lost := chance.random()) < 0.1:
                route.abort()
            elif lost < 0.2:  # it arrives, its answer does not
                route.fetch()
                route.abort()
            else:
                route.continue_()

        person.begin()
        key = page.url.rpartition("/")[2]
        page.route("**/play/*/*", slow)

        def move() -> None:
            source = page.query_selector(".source")
            person.acts(partial(source.press, "Enter"))

        person.play_out(move)
        asked = {each for each in plays if each and "steps=" in each}
        match = served.store.open_match(key)
        made = [each for each in match.game.actions if isinstance(each, Turn) and each.seat == 0]
        assert match.asks is Asks.NOTHING
        assert len(asked) == len(made)
        assert len(plays) > len(asked)


def test_a_chosen_board_is_kept(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        opened(person, planted())
        page.click("text=Board, position and keys")
        page.select_option("[data-choice=board]", "slate")
        page.goto(f"{served.url}/position")
        assert page.get_attribute("html", "data-board") == "slate"
        frame = page.locator("rect.frame").evaluate("each => getComputedStyle(each).fill")
        assert frame == "rgb(35, 40, 47)"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_board_and_the_controls_of_a_turn_are_inside_the_window(
    served: Served, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    look: dict[str, Any] = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    with browsing(served, **look) as person:
        page = person.page
        opened(person, planted())
        for point in (8, 6):
            page.press(f".source[data-start='{point}']", "Enter")
        for part in (
            "svg.board",
            "#says",
            "button[data-deed=confirm]",
            "button[data-deed=undo]",
            "#hint",
        ):
            box = page.query_selector(part).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, part
            assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
        point = page.query_selector("polygon.point").bounding_box()
        assert point["width"] >= 24
