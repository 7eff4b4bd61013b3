"""An error of a match is put into training and asked until it is known, in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import choose_ourselves
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis, What
from sixprime.engine.position import Play
from sixprime.engine.search.players import shipped_brain
from tests.support.archive.imported import add, played
from tests.support.web.accessibility import PHONE, WIDE, faults
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing

pytestmark = [needs_chromium, pytest.mark.patient]

(MATCH,) = played(1, 1)


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    return examined(MATCH, Examiner(shipped_brain(), AnalysisSettings.of("casual")))


@pytest.fixture
def served(tmp_path: Path, analysis: MatchAnalysis) -> Iterator[Served]:
    database = f"sqlite:///{tmp_path / 'archive.db'}"
    archive = Archive(ArchiveSettings(database=database, folder=None))
    match_id = add(archive, MATCH)
    assert match_id is not None
    row = archive.row(match_id)
    keep(archive, analysis.settings, [(Wanted(match_id, row.noted), packed(analysis))])
    archive.close()
    with Served(tmp_path) as made:
        yield made


def worst_play(analysis: MatchAnalysis) -> tuple[str, Play, Play]:
    """Return the place of the worst play, the play made and the best one."""
    error = next(each for each in analysis.errors() if each.what is What.PLAY)
    move = analysis.turn_of(error).move
    assert move is not None
    assert move.best is not None
    return error.place, move.played, move.best.play


def put_in(person: Person, place: str, *, scripts: bool = True) -> None:
    page = person.page
    page.goto(f"{person.served.url}/archive/1?error={place}")
    page.evaluate("window.stays = true")
    page.click("text=Train the play")
    page.wait_for_selector("text=In training")
    assert bool(page.evaluate("window.stays")) is scripts  # else the page is loaded again


def ask(page: Any, url: str) -> None:
    page.goto(f"{url}/me/train")
    page.wait_for_selector("#table[data-shown]")


def confirm(page: Any) -> str:
    page.click("button[data-deed=confirm]")
    page.wait_for_selector("text=Next")
    return str(page.inner_text("[data-says]"))


def click(page: Any, play: Play) -> None:
    """Make each step by two clicks, of the checker and of its target."""
    for start, end in play:
        source = page.locator(f".source[data-start='{start}']")
        if source.get_attribute("data-ends") == str(end) and not source.get_attribute("data-far"):
            source.click()
            continue
        at, to = source.bounding_box(), page.locator(f".target[data-end='{end}']").bounding_box()
        page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        page.mouse.down()
        page.mouse.move(to["x"] + to["width"] / 2, to["y"] + to["height"] / 2, steps=4)
        page.mouse.up()


def test_an_error_is_asked_answered_wrongly_asked_again_and_then_known(
    served: Served, analysis: MatchAnalysis
) -> None:
    place, made, best = worst_play(analysis)
    with browsing(served) as person:
        page = person.page
        put_in(person, place)
        ask(page, served.url)
        page.keyboard.press("Tab")  # hands off the mouse: the board is operable all the same
        click(page, made)
        assert confirm(page).startswith("Wrong: it gives away")
        assert "your answer" in page.inner_text(".plays")
        page.click("text=Next")
        page.wait_for_selector("#table[data-shown]")
        assert "Right" not in page.inner_text("#says")
        click(page, best)
        assert confirm(page) == "Right."
        assert "Asked 2 times, missed 1" in page.inner_text("#says")
        assert person.complaints == []


def test_a_question_is_answered_by_keys_alone(served: Served, analysis: MatchAnalysis) -> None:
    place, *_ = worst_play(analysis)
    with browsing(served) as person:
        page = person.page
        put_in(person, place)
        ask(page, served.url)
        for _ in range(4):
            source = page.query_selector(".source")
            if source is None:
                break
            source.press("Enter")
        page.locator("button[data-deed=confirm]").press("Enter")
        page.wait_for_selector("text=Next")
        assert page.inner_text("[data-says]").startswith(("Wrong", "Right"))


def test_automatic_rolls_of_the_play_page_answer_no_question(
    served: Served, analysis: MatchAnalysis
) -> None:
    place = next(each.place for each in analysis.errors() if each.what is What.DOUBLE)
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/archive/1?error={place}")
        page.locator("form[data-train]", has_text="Train the double").locator("button").click()
        page.wait_for_selector("text=In training")
        page.context.add_cookies([{"name": "board", "value": "all", "url": served.url}])
        ask(page, served.url)
        assert page.get_attribute("html", "data-rolls") == "all"
        assert page.query_selector("#table[aria-busy], [data-next]") is None
        page.keyboard.press("d")  # a key answers, of course
        page.wait_for_selector("[data-next]")


def test_a_question_is_answered_without_a_script(served: Served, analysis: MatchAnalysis) -> None:
    place, *_ = worst_play(analysis)
    with browsing(served, java_script_enabled=False) as person:
        page = person.page
        put_in(person, place, scripts=False)
        page.goto(f"{served.url}/me/train")
        page.click("text=Or choose among plays")
        page.locator("details button").last.click()
        page.wait_for_selector("text=Next")
        assert "Asked 1 time" in page.inner_text("#says")


@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", PHONE)])
def test_no_page_of_mine_is_hard_to_use(
    served: Served, analysis: MatchAnalysis, scheme: str, size: dict[str, int], tmp_path: Path
) -> None:
    place, *_ = worst_play(analysis)
    with browsing(served, viewport=size, color_scheme=scheme) as person:
        page, found = person.page, []

        def look() -> None:
            found.extend(faults(page))
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]

        for path in ("/me/train", "/me", "/archive/errors"):
            page.goto(served.url + path)
            look()
        database = f"sqlite:///{tmp_path / 'archive.db'}"
        archive = Archive(ArchiveSettings(database=database, folder=None))
        choose_ourselves(archive, [MATCH.players[0].name])
        archive.close()
        put_in(person, place)
        look()
        page.goto(f"{served.url}/me")
        look()
        ask(page, served.url)
        look()
        page.click("text=Show the answer")
        page.wait_for_selector("text=Next")
        look()
        assert found == []
        assert person.complaints == []


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844), (844, 390)])
def test_the_board_and_the_answers_are_inside_the_window(
    served: Served, analysis: MatchAnalysis, size: tuple[int, int]
) -> None:
    place, *_ = worst_play(analysis)
    width, height = size
    with browsing(served, viewport={"width": width, "height": height}) as person:
        page = person.page
        put_in(person, place)
        ask(page, served.url)
        for _ in range(4):
            if (source := page.query_selector(".source")) is not None:
                source.press("Enter")
        for part in ("svg.board", "[data-deed=confirm]", "[data-deed=show]"):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part
            assert box["x"] + box["width"] <= width, part
