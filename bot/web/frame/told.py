"""Values of pages that are made in the language of whoever reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from markupsafe import Markup, escape

from sixprime.bot.process.printable import Sentence, printable
from sixprime.bot.web.frame.texts import shown


@dataclass(frozen=True, slots=True)
class ReaderText:
    """A text or picture that is made when it is read; equal ones have equal parts."""

    make: Callable[..., str]
    parts: tuple[Any, ...]

    @classmethod
    def text(cls, text: str, /, **fields: object) -> Self:
        """Return a text of the pages with its fields."""
        return cls(_filled, (text, tuple(fields.items())))

    def __str__(self) -> str:
        return str(self.make(*self.parts))

    def __html__(self) -> Markup:
        return escape(self.make(*self.parts))


def told(text: str) -> ReaderText:
    """Return a sentence of another room for readers of any language; other texts stay."""
    if not isinstance(text, Sentence):
        return ReaderText(printable, (text,))
    fields = {
        name: told(field) if isinstance(field, str) else field
        for name, field in text.fields.items()
    }
    return ReaderText.text(text.template, **fields)


def _filled(text: str, fields: tuple[tuple[str, object], ...]) -> str:
    values: Mapping[str, object] = dict(fields)
    return shown(text) % values if values else shown(text)
