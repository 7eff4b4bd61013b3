"""Finds the texts of the pages and adds them to each language: `make texts`.

The command fails while a language lacks a text. New texts stand in `bot/web/locale/*.po` with an
empty `msgstr`; texts that no page shows any more are dropped.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

from sixprime.bot.archive.archive import MatchStatus
from sixprime.bot.archive.collection.filters import MATCH_FILTERS, OUTCOMES
from sixprime.bot.archive.collection.statistics import GROUPS
from sixprime.bot.client.activity import Activity
from sixprime.bot.client.lobby.rests import Why
from sixprime.bot.client.waiting import FROM_OPPONENT
from sixprime.bot.reports.text import CUBE_ERRORS, MARKS
from sixprime.bot.transcribing.handmatch import Asks
from sixprime.bot.web.bots.following import GAMES
from sixprime.bot.web.frame.texts import LOCALE
from sixprime.bot.web.library.library import COLUMNS
from sixprime.bot.web.library.listquery import SORTS
from sixprime.engine.analysis.statistics import NO_RATING, RATINGS, WORST_RATING
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS
from sixprime.engine.position import CUBE_ACTIONS
from sixprime.engine.ratings import PEOPLE
from sixprime.protocols.fibs.states import ConnectionState, Failure
from sixprime.protocols.formats.record import LUCK, Break, CubeStep, Opinion, ResignStep

WEB = Path("bot/web")
METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract"), ("**.js", "javascript")]
OPTIONS = {"**.html": {"trimmed": "true", "silent": "false"}}
KEYWORDS = DEFAULT_KEYWORDS | {
    "InputError": None,
    "HTTPException": (2,),
    "Busy": (2,),
    "tell": None,
    "Sentence": None,
}
ROOMS = (WEB, Path("bot/transcribing"))  # for matches by hand
BOTS = (Path("bot/client"), Path("bot/control"))  # their sentences
WIDTH = 100


def found() -> Catalog:
    """Return the texts of the sources with the scripts that show them, and words of other rooms."""
    catalogue = Catalog(fuzzy=False)
    for room in ROOMS:
        for path, _, text, _, context in extract_from_dir(room, METHODS, OPTIONS, KEYWORDS):
            if str(text).strip() and (room == WEB or path in ("handmatch.py", "words.py")):
                of_script = [(path, 0)] if path.endswith(".js") else []
                catalogue.add(text, locations=of_script, context=context)
    for room in BOTS:
        for _, _, text, _, _ in extract_from_dir(room, METHODS, keywords={"Sentence": None}):
            catalogue.add(text)
    for text in elsewhere():
        catalogue.add(text)
    return catalogue


def elsewhere() -> Iterator[str]:
    """Yield the words of other rooms that templates show by the filter `told`."""
    yield from PEOPLE.values()
    yield from (*PREPARATIONS.values(), *ON_DEMAND.values())
    yield from (NO_RATING, WORST_RATING, *(name for _, name in RATINGS))
    yield from (each.label for each in MATCH_FILTERS)
    yield from (each.kind.wanted for each in MATCH_FILTERS if each.kind.wanted)
    yield from (*OUTCOMES, *SORTS.values(), *(label for label, _ in COLUMNS.values()))
    for group in GROUPS:
        yield from (f"By {group}", group.capitalize())
    yield from (word for word in LUCK.values() if word)
    yield from (
        f"A{'n' if word == 'unlucky' else ''} {word} roll." for word in LUCK.values() if word
    )
    grades = [word for word in MARKS.values() if word]
    whats = ("play", "double", "answer")
    yield from (f"{grade} {what}" for grade, what in product(["inexact", *grades], whats))
    yield from (*grades, *whats, *CUBE_ERRORS.values())
    yield from (each.value for each in (*Opinion, *Break, *Asks))
    yield from (each.value for each in (*Activity, *Why, *ConnectionState, *Failure))
    yield from (each.value for each in (*CubeStep, *ResignStep, *MatchStatus))
    yield from (*GAMES, *FROM_OPPONENT.values())
    yield from (action.capitalize() for action in CUBE_ACTIONS)
    for double, answer in product(("double", "redouble"), ("take", "pass", "beaver")):
        yield from (f"{double.capitalize()}, {answer}", f"Optional {double}, {answer}")
        yield from (f"Too good to {double}, {answer}", f"No {double}, {answer}")
    yield from (f"Never {double}, take (dead cube)" for double in ("double", "redouble"))
    yield from ("Match winning chance", "Equity", "Points", "Event", "Round", "Annotator")


def known(code: str) -> Catalog:
    with (LOCALE / f"{code}.po").open("rb") as file:
        return read_po(file, code)


def lacking(catalogue: Catalog) -> Iterator[Message]:
    """Yield the texts without a translation, and those whose translation is a guess."""
    for message in catalogue:
        strings = message.string if isinstance(message.string, tuple | list) else [message.string]
        if message.id and (message.fuzzy or not all(strings)):
            yield message


def updated(code: str) -> bytes:
    """Return the catalogue of a language with the texts of the sources as they are now."""
    catalogue, file = known(code), io.BytesIO()
    catalogue.update(found(), no_fuzzy_matching=True)
    write_po(
        file, catalogue, WIDTH, omit_header=True, sort_output=True, ignore_obsolete=True,
        include_lineno=False,
    )  # fmt: skip
    return file.getvalue()


def update() -> int:
    """Write the catalogues; return how many translations they lack."""
    missing = 0
    for path in sorted(LOCALE.glob("*.po")):
        path.write_bytes(updated(path.stem))
        for message in lacking(known(path.stem)):
            sys.stdout.write(f"{path}: {message.id!r} has no translation\n")
            missing += 1
    return missing


if __name__ == "__main__":
    sys.exit(1 if update() else 0)
