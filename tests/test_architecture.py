"""Who may import whom, kept by this page and not by good intentions."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("bot", "engine", "protocols", "tests")
WORLD = frozenset({"asyncio", "socket", "time", "os", "random", "selectors", "ssl", "threading"})
KERNELS_NEED = frozenset(
    {"numpy", "numba", "llvmlite", "math", "typing", "collections.abc", "__future__"}
)
TRAINING_MAY_BE_IMPORTED_BY = ("engine.training", "bot.cli")  # `sixprime train` wires it

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("bot", "engine", "protocols")
    for path in sorted((ROOT / package).rglob("*.py"))
}


def imports(name: str) -> Iterator[tuple[str, str]]:
    """Every module that this one names in an import, at the top or inside, and where."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: imports are written in full"
            base = node.module or ""
            inner = (f"{base}.{alias.name}" for alias in node.names)
            found = [full if full in MODULES else base for full in inner]
        for module in found:
            yield module, f"{name}:{getattr(node, 'lineno', 0)} imports {module}"


def within(module: str, *packages: str) -> bool:
    """Is the module one of these, or inside one of these?"""
    return any(module == package or module.startswith(package + ".") for package in packages)


def reason_against(name: str, module: str) -> str | None:
    """Why the module `name` may not import `module`; None if it may."""
    if within(module, "tests"):
        return "nobody imports tests"
    if within(module, "bot.cli") and not within(name, "bot.cli"):
        return "nobody imports bot.cli"
    if within(module, "engine.training") and not within(name, *TRAINING_MAY_BE_IMPORTED_BY):
        return "nobody imports engine.training"
    if within(name, "engine.kernels") and not within(module, "engine.kernels", *KERNELS_NEED):
        return "kernels know arrays only"
    if within(name, "engine") and within(module, "bot", "protocols"):
        return "the engine knows nobody else"
    return _against_in_protocols(module) if within(name, "protocols") else None


def _against_in_protocols(module: str) -> str | None:
    if module.split(".")[0] in WORLD:
        return "protocols do no I/O"
    if within(module, *OURS) and not within(module, "protocols", "engine.position"):
        return "protocols know positions only"
    return None


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_its_layer_may(name: str) -> None:
    faults = [
        f"{where}: {reason}"
        for module, where in imports(name)
        if (reason := reason_against(name, module))
    ]
    assert not faults


def test_torch_is_imported_in_one_place() -> None:
    users = {name for name in MODULES for module, _ in imports(name) if within(module, "torch")}
    assert users <= {"engine.training.model"}


def test_no_module_of_ours_shadows_a_catch_all() -> None:
    """A file is named after what it knows."""
    catch_alls = {"utils", "util", "helpers", "common", "manager", "factory", "misc"}
    assert not [name for name in MODULES if name.rsplit(".", 1)[-1] in catch_alls]


RULES = [
    ("protocols.ids", "engine.rules", "protocols know positions only"),
    ("protocols.ids", "asyncio.streams", "protocols do no I/O"),
    ("protocols.ids", "engine.position", None),
    ("protocols.ids", "re", None),
    ("engine.kernels.moves", "engine.position", "kernels know arrays only"),
    ("engine.kernels.moves", "engine.kernels.inputs", None),
    ("engine.rules", "protocols.ids", "the engine knows nobody else"),
    ("engine.decide", "engine.training.train", "nobody imports engine.training"),
    ("bot.service", "bot.cli.main", "nobody imports bot.cli"),
    ("bot.cli.train", "engine.training.train", None),
    ("bot.service", "tests.reference", "nobody imports tests"),
    ("bot.clip", "bot.match", None),
]


@pytest.mark.parametrize(("name", "module", "reason"), RULES)
def test_the_rules_themselves(name: str, module: str, reason: str | None) -> None:
    assert reason_against(name, module) == reason


@pytest.mark.parametrize("package", ["bot.cli.main", "engine.position", "protocols.notation"])
def test_what_starts_often_imports_nothing_heavy(package: str) -> None:
    heavy = "{'numpy', 'numba', 'torch', 'sqlalchemy', 'pydantic', 'asyncio'}"
    code = f"import sys, {package}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
