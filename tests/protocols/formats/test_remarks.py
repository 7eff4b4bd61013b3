"""Comments and marks of people, through every format that has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.matchlog.words import (
    Comment,
    commentary_from_json,
    commentary_in,
    commentary_to_json,
    with_comment,
    with_commentary,
)
from sixprime.bot.reports.export import text
from sixprime.bot.reports.export.scenes import acts
from sixprime.engine.analysis.values import EvalContext, Mark, RankedPlay
from sixprime.engine.position import Step
from sixprime.engine.system.errors import InputError
from sixprime.protocols import readers
from sixprime.protocols.formats.record import (
    Analysis,
    Cube,
    CubeStep,
    Game,
    Marks,
    Match,
    Opinion,
    Player,
    Turn,
)
from sixprime.protocols.formats.recordjson import from_json, to_json
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.plain import plain
from tests.support.formats.remarks import in_sgf, in_text, remarked
from tests.support.gnubg.matches import HUMANS, QUIET
from tests.support.gnubg.program import typed

PLAYERS = Player("anna"), Player("ben")
BETTER, WORSE = (Step(8, 5), Step(6, 5)), (Step(24, 23), Step(13, 10))


def told(match: Match, kept: Callable[[str], str] = str) -> list[object]:
    """The comments and marks of a match, as a format keeps texts."""
    said = commentary_in(match).comments
    rows = [(each.game, each.move, kept(each.text), each.marks) for each in said]
    return [kept(match.comment), *(row for row in rows if row[2] or row[3] != Marks())]


def read(name: str, document: str) -> Match:
    (match,) = readers.read_match_file(name, document.encode("utf-8", "replace")).strictly()
    return match


@given(remarked())
@settings(max_examples=60)
def test_the_record_and_sgf_keep_every_word(match: Match) -> None:
    assert from_json(to_json(match)) == match
    back = read("x.sgf", sgf.write_sgf(match))
    assert told(back) == told(match, in_sgf)
    assert read("x.sgf", sgf.write_sgf(back)) == back


@given(remarked())
@settings(max_examples=60)
def test_text_with_boards_keeps_every_word(match: Match) -> None:
    back = read("x.txt", text.document(match, acts(match)))
    assert told(back) == told(match, in_text)


def test_a_long_comment_in_a_mat_file_is_not_taken_for_sgf() -> None:
    match = replace(plain(1), comment=f"a (\nb {'long ' * 14_000}")
    assert read("x.mat", FORMATS["mat"].write(match)).comment.startswith("a (")


@given(remarked())
@settings(max_examples=30)
def test_a_mat_file_keeps_the_comment_on_the_match_alone(match: Match) -> None:
    match = replace(match, comment=in_text(match.comment))
    back = read("x.mat", FORMATS["mat"].write(match))
    lines = [line.strip() for line in match.comment.split("\n")]
    is_field = any(line.startswith("[") for line in lines)
    assert is_field or back.comment.split("\n") == lines
    assert commentary_in(back).comments == ()


@given(remarked())
@settings(max_examples=30)
def test_words_are_stored_apart_from_their_match_and_put_back(match: Match) -> None:
    bare = replace(
        match,
        games=tuple(
            replace(game, comment="", actions=tuple(
                replace(each, comment="", marks=None) if isinstance(each, Turn | Cube) else each
                for each in game.actions
            ))
            for game in match.games
        ),
    )  # fmt: skip
    words = commentary_from_json(commentary_to_json(commentary_in(match)))
    assert with_commentary(bare, words) == match
    short = with_commentary(replace(bare, games=()), words)  # nothing is lost
    assert all(each.text in short.comment for each in words.comments)


def test_files_of_people_have_comments_and_marks_in_a_mat_file() -> None:
    match = read(
        "x.mat",
        "; of the match\n 5 point match\n\n Game 1\n anna : 0                       ben : 0\n"
        "; before a play\n  1) 31: 8/5 6/5 !               61: 13/7 8/7??\n; why not 24/18\n"
        "  2) 41: 13/9 6/5 (too loose)  \n; and so on\n",
    )
    assert told(match) == [
        "of the match",
        (1, 0, "before a play", Marks()),
        (1, 1, "", Marks(Opinion.GOOD)),
        (1, 2, "why not 24/18", Marks(Opinion.VERY_BAD)),
        (1, 3, "too loose\nand so on", Marks()),
    ]


def test_marks_that_the_evaluations_do_not_explain_are_those_of_a_person() -> None:
    by = EvalContext(2)
    plays = RankedPlay(BETTER, (0.5,) * 5, 0.2, by), RankedPlay(WORSE, (0.5,) * 5, 0.1, by)

    def turn(mark: Mark, luck_mark: int) -> str:
        found = Analysis(plays, 1, luck=0.4, luck_mark=luck_mark, mark=mark)
        game = Game(actions=(Turn(0, (3, 1), WORSE, found),))
        return sgf.write_sgf(Match(PLAYERS, 5, (game,))).replace("SX[]", "")

    def marks(written: str) -> Marks | None:
        action = read("x.sgf", written).games[0].actions[0]
        assert isinstance(action, Turn)
        return action.marks

    assert marks(turn(Mark.BAD, 1)) is None  # 0.1 is bad, 0.4 is lucky
    assert marks(turn(Mark.VERY_BAD, 1)) == Marks(Opinion.VERY_BAD)
    assert marks(turn(Mark.BAD, -2)) == Marks(luck=-2)
    assert marks(turn(Mark.BAD, 1).replace("BM[1]", "TE[2]")) == Marks(Opinion.VERY_GOOD)


def test_words_belong_to_moves_that_there_are() -> None:
    game = Game(actions=(Turn(0, (3, 1), BETTER), Cube(1, CubeStep.DOUBLE)))
    match = Match(PLAYERS, 5, (game,))
    marked = with_comment(match, Comment(1, 2, "too early", Marks(Opinion.BAD)))
    assert commentary_in(marked).comments == (Comment(1, 2, "too early", Marks(Opinion.BAD)),)
    assert with_comment(marked, Comment(1, 2)) == match
    for wrong in (Comment(2), Comment(1, 3), Comment(1, 2, marks=Marks(luck=1))):
        with pytest.raises(InputError):
            with_comment(match, wrong)


@pytest.mark.gnubg
def test_gnubg_shows_the_same_comments_and_marks(tmp_path: Path) -> None:
    said = {
        (1, 1): "of [a] \\\\ play\n\nüber 日本語",
        (1, 2): "why I double",
        (1, 3): "x" * 20_000,
        (1, 4): "the last",
    }
    game = Game(actions=(
        Turn(0, (3, 1), BETTER), Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE),
        Turn(1, (6, 1), (Step(13, 7), Step(8, 7))),
    ), comment="of the game")  # fmt: skip
    match = Match(PLAYERS, 5, (game,), event="Cup", round="1", annotator="me", comment="a\nb")
    for (number, move), comment in said.items():
        marks = Marks(luck=2) if move == 1 else Marks()
        match = with_comment(match, Comment(number, move, comment, marks))
    (tmp_path / "a.sgf").write_text(sgf.write_sgf(match))
    commands = "load match a.sgf\nexport match text a.txt\nsave match b.sgf\n"
    typed(QUIET + HUMANS + commands, tmp_path)
    shown = (tmp_path / "a.txt").read_text()
    for words in (*said.values(), "of the game", "Event: Cup", "Annotator: me", "Comments: a\nb"):
        assert words in shown, words[:20]
    assert "very lucky roll" in shown
    wanted = [*said.items()]
    wanted[0] = ((1, 1), f"of the game\n\n{said[1, 1]}")  # gnubg keeps no comment on a game
    for name in ("b.sgf", "a.txt"):
        back = read(name, (tmp_path / name).read_text())
        comments = commentary_in(back).comments
        assert back.comment == "a\nb"
        assert [((each.game, each.move), each.text) for each in comments] == wanted
        assert comments[0].marks == (Marks(luck=2) if name == "b.sgf" else Marks())
