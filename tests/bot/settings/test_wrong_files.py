"""Whatever stands in a settings file, what is wrong is said in words, and where."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.settings.file import load_config, read_config
from sixprime.engine.system.errors import ConfigError

PATH = Path("my.yaml")
SHIPPED = Path("config/fibs.yaml").read_text(encoding="utf-8")
SHORT = "server: {host: x}\naccount: {user: anna}\n"
VALUES = (
    "null", "true", "~", "''", "[]", "{}", "[1, [2]]", "{a: {b: c}}", "1", "-1", "1e999", ".nan",
    "-.inf", "0x1f", "0b12", "0o8", "1_000", "12:30:45", "1:60", "9" * 5_000, "-" + "9" * 400,
    "1." + "9" * 5_000, "2026-11-23", "2026-13-45", "12:61", "!!int abc", "!!int ''", "!!int 9_",
    "!!float x", "!!float ''", "!!bool maybe", "!!null x", "!!binary '*'", "!!binary aGFsbG8=",
    "!!timestamp x", "!!timestamp 2026-99-99", "!!set {a, b}", "!!set [a]", "!!omap [a: 1]",
    "!!pairs [a: 1]", "!!str [1]", "!!seq {a: 1}", "!!map [1]", "!!str 1", "!x y", "!!python/none",
    "!!python/object/apply:os.system ['true']", "&a x", "*a", "&a [*a]", "<<", "=", "|\n  text",
    ">\n  text", '"\\ud800"', '"\\0"', '"\\x7f"', '"\\uFFFE"', "'\u202e'", "\t1", "@x", "`x", "%x",
    "? a", "- a", "a: b: c", "[", "]", "{", "}", "'", '"', "#", "---", "...", "--- a\n---",
    "\x00", "\ufeff", "\x85", "{a: 1, a: 2}", "{[1]: 2}", "{{a: 1}: 2}", "{.nan: 1}", "{1: 2}",
    "{<<: {a: 1}}", "{<<: [1]}", "{<<: 1}", "{? a}", "{=: 1}", "[" * 1_000, "{a: " * 1_000,
)  # fmt: skip
PLACES = (
    "{}", "server: {}", "server: {{host: {}}}", "server: {{port: {}}}", "account: {}",
    "player: {{level: {}}}", "player: {{level: {{plies: {}}}}}", "lobby: {{accept: {}}}",
    "lobby: {{accept: {{match_lengths: {}}}}}", "lobby: {{accept: {{match_lengths: [{}]}}}}",
    "archive: {{database: {}}}", "logging: {}", "metrics: {{listen: {}}}", "profiles: {}",
    "profiles: {{a: {}}}", "profiles: {{a: {{account: {}}}}}", "{}: 1", "server: {{{}: 1}}",
    "<<: {}", "? {}\n: 1",
)  # fmt: skip
scraps = st.sampled_from((*VALUES, *SHIPPED.splitlines(keepends=True))) | st.text(max_size=5)


def check(text: str) -> None:
    with suppress(ConfigError):
        read_config(text, PATH)


@pytest.mark.parametrize("place", PLACES)
def test_any_value_anywhere_is_read_or_refused(place: str) -> None:
    for value in VALUES:
        for before in ("", SHORT):
            check(before + place.format(value))


@given(st.lists(scraps, max_size=12).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    check(text)


@given(st.integers(0, len(SHIPPED)), st.integers(0, 40), scraps)
def test_the_shipped_file_with_a_damage_is_read_or_refused(at: int, cut: int, scrap: str) -> None:
    check(SHIPPED[:at] + scrap + SHIPPED[at + cut :])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("server: {port: !!int abc}", "line 1, column 16: no whole number"),
        (f"server: {{port: {'9' * 5_000}}}", "line 1, column 16: no whole number"),
        ("server: {port: !!float x}", "line 1, column 16: no number"),
        ("server: {host: !!binary aGFsbG8=}", "line 1, column 16: !!binary is not understood"),
        (
            "server: {host: !!timestamp 2026-11-23}",
            "line 1, column 16: !!timestamp is not understood",
        ),
        ("server: !!set {host, port}", "line 1, column 9: !!set is not understood"),
        ("<<: {server: {port: 1}}", "no setting '<<'"),
        ('server: {host: "\\ud800"}', "line 1, column 16: a character is broken"),
        ("server: {connect_within_s: .nan}", "server.connect_within_s: "),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, fault: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        read_config(text, PATH)
    assert any(each.startswith(fault) for each in wrong.value.faults), wrong.value.faults


def test_what_is_no_settings_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(100_000_000)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for path, why in (
        (pipe, "not a file"),
        (tmp_path, "not a file"),
        (large, "larger than 1,000,000 bytes"),
        (binary, "not a text file in UTF-8"),
        (tmp_path / "missing", "No such file or directory"),
    ):
        with pytest.raises(ConfigError) as wrong:
            load_config(path)
        assert wrong.value.faults == [why]
