"""Measures of the house that are counts: each lists its items where there are more than allowed."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from functools import cache

from tests.support.house import COMMANDS, Sources, functions_of, nodes_of, within
from tests.support.places import ROOT

MOST_FILES_OF_A_NAME = 12
MOST_COMMON_NAMES = 3
MOST_EXCEPTIONS = 45
MOST_BROAD_EXCEPTS = 12
MOST_IMPORTS_IN_FUNCTIONS = 150
MOST_SOURCE_LINES = 92_600  # 70,050 after the house; a network, a first day, races, cubes: 7,600
MOST_CHANGELOG_WORDS = 1_400
MOST_DOCS_WORDS = 12_000
GENERATED = "docs/commands.md"  # a reference made from the code is not counted


def _over(most: int, what: str, items: list[str]) -> list[str]:
    return [f"{len(items)} {what}, at most {most}: {', '.join(items)}"] * (len(items) > most)


def common_names(modules: Sources) -> list[str]:
    """Public names of functions and methods in so many files that grep finds a crowd."""
    files: dict[str, set[str]] = defaultdict(set)
    for name, text in modules.items():
        by_frame = {"run", "arguments"} if within(name, *COMMANDS) else set()
        for node in functions_of(text):
            files[node.name] |= {name} if node.name not in by_frame else set()
    crowd = [
        f"{name} ({len(places)})"
        for name, places in files.items()
        if len(places) > MOST_FILES_OF_A_NAME and not name.startswith("_")
    ]
    return _over(MOST_COMMON_NAMES, "names in too many files", crowd)


def exception_classes(modules: Sources) -> list[str]:
    """Exceptions of ours, by their bases."""
    bases = {
        f"{name}.{node.name}": {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for name, text in modules.items()
        for node in nodes_of(text, ast.ClassDef)
    }
    known = {name for name, value in vars(builtins).items() if _is_exception(value)}
    found: set[str] = set()
    while more := {each for each, of in bases.items() if of & known} - found:
        found |= more
        known |= {each.rpartition(".")[2] for each in more}
    return _over(MOST_EXCEPTIONS, "exception classes", sorted(found))


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def broad_excepts(modules: Sources) -> list[str]:
    """Handlers of every exception."""
    found = [
        f"{name}:{node.lineno}"
        for name, text in modules.items()
        for node in nodes_of(text, ast.ExceptHandler)
        if node.type is None or {"Exception", "BaseException"} & _names_in(node.type)
    ]
    return _over(MOST_BROAD_EXCEPTS, "broad excepts", found)


def _names_in(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def late_imports(modules: Sources) -> list[str]:
    """Imports inside functions."""
    found = [f"{name}:{line}" for name, text in modules.items() for line in _late_in(text)]
    return _over(MOST_IMPORTS_IN_FUNCTIONS, "imports in functions", found)


@cache
def _late_in(text: str) -> list[int]:
    """Lines of imports inside functions."""
    found = {
        node.lineno
        for function in functions_of(text)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return sorted(found)


def long_source(modules: Sources) -> list[str]:
    """All lines of all modules."""
    lines = sum(len(text.splitlines()) for text in modules.values())
    return [f"{lines} lines, at most {MOST_SOURCE_LINES}"] * (lines > MOST_SOURCE_LINES)


@cache
def documents() -> Sources:
    """The changelog and the pages of docs/, by their paths."""
    paths = [ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def long_documents(modules: Sources) -> list[str]:
    """The changelog and the docs, by their words."""
    added = {name: text for name, text in modules.items() if name.endswith(".md")}
    texts = {**documents(), **added}
    changelog = texts.pop("CHANGELOG.md").split()
    texts.pop(GENERATED, None)
    docs = [word for text in texts.values() for word in text.split()]
    return [
        f"{place}: {len(words)} words, at most {most}"
        for place, words, most in (
            ("CHANGELOG.md", changelog, MOST_CHANGELOG_WORDS),
            ("docs", docs, MOST_DOCS_WORDS),
        )
        if len(words) > most
    ]
