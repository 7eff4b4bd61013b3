"""Whom we accept, whom we invite, and what we say about it."""

from __future__ import annotations

from typing import Any

import pytest

from sixprime.bot.client.lobby.terms import is_bot
from sixprime.bot.settings.schema import (
    AcceptSettings,
    Chat,
    InviteSettings,
    Lobby,
    ReputationSettings,
    Window,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedMatch
from sixprime.protocols.fibs.wire.matches import (
    Invited,
    InvitedToResume,
    SavedMatchWarning,
    TypeJoin,
)
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import LoggedOut, User
from tests.support.bot.lobby import MARVIN, TRILLIAN, Scene, inviting, user


def accepting(**fields: Any) -> Lobby:
    return Lobby(accept=AcceptSettings(**fields))


# --- accepting


def test_an_invitation_to_a_length_we_play_is_accepted() -> None:
    assert Scene().invited(5) == c.Join(MARVIN)


def test_an_invitation_is_answered_when_it_is_complete_or_a_second_old() -> None:
    scene = Scene().hear(Invited(MARVIN, 5))
    assert scene.says() is None
    assert scene.says(1.0) == c.Join(MARVIN)


DECLINED = [
    # settings, the inviter, the length, what we say
    (Lobby(), user(), 4, "Sorry, I play matches of 1, 3, 5 or 7 points."),
    (Lobby(), user(), None, "Sorry, I play matches of 1, 3, 5 or 7 points."),
    (accepting(match_lengths=(1,)), user(), 3, "Sorry, I play matches of 1 point."),
    (accepting(match_lengths=(9,)), user(), 3, "Sorry, I play matches of 9 points."),
    (accepting(match_lengths=(), unlimited=True), user(), 3, "Sorry, I play unlimited matches."),
    (accepting(match_lengths=()), user(), 3, "Sorry, I play no matches now."),
    (accepting(rating=Window(least=1700)), user(), 5, "Sorry, I play opponents rated from 1700."),
    (accepting(rating=Window(most=1600)), user(), 5, "Sorry, I play opponents rated up to 1600."),
    (
        accepting(rating=Window(least=1400, most=1600)),
        user(),
        5,
        "Sorry, I play opponents rated from 1400 to 1600.",
    ),
    (
        accepting(experience_for_length={"3": 50, "6": 3000}),
        user(),
        7,
        "Sorry, for this length you need experience 3000.",
    ),
    (Lobby(), user(client="gnubg_bot"), 5, "Sorry, I do not play other bots."),
    (accepting(block=("marvin",)), user(), 5, "Sorry, I am not playing now."),
    (accepting(only_allowed=True, allow=("anna",)), user(), 5, "Sorry, I am not playing now."),
    (Lobby(paused=True, away=""), user(), 5, "Sorry, I am about to leave."),
]


@pytest.mark.parametrize(("lobby", "inviter", "length", "sentence"), DECLINED)
def test_what_we_do_not_play_is_declined_with_the_reason(
    lobby: Lobby, inviter: User, length: int | None, sentence: str
) -> None:
    scene = Scene(lobby, inviter)
    said = scene.invited(length) or scene.says()
    assert said == c.Tell(MARVIN, sentence)
    assert scene.says(2.0) is None
    assert [name for name, _ in scene.desk.declined] == [MARVIN]


ACCEPTED = [
    (accepting(unlimited=True), user(), None),
    (accepting(bots=True), user(client="gnubg_bot"), 5),
    (accepting(allow=("marvin",), rating=Window(most=1000)), user(), 5),
    (accepting(allow=("marvin",)), user(client="x_bot"), 5),
    (accepting(experience_for_length={"7": 9000}), user(), 7),
    (accepting(rating=Window(least=1623.41, most=1623.41)), user(), 5),
]


@pytest.mark.parametrize(("lobby", "inviter", "length"), ACCEPTED)
def test_what_we_play_is_accepted(lobby: Lobby, inviter: User, length: int | None) -> None:
    assert Scene(lobby, inviter).invited(length) == c.Join(MARVIN)


@pytest.mark.parametrize("name", ["talbot", "abbott", "robotham", "Cabot"])
def test_a_human_name_that_ends_like_a_bot_is_none(name: str) -> None:
    assert not is_bot(Chat().bots, name, None)


@pytest.mark.parametrize("name", ["RepBotNG", "BlunderBot_IV", "six_bot", "bot7", "GammonBot"])
def test_a_bot_is_known_by_its_name(name: str) -> None:
    assert is_bot(Chat().bots, name, None)


def test_a_join_is_not_repeated_while_its_effect_is_awaited() -> None:
    scene = Scene().hear(Invited(MARVIN, 5), TypeJoin(MARVIN))
    assert scene.says() == c.Join(MARVIN)
    assert [scene.says(1.0) for _ in range(20)] == [None] * 20


def test_one_sentence_an_hour_is_enough() -> None:
    scene = Scene()
    assert isinstance(scene.invited(4), c.Tell)
    assert scene.invited(4) is None
    scene.now += 3_600
    assert isinstance(scene.invited(4), c.Tell)


def test_an_unknown_inviter_is_looked_up_and_waited_for() -> None:
    scene = Scene(accepting(rating=Window(most=1500)))
    assert scene.invited(5, TRILLIAN) == c.AskWho(TRILLIAN)
    assert scene.says(1.0) is None
    scene.hear(user("trillian", rating=1400.0))
    assert scene.says() == c.Join(TRILLIAN)


def test_an_inviter_whom_the_server_does_not_show_is_accepted_after_a_while() -> None:
    scene = Scene()
    assert scene.invited(5, TRILLIAN) == c.AskWho(TRILLIAN)
    assert scene.says(6.0) == c.Join(TRILLIAN)


def test_the_saved_match_comes_first() -> None:
    scene = Scene()
    scene.hear(Invited(MARVIN, 5), SavedMatchWarning(), TypeJoin(MARVIN))
    assert scene.says() == c.InviteToResume(MARVIN)
    assert scene.says() == c.Tell(MARVIN, "Let us finish our saved match first.")
    assert scene.says(2.0) is None


def test_the_saved_match_comes_first_without_a_warning_too() -> None:
    scene = Scene().hear(SavedMatch(2, MARVIN, 5, 1, 2))
    assert scene.invited(5) == c.InviteToResume(MARVIN)
    scene.says()
    assert scene.invited(5) is None  # it is their turn to join


def test_no_new_match_destroys_one_that_a_silent_server_may_have_saved() -> None:
    """We lost a match with the connection, and the new one does not tell what is saved."""
    scene = Scene(inviting())
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.connected()
    scene.says()
    assert scene.says(31.0) == c.InviteToResume(MARVIN)
    assert [scene.says(1.0) for _ in range(300)] == [None] * 300
    assert scene.invited(5) == c.InviteToResume(MARVIN)
    ended = Scene(inviting()).hear(NoSavedMatches())
    ended.desk.match_begins(MARVIN, ended.now)
    ended.desk.connected()
    ended.says()
    assert ended.says(31.0) == c.Invite(MARVIN, 1)


def test_resuming_is_accepted_whatever_the_limits() -> None:
    scene = Scene(accepting(match_lengths=(1,), block=("marvin",), rating=Window(most=1000)))
    scene.hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    assert scene.says() == c.Join(MARVIN)


def test_there_is_a_limit_for_one_opponent_and_day() -> None:
    scene = Scene(accepting(matches_per_opponent_and_day=2), user(), user("trillian"))
    for _ in range(2):
        scene.desk.match_begins(MARVIN, scene.now)
        scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    assert scene.invited(5) == c.Tell(MARVIN, "Sorry, we have played enough for one day.")
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)
    scene.now += 86_401
    assert scene.invited(5) == c.Join(MARVIN)


def test_there_is_a_limit_for_the_day() -> None:
    scene = Scene(accepting(matches_per_day=1), user(), user("trillian"))
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    assert isinstance(scene.invited(5, TRILLIAN), c.Tell)


def test_the_place_of_a_lost_opponent_is_kept_for_a_while() -> None:
    scene = Scene(Lobby(), user(), user("trillian")).hear(NoSavedMatches())
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0)
    assert isinstance(scene.invited(5, TRILLIAN), c.Tell)
    assert scene.invited(5) == c.Join(MARVIN)
    scene.now += 121
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_when_closing_everybody_is_declined() -> None:
    scene = Scene()
    scene.desk.closing = True
    assert isinstance(scene.invited(5), c.Tell)


def test_a_swapped_offer_is_left_with_the_reason() -> None:
    desk = Scene().desk
    sentence = "Sorry, I play matches of 1, 3, 5 or 7 points."
    assert desk.objection(MARVIN, None, resumed=False) == sentence
    assert desk.objection(MARVIN, 64, resumed=False) == sentence
    assert desk.objection(MARVIN, 3, resumed=False) is None
    assert desk.objection(MARVIN, None, resumed=True) is None


@pytest.mark.parametrize("length", [99, None])
def test_what_was_left_for_its_length_is_not_played_by_resuming_it(length: int | None) -> None:
    scene = Scene().hear(SavedMatch(2, MARVIN, length, 0, 0))
    assert scene.says() is None
    assert scene.says(31.0) is None
    scene.hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    assert scene.says() == c.Tell(MARVIN, "Sorry, I play matches of 1, 3, 5 or 7 points.")
    assert scene.invited(5) == c.Join(MARVIN)


@pytest.mark.parametrize(
    ("lobby", "saved"),
    [
        (Lobby(), SavedMatch(2, MARVIN, 99, 1, 0)),  # played in before the settings changed
        (Lobby(), SavedMatch(2, MARVIN, 5, 0, 0)),
        (
            Lobby(invite=InviteSettings(match_length=9)),
            SavedMatch(2, MARVIN, 9, 0, 0),
        ),  # our own offer
    ],
)
def test_other_saved_matches_are_resumed_whatever_their_length(
    lobby: Lobby, saved: SavedMatch
) -> None:
    scene = Scene(lobby).hear(saved)
    scene.says()
    assert scene.says(31.0) == c.InviteToResume(MARVIN)


def test_a_new_match_instead_of_the_saved_one_was_not_agreed_to() -> None:
    """A server has no length for a match that is resumed, nor for an unlimited one."""
    scene = Scene().hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    assert scene.says() == c.Join(MARVIN)
    assert scene.desk.objection(MARVIN, None, resumed=False) is not None
    assert scene.desk.objection(MARVIN, None, resumed=True) is None


def test_who_joins_late_joins_what_we_offered() -> None:
    scene = Scene(inviting(match_length=9))
    scene.says()
    assert scene.says(31.0) == c.Invite(MARVIN, 9)
    scene.says(InviteSettings().wait_s + 1.0)  # an open invitation stays so
    scene.hear(Said(MARVIN, "one moment"))
    assert scene.desk.objection(MARVIN, 9, resumed=False) is None
    assert scene.desk.objection(MARVIN, 11, resumed=False) is not None
    scene.desk.match_begins(MARVIN, scene.now)
    assert scene.desk.objection(MARVIN, 9, resumed=False) is not None


@pytest.mark.parametrize(
    "refusal", [Refused(Refusal.NO_SAVED_MATCH, "marvin"), Refused(Refusal.SAVED_MATCH_CORRUPT, "")]
)
def test_a_saved_match_that_is_gone_is_in_nobodys_way(refusal: Refused) -> None:
    scene = Scene().hear(SavedMatch(2, MARVIN, 5, 1, 2))
    scene.says()
    assert scene.says(31.0) == c.InviteToResume(MARVIN)
    scene.hear(refusal)
    assert scene.says(2 * Lobby().resume_again_after_s) is None
    assert scene.invited(5) == c.Join(MARVIN)


def test_a_paused_bot_asks_nobody_to_resume() -> None:
    scene = Scene(Lobby(paused=True, away="")).hear(SavedMatch(2, MARVIN, 5, 1, 2))
    scene.says()
    assert scene.invited(5) == c.Tell(MARVIN, "Sorry, I am about to leave.")


def test_nobody_is_courted_who_is_blocked() -> None:
    scene = Scene(accepting(block=("marvin",))).hear(SavedMatch(2, MARVIN, 5, 1, 2))
    scene.says()
    assert scene.says(31.0) is None


# --- reputation


ASKING = accepting(reputation=ReputationSettings(ask=True, least=0))


def test_repbot_is_asked_about_strangers_once() -> None:
    scene = Scene(ASKING)
    assert scene.invited(5) == c.Tell(Player("RepBotNG"), "ask marvin")
    assert scene.says(1.0) is None
    scene.hear(Said(Player("RepBotNG"), "marvin's reputation is -45 (BAD)"))
    said = scene.says()
    assert isinstance(said, c.Tell)
    assert said.name == MARVIN
    assert scene.invited(5) is None  # remembered, and told already


def test_a_good_reputation_is_accepted() -> None:
    scene = Scene(ASKING)
    scene.invited(5)
    scene.hear(Said(Player("RepBotNG"), "marvin's reputation is 12 (GOOD)"))
    assert scene.says() == c.Join(MARVIN)


def test_nobody_else_can_speak_for_repbot() -> None:
    scene = Scene(ASKING)
    scene.invited(5)
    scene.hear(Said(Player("RepBotFake"), "marvin's reputation is -45 (BAD)"))
    assert scene.says(9.0) == c.Join(MARVIN)


def test_another_server_has_another_repbot() -> None:
    lobby = accepting(reputation=ReputationSettings(ask=True, least=0, repbot="judge"))
    scene = Scene(lobby)
    assert scene.invited(5) == c.Tell(Player("judge"), "ask marvin")
    scene.hear(Said(Player("judge"), "marvin's reputation is -45 (BAD)"))
    said = scene.says()
    assert isinstance(said, c.Tell)
    assert said.name == MARVIN


def test_a_silent_repbot_is_not_waited_for_longer_than_configured() -> None:
    scene = Scene(ASKING)
    scene.invited(5)
    assert scene.says(7.9) is None
    assert scene.says(0.2) == c.Join(MARVIN)


# --- inviting


def test_nobody_is_invited_by_default() -> None:
    scene = Scene()
    assert [scene.says(60.0) for _ in range(50)] == [None] * 50


def test_the_preferred_are_invited_when_we_have_been_idle() -> None:
    scene = Scene(inviting(preferred=("trillian", "marvin")), user(), user("trillian"))
    assert scene.says() is None
    assert scene.says(29.0) is None
    assert scene.says(2.0) == c.Invite(TRILLIAN, 1)


def test_a_bot_is_invited_if_it_is_named() -> None:
    """Also by an operator who takes no invitations from bots, or from nobody else."""
    lobby = inviting(preferred=("marvin_bot",))

    def says(accept: AcceptSettings) -> list[c.Command | None]:
        scene = Scene(lobby.model_copy(update={"accept": accept}), user("marvin_bot"))
        return [scene.says(), scene.says(31.0)]

    invited = [None, c.Invite(Player("marvin_bot"), 1)]
    assert (
        says(AcceptSettings())
        == says(AcceptSettings(only_allowed=True, allow=("zaphod",)))
        == invited
    )
    assert says(AcceptSettings(block=("marvin_bot",))) == [None, None]


BUSY = [{"ready": False}, {"away": True}, {"opponent": TRILLIAN}]


@pytest.mark.parametrize("fields", BUSY)
def test_who_is_not_free_is_not_invited(fields: dict[str, Any]) -> None:
    scene = Scene(inviting(), user(**fields))
    scene.says()
    assert scene.says(100.0) is None


def test_strangers_are_invited_only_if_anyone_is_wanted_and_never_ourselves() -> None:
    scene = Scene(inviting(preferred=(), whom="anyone"), user("sixbot"), user("trillian"))
    scene.says()
    assert scene.says(31.0) == c.Invite(TRILLIAN, 1)


def test_strangers_have_to_fit_what_we_accept() -> None:
    lobby = Lobby(
        invite=InviteSettings(after_idle_s=1.0, whom="anyone"),
        accept=AcceptSettings(rating=Window(most=1500)),
    )
    scene = Scene(lobby, user("trillian"))
    scene.says()
    assert scene.says(31.0) is None


def test_whoever_says_no_is_left_alone() -> None:
    scene = Scene(inviting())
    scene.says()
    assert scene.says(31.0) == c.Invite(MARVIN, 1)
    scene.hear(Said(MARVIN, "no thanks"))
    assert [scene.says(600.0) for _ in range(100)] == [None] * 100
    scene.now += 86_400
    assert scene.says() == c.Invite(MARVIN, 1)


def test_no_answer_is_a_no() -> None:
    scene = Scene(inviting())
    scene.says()
    assert scene.says(31.0) == c.Invite(MARVIN, 1)
    assert scene.says(59.0) is None
    assert scene.says(3_600.0) is None


@pytest.mark.parametrize(
    "answer", [Refused(Refusal.REFUSES_GAMES, "marvin"), LoggedOut(MARVIN, "logs out")]
)
def test_who_cannot_play_now_is_asked_again_later(answer: Message) -> None:
    scene = Scene(inviting())
    scene.says()
    scene.says(31.0)
    scene.hear(answer, user())
    assert scene.says(10.0) is None
    assert scene.says(600.0) == c.Invite(MARVIN, 1)


def test_a_saved_match_is_resumed_when_the_opponent_is_free() -> None:
    scene = Scene(Lobby(), user(ready=False)).hear(SavedMatch(1, MARVIN, 5, 1, 2))
    scene.says()
    assert scene.says(10.0) is None
    scene.hear(user(ready=True))
    assert scene.says() == c.InviteToResume(MARVIN)
    assert scene.says(300.0) is None
    assert scene.says(400.0) == c.InviteToResume(MARVIN)


def test_a_saved_match_with_somebody_else_does_not_wait_for_one_who_does_not_answer() -> None:
    scene = Scene(Lobby(), user(), user("trillian"))
    scene.hear(SavedMatch(2, MARVIN, 5, 1, 2), SavedMatch(2, TRILLIAN, 5, 1, 2))
    scene.says()
    assert scene.says(10.0) == c.InviteToResume(MARVIN)
    assert scene.says(61.0) == c.InviteToResume(TRILLIAN)


def test_when_paused_we_are_away_and_invite_nobody() -> None:
    scene = Scene(
        Lobby(paused=True, invite=InviteSettings(after_idle_s=1.0, preferred=("marvin",)))
    )
    assert scene.says() == c.Away("I am resting.")
    assert scene.says(100.0) is None


# --- the operator's orders


def test_whoever_pauses_is_away_each_time() -> None:
    scene = Scene()
    for paused, said in 2 * ((True, c.Away("I am resting.")), (False, None)):
        scene.desk.adopt(Lobby(paused=paused), ())
        assert [scene.says() for _ in range(3)] == [said, None, None]


def test_whom_the_operator_invites_is_asked_whatever_was_before() -> None:
    scene = Scene(Lobby(), user(), user("trillian")).hear(SavedMatch(2, MARVIN, 5, 1, 2))
    for name in (MARVIN, TRILLIAN):
        scene.desk.troubled(name, scene.now)
    scene.desk.invite(MARVIN, 9, scene.people, scene.now)
    assert scene.says() == c.InviteToResume(MARVIN)
    scene.desk.invite(TRILLIAN, 9, scene.people, scene.now)
    assert scene.says() == c.Invite(TRILLIAN, 9)
    assert scene.desk.objection(TRILLIAN, 9, resumed=False) is None


def test_an_ordered_invitation_that_a_match_overtakes_is_forgotten() -> None:
    scene = Scene()
    scene.desk.invite(TRILLIAN, 3, scene.people, scene.now)
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    assert scene.says() is None


def test_no_place_is_kept_for_a_match_that_rests() -> None:
    scene = Scene(Lobby(), user(), user("trillian"))
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.troubled(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0)
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)
