"""Files of user names: what is one, and what is said of others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.cli.main import main
from sixprime.bot.settings.namefiles import names_in, names_of
from sixprime.engine.system.errors import ConfigError

NAMES = st.text("abcXYZ019_", min_size=1, max_size=12)


@given(st.lists(NAMES), st.sampled_from(["\n", "\r\n", " # why\n", "\n\n# a line\n\t"]))
def test_a_file_is_a_name_a_line_with_comments(names: list[str], end: str) -> None:
    text = "".join(name + end for name in names)
    assert list(names_in(text.encode("utf-8-sig"))) == names


@given(st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_whatever_is_in_a_file_is_names_or_one_clear_fault(data: bytes) -> None:
    try:
        names = list(names_in(data))
    except ConfigError as fault:
        assert "line " in str(fault) or "UTF-8" in str(fault)
    else:
        assert all(name.isascii() and name.replace("_", "x").isalnum() for name in names)


def test_what_is_no_plain_file_is_never_opened(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(2**21)
    for path in (pipe, large, tmp_path):
        with pytest.raises(ConfigError, match="not a plain file"):
            names_of(path)


def test_a_broken_file_is_named_before_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names, file = tmp_path / "names", tmp_path / "bot.yaml"
    names.write_text("marvin\n\ntwo words\n")
    file.write_text(
        f"account: {{user: anna}}\nlobby: {{accept: {{block_file: {names}}}}}\n"
        "archive: {database: null, folder: null}\n"
    )
    assert main(["config", "check", str(file)]) == 2
    place = f"lobby.accept.block_file: {names}: line 3: not a user name"
    assert place in capsys.readouterr().err
    monkeypatch.setenv("SIXPRIME_PASSWORD", "secret99")
    assert main(["play", "--config", str(file)]) == 2
    assert place in capsys.readouterr().err
    names.unlink()
    assert main(["config", "check", str(file)]) == 2
    assert "No such file" in capsys.readouterr().err
