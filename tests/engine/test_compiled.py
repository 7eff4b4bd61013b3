"""Compiled kernels on disk: one process makes them, a broken or forbidden file stops nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from sixprime.engine.compiling import place
from tests.support.places import ROOT

pytestmark = pytest.mark.patient

# prints what was compiled in this process, then results
PROGRAM = """
import sys, time
import numpy as np
from sixprime.engine.compiling.kept import compiling
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel

@kernel
def twice(x):
    return 2 * x

@kernel
def more(x):
    return twice(x) + 1

@kernel
def fall(x):
    return 0 if x == 0 else fall(x - 1)

@array_kernel
def counted(x):
    return np.arange(x)

def said(name):
    print(name)
    time.sleep(float(sys.argv[1]))

compiling.append(said)
print(more(3), more(3.5), fall(3), counted(3))
if "numba.np.linalg" in sys.modules:
    print("loaded what only compiling needs", file=sys.stderr)
"""
NAMES = {"__main__.more", "__main__.twice", "__main__.fall", "__main__.counted"}
COMPILING = "loaded what only compiling needs\n"


def start(cache: Path, program: str = PROGRAM, *, wait: float = 0.0) -> subprocess.Popen[str]:
    environment = {**os.environ, "SIXPRIME_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(wait)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compiled_by(process: subprocess.Popen[str]) -> tuple[set[str], str]:
    """What it compiled and what it said on stderr; its results are right."""
    output, errors = process.communicate(timeout=120)
    *names, results = output.splitlines()
    assert (process.returncode, results) == (0, "7 8.0 0 [0 1 2]"), errors
    return set(names), errors


def test_a_kernel_is_compiled_once_and_then_loaded(tmp_path: Path) -> None:
    assert compiled_by(start(tmp_path)) == (NAMES, COMPILING)
    assert compiled_by(start(tmp_path)) == (set(), "")


INTERRUPTED = """
import ctypes
from sixprime.engine.compiling.kept import compiling
from sixprime.engine.kernels.machine.compiled import kernel

@kernel
def twice(x):
    return 2 * x

def interrupted():
    raise KeyboardInterrupt  # as in a function that LLVM calls

compiling.append(lambda name: ctypes.CFUNCTYPE(None)(interrupted)())
try:
    twice(3)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_in_a_callback_of_the_compiler_is_neither_lost_nor_printed(tmp_path: Path) -> None:
    said = start(tmp_path, INTERRUPTED).communicate(timeout=120)
    assert said == ("interrupted\n", "")


def test_two_processes_that_start_together_compile_each_kernel_once(tmp_path: Path) -> None:
    both = [start(tmp_path, wait=0.3) for _ in range(2)]
    one, other = (compiled_by(process)[0] for process in both)
    assert one | other == NAMES
    assert len(list(tmp_path.rglob("*.lock"))) == 0


def test_a_file_that_a_full_disk_cut_off_is_made_again(tmp_path: Path) -> None:
    compiled_by(start(tmp_path))
    for path in tmp_path.rglob("*more-*"):
        path.write_bytes(path.read_bytes()[:-100])
    assert compiled_by(start(tmp_path))[1] == COMPILING


@pytest.mark.parametrize("place", ["/dev/null/cache", "/proc/sixprime", "/sys/sixprime"])
def test_without_a_place_for_kernels_one_warning_and_everything_works(place: str) -> None:
    names, errors = compiled_by(start(Path(place)))
    assert names == NAMES
    assert errors.count("KernelsNotKept") == 1
    assert "SIXPRIME_CACHE" in errors


def test_the_folder_changes_with_any_source_that_holds_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = tmp_path / "engine" / "kernels"
    kernels.mkdir(parents=True)
    monkeypatch.setattr(place, "_ENGINE", kernels.parent)
    folders = set()
    for text in ("", "one", "another"):
        (kernels / "a.py").write_text(text)
        place.kernels_folder.cache_clear()
        folders.add(place.kernels_folder())
    place.kernels_folder.cache_clear()
    assert len(folders) == 3


def test_a_version_that_begins_deletes_kernels_of_versions_long_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, days in (("kernels-old", 91), ("kernels-new", 89), ("bearoff", 999)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
        then = time.time() - days * 86_400
        os.utime(tmp_path / name, (then, then))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    place.kernels_folder.cache_clear()
    folder = place.kernels_folder()
    assert {each.name for each in tmp_path.iterdir()} == {"bearoff", "kernels-new"}
    folder.mkdir()
    place.kernels_folder.cache_clear()
    os.utime(tmp_path / "kernels-new", (0, 0))
    place.kernels_folder()
    place.kernels_folder.cache_clear()
    assert (tmp_path / "kernels-new").is_dir()  # a start costs no look at old folders


def test_a_user_without_a_home_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("SIXPRIME_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OSError):
        place.cache_folder().mkdir(parents=True)


def test_what_cannot_be_kept_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_warned", [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for reason in ("full", "full", "read-only"):
            place.not_kept(reason)
    assert len(caught) == 1
