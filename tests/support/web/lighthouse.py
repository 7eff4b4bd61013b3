"""Lighthouse's scores of the pages, and when a first board is painted: `.ci/lighthouse`.

It fails if a score is below LEAST, or if the median of some loads takes longer than MOST_MS.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.web.allpages import addresses, site
from tests.support.web.chromium import PROGRAM
from tests.support.web.pagefigures import LOADS, loaded

LIGHTHOUSE = "lighthouse@12.8.2"  # for node 18.20 and later
CATEGORIES = ("performance", "accessibility", "best-practices")
PAGES = ("play", "archive", "position")
BOARDS = ("play", "position", "replay")
LEAST = 95
MOST_MS = 500


def scores(url: str) -> tuple[dict[str, int], list[str]]:
    """Return the scores of a page, and the audits that cost points."""
    done = subprocess.run(
        [
            "npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json",
            f"--only-categories={','.join(CATEGORIES)}",
            "--chrome-flags=--headless=new --no-sandbox",
        ],
        env={**os.environ, "CHROME_PATH": str(PROGRAM)}, capture_output=True, check=True,
    )  # fmt: skip
    report = json.loads(done.stdout)
    found = {name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES}
    audits = [report["audits"][each["id"]] for each in _weighty(report)]
    return found, [each["title"] for each in audits if (each["score"] or 0) < 0.9]


def _weighty(report: dict[str, Any]) -> list[dict[str, Any]]:
    refs = [each for name in CATEGORIES for each in report["categories"][name]["auditRefs"]]
    return [
        each
        for each in refs
        if each["weight"] and report["audits"][each["id"]]["scoreDisplayMode"] != "notApplicable"
    ]


async def painted(urls: dict[str, str]) -> dict[str, int]:
    """Return the time, in ms, until each first board is painted by an empty browser."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        found = {
            name: [(await loaded(browser, url))[1] for _ in range(LOADS)]
            for name, url in urls.items()
        }
        await browser.close()
    return {name: round(median(times)) for name, times in found.items()}


def main() -> int:
    faults = 0
    with TemporaryDirectory(prefix="sixprime-") as folder, site(Path(folder)) as served:
        urls = {name: served.url + path for name, path in addresses(served).items()}
        for name, after_ms in asyncio.run(painted({each: urls[each] for each in BOARDS})).items():
            sys.stdout.write(f"{name}: first board after {after_ms} ms\n")
            faults += after_ms > MOST_MS
        for name in PAGES:
            found, lacks = scores(urls[name])
            sys.stdout.write(f"{name}: {found} {'; '.join(lacks)}\n")
            faults += min(found.values()) < LEAST
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
