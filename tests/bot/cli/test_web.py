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
        ("--database", "archive.db", "not a database URL; a file is written sqlite:///"),
    ],
)
def test_a_fault_names_its_option(
    option: str, value: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", option, value]) == 2
    named = option.replace("--database", "--archive")  # as the archive commands call it
    assert capsys.readouterr().err.startswith(f"sixprime web: {named}: {fault}")


def test_a_password_on_the_command_line_is_refused_and_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["web", "--archive", "postgresql://bot:hunter22@127.0.0.1/archive"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sixprime web: no password on a command line")
    assert "hunter22" not in error
