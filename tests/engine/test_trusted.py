"""Kernels, databases and secrets that another user could have written are not believed."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.settings.passwords import first_line
from sixprime.bot.settings.schema import WebSettings
from sixprime.bot.web.serving import _passwords
from sixprime.engine.bearoff import databases
from sixprime.engine.compiling import place
from sixprime.engine.system.errors import ConfigError, Unavailable
from sixprime.engine.system.trusted import distrust, other_writer
from tests.support.places import ROOT

US, STRANGER, NOBODYS = 1_000, 1_001, 54_321  # users, and a group that the system does not know


def facts(mode: int, owner: int, group: int = NOBODYS) -> os.stat_result:
    return os.stat_result((mode, 0, 0, 1, owner, group, 0, 0, 0, 0))


@pytest.fixture
def as_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: US)
    monkeypatch.setattr(os, "getegid", lambda: US)


@pytest.mark.usefixtures("as_us")
@pytest.mark.parametrize(
    ("mode", "owner", "group", "who"),
    [
        (0o100600, US, US, ""),
        (0o100444, 0, 0, ""),  # a secret of a container
        (0o100440, 0, NOBODYS, ""),  # of Kubernetes, and of systemd
        (0o100664, 0, 0, ""),
        (0o100644, STRANGER, US, "1001"),
        (0o100400, STRANGER, US, "1001"),  # its owner can chmod it
        (0o100666, US, US, "everybody"),
        (0o100622, 0, 0, "everybody"),
        (0o100660, US, NOBODYS, "the group"),
        (0o041777, 0, 0, "everybody"),  # no folder for kernels, though they may be below it
    ],
)
def test_who_else_can_write(mode: int, owner: int, group: int, who: str) -> None:
    assert who in other_writer(facts(mode, owner, group))
    assert bool(who) is bool(other_writer(facts(mode, owner, group)))


@given(st.integers(0, 0o1777), st.sampled_from([0, US, STRANGER]), st.booleans())
def test_no_bit_lets_a_stranger_write(mode: int, owner: int, sticky_is_safe: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: US)
        patch.setattr(os, "getegid", lambda: US)
        found = facts(stat.S_IFDIR | mode, owner)
        could = owner == STRANGER or (bool(mode & 0o022) and not (sticky_is_safe and mode & 0o1000))
        assert bool(other_writer(found, sticky_is_safe=sticky_is_safe)) is could


def test_the_folders_above_and_the_files_inside_count(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "a" / "b"
    assert distrust(folder) == ""  # it does not exist, and nobody else can make it
    folder.mkdir(parents=True)
    (folder / "kernel").touch(0o600)
    assert distrust(folder) == ""
    for wrong, remedy in ((folder.parent, "chmod go-w"), (folder, "chmod go-w"),
                          (folder / "kernel", "rm")):  # fmt: skip
        before = wrong.stat().st_mode
        wrong.chmod(0o777)
        assert distrust(folder) == f"everybody can write {wrong}: {remedy} {wrong}"
        wrong.chmod(before)
    folder.parent.chmod(0o1777)  # as /tmp
    assert distrust(folder) == ""


# --- the cache

PROGRAM = """
import sys
from pathlib import Path
from typing import Any
from sixprime.engine.compiling import place
place._own_cache = lambda: Path(sys.argv[1])
from sixprime.engine.kernels.machine.compiled import kernel

@kernel
def more(x):
    return 2 * x + 1

print(more(3))
"""


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def run(cache: Path, own: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SIXPRIME_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", PROGRAM, str(own)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.patient
def test_a_kernel_that_somebody_planted_is_not_unpickled(tmp_path: Path) -> None:
    cache, own, bomb = tmp_path / "cache", tmp_path / "own", tmp_path / "bomb"
    assert run(cache, own).stdout == "7\n"
    (kernel,) = cache.rglob("*more-*")
    code = pickle.dumps(Bomb(bomb))
    kernel.write_bytes(hashlib.sha256(code).digest() + code)
    cache.chmod(0o777)
    done = run(cache, own)
    assert done.stdout == "7\n", "the kernel is compiled again"
    assert not bomb.exists(), "the planted code ran"
    assert f"chmod go-w {cache}" in done.stderr
    assert list(own.rglob("*more-*")), "kept where nobody else can write"


def test_a_database_that_somebody_planted_is_not_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(place, "_own_cache", lambda: tmp_path / "own")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with pytest.warns(place.CacheNotTrusted, match="chmod go-w"):
        path, _ = databases._places(databases.OneSided(6))
    assert path.is_relative_to(tmp_path.resolve() / "own")


def test_two_untrusted_caches_leave_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    monkeypatch.setattr(place, "_own_cache", lambda: tmp_path / "own")
    with pytest.warns(place.CacheNotTrusted):
        folder = place.trusted_folder(tmp_path / "cache", "kernels")
    with pytest.raises(OSError):
        folder.mkdir(parents=True)


def test_a_cache_of_ours_is_used_without_a_word(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert place.trusted_folder(tmp_path, "kernels") == tmp_path.resolve() / "kernels"
    assert not caught


# --- secrets


def test_secrets_that_others_could_write_are_refused_with_a_remedy(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("open sesame\nmore")
    for mode in (0o600, 0o644, 0o444, 0o440):
        secret.chmod(mode)
        assert first_line(secret, "account.password_file") == "open sesame"
    secret.chmod(0o666)
    with pytest.raises(ConfigError) as refused:
        first_line(secret, "account.password_file")
    assert str(refused.value) == (
        f"account.password_file: {secret}: everybody can write it: chmod go-w {secret}"
    )


def test_a_device_or_a_pipe_holds_no_secret(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    for path in (Path("/dev/zero"), Path("/dev/null"), pipe, tmp_path):
        with pytest.raises(ConfigError, match=r"web\.password_file: .*: (not a file|Is a dir)"):
            first_line(path, "web.password_file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can chown")
def test_a_strangers_file_is_no_secret_of_ours(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("open sesame")
    os.chown(secret, STRANGER, STRANGER)
    with pytest.raises(ConfigError, match=rf"belongs to the user {STRANGER}: chown root {secret}"):
        first_line(secret, "account.password_file")


@pytest.mark.parametrize("setting", ["password_file", "watch_password_file", "token_file"])
def test_one_letter_is_no_password_of_the_pages(tmp_path: Path, setting: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x\n")
    with pytest.raises(Unavailable, match=f"can be guessed: openssl rand -hex 24 >{secret}"):
        _passwords(WebSettings.model_validate({setting: secret}))
