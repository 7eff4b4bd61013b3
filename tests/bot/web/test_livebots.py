"""Running bots in a real browser: watched, and steered from there."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.bot.cli.test_control import ANNA, BEN, steered
from tests.chromium import PROGRAM, needs_chromium

pytestmark = [needs_chromium, pytest.mark.patient]

WEB = "web: {listen: '127.0.0.1:0'}\n"


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
                await page.click(f"text={button}")
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

            await page.click("text=Leave or stop")
            await page.click("text=Leave match")
            await bot.until(lambda: ANNA not in bot.server.playing)
            await page.locator("svg.board").wait_for(state="detached")
            await page.locator("[data-show=state]", has_text="idle").wait_for()
            await page.locator("[data-rows=matches] tr", has_text="saved").wait_for()
            assert said == []
            await browser.close()

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
