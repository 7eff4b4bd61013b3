"""Small charts as SVG, for a page or a file of their own; colours come from STYLE."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from sixprime.bot.process.printable import printable
from sixprime.bot.reports.svg import element, picture

WIDTH, HEIGHT = 900, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 40  # margins
BAR_ROW = 26
MOST_BARS = 40
LONGEST = 24  # shown characters of a name
COLOURS = ("#3b7dd8", "#d9822b", "#4a9c5d", "#a05195")
STYLE = (
    ".chart text{fill:currentColor;font:13px system-ui,sans-serif}"
    ".chart .title{font-size:15px;font-weight:600}"
    ".chart .grid{stroke:currentColor;stroke-opacity:.15}"
    ".chart .zero{stroke:currentColor;stroke-opacity:.6}"
    ".chart .mark{stroke:currentColor;stroke-opacity:.35;stroke-dasharray:3 3}"
    ".chart polyline{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".chart .span{stroke-width:9;stroke-opacity:.25}"
    + "".join(
        f".chart .s{i}{{stroke:{colour}}}.chart .f{i}{{fill:{colour}}}"
        for i, colour in enumerate(COLOURS)
    )
)
_ALONE = (
    "svg{color:#222;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{color:#ddd;background:#1b1d21}}"
)


@dataclass(frozen=True, slots=True)
class Steps:
    """The links of a chart as (x, address, words) in the order of x, and the reader's x."""

    links: Sequence[tuple[float, str, str]] = ()
    here: float | None = None
    width: float = WIDTH  # of the picture; a narrow one stays legible on a phone


@dataclass(frozen=True, slots=True)
class ChartLine:
    name: str
    points: Sequence[tuple[float, float]]
    weights: Sequence[int] = ()  # matches behind each point; they make its size
    spans: Sequence[tuple[float, float]] = ()  # interval of each point
    gap: float = math.inf  # wider ones interrupt the line

    def parts(self) -> Iterator[Sequence[tuple[float, float]]]:
        """Yield the points between gaps."""
        start = 0
        for i, ((before, _), (after, _)) in enumerate(pairwise(self.points), start=1):
            if after - before > self.gap:
                yield self.points[start:i]
                start = i
        yield self.points[start:]


def lines(
    title: str,
    drawn: Sequence[ChartLine],
    *,
    unit: str = "",
    marks: Sequence[tuple[float, str]] = (),
    zero: float | None = 0.0,
    ends: tuple[str, str] = ("", ""),
    steps: Steps | None = None,
) -> Markup:
    """Return a line chart; `marks` are vertical lines with labels, `zero` is always in view.

    With `steps` it has links and marks the reader's place.
    """
    width = WIDTH if steps is None else steps.width
    points = [point for line in drawn for point in line.points]
    xs = [x for x, _ in points] + [x for x, _ in marks] or [0.0]
    ys = [y for _, y in points] + [y for line in drawn for span in line.spans for y in span]
    ys += [] if zero is None else [zero]
    ys = ys or [0.0]
    ticks = nice_ticks(min(ys), max(ys))
    low, high = ticks[0], ticks[-1]
    first, wide = min(xs), (max(xs) - min(xs)) or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        right = LEFT + (x - first) / wide * (width - LEFT - RIGHT)
        down = TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(right, 1), round(down, 1)

    shapes = []
    for tick in ticks:
        _, y = at(first, tick)
        shapes.append(_level("grid", y, width))
        shapes.append(_words(LEFT - 8, y + 4, f"{tick:g}{unit}", "end"))
    if zero is not None:
        shapes.append(_level("zero", at(first, zero)[1], width))
    free = 0.0  # left end of the free space for labels
    for place, word in marks:
        x, _ = at(place, low)
        shapes.append(_upright("mark", x, TOP, HEIGHT - BOTTOM))
        long = 8.0 * len(word)
        if x >= free and x + 4 + long <= width:
            shapes.append(_words(x + 4, HEIGHT - BOTTOM + 16, word, "start"))
            free = x + 12 + long
    for i, line in enumerate(drawn):
        shapes += _drawn(line, i % len(COLOURS), at)
    shapes += [
        _words(LEFT, HEIGHT - 8, ends[0], "start"),
        _words(width - RIGHT, HEIGHT - 8, ends[1], "end"),
    ]
    shapes += _legend([line.name for line in drawn], width - RIGHT, LEFT + 10.0 * len(title))
    if steps is None:
        return _chart(title, HEIGHT, shapes)
    shapes += _links(steps, lambda x: at(x, low)[0])
    return _chart(title, HEIGHT, shapes, width, role="group", aria_label=title)


def _drawn(
    line: ChartLine, colour: int, at: Callable[[float, float], tuple[float, float]]
) -> Iterator[Markup]:
    """Yield the polylines, intervals and dots of a line, and how many matches are behind a dot."""
    for part in line.parts():
        path = " ".join(f"{x},{y}" for x, y in (at(*point) for point in part))
        yield element("polyline", class_=f"s{colour}", points=path)
    for (x, _), (low, high) in zip(line.points, line.spans, strict=False):
        (across, bottom), (_, top) = at(x, low), at(x, high)
        ends = {"x1": across, "x2": across, "y1": top, "y2": bottom}
        yield element("line", class_=f"s{colour} span", **ends)
    weights = line.weights or [0] * (len(line.points) == 1)
    most = max(weights, default=0) or 1
    for point, weight in zip(line.points, weights, strict=False):
        x, y = at(*point)
        size = round(3 + 4 * math.sqrt(weight / most), 1)
        yield element("circle", class_=f"f{colour}", cx=x, cy=y, r=size)


def _links(steps: Steps, across: Callable[[float], float]) -> Iterator[Markup]:
    """Yield a mark at the reader's place, and a strip around each step that links to it."""
    places = [across(x) for x, _, _ in steps.links]
    if steps.here is not None:
        yield _upright("here", across(steps.here), TOP, HEIGHT - BOTTOM)
    for i, (_, href, words) in enumerate(steps.links):
        left = (places[i - 1] + places[i]) / 2 if i else places[i] - 4
        right = (places[i] + places[i + 1]) / 2 if i + 1 < len(places) else places[i] + 4
        size = {"x": left, "y": TOP, "width": right - left, "height": HEIGHT - TOP - BOTTOM}
        strip = element("rect", class_="way", **size)
        yield element(
            "a", element("title", words), strip, href=href, tabindex=-1, aria_hidden="true"
        )


def _level(kind: str, y: float, width: float) -> Markup:
    return element("line", class_=kind, x1=LEFT, x2=width - RIGHT, y1=y, y2=y)


def _upright(kind: str, x: float, top: float, bottom: float) -> Markup:
    return element("line", class_=kind, x1=x, x2=x, y1=top, y2=bottom)


def bars(
    title: str,
    shown: Sequence[tuple[str, float]],
    *,
    form: str = "{:g}",
    spans: Sequence[tuple[float, float]] = (),
) -> Markup:
    """Return horizontal bars, the first on top; the title counts the bars that did not fit.

    With `spans` each has an interval, which is written instead of the value.
    """
    more = len(shown) - MOST_BARS
    shown = shown[:MOST_BARS]
    spans = spans[:MOST_BARS]
    values = [0.0, *(value for _, value in shown), *(value for span in spans for value in span)]
    ticks = nice_ticks(min(values), max(values))
    low, high = ticks[0], ticks[-1]
    labels = 190

    def at(value: float) -> float:
        return round(labels + (value - low) / (high - low) * (WIDTH - labels - 90), 1)

    shapes = []
    for i, (label, value) in enumerate(shown):
        y = TOP + i * BAR_ROW
        left, right = sorted((at(0.0), at(value)))
        shapes += [
            _words(labels - 8, y + 15, _shortened(label), "end"),
            element(
                "rect", element("title", label), class_="f0", x=left, y=y,
                width=round(right - left, 1), height=BAR_ROW - 8,
            ),
        ]  # fmt: skip
        words = form.format(value)
        if spans:
            left, right = (at(end) for end in spans[i])
            words = f"{form.format(spans[i][0])} to {form.format(spans[i][1])}"
            middle = y + (BAR_ROW - 8) / 2
            shapes.append(element("line", class_="zero", x1=left, x2=right, y1=middle, y2=middle))
        shapes.append(_words(right + 6, y + 15, words, "start"))
    tall = TOP + max(len(shown), 1) * BAR_ROW
    shapes.append(_upright("zero", at(0.0), TOP - 4, tall - 4))
    return _chart(f"{title} ({more} more)" if more > 0 else title, tall + 8, shapes)


def alone(chart: Markup) -> str:
    """Return the content of a file with this chart and its colours."""
    head, bracket, rest = chart.partition(">")
    return printable(f"{head}{bracket}<style>{STYLE}{_ALONE}</style>{rest}\n")


def nice_ticks(low: float, high: float) -> list[float]:
    """Return at least two round numbers that enclose `low` and `high`."""
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * each for each in (1, 2, 2.5, 5, 10) if size * each >= rough - 1e-12)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def _shortened(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _words(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> Markup:
    if not text:
        return Markup()
    return element("text", text, class_=kind, x=x, y=y, text_anchor=anchor)


def _legend(names: Sequence[str], x: float, left: float) -> list[Markup]:
    """Return names with coloured squares above the chart, between `left` and `x`."""
    shapes: list[Markup] = []
    most = LONGEST
    while most > 6 and sum(8.0 * min(len(each), most) + 30 for each in names if each) > x - left:
        most -= 1
    for i, name in reversed([each for each in enumerate(names) if each[1]]):
        shown = _shortened(name, most)
        x -= 8.0 * len(shown)
        shapes.append(_words(x, 18, shown, "start"))
        x -= 16
        square = element("rect", class_=f"f{i % len(COLOURS)}", x=x, y=8, width=11, height=11)
        shapes.append(square)
        x -= 14
    return shapes


def _chart(
    title: str, height: float, shapes: Sequence[Markup], width: float = WIDTH, role: str = "img",
    **attributes: object,
) -> Markup:  # fmt: skip
    words = _words(LEFT, 18, title, "start", "title")
    named = {"class_": "chart", "role": role, **attributes}
    return picture(width, height, title, words, *shapes, **named)
