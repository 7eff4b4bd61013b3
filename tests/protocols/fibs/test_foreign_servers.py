"""What servers that others wrote say, and no transcript of ours had said before."""

from __future__ import annotations

from sixprime.protocols.fibs.questions import RollOrDouble
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import read_move
from tests.support.fibs.plays import OUR_DICE, OUR_TURN, THEIR_TURN, Play, own_line

LEFT = "** Player marvin has left the game. The game was saved."


def test_a_list_of_saved_matches_that_the_server_does_not_have_is_asked_for_once() -> None:
    play = Play().log_in()
    assert play.wanted() == ["toggle"]
    play.hear("The current settings are:", "ready           YES", "wrap            NO")
    assert play.wanted() == ["show saved"]
    play.hear("** Not yet implemented: 'show saved'")
    for _ in range(3):
        play.hear("** Player marvin has joined you for a 1 point match.", own_line("marvin"))
        play.hear(LEFT, own_line("-"))
        assert play.wanted() == []


def test_an_unknown_command_of_ours_is_not_the_list_that_we_ask_for_meanwhile() -> None:
    """Else a saved match was not seen in the list, and a new one with its opponent destroyed it."""
    play = Play().log_in()
    assert play.wanted() == ["toggle"]
    play.hear("The current settings are:", "ready           YES", "wrap            NO")
    assert play.wanted() == ["show saved"]
    play.hear("** Unknown command: 'kibitz Good luck!'", "no saved games.")
    play.hear("** Player marvin has joined you for a 1 point match.", own_line("marvin"))
    play.hear(LEFT, own_line("-"))
    assert play.wanted() == ["show saved"]


def test_a_saved_match_whose_board_cannot_be_true_is_left_when_it_is_loaded() -> None:
    """No line says that it was resumed, and the server will not let us play anybody else."""
    play = Play().idle()
    broken = (own_line("marvin"), "6", OUR_DICE.replace(":4:0:0:0:", ":5:0:0:0:"))
    play.hear(*broken)
    said = []
    for _ in range(30):
        play.wait(1.0)
        for line in play.wanted():
            said.append(line)
            play.hear(*broken[line != "board" :] if line in ("board", "rawwho sixbot") else ())
        if said[-1:] == ["leave"]:
            break
    assert said == ["board", "board", "leave"]
    assert play.session.unseen_opponent == "marvin"
    play.hear("** You terminated the game. The game was saved.", own_line("-"), "6")
    play.wait(60.0)
    assert "leave" not in play.wanted()
    assert play.session.state is ConnectionState.IDLE
    assert play.session.unseen_opponent is None


def test_a_move_that_is_told_after_the_board_it_led_to_is_no_news() -> None:
    """We had asked for the board in each of our turns, half a second later."""
    play = Play().playing(THEIR_TURN, OUR_TURN, "marvin moves 8-5 6-5.")
    play.hear("It''s your turn. Please roll or double")
    assert isinstance(play.session.question(), RollOrDouble)
    play.wait(5.0)
    assert play.wanted() == []
    play.send(c.Roll())
    play.hear("You roll 3 and 1.", OUR_DICE)
    play.send(c.Move(read_move("8-5 6-5", -1), -1))
    play.hear("marvin rolls 6 and 2.", "marvin moves 24-18 13-11 .")
    play.wait(3.1)
    assert play.wanted() == ["board"]
