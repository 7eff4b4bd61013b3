"""The kinds of documents, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sixprime.bot.reports.export import paper, text, webpage
from sixprime.bot.reports.export.sceneanalysis import SceneAnalyses
from sixprime.bot.reports.export.scenes import Act
from sixprime.protocols.formats.record import Match


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of document: its suffix, and the contents of its files."""

    suffix: str
    parts: Parts


Parts = Callable[[Match, list[Act], SceneAnalyses], Iterable[bytes]]


def _encoded(text_of: Callable[[Match, list[Act], SceneAnalyses], str]) -> Parts:
    return lambda match, acts, analyses: [text_of(match, acts, analyses).encode("utf-8", "replace")]


DOCUMENTS: Mapping[str, Document] = {
    "text": Document(".txt", _encoded(text.document)),
    "html": Document(".html", _encoded(webpage.document)),
    "pdf": Document(".pdf", lambda *given: [paper.pdf(*given)]),
    "png": Document(".png", paper.png),
}


def document_of_suffix(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return next((name for name, each in DOCUMENTS.items() if suffix == each.suffix), None)
