"""A match, a game or a position as PDF or as PNG pictures, set by Typst (the extra `print`).

Text from files reaches Typst as data, never as source. The fonts are in the library, so it needs no
display, no system library and no installed font.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sixprime.bot.process.printable import printable
from sixprime.bot.reports.export import picture
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses, SceneAnalysis
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
from sixprime.protocols.formats.record import Match

DPI = 200
ON_A_SHEET = 6  # boards
_LONG = 2_000  # characters of a comment that may need more than a page
_FONTS = '("Liberation Sans", "DejaVu Sans", "DejaVu Sans Mono")'  # the library brings the last one
_SVG_FONT = (
    'font-family="sans-serif"',
    'font-family="Liberation Sans, DejaVu Sans, DejaVu Sans Mono"',
)
_TOLD = """
#let told(scene, size) = {
  set text(size: size)
  for line in scene.words [ #line \\ ]
  for table_ in scene.tables [
    #if table_.title != "" [ #table_.title \\ ]
    #v(-1mm)
    #table(columns: table_.heads.len(), stroke: none, inset: (x: 1.5pt, y: 1.5pt),
      ..table_.heads.map(head => text(size: 0.85em, head)),
      ..table_.rows.enumerate().map(((at, row)) => row.map(cell =>
        text(size: 0.85em, weight: if at == table_.played { "bold" } else { "regular" }, cell)
      )).flatten())
    #v(-1mm)
    #table_.note
  ]
  if scene.marks != "" [ #text(weight: "bold", "Marked: " + scene.marks) \\ ]
  text(style: "italic", scene.comment)
}
"""
_PAGES = (
    _TOLD
    + """
#let data = json(bytes(sys.inputs.data))
#set document(title: data.title, date: none)
#set page(width: 210mm, height: HEIGHT, margin: (x: 16mm, y: 13mm), numbering: NUMBERS)
#set text(font: FONTS, size: 8.5pt)
#set par(leading: 0.5em)
#text(size: 14pt, weight: "bold", data.title)

#for fact in data.facts [ #text(fact) \\ ]
#for game in data.games [
  #block(above: 5mm, below: 3mm, sticky: true)[
    #text(size: 11pt, weight: "bold", game.title) \\ #text(game.standing)
  ]
  #text(style: "italic", game.comment)
  #grid(
    columns: (1fr, 1fr), column-gutter: 8mm, row-gutter: 4mm,
    ..game.scenes.map(scene => block(breakable: scene.long)[
      #text(weight: "bold", scene.head)
      #v(-1.5mm)
      #image(bytes(scene.board), format: "svg", width: 92%)
      #v(-1.5mm)
      #told(scene, 6.5pt)
    ])
  )
  #text(weight: "bold", game.ending)
]
#if data.statistics.len() > 0 [
  #block(above: 6mm, text(size: 11pt, weight: "bold", "Statistics"))
  #table(columns: 3, stroke: none, inset: (x: 3pt, y: 1.5pt), ..data.statistics.flatten())
]
""".replace("FONTS", _FONTS)
)
_PAPER = _PAGES.replace("HEIGHT", "297mm").replace("NUMBERS", '"1 / 1"')
_SHEET = _PAGES.replace("HEIGHT", "auto").replace("NUMBERS", "none")
_POSITION = f"""
{_TOLD}
#let data = json(bytes(sys.inputs.data))
#let scene = data.games.at(0).scenes.at(0)
#set document(title: data.title, date: none)
#set page(width: 150mm, height: auto, margin: 6mm)
#set text(font: {_FONTS}, size: 8.5pt)
#text(size: 11pt, weight: "bold", data.title) \\ #text(weight: "bold", scene.head)
#image(bytes(scene.board), format: "svg", width: 100%)
#told(scene, 8.5pt)
"""


_CHART = """
#set page(width: auto, height: auto, margin: 4mm)
#image(bytes(sys.inputs.chart), format: "svg")
"""


def chart_png(svg: str) -> bytes:
    """Return a chart as a picture; ImportError without the extra `print`."""
    import typst

    inputs = {"chart": svg.replace("system-ui,sans-serif", "DejaVu Sans")}
    return typst.compile(_CHART.encode(), format="png", ppi=DPI, sys_inputs=inputs)


def pdf(match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES) -> bytes:
    """Return the document; ImportError without the extra `print`."""
    source = _POSITION if is_position(acts) else _PAPER
    return _set(source, match, acts, analyses, "pdf")


def png(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES
) -> Iterator[bytes]:
    """Yield pictures of a few boards each; ImportError without the extra `print`.

    Each is set by itself, since a long match in one go would take gigabytes.
    """
    if is_position(acts):
        yield _set(_POSITION, match, acts, analyses, "png")
        return
    for act in acts:
        for first in range(0, len(act.scenes), ON_A_SHEET):
            after = first + ON_A_SHEET
            last = after >= len(act.scenes)
            game = act.game if last else replace(act.game, result=None)  # shown on the last alone
            sheet = replace(act, game=game, scenes=act.scenes[first:after])
            yield _set(_SHEET, match, [sheet], analyses, "png", summed=[act] if last else [])


def _set(
    source: str,
    match: Match,
    acts: Sequence[Act],
    analyses: SceneAnalyses,
    form: Literal["pdf", "png"],
    summed: Sequence[Act] | None = None,
) -> bytes:
    """Set the pages; the statistics are of the games in `summed`, or of all."""
    import typst

    names, rows = analyses.statistics(match, acts if summed is None else summed)
    statistics = [["", *names]] if rows else []
    statistics += [[label, *(values or ("", ""))] for label, values in rows]
    data = {
        "title": printable(" – ".join(names_of(match))),
        "facts": [printable(f"{name}: {text}") for name, text in facts(match)],
        "games": [_game(match, act, analyses, None if source == _POSITION else 0) for act in acts],
        "statistics": [[printable(cell) for cell in row] for row in statistics],
    }
    inputs = {"data": json.dumps(data)}
    return typst.compile(source.encode(), format=form, ppi=DPI, sys_inputs=inputs)


def _game(match: Match, act: Act, analyses: SceneAnalyses, below: int | None) -> dict[str, object]:
    result = act.game.result
    return {
        "title": f"Game {act.number + 1}",
        "comment": printable(act.game.comment.strip()),
        "standing": printable(standing(match, act)),
        "ending": printable(ending(match, result)) if result is not None else "",
        "scenes": [
            {
                "head": printable(f"{scene.number}. {header(match, scene)}"),
                "board": printable(picture.board(match, scene, below)).replace(*_SVG_FONT),
                **_told(match, scene, analyses.of(scene)),
            }
            for scene in act.scenes
        ],
    }


def _told(match: Match, scene: Scene, judged: SceneAnalysis) -> dict[str, object]:
    return {
        "words": [printable(line) for line in (*picture.words(match, scene), *judged.lines)],
        "tables": [
            {
                "title": printable(table.title),
                "heads": table.heads,
                "rows": table.rows,
                "note": printable(table.note),
                "played": table.played,
            }
            for table in judged.tables
        ],
        "marks": scene.marks,
        "comment": printable(scene.comment),
        "long": len(scene.comment) > _LONG,
    }
