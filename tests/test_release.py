"""`deploy/release` makes nothing of a tag that the tree, the version or the changelog contradict.

What it makes of a good one, .ci/release tries.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.places import ROOT

ME = ("-c", "user.name=me", "-c", "user.email=me@example.org")
PROJECT = '[project]\nname = "sixprime"\nversion = "1.2.0"\n'
CHANGES = "# Changelog\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n"


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *words: str) -> None:
        subprocess.run(["git", *ME, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", name)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that lacks only the tag."""
    folder = tmp_path_factory.mktemp("good")
    (folder / "deploy").mkdir()
    shutil.copy(ROOT / "deploy/release", folder / "deploy")
    (folder / "pyproject.toml").write_text(PROJECT)
    repository = Repository(folder)
    repository.git("init", "--quiet", "--template=")
    repository.commit("CHANGELOG.md", CHANGES)
    return folder


def changed(repository: Repository) -> None:
    repository.git("tag", "v1.2.0")
    (repository.folder / "new.py").write_text("")


def untagged(repository: Repository) -> None:
    repository.git("branch", "v1.2.0")


def tagged_before(repository: Repository) -> None:
    repository.git("tag", "v1.2.0")
    repository.commit("new.py", "")


def another_version(repository: Repository) -> None:
    repository.commit("pyproject.toml", PROJECT.replace("1.2", "1.3"))
    repository.git("tag", "v1.2.0")


def another_change(repository: Repository) -> None:
    repository.commit("CHANGELOG.md", CHANGES.replace("1.2.0", "1.3.0"))
    repository.git("tag", "v1.2.0")


def made_before(repository: Repository) -> None:
    repository.git("tag", "v1.2.0")
    (repository.folder.parent / "out").mkdir()
    (repository.folder.parent / "out" / "sixprime-1.1.0.tar.gz").write_text("")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (changed, "the tree has changes"),
        (untagged, "there is no tag v1.2.0"),
        (tagged_before, "v1.2.0 is not what is checked out"),
        (another_version, "pyproject.toml has version 1.3.0"),
        (another_change, "CHANGELOG.md begins with 1.3.0"),
        (made_before, "out is not empty"),
    ],
)
def test_nothing_is_released_of(
    spoil: Callable[[Repository], None], says: str, good: Path, tmp_path: Path
) -> None:
    repository = Repository(shutil.copytree(good, tmp_path / "tree"))
    spoil(repository)
    made = subprocess.run(
        [repository.folder / "deploy/release", "v1.2.0", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 1
    assert says in made.stderr
    assert not list(tmp_path.glob("out/*.whl"))
