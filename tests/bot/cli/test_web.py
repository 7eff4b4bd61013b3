"""`sixprime web` before it serves."""

from __future__ import annotations

import pytest

from sixprime.bot.cli.main import main


@pytest.mark.parametrize(
    ("option", "value", "fault"),
    [
        ("--listen", "here", "not HOST:PORT"),
        ("--name", "two words", "not one printable word"),
        ("--proxy", "nginx", "not an address such as 127.0.0.1"),
        ("--archive", "archive.db", "not a database URL; a file is written sqlite:///"),
    ],
)
def test_a_fault_names_its_option(
    option: str, value: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", option, value]) == 2
    assert capsys.readouterr().err.startswith(f"sixprime web: {option}: {fault}")
