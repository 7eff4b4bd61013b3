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
from sixprime.bot.reports.export.scenes import (
    Act,
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
_FONTS = '("Liberation Sans", "DejaVu Sans", "DejaVu Sans Mono")'  # the library brings the last one
_SVG_FONT = (
    'font-family="sans-serif"',
    'font-family="Liberation Sans, DejaVu Sans, DejaVu Sans Mono"',
)
_PAGES = """
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
  #grid(
    columns: (1fr, 1fr), column-gutter: 8mm, row-gutter: 4mm,
    ..game.scenes.map(scene => block(breakable: false)[
      #text(weight: "bold", scene.head)
      #v(-1.5mm)
      #image(bytes(scene.board), format: "svg", width: 92%)
      #v(-1.5mm)
      #for line in scene.words [ #text(size: 6.5pt, line) \\ ]
    ])
  )
  #text(weight: "bold", game.ending)
]
""".replace("FONTS", _FONTS)
_PAPER = _PAGES.replace("HEIGHT", "297mm").replace("NUMBERS", '"1 / 1"')
_SHEET = _PAGES.replace("HEIGHT", "auto").replace("NUMBERS", "none")
_POSITION = f"""
#let data = json(bytes(sys.inputs.data))
#let scene = data.games.at(0).scenes.at(0)
#set document(title: data.title, date: none)
#set page(width: 150mm, height: auto, margin: 6mm)
#set text(font: {_FONTS}, size: 8.5pt)
#text(size: 11pt, weight: "bold", data.title) \\ #text(weight: "bold", scene.head)
#image(bytes(scene.board), format: "svg", width: 100%)
#for line in scene.words [ #text(line) \\ ]
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


def pdf(match: Match, acts: Sequence[Act]) -> bytes:
    """Return the document; ImportError without the extra `print`."""
    return _set(_POSITION if is_position(acts) else _PAPER, match, acts, "pdf")


def png(match: Match, acts: Sequence[Act]) -> Iterator[bytes]:
    """Yield pictures of a few boards each; ImportError without the extra `print`.

    Each is set by itself, since a long match in one go would take gigabytes.
    """
    if is_position(acts):
        yield _set(_POSITION, match, acts, "png")
        return
    for act in acts:
        for first in range(0, len(act.scenes), ON_A_SHEET):
            after = first + ON_A_SHEET
            last = after >= len(act.scenes)
            game = act.game if last else replace(act.game, result=None)  # shown on the last alone
            sheet = replace(act, game=game, scenes=act.scenes[first:after])
            yield _set(_SHEET, match, [sheet], "png")


def _set(source: str, match: Match, acts: Sequence[Act], form: Literal["pdf", "png"]) -> bytes:
    import typst

    data = {
        "title": printable(" – ".join(names_of(match))),
        "facts": [printable(f"{name}: {text}") for name, text in facts(match)],
        "games": [_game(match, act, None if source == _POSITION else 0) for act in acts],
    }
    inputs = {"data": json.dumps(data)}
    return typst.compile(source.encode(), format=form, ppi=DPI, sys_inputs=inputs)


def _game(match: Match, act: Act, below: int | None) -> dict[str, object]:
    result = act.game.result
    return {
        "title": f"Game {act.number + 1}",
        "standing": printable(standing(match, act)),
        "ending": printable(ending(match, result)) if result is not None else "",
        "scenes": [
            {
                "head": printable(f"{scene.number}. {header(match, scene)}"),
                "board": printable(picture.board(match, scene, below)).replace(*_SVG_FONT),
                "words": [printable(line) for line in picture.words(match, scene)],
            }
            for scene in act.scenes
        ],
    }
