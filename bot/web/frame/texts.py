"""The texts of the pages, and the language that their reader prefers.

English texts stand where they are shown and name their translations in `locale/`. A text is marked
by `gettext`, or by `N_` where it is only kept; templates and scripts call it `_`. `make texts`
finds them all.
"""

from __future__ import annotations

import gettext as standard
import io
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE = Path(__file__).parents[1] / "locale"
ENGLISH = "en"
COOKIE = "language"


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the pages; `of_scripts` are the texts that scripts show."""

    code: str = ENGLISH
    texts: standard.NullTranslations = field(default_factory=standard.NullTranslations)
    of_scripts: Mapping[str, str] = field(default_factory=dict)


_read = ContextVar("_read", default=Language())  # noqa: B039 - it is frozen


@cache
def languages() -> Mapping[str, str]:
    """Return each language's own name by its code."""
    codes = (ENGLISH, *sorted(path.stem for path in LOCALE.glob("*.po")))
    return {code: str(Locale.parse(code).display_name) for code in codes}


@cache
def language(code: str) -> Language:
    if code == ENGLISH:
        return Language()
    with (LOCALE / f"{code}.po").open("rb") as file:
        catalogue = read_po(file, code)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    of_scripts = {
        str(each.id): str(each.string)
        for each in catalogue
        if any(path.endswith(".js") for path, _ in each.locations)
    }
    return Language(code, standard.GNUTranslations(compiled), of_scripts)


def preferred(chosen: str, accepted: str) -> Language:
    """Return the language of a cookie, or else the best of an `Accept-Language` that we have."""
    known = languages()
    if chosen in known:
        return language(chosen)
    return language(next((code for code in _ranked(accepted) if code in known), ENGLISH))


def _ranked(accepted: str) -> Iterable[str]:
    """Return the language codes of an `Accept-Language`, the most wanted first."""
    weights: dict[str, float] = {}
    for entry in accepted.lower().split(","):
        name, _, weight = entry.partition(";q=")
        try:
            wanted = float(weight or 1)
        except ValueError:
            continue
        if wanted > 0:
            weights.setdefault(name.strip().partition("-")[0], wanted)
    return sorted(weights, key=lambda code: -weights[code])


def read_in(read: Language) -> None:
    """Show this language for the rest of the request."""
    _read.set(read)


def current() -> Language:
    return _read.get()


def N_(text: str) -> str:  # noqa: N802 - gettext's name
    """Mark a text that `gettext` shows later."""
    return text


def shown(text: str) -> str:
    """Return a text in the reader's language, with its fields still open."""
    return current().texts.gettext(text) if text else ""


def shown_counting(one: str, many: str, num: int) -> str:
    return current().texts.ngettext(one, many, num)


def pgettext(context: str, text: str) -> str:
    """Return a text that other languages say differently in different places."""
    return current().texts.pgettext(context, text)


def gettext(text: str, /, **fields: object) -> str:
    return shown(text) % fields if fields else shown(text)


def ngettext(one: str, many: str, num: int, /, **fields: object) -> str:
    """Return a text that counts; `num` is one of its fields."""
    return shown_counting(one, many, num) % (fields | {"num": num})
