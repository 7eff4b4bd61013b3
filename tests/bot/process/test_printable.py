"""What is printed: counts in English."""

from __future__ import annotations

import ast
import re

import pytest

from sixprime.bot.process.printable import counted
from tests.support.places import ROOT

# `moves` and `rolls` are what players do, `seconds` and `s` stand behind measures
THINGS = re.compile(
    r" (more )?(analys|bot|byte|day|decision|difference|error|event|file|finding|game|match|minute|"
    r"page|pair|player|point|position|profile|question|remark|row|session|time|trial)e?s\b"
)


def test_one_thing_is_singular() -> None:
    assert [counted(n, "match") for n in (0, 1, 2)] == ["0 matches", "1 match", "2 matches"]
    assert counted(1, "more remark") == "1 more remark"


@pytest.mark.parametrize(
    "path",
    [each for each in (ROOT / "bot").rglob("*.py") if "sandbox" not in each.parts],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_count_knows_its_singular(path: object) -> None:
    """Numbers with decimals, and constants (which are never 1), stand before plurals freely."""
    tree = ast.parse(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    wrong = [
        f"line {value.lineno}: {ast.unparse(value)}{after.value!s}"
        for text in ast.walk(tree)
        if isinstance(text, ast.JoinedStr)
        for value, after in zip(text.values, text.values[1:], strict=False)
        if isinstance(value, ast.FormattedValue)
        and isinstance(after, ast.Constant)
        and THINGS.match(str(after.value))
        and not (value.format_spec and "f" in ast.unparse(value.format_spec))
        and not ast.unparse(value.value).rpartition(".")[2].isupper()
    ]
    assert wrong == []
