"""A match, a game or a position as one HTML file with boards: no script, no server, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from sixprime.bot.process.printable import printable
from sixprime.bot.reports.export import picture
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

_STYLE = Path(__file__).parents[1] / "data" / "report.css"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(match: Match, acts: Sequence[Act]) -> str:
    title = " – ".join(names_of(match))
    return printable(
        "\n".join(
            [
                "<!DOCTYPE html>",
                '<html lang="en"><head><meta charset="utf-8">',
                f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f"<title>{escape(title)}</title>",
                f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>",
                f"<h1>{escape(title)}</h1>",
                *(
                    f'<p class="about">{escape(f"{name}: {text}")}</p>'
                    for name, text in facts(match)
                ),
                *_acts(match, acts),
                "</body></html>\n",
            ]
        )
    )


def _acts(match: Match, acts: Sequence[Act]) -> Iterator[str]:
    alone = is_position(acts)
    for act in acts:
        yield f"<h2>Game {act.number + 1}</h2><p>{escape(standing(match, act))}</p>"
        for scene in act.scenes:
            yield _scene(match, scene, None if alone else 0)
        if act.game.result is not None and not alone:
            yield f"<p><strong>{escape(ending(match, act.game.result))}</strong></p>"


def _scene(match: Match, scene: Scene, below: int | None) -> str:
    svg = picture.board(match, scene, below).replace(
        "<svg ", f'<svg class="board" role="img" aria-label="{escape(header(match, scene))}" ', 1
    )
    lines = "".join(f'<p class="soft">{escape(line)}</p>' for line in picture.words(match, scene))
    if scene.comment:
        lines += f"<p>{escape(scene.comment)}</p>"
    head = f"<h3>{scene.number}. {escape(header(match, scene))}</h3>"
    return f'<article class="decision"><div>{svg}</div><div>{head}{lines}</div></article>'
