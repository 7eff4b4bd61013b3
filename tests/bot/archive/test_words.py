"""Comments and marks in an archive: kept through everything that changes a match."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from sixprime.bot.analysis.annotation import with_analysis
from sixprime.bot.analysis.recorded import recorded_analysis
from sixprime.bot.analysis.store import Wanted, analysis_of, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.changing import annotate, merge
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.collection.copying import copy_archive
from sixprime.bot.archive.collection.importing import import_files, values_of
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.archive.tables import matches
from sixprime.bot.cli.main import main
from sixprime.bot.matchlog.words import Comment, commentary_in
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.protocols.formats.record import Marks, Match, Opinion
from tests.support.archive.imported import add, played
from tests.support.archive.told import fibs_match, settings_in, told
from tests.support.archive.told import keep as keep_told
from tests.support.engine.analyses import analyse_match

SAID = (
    Comment(1, text="the first game"),
    Comment(1, 1, "best", Marks(Opinion.GOOD, luck=2)),
    Comment(1, 2, 'a "quoted" word\nand ü', Marks(Opinion.VERY_BAD, Opinion.DOUBTFUL)),
)
OURS, THEIRS = 1, 2


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Match 1 was played here, 2 is imported; both have words."""
    with closing(LiveArchive(settings_in(tmp_path))) as live:
        keep_told(live, told(fibs_match(5)))
        add(live, replace(played(60, 1)[0], event="", annotator=""))
    archive = Archive(settings_in(tmp_path))
    for match_id in (OURS, THEIRS):
        annotate(archive, match_id, "a note", {"event": "Cup", "annotator": "anna"}, SAID)
    return archive


def has_words(archive: Archive, match_id: int) -> bool:
    match = archive.match(match_id)
    facts = (match.event, match.annotator, match.comment.count("a note"))
    return commentary_in(match).comments == SAID and facts == ("Cup", "anna", 1)


def said(archive: Archive, *words: object) -> int:
    return main(["archive", *map(str, words), "--database", str(archive.settings.database)])


@pytest.mark.parametrize("match_id", [OURS, THEIRS])
def test_words_are_kept_beside_analyses_and_imports(
    archive: Archive, tmp_path: Path, match_id: int
) -> None:
    settings = AnalysisSettings.of("beginner")
    with closing(archive):
        assert has_words(archive, match_id)
        row, match = archive.row(match_id), archive.match(match_id)
        analysis = analyse_match(match, settings)
        keep(archive, settings.key, [(Wanted(match_id, row.noted), packed(analysis))])
        annotate(archive, match_id, said=[SAID[0]])
        assert analysis_of(archive, match_id, settings.key) is not None
        whole = with_analysis(match, analysis)
        assert whole.annotator == "anna"
        for number, text in enumerate((FORMATS["sgf"].write(whole), FORMATS["mat"].write(match))):
            path = tmp_path / f"{number}.{'mat' if number else 'sgf'}"
            path.write_text(text)
            assert import_files(archive, [path]).skipped == 1
            assert has_words(archive, match_id)
        assert [each for each in findings(archive) if each.match == match_id] == []


def test_files_out_of_the_archive_have_words_and_analysis_or_say_what_they_lack(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = AnalysisSettings.of("beginner")
    with closing(archive):
        analysis = analyse_match(archive.match(THEIRS), settings)
        keep(archive, settings.key, [(Wanted(THEIRS, 0), packed(analysis))])
        capsys.readouterr()
        assert said(archive, "export", tmp_path / "out", "--match", THEIRS) == 0
        told_of = capsys.readouterr().err
        assert "mat has no place for the analysis and comments and marks: left out" in told_of
        assert "sgf" not in told_of
        (path,) = (tmp_path / "out").glob("*.sgf")
        (match,) = FORMATS["sgf"].reading(path.read_text()).matches
        assert recorded_analysis(match) is not None
        assert comments(match) == SAID
        for suffix, shown in ((".txt", "Luck of the roll"), (".html", "Luck of the roll")):
            document = tmp_path / f"x{suffix}"
            assert main(["convert", str(path), str(document)]) == 0
            text = document.read_text()
            assert shown in text
            assert "the first game" in text
            assert "Absolute FIBS rating by errors" in text
        capsys.readouterr()
        assert main(["convert", str(path), str(tmp_path / "x.mat")]) == 0
        assert "has no place for the analysis" in capsys.readouterr().err
        report = tmp_path / "report.html"
        assert said(archive, "show", THEIRS, "--html", report) == 0
        for shown in ("the first game", "Marked: very bad, no double: doubtful", "best"):
            assert shown in report.read_text()
        assert said(archive, "show", THEIRS, "--to", "sgf") == 0
        assert capsys.readouterr().out.strip() == path.read_text().strip()


def test_a_copy_has_the_words(archive: Archive, tmp_path: Path) -> None:
    with closing(archive), closing(Archive(settings_in(tmp_path / "other"))) as other:
        copy_archive(archive, other)
        assert has_words(other, OURS)
        assert has_words(other, THEIRS)


def test_words_of_a_file_of_our_match_are_taken(archive: Archive, tmp_path: Path) -> None:
    with closing(archive):
        annotate(archive, OURS, said=[Comment(1), Comment(1, 2, "mine")])
        text = FORMATS["sgf"].write(archive.match(OURS))
        other = text.replace("C[mine]", "C[theirs]").replace("C[best]", "C[better]")
        path = tmp_path / "commented.sgf"
        path.write_text(other.replace("\n;", "\n;C[later]", 4).replace(";C[later]", ";", 3))
        assert import_files(archive, [path]).skipped == 1
        found = {(each.game, each.move): each.text for each in comments(archive.match(OURS))}
        assert found == {(1, 1): "best", (1, 2): "mine", (1, 4): "later"}


def comments(match: Match) -> tuple[Comment, ...]:
    return commentary_in(match).comments


@pytest.mark.parametrize("match_id", [OURS, THEIRS])
def test_a_merged_match_has_the_words_of_both(archive: Archive, match_id: int) -> None:
    with closing(archive):
        was = archive.record(match_id)
        extra = replace(was.games[0], comment="another")
        other = replace(was, games=(extra, *was.games[1:]), comment="of the other")
        annotate(archive, match_id, said=[Comment(1)])
        with archive.writing() as connection:
            found = connection.execute(insert(matches).values(**values_of(other)))
        key = found.inserted_primary_key
        assert key is not None
        merge(archive, [match_id, int(key[0])])
        assert comments(archive.match(match_id))[0] == Comment(1, text="another")
        assert "of the other" in archive.match(match_id).comment


def test_the_command_line_edits_and_shows_them(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    def output(*words: object) -> Any:
        capsys.readouterr()
        assert said(archive, *words) == 0
        return capsys.readouterr().out

    with closing(archive):
        for match_id in (OURS, THEIRS):
            move = ("--game", 1, "--move", 3)
            output("annotate", match_id, "a new one", "--game", 1)
            found = json.loads(
                output("annotate", match_id, "hm", *move, "--mark", "very bad", "--json")
            )
            assert (found["comment"], found["marks"]) == ("hm", ["very bad"])
            output("annotate", match_id, *move, "--luck", "unlucky")
            shown = output("show", match_id)
            assert "    a new one\n" in shown
            assert "    move 3: very bad, unlucky roll; hm\n" in shown
            listed = json.loads(output("list", "--text", "HM", "--json"))
            assert {row["id"] for row in listed} == set(range(1, match_id + 1))
            output("annotate", match_id, *move, "--mark", "none", "--luck", "none")
            assert "    move 3: hm\n" in output("show", match_id)
            output("annotate", match_id, "", *move)
            assert "move 3" not in output("show", match_id)
            assert said(archive, "annotate", match_id, "--mark", "bad") == 2
            assert said(archive, "annotate", match_id, "x", "--game", 99) == 2
            assert said(archive, "annotate", match_id, "x", "--move", 999) == 2
            output("annotate", match_id, "hm", *move)
