"""Figures of the pages in Chromium as JSON: `python -m tests.support.web.pagefigures [SECONDS]`.

For each page its weight over the wire and when the first board was painted; and how long after the
wire a bot's moves were painted. Loopback, and whatever else the machine does disturbs it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.web.chromium import PROGRAM
from tests.support.web.pictures import bots, paths_of

SECONDS = 30.0
LOADS = 5  # of each page; the median counts
PAINTED = """
new MutationObserver((_, watching) => {
  if (!document.querySelector('svg.board circle, svg.board .checker')) return;
  watching.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
}).observe(document, {childList: true, subtree: true});
"""
SEEN = """
() => {
  window.seen = [];
  const card = document.querySelector('[data-profile]');
  new MutationObserver(() => {
    const at = 1000 * Number(card.dataset.at);
    if (!at) return;  // between two matches there is no board
    requestAnimationFrame(() => requestAnimationFrame(() => window.seen.push(Date.now() - at)));
  }).observe(card, {attributeFilter: ['data-at']});
}
"""
WEIGHT = """
() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, each) => sum + each.transferSize, 0)
"""


async def measure(seconds: float) -> dict[str, Any]:
    """All figures."""
    from playwright.async_api import async_playwright

    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    with TemporaryDirectory(prefix="sixprime-") as place:
        async with bots(Path(place)) as address, async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
            paths = await paths_of(await browser.new_page(), address)
            for name, path in paths.items():
                loads = [await loaded(browser, address + path) for _ in range(LOADS)]
                found[name] = {
                    "weight_kb": round(max(weight for weight, _ in loads) / 1_000, 1),
                    "board_painted_ms": round(median(painted for _, painted in loads)),
                }
            page = await browser.new_page()
            await page.goto(address + paths["bot"])
            await page.evaluate(SEEN)
            await page.wait_for_timeout(1_000 * seconds)
            seen = sorted(await page.evaluate("window.seen"))
            await browser.close()
    found["moves_seen_after_ms"] = {
        "count": len(seen),
        "median": round(median(seen)),
        "p95": round(seen[int(0.95 * len(seen))]),
        "most": round(seen[-1]),
    }
    return found


async def loaded(browser: Any, url: str) -> tuple[float, float]:
    """Bytes over the wire, and when the board was painted, by somebody who comes first."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(PAINTED)
    await page.goto(url)
    await page.wait_for_function("() => window.painted")
    result = await page.evaluate(WEIGHT), await page.evaluate("window.painted")
    await context.close()
    return result


if __name__ == "__main__":
    lasts = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    sys.stdout.write(json.dumps(asyncio.run(measure(lasts))) + "\n")
