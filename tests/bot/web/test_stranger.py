"""The path of a stranger through the pages, and what must be true on the way."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime.bot.process.timeleft import TimeLeft
from sixprime.bot.web.frame.tasks import SURE_S, LongTask
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import WITHOUT_ENGINE
from tests.support.places import ROOT
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import CHROMIUM, Served, browsing, planted

MATCH = " 1 point match\n\n Game 1\n a : 0     b : 0\n  1) 31: 8/5 6/5    64: 24/14\n"
MOST_S = 60.0  # until the first picture; an idle machine takes 3 s


def test_no_page_formats_a_number_that_may_be_minus_zero() -> None:
    signed = re.compile(r'(?::\+?\.\df[}"]|%\+?\.\df")')
    files = [*(ROOT / "bot/web").rglob("*.py"), *(ROOT / "bot/web").rglob("*.html")]
    faults = [path.name for path in files if signed.search(path.read_text(encoding="utf-8"))]
    assert faults == []
    assert signed.search('{{ "{:.2f}".format(-0.001) }}')


def test_long_work_tells_the_time_left_once_its_pace_is_known() -> None:
    now = 0.0
    task = LongTask("Analysis", 40, rest=TimeLeft(lambda: now, SURE_S))
    told = []
    for done in (0, 1, 11):
        task.progress(done, 40)
        told.append(task.shown()["says"])
        now += 20.0
    assert told == ["0 of 40, 0 s", "1 of 40, 0 s", "11 of 40, about 58 s left"]


@needs_chromium
@pytest.mark.slow
def test_a_stranger_plays_a_match_and_trains_its_worst_error(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    CHROMIUM.browser()
    begun = time.monotonic()
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        page.goto(served.url)
        page.wait_for_selector("form.begin")
        waited = time.monotonic() - begun
        record_property("first_picture_s", round(waited, 1))
        assert waited < MOST_S
        page.click("form.begin summary")
        page.fill("input[name=pr]", "8")
        page.select_option("form.begin select[name=length] >> nth=0", "1")
        page.click("form.begin button.main")  # the second click
        page.wait_for_selector("#table[data-shown]")

        def move() -> None:
            page.query_selector(".source").focus()
            person.acts(lambda: page.keyboard.press("Enter"))

        person.play_out(move)
        page.wait_for_selector("section.after")
        page.click("section.after button:has-text('Train') >> nth=0")
        page.wait_for_selector("section.after >> text=In training")
        page.click("section.after >> text=Play again >> nth=0")
        page.wait_for_selector("#table[data-shown]")
        assert person.asks != "NOTHING"
        keys = [path.stem for path in served.store.folder.glob("*.json")]
        levels = {served.store.open_match(key).level for key in keys}
        assert len(keys) == 2
        assert levels == {"pr 8"}
        assert person.complaints == []


@needs_chromium
@pytest.mark.patient
def test_the_lobby_says_how_strong_an_engine_is_and_whose_a_match_is(served: Served) -> None:
    with browsing(served) as person:
        person.begin()
        person.page.goto(f"{served.url}/play")
        assert person.page.locator("text=Resume").count() == 1
        options = person.page.locator("form.begin select[name=level] >> nth=0 >> option")
        told = [text for text in options.all_inner_texts() if ": " in text]
        assert {text.partition(": ")[0] for text in told} == {*PRESETS, *WITHOUT_ENGINE}
    with browsing(served) as other:
        other.page.goto(f"{served.url}/play")
        assert other.page.locator("text=Resume").count() == 0
        assert "1 match of other browsers" in other.page.inner_text("main")


@needs_chromium
@pytest.mark.patient
def test_a_file_is_dropped_on_the_lobby(served: Served, tmp_path: Path) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play")
        page.wait_for_selector("[data-drop]")
        page.evaluate(
            """(text) => {
                const files = new DataTransfer();
                files.items.add(new File([text], "match.mat"));
                dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
            }""",
            MATCH,
        )
        page.wait_for_selector("[data-state=done]")
        page.wait_for_selector("table.matches")


@needs_chromium
@pytest.mark.patient
def test_a_hint_is_gone_at_the_next_decision(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.wait_for_selector("#table[data-shown]")
        person.acts(lambda: page.click("#hint"))
        page.wait_for_selector("[aria-label='Best plays']")
        for point in (8, 6):
            page.press(f".source[data-start='{point}']", "Enter")
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert page.locator("[aria-label='Best plays']").count() == 0
        assert "hint" not in page.url
