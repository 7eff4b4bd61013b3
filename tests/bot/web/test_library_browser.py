"""An archive of 300 matches in Debian's Chromium: filtered, replayed, analysed, exported, fed."""

from __future__ import annotations

import re
import socket
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.support.web.accessibility import PHONE, WIDE, faults
from tests.support.web.chromium import needs_chromium
from tests.support.web.manymatches import ATTACKS, filled
from tests.support.web.person import Person, Served, browsing

pytestmark = [needs_chromium, pytest.mark.patient]

COUNT = 300
A_FILE = Path(__file__).parents[2] / "data" / "interop" / "external-match-3pt.mat"
DROP = """files => {
    const carried = new DataTransfer();
    for (const [name, text] of files) carried.items.add(new File([text], name));
    dispatchEvent(new DragEvent("drop", { dataTransfer: carried, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("library"))
    filled(made.folder, COUNT, with_analysis=200, opponents=ATTACKS).close()
    with made:
        yield made


def count(person: Person) -> int:
    return int(person.page.inner_text(".above p").split()[0])


def stepped(person: Person, key: str) -> int:
    """Press a key; the step that is shown then, counted from 1."""
    before = person.page.get_attribute("#replay", "data-shown")
    person.page.keyboard.press(key)
    person.page.wait_for_function(
        "was => document.getElementById('replay').getAttribute('data-shown') !== was", arg=before
    )
    return int(person.page.inner_text("#ways .count").split()[0])


def settled(person: Person) -> str:
    """What the page says of the chore when it is over."""
    person.page.wait_for_selector(".chore:not([data-state=going])")
    return str(person.page.inner_text(".chore"))


def once_over(library: Served) -> Callable[[Any], None]:
    """Answers a request when the chore that it begins is over."""

    def wait(route: Any) -> None:
        answer = route.fetch(max_redirects=0)
        while 'data-state="going"' in urlopen(f"{library.url}/archive").read().decode():
            time.sleep(0.1)
        route.fulfill(response=answer)

    return wait


def test_matches_are_filtered_sorted_and_counted(library: Served) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive")
        assert count(person) == COUNT
        page.click(".filters summary")
        page.select_option("select[name=length]", "3")
        page.select_option("select[name=result]", "won")
        page.fill("input[name=from]", "2026-03-01")
        page.click(".filters button")
        assert 0 < count(person) < COUNT / 2
        assert {each.inner_text() for each in page.query_selector_all("td.result")} == {"won"}
        page.click("text=Show all")
        page.click("th >> text=/^PR/")
        page.wait_for_load_state()
        errors = [each.inner_text() for each in page.query_selector_all("td[data-label=PR]")]
        known = [float(each) for each in errors if each != "–"]
        assert known == sorted(known, reverse=True)
        assert len(set(known)) > 1
        page.click("text=Statistics")
        page.click("section:has(#by-length) a >> nth=0")
        assert 0 < count(person) < COUNT
        page.go_back()
        page.click(".charts.wide a >> nth=1", force=True)
        assert 0 < count(person) < COUNT / 2
        assert person.complaints == []


@pytest.mark.parametrize("with_scripts", [True, False])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_matches_come_before_rare_filters_which_unfold(
    library: Served, size: dict[str, int], with_scripts: bool
) -> None:
    with browsing(library, viewport=size, java_script_enabled=with_scripts) as person:
        page = person.page
        page.goto(f"{library.url}/archive")
        fields = page.locator(".filters input:visible, .filters select:visible")
        names = [field.get_attribute("name") for field in fields.all()]
        assert names == ["text", "player"]  # nobody is known to be "me"
        box = page.locator(".matches tbody tr").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < size["height"]
        page.fill("input[name=player]", "Reserve")
        page.click(".filters button")
        assert "player=Reserve" in page.url
        assert 0 < count(person) < COUNT / 2
        page.click("text=Statistics")
        assert page.input_value("input[name=player]") == "Reserve"
        page.click(".filters summary")
        page.select_option("select[name=length]", "3")
        page.click(".filters button")
        assert "player=Reserve" in page.url
        assert "Length 3" in page.inner_text(".filters summary")  # folded, but told


def test_a_match_is_replayed_by_keyboard_and_its_graph_leads_through_it(library: Served) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive/6")
        last = int(page.inner_text("#ways .count").split()[-1])
        assert [stepped(person, f"Arrow{way}") for way in ("Right", "Right", "Left")] == [2, 3, 2]
        said = page.inner_text("#says")
        assert stepped(person, "End") == last
        assert page.inner_text("#says") != said
        assert stepped(person, "PageUp") == 1 or last > 1
        assert stepped(person, "Home") == 1
        error = stepped(person, "Shift+ArrowRight")
        assert "gives away" in page.inner_text("#judged")
        assert stepped(person, "Shift+ArrowRight") > error
        assert stepped(person, "Shift+ArrowLeft") == error
        assert stepped(person, "e") > error
        assert stepped(person, "Shift+E") == error
        before = page.get_attribute(".charts.wide .here >> nth=0", "x1")
        page.click(".charts.wide .chart >> nth=0 >> a >> nth=30", force=True)
        page.wait_for_function(
            "was => document.querySelector('.here').getAttribute('x1') !== was", arg=before
        )
        here = page.inner_text("#ways .count")
        assert here != f"{error} of {last}"
        page.reload()  # the address has followed
        assert page.inner_text("#ways .count") == here
        page.click(".worst a >> nth=0")
        page.wait_for_selector(".verdict.m3, .verdict.m2")
        assert person.complaints == []


def test_matches_are_analysed_while_one_looks_on_and_can_be_stopped(library: Served) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive/7?step=2")
        assert stepped(person, "ArrowRight") == 4  # where it leads back to
        assert "Not analysed yet" in page.inner_text("#judged")
        page.select_option("select[name=level_of_analysis]", "casual")
        page.click("button >> text=Analyse")
        page.wait_for_selector(".worst, #worst")
        assert page.inner_text("#ways .count").startswith("4 of")
        page.goto(f"{library.url}/archive")
        page.select_option("select[name=level_of_analysis]", "supremo")
        page.click("section[aria-labelledby=analysis] button")
        page.wait_for_selector(".chore progress")
        page.click(".chore button")
        assert "stopped" in settled(person)
        assert person.complaints == []


def test_work_that_ended_with_the_server_is_not_shown_as_going_on(tmp_path: Path) -> None:
    filled(tmp_path, 3, with_analysis=0).close()
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/archive")
        page.select_option("select[name=level_of_analysis]", "supremo")
        page.click("#analysis ~ form button")
        page.wait_for_selector(".chore progress")
        page.wait_for_load_state()
        served.kill()
        served.start()
        page.wait_for_selector(".chore progress", state="detached")


def test_marked_decisions_are_rolled_out_and_the_rollout_can_be_stopped(library: Served) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive/26")
        assert page.is_disabled("#marks button")
        marked: list[str] = []
        while len(marked) < 2:
            step = stepped(person, "Shift+ArrowRight")
            page.keyboard.press("m")
            assert page.is_checked("#judged [data-mark] >> nth=0")
            marked.append(str(step))
        page.reload()  # the marks are kept
        assert page.is_checked("#judged [data-mark] >> nth=0")
        steps = page.inner_text("#marks [data-marked]").removeprefix("Marked steps: ")
        assert [each.split()[0] for each in steps.split(", ")] == marked
        assert faults(page) == []
        assert page.query_selector("#judged >> text=By a rollout") is None
        page.select_option("#marks select", "1296")
        page.click("#marks button")
        page.wait_for_selector(".chore progress")
        page.click(".chore button")  # stopped: nothing of it is kept
        page.goto(f"{library.url}/archive")
        assert "0 of 2 decisions rolled out" in settled(person)
        page.goto(f"{library.url}/archive/26?step={int(marked[1]) - 1}")
        page.keyboard.press("m")  # not this one
        page.click("#marks [data-marked] a")
        page.select_option("#marks select", "36")
        page.route("**/archive/rollout", once_over(library))  # its page shows no progress
        page.click("#marks button")
        done = "#judged >> text=By a rollout: 36 trials"
        page.wait_for_selector(done, timeout=900_000)  # lowest priority: others come first
        page.wait_for_selector("#marks button:disabled", state="attached")  # no longer marked
        page.click("#judged [data-mark] >> nth=0")  # for more trials
        page.reload()
        page.click("#marks [data-marked] a")
        assert faults(page) == []
        assert person.complaints == []


def test_what_is_asked_for_is_exported(library: Served, tmp_path: Path) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive?opponent=player3")
        expected = count(person)
        with page.expect_download() as begun:
            page.click("section[aria-labelledby=download] button")
        begun.value.save_as(tmp_path / "all.zip")
        with zipfile.ZipFile(tmp_path / "all.zip") as found:
            assert len(found.namelist()) == expected
        page.goto(f"{library.url}/archive/6")
        for label in ("SGF", ".mat", "oldmoves", "Report"):
            with page.expect_download() as begun:
                page.click(f".downloads >> text={label}")
            assert re.fullmatch(r"[\w~.-]+", begun.value.suggested_filename)
        assert person.complaints == []


def test_files_are_dropped_and_each_says_what_became_of_it(library: Served, tmp_path: Path) -> None:
    with browsing(library, viewport=WIDE) as person:
        page = person.page
        page.goto(f"{library.url}/archive")
        before = count(person)
        files = [
            ["good.mat", A_FILE.read_text(encoding="utf-8")],
            ["broken.sgf", "(;FF[4]GM[6]"],
            ["../../../../tmp/evil.mat", "nothing"],
            ["<script>alert(1)</script>.mat", "\x00\x01"],
            ['"><svg onload=alert(1)>.sgf', "(;"],
        ]
        page.evaluate(DROP, files)
        page.wait_for_url("**/archive#chore")
        told = settled(person)
        assert "1 match added" in told
        assert "4 of 5 files refused" in told
        assert "evil.mat" in told
        assert "good.mat" in page.locator(".told li").last.inner_text()  # refusals come first
        assert page.query_selector_all("#chore script, #chore svg") == []
        page.reload()
        assert count(person) == before + 1
        page.set_input_files("input[type=file]", [A_FILE])
        page.click("#drop button")
        page.wait_for_selector(".chore >> text=archived already")
        with (tmp_path / "large.mat").open("wb") as large:
            large.truncate(33 * 2**20)
        page.set_input_files("input[type=file]", [tmp_path / "large.mat"])
        page.click("#drop button")
        assert page.is_visible("[data-too-large]")
        assert person.complaints == []


def test_the_archive_works_without_scripts(library: Served) -> None:
    with browsing(library, viewport=PHONE, java_script_enabled=False) as person:
        page = person.page
        page.goto(f"{library.url}/archive/6")
        page.click("text=Next")
        assert page.inner_text("#ways .count").startswith("2 of")
        page.goto(f"{library.url}/archive")
        page.set_input_files("input[type=file]", [A_FILE])
        page.click("#drop button")
        for _ in range(100):
            page.goto(f"{library.url}/archive")
            if page.query_selector(".chore:not([data-state=going])"):
                break
        assert page.query_selector(".chore .told li")


@pytest.mark.parametrize(
    ("scheme", "size"),
    [pytest.param("light", WIDE, marks=pytest.mark.slow), ("dark", PHONE)],
    ids=["wide", "phone"],
)
def test_no_page_of_the_archive_is_hard_to_use(
    library: Served, scheme: str, size: dict[str, int]
) -> None:
    paths = ("/archive", "/archive?from=x&sort=pr", "/archive/statistics", "/archive/6?step=20",
             "/archive/8", "/archive/6?step=9999", "/archive/statistics?player=Reserve",
             "/archive/errors", "/archive/openings?player=Reserve")  # fmt: skip
    with browsing(library, viewport=size, color_scheme=scheme) as person:
        found = []
        for path in paths:
            person.page.goto(library.url + path)
            found += faults(person.page)
            assert person.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert found == []
        (complaint,) = person.complaints  # the browser's own, of the address that makes no sense
        assert "status of 400" in complaint


def test_the_ends_of_a_long_list_are_one_click_away(library: Served) -> None:
    with browsing(library) as person:
        page = person.page
        page.goto(f"{library.url}/archive?length=3")
        last = int(page.inner_text(".pages span").split()[-1])
        assert last > 2
        page.click("text=Last")
        page.wait_for_selector(f"text=Page {last} of {last}")
        assert page.locator(".pages a").all_inner_texts() == ["First", "Back"]
        page.click("text=First")
        page.wait_for_selector(f"text=Page 1 of {last}")
        assert page.locator(".pages a").all_inner_texts() == ["More", "Last"]
        assert page.url.endswith("/archive?length=3")


def test_a_date_is_seen_whole_on_a_phone_in_firefox_too(library: Served) -> None:
    """There it is written with wider gaps, and an icon follows it."""
    wanted = """e => {
        const style = getComputedStyle(e), pen = document.createElement("canvas").getContext("2d");
        pen.font = style.font;
        const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return pen.measureText("mm / dd / yyyy").width + 20 - room;
    }"""
    with browsing(library, viewport={"width": 348, "height": 740}) as person:  # and a scroll bar
        person.page.goto(f"{library.url}/archive")
        person.page.click(".filters summary")
        assert person.page.eval_on_selector("input[name=from]", wanted) <= 0


@pytest.mark.parametrize("width", [748, 950, 1280, 1500, 1920])
def test_where_there_is_room_for_a_table_it_hides_no_column(library: Served, width: int) -> None:
    with browsing(library, viewport={"width": width, "height": 1000}) as person:
        for path in (
            "/archive",
            "/archive/statistics",
            *(f"/archive/6?step={i}" for i in range(9)),
        ):
            person.page.goto(library.url + path)
            hidden = "e => e.map(each => each.scrollWidth - each.clientWidth)"
            assert set(person.page.eval_on_selector_all(".scroll", hidden)) <= {0}


def test_on_paper_a_page_is_dark_on_white_without_what_can_only_be_pressed(library: Served) -> None:
    colours = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    with browsing(library, viewport=WIDE, color_scheme="dark") as person:
        person.page.emulate_media(media="print")
        for path in ("/archive", "/archive/6?step=5", "/position?id=4HPwATDgc/ABMA"):
            person.page.goto(library.url + path)
            ink, paper = person.page.eval_on_selector("body", colours)
            assert (ink, paper) == ("rgb(34, 37, 42)", "rgb(255, 255, 255)")
            for each in person.page.locator("button, .button, header nav").all():
                assert not each.is_visible()


def test_on_paper_no_heading_is_left_alone_and_graphs_need_not_stay_together(
    library: Served, tmp_path: Path
) -> None:
    """In Firefox, too, which has no `break-after: avoid`: a heading wants room below itself."""
    report = tmp_path / "report.html"
    report.write_bytes(urlopen(f"{library.url}/archive/6.html").read())
    wants = """e => e.map(each => {
        const below = getComputedStyle(each, "::after");
        return [getComputedStyle(each).breakInside, below.height, below.marginBottom].join();
    })"""
    breaks = "e => getComputedStyle(e).breakInside"
    with browsing(library) as person:
        page = person.page
        page.emulate_media(media="print")
        for address in (f"{library.url}/archive/6", report.as_uri()):
            page.goto(address)
            assert set(page.eval_on_selector_all("h2:not(dialog *)", wants)) == {
                "avoid,128px,-128px"
            }
        page.goto(f"{library.url}/archive/statistics")
        assert page.eval_on_selector(".charts.wide", breaks) == "auto"
        assert page.eval_on_selector(".charts.wide .chart", breaks) == "avoid"


def test_a_report_is_printed_with_every_column(library: Served, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_bytes(urlopen(f"{library.url}/archive/6.html").read())
    a_page = {"width": 680, "height": 1000}  # A4 with the usual margins
    with browsing(library, viewport=a_page, color_scheme="dark") as person:
        person.page.emulate_media(media="print")
        person.page.goto(report.as_uri())
        cut = "e => e.filter(each => each.scrollWidth > each.clientWidth).length"
        assert person.page.locator(".decision .scroll").count() > 5
        assert person.page.eval_on_selector_all(".decision .scroll", cut) == 0


def test_the_board_of_a_replay_is_told_in_words_and_its_graphs_are_not(library: Served) -> None:
    with browsing(library) as person:
        person.page.goto(f"{library.url}/archive/6?step=5")
        told = person.page.locator("main").aria_snapshot()
        assert re.search(r"paragraph: .SixprimeBot: .* in own numbers: ", told)
        assert 'link "Step ' not in told
        assert "12 13 14" not in told  # the numbers of the points


def test_a_hundred_megabytes_are_refused_before_they_are_sent(library: Served) -> None:
    host = f"127.0.0.1:{library.port}"
    with closing(socket.create_connection(("127.0.0.1", int(library.port)), 60)) as line:
        line.sendall(
            f"POST /archive/import HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {100 * 2**20}"
            "\r\n\r\n".encode()
        )
        assert b" 413 " in line.recv(4096).split(b"\r\n")[0]
