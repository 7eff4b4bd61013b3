"""gnubg's external player protocol: a recorded match byte by byte, requests, answers, nonsense."""

from __future__ import annotations

import random
import re
import string

import pytest

from sixprime.engine.game import Answer, BeforeRoll, CheckerPlay, ResignOffer
from sixprime.engine.position import MatchState, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.protocols.engines.external import (
    HELP_LINE,
    LONGEST_LINE,
    BadRequest,
    Decide,
    Evaluate,
    ExternalBoard,
    ExternalLines,
    Plain,
    SessionRules,
    Switch,
    answer_line,
    error_line,
    evaluation_line,
    parse_request,
    read_board,
    setting_line,
    version_lines,
)
from tests.support.gnubg.client import (
    LONGEST_TO_GNUBG,
    BadAnswer,
    Question,
    board_line,
    question_line,
    question_of,
    read_answer,
    read_evaluation,
    request_line,
)
from tests.support.gnubg.externalboards import (
    DOUBLE,
    START,
    drawn,
    random_board,
    recorded,
    with_fields,
)


def test_a_recorded_match_is_read_and_written_to_the_byte() -> None:
    talk = recorded()
    assert len(talk) == 182
    asked = b"".join(raw for who, raw in talk if who == "G>E")
    answered = b"".join(raw for who, raw in talk if who == "E>G")
    lines = ExternalLines()
    boards = [read_board(line) for line in lines.feed(asked) if isinstance(line, str)]
    assert lines.gnubg
    assert b"".join(map(question_line, boards)) == asked + b"\0"
    answers = answered.decode().splitlines()
    meant = [read_answer(text, board) for text, board in zip(answers, boards, strict=True)]
    written = [
        answer_line(answer, board, gnubg=True) for answer, board in zip(meant, boards, strict=True)
    ]
    assert b"".join(written) == answered


def test_every_play_of_the_recorded_match_is_legal_on_the_board_it_answers() -> None:
    talk = recorded()
    plays = 0
    for (_, asked), (_, answered) in zip(talk[::2], talk[1::2], strict=True):
        board = read_board(asked.decode().strip("\0\n"))
        if question_of(board) is not Question.MOVE or not answered.strip():
            continue
        assert board.match.dice
        play = read_answer(answered.decode(), board)
        assert isinstance(play, CheckerPlay)
        results = {legal.result for legal in legal_plays(board.position, board.match.dice)}
        assert board.position.after(play.play) in results
        plays += 1
    assert plays > 40


def test_lines_do_not_depend_on_where_tcp_cuts_the_stream() -> None:
    asked = b"".join(raw for who, raw in recorded() if who == "G>E")
    whole = list(ExternalLines().feed(asked))
    draw = random.Random(1)
    lines = ExternalLines()
    found: list[str | None] = []
    while asked:
        cut = draw.randint(1, 200)
        found += lines.feed(asked[:cut])
        asked = asked[cut:]
    assert found == whole


def test_line_ends_may_be_crlf_or_carry_a_nul() -> None:
    assert list(ExternalLines().feed(b"version\r\n\0help\n\0\0exit\r\n")) == [
        "version",
        "help",
        "exit",
    ]


def test_a_line_without_end_is_dropped_and_the_next_one_is_read() -> None:
    lines = ExternalLines()
    assert list(lines.feed(b"x" * (LONGEST_LINE + 1))) == []
    assert list(lines.feed(b"y" * 10_000)) == []
    assert list(lines.feed(b"zz\nversion\n")) == [None, "version"]


def test_the_mover_sees_own_points_whatever_the_side() -> None:
    board = read_board(START)
    assert board.names == ("ext", "gnu")
    assert board.position == Position.start()
    assert board.match == MatchState(length=3, on_roll=0, to_act=0, dice=(4, 1))
    assert question_of(board) is Question.MOVE


def test_names_and_scores_come_exchanged_with_a_double() -> None:
    board = read_board(DOUBLE)
    assert board.names == ("ext", "gnu")
    assert question_of(board) is Question.DOUBLE
    assert board.match == MatchState(length=3, score=(1, 0), on_roll=1, to_act=0, doubled=True)
    assert board.position.mine[5] == 4  # the doubler's 6 point
    assert board_line(board) == DOUBLE


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({38: 1, 39: 0, 37: 2}, {"cube": 2, "cube_owner": 1}),
        ({38: 0, 39: 1, 37: 2}, {"cube": 2, "cube_owner": 0}),
        ({38: 0, 39: 1, 37: 2, 41: -1, 32: 1}, {"cube": 2, "cube_owner": 0}),
        ({3: 5, 4: 4, 51: 0, 52: 0}, {"crawford": True}),
        ({3: 5, 4: 4, 51: 1, 52: 1}, {"crawford": False}),
        ({3: 5, 4: 4}, {"crawford": False}),
        ({3: 9999}, {"length": 0, "jacoby": True, "beavers": 3}),
        ({3: 0}, {"length": 0, "jacoby": True, "beavers": 3}),
        ({3: 100, 4: 50, 5: 10}, {"length": 64, "score": (14, 0)}),
        ({33: 0, 34: 0}, {"dice": (4, 1)}),
        ({33: 0, 34: 0, 35: 0, 36: 0}, {"dice": None}),
        ({38: 0, 39: 0, 33: 0, 35: 0}, {"doubled": True, "to_act": 1}),
    ],
)
def test_fields_mean_what_they_mean_to_gnubg(
    fields: dict[int, int], expected: dict[str, object]
) -> None:
    match = read_board(with_fields(START, fields)).match
    assert {name: getattr(match, name) for name in expected} == expected


@pytest.mark.parametrize("colour", [1, -1])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_board_may_be_drawn_in_four_ways(colour: int, direction: int) -> None:
    draw = random.Random(6)
    for _ in range(40):
        board = random_board(draw)
        assert read_board(drawn(board, colour, direction)) == board


def test_options_change_the_rules() -> None:
    money = with_fields(START, {3: 0})
    asked = parse_request(f"{money} JacobyRule off beavers NO")
    assert isinstance(asked, Decide)
    assert (asked.board.match.jacoby, asked.board.match.beavers) == (False, 0)
    crawford = with_fields(START, {3: 5, 4: 4, 52: 0})
    asked = parse_request(f"{crawford} crawfordrule false")
    assert isinstance(asked, Decide)
    assert not asked.board.match.crawford


def test_the_side_on_turn_is_the_one_that_resigns() -> None:
    asked = parse_request(f"{START} resignation 2")
    assert isinstance(asked, Decide)
    assert question_of(asked.board) is Question.RESIGNATION
    assert (asked.board.match.resigned, asked.board.match.to_act) == (2, 1)


def test_an_evaluation_has_its_own_options() -> None:
    board = read_board(START)
    assert parse_request(f"evaluation fibsboard {START}") == Evaluate(board)
    asked = parse_request(
        f"EVALUATION FIBSBOARD {START} plies 2 cubeful prune off noise 150 deterministic"
    )
    assert asked == Evaluate(board, 2, True, 0.015, True, False)
    asked = parse_request(f"evaluation fibsboard {START} cube on cube off noise 0.25")
    assert asked == Evaluate(board, 0, False, 0.25)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("version", Plain.VERSION),
        ("help", Plain.HELP),
        ("quit", Plain.EXIT),
        ("exit", Plain.EXIT),
        ("set debug on", Switch("debug", True)),
        ("set interface old", Switch("interface", False)),
    ],
)
def test_other_requests_are_words(line: str, request_: object) -> None:
    assert parse_request(line) == request_


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "no command given"),
        ("xyz", "unknown command 'xyz'"),
        ('set prompt "x"', "set option 'prompt' not supported"),
        ("set", "set option '' not supported"),
        ("board:you:opp:7:0:0:0", "6 fields, not 52"),
        (START + ":0", "53 fields, not 52"),
        (START.replace(":25:", ":+:"), "a field is not a number"),
        (with_fields(START, {32: 0}), "nobody is on turn"),
        (with_fields(START, {4: 3}), "a score of 3-0 in 3 points"),
        (with_fields(START, {37: 3}), "a cube of 3"),
        (with_fields(START, {33: 7}), "dice of 7 and 1"),
        (with_fields(START, {8: 12}), "more than 15"),
        (START + " colour red", "unknown option 'colour'"),
        (START + " resignation 4", "resignation 1, 2 or 3"),
        (f"evaluation fibsboard {START} plies", "option 'plies'"),
        ("evaluation", "evaluation fibsboard board"),
    ],
)
def test_a_bad_request_is_told_what_is_wrong(line: str, error: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(error)):
        parse_request(line)


def test_nonsense_raises_nothing_but_bad_request() -> None:
    draw = random.Random(3)
    for _ in range(20_000):
        letters = list(draw.choice((START, DOUBLE, f"evaluation fibsboard {START} plies 0")))
        for _ in range(draw.randint(1, 4)):
            letters[draw.randrange(len(letters))] = draw.choice(string.printable)
        try:
            parse_request("".join(letters))
        except BadRequest as error:
            assert error_line(str(error)).isascii()


def test_boards_come_back_from_their_lines() -> None:
    draw = random.Random(4)
    for _ in range(150):
        board = random_board(draw)
        assert read_board(board_line(board)) == board
        asked = parse_request(request_line(Decide(board)).decode())
        assert asked == Decide(board)


def test_no_request_is_long_enough_to_kill_gnubg() -> None:
    board = read_board(START.replace("ext", "a very long name " * 5))
    assert len(request_line(Evaluate(board))) <= LONGEST_TO_GNUBG
    with pytest.raises(BadRequest, match="gnubg survives"):
        request_line(Evaluate(read_board(long_line()), noise=123456.0))


def long_line() -> str:
    """A line that is as long as it can get, with 32 letters in both names."""
    return with_fields(START, {3: 0, 4: 999999, 5: 999999, 37: 32768}).replace(
        "ext:gnu", "e" * 40 + ":" + "g" * 40
    )


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ({33: 0, 35: 0}, "roll", BeforeRoll.ROLL),
        ({33: 0, 35: 0}, "r\r\n", BeforeRoll.ROLL),
        ({33: 0, 35: 0}, "Double", BeforeRoll.DOUBLE),
        ({33: 0, 35: 0}, "resign gammon", ResignOffer(2)),
        ({33: 0, 35: 0}, "resign", ResignOffer(1)),
        ({}, "13/9 24/23", CheckerPlay((Step(13, 9), Step(24, 23)))),
        ({}, "bar/20* 6/off", CheckerPlay((Step(25, 20), Step(6, 0)))),
        ({}, "6/5(2)", CheckerPlay((Step(6, 5), Step(6, 5)))),
        ({}, "24/18/14", CheckerPlay((Step(24, 18), Step(18, 14)))),
        ({}, "", CheckerPlay(())),
        ({}, "resign 3", ResignOffer(3)),
        ({40: 1}, "take", Answer.TAKE),
        ({40: 1}, "accept", Answer.TAKE),
        ({40: 1}, "pass", Answer.PASS),
        ({40: 1}, "reject", Answer.PASS),
        ({40: 1}, "drop", Answer.PASS),
        ({40: 1}, "redouble", Answer.BEAVER),
    ],
)
def test_answers_are_read_as_gnubg_reads_them(
    question: dict[int, int], text: str, answer: object
) -> None:
    if question == {33: 0, 35: 0}:
        question = {33: 0, 34: 0, 35: 0, 36: 0}
    assert read_answer(text, read_board(with_fields(START, question))) == answer


def test_what_answers_another_question_is_refused() -> None:
    board = read_board(DOUBLE)
    for text in ("xyz", "roll", "13/9"):
        with pytest.raises(BadAnswer):
            read_answer(text, board)
    with pytest.raises(BadAnswer):
        read_answer("roll", read_board(START))


def test_answers_are_written_in_words_to_gnubg_and_as_gnubg_to_others() -> None:
    position = Position((0,) * 7 + (1,) + (0,) * 16 + (1,), (0,) * 4 + (1,) + (0,) * 20)
    board = ExternalBoard(("a", "b"), position, MatchState(dice=(5, 3)))
    play = read_answer("bar/20 8/5", board)
    assert answer_line(play, board, gnubg=True) == b"bar/20 8/5\n"
    assert answer_line(play, board, gnubg=False) == b"25/20* 8/5 \n"
    assert answer_line(CheckerPlay(()), board, gnubg=False) == b"\n"
    four = read_answer("6/5(4)", board)
    assert answer_line(four, board, gnubg=False) == b"6/5 6/5 6/5 6/5\n"
    assert answer_line(ResignOffer(2), board, gnubg=True) == b"resign 2\n"


def test_the_remaining_answers_are_those_of_gnubg() -> None:
    assert HELP_LINE == b"\tNo help information available\n"
    assert version_lines("1.07.001").splitlines()[3] == b"Software: 1.07.001"
    assert setting_line(Switch("debug", True)) == b"Debug output ON\n"
    assert setting_line(Switch("interface", False)) == b"New interface OFF\n"
    assert error_line("no\x1b[command\n") == b"Error: no?[command?\n"
    numbers = (0.5, 0.125, 0.0, 0.25, 0.0, -0.125)
    line = evaluation_line(numbers)
    assert line == b"0.500000 0.125000 0.000000 0.250000 0.000000 -0.125000\n"
    assert read_evaluation(line.decode()) == numbers
    with pytest.raises(BadAnswer):
        read_evaluation("Error: badly formed board")


def test_the_rules_of_a_session_are_the_defaults() -> None:
    money = with_fields(START, {3: 0})
    assert read_board(money).match.jacoby
    assert not read_board(money, SessionRules(jacoby=False)).match.jacoby
