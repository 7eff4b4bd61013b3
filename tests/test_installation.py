"""What is installed: one package, `sixprime`, whatever lies in the folder where it is used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.patient

BUILT_FROM = ("sixprime", "bot", "engine", "protocols", "pyproject.toml", "README.md", "LICENSE")
FLOORS = ("bot", "engine", "protocols")
NO_SOURCES = shutil.ignore_patterns("__pycache__", "*.egg-info")
TRAPS = (*FLOORS, "tests", "config", "data", "search")
START = "4HPwATDgc/ABMA"


def in_python(*words: str | Path, cwd: Path, site: Path | None = None) -> str:
    """What a Python prints that sees the packages of `site` before all others."""
    environment = {**os.environ, "PYTHONPATH": str(site or "")}
    run = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, links as links, where setuptools may leave its own files."""
    folder = tmp_path_factory.mktemp("tree")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=NO_SOURCES)
        else:
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def wheel_of(tree: Path, out: Path) -> Path:
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", out)
    in_python("-m", "pip", "wheel", *options, ".", cwd=tree)
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `pip install .` builds it."""
    return wheel_of(tree, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with ours."""
    folder = tmp_path_factory.mktemp("site")
    options = ("--no-deps", "--no-index", "--quiet", "--target", folder)
    in_python("-m", "pip", "install", *options, wheel, cwd=folder)
    return folder


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A user's folder with modules that have the names of our rooms."""
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text('raise SystemExit("wrong module")\n')
    return tmp_path


def sources() -> set[str]:
    """Everything that has to be installed."""
    files = {
        f"sixprime/{path.relative_to(ROOT)}"
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return files | {f"sixprime/{name}" for name in ("__init__.py", "__main__.py", "py.typed")}


def packed(wheel: Path) -> set[str]:
    names = zipfile.ZipFile(wheel).namelist()
    return {name for name in names if not name.split("/")[0].endswith(".dist-info")}


def test_a_wheel_holds_one_package_with_its_data(wheel: Path) -> None:
    assert packed(wheel) == sources()


def test_a_source_distribution_builds_the_same_wheel(tree: Path, tmp_path: Path) -> None:
    build = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
    in_python("-c", build, cwd=tree)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    assert packed(wheel_of(unpacked, tmp_path / "out")) == sources()


EVERY_MODULE = """
import importlib, pkgutil, sixprime
for module in pkgutil.walk_packages(sixprime.__path__, "sixprime."):
    if module.name not in ("sixprime.__main__", "sixprime.engine.lab.training.model"):  # torch
        importlib.import_module(module.name)
print(sixprime.__file__)
"""


def test_no_module_imports_what_lies_in_the_users_folder(site: Path, trapped: Path) -> None:
    found = in_python("-c", EVERY_MODULE, cwd=trapped, site=site)
    assert found.strip() == str(site / "sixprime" / "__init__.py")


def test_the_command_knows_its_version_and_its_data(site: Path, trapped: Path) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = in_python(site / "bin" / "sixprime", "--version", cwd=trapped, site=site)
    assert f'version = "{version.split()[1]}"' in project
    levels = in_python("-m", "sixprime", "levels", "list", cwd=trapped, site=site)
    assert "world-class" in levels


@pytest.mark.slow  # it compiles all kernels
def test_an_installed_copy_gives_a_hint(site: Path, trapped: Path) -> None:
    hint = in_python("-m", "sixprime", "hint", START, "--dice", "31", cwd=trapped, site=site)
    assert " 1  8/5 6/5 " in hint
