"""Makes the moving picture of docs/playing.md: `python -m tests.support.web.moving [FILE]`.

A match against the engine in Debian's Chromium, played by mouse; each picture that Chromium paints
becomes a frame of an animated PNG, shown as long as it stood on the screen. Everything is filmed
slower than it is shown, so that a busy machine paints enough of them.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from tests.support.web.person import CHROMIUM, Person, Served, browsing

OUT = Path("docs/pictures/play.png")
SIZE = {"width": 1000, "height": 560}
SECONDS = 10.0
LAST_MS = 1_500
SHORTEST_MS = 30
SLOWER = 4
COLOURS = 160
THOUGHT_MS = 300
DRAGGED_MS = 400
STEPS = 16  # of a drag


def _waits(person: Person, ms: float) -> None:
    person.page.wait_for_timeout(ms * SLOWER)


def _middle(person: Person, selector: str, place: int) -> tuple[float, float]:
    """Where a checker of this point is taken, or laid down."""
    box = person.page.locator(selector).bounding_box()
    depth = 0.12 * box["height"]
    return box["x"] + box["width"] / 2, box["y"] + (depth if place > 12 else box["height"] - depth)


def _plays(person: Person) -> None:
    """One turn, by dragging each checker."""
    page = person.page
    while person.asks == "PLAY" and not page.query_selector(".deeds button.main"):
        source = page.locator(".source").first
        start = int(source.get_attribute("data-start"))
        end = int(str(source.get_attribute("data-ends")).split(",")[0])
        from_x, from_y = _middle(person, f".source[data-start='{start}']", start)
        to_x, to_y = _middle(person, f".target[data-end='{end}']", end)
        page.mouse.move(from_x, from_y)
        page.mouse.down()
        for step in range(1, STEPS + 1):
            part = step / STEPS
            page.mouse.move(from_x + part * (to_x - from_x), from_y + part * (to_y - from_y))
            _waits(person, DRAGGED_MS / STEPS)
        page.mouse.up()
        _waits(person, THOUGHT_MS)
    person.acts(lambda: page.click(".deeds button.main"))
    _waits(person, 3 * THOUGHT_MS)


def film(seconds: float) -> list[tuple[float, Image.Image]]:
    """The pictures that were painted, each with its second."""
    frames: list[tuple[float, Image.Image]] = []

    def keep(event: dict[str, Any]) -> None:
        if frames and frames[-1][0] - frames[0][0] > seconds * SLOWER:
            return
        picture = Image.open(io.BytesIO(base64.b64decode(event["data"]))).convert("RGB")
        frames.append((event["metadata"]["timestamp"], picture))
        line.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    with TemporaryDirectory(prefix="sixprime-") as place, Served(Path(place)) as served:
        options = {"viewport": SIZE, "reduced_motion": "no-preference", "color_scheme": "light"}
        with browsing(served, **options) as person:
            person.begin(level="pr 7", length="5")
            line = person.page.context.new_cdp_session(person.page)
            line.on("Page.screencastFrame", keep)
            line.send("Animation.enable")
            line.send("Animation.setPlaybackRate", {"playbackRate": 1 / SLOWER})
            _waits(person, THOUGHT_MS)
            line.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
            while not frames or frames[-1][0] - frames[0][0] < seconds * SLOWER:
                _plays(person)
        CHROMIUM.close()
    return [((at - frames[0][0]) / SLOWER, picture) for at, picture in frames]


def write(frames: list[tuple[float, Image.Image]], path: Path) -> None:
    """An animated PNG, with few colours, which is small."""
    kept = [frames[0]]
    for at, picture in frames[1:]:
        if at - kept[-1][0] >= SHORTEST_MS / 1_000:
            kept.append((at, picture))
        else:
            kept[-1] = (kept[-1][0], picture)
    colours = kept[len(kept) // 2][1].quantize(COLOURS, dither=Image.Dither.NONE)
    pictures = [each.quantize(palette=colours, dither=Image.Dither.NONE) for _, each in kept]
    ends = [at for at, _ in kept[1:]]
    lasting = [round(1_000 * (end - at)) for (at, _), end in zip(kept, ends, strict=False)]
    pictures[0].save(
        path,
        save_all=True,
        append_images=pictures[1:],
        duration=[*lasting, LAST_MS],
        loop=0,
        optimize=True,
    )
    sys.stdout.write(f"{path}: {path.stat().st_size // 1024} kB, {len(pictures)} frames\n")


if __name__ == "__main__":
    write(film(SECONDS), Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
