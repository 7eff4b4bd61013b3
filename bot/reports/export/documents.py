"""The kinds of documents, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sixprime.bot.reports.export import latex, paper, text, webpage
from sixprime.bot.reports.export.sceneanalysis import SceneAnalyses
from sixprime.bot.reports.export.scenes import Act, is_position
from sixprime.engine.position import MatchState, Position
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.foreign.jellyfish import write_jellyfish
from sixprime.protocols.formats.mat import write_gam
from sixprime.protocols.formats.pasted import snowie_line
from sixprime.protocols.formats.record import Match, plain_names

_NAME_BYTES = 30
Naming = Callable[[int], str]  # of the files of a document, counted from 1


@dataclass(frozen=True, slots=True)
class Wish:
    """The files and the style of a document; without `names` it is one file."""

    names: Naming | None = None
    style: str = ""  # CSS of a person's own


Parts = Callable[[Match, list[Act], SceneAnalyses, Wish], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of document: its suffix, and the contents of its files."""

    suffix: str
    parts: Parts


def _encoded(text_of: Callable[[Match, list[Act], SceneAnalyses], str]) -> Parts:
    return lambda match, acts, analyses, _: [
        text_of(match, acts, analyses).encode("utf-8", "replace")
    ]


def _pages(match: Match, acts: list[Act], analyses: SceneAnalyses, wish: Wish) -> Iterable[bytes]:
    if wish.names is None:
        pages: Iterable[str] = [webpage.document(match, acts, analyses, style=wish.style)]
    else:
        names = [wish.names(number) for number in range(1, len(acts) + 1)]
        pages = webpage.pages(match, acts, analyses, names, wish.style)
    return (page.encode("utf-8", "replace") for page in pages)


def _position(written: Callable[[Position, MatchState, tuple[str, str]], bytes]) -> Parts:
    def parts(match: Match, acts: list[Act], _: SceneAnalyses, __: Wish) -> Iterable[bytes]:
        if not is_position(acts):
            raise InputError("it holds one position: choose it with --game and --move")
        (scene,) = acts[0].scenes
        return [written(scene.position, scene.state, plain_names(match, _NAME_BYTES, ";<"))]

    return parts


DOCUMENTS: Mapping[str, Document] = {
    "text": Document(".txt", _encoded(text.document)),
    "html": Document(".html", _pages),
    "pdf": Document(".pdf", lambda *given: [paper.pdf(*given[:3])]),
    "png": Document(".png", lambda *given: paper.png(*given[:3])),
    "svg": Document(".svg", lambda *given: paper.svg(*given[:3])),
    "latex": Document(".tex", _encoded(latex.document)),
    "gam": Document(
        ".gam", lambda match, acts, *_: (write_gam(match, act.number).encode() for act in acts)
    ),
    "pos": Document(".pos", _position(write_jellyfish)),
    "snowie": Document(".txt", _position(lambda *given: snowie_line(*given).encode())),
}


def document_of_suffix(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return next((name for name, each in DOCUMENTS.items() if suffix == each.suffix), None)
