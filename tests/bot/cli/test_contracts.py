"""Contracts: `decide`, UBGI, gnubg's socket, files and settings answer as commit b9b16e8 did.

Figures and plays are those of the nets that ship (`tests.support.contracts`).
"""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from sixprime.bot.cli.main import main
from tests.support.contracts import answers_of_socket, stored
from tests.support.places import ROOT

SAID = stored()
ROUNDING = 2e-5  # processors add floats in another order


def equal(then: object, now: object) -> bool:
    """The same keys, texts and whole numbers, and the same figures but for their last digits."""
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() <= now.keys() and all(equal(then[key], now[key]) for key in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) == len(now) and all(map(equal, then, now))
    if isinstance(then, float) and isinstance(now, int | float):
        return abs(then - now) <= ROUNDING * max(1.0, abs(then))
    return then == now


def answered(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: str, text: str = ""
) -> tuple[int, str]:
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    code = main(shlex.split(words))
    return code, capfd.readouterr().out


@pytest.mark.parametrize("level", SAID["decide"])
def test_decide_answers_as_before(
    level: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked, then = SAID["decide"][level]
    _, now = answered(monkeypatch, capfd, f"decide --level {level}", asked)
    pairs = zip(then.splitlines(), now.splitlines(), strict=True)
    for before, after in ((json.loads(a), json.loads(b)) for a, b in pairs):
        if "error" in before:
            assert before.keys() == after.keys()
            assert before["id"] == after["id"]
        else:
            assert before.keys() == after.keys()
            assert equal(before, after), (before, after)


@pytest.mark.parametrize("level", SAID["ubgi"])
def test_ubgi_talks_as_before(
    level: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked, then = SAID["ubgi"][level]
    _, now = answered(monkeypatch, capfd, f"ubgi --level {level}", asked)

    def lines(said: str) -> list[str]:  # an error's code counts, not its words
        known = [each for each in said.splitlines() if not each.startswith("id version")]
        return [" ".join(x.split()[:2]) if x.startswith("error") else x for x in known]

    assert lines(now) == lines(then)


@pytest.mark.patient
def test_gnubgs_socket_answers_as_before(tmp_path: Path) -> None:
    questions, then = zip(*SAID["external"], strict=True)
    assert answers_of_socket(tmp_path / "six", list(questions)) == list(then)


@pytest.mark.parametrize("words", [each for each in SAID["commands"] if "config" not in each])
def test_commands_write_the_same_json_and_files(
    words: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    code, then = SAID["commands"][words]
    if words.startswith("convert"):
        _, source, out = words.split()
        words = f"convert tests/data/interop/{source} {tmp_path / out}"
        assert answered(monkeypatch, capfd, words)[0] == code
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == then
        return
    now_code, now = answered(monkeypatch, capfd, words)
    assert now_code == code
    if "--json" in words:
        assert equal(json.loads(then), json.loads(now))
    else:
        assert now.split() == then.split()


def test_settings_mean_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    words = "config show config/fibs.yaml"
    then, now = (
        yaml.safe_load(text)
        for text in (SAID["commands"][words][1], answered(monkeypatch, capfd, words)[1])
    )
    topics = then["notices"]["about"]
    now["notices"]["about"] = [each for each in now["notices"]["about"] if each in topics]
    for settings in (then, now):
        for profile in settings["profiles"].values():
            for name, said in profile["chat"].items():
                # a sentence may be worded anew
                profile["chat"][name] = "" if isinstance(said, str) else said
    assert equal(then, now)
