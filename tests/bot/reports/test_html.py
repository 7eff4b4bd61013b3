"""The page of an analysed match: complete in one file, harmless, and right in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sixprime.bot.archive.matchfiles import read_matches
from sixprime.bot.cli.main import main
from sixprime.bot.reports import board_svg, charts_svg
from sixprime.bot.reports.charts_svg import ChartLine, alone, bars, lines, nice_ticks
from sixprime.bot.reports.html import page
from sixprime.protocols.formats.record import Player
from tests.support.archive.sample import DATA, sample
from tests.support.web.chromium import needs_chromium, show

EVIL = ('<script>alert("x")</script>', "\"'><img src=x onerror=alert(1)>&amp;\x1b[2J\u202e")


class Outline(HTMLParser):
    """What a page is made of, and whether everything that opens is closed."""

    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def count(self, tag: str, kind: str | None = None) -> int:
        return sum(
            name == tag and (kind is None or kind in (attrs.get("class") or "").split())
            for name, attrs in self.tags
        )


def test_a_page_shows_every_turn_the_worst_errors_and_the_graphs() -> None:
    match, analysis = sample()
    text = page(analysis, match, worst=5)
    outline = Outline(text)
    assert outline.open == []
    turns = sum(len(game.turns) for game in analysis.games)
    assert outline.count("details", "turn") == turns
    assert outline.count("article", "error") == 5
    assert outline.count("svg", "board") == turns + 5
    assert outline.count("svg", "chart") == 3
    words = "".join(outline.words)
    worst = analysis.errors()[0]
    assert words.index(f"gives away {-worst.verdict.error:.3f}") < words.index("2. ")
    assert "Snowie error rate" in words
    assert "Proper cube action" in words
    names = {attrs["id"] for _, attrs in outline.tags if "id" in attrs}
    links = {attrs["href"] for tag, attrs in outline.tags if tag == "a"}
    assert {str(link).removeprefix("#") for link in links} <= names


def test_a_page_asks_nobody_for_anything() -> None:
    match, analysis = sample()
    text = page(analysis, match)
    for tag, attrs in Outline(text).tags:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attrs
        if tag in ("a", "use"):
            assert (attrs["href"] or "").startswith("#")
        assert not any(name.startswith("on") for name in attrs)
    assert set(re.findall(r"https?://[^\"' )]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_what_comes_from_the_wire_is_text_and_nothing_else() -> None:
    match, analysis = sample()
    evil = replace(analysis, players=EVIL)
    players = Player(EVIL[0]), Player(EVIL[1])
    record = replace(match, players=players, comment=EVIL[0], place=EVIL[1], event=EVIL[0])
    text, harmless = page(evil, record), page(analysis, match)
    outline = Outline(text)
    assert outline.open == []
    assert outline.count("script") == Outline(harmless).count("script") == 1
    assert outline.count("img") == 0
    assert 'alert("x")' in "".join(outline.words)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_an_empty_match_has_a_page_too() -> None:
    _, analysis = sample()
    for games in ((), (replace(analysis.games[0], turns=()),)):
        empty = replace(analysis, games=games)
        assert Outline(page(empty)).open == []


def test_money_sessions_and_recorded_analyses_have_graphs() -> None:
    from tests.support.engine.analyses import analysis_in_record

    (match,) = read_matches(DATA / "money-analysed.sgf")
    outline = Outline(page(analysis_in_record(match), match))
    assert outline.open == []
    assert outline.count("svg", "chart") >= 2


def test_the_command_writes_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sgf, mat = str(DATA / "oldmoves-2games.sgf"), str(DATA / "oldmoves-2games.mat")
    words = ["analyse", "--level", "expert", "--most", "0", "--html"]
    assert main([*words, str(tmp_path / "report.html"), mat]) == 0
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert main([*words, str(tmp_path / "none"), mat, sgf]) == 2
    assert "is not a folder" in capsys.readouterr().err


# -- charts


def test_ticks_are_round_and_hold_what_is_drawn() -> None:
    assert nice_ticks(0, 100) == [0, 20, 40, 60, 80, 100]
    assert nice_ticks(-0.03, 0.11) == [-0.05, 0, 0.05, 0.1, 0.15]
    for low, high in ((0.0, 0.0), (1500.25, 1500.25), (-7.0, 1e6), (1e-7, 3e-7)):
        ticks = nice_ticks(low, high)
        assert ticks[0] <= low
        assert ticks[-1] >= high
        assert 2 <= len(ticks) <= 9


def test_a_chart_is_a_picture_of_its_own_with_names_as_text() -> None:
    for chart in (
        lines("a < b", [ChartLine(EVIL[0], [(0, 1.0)]), ChartLine("b", [])]),
        bars("a < b", [(EVIL[0], 3.0), ("other", -1.5)]),
        bars("nothing", []),
        lines("nothing", []),
    ):
        outline = Outline(alone(chart))
        assert outline.open == []
        assert outline.count("style") == 1
        assert outline.count("script") == 0


# -- in a browser


@needs_chromium
@pytest.mark.patient
def test_a_browser_shows_boards_and_graphs_and_has_nothing_to_complain_about(
    tmp_path: Path,
) -> None:
    match, analysis = sample()
    evil = replace(analysis, players=EVIL)
    file = tmp_path / "report.html"
    file.write_text(page(evil, match), encoding="utf-8")
    shown = show(file, tmp_path / "report.png")
    assert shown.console == []
    turns = sum(len(game.turns) for game in analysis.games)
    assert shown.document.count('<svg class="board"') == turns + 12
    assert shown.document.count('class="chart"') == 3
    assert '<html lang="en" class="scripted">' in shown.document
    painted = [board_svg.FELT, board_svg.FRAME, board_svg.MINE, board_svg.THEIRS]
    for colour in (*painted, charts_svg.COLOURS[0], charts_svg.COLOURS[1]):
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        assert (red, green, blue) in shown.pixels, colour


@needs_chromium
@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("<script>", "<script>undefinedThing();</script><script>", "Content Security Policy"),
        ('<svg class="board"', '<img src="http://127.0.0.1:9/x.png"><svg class="board"', "Content"),
        ("reveal();\n</script>", "reveal();\nnothing.here;\n</script>", ""),
    ],
)
def test_a_page_that_is_broken_does_not_go_unnoticed(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    text = page(sample()[1], worst=1).replace(old, new, 1)
    file = tmp_path / "broken.html"
    file.write_text(text, encoding="utf-8")
    shown = show(file, tmp_path / "broken.png", size=(300, 200))
    assert shown.console
    assert complaint in shown.console[0]
