"""Relative paths of a settings file are places beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.settings import levels
from sixprime.bot.settings.file import load_config
from sixprime.engine.system.errors import ConfigError

FILE = """
account: {user: anna, password_file: secrets/anna}
archive: {database: "sqlite:///kept/bot.db", folder: matches}
logging: {file: /var/log/bot.log}
profiles:
  one: {}
  two: {account: {user: ben}, archive: {database: "postgresql://host/ben", folder: kept/two}}
"""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in a folder that is not the one we work in."""
    (tmp_path / "home").mkdir()
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "home" / "bot.yaml"
    path.write_text(FILE)
    monkeypatch.chdir(tmp_path / "elsewhere")
    return path


def test_paths_are_beside_the_file(settings: Path) -> None:
    one, two = load_config(settings).profiles
    home = settings.parent
    assert one.account.password_file == home / "secrets/anna"
    assert one.archive.database == f"sqlite:///{home}/kept/bot.db"
    assert one.archive.folder == home / "matches"
    assert two.archive.database == "postgresql://host/ben"
    assert two.archive.folder == home / "kept/two"
    assert load_config(Path("../home/bot.yaml")).profiles[0].archive.database == (
        "sqlite:///../home/kept/bot.db"
    )


def test_a_tilde_is_the_home_folder(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    settings.write_text(
        'account: {user: anna, password_file: ~/a}\narchive: {database: "sqlite:///~/b.db"}\n'
        "logging: {file: ~nobody_here/c}\n"
    )
    for folder in (settings.parent, Path("/")):
        monkeypatch.chdir(folder)
        found = load_config(settings)
        assert found.profiles[0].account.password_file == Path("/home/me/a")
        assert found.profiles[0].archive.database == "sqlite:////home/me/b.db"
        assert found.logging.file is not None
        assert found.logging.file.name == "c"


def test_what_a_level_reads_is_beside_the_file_that_names_it(settings: Path) -> None:
    folder = settings.parent / "levels"
    folder.mkdir()
    (folder / "levels.yaml").write_text(
        "levels: {a: {met: a.xml}, b: {bearoff: {one_sided: b.bd}}, c: {met: woolsey}}"
    )
    with pytest.raises(ConfigError) as wrong:
        levels.load_levels(folder / "levels.yaml")
    first, second = wrong.value.faults
    assert str(folder / "a.xml") in first
    assert str(folder / "b.bd") in second
    settings.write_text(
        "account: {user: anna}\nplayer: {level: {bearoff: {two_sided: levels/two.bd}}}\n"
    )
    level = load_config(settings).profiles[0].player.level
    assert level == {"bearoff": {"two_sided": str(folder / "two.bd")}}


def test_what_lies_in_the_working_directory_as_before_is_used(settings: Path) -> None:
    Path("kept").mkdir()
    Path("kept/bot.db").touch()
    assert load_config(settings).profiles[0].archive.database == "sqlite:///kept/bot.db"
    (settings.parent / "kept").mkdir()
    (settings.parent / "kept/bot.db").touch()
    found = load_config(settings).profiles[0].archive.database
    assert found == f"sqlite:///{settings.parent}/kept/bot.db"


def test_a_place_that_we_may_not_look_at_is_beside_the_file(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ExecReload= reads the settings, and systemd shows it no credentials."""
    stat = os.stat

    def refused(path: Any, *words: Any, **named: Any) -> os.stat_result:
        if "secrets" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *words, **named)

    monkeypatch.setattr(os, "stat", refused)
    assert (
        load_config(settings).profiles[0].account.password_file == settings.parent / "secrets/anna"
    )


def test_what_is_not_said_and_what_is_beside_us_stays(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(settings.parent)
    assert load_config(Path("bot.yaml")).profiles[0].archive.database == "sqlite:///kept/bot.db"
    Path("bare.yaml").write_text("account: {user: anna}\n")
    monkeypatch.chdir("..")
    bare = load_config(Path("home/bare.yaml")).profiles[0].archive
    assert (bare.database, bare.folder) == (
        "sqlite:///archive/sixprime.db",
        Path("archive/matches"),
    )


@pytest.mark.parametrize("name", ["a b", "a%20b", "50%", "a?b", "a#b", "Zo\u00eb"])
def test_folders_may_be_called_anything(name: str, settings: Path) -> None:
    home = settings.parent.rename(settings.parent.with_name(name))
    (home / "match.sgf").write_text("(;GM[6]PW[a]PB[b]MI[length:0];W[31hefe])")
    ours = "--config", str(home / "bot.yaml"), "--profile", "one"
    assert main(["archive", "import", str(home / "match.sgf"), *ours]) == 0
    assert main(["archive", "backup", str(home / "backup.db"), *ours]) == 0
    assert (home / "kept" / "bot.db").exists()
    assert (home / "backup.db").exists()


def test_commands_in_two_folders_have_one_archive(
    settings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text('account: {user: anna}\narchive: {database: "sqlite:///bot.db"}\n')
    match = settings.parent / "match.sgf"
    match.write_text("(;GM[6]PW[a]PB[b]MI[length:0];W[31hefe])")
    assert main(["archive", "import", str(match), "--config", str(settings)]) == 0
    monkeypatch.chdir("/")
    capsys.readouterr()
    assert main(["archive", "list", "--config", str(settings), "--json"]) == 0
    assert '"account": "a"' in capsys.readouterr().out
