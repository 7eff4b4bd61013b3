"""Jellyfish .mat as gnubg writes it, read and written."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sixprime.engine.position import Position, Step, Variant
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.hops import play_meant
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CannotCarry,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.boards import board_of
from tests.support.formats.played import MATCHES, carried, mutated, random_match
from tests.support.places import INTEROP

PLAYERS = (Player("anna"), Player("ben"))
HEAD = "\n 7 point match\n\n Game 1\n anna : 0                       ben : 0\n"


def read_cells(cells: str, head: str = HEAD) -> Game:
    (match,) = mat.read_mat(head + cells).strictly()
    return match.games[0]


@pytest.mark.parametrize("name", ["oldmoves-2games", "external-match-3pt"])
def test_what_gnubg_wrote_is_read_to_the_end(name: str) -> None:
    text = (INTEROP / f"{name}.mat").read_text()
    (match,) = mat.read_mat(text).strictly()
    assert match.finished == (name == "external-match-3pt")
    again = mat.write_mat(match)
    assert mat.read_mat(again).strictly() == [match]
    if name == "oldmoves-2games":
        assert again == text
    else:  # gnubg's own games have their steps in any order
        assert [sorted(line.split()) for line in again.splitlines()] == [
            sorted(line.split()) for line in text.splitlines()
        ]


# Nodes of an SGF game, and the cells that gnubg 1.07 exports it as.
CELLS = [
    (
        "[length:0]RU[Jacoby];W[31hefe];B[double];W[double];B[take];B[61lrqr]",
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Beavers => 4               61: 13/7 8/7 \n",
    ),
    (
        "[length:0];W[31hefe];B[double];W[double];B[double];W[take];B[61lrqr]",
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Beavers => 4                Beavers => 8\n"
        "  3)                             61: 13/7 8/7 \n",
    ),
    (
        "[length:0];W[31hefe];B[double];W[double];B[drop]",
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Beavers => 4                Drops\n"
        "      Wins 2 points\n",
    ),
    ("[length:7]RE[W+1R];W[31hefe]", "  1) 31: 8/5 6/5                 \n      Wins 1 point\n"),
    (
        "[length:7]RE[W+2R];W[31hefe];B[61lrqr]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n      Wins 2 points\n",
    ),
    ("[length:7]RE[B+1R];W[31hefe]", "  1) 31: 8/5 6/5                  Wins 1 point\n"),
    (
        "[length:7]RE[B+3R];W[31hefe];B[61lrqr]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n"
        "                                  Wins 3 points\n",
    ),
    (
        "[length:7]RE[B+1R];W[31hefe];B[61lrqr];PL[W]DI[31]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n"
        "  2) 31:                         Wins 1 point\n",
    ),
    (
        "[length:7]RE[W+1R];W[31hefe];PL[B]DI[31]",
        "  1) 31: 8/5 6/5                 31: \n      Wins 1 point\n",
    ),
    (
        "[length:7];W[31hefe];B[double];W[drop]",
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Drops                       Wins 1 point \n",
    ),
    (
        "[length:7];W[31hefe];B[61lrqr];W[double];B[drop]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n"
        "  2)  Doubles => 2                Drops\n"
        "      Wins 1 point\n",
    ),
    (
        "[length:7]RE[W+2R];W[31hefe];B[61lrqr];W[double]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n"
        "  2)  Doubles => 2               \n"
        "      Wins 2 points\n",
    ),
    (
        "[length:7]RE[B+2R];W[31hefe];B[61lrqr];W[double];B[take]",
        "  1) 31: 8/5 6/5                 61: 13/7 8/7 \n"
        "  2)  Doubles => 2                Takes\n"
        "                                  Wins 2 points\n",
    ),
    ("[length:7];B[61lrqr]", "  1)                             61: 13/7 8/7 \n"),
]


@pytest.mark.parametrize(("nodes", "cells"), CELLS)
def test_every_way_to_go_on_and_to_end_looks_as_in_gnubg(nodes: str, cells: str) -> None:
    (match,) = sgf.read_sgf(f"(;GM[6]PW[anna]PB[ben]MI{nodes})").strictly()
    text = mat.write_mat(match)
    assert text.partition("ben : 0\n")[2].rstrip("\n") == cells.rstrip("\n")
    (back,) = mat.read_mat(text).strictly()
    assert back.games[0].actions == match.games[0].actions
    assert back.games[0].result == match.games[0].result


def test_a_resignation_of_the_side_that_did_not_roll_gets_a_line_that_gnubg_can_read() -> None:
    # gnubg writes the result behind the dice, and then cannot read its own file
    (match,) = sgf.read_sgf(
        "(;GM[6]MI[length:7]RE[W+1R]PW[a]PB[b];W[31hefe];B[61lrqr];PL[W]DI[31])"
    ).strictly()
    text = mat.write_mat(match)
    assert text.endswith("  2) 31:                         \n      Wins 1 point\n\n")
    assert mat.read_mat(text).strictly()[0].games == match.games


@given(MATCHES)
@settings(max_examples=80)
def test_a_written_match_is_read_back_the_same(match: Match) -> None:
    text = mat.write_mat(match)
    (back,) = mat.read_mat(text).strictly()
    assert carried(back) == carried(match, last_take=False)
    assert mat.write_mat(back) == mat.write_mat(mat.read_mat(mat.write_mat(back)).strictly()[0])
    assert back.place == match.place
    assert back.comment == match.comment
    for ours, theirs in zip(match.players, back.players, strict=True):
        assert ours.name.startswith(theirs.name)


@given(st.lists(MATCHES, min_size=2, max_size=3))
@settings(max_examples=10)
def test_a_file_may_hold_many_matches(matches: list[Match]) -> None:
    back = mat.read_mat("\n".join(mat.write_mat(match) for match in matches)).strictly()
    assert [carried(match) for match in back] == [
        carried(match, last_take=False) for match in matches
    ]
    assert [match.comment for match in back] == [match.comment for match in matches]


@given(MATCHES)
@settings(max_examples=30)
def test_left_cells_are_padded_and_names_leave_room(match: Match) -> None:
    # gnubg 1.07 reads a short line twice, and loses a name that touches the next one
    for line in mat.write_mat(match).splitlines():
        if ")" in line[:5]:
            assert len(line.encode()) >= 33
        if " : " in line and not line.startswith(";"):
            assert line.encode()[31:32] == b" "


@pytest.mark.parametrize(
    ("cell", "play"),
    [
        ("64: 24/14", [(24, 18), (18, 14)]),
        ("64: 24/14*", [(24, 18), (18, 14)]),
        ("33: 13/7(2)", [(13, 10), (13, 10), (10, 7), (10, 7)]),
        ("33: 13/10(2) 6/3(2)", [(13, 10), (13, 10), (6, 3), (6, 3)]),
        ("33: 24/15 13/10", [(24, 21), (21, 18), (18, 15), (13, 10)]),
        ("42: 24/20/18", [(24, 20), (20, 18)]),
        ("61: 13/7, 8/7", [(13, 7), (8, 7)]),
        ("61 : 8/7 13/7", [(13, 7), (8, 7)]),
        ("51: 24/18", [(24, 23), (23, 18)]),  # 19 is made by the opponent
    ],
)
def test_moves_are_read_however_they_are_combined(cell: str, play: list[tuple[int, int]]) -> None:
    turn = read_cells(f"  1) {cell}\n").actions[0]
    assert isinstance(turn, Turn)
    assert turn.play == tuple(Step(*step) for step in play)


def test_a_combined_move_hits_nothing_it_need_not_hit() -> None:
    blot_on_15 = board_of({18: 1, 6: 5}, {10: 1, 1: 2})
    assert play_meant(blot_on_15, (3, 2), [Step(18, 13)]) == (Step(18, 16), Step(16, 13))
    assert play_meant(blot_on_15, (2, 3), [Step(18, 13)]) == (Step(18, 16), Step(16, 13))
    empty = board_of({18: 1, 6: 5}, {1: 2})
    assert play_meant(empty, (3, 2), [Step(18, 13)]) == (Step(18, 15), Step(15, 13))
    assert play_meant(empty, (2, 3), [Step(18, 13)]) == (Step(18, 16), Step(16, 13))


def test_a_combined_bear_off_is_taken_apart() -> None:
    late = board_of({8: 1, 2: 3}, {1: 2})
    assert play_meant(late, (6, 2), [Step(8, 0)]) == (Step(8, 2), Step(2, 0))
    assert play_meant(late, (6, 4), [Step(8, 0)]) == (Step(8, 2), Step(2, 0))
    assert play_meant(late, (4, 3), [Step(8, 0)]) is None
    both = (Step(5, 0), Step(5, 0))
    assert play_meant(board_of({5: 2}, {1: 2}), (6, 5), both) == both


def test_a_roll_without_moves_is_a_dance_only_when_nothing_can_move() -> None:
    # 61 can be played from the start, so somebody stopped before playing it
    assert read_cells("  1) 61: \n").actions == (Turn(0, (6, 1), None),)
    closed = "; Set Pos=bBBBBBBC---------------c--/0\n"  # ben has two on the bar
    for words in ("", "Cannot Move", "????"):
        game = read_cells(f"{closed}  1)                             21: {words}\n")
        assert game.actions[-1] == Turn(1, (2, 1), ())


def test_the_board_that_snowie_shows_after_an_illegal_play_is_the_board() -> None:
    points = (-1, 0, 0, 0, -1, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2)
    shown = ";".join(map(str, (7, 0, 1, 0, 0, "ben", "anna", 0, 0, 0, 1, 0, 0, *points, 0, 3, 1)))
    cells = f"  1) 11: Illegal play ({shown};)             31: 6/5* 8/5 \n  2) 41: bar/24 13/9 \n"
    (match,), remarks = (found := mat.read_mat(HEAD + cells)).matches, found.remarks
    assert [str(remark) for remark in remarks] == ["line 6: illegal: no play is given"]
    _, board, hit, entered = match.games[0].actions
    assert isinstance(board, SetBoard)
    assert (board.on_roll, board.position.mine[23], board.position.theirs[19]) == (1, 2, 1)
    assert hit == Turn(1, (3, 1), (Step(8, 5), Step(6, 5)))
    assert entered == Turn(0, (4, 1), (Step(25, 24), Step(13, 9)))
    for said in (shown.replace("-5", "-25"), "7;0;1", ""):
        assert len(mat.read_mat(HEAD + cells.replace(shown, said)).remarks) > 1


def test_jacoby_shows_when_an_undoubled_gammon_is_worth_one_point() -> None:
    head = HEAD.replace("7 point", "0 point")
    cells = "; Set Pos=-A-----------------------o-/0\n".replace("A-----", "A----")
    cells += "  1) 21: 1/0\n      Wins {}\n\n"
    (plain,) = mat.read_mat(head + cells.format("2 points")).strictly()
    assert (plain.rules.jacoby, plain.score) == (False, (2, 0))
    (jacoby,) = mat.read_mat(head + cells.format("1 point")).strictly()
    assert (jacoby.rules.jacoby, jacoby.score) == (True, (1, 0))
    # gnubg writes the full points, but counts one
    following = " Game 2\n anna : 1                       ben : 0\n  1) 31: 8/5 6/5\n"
    (counted,) = mat.read_mat(head + cells.format("2 points") + following).strictly()
    assert counted.rules.jacoby
    assert counted.games[0].result == GameResult(0, 1, Ending.BORNE_OFF)


def test_points_that_the_board_does_not_show_are_a_remark_in_a_match() -> None:
    cells = "; Set Pos=-A----------------------o-/0\n  1) 21: 1/0\n      Wins {} points\n"
    for points, told in ((1, ["line 8: the board shows a win of 2, not of 1"]), (2, []), (7, [])):
        (match,) = (found := mat.read_mat(HEAD + cells.format(points))).matches
        assert ([str(remark) for remark in found.remarks], match.score) == (told, (2, 0))


def test_headers_ratings_and_line_ends_of_other_programs() -> None:
    text = (
        '\ufeff; [Site "fibs"]\n; [Event "A, "b] c"]\n; [EventDate "2020.01.02"]\n'
        '; [Unknown "x"]\n# a remark\n\n; [Jacoby "On"]\n13 Point Match\n\n Game 1\n'
        " anna,1723.5 : 0      ben : 0\n1)  31: 8/5 6/5\t\t\t 61: 13/7 8/7\n"
    ).replace("\n", "\r\n")
    (match,) = mat.read_mat(text).strictly()
    assert (match.place, match.event, match.comment) == (
        "fibs",
        'A, "b] c',
        '[Unknown "x"]\na remark',
    )
    assert match.date == dt.date(2020, 1, 2)
    assert match.players == (Player("anna", rating_before=1723.5), Player("ben"))
    assert len(match.games[0].actions) == 2


def test_the_first_game_with_one_side_one_away_is_the_crawford_game() -> None:
    body = "\n Game {}\n anna : {}                       ben : {}\n  1) 31: 8/5 6/5\n"
    scores = [(1, 1, 0), (2, 2, 0), (3, 2, 1)]
    text = " 3 point match\n" + "".join(body.format(*score) for score in scores)
    (match,) = mat.read_mat(text).matches
    assert [game.crawford for game in match.games] == [False, True, False]
    doubled = body.format(1, 2, 0) + "  2)                              Doubles => 2\n"
    (match,) = mat.read_mat(" 3 point match\n" + doubled).strictly()
    assert not match.games[0].crawford


def test_a_board_set_at_the_start_of_a_game_is_carried() -> None:
    (match,) = sgf.read_sgf(
        "(;GM[6]PW[anna]PB[ben]MI[length:7]"
        ";PL[W]AE[a:y]AW[f][f][h][y]AB[s][s][q];CV[4];CP[b];W[31yvhg])"
    ).strictly()
    text = mat.write_mat(match)
    assert "; Set Pos=------B-A--------a-b-----A/2\n" in text
    assert mat.read_mat(text).strictly()[0].games == match.games


def test_what_the_format_cannot_carry_is_not_written() -> None:
    (match,) = sgf.read_sgf(
        "(;GM[6]MI[length:7]PW[a]PB[b];W[31hefe];PL[B]AE[a:y]AW[f]AB[s];B[31sttw])"
    ).strictly()
    with pytest.raises(CannotCarry, match="game 1"):
        mat.write_mat(match)


def test_automatic_doubles_are_carried_by_a_board_that_is_set_and_else_refused() -> None:
    with pytest.raises(CannotCarry, match=r"game 2: \.mat cannot carry automatic doubles"):
        mat.write_mat(Match(PLAYERS, 0, (Game(), Game(cube=2))))
    begun = Game(cube=2, actions=(SetBoard(0, Position.start(), 2),))
    assert "; Set Pos=" in mat.write_mat(Match(PLAYERS, 0, (begun,)))


def test_what_would_steer_a_terminal_is_not_written() -> None:
    evil = "ev\x1b[2Jil"
    match = Match((Player(evil), Player("ben")), 7, (Game(),), event=evil, comment=evil)
    assert "\x1b" not in mat.write_mat(match)


NARROW = " 5 point match\n Game 1\n anna : 0  ben : 0\n"


def test_two_cells_on_a_line_are_of_both_players_wherever_they_stand() -> None:
    text = NARROW + "1) 31: 8/5 6/5  42: 8/4 6/4\n2) Doubles => 2  Drops\nWins 1 point\n"
    (match,) = mat.read_mat(text).strictly()
    assert [action.seat for action in match.games[0].actions] == [0, 1, 0, 1]  # type: ignore[union-attr]
    assert match.score == (1, 0)


CLOSED = NARROW + "1) Doubles => 8  Drops\nWins 1 point\n"


@pytest.mark.parametrize(
    "text",
    [
        "Played in Sofia: round 2\n\n" + CLOSED,
        CLOSED + "Thank you for using Foo!\n",
        CLOSED + "\nThank you for using Foo!\nSee you\n",
        CLOSED + "\n Game 2\n anna : 5  ben : 0\n",
        CLOSED + "\n Game 2\n anna : 5  ben : 0\nThe end\n",
    ],
)
def test_words_around_a_match_are_passed_over(text: str) -> None:
    assert mat.read_mat(text).strictly() == mat.read_mat(CLOSED).strictly()
    assert len(mat.read_mat(text + "\n" + CLOSED).strictly()) == 2


def test_words_after_an_unfinished_game_are_passed_over() -> None:
    text = NARROW + "1) 31: 8/5 6/5\n"
    assert mat.read_mat(text + "\nto be continued\n").strictly() == mat.read_mat(text).strictly()


@pytest.mark.parametrize("name", ["#1", ";-)", "7 point match", "Game 1", "Doe, 42"])
def test_names_are_written_so_that_they_can_be_read(name: str) -> None:
    game = random_match(1).games[0]
    (back,) = mat.read_mat(
        mat.write_mat(Match((Player(name), Player("ben")), 7, (game,)))
    ).strictly()
    assert [player.name for player in back.players] == [name.replace(",", ""), "ben"]
    assert back.players[0].rating_before is None


@pytest.mark.parametrize(
    ("left", "score", "right"),
    [
        ("a name of gnubg's full length", (0, 0), "5ben"),
        ("a name: 9, and a colon, in it", (5, 3), "ben"),
    ],
)
def test_names_are_known_where_gnubg_leaves_no_room_between_them(
    left: str, score: tuple[int, int], right: str
) -> None:
    names = f"{left} : {score[0]}{right} : {score[1]}"
    head = HEAD.replace("anna : 0                       ben : 0", names)
    (match,) = mat.read_mat(head + "  1) 31: 8/5 6/5\n").strictly()
    assert [player.name for player in match.players] == [left, right]
    assert match.games[0].score == score


def test_only_line_ends_end_lines() -> None:
    (match,) = mat.read_mat(NARROW.replace("anna", "an\x85n\u2028a").replace("\n", "\r")).strictly()
    assert match.players[0].name == "an\x85n\u2028a"


def test_a_variant_is_named_in_the_header() -> None:
    game = Game(actions=(Turn(0, (3, 1), (Step(24, 21), Step(21, 20))),))
    match = Match(PLAYERS, 7, (game,), rules=Rules(variant=Variant.HYPERGAMMON))
    assert '; [Variation "HyperGammon (3)"]\n' in mat.write_mat(match)
    assert mat.read_mat(mat.write_mat(match)).strictly() == [match]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "point match"),
        ("hello\n", 1, "no line ` N point match`"),
        (" 70 point match\n", 1, "64"),
        ("\n 7 point match\n", 2, "without games"),
        (" Game 1\n", 1, "no line ` N point match`"),
        (" 7 point match\n\n Game 1\n", 3, "without its line of scores"),
        (" 7 point match\n\n Game 1\n anna and ben\n", 4, "NAME : SCORE"),
        (" 7 point match\n\n Game 1\n anna : 7      ben : 0\n", 4, "is over at this score"),
        (" 7 point match\n  1) 31: 8/5 6/5\n", 2, "expected ` Game 1`"),
        (HEAD + "  1) 31: 8/5 6/6\n", 6, "cannot be played"),
        (HEAD + "  1) 71: 8/5 6/5\n", 6, "no dice show 71"),
        (HEAD + "  1) 31: 8+5 6+5\n", 6, "cannot read the move `8+5`"),
        (HEAD + "  1) 31: 8/5 26/5\n", 6, "no point 26"),
        (HEAD + "  1) 31: 8/5 6/5          61: 13/7 9/8\n", 6, "cannot be played"),
        (HEAD + "  1) 31: 8/5 6/5\n  2) 31: 8/5 6/5\n", 7, "other player's turn"),
        (HEAD + "  1) 31: 8/5 6/5\n  2)  Takes\n", 7, "nobody has doubled"),
        (HEAD + "  1) hello\n", 6, "cannot read `hello`"),
        (HEAD + "  1) 31: 8/5 6/5\nhello\n", 7, "cannot read `hello`"),
        (HEAD + "\nhello\nthere\n  1) 31: 8/5 6/5\n", 7, "cannot read `hello`"),
        (HEAD + "  1)  Doubles => 2 now\n", 6, "cannot read `now`"),
        (
            HEAD + "  1)  Doubles => 2            Drops\n" + " " * 34 + "Wins 1 point\n",
            7,
            "the other player has won",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(BadMatchFile) as caught:
        mat.read_mat(text).strictly()
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value


def test_the_points_of_a_resignation_tell_gammons() -> None:
    cells = (
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Takes                      61: 13/7 8/7 \n      Wins 4 points and the match\n"
    )
    game = read_cells(cells)
    assert game.result == GameResult(0, 4, Ending.RESIGNED)
    assert Cube(1, CubeStep.DOUBLE) in game.actions
    assert not any(isinstance(action, SetBoard) for action in game.actions)


SAMPLE = (INTEROP / "oldmoves-2games.mat").read_text() + mat.write_mat(random_match(5))


@given(st.integers(0, 10**9))
@example(1522)  # a date of many digits
@settings(max_examples=400)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(seed: int) -> None:
    try:
        mat.read_mat(mutated(SAMPLE, seed)).strictly()
    except BadMatchFile as error:
        assert error.line >= 1
