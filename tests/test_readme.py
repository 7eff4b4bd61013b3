"""What README.md shows is what happens."""

from __future__ import annotations

import doctest
import json
import re

import pytest

import sixprime
from sixprime.bot.cli.main import COMMANDS
from sixprime.bot.interfaces.jsonlines import answer
from sixprime.engine.search.decide import Engine
from tests.places import ROOT

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_python_of_the_readme_works() -> None:
    assert doctest.testfile(str(README), module_relative=False) == doctest.TestResults(0, 8)


def test_the_package_says_what_it_offers() -> None:
    assert doctest.testmod(sixprime) == doctest.TestResults(0, 2)
    assert {name for name in sixprime.__all__ if getattr(sixprime, name) is None} == set()


def test_requests_of_the_readme_are_answered_as_it_says() -> None:
    [block] = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = [json.loads(re.sub(r"[\[{]\.\.\.[\]}]", "null", line)) for line in block.splitlines()]
    engine = Engine("expert")
    for request, shown in zip(lines[::2], lines[1::2], strict=True):
        found = json.loads(answer(json.dumps(request).encode(), engine))
        assert set(shown) <= set(found)
        same = ("id", "kind", "move", "double", "take", "action")
        assert {key: shown.get(key) for key in same} == {key: found.get(key) for key in same}
        assert found.get("equity") == pytest.approx(shown.get("equity"), abs=0.01)


def test_every_command_is_in_the_readme() -> None:
    named = set(re.findall(r"(?:sixprime|/) `?([a-z]+)", TEXT.replace("` / `", " / ")))
    assert set(COMMANDS) - named == set()
