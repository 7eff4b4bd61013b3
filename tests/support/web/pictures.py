"""Makes the pictures of the pages in Debian's Chromium, with bots that play on a sandbox.

`python -m tests.support.web.pictures` makes those of docs/pictures. With a FOLDER it takes every
page there at four sizes, light and dark: look at every one.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from PIL import Image

from sixprime.bot.sandbox.loadtest.clients import PASSWORD, start_server
from sixprime.bot.sandbox.store import make_accounts
from tests.support.web.chromium import PROGRAM

OUT = Path("docs/pictures")
SIZES = {"wide": (1440, 900), "laptop": (1280, 720), "phone": (390, 844), "side": (844, 390)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
KEPT = (  # in docs/pictures; README and docs/pictures.md show them
    "lobby-phone-light",
    "play-laptop-light",
    "play-phone-dark",
    "end-laptop-light",
    "position-laptop-light",
    "replay-laptop-dark",
    "bots-laptop-light",
    "bot-laptop-light",
)
COLOURS = 256
POSITION = "/position?id=4HPwATDgc/ABMA:cAkAAAAAAAAA"
PLAYED_S = 150.0  # at most, until there is something to see
READY = {
    "bots": "document.querySelectorAll('svg.board').length === 3",
    "bot": "(document.querySelector('.curve polyline')?.points.length ?? 0) > 8",
}
LEVELS = {"anna": "world-class", "ben": "expert", "carla": "intermediate"}
SANDBOX = """\
limits: {command_burst: 10000, commands_per_s: 1000}
house: [expert, advanced, intermediate]
house_pause_s: 0.2
seed: 20
"""
SETTINGS = """\
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0}
player: {pace: {least_s: 0.1, most_s: 0.3}}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  invite: {after_idle_s: 1, match_length: 3}
archive: {database: "sqlite:///FOLDER/archive.db", folder: null}
metrics: {listen: null}
control: {socket: FOLDER/control}
logging: {level: info, file: FOLDER/log}
web: {listen: "127.0.0.1:0"}
profiles:
"""
PROFILE = """\
  NAME:
    account: {user: NAME, password_env: THE_PASSWORD}
    player: {level: LEVEL}
    lobby: {invite: {preferred: [HOUSE]}}
"""
HOUSES = ("house_expert", "house_advanced", "house_intermediate")
ABSENT = """\
  dora:
    server: {port: 1}
    account: {user: dora, password_env: THE_PASSWORD}
"""


@asynccontextmanager
async def bots(folder: Path) -> AsyncIterator[str]:
    """Bots that play on a sandbox; the address of their pages."""
    make_accounts(folder / "sandbox.db", list(LEVELS), PASSWORD)
    (folder / "sandbox.yaml").write_text(SANDBOX)
    server, port = await start_server(folder / "sandbox.db", folder / "sandbox.yaml")
    text = SETTINGS.replace("PORT", str(port)).replace("FOLDER", str(folder))
    for (name, level), house in zip(LEVELS.items(), HOUSES, strict=True):
        one = PROFILE.replace("NAME", name).replace("LEVEL", level)
        text += one.replace("HOUSE", house)
    (folder / "bots.yaml").write_text(text + ABSENT)
    process = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
        [sys.executable, "-m", "sixprime", "play", "--config", str(folder / "bots.yaml")],
        env={**os.environ, "THE_PASSWORD": PASSWORD},
        cwd=folder,
    )
    try:
        yield await _address(folder / "log", process)
    finally:
        for each in (process, server):
            each.terminate()
        process.wait()
        await server.wait()


async def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the pages are, as the log says."""
    async with asyncio.timeout(120):
        while True:
            assert process.poll() is None, "the bots do not run"
            said = await asyncio.to_thread(_said, log)
            if found := re.search(r"address=(http://\S+)/", said):
                return found[1]
            await asyncio.sleep(0.2)


def _said(log: Path) -> str:
    return log.read_text() if log.exists() else ""


async def paths_of(page: Any, address: str) -> dict[str, str]:
    """The pages to be taken, once each has something to show."""
    await page.goto(f"{address}/bots?profile=anna")
    await page.wait_for_selector(".curve polyline", timeout=1_000 * PLAYED_S)
    over = page.locator("[data-rows=matches] tr", has_text=re.compile("won|lost")).first
    await over.wait_for(timeout=1_000 * PLAYED_S)
    match = await over.locator("a").get_attribute("href")
    await page.wait_for_selector("[data-draw=ratings] svg", timeout=1_000 * PLAYED_S)
    await page.goto(f"{address}{match}")
    await page.select_option("select[name=level_of_analysis]", "expert")
    await page.click("form[action='/archive/analyse'] button")
    await page.wait_for_selector("text=analysed at", timeout=1_000 * PLAYED_S)  # it reloads itself
    ended = await _begun(page, address, length="1", tutor=False)
    await _played_out(page)
    warned = await _begun(page, address, length="3", tutor=True)
    table = await _begun(page, address, length="5", tutor=False)
    await _until(page, "PLAY")
    return {
        "lobby": "/play",
        "play": table,
        "hint": f"{table}?hint=1",
        "warning": warned,
        "end": ended,
        "setup": "/position",
        "position": f"{POSITION}&dice=31",
        "cube": POSITION,
        "archive": "/archive",
        "replay": f"{match}?step=20",
        "statistics": "/archive/statistics?player=anna",
        "errors": "/archive/errors",
        "openings": "/archive/openings",
        "bots": "/bots",
        "bot": "/bots?profile=anna",
        "failed": "/nothing",
    }


async def _begun(page: Any, address: str, *, length: str, tutor: bool) -> str:
    """A new match against a club player."""
    await page.goto(f"{address}/play")
    await page.select_option("select[name=level]", "pr 7")
    await page.select_option("select[name=length]", length)
    await page.set_checked("input[name=tutor]", tutor)
    await page.click("text=Start")
    await page.wait_for_selector("#table[data-shown]")
    return str(page.url.removeprefix(address))


async def _asks(page: Any) -> str:
    return str(await page.get_attribute(".boardbox", "data-asks"))


async def _act(page: Any) -> None:
    """The next thing that the page offers: the main button, or the first checker."""
    shown = await page.get_attribute("#table", "data-shown")
    main = page.locator(".deeds button.main").first
    if await main.count():
        await main.click()
    else:
        await page.locator(".source").first.press("Enter")
    await page.wait_for_function(
        "was => document.getElementById('table').dataset.shown !== was", arg=shown
    )


async def _until(page: Any, asks: str) -> None:
    while await _asks(page) != asks:
        await _act(page)


async def _played_out(page: Any) -> None:
    await _until(page, "NOTHING")


async def _played_badly(page: Any) -> None:
    """Play on until the tutor warns."""
    while not await page.locator(".warning").count() and await _asks(page) != "NOTHING":
        await _act(page)


async def take(out: Path, *, every: bool) -> None:
    """Those of the docs, or of every page in every size, light and dark."""
    from playwright.async_api import async_playwright

    with TemporaryDirectory(prefix="sixprime-") as place:
        async with bots(Path(place)) as address, async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            still = await browser.new_context(reduced_motion="reduce")
            paths = await paths_of(await still.new_page(), address)
            for size, (width, height) in SIZES.items():
                for scheme in SCHEMES:
                    context = await browser.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                        reduced_motion="reduce",
                        device_scale_factor=1 if every or size != "phone" else 2,
                    )
                    page = await context.new_page()
                    for name, path in paths.items():
                        title = f"{name}-{size}-{scheme}"
                        if every or title in KEPT:
                            await page.goto(address + path)
                            ready = READY.get(name, "true")
                            await page.wait_for_function(f"() => {ready}", timeout=60_000)
                            if name == "warning":
                                await _played_badly(page)
                            await page.wait_for_timeout(300)
                            _keep(await page.screenshot(), out / f"{title}.png")
                            await _fits(page, title)
                    await context.close()
            await browser.close()


async def _fits(page: Any, title: str) -> None:
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        sys.stdout.write(f"{title}: {wide} px wider than the window\n")


def _keep(picture: bytes, path: Path) -> None:
    """Write it with few colours, which is small."""
    image = (
        Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, optimize=True)
    sys.stdout.write(f"{path}: {path.stat().st_size // 1024} kB\n")


if __name__ == "__main__":
    folders = sys.argv[1:]
    asyncio.run(take(Path(folders[0]) if folders else OUT, every=bool(folders)))
