"""Running bots in a real browser: watched, and steered from there."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections.abc import Awaitable, Callable
from itertools import product
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest

from sixprime.bot.client.connection import CannotConnect
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.control.overview import Overview
from sixprime.bot.control.steering import Steering
from sixprime.bot.process.logs import LogTail
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import AccountSettings, Config, Profile, WebSettings
from sixprime.bot.web.bots import cards, livebots
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.frame.told import ReaderText
from sixprime.bot.web.serving import listen, server
from tests.support.bot.steered import ANNA, BEN, steered
from tests.support.web.accessibility import PHONE, WIDE, axe, violations
from tests.support.web.chromium import PROGRAM, needs_chromium

pytestmark = [needs_chromium, pytest.mark.patient]

ODD = "main :is(script, img, iframe, [href^='javascript:'], [onload], [onerror])"
HOSTILE = ("<script>alert(1)</script>", "javascript:alert(1)", "<svg/onload=alert(1)>{{7*7}}")
WEB = "web: {listen: '127.0.0.1:0'}\n"


async def faults(page: Any) -> list[str]:
    """What axe objects to, light and dark, wide and on a phone."""
    found = []
    for scheme, size in product(("light", "dark"), (WIDE, PHONE)):
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size(size)
        await page.evaluate(f"() => {{ {axe()}; }}")
        found += violations(await page.evaluate("() => axe.run(document)"))
    return found


def test_a_bot_is_watched_paused_resumed_and_told_to_invite(tmp_path: Path) -> None:
    async def check() -> None:
        from playwright.async_api import async_playwright

        async with steered(tmp_path, more=WEB) as bot, async_playwright() as playwright:
            (address,) = re.findall(r"address=(http://\S+)", bot.log)
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            page = await browser.new_page()
            said: list[str] = []
            page.on("console", lambda each: said.append(each.text))
            page.on("pageerror", lambda each: said.append(str(each)))
            await page.goto(address)
            told = page.locator("#told")

            async def asks(button: str, answer: str) -> None:
                await page.click(f"button:has-text('{button}')")
                await told.filter(has_text=answer).wait_for()

            await asks("Pause", "pauses")
            await bot.until(lambda: not bot.is_ready())
            await page.locator(".pill", has_text="away").wait_for()
            await asks("Resume", "plays again")
            await bot.until(bot.is_ready)

            await page.click("summary:has-text('Invite')")
            await page.fill("form[action='/bots/invite'] input[name=name]", BEN)
            await page.click("form[action='/bots/invite'] button")
            await told.filter(has_text="invites ben").wait_for()
            await bot.until(bot.sits)
            await page.locator("svg.board circle").first.wait_for()
            assert await page.locator("[data-show=opponent]").inner_text() == BEN
            await page.locator("[data-lines=log] li", has_text="match begins").wait_for()

            await page.fill("form[action='/bots/say'] input[name=text]", "<b>good luck</b> {{7*7}}")
            await page.click("form[action='/bots/say'] button")
            await bot.until(lambda: "<b>good luck</b> {{7*7}}" in bot.says(ANNA))
            await page.select_option("form[action='/bots/level'] select[name=level]", "casual")
            await page.click("form[action='/bots/level'] button")
            await told.filter(has_text="plays at level casual from the next match").wait_for()

            assert await faults(page) == []
            other = await browser.new_page()
            await other.goto(page.url)
            await other.click("summary:has-text('Invite')")
            await other.fill("form[action='/bots/invite'] input[name=name]", BEN)
            await other.click("form[action='/bots/invite'] button")
            await other.locator("#told.problem", has_text="is playing").wait_for()
            await page.click("text=Leave or stop")
            await page.click("text=Leave match")
            await bot.until(lambda: ANNA not in bot.server.playing)
            await page.locator("svg.board").wait_for(state="detached")
            await page.locator("[data-show=state]", has_text="idle").wait_for()
            await other.locator("[data-show=state]", has_text="idle").wait_for()
            assert await other.locator("#told").inner_text() == ""
            await page.locator("[data-rows=matches] tr", has_text="saved").wait_for()
            await page.get_by_role("columnheader", name="Time (UTC)").wait_for()
            assert said == []
            await browser.close()

    asyncio.run(check())


@pytest.mark.parametrize("words", HOSTILE)
def test_whatever_a_card_holds_is_text_wherever_it_is_shown(
    tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than the wire lets through: names with such characters are not even read."""
    names = (f"a{words}", f"b{words}")
    profiles = tuple(Profile(name=name, account=AccountSettings(user="anna")) for name in names)
    service = Service(Config(profiles=profiles), {name: Secret("") for name in names})
    real, shown = cards.card, [words]

    def hostile(*given: Any) -> dict[str, Any]:
        found = real(*given)
        texts = {
            name: shown[0] for name, value in found.items() if isinstance(value, str | ReaderText)
        }
        rows = {"matches": [[1, *([shown[0]] * 6)]], "versions": [shown[0]]}
        lines = {name: [[shown[0], shown[0]]] for name in ("to_do", "logged")}
        pictures = {"curve": "", "ratings": "", "board": ""}
        return found | texts | rows | lines | pictures

    class Obedient:
        def pause(self, profile: str | None = None) -> str:
            return f"{profile} {shown[0]}"

        def obeyed(self, *_: object) -> None:
            pass

    async def check() -> None:
        from playwright.async_api import async_playwright

        monkeypatch.setattr(livebots, "card", hostile)
        tail = LogTail()
        tail(None, "", {"event": words, "level": words, "timestamp": "2" * 20, "profile": names[0]})
        live = LiveBots(service, cast(Steering, Obedient()), Overview(service, (), tail))
        settings = WebSettings(listen="127.0.0.1:0")
        listener = listen(settings)
        serving = server(settings, listener, None, tmp_path, live)
        running = asyncio.create_task(serving.serve(sockets=[listener]))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            page = await browser.new_page()
            said: list[str] = []
            page.on("console", lambda each: said.append(each.text))
            page.on("pageerror", lambda each: said.append(str(each)))
            page.on("dialog", lambda each: said.append(each.message))
            for path in ("/bots", f"/bots?profile={quote(names[0])}"):
                shown[0] = words
                await page.goto(address + path)
                for later in ("", " again"):  # as the server draws it, and as it changes
                    shown[0] = words + later
                    shows = f"#bots [data-show=state]:text-is({json.dumps(shown[0])})"
                    await page.locator(shows).first.wait_for()
                    assert await page.locator(ODD).count() == 0
                await page.click("form[action='/bots/pause'] button")
                await page.locator("#told", has_text=shown[0]).wait_for()
                assert "49" not in await page.inner_text("main")
                assert await faults(page) == []
            assert await page.locator("[data-lines=log] li", has_text=words).count() == 1
            assert said == []
            await browser.close()
        serving.should_exit = True
        await running

    asyncio.run(check())


def test_a_page_that_lost_its_server_says_so_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    profile = Profile(name="anna", account=AccountSettings(user="anna"))

    class Obedient:
        def pause(self, profile: str | None = None) -> str:
            return f"{profile} obeys"

        def obeyed(self, *_: object) -> None:
            pass

    async def check() -> None:
        from playwright.async_api import async_playwright

        def made(port: int) -> tuple[LiveBots, int, Any]:
            service = Service(Config(profiles=(profile,)), {"anna": Secret("")})
            live = LiveBots(service, cast(Steering, Obedient()))
            settings = WebSettings(listen=f"127.0.0.1:{port}")
            listener = listen(settings)
            return live, listener.getsockname()[1], (settings, listener)

        async def serve(live: LiveBots, given: Any) -> Callable[[], Awaitable[None]]:
            serving = server(given[0], given[1], None, tmp_path, live)
            running = asyncio.create_task(serving.serve(sockets=[given[1]]))

            async def end() -> None:
                serving.should_exit = True
                await running
                given[1].close()

            return end

        live, port, given = made(0)
        end = await serve(live, given)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            page = await browser.new_page()
            await page.goto(f"http://127.0.0.1:{port}/bots")
            await page.wait_for_function("() => document.getElementById('bots').dataset.shown")
            assert not await page.locator("#lost").is_visible()
            await end()
            await page.locator("#lost").wait_for()
            live, _, given = made(port)
            (card,) = live._cards.values()
            card.bot.client.chatter.level = "another"
            end = await serve(live, given)
            await page.locator("[data-show=level]", has_text="another").wait_for()
            assert not await page.locator("#lost").is_visible()
            gone = "<h1>502 Bad Gateway</h1>"  # says a proxy that does not reach us
            await page.route("**/pause", lambda route: route.fulfill(status=502, body=gone))
            await page.click("text=Pause")
            await page.locator("#told", has_text="The server does not answer.").wait_for()
            await page.unroute("**/pause")
            await page.click("text=Pause")  # with the token of a server that is gone
            await page.locator("#told", has_text="anna obeys").wait_for()
            await browser.close()
        await end()

    asyncio.run(check())


async def refused(*_: object) -> Any:
    raise CannotConnect("127.0.0.1:1: Connection refused")


def test_a_later_spectator_is_told_the_time_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = (Profile(name=ANNA, account=AccountSettings(user=ANNA)),)
    live = LiveBots(Service(Config(profiles=profiles), {ANNA: Secret("")}), cast(Steering, None))

    async def told() -> float:
        pictures = live.pictures("127.0.0.1", ANNA)
        return float(json.loads((await anext(pictures)).removeprefix("data: "))["now"])

    monkeypatch.setattr(time, "time", lambda: 1_000.0)
    assert asyncio.run(told()) == 1_000.0
    monkeypatch.setattr(time, "time", lambda: 1_300.0)  # and nothing has changed
    assert asyncio.run(told()) == 1_300.0


def test_an_offline_bot_says_why() -> None:
    profile = Profile(name="anna", account=AccountSettings(user="anna"))

    async def check() -> None:
        service = Service(Config(profiles=(profile,)), {"anna": Secret("")}, dial=refused)
        (bot,) = service.bots
        running = asyncio.create_task(bot.run())
        async with asyncio.timeout(300):
            while bot.status(0.0)["dials_in_s"] is None:  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(0.01)
        (card,) = await LiveBots(service, cast(Steering, None)).cards()
        assert str(card["trouble"]) == "Offline."
        assert re.fullmatch(
            r"Does not dial, because 127.0.0.1:1: Connection refused, "
            r"until \d\d:\d\d:\d\d UTC: control dial",
            str(card["waits"]),
        )
        bot.request_stop(Stop.SAVE)
        await running

    asyncio.run(check())


def test_a_bot_that_was_told_to_stop_is_at_rest_and_not_in_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = Profile(name="anna", account=AccountSettings(user="anna"))

    async def check() -> None:
        service = Service(Config(profiles=(profile,)), {"anna": Secret("")}, dial=refused)
        (bot,) = service.bots
        bot.request_stop(Stop.FINISH)
        await bot.run()
        monkeypatch.setattr("sixprime.bot.client.service.UNHEALTHY_AFTER_S", -1.0)  # it is late
        (card,) = await LiveBots(service, cast(Steering, None)).cards()
        assert (str(card["state"]), card["mood"], card["trouble"]) == ("stopped", "rest", "")
        assert bot.status(0.0)["healthy"]

    asyncio.run(check())


def test_a_bot_runs_on_when_its_pages_cannot(tmp_path: Path) -> None:
    """Nothing that a page asks for reaches the bots without a token."""

    async def check() -> None:
        async with steered(tmp_path, more=WEB) as bot:
            (address,) = re.findall(r"address=http://([^/\s]+)", bot.log)
            host, _, port = address.partition(":")
            for number in range(20):
                reader, writer = await asyncio.open_connection(host, int(port))
                body = f"token=guess{number}&profile=anna"
                writer.write(
                    f"POST /bots/finish HTTP/1.1\r\nHost: {address}\r\nContent-Length: {len(body)}"
                    f"\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                    f"Connection: close\r\n\r\n{body}".encode()
                )
                assert b" 403 " in await reader.readline()
                writer.close()
            assert "anna: idle" in await bot.does("status")

    asyncio.run(check())


def test_a_bot_that_stops_ends_its_pages_without_complaint_while_somebody_looks(
    tmp_path: Path,
) -> None:
    async def check() -> None:
        async with steered(tmp_path, more="web: {listen: '127.0.0.1:0'}\n") as bot:
            await bot.until(lambda: "serving pages" in bot.log)
            (port,) = re.findall(r"address=http://127.0.0.1:(\d+)/", bot.log)
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            head = f"GET /bots/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
            writer.write(head.encode())
            await reader.readuntil(b"data: ")
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.end() == 0
            writer.close()
            assert "Traceback" not in bot.log
            assert "[error" not in bot.log

    asyncio.run(check())
