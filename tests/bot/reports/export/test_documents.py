"""PDF, PNG and HTML with boards, through `sixprime convert` as a user makes them."""

from __future__ import annotations

import builtins
import io
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sixprime.bot.archive.matchfiles import read_matches
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.words import Comment, with_comment
from sixprime.bot.reports.export import latex, paper, picture, webpage
from sixprime.bot.reports.export.scenes import acts
from sixprime.protocols.formats.record import Player
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.plain import plain
from tests.support.places import INTEROP

SAMPLE = INTEROP / "oldmoves-2games.sgf"
EVIL = '</script><script>alert(1)</script>#panic("x") $ [ " \\ Жанна'
PNG = b"\x89PNG\r\n\x1a\n"


def size_of(data: bytes) -> tuple[int, int]:
    assert data.startswith(PNG)
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def pages_of(data: bytes) -> int:
    assert data.startswith(b"%PDF-")
    return max(int(n) for n in re.findall(rb"/Count (\d+)", data))


def test_a_match_becomes_a_pdf_and_pictures_of_a_few_boards_each(tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="needs the extra `print`")
    assert main(["convert", str(SAMPLE), str(tmp_path / "m.pdf")]) == 0
    assert main(["convert", str(SAMPLE), str(tmp_path / "m.png")]) == 0
    pictures = sorted(tmp_path.glob("m-*.png"))
    assert pages_of((tmp_path / "m.pdf").read_bytes()) > 2
    boards = [len(act.scenes) for act in acts(read_matches(SAMPLE)[0])]
    assert len(pictures) == sum(-(-each // paper.ON_A_SHEET) for each in boards)
    assert len({size_of(path.read_bytes())[0] for path in pictures}) == 1


def test_a_move_becomes_one_picture(tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="needs the extra `print`")
    out = tmp_path / "board.png"
    assert main(["convert", str(SAMPLE), str(out), "--game", "2", "--move", "3"]) == 0
    wide, high = size_of(out.read_bytes())
    assert 1_000 < wide < 1_400
    assert 0.9 < high / wide < 1.1


def test_what_files_say_is_never_source_of_a_document(tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="needs the extra `print`")
    match = replace(plain(3), players=(Player(EVIL), Player(EVIL[::-1])), comment=EVIL, place=EVIL)
    assert pages_of(paper.pdf(match, acts(match, 1))) > 1
    assert len(list(paper.png(match, acts(match, 1, 2)))) == 1


class Page(HTMLParser):
    """Counts the elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_position_becomes_a_page_without_script_or_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(xgid.encode())))
    out = tmp_path / "board.html"
    assert main(["convert", "-", str(out)]) == 0
    page = Page(out.read_text())
    assert page.tags.count("svg") == 1
    assert xgid in page.text
    assert "Position ID" in page.text
    assert not {"script", "link", "img", "iframe"} & set(page.tags)


def test_names_and_comments_are_text_in_a_page() -> None:
    match = replace(plain(3), players=(Player(EVIL), Player("ben")), comment=EVIL)
    page = Page(webpage.document(match, acts(match)))
    assert "script" not in page.tags
    assert EVIL in page.text
    assert page.tags.count("svg") == sum(len(act.scenes) for act in acts(match))


def test_each_board_of_a_game_has_the_same_seat_below() -> None:
    match = read_matches(SAMPLE)[0]
    for scene in acts(match)[0].scenes[:6]:
        board = picture.board(match, scene, 0)
        position = scene.position if scene.state.on_roll == 0 else scene.position.flipped()
        assert board.count('class="checker ') == sum(
            min(n, 5) for side in (position.mine, position.theirs) for n in side
        )
        own = picture.board(match, scene)
        assert (own == board) is (scene.state.on_roll == 0)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["{sample}", "m.html", "--game", "9"], "no game 9, there are 2"),
        (["{sample}", "m.html", "--move", "900"], "no move 900 in game 1"),
        (
            ["{sample}", "m.mat", "--move", "2"],
            "are for text, html, pdf, png, svg, latex, gam, pos, snowie",
        ),
        (["{two}", "m.txt"], "2 matches, and a document holds one"),
        (["{sample}", "m.xyz"], "which format?"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    arguments: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = tmp_path / "two.sgf"
    two.write_text(SAMPLE.read_text() + sgf.write_sgf(plain(2)))
    filled = [each.format(sample=SAMPLE, two=two) for each in arguments]
    filled[1] = str(tmp_path / filled[1])
    assert main(["convert", *filled]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line


def test_many_matches_become_a_document_each_in_a_folder(tmp_path: Path) -> None:
    two = tmp_path / "two.sgf"
    two.write_text(SAMPLE.read_text() + sgf.write_sgf(plain(2)))
    folder = tmp_path / "out"
    folder.mkdir()
    assert main(["convert", str(two), str(folder), "--to", "text"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["two-1.txt", "two-2.txt"]


def test_without_the_library_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "typst":
            raise ModuleNotFoundError("no typst", name="typst")
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["convert", str(SAMPLE), str(tmp_path / "m.pdf")]) == 2
    assert "pip install 'sixprime[print]'" in capsys.readouterr().err


CLASSES = (  # of the manual, for what this match has
    *("movetable", "moveheader", "movenumber", "moveply", "movemove", "moveequity", "movethemove"),
    *("moveodd", "percent", "stattable", "stattableheader", "result", "cubedecision"),
    *("cubedecisionheader", "cubeequity", "cubeaction", "cubeply", "cubeprobs", "comment"),
    *("commentheader", "fontfamily", "block", "positionid", "blunder", "joker"),
)
ANALYSED = INTEROP / "money-analysed.sgf"


def commented(path: Path) -> Path:
    """The analysed match with a comment and marks, in which the style of a page finds all."""
    (match,) = read_matches(ANALYSED)
    path.write_text(sgf.write_sgf(with_comment(match, Comment(1, 2, "</p> why?"))))
    return path


def test_a_match_is_a_page_a_game_with_the_classes_of_the_manual(tmp_path: Path) -> None:
    out, style = tmp_path / "m.html", tmp_path / "own.css"
    style.write_text(".movethemove { background: #abcdef }")
    said = commented(tmp_path / "said.sgf")
    assert main(["convert", str(said), str(out), "--style", str(style)]) == 0
    (match,) = read_matches(ANALYSED)
    pages = sorted(path for path in tmp_path.iterdir() if path.suffix == ".html")
    assert [path.name for path in pages] == ["m.html", "m_002.html", "m_003.html"][
        : len(match.games)
    ]
    texts = [path.read_text() for path in pages]
    assert all("#abcdef" in text for text in texts)
    used = {name for text in texts for name in re.findall(r'class="([^"]+)"', text)}
    assert set(CLASSES) <= {each for names in used for each in names.split()}
    for number, text in enumerate(texts):
        linked = set(re.findall(r'href="([^"]+)"', text))
        assert linked <= {path.name for path in pages} - {pages[number].name}
        assert text.count("Statistics of the game") == 1
        assert ("Statistics of the match" in text) is (number == len(pages) - 1 > 0)


@pytest.mark.parametrize("text", ["a {}</style><script>", "\udcff"])
def test_a_style_stays_a_style(text: str, tmp_path: Path) -> None:
    style = tmp_path / "own.css"
    style.write_bytes(text.encode("utf-8", "surrogateescape"))
    wanted = ["convert", str(SAMPLE), str(tmp_path / "m.html"), "--style", str(style)]
    assert main(wanted) == 2
    assert not (tmp_path / "m.html").exists()


def test_a_page_at_standard_output_has_all_games(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["convert", str(SAMPLE), "-", "--to", "html"]) == 0
    page = Page(capfdbinary.readouterr().out.decode())
    match = read_matches(SAMPLE)[0]
    assert page.tags.count("svg") == sum(len(act.scenes) for act in acts(match))


def test_a_move_becomes_an_svg_with_its_candidates(tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="needs the extra `print`")
    out = tmp_path / "move.svg"
    assert main(["convert", str(ANALYSED), str(out), "--move", "2"]) == 0
    assert ElementTree.fromstring(out.read_text()).tag.endswith("svg")
    bare = tmp_path / "bare.svg"
    assert main(["convert", str(SAMPLE), str(bare), "--move", "2"]) == 0
    assert len(out.read_text()) > len(bare.read_text()) + 10_000  # the tables, drawn


def test_every_sign_of_a_file_is_text_in_latex() -> None:
    match = replace(plain(3), players=(Player(EVIL), Player("ben")), comment=EVIL)
    source = latex.document(match, acts(match, 1))
    assert (
        source.count(r"\begin{picture}")
        == source.count(r"\end{picture}")
        == len(acts(match, 1)[0].scenes)
    )
    body = source[source.index(r"\begin{document}") :]
    bare = re.sub(r"\\[#$%&_{}]", "", body)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[#$%^~]", body)
    assert set(re.findall(r"\\([A-Za-z]+)", body)) <= KNOWN_TO_LATEX


KNOWN_TO_LATEX = {
    *("begin", "end", "section", "subsection", "subsubsection", "textbf", "emph", "footnotesize"),
    *(
        "put",
        "makebox",
        "framebox",
        "circle",
        "tiny",
        "emptyboard",
        "numbers",
        "numbersabove",
        "dark",
        "light",
    ),
    *("textendash", "textless", "textgreater", "textbar", "textbackslash", "textquotedbl"),
    *("textquotesingle", "textasciigrave", "textasciicircum", "textasciitilde", "textpm"),
    "textperiodcentered",
}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.patient
def test_latex_sets_the_document(tmp_path: Path) -> None:
    out = tmp_path / "m.tex"
    assert main(["convert", str(ANALYSED), str(out), "--game", "1"]) == 0
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", out.name],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert re.search(r"Output written on m.pdf \(\d\d pages", done.stdout)
    assert "Overfull" not in done.stdout
