"""Makes the pictures of the pages: `python -m tests.support.web.pictures [FOLDER]` (docs/pictures).

A sandbox with house players, bots that play on it, and their pages in Debian's Chromium; light,
dark and as a phone shows them. Look at every one before you commit them.
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
from typing import Any

from PIL import Image

from sixprime.bot.sandbox.loadtest.clients import PASSWORD, start_server
from sixprime.bot.sandbox.store import make_accounts
from tests.support.web.chromium import PROGRAM

OUT = Path("docs/pictures")
WIDE, PHONE = {"width": 1240, "height": 860}, {"width": 360, "height": 740}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "device_scale_factor": 2},
}
COLOURS = 256
POSITION = "/position?id=4HPwATDgc/ABMA:cIkGAAAAAAAE"
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
    await page.goto(f"{address}/play")
    await page.click("text=Start")
    await page.wait_for_selector("svg.board")
    table = page.url.removeprefix(address)
    return {
        "bots": "/bots",
        "bot": "/bots?profile=anna",
        "play": table,
        "archive": f"{match}?step=20",
        "position": f"{POSITION}&dice=31",
    }


async def take(out: Path) -> None:
    """All of them."""
    from playwright.async_api import async_playwright

    with TemporaryDirectory(prefix="sixprime-") as place:
        async with bots(Path(place)) as address, async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            paths = await paths_of(await browser.new_page(), address)
            for look, options in LOOKS.items():
                context = await browser.new_context(**options)
                page = await context.new_page()
                for name, path in paths.items():
                    await page.goto(address + path)
                    await page.wait_for_function(f"() => {READY.get(name, 'true')}", timeout=60_000)
                    await page.wait_for_timeout(300)
                    _keep(await page.screenshot(), out / f"{name}-{look}.png")
                await context.close()
            await browser.close()


def _keep(picture: bytes, path: Path) -> None:
    """Write it with few colours, which is small."""
    image = (
        Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, optimize=True)
    sys.stdout.write(f"{path}: {path.stat().st_size // 1024} kB\n")


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT))
