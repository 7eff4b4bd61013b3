"""The lobby: who is here, who invited us, what is saved."""

from __future__ import annotations

from sixprime.protocols.fibs import people
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Player
from tests.support.fibs.plays import Play, own_line

MARVIN, ZAPHOD = Player("marvin"), Player("zaphod")
MARVINS_LINE = "5 marvin - - 1 0 1623.41 2115 0 1699996400 home.example.net hyperclient_3.1 -"


def test_the_table_of_users_follows_the_who_lines() -> None:
    play = Play().idle()
    play.hear(MARVINS_LINE, "6")
    assert play.session.people.users[MARVIN].ready
    play.hear(MARVINS_LINE.replace("- - 1 0", "zaphod - 0 0"), "6")
    assert play.session.people.users[MARVIN].opponent == ZAPHOD
    play.hear("8 marvin marvin logs out.")
    assert MARVIN not in play.session.people.users


def test_without_a_who_list_we_ask_for_one() -> None:
    play = Play().prompted()
    play.hear("1 sixbot 1 host", "3", "4")
    play.settle()
    assert not play.session.people.who_is_complete
    play.wait(6)
    assert play.wanted() == ["rawwho"]
    play.hear(own_line("-"), "6")
    play.wait(6)
    assert play.wanted() == []
    assert play.session.people.who_is_complete


def test_who_logs_out_or_plays_elsewhere_invites_no_longer() -> None:
    play = Play().idle()
    play.hear(
        "marvin wants to play a 5 point match with you.",
        "zaphod wants to play a 5 point match with you.",
        MARVINS_LINE.replace("- - 1 0", "arthur - 0 0"),
        "8 zaphod zaphod drops connection.",
    )
    assert play.session.people.invitations == {}


def test_a_new_list_of_saved_matches_replaces_the_old_one() -> None:
    play = Play().idle()
    head = "  opponent          matchlength   score (your points first)"
    play.hear(head, "**marvin                  5                0 -  1")
    play.hear("13 zaphod hello", " *zaphod            unlimited                7 -  1")
    assert set(play.session.people.saved) == {MARVIN, ZAPHOD}
    play.hear(head, " *zaphod                  3                1 -  2")
    assert set(play.session.people.saved) == {ZAPHOD}
    play.hear("no saved games.")
    assert play.session.people.saved == {}


def test_the_tables_are_bounded() -> None:
    crowd = people.People()
    play = Play().idle()
    for number in range(people.MOST_INVITATIONS + 50):
        for message in play.hear(f"m{number} wants to play a 5 point match with you."):
            crowd.receive(message, play.now)
    assert len(crowd.invitations) == people.MOST_INVITATIONS
    assert Player("m0") not in crowd.invitations


def test_whoever_is_away_stays_so_while_he_rests_and_comes_back_once() -> None:
    play = Play().idle()
    play.hear(own_line("-"))
    for _ in range(5):
        play.session.setup.want_ready(False)
        assert play.wanted() == ["toggle ready"]
        play.hear("** You're now refusing to play with someone.")
        play.send(c.Away("operator at work"))
        play.hear("You're away. Please type 'back'")
        assert play.session.state.name == "AWAY"
        play.wait(1)
        assert play.wanted() == []
        play.session.setup.want_ready(True)
        assert play.wanted() == ["back"]
        play.hear("Welcome back.")
        assert play.session.state.name == "IDLE"
        assert play.wanted() == ["toggle ready"]
        play.hear("** You're now ready to invite or join someone.")
        play.wait(1)
        assert play.wanted() == []
        play.wait(70)  # a session that says much in a minute is held
        play.wanted()
        play.hear(own_line("-"))


def test_watching_ends_when_the_watched_player_logs_out() -> None:
    play = Play().idle()
    play.send(c.Watch(MARVIN))
    play.hear("You're now watching marvin.")
    assert play.session.state.name == "WATCHING"
    play.hear("marvin logs out. You're not watching anymore.")
    assert play.session.state.name == "IDLE"


def test_an_invitation_that_is_joined_while_we_watch_begins_a_match() -> None:
    play = Play().idle()
    play.send(c.Invite(MARVIN, 3))
    play.hear("** You invited marvin to a 3 point match.")
    play.hear("You're now watching zaphod.", "** Player marvin has joined you for a 3 point match.")
    assert play.session.state.name == "STARTING"
