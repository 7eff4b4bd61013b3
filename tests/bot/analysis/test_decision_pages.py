"""The notebook of docs/ runs, and the pictures of docs/data.md are made by their command."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.archive.decisionpictures import OUT, PAGE, pictures, some_decisions
from tests.support.places import ROOT

pytest.importorskip("duckdb")
NOTEBOOK = json.loads((ROOT / "docs" / "decisions.ipynb").read_text())


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return some_decisions(tmp_path_factory.mktemp("pages"))


def test_the_pictures_are_those_of_the_questions(decisions: Path) -> None:
    made = pictures(decisions)
    for name, text in made.items():
        assert text == (OUT / name).read_text()
        assert f"(pictures/{name})" in PAGE.read_text()
    assert {path.name for path in OUT.glob("data-*.svg")} == made.keys()


def test_the_notebook_runs_cell_by_cell(decisions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(decisions.parent)  # where its folder `decisions` lies
    names: dict[str, Any] = {}
    shown = []
    for cell in NOTEBOOK["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
        *lines, last = ast.parse("".join(cell["source"])).body
        assert isinstance(last, ast.Expr)  # a notebook shows its value
        exec(compile(ast.Module(lines, []), "cell", "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    counts, months, worst, board, hints, table = shown
    assert counts.fetchall() == [(names["table"].num_rows, 20)]
    assert [month for month, *_ in months.fetchall()][:3] == ["2026-01", "2026-02", "2026-03"]
    assert "<svg" in board._repr_svg_()
    assert worst == (names["played"], names["best"], round(names["lost"], 3))
    assert {names["played"], names["best"]} <= {hint.play for hint in hints}
    assert table[0] > 1000
