"""A position in a real browser: set up by hand, asked about, rolled out, taken along."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.protocols.formats import pasted
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Person, Served, browsing

pytestmark = [needs_chromium, pytest.mark.patient]


def shows(person: Person, letters: str) -> None:
    """Wait until the board stands like this, as in an XGID."""
    person.page.wait_for_selector(f".boardbox[data-letters='{letters}']")


def set_crawford(person: Person, length: int, leader: str) -> None:
    """The Crawford game of a match to this length, the other side without a point."""
    page = person.page
    page.select_option("select[name=length]", str(length))
    page.wait_for_selector(f"input[name={leader}]")
    page.fill(f"input[name={leader}]", str(length - 1))
    page.press(f"input[name={leader}]", "Tab")
    page.wait_for_selector("input[name=crawford]")
    page.check("input[name=crawford]")


def drag(person: Person, start: str, end: str) -> None:
    def middle(place: str) -> tuple[float, float]:
        box = person.page.query_selector(f".place[data-place='{place}']").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    before = person.page.get_attribute("#position", "data-shown")
    person.page.mouse.move(*middle(start))
    person.page.mouse.down()
    person.page.mouse.move(*middle(end), steps=3)
    person.page.mouse.up()
    person.page.wait_for_function(
        "was => document.getElementById('position').dataset.shown !== was", arg=before
    )


def test_a_position_is_set_up_by_dragging_rolled_out_and_stopped(served: Served) -> None:
    with browsing(served, viewport={"width": 1200, "height": 1000}) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        page.click("text=Empty")
        shows(person, "-" * 26)
        assert "Not a legal position yet" in page.inner_text("#fault")
        assert page.is_disabled("#roll-out")
        drag(person, "below", "6")
        drag(person, "below", "20")
        drag(person, "above", "19")
        drag(person, "20", "5")
        drag(person, "19", "0")
        shows(person, "a----AA" + "-" * 19)
        drag(person, "6", "5")  # and by tapping: the tray stays in the hand
        page.click(".place[data-place='below']")
        for point in ("8", "8", "6"):
            before = page.get_attribute("#position", "data-shown")
            page.click(f".place[data-place='{point}']")
            page.wait_for_function(
                "was => document.getElementById('position').dataset.shown !== was", arg=before
            )
        shows(person, "a----BA-B" + "-" * 17)
        assert page.query_selector("#fault") is None
        position, match = pasted.read_position(page.inner_text(".idlist code >> nth=0"))
        assert (position.mine[4:8], position.theirs[24]) == ((2, 1, 0, 2), 1)
        assert match is not None

        page.select_option("select[name=trials]", "5184")
        page.click("#roll-out")
        page.wait_for_selector("#rollout tbody tr >> nth=1")
        row = page.inner_text("#rollout tbody tr >> nth=0")
        assert re.search(r"no double\s+[+-]\d\.\d{3}\s+± \d\.\d{3}", row)
        page.click("[data-stop]")
        page.wait_for_selector("#rollout [data-told]:has-text('stopped after')")
        assert not page.is_visible("[data-stop]")
        page.click("#roll-out")  # the first one lets go
        page.wait_for_selector("#rollout [data-told]:has-text('of 10368')")
        page.goto(f"{served.url}/position?id=4HPwATDgc/ABMA&dice=31")  # hangs up
        assert "8/5 6/5" in page.inner_text("section[aria-label=Plays]")
        assert person.complaints == []


def test_a_position_is_set_up_by_keyboard_alone(served: Served) -> None:
    with browsing(served) as person:
        page, keys = person.page, person.page.keyboard
        page.goto(f"{served.url}/position?at={'-' * 26}")
        page.focus(".place[tabindex='0']")
        assert page.evaluate("document.activeElement.dataset.place") == "24"
        keys.press("l")
        shows(person, "-" * 24 + "a-")
        for key in ("ArrowDown", "ArrowLeft", "d"):
            keys.press(key)
        shows(person, "--A" + "-" * 21 + "a-")
        keys.press("Enter")  # taken up, and put down one to the right
        keys.press("ArrowRight")
        keys.press("Enter")
        shows(person, "-A" + "-" * 22 + "a-")
        keys.press("Delete")
        shows(person, "-" * 24 + "a-")
        assert page.evaluate("document.activeElement.dataset.place") == "1"
        assert page.get_attribute(".place:focus", "aria-label") == "Point 1, empty"
        assert person.complaints == []


def test_a_field_changed_takes_neither_the_next_click_nor_the_next_tab(served: Served) -> None:
    with browsing(served, viewport={"width": 1200, "height": 1000}) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        page.fill("input[name=dice]", "65")
        page.hover("#look")
        with page.expect_response("**/position?*") as answer:
            page.mouse.down()  # leaves the field; the new page comes before the button is let go
        answer.value.finished()
        page.wait_for_timeout(300)
        page.mouse.up()
        page.wait_for_selector("text=Best plays")
        page.fill("input[name=dice]", "31")
        before = page.get_attribute("#position", "data-shown")
        page.press("input[name=dice]", "Tab")
        page.wait_for_function(
            "was => document.getElementById('position').dataset.shown !== was", arg=before
        )
        assert page.evaluate("document.activeElement.name") == "cube"
        assert person.complaints == []


def test_a_position_is_taken_along(served: Served, tmp_path: Path) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        set_crawford(person, 7, "below")
        page.wait_for_function("() => decodeURIComponent(location.search).includes(':6:0:1:7:')")
        page.reload()  # the address holds it
        page.click("button[data-copy] >> nth=1")
        page.wait_for_selector("text=Copied")
        page.click("input[name=id]")
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
        _, match = pasted.read_position(page.input_value("input[name=id]"))
        assert match is not None
        assert (match.length, match.score, match.crawford) == (7, (0, 6), True)
        with page.expect_download() as waiting:
            page.click("[data-png]")
        waiting.value.save_as(tmp_path / "board.png")
        assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
        with page.expect_download() as waiting:
            page.click("a[download]")
        assert "<svg" in Path(waiting.value.path()).read_text(encoding="utf-8")
        assert person.complaints == []


def test_a_setup_that_is_not_yet_a_position_outlives_a_reload(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        set_crawford(person, 5, "above")
        page.fill("input[name=dice]", "31")
        page.press("input[name=dice]", "Tab")
        page.select_option("select[name=turn]", "0")
        page.click("text=Empty")
        shows(person, "-" * 26)
        page.reload()
        shows(person, "-" * 26)
        fields = {"turn": "0", "dice": "31", "length": "5", "above": "4", "below": "0"}
        for name, value in fields.items():
            assert page.input_value(f"[name={name}]") == value
        assert page.is_checked("input[name=crawford]")


def test_what_is_typed_while_the_server_draws_stays(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        held = []
        page.route("**/position?*", lambda route: held.append(route))
        page.click("text=Empty")
        page.fill("input[name=dice]", "31")
        while not held:
            page.wait_for_timeout(50)
        held.pop().continue_()
        shows(person, "-" * 26)
        assert page.input_value("input[name=dice]") == "31"


def test_a_pasted_id_is_gone_when_the_board_is_another(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/position?id=4HPwATDgc/ABMA")
        assert page.input_value("input[name=id]") == "4HPwATDgc/ABMA"
        page.click("text=Empty")
        shows(person, "-" * 26)
        assert page.input_value("input[name=id]") == ""
        page.fill("input[name=id]", "4HPwATDgc/ABMA:cAkAAAAAAAAE")  # not asked for yet
        page.click("text=Start")
        page.wait_for_selector(".boardbox:not([data-letters='--------------------------'])")
        assert page.input_value("input[name=id]") == "4HPwATDgc/ABMA:cAkAAAAAAAAE"


def test_the_page_of_the_command_fits_on_a_phone_and_gives_no_cause_to_complain(
    served: Served, tmp_path: Path
) -> None:
    page = tmp_path / "study.html"
    assert main(["position", "4HPwATDgc/ABMA", "--html", str(page), "--level", "expert"]) == 0
    with browsing(served, viewport={"width": 360, "height": 740}) as person:
        person.page.goto(page.as_uri())
        assert person.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert person.page.locator("body > .picture").count() == 2
        breaks = "e => e.map(each => getComputedStyle(each).whiteSpace)"
        assert set(person.page.eval_on_selector_all("tbody th", breaks)) == {"nowrap"}
        assert person.complaints == []
