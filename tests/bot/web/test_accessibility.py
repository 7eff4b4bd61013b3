"""axe-core looks at every page, light and dark, wide and on a phone."""

from __future__ import annotations

import pytest

from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import Game, Match, Player, Rules, SetBoard
from tests.support.web.accessibility import PHONE, WIDE, faults
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Served, browsing, planted

pytestmark = [needs_chromium, pytest.mark.patient]

POSITION = "/position?id=4HPwATDgc/ABMA"


@pytest.mark.parametrize(
    ("scheme", "size"),
    [pytest.param("light", WIDE, marks=pytest.mark.slow), ("dark", PHONE)],
    ids=["wide", "phone"],
)
def test_no_page_is_hard_to_use(served: Served, scheme: str, size: dict[str, int]) -> None:
    key = served.store.add(planted())
    by_hand = served.store.add(BoardMatch.new(1, "simple", Rules(), by_hand=True))
    game = Game((24, 23), crawford=True, actions=(SetBoard(0, Position.start()),))
    players = Player("W" * 19), Player("Ünïcödé_漢字_αβγδε_" + "x" * 12)
    long_names = served.store.add(BoardMatch("simple", Match(players, 25, (game,))))
    paths = ("/play", f"/play/{key}", f"/play/{key}?hint=1", POSITION, f"{POSITION}&dice=31")
    more = (
        f"/play/{by_hand}",
        f"/play/{long_names}",
        "/position",
        "/position?id=wrong",
        "/archive",
        "/archive/99",
        "/me",
        "/me/train",
        "/me/names?find=x",
        "/login",
    )
    with browsing(served, viewport=size, color_scheme=scheme) as person:
        found = []
        for path in (*paths, *more):
            person.page.goto(served.url + path)
            found += faults(person.page)
            assert person.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_placeholder_is_as_dark_as_a_label_in_every_browser(served: Served, scheme: str) -> None:
    """Left to itself, WebKit draws it with a contrast of 2 to 1."""
    drawn = "e => [getComputedStyle(e, '::placeholder'), getComputedStyle(e.closest('label'))]"
    with browsing(served, color_scheme=scheme) as person:
        person.page.goto(f"{served.url}/play")
        shown = f"e => ({drawn})(e).map(each => [each.color, each.opacity])"
        placeholder, label = person.page.eval_on_selector("input[name=name]", shown)
        assert placeholder == label


@pytest.mark.parametrize(
    ("width", "height", "least"), [(2560, 1440, 1_300), (1920, 1080, 1_000), (740, 360, 385)]
)
def test_a_board_fills_the_screen_there_is(
    served: Served, width: int, height: int, least: int
) -> None:
    with browsing(served, viewport={"width": width, "height": height}) as person:
        for path in ("/position", f"/play/{served.store.add(planted())}"):
            person.page.goto(served.url + path)
            box = person.page.query_selector("svg.board").bounding_box()
            side = person.page.query_selector(".side").bounding_box()
            assert least <= box["width"] <= width
            if "/play/" in path:  # all of it
                assert box["y"] + box["height"] <= height
            assert side["x"] > box["x"] + box["width"]  # and what belongs to it is beside it
