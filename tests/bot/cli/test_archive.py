"""`sixprime archive`."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchfiles import FORMATS, read_matches
from sixprime.bot.cli.main import main
from sixprime.protocols import readers
from tests.support.archive.told import fibs_match, keep, settings_in, told
from tests.support.places import INTEROP

MONEY = "(;GM[6]PW[a]PB[b]MI[length:0];W[31hefe])"
SAMPLE = INTEROP / "oldmoves-2games.fibs"


@pytest.fixture
def source(tmp_path: Path) -> list[str]:
    """An archive with one match of ours, as options."""
    settings = settings_in(tmp_path)
    archive = LiveArchive(settings)
    keep(archive, told(fibs_match(5)))
    archive.close()
    assert settings.database is not None
    return ["--database", settings.database]


@pytest.mark.parametrize("verb", ["show 1", "check", "backup copy.db"])
def test_what_cannot_be_read_is_told_by_its_place(
    verb: str, source: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    database = source[1]
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE matches SET record = CAST(X'FF' AS TEXT)")
        connection.commit()
    assert main(["archive", *verb.split(), *source]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"sixprime archive: {database}: Could not decode to UTF-8")
    assert said.count("\n") == 1


def test_a_backup_on_a_read_only_disk_can_be_read(
    source: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    folder = Path(source[1].removeprefix("sqlite:///")).parent
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    for verb in ("list", "show 1", "stats"):
        assert main(["archive", *verb.split(), *source]) == 0
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert main(["archive", "annotate", "1", "won", *source]) == 2
    assert "attempt to write a readonly database" in capsys.readouterr().err
    with closing(sqlite3.connect(folder / Path(source[1]).name)) as bot:  # which has it open
        bot.execute("UPDATE matches SET level = 'expert'")
        bot.commit()
        capsys.readouterr()
        assert main(["archive", "list", *source]) == 0
        assert " expert " in capsys.readouterr().out
    playing = LiveArchive(
        settings_in(folder.parent)
    )  # which must be able to write, sooner or later
    keep(playing, told(fibs_match(6)))
    playing.close()


def test_list_show_and_stats_tell_of_a_match(
    source: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    match = fibs_match(5)
    assert main(["archive", "list", *source]) == 0
    heading, line = capsys.readouterr().out.split("\n")[:2]
    assert heading.split()[:5] == ["id", "started", "(UTC)", "account", "opponent"]
    assert "2026-11-21 09:30" in line
    assert f"{match.score[0]}-{match.score[1]}" in line
    assert main(["archive", "show", "1", *source]) == 0
    shown = capsys.readouterr().out
    assert all(f"game {number} at" in shown for number in range(1, len(match.games) + 1))
    assert main(["archive", "show", "1", "--json", *source]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert len(plain["record"]["games"]) == len(match.games)
    assert main(["archive", "stats", "--json", *source]) == 0
    stats = json.loads(capsys.readouterr().out)
    (tally,) = stats["by_opponent"].values()
    assert (tally["won"], tally["lost"]) == (match.winner == 0, match.winner == 1)
    assert list(stats["by_length"]) == [str(match.length)]
    assert (list(stats["by_level"]), list(stats["by_month"])) == (["expert"], ["2026-11"])
    assert stats["ratings"] == {"anna": [["2026-11-21T10:30:00+00:00", 1502.5]]}
    assert main(["archive", "stats", *source]) == 0
    assert "rating of anna" in capsys.readouterr().out


def test_a_match_of_which_only_the_day_is_known_shows_no_time(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "galaxy.mat"
    path.write_text(
        '; [EventDate "2024.11.18"]\n\n 1 point match\n\n Game 1\n a : 0   b : 0\n'
        "  1) 31: 8/5 6/5   62: 24/18 13/11\n"
    )
    assert main(["archive", "import", str(path), *source]) == 0
    for words in (["list"], ["show", "2"]):
        capsys.readouterr()
        assert main(["archive", *words, *source]) == 0
        shown = capsys.readouterr().out
        assert "2024-11-18" in shown
        assert "T00:00" not in shown and " 00:00" not in shown


def test_exported_files_differ_where_upper_and_lower_case_do_not(
    source: list[str], tmp_path: Path
) -> None:
    names = {"carl": "31hefe", "Carl": "42qusu", "CARL": "61mghg"}
    for name, play in names.items():
        path = tmp_path / f"{name}{play}.sgf"
        path.write_text(f"(;GM[6]PW[{name}]PB[b]MI[length:0]DT[2026-01-02];W[{play}])")
        assert main(["archive", "import", str(path), *source]) == 0
    assert main(["archive", "export", str(tmp_path / "out"), "--to", "mat", *source]) == 0
    exported = {path.name.lower() for path in (tmp_path / "out").iterdir()}
    assert len(exported) == 1 + len(names)


def test_what_is_exported_is_skipped_when_it_is_imported(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["archive", "export", str(out), *source]) == 0
    assert len(list(out.iterdir())) == len(FORMATS)
    capsys.readouterr()
    assert main(["archive", "import", str(out), "--json", *source]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "added": [],
        "skipped": 3,
        "broken": {},
        "remarks": {},
    }


def test_what_cannot_be_done_with_one_match_is_done_with_the_others(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again"
    again.mkdir()
    (again / "money.sgf").write_text(MONEY)
    (again / "more.sgf").write_bytes(SAMPLE.with_suffix(".sgf").read_bytes())
    assert main(["archive", "import", str(again), *source]) == 0
    with closing(sqlite3.connect(source[1].removeprefix("sqlite:///"))) as database:
        database.execute("UPDATE matches SET record = '{' WHERE id = 2")
        database.commit()
    capsys.readouterr()
    assert main(["archive", "list", *source]) == 0
    for verb in (["stats"], ["export", str(tmp_path / "out")]):
        assert main(["archive", *verb, *source]) == 1
        found = capsys.readouterr().err
        assert found.count("sixprime archive: match 2: not JSON: ") == 1
    assert len(list((tmp_path / "out").iterdir())) == 2 * len(FORMATS)
    assert main(["archive", "analyse", "--level", "beginner", "--processes", "1", *source]) == 1
    said = capsys.readouterr()
    assert "2 matches analysed, 0 were already, 1 broken" in said.out
    assert "sixprime archive: match 2: not JSON: " in said.err


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("started", "'yesterday'"),
        ("ended", "'now'"),
        ("started", "5"),
        ("our_score", "'x'"),
        ("winner", "x'00'"),
        ("our_rating_before", "'high'"),
        ("opponent", "x'ff'"),
    ],
)
def test_a_match_whose_row_holds_anything_is_named_and_left_out(
    column: str, value: str, source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "money.sgf").write_text(MONEY)
    assert main(["archive", "import", str(tmp_path / "money.sgf"), *source]) == 0
    with closing(sqlite3.connect(source[1].removeprefix("sqlite:///"))) as database:
        database.execute(f"UPDATE matches SET {column} = {value} WHERE id = 2")
        database.commit()
    for verb in (["list"], ["list", "--json"], ["stats"], ["export", str(tmp_path / "out")]):
        capsys.readouterr()
        assert main(["archive", *verb, *source]) == 1
        said = capsys.readouterr().err
        assert f"sixprime archive: match 2: its {column} cannot be read\n" in said
    assert len(list((tmp_path / "out").iterdir())) == len(FORMATS)


def test_an_event_that_cannot_be_read_is_a_remark_in_its_match(
    source: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(source[1].removeprefix("sqlite:///"))) as database:
        database.execute("UPDATE events SET body = '[1]' WHERE number = 3")
        database.commit()
    assert main(["archive", "show", "1", "--json", *source]) == 0
    record = json.loads(capsys.readouterr().out)["record"]
    assert record["comment"].startswith("left out of game 1: not an event Acted")
    assert len(record["games"]) == len(fibs_match(5).games)


def test_an_id_that_no_database_can_hold_is_no_match(
    source: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    many = "99999999999999999999"
    assert main(["archive", "show", many, *source]) == 2
    assert capsys.readouterr().err == f"sixprime archive: no match {many}\n"


def test_matches_of_the_same_players_and_day_are_exported_under_names_of_their_own(
    source: list[str], tmp_path: Path
) -> None:
    rounds, out = tmp_path / "rounds", tmp_path / "out"
    rounds.mkdir()
    for number, play in enumerate(("hefe", "xwxu")):
        text = f"(;GM[6]PW[anna]PB[ben]MI[length:7]DT[2020-01-02];W[31{play}])"
        (rounds / f"{number}.sgf").write_text(text)
    assert main(["archive", "import", str(rounds), *source]) == 0
    for match in ("3", "2"):
        assert main(["archive", "export", str(out), "--match", match, "--to", "sgf", *source]) == 0
    alone = {path.name: path.read_text() for path in out.iterdir()}
    assert len(alone) == 2
    assert main(["archive", "export", str(out), "--to", "sgf", *source]) == 0
    together = {path.name: path.read_text() for path in out.iterdir()}
    assert len(together) == 3
    assert alone.items() < together.items()


def test_a_file_in_any_format_is_imported_once(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(SAMPLE.with_suffix(suffix)) for suffix in (".fibs", ".mat", ".sgf")]
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[6]")
    assert main(["archive", "import", *files, str(broken), "--json", *source]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["added"], answer["skipped"]) == ([2], 2)
    assert list(answer["broken"]) == [str(broken)]
    assert main(["archive", "show", "2", "--to", "mat", *source]) == 0
    again = tmp_path / "again.mat"
    again.write_text(capsys.readouterr().out)
    assert read_matches(again)[0].score == (5, 0)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["show", "99"], "no match 99"),
        (["list", "--database", "nonsense"], "not a database URL"),
        (["list", "--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_bad_input_is_one_clear_line(
    words: list[str], answer: str, source: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    where = [] if len(words) > 2 else source
    assert main(["archive", *words, *where]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sixprime archive: ")
    assert answer in said
    assert said.count("\n") == 1


def test_listing_begins_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["archive", "list"]) == 2
    assert "no archive at archive/sixprime.db yet" in capsys.readouterr().err
    assert main(["archive", "stats", "--database", f"sqlite:///{tmp_path}/typo.db"]) == 2
    assert f"no archive at {tmp_path}/typo.db yet" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_help_of_import_names_each_suffix_that_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["archive", "import", "--help"])
    said = capsys.readouterr().out
    for suffix in readers.SUFFIXES:
        assert re.search(rf"{re.escape(suffix)}\b", said), suffix
