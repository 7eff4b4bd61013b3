"""Match files as sites and people write them: what is kept, and what is remarked on."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols import readers
from sixprime.protocols.formats import legality, mat
from sixprime.protocols.formats.hops import hops_in, play_meant
from sixprime.protocols.formats.reading import Reading
from sixprime.protocols.formats.record import BadMatchFile, Cube, CubeStep, Game, SetBoard, Turn
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.boards import board_of
from tests.support.formats.played import random_match

HEAD = " 5 point match\n\n Game 1\n ann : 0                         bob : 0\n"
OPENING = "  1) 31: 8/5 6/5                 42: 8/4 6/4\n"


def read(text: str, head: str = HEAD) -> Reading:
    return readers.read_match_file("a.mat", (head + text).encode())


def game_of(reading: Reading) -> Game:
    return reading.matches[0].games[0]


@pytest.mark.parametrize(
    ("cells", "winner", "points"),
    [
        ("  2)  Losses 1 point              Wins 1 point and the match\n", 1, 1),
        ("  2) 63:                          Losses 2 point\n\n      Wins 2 point\n", 0, 2),
        (" Losses 1 point\n\n      Wins 1 point and the match\n", 0, 1),  # not his turn
        ("  2)  Losses 2 point\n", 1, 2),
        ("  2) 32: Concedes                 Wins 2 point\n", 1, 2),
        ("  2)                             Concedes\n  3)  Wins 1 point\n", 0, 1),
        ("  2)  Resigns\n", 1, 1),
    ],
)
def test_whoever_gives_up_has_lost(cells: str, winner: int, points: int) -> None:
    reading = read(OPENING + cells)
    result = game_of(reading).result
    assert result is not None
    assert (result.winner, result.points) == (winner, points)
    assert reading.remarks == ()


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "words", "result"),
    [
        ({25: 2, 6: 5}, {}, (6, 6), "bar/13(2)", {13: 2, 6: 5}),
        ({25: 2, 6: 5}, {12: 1}, (6, 6), "Bar/13*(2)", {13: 2, 6: 5}),
        ({8: 2, 3: 1}, {}, (4, 4), "8/off(2)", {3: 1}),
        ({8: 2, 7: 1}, {}, (4, 4), "8/off 7/3(1) 8/4", {4: 1, 3: 1}),
        ({8: 2, 5: 2}, {}, (2, 2), "8/4(2)", {5: 2, 4: 2}),
        ({8: 2, 5: 2}, {}, (2, 2), "8/6(2)/4 5/3", {6: 1, 5: 1, 4: 1, 3: 1}),
        ({24: 1, 13: 3}, {7: 1}, (6, 5), "24/18*/13", {13: 4}),
        ({24: 1, 13: 3}, {7: 1}, (6, 5), "24/13*", {13: 4}),
        ({24: 1, 13: 3}, {}, (6, 5), "18/13 24/18", {13: 4}),
        ({5: 1, 3: 1}, {}, (4, 2), "5/1 1/0", {3: 1}),  # gnubg's own words: 5/3 3/0
        ({5: 1, 3: 1, 2: 1}, {}, (4, 2), "5/1 1/off", {3: 1, 2: 1}),
        ({25: 1, 6: 2}, {}, (5, 3), "25/20 20 / 17", {17: 1, 6: 2}),
        ({6: 2, 1: 1}, {}, (6, 1), "6/off 1/home", {6: 1}),
        ({3: 1, 1: 2}, {2: 1}, (3, 1), "3/off", {1: 2}),  # by a hit: a 3 alone is no whole play
        ({13: 4}, {}, (3, 3), "13/10 (4)", {10: 4}),
    ],
)
def test_a_text_means_the_legal_play_that_leads_where_it_says(
    mine: dict[int, int],
    theirs: dict[int, int],
    dice: tuple[int, int],
    words: str,
    result: dict[int, int],
) -> None:
    position = board_of(mine, theirs)
    play = play_meant(position, dice, hops_in(1, words))
    assert play is not None
    after = position.after(play)
    assert after.mine == board_of(result, {}).mine
    assert any(legal.result == after for legal in legal_plays(position, dice))


@given(st.integers(0, 10**6), st.data())
@settings(max_examples=60)
def test_every_legal_play_is_understood_however_its_steps_are_joined(
    seed: int, data: st.DataObject
) -> None:
    for game in random_match(seed).games:
        position = Position.start()
        for action in game.actions[:12]:
            if not isinstance(action, Turn) or not action.play:
                continue
            break
        dice = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
        for _ in range(8):
            plays = legal_plays(position, dice)
            assert {position.after(play) for play in legality.legal_plays(position, dice)} == {
                legal.result for legal in plays
            }
            chosen = data.draw(st.sampled_from(plays))
            if chosen.play:
                steps = data.draw(st.permutations(chosen.play))
                meant = play_meant(position, dice, tuple(steps))
                assert meant is not None
                assert position.after(meant) == chosen.result
            if chosen.result.is_over():
                break
            position = chosen.result.flipped()
            dice = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))


@pytest.mark.parametrize(
    ("cells", "line", "why"),
    [
        ("  2) 31: 24/19 6/4               52: 13/8 24/22\n", 6, "cannot be played with 3 and 1"),
        ("  2) 64: 24/14                   31: ???\n  3) 52: 13/8 13/11\n", 6, "no play is given"),
        (
            "  2) 64: 24/14                   31: Illegal play\n  3) 52: 13/8\n",
            6,
            "no play is given",
        ),
        ("  2) 64: Cannot Move             31: 24/20\n", 6, "nothing is played"),
        ("  2) 61: 13/7                    31: 24/20\n", 6, "is not the whole play"),
    ],
)
def test_what_is_illegal_is_marked_where_it_stands_and_the_game_goes_on(
    cells: str, line: int, why: str
) -> None:
    reading = read(OPENING + cells)
    assert reading.remarks[0].line == line
    assert why in reading.remarks[0].text
    turns = [action for action in game_of(reading).actions if isinstance(action, Turn)]
    marked = [turn for turn in turns if turn.illegal]
    assert marked[0].illegal.startswith(f"line {line}: ")
    assert turns[-1].seat != marked[0].seat or turns[-1] in marked
    with pytest.raises(BadMatchFile):
        reading.strictly()


def test_what_follows_a_resignation_is_left_out_and_takes_nothing_away() -> None:
    ended = OPENING + "      Wins 1 point\n"
    reading = read(ended + OPENING * 3)
    assert game_of(reading).actions == game_of(read(ended)).actions
    assert {remark.text for remark in reading.remarks} == {"the game is over before this"}


def test_a_missing_turn_leaves_the_board_and_is_remarked_on() -> None:
    reading = read(OPENING + "  2) 64: 24/14\n  3) 52: 13/8 24/22               61: 13/7 8/7\n")
    assert "turn before this is missing" in reading.remarks[0].text
    assert any(isinstance(action, SetBoard) for action in game_of(reading).actions)
    (back,) = mat.read_mat(mat.write_mat(reading.matches[0])).matches
    assert [type(action) for action in back.games[0].actions] == [
        type(action) for action in game_of(reading).actions
    ]


def test_dice_that_nobody_rolled_are_left_out() -> None:
    reading = read(OPENING + "  2) 64: 24/14                   00: ????\n  3)  Wins 1 point\n")
    assert str(reading.remarks[0]) == "line 6: no dice show 00; left out"
    assert game_of(reading).result is not None


def test_a_player_without_a_name_is_read() -> None:
    reading = read(OPENING, HEAD.replace("bob", "   "))
    assert [player.name for player in reading.matches[0].players] == ["ann", ""]
    head = '; [Player 1 "bob"]\n; [Player 2 "ann"]\n; [Player 1 Elo "1612,50/31"]\n'
    (match,) = read(OPENING, head + HEAD.replace("bob", "   ")).matches
    assert [player.name for player in match.players] == ["ann", "bob"]
    assert (match.players[1].rating_before, match.players[1].experience_before) == (1612.5, 31)


def test_what_the_head_states_is_kept() -> None:
    head = (
        '; [Site "Somewhere"]\n; [Match ID "77"]\n; [Round "2"]\n; [EventDate "2024.05.11"]\n'
        '; [EventTime "20.10"]\n; [Crawford "Off"]\n; [ClockType "Live"]\n\n'
    )
    (match,) = read(OPENING, head + HEAD).matches
    assert (match.place, match.round, match.date) == ("Somewhere", "2", dt.date(2024, 5, 11))
    assert match.started == dt.datetime(2024, 5, 11, 20, 10, tzinfo=dt.UTC)
    assert not match.rules.crawford
    assert '[Match ID "77"]' in match.comment
    assert '[ClockType "Live"]' in match.comment
    session = '; [Jacoby "On"]\n; [Beaver "On"]\nMoney session\n\n Game 1\n ann : 0   bob : 0\n'
    (money,) = read(OPENING, session).matches
    assert (money.length, money.rules.jacoby, money.rules.beavers) == (0, True, 3)


def test_scores_that_do_not_follow_are_remarked_on() -> None:
    second = " Game 2\n ann : 3                         bob : 0\n" + OPENING
    reading = read(OPENING + "      Wins 1 point\n\n" + second)
    assert [game.score for game in reading.matches[0].games] == [(0, 0), (3, 0)]
    assert "does not follow" in reading.remarks[0].text


def test_an_answer_or_a_double_that_is_missing_is_put_in() -> None:
    reading = read(OPENING + "  2)  Doubles => 2\n  3) 64: 24/14\n")
    assert Cube(1, CubeStep.TAKE) in game_of(reading).actions
    reading = read(OPENING + "  2)                               Drops\n      Wins 1 point\n")
    assert game_of(reading).actions[-2:] == (Cube(0, CubeStep.DOUBLE), Cube(1, CubeStep.DROP))


def test_the_words_of_the_cube_do_not_eat_the_dice_behind_them() -> None:
    reading = read(OPENING + f"  2)  Doubles => 2\n  3)  Takes {' ' * 20} 64: 24/14\n")
    assert not any("cannot read" in remark.text for remark in reading.remarks)


def test_a_resignation_in_an_sgf_of_gibbon() -> None:
    text = "(;GM[6]PW[a]PB[b]MI[length:5];W[31hefe];B[double];W[take];B[resign:2];W[accept])"
    (match,) = sgf.read_sgf(text).strictly()
    assert match.score == (2, 0)


def test_an_sgf_that_breaks_off_keeps_what_came_before() -> None:
    whole = "(;GM[6]PW[a]PB[b]MI[length:5][game:0][ws:0][bs:0]RE[W+1R];W[31hefe])"
    later = whole.replace("game:0", "game:1").replace("ws:0", "ws:1")
    reading = readers.read_match_file(
        "a.sgf", f"{whole}(;GM[6]PW[a]PB[b]MI[length:5];W\n{later}".encode()
    )
    assert [len(match.games) for match in reading.matches] == [3]
    assert "no complete value" in reading.remarks[0].text


def test_a_refusal_says_what_the_file_seemed_to_be() -> None:
    with pytest.raises(BadMatchFile, match="read as SGF"):
        readers.read_match_file("a.mat", b"(;GM[6]PW[a")
    with pytest.raises(BadMatchFile, match="neither its name nor its content"):
        readers.read_match_file("a.bin", b"\0\1\2")


def test_a_refusal_that_quotes_the_file_is_one_line_without_control_characters() -> None:
    with pytest.raises(BadMatchFile) as caught:
        readers.read_match_file("a.sgf", b"(;GM[6]MI[length:5\n\x1b[2J points\\]\n])")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-8", "utf-16"])
def test_encodings_tabs_and_line_ends(encoding: str) -> None:
    text = (HEAD + OPENING).replace("ann", "Zoë").replace("\n", "\r\n")
    text = text.replace("                 42:", "\t\t\t42:")
    reading = readers.read_match_file("a.mat", text.encode(encoding))
    assert reading.matches[0].players[0].name == "Zoë"
    assert len(game_of(reading).actions) == 2


def test_a_text_with_the_line_ends_of_an_old_macintosh_is_known() -> None:
    reading = readers.read_match_file(
        "a.txt", (HEAD + OPENING).replace("\n", "\r").encode("utf-16")
    )
    assert len(game_of(reading).actions) == 2


@pytest.mark.parametrize(
    "play", ["8/5 6/5?!", "8/5 6/5.", "8/5! 6/5", "8/5 6/5 (clear)", "8-5 6-5", "8/5(forced) 6/5"]
)
def test_what_somebody_thought_of_a_play_is_no_part_of_it(play: str) -> None:
    reading = readers.read_match_file(
        "a.mat", (HEAD + OPENING).replace("8/5 6/5", play, 1).encode()
    )
    assert not reading.remarks
    turn = game_of(reading).actions[0]
    assert isinstance(turn, Turn)
    assert turn.play == ((8, 5), (6, 5))


@pytest.mark.parametrize("note", [" (Crawford)", " Crawford game", " *", "  (post-Crawford)", "."])
def test_a_line_of_scores_may_say_more(note: str) -> None:
    text = HEAD.replace("bob : 0", f"bob : 0{note}").replace("5 point", "5-point") + OPENING
    reading = readers.read_match_file("a.mat", text.encode())
    assert not reading.remarks
    assert (reading.matches[0].length, reading.matches[0].players[1].name) == (5, "bob")


def test_a_name_may_have_a_colon() -> None:
    reading = read(OPENING, HEAD.replace(" ann :", " Dr: ann (12:30) :").replace("bob", "x: bob"))
    assert [each.name for each in reading.matches[0].players] == ["Dr: ann (12:30)", "x: bob"]
    assert not reading.remarks


def test_a_row_behind_another_is_a_row_of_its_own() -> None:
    reading = read(f"{OPENING}  2) 64: 24/14{' ' * 16}  2)  Losses 2 point{' ' * 16}Wins 2 point\n")
    game = game_of(reading)
    assert (len([turn for turn in game.actions if isinstance(turn, Turn)]), game.score) == (
        3,
        (0, 0),
    )
    assert game.result is not None
    assert (game.result.winner, game.result.points, reading.remarks) == (1, 2, ())


def test_rows_that_are_missing_are_remarked_on_unless_nothing_follows() -> None:
    row = "  5) 64: 24/18 13/9               52: 13/11 13/8\n"
    (remark,) = read(OPENING + row).remarks
    assert (remark.line, remark.text) == (6, "row 5 follows row 1: something is missing")
    assert not read(OPENING + "  5)                              Wins 1 point\n").remarks


@pytest.mark.parametrize("before", ["  1)\t\t", "  1) \t\t", "  1)\t\t\t\t"])
def test_a_lone_cell_behind_two_tabs_is_of_the_right_column(before: str) -> None:
    reading = read(f"{before}31: 8/5 6/5\n  2) 42: 8/4 6/4\t63: 24/15\n\t\tWins 2 points\n")
    assert not reading.remarks
    assert [action.seat for action in game_of(reading).actions[:3]] == [1, 0, 1]  # type: ignore[union-attr]
    assert game_of(reading).result.winner == 1  # type: ignore[union-attr]
