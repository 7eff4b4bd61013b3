"""`sixprime demo` plays in the terminal and ends by itself."""

from __future__ import annotations

import pytest

from bot.cli.main import main


def test_a_demo_plays_a_match_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--length", "3", "--seed", "42"]) == 0
    shown = capsys.readouterr().out
    assert "legal plays" in shown
    assert "|BAR|" in shown
    assert shown.splitlines()[-1].split("wins the match")[0].strip() in ("anna", "ben")


def test_the_same_seed_shows_the_same_demo(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--seed", "5"])
    once = capsys.readouterr().out
    main(["demo", "--seed", "5"])
    assert capsys.readouterr().out == once


@pytest.mark.parametrize("option", ["--length=0", "--length=65", "--matches=0", "--seed=-1"])
def test_impossible_options_are_one_clear_line(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", option]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"sixprime demo: {option.split('=')[0]}")
    assert complaint.count("\n") == 1
