"""Whole matches on a line of 400 ms that loses every twentieth request, by each kind of hand.

The times from an input to its picture are printed, not asserted: `pytest -s`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sixprime.protocols.formats.record import Turn
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import MOST_ACTIONS, Person, Served, browsing

pytestmark = [needs_chromium, pytest.mark.slow]

LATENCY_MS = 400
LOST = 0.05  # of all requests; half of them arrive, and their answer does not
DRAWN = """
addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("table");
  if (!table) return;
  window.drawn = [];
  let input = 0;
  const heard = (event) => { input = event.timeStamp; };
  for (const name of ["pointerup", "keydown"]) addEventListener(name, heard, true);
  new MutationObserver((changes) => {
    const at = input;
    input = 0;
    if (!at || changes.some(({ attributeName }) => attributeName === "aria-busy")) return;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.drawn.push(performance.now() - at); // after the frame
      port2.postMessage(0);
    });
  }).observe(table, { attributes: true, attributeFilter: ["data-shown", "aria-busy"] });
});
"""
LOADED = """() =>
  document.readyState === "complete" && !sessionStorage.getItem(`tries ${location.pathname}`)
  && getComputedStyle(document.documentElement).getPropertyValue("--back") !== ""
"""


class WeakLine:
    """A line that is slow, and loses requests and answers; `sent` are plays, and if they were."""

    def __init__(self, page: Any, seed: int) -> None:
        self._chance = random.Random(seed)
        self.sent: list[tuple[str, bool]] = []
        self.lost = 0
        wire = page.context.new_cdp_session(page)
        wire.send("Network.enable")
        limits = {"downloadThroughput": -1, "uploadThroughput": -1, "latency": LATENCY_MS}
        wire.send("Network.emulateNetworkConditions", {"offline": False, **limits})
        page.route("**/*", self._carry)

    def _carry(self, route: Any) -> None:
        request = route.request
        stays = request.is_navigation_request() or request.url.endswith("/revive.js")
        is_lost = not stays and self._chance.random() < LOST
        if request.method == "POST" and "steps=" in (body := request.post_data or ""):
            self.sent.append((body, is_lost))
        if not is_lost:
            route.continue_()
            return
        self.lost += 1
        if self._chance.random() < 0.5 and not request.url.endswith("/live"):
            route.fetch()
        route.abort()


Moves = Callable[[str, str], None]  # a checker from a place to a place
Presses = Callable[[str], None]  # the button of a deed


def middle(page: Any, selector: str) -> tuple[float, float]:
    box = page.query_selector(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def by_mouse(page: Any) -> tuple[Moves, Presses]:
    def move(start: str, end: str) -> None:
        page.mouse.move(*middle(page, f".source[data-start='{start}']"))
        page.mouse.down()
        page.mouse.move(*middle(page, f".target[data-end='{end}']"), steps=3)
        page.mouse.up()

    return move, lambda deed: page.click(f"button[data-deed={deed}]")


def by_touch(page: Any) -> tuple[Moves, Presses]:
    wire = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def move(start: str, end: str) -> None:
        page.query_selector(".board").scroll_into_view_if_needed()
        (x, y), (to_x, to_y) = (
            middle(page, f".source[data-start='{start}']"),
            middle(page, f".target[data-end='{end}']"),
        )
        touch("touchStart", (x, y))
        for part in (0.1, 0.5, 1.0):
            touch("touchMove", (x + part * (to_x - x), y + part * (to_y - y)))
        touch("touchEnd")

    return move, lambda deed: page.tap(f"button[data-deed={deed}]")


def by_keys(page: Any) -> tuple[Moves, Presses]:
    keys = {"roll": "r", "confirm": "c", "undo": "u"}

    def move(start: str, end: str) -> None:
        selector = f".source[data-start='{start}']"
        for _ in range(80):
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                ends = page.get_attribute(selector, "data-ends").split(",")
                page.keyboard.press("Enter" if ends.index(end) == 0 else "Shift+Enter")
                return
            page.keyboard.press("Tab")
        pytest.fail(f"the keyboard does not reach {start}")

    return move, lambda deed: page.keyboard.press(keys[deed])


HANDS: dict[str, tuple[Callable[[Any], tuple[Moves, Presses]], dict[str, Any]]] = {
    "mouse": (by_mouse, {"viewport": {"width": 1280, "height": 720}}),
    "touch": (by_touch, {"viewport": {"width": 390, "height": 844}, "has_touch": True}),
    "keys": (by_keys, {"viewport": {"width": 1280, "height": 720}}),
}


def play_out(person: Person, hands: tuple[Moves, Presses], seed: int) -> list[list[str]]:
    """Play a match to its end, with second thoughts; return the steps of each play."""
    move, press = hands
    choose = random.Random(seed)
    plays: list[list[str]] = []
    begun: list[str] = []
    page = person.page
    for _ in range(MOST_ACTIONS):
        if person.asks == "NOTHING":
            return plays
        if page.query_selector("button[data-deed=roll]"):
            person.acts(partial(press, "roll"))
        elif page.query_selector("button[data-deed=confirm]"):
            if begun and choose.random() < 0.15:
                person.acts(partial(press, "undo"))
                begun.pop()
                continue
            plays.append(begun)
            begun = []
            person.acts(partial(press, "confirm"))
        else:
            source = choose.choice(page.query_selector_all(".source"))
            start = source.get_attribute("data-start")
            end = choose.choice(source.get_attribute("data-ends").split(","))
            person.acts(partial(move, start, end))
            begun.append(f"{start}/{end}")
    pytest.fail("the match does not end")


@pytest.mark.parametrize("hand", HANDS)
def test_a_match_on_a_weak_line_loses_and_doubles_nothing(served: Served, hand: str) -> None:
    takes, options = HANDS[hand]
    with browsing(served, service_workers="block", **options) as person:
        page = person.page
        page.add_init_script(DRAWN)
        line = WeakLine(page, seed=len(hand))
        person.begin()
        page.wait_for_function(LOADED)
        plays = play_out(person, takes(page), seed=len(hand))
        match = served.store.open_match(page.url.rpartition("/")[2])
        turns = [each for each in match.game.actions if isinstance(each, Turn) and each.seat == 0]
        made = [sorted(f"{start}/{end}" for start, end in each.play or ()) for each in turns]
        assert made == [sorted(play) for play in plays]
        assert len({body for body, _ in line.sent}) == len(turns)
        assert len(line.sent) == len(turns) + sum(is_lost for _, is_lost in line.sent)
        drawn = sorted(page.evaluate("window.drawn"))
        quick = sum(after <= 50 for after in drawn)
        sys.stdout.write(
            f"\n{hand}: {len(turns)} plays, {line.lost} requests lost; {quick} of {len(drawn)} "
            f"steps and undos drawn within 50 ms, half within {drawn[len(drawn) // 2]:.0f} ms, "
            f"all within {drawn[-1]:.0f} ms\n"
        )
