"""`archive analyse` goes on at the level that it was last asked for."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from sixprime.bot.analysis.store import asked_level, note_level
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import STEPS
from sixprime.bot.archive.tables import choices
from sixprime.bot.cli.main import main
from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.engine.analysis.settings import AnalysisSettings
from tests.support.archive.told import settings_in

LEVELS = "levels: {mine: {checker: {plies: 0}, cube: {plies: 0}}}"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """An archive without a match, so that nothing is analysed."""
    settings = settings_in(tmp_path)
    Archive(settings).close()
    assert settings.database is not None
    return settings.database


class Asker:
    """Runs the command, and returns the object that it prints."""

    def __init__(self, database: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._words = ["archive", "analyse", "--json", "--processes", "1", "--database", database]
        self._capsys = capsys

    def told(self, *words: str) -> dict[str, Any]:
        assert main([*self._words, *words]) == 0
        printed: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return printed

    def refusal(self, *words: str) -> str:
        assert main([*self._words, *words]) == 2
        return self._capsys.readouterr().err


@pytest.fixture
def asker(database: str, capsys: pytest.CaptureFixture[str]) -> Asker:
    return Asker(database, capsys)


def test_an_analysis_goes_on_at_the_level_last_asked_for(asker: Asker) -> None:
    assert asker.told()["level"] == "world-class"
    for level in ("casual", "expert"):
        for words in (["--level", level], [], []):
            told = asker.told(*words)
            assert told["level"] == level
            assert told["settings"] == AnalysisSettings.of(level).key
    assert {"settings", "analysed", "skipped", "broken"} < told.keys()


def test_a_level_that_is_refused_is_not_remembered(asker: Asker) -> None:
    asker.told("--level", "casual")
    assert "grandmother" in asker.refusal("--level", "grandmother")
    assert "no match 7" in asker.refusal("--level", "expert", "--match", "7")
    assert asker.told()["level"] == "casual"


def test_a_level_of_a_file_needs_that_file_again(asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "levels.yaml").write_text(LEVELS)
    file = ["--levels-file", str(tmp_path / "levels.yaml")]
    key = asker.told(*file, "--level", "mine")["settings"]
    why = asker.refusal()
    assert "mine, the level of the last analysis here: say --level, or --levels-file" in why
    assert asker.told(*file)["settings"] == key


def test_a_rating_is_remembered(asker: Asker) -> None:
    key = asker.told("--level", "1650")["settings"]
    assert asker.told()["settings"] == key


def test_an_older_archive_learns_to_remember(database: str) -> None:
    begins = min(number for number, steps in STEPS.items() if choices in steps)
    later = [step for number in STEPS if number >= begins for step in STEPS[number]]
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as lite:
        for table in (step for step in later if isinstance(step, Table)):
            lite.execute(f"DROP TABLE {table.name}")
        lite.execute("UPDATE sixprime_schema SET version = ?", [begins - 1])
        lite.commit()
    for remembered in (None, "expert"):
        with closing(Archive(ArchivePlace(database, folder=None))) as archive:
            assert asked_level(archive) == remembered
            note_level(archive, "expert")
