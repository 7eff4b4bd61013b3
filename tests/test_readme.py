"""What README.md and the pages of docs/ show is what happens."""

from __future__ import annotations

import doctest
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sixprime
from sixprime.bot.cli.line.top import COMMANDS
from sixprime.bot.interfaces.jsonlines import answer
from sixprime.engine.search.decide import Engine
from tests.support.places import INTEROP, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMMING = ROOT / "docs/programming.md"
TEXT = PROGRAMMING.read_text(encoding="utf-8")
PAGES = ("installing.md", "start.md")
BLOCK = re.compile(r"```\n(.*?)```", re.DOTALL)
SCREENS = 2 * 40  # lines


def test_the_readme_is_two_screens_long_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) < SCREENS
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_readme_and_pages_install_alike_before_anything_else() -> None:
    pages = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in PAGES]
    ways, *_ = BLOCK.findall(README)
    assert len(re.findall(r"^pipx install '", ways, re.MULTILINE)) == 3
    assert [line.split("#")[0] for line in ways.splitlines()] == [
        line.split("#")[0] for line in BLOCK.findall(pages[0])[0].splitlines()
    ]
    assert pages[1].split("$ ")[1].strip() in ways


def test_the_python_of_the_pages_works() -> None:
    assert doctest.testfile(str(PROGRAMMING), module_relative=False) == doctest.TestResults(0, 8)


def test_the_python_of_the_scripting_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(INTEROP / "money-analysed.sgf", "match.sgf")
    page = str(ROOT / "docs" / "scripting.md")
    assert doctest.testfile(page, module_relative=False) == doctest.TestResults(0, 32)


def test_the_package_says_what_it_offers() -> None:
    assert doctest.testmod(sixprime) == doctest.TestResults(0, 2)
    assert {name for name in sixprime.__all__ if getattr(sixprime, name) is None} == set()


def test_requests_of_the_pages_are_answered_as_it_says() -> None:
    [block] = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = [json.loads(re.sub(r"[\[{]\.\.\.[\]}]", "null", line)) for line in block.splitlines()]
    engine = Engine("expert")
    for request, shown in zip(lines[::2], lines[1::2], strict=True):
        found = json.loads(answer(json.dumps(request).encode(), engine))
        assert set(shown) <= set(found)
        same = ("id", "kind", "move", "double", "take", "action")
        assert {key: shown.get(key) for key in same} == {key: found.get(key) for key in same}
        assert found.get("equity") == pytest.approx(shown.get("equity"), abs=0.01)


def test_every_command_has_its_line() -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:sixprime|/) `?([a-z]+)", page.replace("` / `", " / ")))
    assert set(COMMANDS) - named == set()


@pytest.mark.patient
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    pytest.importorskip("furo", reason="needs the extra `docs`")
    pytest.importorskip("myst_parser", reason="needs the extra `docs`")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(ROOT / "docs")]
    run = subprocess.run([*build, str(tmp_path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    pages = "".join(page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html"))
    loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"(?:https?:)?//", pages)
    loaded += re.findall(r"<link[^>]* href=\"(?:https?:)?//", pages)
    assert loaded == []
