"""Makes the icons of the app from its picture: `python -m tests.support.web.icons`.

A launcher cuts a maskable icon to its own shape, so that one fills its square and its picture
keeps to the middle.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from tests.support.web.chromium import PROGRAM

STATIC = Path("bot/web/static")
ICONS = {
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "icon-maskable.png": (512, True),
}
SAFE = 0.8  # of a maskable icon's width that no launcher cuts off
COLOURS = 32


def drawn(picture: str, *, maskable: bool) -> str:
    """Return the SVG of an icon."""
    if not maskable:
        return picture
    shapes = picture.partition(">")[2].rpartition("</svg>")[0].replace('rx="7" ', "")
    edge = 32 * (1 / SAFE - 1) / 2
    box = f"{-edge} {-edge} {32 + 2 * edge} {32 + 2 * edge}"
    ground = f'<rect x="{-edge}" y="{-edge}" width="64" height="64" fill="#6b4a2f"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{ground}{shapes}</svg>'


def make() -> None:
    from playwright.sync_api import sync_playwright

    picture = (STATIC / "icon.svg").read_text()
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"]).new_page()
        for name, (size, maskable) in ICONS.items():
            page.set_viewport_size({"width": size, "height": size})
            page.set_content(f"<style>*{{margin:0}}</style>{drawn(picture, maskable=maskable)}")
            data = page.screenshot(omit_background=True)
            image = Image.open(io.BytesIO(data)).quantize(COLOURS)
            image.save(STATIC / name, optimize=True)


if __name__ == "__main__":
    make()
