"""Importing files and folders: everything once, a broken file told by its line, and on it goes."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import Imported, files_under, import_files
from sixprime.bot.archive.matchfiles import FORMATS, read_matches
from sixprime.bot.archive.tables import WIDEST
from sixprime.bot.cli.main import main
from sixprime.engine.position import Position
from sixprime.protocols import readers
from sixprime.protocols.formats.record import BadMatchFile, Match, Player, SetBoard
from sixprime.protocols.formats.recordjson import to_json
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in
from tests.support.formats.played import random_match
from tests.support.places import INTEROP

DATA = INTEROP
POSITIONS = """# three ways to say one position, two to say another, and a third
11;0;0;0;1;root;gnubg;0;3;5;4;-1;0;0;0;-2;0;0;5;0;3;0;0;0;-2;4;0;0;0;-3;1;-3;-2;-2;0;0;-1;2;5;2;
sZ2DAQzgc/AgYA:QolqAVAAGAAE
XGID=---b--E-C---bD---cAcbb--aB:2:-1:1:52:3:5:0:11:10

4HPwATDgc/ABMA
4HPwATDgc/ABMA:cAkAAAAAAAAE
sGfwATDgc/ABMA:cAkAAAAAAAAE
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with closing(Archive(settings_in(tmp_path))) as archive:
        yield archive


def many(name: str, matches: list[Match]) -> str:
    """Matches one after the other in one file."""
    return "\n".join(FORMATS[name].write(match) for match in matches)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_file_of_many_matches_gives_each_of_them(
    name: str, archive: Archive, tmp_path: Path
) -> None:
    matches = played(100, 4)
    path = tmp_path / f"many{FORMATS[name].suffixes[0]}"
    path.write_text(many(name, matches))
    imported = import_files(archive, [path])
    assert (len(imported.added), imported.skipped, imported.broken) == (4, 0, [])
    kept = [archive.match(key) for key in imported.added]
    assert [each.score for each in kept] == [each.score for each in matches]
    assert [len(each.games) for each in kept] == [len(each.games) for each in matches]


def test_what_gnubg_thought_of_a_match_is_kept(archive: Archive) -> None:
    path = DATA / "money-analysed.sgf"
    (key,) = import_files(archive, [path]).added
    (read,) = read_matches(path)
    assert to_json(archive.match(key)) == to_json(read)
    analyses = [each.analysis for each in read.games[0].actions if hasattr(each, "analysis")]
    assert any(each is not None and each.candidates for each in analyses)


def test_positions_are_matches_that_begin_with_a_board(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(POSITIONS)
    first, second, third, fourth, fifth, sixth = read_matches(path)
    assert second == third
    assert fourth == fifth != sixth
    assert first.games == second.games
    assert [player.name for player in first.players] == ["gnubg", "root"]
    assert first.score == (5, 3)
    assert isinstance(fourth.games[0].actions[0], SetBoard)
    imported = import_files(archive, [tmp_path])
    assert len(imported.added) == 4
    assert imported.skipped == 2


STUDY = "(;GM[6]PW[gnubg]PB[root]MI[length:0]\n;PL[W]AE[a:y]%s;W[21fdfe])\n"
STUDIES = (
    "AW[f][f][f][e][e][e][d][d][d]AB[x][x]",
    "AW[f][f][c][c][c][b][b]AB[s][s][s][s][s][t][t][t][x][x][x]",
    "AW[f][f][f][e][e][e][d][d][d]AB[x][x];CV[2];CP[w]",
    "AW[f][f][f][e][e][e][d][d][d]AB[x][x];CV[2];CP[b]",
)


def test_the_same_play_on_another_board_is_another_match(archive: Archive, tmp_path: Path) -> None:
    for number, board in enumerate(STUDIES):
        (tmp_path / f"{number}.sgf").write_text(STUDY % board)
    imported = import_files(archive, [tmp_path])
    assert (len(imported.added), imported.skipped) == (len(STUDIES), 0)
    again = tmp_path / "again"
    again.mkdir()
    for key in imported.added:
        for name in ("sgf", "mat"):
            text = FORMATS[name].write(archive.match(key))
            (again / f"{key}.{name}").write_text(text)
    imported = import_files(archive, [again])
    assert (imported.added, imported.skipped) == ([], 2 * len(STUDIES))


def test_a_game_from_the_usual_board_is_known_whoever_set_it_up(archive: Archive) -> None:
    match = played(100, 1)[0]
    first = SetBoard(match.games[0].actions[0].seat, Position.start())  # type: ignore[union-attr]
    game = replace(match.games[0], actions=(first, *match.games[0].actions))
    assert add(archive, match) == 1
    assert add(archive, replace(match, games=(game, *match.games[1:]))) is None


def test_folders_are_searched_to_their_depths_for_match_files_only(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    for name in ("a/one.SGF", "a/b/two.mat", "a/b/three.fibs", "four.oldmoves", "five.pos"):
        (tmp_path / name).write_text("")
    (deep / "notes.txt").write_text("bread, butter")
    (deep / "evening.txt").write_text((DATA / "oldmoves-2games.fibs").read_text())
    (deep / ".hidden.sgf").write_text("")
    (deep / "photo.jpg").write_text("")
    found = [str(each.relative_to(tmp_path)) for each in files_under([tmp_path, deep])]
    assert sorted(found) == [
        "a/b/evening.txt",
        "a/b/three.fibs",
        "a/b/two.mat",
        "a/one.SGF",
        "five.pos",
        "four.oldmoves",
    ]


def damaged(name: str, old: str, new: str) -> tuple[str, int]:
    """A sample with one place spoilt, and the line of it."""
    text = (DATA / name).read_text()
    at = text.index(old)
    return text[:at] + new + text[at + len(old) :], text.count("\n", 0, at) + 1


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("oldmoves-2games.fibs", "21-16 20-16", "21-16 20-12", "21/16 20/12 cannot be played"),
        ("oldmoves-2games.fibs", "O: accepts", "O: hesitates", "cannot read `hesitates`"),
        (
            "oldmoves-2games.mat",
            "55: 16/11 16/11",
            "55: 15/10 16/11",
            "15/10 8/3 8/3 cannot be played",
        ),
        ("oldmoves-2games.sgf", ";B[41fbfe", ";B[47fbfe", "no dice show `47`"),
    ],
)
def test_a_damaged_file_is_kept_with_remarks_or_refused_if_the_import_is_strict(
    name: str, old: str, new: str, reason: str, archive: Archive, tmp_path: Path
) -> None:
    if name.endswith("sgf"):
        old = next(each for each in (DATA / name).read_text().split() if each.startswith(";B["))
        new = ";B[47" + old[5:]
    text, line = damaged(name, old, new)
    path = tmp_path / f"broken{Path(name).suffix}"
    path.write_text(text)
    paths = [path, DATA / "external-match-3pt.mat"]
    imported = import_files(archive, paths, strict=True)
    assert len(imported.added) == 1
    (broken,) = imported.broken
    kept = import_files(archive, paths)
    assert (len(kept.added), kept.skipped, kept.broken) == (1, 1, [])
    remark = kept.remarks[path][0]
    assert (broken.path, broken.line) == (path, line)
    assert reason in broken.reason
    assert broken.line == remark.line
    assert broken.reason.startswith(f"{remark.text} (read as ")
    assert str(broken).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize(
    "line",
    ["XGID=nonsense", "4HPwATDgc/ABM", POSITIONS.splitlines()[1].replace(";4;-1;", ";3;-1;", 1)],
)
def test_a_broken_position_is_told_by_its_line(line: str) -> None:
    with pytest.raises(BadMatchFile) as caught:
        readers.read_match_file("x.pos", f"# here it comes\n\n{line}\n".encode())
    assert caught.value.line == 3


def test_the_same_bytes_are_not_read_again(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sgf").write_text(many("sgf", played(7, 2)))
    assert len(import_files(archive, [tmp_path / "a.sgf"]).added) == 2
    monkeypatch.setattr(readers, "read_match_file", None)
    again = import_files(archive, [tmp_path / "a.sgf"])
    assert (again.added, again.skipped, again.broken) == ([], 2, [])


SLOWLY = """
import signal, sys, time
from pathlib import Path
from sixprime.bot.cli.main import run
from sixprime.protocols import readers
read = readers.read_match_file
files = iter(range(30))
def slowly(path, data):
    time.sleep(0.05 if next(files) < 8 else 60)  # it never ends before it is interrupted
    return read(path, data)
readers.read_match_file = slowly
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
run()
"""


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
@pytest.mark.patient
def test_an_interrupted_import_goes_on_when_it_is_repeated(
    how: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    matches = played(300, 30)
    for number, match in enumerate(matches):
        (folder / f"{number:02}.mat").write_text(FORMATS["mat"].write(match))
    database = tmp_path / "a.db"
    words = ["archive", "import", str(folder), "--database", f"sqlite:///{database}"]
    with subprocess.Popen([sys.executable, "-c", SLOWLY, *words], stderr=subprocess.PIPE) as child:
        while len(rows(database)) < 3 and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(how)
        assert child.wait(timeout=60) == (130 if how is signal.SIGINT else -signal.SIGKILL)
    before = len(rows(database))
    assert 3 <= before < 30
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (len(answer["added"]), answer["skipped"]) == (30 - before, before)
    assert len(rows(database)) == 30


def rows(database: Path) -> list[object]:
    if not database.exists():
        return []
    archive = Archive(settings_in(database.parent).model_copy(update={"database": url(database)}))
    with closing(archive):
        return list(archive.rows())


def url(database: Path) -> str:
    return f"sqlite:///{database}"


def test_the_command_counts_and_names_what_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "good.sgf").write_text(many("sgf", played(7, 2)))
    (tmp_path / "deep" / "bad.sgf").write_text("(;GM[5]\n;B[99]")
    words = ["archive", "import", str(tmp_path), "--database", url(tmp_path / "a.db")]
    assert main(words) == 1
    said = capsys.readouterr()
    good = tmp_path / "deep" / "good.sgf"
    assert said.out.splitlines() == [
        f"{good}: read",
        "2 matches added, 0 already archived, 1 of 2 files refused",
    ]
    assert "deep/bad.sgf:2: " in said.err
    (tmp_path / "deep" / "bad.sgf").unlink()
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{good}: already archived",
        "0 matches added, 2 already archived",
    ]


def test_a_folder_without_match_files_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "photo.jpg").write_text("")
    words = [["archive", "import", "--database", url(tmp_path / "a.db")], ["benchanalysis"]]
    for each in words:
        assert main([*each, str(tmp_path)]) == 2
        assert f"no match file in {tmp_path}" in capsys.readouterr().err


def test_progress_is_told_file_by_file(archive: Archive, tmp_path: Path) -> None:
    for name in ("a.mat", "b.mat"):
        (tmp_path / name).write_text(many("mat", played(7, 1)))
    told: list[tuple[int, int]] = []
    imported = import_files(
        archive, [tmp_path], lambda done, total: told.append((done, total)), Imported()
    )
    assert told == [(1, 2), (2, 2)]
    assert (len(imported.added), imported.skipped) == (1, 1)


def test_archives_are_imported_like_folders_and_their_bad_members_are_named(
    archive: Archive, tmp_path: Path
) -> None:
    one, two = (many("mat", [match]) for match in played(7, 2))
    with zipfile.ZipFile(tmp_path / "matches.zip", "w") as packed:
        packed.writestr("a/one.mat", one)
        packed.writestr("bad.sgf", "nothing")
        packed.writestr("again.mat.gz", gzip.compress(one.encode()))
    (tmp_path / "two.mat.gz").write_bytes(gzip.compress(two.encode()))
    (tmp_path / "three.7z").write_bytes(b"7z\xbc\xaf")
    told: list[tuple[int, int]] = []
    imported = import_files(archive, [tmp_path], lambda done, total: told.append((done, total)))
    assert (len(imported.added), imported.skipped) == (2, 1)
    assert told[-1] == (5, 5)
    assert [str(each).removeprefix(f"{tmp_path}/") for each in imported.broken] == [
        "matches.zip/bad.sgf:1: no game tree in it (read as SGF)",
        "three.7z: a 7z archive: unpack it, and import what is in it",
    ]
    again = import_files(archive, [tmp_path])
    assert (again.added, again.skipped, len(again.broken)) == ([], 3, 2)


def test_a_name_wider_than_a_column_is_cut_in_the_list_alone(archive: Archive) -> None:
    long = "a" * 2 * WIDEST
    key = add(archive, replace(random_match(3), place=long, players=(Player(long), Player("ben"))))
    assert key is not None
    (row,) = archive.rows()
    assert (row.account, row.server) == (long[:WIDEST], long[:WIDEST])  # what PostgreSQL takes
    assert archive.match(key).players[0].name == long
