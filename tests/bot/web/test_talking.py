"""The table talks: the engine's play, marks, whose turn it is, notices, the end of a match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.reports.export import paper
from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.bot.web.play.tutor import Tutor
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import Game, Match, Player, SetBoard, Turn
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing, planted
from tests.support.web.visit import Visit

pytestmark = [needs_chromium, pytest.mark.patient]

NUMBERS = count(1)
SIZES = [(1440, 900), (1280, 720), (390, 844), (844, 390)]
COUNTED = """point => { // the number that is drawn nearest to it, above or below
    const middle = each => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const [x, y] = middle(point), [, half] = middle(point.ownerSVGElement);
    const near = [...point.ownerSVGElement.querySelectorAll("text.number")]
        .map(each => [Math.abs(middle(each)[0] - x), middle(each)[1] > half, each.textContent])
        .filter(each => each[1] === y > half)
        .sort((a, b) => a[0] - b[0]);
    return near[0][2];
}"""
ALLOWED = """
window.told = [];
class Told { constructor(title, { body }) { window.told.push(body); } }
Told.permission = "granted";
Told.requestPermission = async () => "granted";
window.Notification = Told;
ServiceWorkerRegistration.prototype.showNotification = async (_, { body }) => {
    window.told.push(body);
};
Object.defineProperty(document, "hidden", { get: () => Boolean(window.away) });
"""


def short(*, tutor: Tutor | None = None) -> BoardMatch:
    """The last roll but one of a race: any play bears off two checkers, only one order is right."""
    mine = (0, 0, 1, 0, 0, 1, *(0,) * 19)
    board = SetBoard(0, Position(mine, (2, *(0,) * 24)))
    game = Game(actions=(board, Turn(0, (2, 1))))
    players = (
        Player(f"me {next(NUMBERS)}"),
        Player("Sixprime like people"),
    )  # the archive keeps no match twice
    return BoardMatch("simple", Match(players, 1, (game,)), tutor)


def opened(person: Person, match: BoardMatch) -> str:
    key = person.served.store.add(match)
    person.page.goto(f"{person.served.url}/play/{key}")
    person.page.wait_for_selector("#table[data-shown]")
    return key


def play(page: Any, *points: int) -> None:
    for point in points:
        page.press(f".source[data-start='{point}']", "Enter")
    page.click("button[data-deed=confirm]")


def ended(person: Person, match: BoardMatch) -> None:
    """Play a match to its end, always with the first checker."""
    opened(person, match)
    page = person.page
    person.play_out(lambda: person.acts(partial(page.query_selector(".source").press, "Enter")))
    page.wait_for_selector(".after")


def test_the_engines_play_is_told_in_the_numbers_that_the_board_shows(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        match = planted()
        match.tutor = None
        opened(person, match)
        for _ in range(4):
            while page.query_selector("button[data-deed=roll], .source"):
                if page.query_selector("button[data-deed=roll]"):
                    person.acts(lambda: page.click("button[data-deed=roll]"))
                else:
                    source = page.query_selector(".source")
                    person.acts(partial(source.press, "Enter"))
            person.acts(lambda: page.click("button[data-deed=confirm]"))
            told = page.inner_text(".engine")
            steps = told.partition("in your numbers ")[2].rstrip(").").split()
            moved = {step.partition("/")[2] for step in steps} - {"off"}
            drawn = {each.evaluate(COUNTED) for each in page.query_selector_all(".came")}
            assert drawn <= moved
            assert drawn or not steps


def test_the_panel_lists_moves_at_once_and_shows_chances_by_choice(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        match = planted()
        match.tutor = None
        opened(person, match)
        assert page.locator(".chances").count() == 0
        play(page, 8, 6)
        page.wait_for_selector(".engine")
        assert "31: 8/5 6/5" in page.inner_text(".moves")
        page.click("text=Board, position and keys")
        page.check("[data-beside=chances]")
        page.wait_for_selector(".chances")
        assert re.match(r"Chances to win:\sme \d+\.\d %", page.inner_text("#chances"))
        page.check("[data-beside=clock]")
        page.wait_for_selector(".clock[data-running]")
        assert page.locator(".clock").count() == 2
        page.goto(page.url)
        assert page.locator(".chances").count() == 1
        page.click("text=Board, position and keys")
        page.uncheck("[data-beside=chances]")
        page.wait_for_selector(".chances", state="detached")
        assert person.complaints == []


def test_the_tab_shows_whose_turn_it_is(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        match = planted()
        match.tutor = None
        opened(person, match)
        seen: list[tuple[str, str]] = []

        def look(route: Any) -> None:
            seen.append((page.title(), page.get_attribute("link[rel=icon]", "href")))
            route.continue_()

        page.route("**/play/*/play", look)
        person.acts(lambda: play(page, 8, 6))
        page.wait_for_selector(".engine")
        assert not seen[0][0].startswith("●")
        assert seen[0][1].endswith("icon.svg")
        page.wait_for_function("() => document.title.startsWith('● ')")
        assert page.get_attribute("link[rel=icon]", "href") == "/static/icon-turn.svg"


@pytest.mark.parametrize(("wanted", "away"), [(True, True), (True, False), (False, True)])
def test_a_notice_tells_a_hidden_tab_that_the_opponent_played(
    served: Served, wanted: bool, away: bool
) -> None:
    with browsing(served) as person:
        page = person.page
        page.add_init_script(ALLOWED)
        match = planted()
        match.tutor = None
        opened(person, match)
        if wanted:
            page.click("text=Board, position and keys")
            page.check(".choices [data-notices]")
            page.wait_for_function("() => localStorage.getItem('notices') === 'on'")
        page.evaluate("away => { window.away = away; }", away)
        person.acts(lambda: play(page, 8, 6))
        page.wait_for_function("() => document.title.startsWith('● ')")
        if wanted and away:
            page.wait_for_function("() => window.told.length")
        told = page.evaluate("window.told")
        assert len(told) == (1 if wanted and away else 0)
        assert all("You" in text or "Your" in text for text in told)


def test_the_end_has_pr_luck_errors_and_marks_that_lead_to_the_replay(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        match = planted()
        match.tutor = None
        ended(person, match)
        heads = page.locator(".after th").all_inner_texts()
        assert heads[:3] == ["Player", "PR", "Luck"]
        assert "without luck" in page.inner_text(".after")
        assert page.locator(".again svg.board").count() > 0
        worst = page.locator(".moves .sign").first
        assert worst.inner_text() in ("?!", "?", "??")
        link = worst.locator("xpath=preceding-sibling::a[1]")
        words = link.inner_text().partition(": ")[2]
        link.click()
        page.wait_for_selector("#replay")
        assert words in page.inner_text("#says")


def test_a_deeper_analysis_is_made_while_one_looks(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        ended(person, short())
        assert "Analysed at expert" in page.inner_text(".after")
        page.click("text=Analyse deeper")
        page.wait_for_selector("text=Analysed at world-class")
        page.wait_for_selector("text=1 match analysed.")
        page.goto(page.url)
        assert "Analysed at world-class" in page.inner_text(".after")
        assert page.locator("text=Analyse deeper").count() == 0
        assert person.complaints == []


def test_a_link_and_a_picture_are_there_to_pass_on(served: Served) -> None:
    with browsing(served, permissions=["clipboard-read", "clipboard-write"]) as person:
        page = person.page
        ended(person, short())
        page.click("[data-copy-link]")
        page.wait_for_selector("text=Copied")
        link = page.evaluate("navigator.clipboard.readText()")
        with page.expect_download() as download:
            page.click(".share a[download]")
        data = Path(download.value.path()).read_bytes()
        assert data.startswith(b"\x89PNG")
        page.goto(link)
        assert page.inner_text("h1").endswith("against Sixprime like people")


def test_a_replay_is_played_on_from_the_step_that_is_shown(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        ended(person, short())
        page.click("text=Replay")
        page.wait_for_selector("#replay")
        page.click("#ways [data-key=ArrowRight]")
        page.wait_for_function("() => document.getElementById('says').innerText.includes('rolls')")
        page.click("text=Play from here")
        page.select_option("#onwards select[name=level]", "expert")
        page.click("#onwards button")
        page.wait_for_selector("#table[data-shown]")
        match = served.store.open_match(page.url.rpartition("/")[2])
        assert match.level == "expert"
        assert match.record.comment.startswith("Played on from step ")


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    made = Visit(tmp_path)
    with made.client:
        yield made
    made.archive.close()


def test_without_the_extra_there_is_no_picture(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = visit.store.add(short())
    visit.post(f"/play/{key}/play", steps="6/4 3/2", fragment="1")

    def missing(svg: str) -> bytes:
        raise ImportError("typst")

    monkeypatch.setattr("sixprime.bot.web.library.sharing.chart_png", missing)
    assert paper.can_draw()
    assert visit.client.get("/archive/99999.png").status_code == 404
    number = visit.store.open_match(key).archived or 1
    assert visit.client.get(f"/archive/{number}.png").status_code == 404


PAGES = {
    "replay": ("svg.board", "#says", "#ways [data-key=ArrowRight]", "#ways [data-key=ArrowLeft]"),
    "position": ("svg.board", "#look", "form.line [name=id]"),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_board_and_its_controls_are_inside_the_window(
    served: Served, name: str, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    look: dict[str, Any] = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    with browsing(served, **look) as person:
        page = person.page
        if name == "replay":
            key = served.store.add(short())
            page.goto(f"{served.url}/play/{key}")
            page.wait_for_selector("#table[data-shown]")
            person.play_out(
                lambda: person.acts(partial(page.query_selector(".source").press, "Enter"))
            )
            page.click("text=Replay")
            page.wait_for_selector("#replay")
        else:
            page.goto(f"{served.url}/position")
        page.wait_for_load_state()  # with its styles
        for part in PAGES[name]:
            box = page.query_selector(part).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, part
            assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
        assert page.query_selector("polygon.point").bounding_box()["width"] >= 24
