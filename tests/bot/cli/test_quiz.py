"""`sixprime quiz`: which positions are asked, what counts as right, and what is remembered."""

from __future__ import annotations

import datetime as dt
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.analysis.collection import quiz
from sixprime.bot.analysis.collection.quiz import Card, QuizMemory, QuizQuestion
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.values import MatchAnalysis, What
from sixprime.engine.position import Position
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.notation import format_play
from tests.support.archive.collected import analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
DAY = dt.date(2026, 11, 23)


def asked(of: list[MatchAnalysis], what: What) -> list[QuizQuestion]:
    return [
        QuizQuestion(0, analysis, error)
        for analysis in of
        for error in analysis.errors()
        if error.what is what and error.verdict.error < -2 * quiz.SMALL
    ]


@pytest.mark.parametrize(
    "text", ["8/5 6/5", "6/5, 8/5", "8-5 6-5", "m 8 5 6 5", "8 5 6 5", "MOVE 6-5 8-5", "8/5* 6/5"]
)
def test_a_play_may_be_written_as_people_do(text: str) -> None:
    result = quiz.played(Position.start(), (3, 1), text)
    assert result.mine[4] == 2


@pytest.mark.parametrize("text", ["", "8/4 6/5", "hello", "8 5 6", "9/8", "m", "-", "8/5/2/1 6/5"])
def test_what_is_no_play_is_told_apart_from_a_wrong_one(text: str) -> None:
    with pytest.raises(InputError):
        quiz.played(Position.start(), (3, 1), text)


@given(st.text(max_size=40))
def test_any_text_is_a_play_or_a_bad_answer(text: str) -> None:
    try:
        quiz.played(Position.start(), (3, 1), text)
    except InputError as error:
        assert str(error)


def test_the_best_play_is_right_and_the_one_made_is_wrong(analyses: list[MatchAnalysis]) -> None:
    found = asked(analyses, What.PLAY)
    assert found
    for question in found:
        move, position = question.turn.move, question.turn.position
        assert move
        right = quiz.judged(question, format_play(position, move.candidates[0].play))
        wrong = quiz.judged(question, format_play(position, move.played))
        assert (right.right, wrong.right) == (True, False)
        assert wrong.given == pytest.approx(-question.error.verdict.error)


def test_the_cube_is_judged_by_what_it_gave_away(analyses: list[MatchAnalysis]) -> None:
    found = asked(analyses, What.DOUBLE)
    assert found
    for question in found:
        cube = question.turn.cube_analysis
        assert cube
        did, other = ("double", "roll") if cube.doubled else ("no double", "d")
        assert not quiz.judged(question, did).right
        assert quiz.judged(question, other).right
        with pytest.raises(InputError):
            quiz.judged(question, "take")


def test_what_was_wrong_comes_back_and_what_was_right_waits(
    tmp_path: Path, analyses: list[MatchAnalysis]
) -> None:
    path = tmp_path / "new" / "quiz.json"
    memory, found = QuizMemory(path), asked(analyses, What.PLAY)[:4]
    assert quiz.due(found, memory, DAY) == found
    memory.note(found[1], DAY, right=False)
    memory.note(found[2], DAY, right=True)
    memory = QuizMemory(path)  # as read from the file
    assert quiz.due(found, memory, DAY) == [found[1], found[0], found[3]]
    tomorrow = DAY + dt.timedelta(days=1)
    assert quiz.due(found, memory, tomorrow) == [found[1], found[0], found[3], found[2]]


@given(st.lists(st.booleans(), max_size=12))
def test_waits_grow_while_answers_are_right(answers: list[bool]) -> None:
    card, waits = Card(), [0]
    for right in answers:
        card = card.after(DAY, right=right)
        wait = next(n for n in range(400) if card.due(DAY + dt.timedelta(days=n)))
        assert wait == 0 if not right else wait > waits[-1] or wait == quiz.WAITS[-1]
        waits.append(wait)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 9}', '{"version":1,"cards":{"a":{}, "b":3}}']
)
def test_a_broken_file_of_answers_is_named_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "quiz.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"quiz\.json"):
        QuizMemory(path)
    assert path.read_text() == text


def test_what_is_due_is_listed_without_a_terminal(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--database", str(archive.settings.database), "--memory", str(tmp_path / "m.json")]
    assert main(["quiz", "--list", "--json", "--most", "3", *place]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed) == 3
    assert listed[0]["given"] >= listed[1]["given"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "terminal"),
        (["--json"], "--list"),
        (["--list", "--at-least", "99"], "no error of at least"),
        (["--list", "--analysis", "x"], "no analyses at x"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    words: list[str], why: str, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quiz", *words, "--database", str(archive.settings.database)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert why in said[-1]


def test_a_place_where_no_answer_can_be_kept_is_refused_before_the_first_question(
    monkeypatch: pytest.MonkeyPatch, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    where = ["--database", str(archive.settings.database), "--memory", "/dev/null/x/y"]
    assert main(["quiz", *where]) == 2
    assert "Not a directory" in capsys.readouterr().err


def test_it_asks_in_a_terminal(tmp_path: Path, archive: Archive) -> None:
    memory = tmp_path / "m.json"
    parent, child = pty.openpty()
    words = ["quiz", "--database", str(archive.settings.database), "--memory", str(memory)]
    with subprocess.Popen(
        [sys.executable, "-m", "sixprime", *words, "--most", "2"],
        stdin=child, stdout=child, stderr=child, env={**os.environ, "TERM": "dumb"},
    ) as asking:  # fmt: skip
        os.close(child)
        os.write(parent, b"nonsense\n?\nq\n")
        told = b""
        try:
            while chunk := os.read(parent, 4096):
                told += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        assert asking.wait(timeout=60) == 0
    os.close(parent)
    assert b"2 questions" in told
    assert b"0 of 1 right" in told
    assert len(json.loads(memory.read_text())["cards"]) == 1
