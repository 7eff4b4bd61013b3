"""What goes wrong between browsers and us, in Chromium: lost sessions, two tabs, two fingers."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.web.play.boardmatch import match_to_plain
from sixprime.engine.position import Step
from sixprime.protocols.formats.record import Turn
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Served, browsing, planted

pytestmark = [needs_chromium, pytest.mark.patient]

MATCH = " 1 point match\n\n Game 1\n a : 0     b : 0\n  1) 31: 8/5 6/5    64: 24/14\n"


def middle(page: Any, selector: str) -> dict[str, float]:
    box = page.query_selector(selector).bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def play(page: Any) -> None:
    """Play the 3-1 of `planted` and confirm it."""
    for point in (8, 6):
        page.press(f".source[data-start='{point}']", "Enter")
    page.click("button[data-deed=confirm]")


def test_dice_steps_and_cube_are_told_in_words_and_in_the_title(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        assert "You rolled 3-1: move." in page.inner_text("#says")
        for point in (8, 6):
            source = page.locator(f".source[data-start='{point}']")
            person.acts(partial(source.press, "Enter"))
        assert page.title() == "● You rolled 3-1: confirm your play. · Sixprime"
        assert "So far 8/5 6/5" in page.text_content("#heard")
        assert person.complaints == []


def test_a_second_finger_does_not_end_a_drag(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served, viewport={"width": 360, "height": 740}, has_touch=True) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        wire = page.context.new_cdp_session(page)

        def touch(kind: str, *points: dict[str, float]) -> None:
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        first = {"id": 1, **middle(page, ".source[data-start='8']")}
        second = {"id": 2, **middle(page, ".under.over")}
        touch("touchStart", first)
        first |= {"y": first["y"] - 60}
        touch("touchMove", first)
        touch("touchStart", first, second)
        touch("touchMove", first)  # the second is lifted
        assert page.query_selector(".carried")
        first |= middle(page, ".target[data-end='5']")
        touch("touchMove", first)
        person.acts(lambda: touch("touchEnd"))
        assert "So far 8/5." in page.inner_text("#says")
        assert person.complaints == []


def test_a_play_of_quick_hands_is_one_request_and_is_not_lost(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.wait_for_selector("#table[data-shown]")
        asked: list[str] = []

        def count(route: Any) -> None:
            if route.request.method == "POST":  # the line to other pages begins anew now and then
                asked.append(route.request.url)
            route.continue_()

        page.route(f"**/play/{key}/*", count)

        def drag(start: int, end: int) -> None:
            source, target = (
                middle(page, f".{what}")
                for what in (f"source[data-start='{start}']", f"target[data-end='{end}']")
            )
            page.mouse.move(**source)
            page.mouse.down()
            page.mouse.move(**target, steps=3)
            page.mouse.up()

        drag(8, 5)
        drag(6, 5)
        assert asked == []
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert [url.rpartition("/")[2] for url in asked] == ["play"]
        turn = served.store.open_match(key).game.actions[1]
        assert isinstance(turn, Turn)
        assert turn.play == (Step(8, 5), Step(6, 5))
        assert person.complaints == []


def test_a_tab_that_shows_an_older_board_does_nothing_on_the_newer_one(served: Served) -> None:
    match = planted()
    match.write_play("8/5 6/5")
    key = served.store.add(match)
    with browsing(served) as person:
        page, other = person.page, person.page.context.new_page()
        page.goto(f"{served.url}/play/{key}")
        other.goto(f"{served.url}/play/{key}")
        other.route("**/live", lambda route: route.abort())
        other.reload()  # and hears of nothing from here on
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        before = match_to_plain(served.store.open_match(key))
        other.click("button[data-deed=confirm]")
        other.wait_for_selector("text=The match had gone on")
        assert match_to_plain(served.store.open_match(key)) == before


def test_a_match_that_is_gone_says_so_on_a_page_of_its_own(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play/{key}")
        (served.store.folder / f"{key}.json").unlink()
        play(person.page)
        person.page.wait_for_selector("text=There is no such match.")
        assert person.page.locator("header nav").count() == 1


def test_a_position_survives_a_lost_network(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/position")
        page.context.set_offline(True)
        page.focus(".place[data-place='24']")
        page.keyboard.press("Delete")
        page.wait_for_selector("#lost")
        page.context.set_offline(False)
        page.keyboard.press("Delete")
        page.wait_for_selector(".place[data-label='Point 24, empty']")
        assert page.query_selector("#lost") is None


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_that_does_not_reach_us_is_no_answer(served: Served, status: int) -> None:
    def gone(route: Any) -> None:
        route.fulfill(status=status, body="<h1>Bad Gateway</h1>", content_type="text/html")

    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.route("**/play/**", gone)
        play(page)
        page.wait_for_selector("#lost")
        page.unroute("**/play/**")
        page.wait_for_selector("#lost", state="detached")
        assert len(served.store.open_match(key).game.actions) > 2

        page.goto(f"{served.url}/position?id=4HPwATDgc/ABMA")
        page.route("**/position*/**", gone)
        page.route("**/position?**", gone)
        page.click("#roll-out")
        page.wait_for_selector("#rollout >> text=The server does not answer.")
        page.focus(".place[data-place='24']")
        page.keyboard.press("Delete")
        page.wait_for_selector("#lost")
        page.unroute("**/position?**")
        page.keyboard.press("Delete")
        page.wait_for_selector(".place[data-label='Point 24, empty']")


def test_a_connection_that_dies_without_a_word_does_not_hang_the_board(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.clock.install()
        page.goto(f"{served.url}/play/{key}")
        page.route("**/play/*/play", lambda route: None)  # never answered, never refused
        play(page)
        page.clock.run_for(2_000)
        assert "Waiting for the engine …" in page.inner_text("#says")
        page.unroute("**/play/*/play")
        page.clock.run_for(100_000)
        page.wait_for_selector(".engine")
        assert len(served.store.open_match(key).game.actions) > 2


def test_a_page_that_the_browser_had_kept_is_loaded_anew(served: Served) -> None:
    """WebKit shows it on the way back, whether it is still true and whoever has logged out."""
    key = served.store.add(planted())
    with browsing(served) as person:
        for path in ("/play", f"/play/{key}", "/position", "/archive", "/archive/statistics"):
            person.page.goto(served.url + path)
            person.page.evaluate("""() => {
                window.kept = true;
                dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
            }""")
            person.page.wait_for_function("() => !window.kept")
        assert person.complaints == []


def test_hidden_tabs_take_no_connection_from_the_one_that_is_seen(served: Served) -> None:
    with browsing(served) as person:
        tabs = [person.page.context.new_page() for _ in range(7)]  # a browser has six connections
        for tab in tabs:
            tab.goto(f"{served.url}/archive")
            tab.evaluate("""() => {
                Object.defineProperty(document, "hidden", { get: () => true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""")
        person.page.goto(f"{served.url}/archive")
        assert person.page.inner_text("h1") == "Archive"


def test_the_list_shows_what_was_imported(served: Served, tmp_path: Path) -> None:
    (tmp_path / "match.mat").write_text(MATCH)
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/archive")
        page.set_input_files("input[type=file]", str(tmp_path / "match.mat"))
        page.click("text=Import >> nth=-1")
        page.wait_for_selector("[data-state=done]")
        page.wait_for_selector("table.matches")


def test_who_follows_a_link_of_another_site_keeps_his_session(served: Served) -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f'<a href="{served.url}/play/{key}">a match</a>'.encode())

        def log_message(self, *_: object) -> None:
            pass

    key = served.store.add(planted())
    with socketserver.TCPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        with browsing(served) as person:
            page = person.page
            page.goto(f"{served.url}/play/{key}")
            other = page.context.new_page()
            other.goto(f"http://localhost:{site.server_address[1]}/")
            other.click("text=a match")
            other.wait_for_selector("svg.board")
            play(page)
            page.wait_for_selector(".engine")
            assert len(served.store.open_match(key).game.actions) > 2
            assert person.complaints == []
        site.shutdown()


@contextmanager
def locked(folder: Path, **options: Any) -> Iterator[tuple[Served, Any]]:
    """A server that asks for a password, and a page of its visitor."""
    (folder / "password").write_text("open sesame\n")
    with (
        Served(folder, "--password-file", str(folder / "password")) as served,
        browsing(served, **options) as person,
    ):
        yield served, person.page


def log_in(page: Any) -> None:
    page.fill("input[name=password]", "open sesame")
    page.press("input[name=password]", "Enter")


@pytest.mark.parametrize("with_script", [True, False])
def test_a_lost_session_leads_to_the_login_and_back(tmp_path: Path, with_script: bool) -> None:
    """It shows the same position and opinion, though a form without the script has its own link."""
    with locked(tmp_path, java_script_enabled=with_script) as (served, page):
        page.goto(f"{served.url}/position?id=4HPwATDgc/ABMA&dice=31")
        for _ in range(2):
            log_in(page)
            page.wait_for_selector("#position[data-shown]" if with_script else "#position")
            letters = page.get_attribute(".boardbox", "data-letters")
            assert letters == "-b----E-C---eE---c-e----B-"
            assert page.input_value("input[name=dice]") == "31"
            assert "8/5 6/5" in page.inner_text("section[aria-label=Plays]")
            page.context.clear_cookies()
            page.click("#look")
            page.wait_for_selector("input[name=password]")
            assert page.locator("header nav").count() == 1


def test_a_page_of_the_archive_says_that_its_server_is_gone_and_works_when_it_is_back(
    tmp_path: Path,
) -> None:
    (tmp_path / "match.mat").write_text(MATCH)
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/archive")
        old = page.input_value("[name=token] >> nth=0")
        page.wait_for_timeout(500)
        served.kill()
        page.wait_for_selector("text=The server does not answer.")
        served.start()
        page.wait_for_selector("#lost", state="detached")
        renewed = "was => document.querySelector('[name=token]').value !== was"
        page.wait_for_function(renewed, arg=old)
        page.set_input_files("input[type=file]", str(tmp_path / "match.mat"))
        page.click("text=Import >> nth=-1")
        page.wait_for_selector("[data-state=done]")


def test_a_page_of_the_archive_leads_to_the_login_when_its_session_is_gone(tmp_path: Path) -> None:
    with locked(tmp_path) as (served, page):
        page.goto(f"{served.url}/archive")
        log_in(page)
        page.wait_for_selector("#drop")
        page.wait_for_timeout(500)
        served.kill()
        page.wait_for_selector("text=The server does not answer.")
        served.start()
        page.wait_for_selector("input[name=password]")
        assert page.url == f"{served.url}/login?to=/archive"


def test_a_form_of_a_server_that_began_anew_leads_back_to_its_page(tmp_path: Path) -> None:
    with Served(tmp_path) as served, browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play?x=1")
        served.kill()
        served.start()
        page.click("text=Start")
        page.wait_for_selector("text=nothing was done")
        page.click("text=Back to the page")
        page.wait_for_url("**/play?x=1")
        page.click("text=Start")
        page.wait_for_selector("svg.board")


def test_a_key_held_on_a_slow_network_asks_for_each_step_once(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "match.mat").write_text(MATCH.replace("a :", "slow :"))
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/archive")
        page.set_input_files("input[type=file]", str(tmp_path / "match.mat"))
        page.click("text=Import >> nth=-1")
        page.click("#chore a")
        page.wait_for_url("**/archive/*")  # with its script
        held: list[Any] = []
        page.route("**/archive/*step=*", lambda route: held.append(route))
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert [route.request.url.partition("?")[2] for route in held] == ["step=1"]
        held[0].continue_()
        page.wait_for_selector("#seen[data-step='1']")


def test_a_page_that_breaks_off_has_no_token(served: Served) -> None:
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play")
        renewed = person.page.evaluate(
            """async () => {
                const { renewToken } = await import("/static/fragment.js");
                const cut = { start: (body) => body.error(new TypeError("cut")) };
                window.fetch = async () => new Response(new ReadableStream(cut));
                return renewToken();
            }"""
        )
        assert renewed is False
