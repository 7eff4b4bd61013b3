"""Keys, choices and marks of the table, in Chromium."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.engine.position import Position, Step
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, Player, SetBoard, Turn
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing

pytestmark = [needs_chromium, pytest.mark.patient]

PLAYERS = Player("me"), Player("Sixprime simple")
OPENING = SetBoard(0, Position.start())


def stored(served: Served, *actions: Any, length: int = 5, **more: Any) -> str:
    game = Game(actions=(OPENING, *actions))
    return served.store.add(BoardMatch("simple", Match(PLAYERS, length, (game,)), **more))


def opened(person: Person, key: str, **choices: str) -> Any:
    """Show a match to a person who has made these choices."""
    served = person.served
    cookie = {"name": "board", "value": ".".join(choices.values()), "url": served.url}
    if choices:
        person.page.context.add_cookies([cookie])
    person.page.goto(f"{served.url}/play/{key}")
    person.page.wait_for_selector("#table[data-shown]")
    return person.page


def last(served: Served, key: str) -> Any:
    return served.store.open_match(key).game.actions[-1]


@pytest.mark.parametrize(
    ("actions", "key", "done"),
    [
        ((), "r", Turn),
        ((), "d", Cube(0, CubeStep.DOUBLE)),
        ((Cube(1, CubeStep.DOUBLE),), "t", Cube(0, CubeStep.TAKE)),
        ((Cube(1, CubeStep.DOUBLE),), "p", Cube(0, CubeStep.DROP)),
    ],
)
def test_a_key_presses_its_button(served: Served, actions: Any, key: str, done: Any) -> None:
    match = stored(served, *actions)
    with browsing(served) as person:
        page = opened(person, match)
        person.acts(lambda: page.keyboard.press(key))
        made = served.store.open_match(match).game.actions[1 + len(actions)]
        assert isinstance(made, Turn) if done is Turn else made == done
        assert person.complaints == []


def test_steps_are_undone_confirmed_and_hinted_by_keys(served: Served) -> None:
    key = stored(served, Turn(0, (3, 1)))
    with browsing(served) as person:
        page = opened(person, key)
        for name, start in (("Enter", 8), ("u", None), ("Enter", 8), ("Enter", 6)):
            if start is not None:
                page.focus(f".source[data-start='{start}']")
            person.acts(partial(page.keyboard.press, name))
        person.acts(lambda: page.keyboard.press("h"))
        assert "8/5 6/5" in page.inner_text(".side table")
        assert "So far 8/5 6/5" in page.inner_text("#says")  # a hint undoes nothing
        person.acts(lambda: page.keyboard.press("c"))
        turn = served.store.open_match(key).game.actions[1]
        assert isinstance(turn, Turn)
        assert turn.play == (Step(8, 5), Step(6, 5))


def test_keys_are_letters_where_somebody_writes(served: Served) -> None:
    key = stored(served, Turn(0, (3, 1)))
    with browsing(served) as person:
        page = opened(person, key)
        page.click("input[name=text]")
        page.keyboard.type("h?u")
        assert page.input_value("input[name=text]") == "h?u"
        assert not page.is_visible("#keys")
        assert page.locator(".side table").count() == 0
        page.keyboard.press("Control+h")  # nor with a control key


def test_the_keys_are_listed_by_a_key_and_by_a_button(served: Served) -> None:
    key = stored(served)
    with browsing(served) as person:
        page = opened(person, key)
        page.keyboard.press("?")
        assert "Undo a step" in page.inner_text("#keys")
        page.keyboard.press("r")  # behind the dialog nothing is pressed
        page.keyboard.press("Escape")
        assert not page.is_visible("#keys")
        page.click("[data-help]")
        assert page.is_visible("#keys")
        assert person.asks == "ROLL"
        assert last(served, key) == OPENING
        assert person.complaints == []


@pytest.mark.parametrize(
    ("rolls", "may_double", "asks"),
    [("", True, "ROLL"), ("plain", True, "ROLL"), ("plain", False, "PLAY"), ("all", True, "PLAY")],
)
def test_dice_roll_by_themselves_as_it_is_wished(
    served: Served, rolls: str, may_double: bool, asks: str
) -> None:
    key = stored(served, length=5 if may_double else 1)
    with browsing(served) as person:
        page = opened(person, key, rolls=rolls)
        if asks == "PLAY":
            page.wait_for_selector(".boardbox[data-asks=PLAY]")
        assert person.asks == asks
        assert page.locator("[data-deed=double]").count() == (asks == "ROLL" and may_double)


def test_a_choice_of_rolls_acts_at_once_and_survives_a_reload(served: Served) -> None:
    key = stored(served)
    with browsing(served) as person:
        page = opened(person, key)
        page.click("text=Board, position and keys")
        person.acts(lambda: page.select_option("[data-choice=rolls]", "all"))
        assert person.asks == "PLAY"
        page.reload()
        assert page.input_value("[data-choice=rolls]") == "all"


FORCED = Position((0, 0, 0, 0, 0, 1, *(0,) * 19), (2, *(0,) * 24))


def test_a_forced_play_is_made_by_itself_and_no_other(served: Served) -> None:
    forced = Game(actions=(SetBoard(0, FORCED), Turn(0, (6, 5))))
    match = BoardMatch("simple", Match(PLAYERS, 1, (forced,)))
    with browsing(served) as person:
        page = opened(person, served.store.add(match), forced="forced")
        page.wait_for_selector(".boardbox[data-asks=NOTHING]")
        opened(person, stored(served, Turn(0, (3, 1))))
        assert page.inner_text("#says").count("So far") == 0


def test_used_dice_are_dimmed_and_undo_lights_them(served: Served) -> None:
    def dimmed(kind: str) -> list[str]:
        shown = page.locator(f".dice:not(.earlier) .{kind}")
        return [str(shown.nth(i).get_attribute("data-die")) for i in range(shown.count())]

    with browsing(served) as person:
        page = opened(person, stored(served, Turn(0, (3, 1))))
        assert dimmed("used") == []
        person.acts(lambda: page.press(".source[data-start='8']", "Enter"))  # by the larger die
        assert dimmed("used") == ["3"]
        person.acts(lambda: page.press(".source[data-start='6']", "Enter"))
        assert dimmed("used") == ["3", "1"]
        for left in (["3"], []):
            person.acts(lambda: page.keyboard.press("u"))
            assert dimmed("used") == left
        opened(person, stored(served, Turn(0, (2, 2))))
        counts = []
        for _ in range(4):
            person.acts(lambda: page.press(".source[data-start='13'], .source", "Enter"))
            counts.append((len(dimmed("half")), len(dimmed("used"))))
        assert counts == [(1, 0), (0, 1), (1, 1), (0, 2)]


def test_a_home_on_the_left_mirrors_every_board_but_not_its_letters(served: Served) -> None:
    key = stored(served, Turn(0, (3, 1)))
    with browsing(served) as person:
        page = opened(person, key, home="left", numbers="theirs")
        box = page.query_selector("svg.board").bounding_box()
        middle = box["x"] + box["width"] / 2
        source = page.query_selector(".source[data-start='6']").bounding_box()
        home = page.query_selector(".target[data-end='5']").bounding_box()
        assert home["x"] + home["width"] < middle  # beside the tray on the left
        assert home["x"] < source["x"]
        shown = page.eval_on_selector_all(
            ".board .number",
            """all => all.filter(each => getComputedStyle(each).display !== "none").map(each => [
                each.getBoundingClientRect().x, each.getBoundingClientRect().y, each.textContent,
                each.getScreenCTM().a > 0])""",
        )
        assert all(upright for *_, upright in shown)
        lower = sorted(each for each in shown if each[1] > box["y"] + box["height"] / 2)
        assert [int(number) for *_, number, _ in lower] == [*range(24, 12, -1)]

        def drag(start: int, end: int) -> None:
            for what, act in (
                (f"source[data-start='{start}']", "down"),
                (f"target[data-end='{end}']", "up"),
            ):
                place = page.query_selector(f".{what}").bounding_box()
                at = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
                page.mouse.move(*at, steps=3)
                if act == "up":
                    carried = page.query_selector(".carried").bounding_box()
                    assert abs(carried["x"] + carried["width"] / 2 - at[0]) < 3
                getattr(page.mouse, act)()

        drag(8, 5)
        assert "So far 8/5" in page.inner_text("#says")
        for path in ("/position", "/play"):
            page.goto(served.url + path)
            assert page.locator(".facing").first.evaluate("g => g.getScreenCTM().a") < 0
        assert person.complaints == []


def test_a_second_quick_drag_is_drawn_before_any_answer(served: Served) -> None:
    """W1: a step needs no server, and a dropped checker stays where it was dropped."""
    with browsing(served) as person:
        page = opened(person, stored(served, Turn(0, (3, 1))))
        page.context.set_offline(True)
        for start, end in ((8, 5), (6, 5)):
            for name, act in (
                (f"source[data-start='{start}']", "down"),
                (f"target[data-end='{end}']", "up"),
            ):
                box = page.query_selector(f".{name}").bounding_box()
                page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
                getattr(page.mouse, act)()
            assert page.locator(f".checker[data-at='0 {end} 0']").count() == 1
        assert page.locator(".checker[data-at='0 5 1']").count() == 1
        assert page.is_visible("button[data-deed=confirm]")


@pytest.mark.parametrize("lost", ["table.js", "hands.js", "keys.js", "style.css"])
def test_a_page_whose_script_or_style_gets_lost_mends_itself(served: Served, lost: str) -> None:
    """W2: a cut script left a dead board."""
    cut: list[str] = []

    def carry(route: Any) -> None:
        if cut:
            route.continue_()
        else:
            cut.append(route.request.url)
            route.abort()

    key = stored(served, Turn(0, (3, 1)))
    with browsing(served) as person:
        page = person.page
        page.route(f"**/static/{lost}", carry)
        page.goto(f"{served.url}/play/{key}")
        page.wait_for_function(
            """() => document.readyState === "complete"
              && !sessionStorage.getItem(`tries ${location.pathname}`)
              && getComputedStyle(document.documentElement).getPropertyValue("--back") !== "" """
        )
        page.wait_for_selector(".source")
        page.keyboard.press("?")
        assert page.is_visible("#keys")
        assert len(cut) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_while_one_waits_nothing_is_alive_and_the_board_does_not_fade(
    served: Served, scheme: str
) -> None:
    """W5: Confirm, Undo and Hint looked alive, and the board as if it were disabled."""
    key = stored(served, Turn(0, (3, 1)))
    with browsing(served, color_scheme=scheme) as person:
        page = opened(person, key)
        for start in (8, 6):
            page.press(f".source[data-start='{start}']", "Enter")
        held: list[Any] = []
        page.route("**/play/*/play", lambda route: held.append(route))
        page.click("button[data-deed=confirm]")
        page.wait_for_selector(".thinking")
        for press in ("u", "h", "c", "Enter"):
            page.keyboard.press(press)
        assert "So far 8/5 6/5" in page.inner_text("#says")
        for button in page.query_selector_all(".deeds button, .deeds a, form.line button"):
            assert button.evaluate("part => part.closest('[inert]') !== null")
        faded = """part => {
          for (let at = part; at; at = at.parentElement) {
            if (getComputedStyle(at).opacity !== "1") return true;
          }
          return false;
        }"""
        assert not page.eval_on_selector("svg.board", faded)
        frame = page.eval_on_selector(".board .frame", "part => getComputedStyle(part).fill")
        assert frame == {"light": "rgb(91, 58, 34)", "dark": "rgb(35, 40, 47)"}[scheme]
        assert len(held) == 1
        held[0].continue_()
        page.wait_for_selector(".engine")
        assert page.locator(".thinking").count() == 0
        assert page.locator("[inert]").count() == 0


HEARD = """
window.knocks = 0;
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...when) {
  window.knocks += 1;
  return start.apply(this, when);
};
"""


@pytest.mark.parametrize("sound", [True, False])
def test_sounds_are_heard_only_if_they_are_chosen(served: Served, *, sound: bool) -> None:
    with browsing(served) as person:
        person.page.add_init_script(HEARD)
        key = stored(served, Turn(0, (3, 1)))
        page = opened(person, key, **({"sound": "sound"} if sound else {}))
        page.press(".source[data-start='8']", "Enter")
        assert (page.evaluate("window.knocks") > 0) is sound
        assert person.complaints == []
