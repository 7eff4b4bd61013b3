"""A match, a game or a position as PDF, PNG or SVG, set by Typst (the extra `print`).

Text from files reaches Typst as data, never as source. The fonts are in the library, so it needs no
display, no system library and no installed font.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Literal, NamedTuple

from sixprime.bot.process.printable import printable
from sixprime.bot.reports.export import picture
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses
from sixprime.bot.reports.export.scenes import (
    BELOW,
    Act,
    ending,
    facts,
    header,
    is_position,
    names_of,
    standing,
)
from sixprime.bot.reports.turns import Line, Told
from sixprime.protocols.formats.record import Match

Form = Literal["pdf", "png", "svg"]
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
  for each in scene.told {
    if "line" in each {
      if each.bold { text(weight: "bold", each.line) } else { each.line }
      linebreak()
    } else {
      v(-1mm)
      table(columns: each.heads.len(), stroke: none, inset: (x: 1.5pt, y: 1.5pt),
        ..each.heads.map(head => text(size: 0.85em, head)),
        ..each.rows.enumerate().map(((at, row)) => row.map(cell =>
          text(size: 0.85em, weight: if at == each.played { "bold" } else { "regular" }, cell)
        )).flatten())
      v(-1mm)
      each.note
    }
  }
  if scene.marks != "" [ #text(weight: "bold", "Marked: " + scene.marks) \\ ]
  text(style: "italic", scene.comment)
}
"""
_PAGES = (
    _TOLD
    + """
#let data = json(bytes(sys.inputs.data))
#let statistics(title, rows) = if rows.len() > 0 {
  block(above: 6mm, text(size: 11pt, weight: "bold", title))
  table(columns: 3, stroke: none, inset: (x: 3pt, y: 1.5pt), ..rows.flatten())
}
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
  #statistics("Statistics of the game", game.statistics)
]
#statistics("Statistics of the match", data.statistics)
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


def can_draw() -> bool:
    """Return whether the extra `print` is there."""
    return find_spec("typst") is not None


def chart_png(svg: str) -> bytes:
    """Return a chart as a picture; ImportError without the extra `print`."""
    import typst

    inputs = {"chart": svg.replace("system-ui,sans-serif", "DejaVu Sans")}
    return typst.compile(_CHART.encode(), format="png", ppi=DPI, sys_inputs=inputs)


def pdf(match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES) -> bytes:
    """Return the document; ImportError without the extra `print`."""
    source = _POSITION if is_position(acts) else _PAPER
    return _set(source, match, acts, _Summed(analyses, acts, acts), "pdf")


def png(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES
) -> Iterator[bytes]:
    """Yield pictures of a few boards each; ImportError without the extra `print`."""
    return _sheets(match, acts, analyses, "png")


def svg(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES
) -> Iterator[bytes]:
    """Yield pictures of a few boards each; ImportError without the extra `print`."""
    return _sheets(match, acts, analyses, "svg")


class _Summed(NamedTuple):
    """The games whose statistics pages show, one by one and in sum."""

    analyses: SceneAnalyses
    games: Sequence[Act] = ()
    sum: Sequence[Act] = ()

    def rows(self, match: Match, acts: Sequence[Act]) -> list[list[str]]:
        names, rows = self.analyses.statistics(match, acts)
        shown = [["", *names]] if rows else []
        shown += [[label, *(values or ("", ""))] for label, values in rows]
        return [[printable(cell) for cell in row] for row in shown]


def _sheets(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses, form: Form
) -> Iterator[bytes]:
    """Yield sheets; each is set by itself, since a match in one go would take gigabytes."""
    if is_position(acts):
        yield _set(_POSITION, match, acts, _Summed(analyses), form)
        return
    for act in acts:
        for first in range(0, len(act.scenes), ON_A_SHEET):
            after = first + ON_A_SHEET
            sheet, summed = replace(act, scenes=act.scenes[first:after]), _Summed(analyses)
            if after < len(act.scenes):  # the result is shown on the last alone
                sheet = replace(sheet, game=replace(act.game, result=None))
            else:
                summed = _Summed(analyses, [act], acts if act is acts[-1] else ())
            yield _set(_SHEET, match, [sheet], summed, form)


def _set(source: str, match: Match, acts: Sequence[Act], summed: _Summed, form: Form) -> bytes:
    """Set the pages."""
    import typst

    whole = {act.number: act for act in summed.games}
    games = [
        {
            **_game(match, act, summed.analyses, None if source == _POSITION else BELOW),
            "statistics": summed.rows(match, [whole[act.number]]) if act.number in whole else [],
        }
        for act in acts
    ]
    data = {
        "title": printable(" – ".join(names_of(match))),
        "facts": [printable(f"{name}: {text}") for name, text in facts(match)],
        "games": games,
        "statistics": summed.rows(match, summed.sum) if len(summed.sum) > 1 else [],
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
                "words": [
                    printable(line) for line in (scene.did, *picture.words(match, scene)) if line
                ],
                "told": [_told(each) for each in analyses.of(scene)],
                "marks": scene.marks,
                "comment": printable(scene.comment),
                "long": len(scene.comment) > _LONG,
            }
            for scene in act.scenes
        ],
    }


def _told(told: Told) -> dict[str, object]:
    if isinstance(told, Line):
        return {"line": printable(told.text), "bold": told.style in ("blunder", "joker")}
    return {
        "heads": told.heads,
        "rows": told.rows,
        "note": printable(told.note),
        "played": told.played,
    }
