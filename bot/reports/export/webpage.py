"""A match, a game or a position as HTML files with boards: no script, no server, no network.

The parts have the CSS classes of gnubg's HTML, which its manual describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from markupsafe import Markup

from sixprime.bot.reports.export import picture
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses
from sixprime.bot.reports.export.scenes import (
    BELOW,
    Act,
    Scene,
    ending,
    facts,
    header,
    is_position,
    names_of,
    standing,
)
from sixprime.bot.reports.templating import rendered
from sixprime.protocols.formats.record import Match

Links = Sequence[tuple[str, str]]  # words and addresses


def document(
    match: Match,
    acts: Sequence[Act],
    analyses: SceneAnalyses = NO_ANALYSES,
    *,
    summed: Sequence[Act] | None = None,
    links: Links = (),
    style: str = "",
) -> str:
    """Return a page of these games, with the statistics of all in `summed`."""
    alone = is_position(acts)

    def board(scene: Scene) -> Markup:
        label = {"role": "img", "aria_label": header(match, scene)}
        return picture.board(match, scene, None if alone else BELOW, class_="board block", **label)

    return rendered(
        "document.html",
        title=" – ".join(names_of(match)),
        facts=facts(match),
        acts=acts,
        summed=acts if summed is None else summed,
        alone=alone,
        links=links,
        own_style=style,
        board=board,
        **{each.__name__: partial(each, match) for each in (standing, header, ending)},
        words=partial(picture.words, match),
        judged=analyses.of,
        statistics=partial(analyses.statistics, match),
    )


def pages(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses, names: Sequence[str], style: str
) -> Iterator[str]:
    """Yield a page a game; `names` are their files, by which they link to each other."""
    last = len(acts) - 1
    for place, act in enumerate(acts):
        to = {
            "First game": 0,
            "Previous game": place - 1,
            "Next game": place + 1,
            "Last game": last,
        }
        links = [(words, names[at]) for words, at in to.items() if 0 <= at <= last and at != place]
        summed = acts if place == last else [act]
        yield document(match, [act], analyses, summed=summed, links=links, style=style)
