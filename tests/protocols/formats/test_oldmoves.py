"""FIBS oldmoves text, read and written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.position import Position, Step, Variant
from sixprime.protocols.formats import mat, oldmoves
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
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
)
from tests.support.formats.played import MATCHES, carried, mutated, random_match
from tests.support.places import INTEROP

PLAYERS = (Player("anna"), Player("ben"))
HEAD = "Score is 0-0 in a 7 point match.\nanna is X - ben is O\n"
MOVES = "X: (3 1) 8-5 6-5\nO: (6 1) 12-18 17-18\n"


def read_game(lines: str, head: str = HEAD) -> Game:
    (match,) = oldmoves.read_oldmoves(head + lines).strictly()
    return match.games[0]


def test_the_sample_is_what_gnubg_made_of_it() -> None:
    (match,) = oldmoves.read_oldmoves((INTEROP / "oldmoves-2games.fibs").read_text()).strictly()
    assert mat.write_mat(match) == (INTEROP / "oldmoves-2games.mat").read_text()
    assert match.score == (5, 0)


def test_the_sample_is_written_as_it_was() -> None:
    text = (INTEROP / "oldmoves-2games.fibs").read_text()
    written = oldmoves.write_oldmoves(oldmoves.read_oldmoves(text).strictly()[0])
    assert [sorted(line.split()) for line in written.splitlines()] == [
        sorted(line.split()) for line in text.splitlines()
    ]


def test_the_list_of_a_server_that_counts_the_other_way() -> None:
    text = (
        "Score is 0-0 in a 5 point match.\nmarvin is X - sixbot is O.\n"
        "O: (3 1) 8-5 6-5\nX: (6 5) 1-7 7-12\nO: (6 4) 13-7 7-3\nX: doubles\nO: accepts\n"
        "X: (5 5) 12-17 12-17 17-22 17-22\nO: doubles\nX: rejects\nO: wins\n"
    )
    (match,) = oldmoves.read_oldmoves(text.replace("17-22 17-22", "12-17 17-22")).strictly()
    assert [player.name for player in match.players] == ["marvin", "sixbot"]
    assert match.games[0].result == GameResult(1, 2, Ending.DROPPED)
    assert match.games[0].actions[1] == Turn(0, (6, 5), (Step(24, 18), Step(18, 13)))


@given(MATCHES)
@settings(max_examples=80)
def test_a_written_match_is_read_back_the_same(match: Match) -> None:
    text = oldmoves.write_oldmoves(match)
    (back,) = oldmoves.read_oldmoves(text).strictly()
    kept = carried(match, refusals=True, last_roll=False)
    assert carried(back, refusals=True) == kept
    for line in text.splitlines():
        assert len(line.encode()) < 79  # gnubg reads pieces of that size


@given(st.lists(MATCHES, min_size=2, max_size=3, unique_by=lambda m: m.players))
@settings(max_examples=10)
def test_a_file_may_hold_many_matches(matches: list[Match]) -> None:
    back = oldmoves.read_oldmoves(
        "\nwelcome back\n".join(oldmoves.write_oldmoves(match) for match in matches)
    ).strictly()
    assert [carried(match, refusals=True) for match in back] == [
        carried(match, refusals=True, last_roll=False) for match in matches
    ]


@pytest.mark.parametrize(
    ("line", "play"),
    [
        ("X: (3 1) 8-5 6-5", [(8, 5), (6, 5)]),
        ("X: (3 1) 17-20 19-20", [(8, 5), (6, 5)]),
        ("O: (3 1) 8-5 6-5", [(8, 5), (6, 5)]),
        ("O: (3 1) 17-20 19-20", [(8, 5), (6, 5)]),
        ("X: (6 4) 24-14", [(24, 18), (18, 14)]),
        ("X: (6 4) 24-18-14*", [(24, 18), (18, 14)]),
        ("X: (3 3) 13/10(2) 6/3(2)", [(13, 10), (13, 10), (6, 3), (6, 3)]),
    ],
)
def test_the_direction_is_taken_from_the_first_step(line: str, play: list[tuple[int, int]]) -> None:
    turn = read_game(line + "\n").actions[0]
    assert isinstance(turn, Turn)
    assert turn.play == tuple(Step(*step) for step in play)


def test_a_checker_enters_in_both_directions() -> None:
    lines = "X: (6 2) 13-7 13-11\nO: (6 1) 1-7* 17-18\nX: (4 2) {}\n"
    for words in ("bar-21 24-22", "bar-4 1-3", "24-22 bar-21"):
        game = read_game(lines.format(words))
        assert game.actions[-1] == Turn(0, (4, 2), (Step(25, 21), Step(24, 22)))


def test_home_is_read_as_off_and_written_as_off() -> None:
    text = (INTEROP / "oldmoves-2games.fibs").read_text()
    home = oldmoves.read_oldmoves(text.replace("-off", "-home")).strictly()
    assert home == oldmoves.read_oldmoves(text).strictly()
    assert "home" not in oldmoves.write_oldmoves(home[0])


def test_seats_may_change_between_games() -> None:
    text = (
        HEAD + MOVES + "O: wins 1 point\n\n"
        "Score is 1-0 in a 7 point match.\nben is X - anna is O\n" + MOVES + "X: wins 1 point\n\n"
        "Score is 0-2 in a 7 point match.\nanna is X - ben is O\n" + MOVES
    )
    (match,) = oldmoves.read_oldmoves(text).strictly()
    assert [game.score for game in match.games] == [(0, 0), (0, 1), (0, 2)]
    assert [action.seat for action in match.games[1].actions[:2] if isinstance(action, Turn)] == [
        1,
        0,
    ]


def test_a_score_the_wrong_way_round_is_put_right() -> None:
    second = "Score is {} in a 7 point match.\nanna is X - ben is O\n"
    for printed in ("2-0", "0-2"):
        (match,) = oldmoves.read_oldmoves(
            HEAD + MOVES + "X: wins 2 points\n\n" + second.format(printed)
        ).strictly()
        assert match.games[1].score == (2, 0)


def test_a_resigned_gammon_does_not_damage_the_score() -> None:
    # gnubg takes the gammon for one point, expects 2-0 and then turns a correct 1-2 around
    text = (
        "Score is 1-0 in a 7 point match.\nanna is X - ben is O\n"
        + MOVES
        + "O: wins 2 points\n\nScore is 1-2 in a 7 point match.\nanna is X - ben is O\n"
    )
    (match,) = oldmoves.read_oldmoves(text).strictly()
    assert match.games[0].result == GameResult(1, 2, Ending.RESIGNED)
    assert match.games[1].score == (1, 2)


@pytest.mark.parametrize(("score", "games"), [("1-0", 1), ("2-0", 2), ("0-3", 3)])
def test_the_next_score_tells_what_a_resignation_was_worth(score: str, games: int) -> None:
    text = (
        HEAD + MOVES + "X: (6 2) 24-22 13-7\nO: wants to resign\nX: accepts\nX: wins\n\n"
        f"Score is {score} in a 7 point match.\nanna is X - ben is O\n"
    )
    (match,) = oldmoves.read_oldmoves(text).strictly()
    assert match.games[0].result == GameResult(0, games, Ending.RESIGNED)
    assert match.games[0].actions[-1] == Resignation(0, ResignStep.ACCEPTED, games)
    assert match.games[1].score == (games, 0)


def test_a_refused_resignation_is_kept_and_the_game_goes_on() -> None:
    lines = MOVES + "X: wants to resign\nO: rejects\nX: (6 2) 24-22 13-7\n"
    offer, refusal = read_game(lines).actions[2:4]
    assert offer == Resignation(0, ResignStep.OFFERED)
    assert refusal == Resignation(1, ResignStep.REJECTED)


def test_an_offer_to_resign_that_a_broken_connection_took_back_is_passed_over() -> None:
    # the server lists it like any other, and goes on with the game or with the next offer
    rolls = "X: (6 2) 24-22 13-7\n"
    plain = read_game(MOVES + rolls)
    assert read_game(MOVES + "X: wants to resign\n" + rolls) == plain
    assert read_game(MOVES + "O: wants to resign\n" + rolls) == plain
    lines = "O: wants to resign\nX: wants to resign\nO: rejects\n" + rolls
    assert len(read_game(MOVES + lines).actions) == len(plain.actions) + 2


def test_a_beaver_is_a_double_by_the_other_side() -> None:
    head = "Score is 0-0 in an unlimited match.\nanna is X - ben is O\n"
    for word in ("doubles", "beavers"):
        lines = MOVES + f"X: doubles\nO: {word}\nX: accepts\nX: (6 2) 24-22 13-7\n"
        (match,) = oldmoves.read_oldmoves(head + lines).strictly()
        assert match.length == 0
        assert match.games[0].actions[3] == Cube(1, CubeStep.BEAVER)
    assert "O: doubles\nX: accepts\n" in oldmoves.write_oldmoves(match)


def test_an_unplayed_roll_is_no_dance() -> None:
    lines = MOVES + "X: (6 2) \nO: wins 1 point\n"
    assert read_game(lines).actions[2] == Turn(0, (6, 2), None)
    (match,) = oldmoves.read_oldmoves(HEAD + lines).strictly()
    assert (
        "X: (6 2) \nX: wants to resign\nO: accepts\nO: wins 1 point\n"
        in oldmoves.write_oldmoves(match)
    )
    (unfinished,) = oldmoves.read_oldmoves(HEAD + MOVES + "X: (6 2) \n").strictly()
    assert oldmoves.write_oldmoves(unfinished) == HEAD + MOVES


def test_line_ends_blanks_and_text_around_do_not_matter() -> None:
    text = "\ufeffhello\n> Score is 0-0 in a 7 point match.\n anna is X - ben is O. \n"
    (match,) = oldmoves.read_oldmoves(
        (text + MOVES + "\ngoodbye\n").replace("\n", "\r\n")
    ).strictly()
    assert [player.name for player in match.players] == ["anna", "ben"]
    assert len(match.games[0].actions) == 2


def test_what_others_say_during_a_game_does_not_matter() -> None:
    first, second = MOVES.splitlines(keepends=True)
    said = HEAD + first + "ben kibitzes: hi\n" + second + "> \n"
    assert (
        oldmoves.read_oldmoves(said).strictly() == oldmoves.read_oldmoves(HEAD + MOVES).strictly()
    )


def test_only_line_ends_end_lines() -> None:
    head = HEAD.replace("anna is X", "an\x85n\u2028a is X")
    (match,) = oldmoves.read_oldmoves(head + MOVES.replace("\n", "\r")).strictly()
    assert match.players[0].name == "an\x85n\u2028a"
    assert len(match.games[0].actions) == 2


def test_names_are_written_so_that_they_can_be_read() -> None:
    for name in ("a is X - b", "x is O", "dot.", "Score is 1-0", "tab\tnewline\n", "é" * 40):
        match = Match((Player(name), Player("ben")), 7, random_match(1).games[:1])
        (back,) = oldmoves.read_oldmoves(oldmoves.write_oldmoves(match)).strictly()
        assert back.players[1].name == "ben"
        assert carried(back, refusals=True)[1] == carried(match, refusals=True, last_roll=False)[1]


def test_what_the_format_cannot_carry_is_not_written() -> None:
    setup = Game(actions=(SetBoard(0, Position.start()),))
    with pytest.raises(CannotCarry, match="game 1"):
        oldmoves.write_oldmoves(Match(PLAYERS, 7, (setup,)))
    with pytest.raises(CannotCarry, match="game 1: oldmoves cannot carry automatic doubles"):
        oldmoves.write_oldmoves(Match(PLAYERS, 0, (Game(cube=2),)))
    with pytest.raises(CannotCarry, match="nackgammon"):
        oldmoves.write_oldmoves(
            Match(PLAYERS, 7, (Game(),), rules=Rules(variant=Variant.NACKGAMMON))
        )


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "Score is"),
        ("hello\nworld\n", 2, "Score is"),
        ("Score is 0-0 in a 7 point match.\n", 1, "NAME is X"),
        ("Score is 0-0 in a 7 point match.\n\nanna is X - ben is O\n", 2, "NAME is X"),
        ("Score is 0-0 in a 70 point match.\nanna is X - ben is O\n", 1, "64"),
        ("Score is 7-0 in a 7 point match.\nanna is X - ben is O\n", 1, "is over at this score"),
        (HEAD + "X: (3 1) 8-5 6-6\n", 3, "cannot be played"),
        (HEAD + "X: (3 7) 8-5 6-5\n", 3, "cannot read"),
        (HEAD + "X: (3 1) 8-5 6-5 7\n", 3, "cannot read the move `7`"),
        (HEAD + "X: (3 1) 8-5 36-35\n", 3, "no point 36"),
        (HEAD + "X: (3 1) can't move\n", 3, "nothing is played"),
        (HEAD + MOVES + "O: (3 1) 8-5 6-5\n", 5, "other player's turn"),
        (HEAD + MOVES + "O: accepts\n", 5, "nobody has doubled"),
        (HEAD + MOVES + "X: dances\n", 5, "cannot read `dances`"),
        (HEAD + MOVES + "X: doubles\nO: rejects\nO: wins 1 point\n", 7, "the other player has won"),
        (HEAD + MOVES + "X: doubles\nO: rejects\nX: (3 1) 8-5 6-5\n", 7, "is over before this"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(BadMatchFile) as caught:
        oldmoves.read_oldmoves(text).strictly()
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value


SAMPLE = (
    (INTEROP / "oldmoves-2games.fibs").read_text() + "\n" + oldmoves.write_oldmoves(random_match(5))
)


@given(st.integers(0, 10**9))
@settings(max_examples=400)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(seed: int) -> None:
    try:
        oldmoves.read_oldmoves(mutated(SAMPLE, seed)).strictly()
    except BadMatchFile as error:
        assert error.line >= 1
