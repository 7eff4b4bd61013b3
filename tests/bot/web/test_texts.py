"""The texts of the pages: every one in every language, and each reader in their own."""

from __future__ import annotations

import gettext as standard
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.web.frame import texts
from sixprime.bot.web.frame.texts import LOCALE, Language, language, languages, preferred
from tests.support.web.manymatches import filled
from tests.support.web.person import planted
from tests.support.web.texts import known, lacking, updated
from tests.support.web.visit import Visit

CODES = [path.stem for path in LOCALE.glob("*.po")]
TEMPLATES = LOCALE.parent / "templates"
PAGES = ("/play", "/position", "/archive", "/archive/statistics", "/offline")
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.8"}


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    made = Visit(tmp_path_factory.mktemp("site"))
    with made.client:
        yield made
    assert made.archive is not None
    made.archive.close()


@pytest.mark.parametrize("code", CODES)
def test_each_language_has_every_text_and_no_other(code: str) -> None:
    """If this fails, run `make texts` and translate what it names."""
    assert [message.id for message in lacking(known(code))] == []
    assert (LOCALE / f"{code}.po").read_bytes() == updated(code)


@pytest.mark.parametrize("code", CODES)
def test_a_translation_keeps_the_fields_and_tags_of_its_text(code: str) -> None:
    def parts(text: str) -> Counter[str]:
        return Counter(re.findall(r"%\(\w+\)s|%%|</?\w+>", text))

    for message in known(code):
        if message.id:
            texts = message.id if isinstance(message.id, tuple | list) else [message.id]
            strings = (
                message.string if isinstance(message.string, tuple | list) else [message.string]
            )
            for text, string in zip(texts, strings, strict=True):
                assert parts(text) == parts(str(string)), text


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-CH, en;q=0.5", "de"),
        ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("fr, de;q=0.2, en;q=0.1", "de"),
        ("fr", "en"),
        ("de;q=0, fr", "en"),
        ("en;q=0.3, DE;q=0.7", "de"),
        ("*", "en"),
        ("de;q=x", "en"),
    ],
)
def test_the_browser_says_the_language(accepted: str, code: str) -> None:
    assert preferred("", accepted).code == code


@given(st.text(), st.text())
def test_no_header_and_no_cookie_breaks_a_page(chosen: str, accepted: str) -> None:
    assert preferred(chosen, accepted).code in languages()


def test_a_choice_counts_more_than_the_browser_and_leads_back(visit: Visit) -> None:
    page = f"{visit.client.base_url}/archive?sort=pr"
    answer = visit.client.get("/language/en", headers=GERMAN | {"referer": page})
    assert (answer.status_code, answer.headers["location"]) == (303, "/archive?sort=pr")
    assert '<html lang="en"' in visit.client.get("/play", headers=GERMAN).text
    assert visit.client.get("/language/xx").status_code == 404
    foreign = visit.client.get("/language/de", headers={"referer": "http://evil.example/x"})
    assert foreign.headers["location"] == "/"
    visit.client.cookies.delete("language")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_its_language_and_is_in_it(visit: Visit, path: str) -> None:
    english = visit.client.get(path).text
    german = visit.client.get(path, headers=GERMAN).text
    assert '<html lang="en"' in english
    assert '<html lang="de"' in german
    title = re.compile("<title>(.*) · Sixprime</title>")
    (said,), (gesagt,) = title.findall(english), title.findall(german)
    assert said != gesagt


def test_sentences_made_by_threads_are_in_the_language_of_their_request(visit: Visit) -> None:
    for headers, words in ((GERMAN, "ohne Datum"), ({}, "undated")):
        assert language("de" if headers else "en").texts.gettext("undated") == words
        page = visit.client.get("/archive?length=x", headers=headers).text
        assert ("nötig ist" in page) == bool(headers)
        page = visit.client.get("/archive/99", headers=headers | {"accept": "text/html"}).text
        assert ("Das ging nicht" in page) == bool(headers)


def test_only_texts_of_templates_are_taken_as_html() -> None:
    """Jinja does not escape the text of `_`, so words from elsewhere go through `told`."""
    for path in TEMPLATES.glob("*.html"):
        source = path.read_text()
        for call in re.findall(r"\b(?:_|gettext|ngettext|pgettext)\(\s*(.)", source):
            assert call in "\"'", path.name


def test_words_from_elsewhere_are_escaped_in_every_language(visit: Visit) -> None:
    path = visit.begin(name="<b>me</b>", by_hand="1")
    for headers in (GERMAN, {}):
        for each in (path, "/archive?player=%3Cb%3Eme%3C/b%3E", "/position?id=%3Cb%3Eme%3C/b%3E"):
            assert "<b>me" not in visit.client.get(each, headers=headers).text


class Marked(standard.NullTranslations):
    """A language whose texts are the English ones in marks."""

    def gettext(self, message: str) -> str:
        return f"«{message}»"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"«{msgid1 if n == 1 else msgid2}»"

    def pgettext(self, context: str, message: str) -> str:
        return f"«{message}»"


class Words(HTMLParser):
    """The words of a page that somebody reads or hears, but for names of data."""

    DATA = ("script", "code", "bdi", "option", "textarea", "kbd", "title", "select")
    SPOKEN = ("aria-label", "placeholder", "title", "alt", "data-label")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in self.SPOKEN and value]
        if tag in self.DATA:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.found.append(data)


def unmarked(page: str) -> list[str]:
    """Return the words of a page outside of all marks."""
    reader, marked = Words(), re.compile("«[^«»]*»")
    reader.feed(page)
    whole = "\0".join(reader.found)
    while (rest := marked.sub("", whole)) != whole:  # a text may be part of another
        whole = rest
    return [word for word in rest.split("\0") if re.search("[A-Za-z]{3}", word)]


@pytest.mark.patient
def test_no_page_shows_a_word_that_cannot_be_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "language", lambda _: Language("de", Marked()))
    made = Visit(tmp_path, filled(tmp_path, 12, with_analysis=12))
    key = made.store.add(planted())
    position = "/position?id=4HPwATDgc/ABMA"
    paths = (
        *("/play", f"/play/{key}", f"/play/{key}?hint=1", made.begin(by_hand="1", name="")),
        made.begin(level="hands dice", name=""),
        *(position, f"{position}&look=1", f"{position}&dice=31", "/position?set=empty&cube=3"),
        *("/archive", "/archive/1?step=12", "/archive/3?step=40", "/archive?length=x&page=y"),
        *("/archive/statistics", "/archive/statistics?player=SixprimeBot", "/archive/errors"),
        *("/archive/openings", "/archive/99", "/archive/openings?player=nobody"),
        *("/me", "/me/names", "/me/train"),
        *("/login", "/nothing", "/offline"),
    )
    names = re.compile(
        r"Sixprime(Bot)?|Reserve|simple|player\d+|English|Deutsch|SVG|PNG|SGF|mat|oldmoves|XGID"
        r"|expert|\d+-ply|Dark( – Light)?|Light|.*sqlite:.*"
    )
    found = {}
    for path in paths:
        answer = made.client.get(path, headers={"accept": "text/html"})
        words = {word.strip(" \n·,.:/()-–") for word in unmarked(answer.text)}
        found[path] = {word for word in words if not names.fullmatch(word)}
    assert {path: words for path, words in found.items() if words} == {}
    assert made.archive is not None
    made.archive.close()
