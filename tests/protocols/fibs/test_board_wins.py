"""The board wins over any line about the match: own dice on it are played, whatever was said."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, JoinNextGame, RollOrDouble
from sixprime.protocols.fibs.states import Awaited, ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import read_move
from tests.support.fibs.plays import (
    BETWEEN_GAMES,
    OUR_DICE,
    OUR_TURN,
    OVER,
    THEIR_TURN,
    Play,
    own_line,
)

WAIT = "** Please wait for marvin to join too."
LATE = (
    WAIT,
    WAIT.replace("marvin", "sixbot"),
    BETWEEN_GAMES,
    "Starting a new game with marvin.",
    "marvin wins the game and gets 1 point. Sorry.",
    "You win the game and get 1 point. Congratulations!",
    "marvin gives up. You win 1 point.",
    "score in 5 point match: sixbot-1 marvin-0",
    "** The game is already over.",
    "** You already did that.",
    "You rolled 2, marvin rolled 6",
    "marvin makes the first move.",
    (LEFT := "** Player marvin has left the game. The game was saved."),
)
OVER_ALREADY = "** The match is already over."  # before the board it answers our own join
NEXT_GAME = OUR_DICE.replace(":5:0:0:", ":5:1:0:", 1)
BEGINS_ANOTHER = (LEFT, "Starting a new game with marvin.")
JOINED = (OVER.replace(":5:0:0:", ":5:1:0:", 1), BETWEEN_GAMES)
PATIENCE_S = 60


def is_played(play: Play, board: str) -> bool:
    """Let a server that shows this board when asked answer, until its dice are played."""
    for _ in range(PATIENCE_S):
        if isinstance(play.session.question(), ChoosePlay):
            play.send(c.Move(read_move("8-5 6-5", -1), -1))
            return True
        for command in play.wanted():
            if command == "board":
                play.hear(board)
            elif command.startswith("rawwho"):
                play.hear(own_line("marvin"), "6")
        play.wait(1.0)
    return False


def about_this_match(after: list[str]) -> list[str]:
    """Return these lines without the end of a match that begins after ours has been saved."""
    saved = after.index(LEFT) if LEFT in after else len(after)
    return [*after[:saved], *(line for line in after[saved:] if line != OVER_ALREADY)]


@example([], [*BEGINS_ANOTHER, OVER_ALREADY])
@example([], [OVER_ALREADY, *BEGINS_ANOTHER])
@example([WAIT], [])
@example([], [WAIT])
@example([], [*LATE, OVER_ALREADY, *LATE])
@example(["Starting a new game with marvin."], [WAIT, BETWEEN_GAMES])
@given(
    st.lists(st.sampled_from(LATE), max_size=4),
    st.lists(st.sampled_from((*LATE, OVER_ALREADY)), max_size=8),
)
def test_own_dice_are_played_whatever_was_said_about_joining(
    before: list[str], after: list[str]
) -> None:
    """On BaldLies a line about joining comes after the next game's board."""
    play = Play().playing(THEIR_TURN, *JOINED)
    play.send(c.JoinNext())
    play.hear(*before, NEXT_GAME, *about_this_match(after))
    assert is_played(play, NEXT_GAME)


def test_a_match_that_begins_after_ours_and_has_no_board_can_be_over() -> None:
    """BaldLies shows no board of it, and keeps us in it until we leave."""
    play = Play().playing(THEIR_TURN, *JOINED)
    play.send(c.JoinNext())
    play.hear(NEXT_GAME, *BEGINS_ANOTHER, OVER_ALREADY)
    assert play.wanted() == ["leave"]


@pytest.mark.parametrize("line", LATE[:4])
def test_a_late_line_does_not_lead_back_between_two_games(line: str) -> None:
    play = Play().playing(THEIR_TURN, *JOINED)
    play.send(c.JoinNext())
    play.hear(WAIT, NEXT_GAME, line)
    assert isinstance(play.session.question(), ChoosePlay)
    assert play.session.state is ConnectionState.PLAYING
    play.send(c.Move(read_move("8-5 6-5", -1), -1))
    play.hear(line)
    assert play.session.waiting.what is Awaited.EFFECT


def test_a_board_of_the_next_game_counts_without_a_line_that_begins_it() -> None:
    play = Play().playing(THEIR_TURN, *JOINED, NEXT_GAME)
    assert isinstance(play.session.question(), ChoosePlay)


def test_a_missed_result_is_found_by_the_board() -> None:
    play = Play().playing(THEIR_TURN, BETWEEN_GAMES)
    play.wait(0.5)
    assert play.wanted() == ["board"]
    play.hear(OVER)
    assert play.session.question() == JoinNextGame()


def test_a_server_that_shows_no_board_between_two_games_is_believed_when_asked() -> None:
    play = Play().playing(THEIR_TURN, BETWEEN_GAMES)
    play.wait(0.5)
    assert play.wanted() == ["board"]
    play.hear(WAIT)
    assert play.session.question() == JoinNextGame()


def test_a_double_in_our_turn_is_late() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.hear("marvin doubles. Type 'accept' or 'reject'.")
    assert not isinstance(play.session.question(), AnswerDouble)
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)
