"""Pages are light to load, and their words stand out in every look of the board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sixprime.bot.web.frame.choices import CHOICES
from tests.support.web.accessibility import axe, violations
from tests.support.web.allpages import addresses, site
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Served, browsing

pytestmark = [needs_chromium, pytest.mark.patient]

MOST_BYTES = 250_000
LEAST_CONTRAST = 4.5
LOADED = """
() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, each) => sum + each.decodedBodySize, 0)
"""
# Every text of a board with the colours of the shape under it, as a browser has computed them.
TEXTS = r"""
() => {
  const found = [];
  const clear = (colour) => colour === 'none' || /^rgba\(.*, 0\)$/.test(colour);
  const grounds = (svg, shape) => {
    const { fill } = getComputedStyle(shape);
    if (!fill.startsWith('url')) return [fill];
    const stops = svg.querySelectorAll(`${fill.match(/#[^"')]+/)[0]} stop`);
    return [...stops].map((stop) => getComputedStyle(stop).stopColor);
  };
  for (const svg of document.querySelectorAll('svg.board')) {
    for (const each of svg.querySelectorAll('*')) {
      each.style.setProperty('pointer-events', 'all', 'important');
    }
    svg.scrollIntoView();
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      if (!box.width) continue;
      const at = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      const shapes = at.filter((each) => svg.contains(each) && !each.matches("text, svg, g"));
      for (const shape of shapes) {
        const under = grounds(svg, shape), { opacity, fillOpacity } = getComputedStyle(shape);
        if (under.some(clear) || opacity * fillOpacity < 0.9) continue;
        found.push([text.textContent, getComputedStyle(text).fill, under]);
        break;
      }
    }
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with site(tmp_path_factory.mktemp("full")) as made:
        yield made


def test_a_page_with_all_that_it_loads_is_light(full: Served) -> None:
    sizes = {}
    for name, path in addresses(full).items():
        with browsing(full) as person:  # whose cache is empty
            person.page.goto(full.url + path, wait_until="networkidle")
            sizes[name] = person.page.evaluate(LOADED)
    assert min(sizes.values()) > 1_000
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_in_every_look(full: Served, scheme: str) -> None:
    pages = addresses(full)
    names = ("hint", "position", "replay", "statistics", "errors")
    faint: list[Any] = []
    with browsing(full, color_scheme=scheme) as person:
        for name in names:
            person.page.goto(full.url + pages[name])
            person.page.evaluate(f"() => {{ {axe()}; }}")
            for look in CHOICES["board"]:
                person.page.evaluate(
                    "look => { document.documentElement.dataset.board = look }", look
                )
                only = person.page.evaluate(
                    "() => axe.run(document, {runOnly: ['color-contrast']})"
                )
                faint += [(look, each) for each in violations(only)]
                texts = person.page.evaluate(TEXTS)
                assert len(texts) >= 24 or name in ("statistics", "errors")  # the points
                for text, ink, grounds in texts:
                    worst = min(contrast(ink, ground) for ground in grounds)
                    if worst < LEAST_CONTRAST:
                        faint.append((look, name, text, ink, grounds, round(worst, 2)))
    assert faint == []


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG defines it."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (float(each) / 255 for each in colour[colour.index("(") + 1 : -1].split(",")[:3])
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_measure_of_contrast_knows_its_ends() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21.0)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)
