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

from sixprime.bot.cli.operator.config import EXAMPLES
from sixprime.bot.settings.example import SCHEMA
from tests.support.places import ROOT

# .ci/release and .ci/stranger install it in every run
pytestmark = [pytest.mark.patient, pytest.mark.slow]

FILES = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
FLOORS = ("bot", "engine", "protocols")
BUILT_FROM = ("sixprime", *FLOORS, "config", "deploy", *FILES)
NO_SOURCES = shutil.ignore_patterns("__pycache__", "*.egg-info")
TRAPS = (*FLOORS, "tests", "config", "data", "search")


def in_python(*words: str | Path, cwd: Path, site: Path | None = None, **more: str) -> str:
    """What a Python prints that sees the packages of `site` before all others."""
    environment = {**os.environ, "PYTHONPATH": str(site or ""), **more}
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
    compiled = folder / "engine" / "data" / "__pycache__" / "__init__.pyc"
    compiled.parent.mkdir()  # as in a checkout that was used
    compiled.write_bytes(b"")
    secret = folder / "deploy" / "secrets" / "fibs_password"  # compose.yaml has them there
    secret.parent.mkdir()
    secret.write_text("secret")
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
    package = ROOT / "sixprime"
    examples = {path for pattern in EXAMPLES for path in package.glob(pattern)}
    examples.add(package / "config" / SCHEMA)
    files |= {str(path.relative_to(ROOT)) for path in examples}
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
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name != "torch":  # the extra `train`
            raise
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


# --- machines on which something is missing; `warmup rules` compiles the fewest kernels


def started(site: Path, cache: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    """The command `warmup rules` of the installed copy, run by `words`."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    environment = {**kept, "PYTHONPATH": str(site), "SIXPRIME_CACHE": str(cache), **more}
    return subprocess.Popen(
        [*words, sys.executable, "-P", "-m", "sixprime", "warmup", "rules"],
        env={name: word for name, word in environment.items() if word},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines_of(process: subprocess.Popen[str]) -> list[str]:
    """What it says, if it does what it shall."""
    output, errors = process.communicate(timeout=500)
    assert (process.returncode, output) == (0, ""), errors
    return [line for line in errors.splitlines() if not line.endswith(" s")]


@pytest.mark.parametrize(
    ("words", "more", "reason"),
    [
        ((), {"SIXPRIME_CACHE": "", "HOME": "/dev/null"}, "Not a directory"),
        (("prlimit", "--fsize=0"), {}, "File too large"),
        (("setpriv", "--reuid=54321", "--clear-groups"), {}, "Permission denied"),
    ],
    ids=["no home", "full disk", "read-only"],
)
def test_where_no_kernel_can_be_kept_one_line_says_so(
    words: tuple[str, ...], more: dict[str, str], reason: str, site: Path, tmp_path: Path
) -> None:
    if words and shutil.which(words[0]) is None:
        pytest.skip(f"needs {words[0]}")
    if words[:1] == ("setpriv",) and (os.getuid() or not _others_may_read(sys.executable, site)):
        pytest.skip("needs root, and a Python and sources that other users may read")
    before = {path for path in site.rglob("*") if path.suffix != ".pyc"}
    [line] = lines_of(started(site, tmp_path, *words, **more))
    assert line.startswith("sixprime: ")
    assert reason in line
    assert "SIXPRIME_CACHE" in line
    assert {path for path in site.rglob("*") if path.suffix != ".pyc"} - before == {
        each for each in site.rglob("__pycache__") if each not in before
    }


def _others_may_read(*paths: str | Path) -> bool:
    folders = {parent for each in paths for parent in Path(each).resolve().parents}
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders)


@pytest.mark.parametrize(
    ("words", "more"),
    [((), {"LANG": "C", "LC_ALL": "C"}), (("sh", "-c", 'umask 077; exec "$@"', "sh"), {})],
    ids=["LANG=C", "umask 077"],
)
def test_an_odd_environment_changes_nothing(
    words: tuple[str, ...], more: dict[str, str], site: Path, tmp_path: Path
) -> None:
    assert lines_of(started(site, tmp_path, *words, **more)) == []
    assert list(tmp_path.glob("kernels-*/moves.generate*"))


def test_two_processes_may_begin_on_an_empty_cache(site: Path, tmp_path: Path) -> None:
    both = [started(site, tmp_path) for _ in range(2)]
    assert [lines_of(process) for process in both] == [[], []]
    names = [
        path.name.rsplit("-", 1)[0] for path in tmp_path.glob("kernels-*/moves.generate_into*")
    ]
    assert names == ["moves.generate_into"]


@pytest.mark.slow  # it compiles them
@pytest.mark.parametrize(
    ("part", "whole", "kernel"),
    [("worths", "ranking", "tree.worths_of_result"), ("pruning", "search", "pruning.rank_results")],
)
def test_a_part_is_compiled_for_the_whole_once(
    part: str, whole: str, kernel: str, site: Path, tmp_path: Path
) -> None:
    for key in (part, whole):
        cache = {"SIXPRIME_CACHE": str(tmp_path), "NUMBA_CACHE_DIR": ""}
        in_python("-m", "sixprime", "warmup", key, cwd=tmp_path, site=site, **cache)
        assert len(list(tmp_path.glob(f"kernels-*/{kernel}-*"))) == 1
