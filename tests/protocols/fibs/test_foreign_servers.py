"""What servers that others wrote say, and no transcript of ours had said before."""

from __future__ import annotations

from tests.protocols.fibs.test_session import Play, own_line

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
