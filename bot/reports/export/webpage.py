"""A match, a game or a position as one HTML file with boards: no script, no server, no network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from sixprime.bot.reports.export import picture
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses
from sixprime.bot.reports.export.scenes import (
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


def document(match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES) -> str:
    alone = is_position(acts)
    names, statistics = analyses.statistics(match, acts)

    def board(scene: Scene) -> Markup:
        label = {"role": "img", "aria_label": header(match, scene)}
        return picture.board(match, scene, None if alone else 0, class_="board", **label)

    return rendered(
        "document.html",
        title=" – ".join(names_of(match)),
        facts=facts(match),
        acts=acts,
        alone=alone,
        board=board,
        **{each.__name__: partial(each, match) for each in (standing, header, ending)},
        words=partial(picture.words, match),
        judged=analyses.of,
        names=names,
        statistics=statistics,
    )
