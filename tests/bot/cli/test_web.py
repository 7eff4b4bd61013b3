"""`sixprime web` before it serves."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import keep_match
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.main import main
from sixprime.bot.cli.operator.web import page_of
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.bot.web.library.replaying import Replayed
from tests.support.handwritten import drawn_match


@pytest.mark.parametrize(
    ("option", "value", "fault"),
    [
        ("--listen", "here", "not HOST:PORT"),
        ("--name", "two words", "not one printable word"),
        ("--proxy", "nginx", "not an address such as 127.0.0.1"),
        ("--database", "archive.db", "not a database URL; a file is written sqlite:///"),
    ],
)
def test_a_fault_names_its_option(
    option: str, value: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", option, value]) == 2
    assert capsys.readouterr().err.startswith(f"sixprime web: {option}: {fault}")


def test_a_password_on_the_command_line_is_refused_and_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["web", "--database", "postgresql://bot:hunter22@127.0.0.1/archive"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sixprime web: no password on a command line")
    assert "hunter22" not in error


def test_a_position_or_an_archived_move_has_a_page_to_play_on_from(tmp_path: Path) -> None:
    archive = Archive(ArchiveSettings(database=f"sqlite:///{tmp_path / 'a.db'}", folder=None))
    match = drawn_match(7, length=5).record
    number = keep_match(archive, match)
    assert page_of("4HPwATDgc/ABMA", archive) == "position?id=4HPwATDgc/ABMA"
    game = len(match.games)
    shown = Replayed.from_match(match, None)
    step = int(page_of(f"{number}.{game}.3", archive).removeprefix(f"archive/{number}?step="))
    assert shown.shown(step)["words"]["move"] == 3
    assert shown.shown(step)["game"] == game
    for wrong in ("nonsense", f"{number}.99.1", f"{number}.1.999", "77.1.1"):
        with pytest.raises(UsageError, match=wrong):
            page_of(wrong, archive)
    archive.close()
