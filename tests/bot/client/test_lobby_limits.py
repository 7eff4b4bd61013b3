"""No opponent makes us answer for ever; a match that our lost line interrupted comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.lobby.agreement import CROSSED_S
from sixprime.bot.client.lobby.rests import (
    FIRST_REST_S,
    LONGEST_REST_S,
    MOST_CHANGES,
    Rests,
    Why,
)
from sixprime.bot.settings.schema import AcceptSettings, InviteSettings, Lobby
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.matches import Invited, InvitedToResume, TypeJoin
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import LoggedOut, User, WhoEnds
from tests.support.bot.lobby import MARVIN, TRILLIAN, Scene, inviting, user

SAVED = SavedMatch(2, MARVIN, 5, 1, 2)
DAY_S, HOUR_S = 86_400, 3_600
A_HANDFUL = 7
FIRST_HOUR = 16  # six tries, two sentences, a try after each rest of 1, 2, 4, 8, 10, 10 minutes
NEW = (Invited(MARVIN, 5), TypeJoin(MARVIN))
RESUMES = (InvitedToResume(MARVIN), TypeJoin(MARVIN))


def commands(scene: Scene, *answer: Message, for_s: float, every_s: float = 0.5) -> list[Command]:
    """What we say to an opponent who keeps answering with this."""
    said = []
    for _ in range(round(for_s / every_s)):
        scene.hear(*answer)
        if command := scene.says(every_s):
            said.append(command)
    return said


# --- a war of invitations


@pytest.mark.parametrize("answer", [NEW, RESUMES, (Invited(MARVIN, 64), TypeJoin(MARVIN))])
@pytest.mark.parametrize("saved", [SAVED, NoSavedMatches()])
def test_a_war_of_invitations_ends_after_a_handful(
    saved: Message, answer: tuple[Message, ...]
) -> None:
    """He answers each invitation of ours with one of his own, and never joins."""
    scene = Scene(inviting(after_idle_s=1.0)).hear(saved)
    scene.says()
    assert 0 < len(commands(scene, *answer, for_s=60.0)) <= A_HANDFUL
    assert len(commands(scene, *answer, for_s=3_540.0)) <= FIRST_HOUR
    assert len(commands(scene, *answer, for_s=600.0)) <= 3  # silence, to him alone
    assert scene.invited(5, TRILLIAN) == c.AskWho(TRILLIAN)


def test_a_reason_is_given_before_the_silence() -> None:
    scene = Scene(inviting()).hear(SAVED)
    for _ in range(6):
        scene.desk.known.entry(MARVIN).rests.tried(scene.now)
    assert scene.invited(5) == c.Tell(
        MARVIN, "Sorry, I need a break. Please invite me again in ten minutes."
    )
    assert scene.invited(5) is None
    scene.now += FIRST_REST_S
    assert scene.invited(5) == c.InviteToResume(MARVIN)


def test_another_reason_is_told_at_once_and_the_same_one_an_hour_later() -> None:
    scene = Scene(Lobby())
    long = scene.invited(64)
    assert isinstance(long, c.Tell)
    assert scene.invited(64) is None
    scene.desk.closing = True
    leaving = scene.invited()
    assert leaving == c.Tell(MARVIN, "Sorry, I am about to leave.")
    assert scene.invited() is None
    scene.now += HOUR_S
    assert scene.invited() == leaving


def test_even_a_lobby_that_always_gives_a_reason_falls_silent() -> None:
    scene = Scene(Lobby(decline_again_after_s=0.0))
    said = commands(scene, Invited(MARVIN, 64), TypeJoin(MARVIN), for_s=3_000.0)
    assert len(said) <= FIRST_HOUR


# --- resume and leave


def cycles(scene: Scene, for_s: float, stays_s: float) -> int:
    """He resumes and leaves, as often as we let him."""
    joined, end = 0, scene.now + for_s
    while scene.now < end:
        scene.hear(*RESUMES)
        said = scene.says(1.0)
        if isinstance(said, c.Join | c.InviteToResume):
            joined += 1
            scene.people.match_begins()
            scene.desk.match_begins(MARVIN, scene.now, new=False)
            scene.now += stays_s
            scene.desk.match_ends(MARVIN, saved=True, now=scene.now, got_on=False)
    return joined


@pytest.mark.parametrize("stays_s", [0.5, 30.0, 290.0])
def test_who_resumes_and_leaves_rests_after_a_few_times(stays_s: float) -> None:
    scene = Scene(Lobby(accept=AcceptSettings(matches_per_opponent_and_day=0))).hear(SAVED)
    assert cycles(scene, HOUR_S, stays_s) <= FIRST_HOUR
    assert cycles(scene, HOUR_S, stays_s) <= A_HANDFUL


def test_a_resumption_is_no_match_more_of_the_day() -> None:
    scene = Scene(Lobby(accept=AcceptSettings(matches_per_opponent_and_day=1))).hear(SAVED)
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    assert cycles(scene, HOUR_S, 400.0) > 1


def test_a_resting_opponent_keeps_nobody_out() -> None:
    scene = Scene(Lobby(), user(), user("trillian")).hear(SAVED)
    cycles(scene, 600.0, 1.0)
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_a_finished_match_and_a_long_one_wear_nobody_out() -> None:
    for saved, lasts_s in ((False, 1.0), (True, 600.0)):
        scene = Scene(Lobby(accept=AcceptSettings(matches_per_opponent_and_day=0)))
        scene.hear(NoSavedMatches())
        for _ in range(30):
            assert scene.invited(5) == c.Join(MARVIN)
            scene.desk.match_begins(MARVIN, scene.now)
            scene.now += lasts_s
            scene.desk.match_ends(MARVIN, saved=saved, now=scene.now)


# --- a no is a no


def asked_in_a_day(scene: Scene, *answer: Message) -> int:
    asked = 0
    for _ in range(DAY_S // 60):
        if isinstance(scene.says(60.0), c.InviteToResume):
            asked += 1
            scene.hear(*answer)
    return asked


@pytest.mark.parametrize(
    ("answer", "most"),
    [
        ((Said(MARVIN, "no, thank you"),), 1),
        ((), 8),
        ((Refused(Refusal.REFUSES_GAMES, "marvin"),), 8),
        ((LoggedOut(MARVIN, "logs out"), user()), 8),
        ((Refused(Refusal.NO_SAVED_MATCH, "marvin"),), 1),
    ],
)
def test_who_does_not_resume_is_left_alone(answer: tuple[Message, ...], most: int) -> None:
    scene = Scene(Lobby()).hear(SAVED)
    scene.says()
    assert 1 <= asked_in_a_day(scene, *answer) <= most


def test_a_match_ends_every_no() -> None:
    scene = Scene(Lobby()).hear(SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    scene.hear(Said(MARVIN, "later"))
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)


# --- saved matches that are over


def test_a_match_that_is_over_is_never_resumed_on_any_connection() -> None:
    scene = Scene(inviting()).hear(SAVED)
    scene.desk.over(MARVIN, scene.now)
    for _ in range(3):
        scene.desk.connected()
        scene.desk.match_begins(MARVIN, scene.now, new=False)  # the server puts us into it
        scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
        scene.now += DAY_S
        scene.says()
        assert scene.says(4.0) is None
        scene.hear(*RESUMES)
        said = scene.says()
        assert isinstance(said, c.Tell)
        assert said.text.startswith("Sorry, our saved match is over.")
        assert scene.says(31.0) == c.Invite(MARVIN, 1)  # a new one is welcome
        scene.desk.connected()
        assert scene.invited(5) == c.Join(MARVIN)


def test_a_server_that_loads_a_finished_match_instead_of_a_new_one_rests_us_for_minutes() -> None:
    scene = Scene(Lobby(), user()).hear(SAVED)
    scene.desk.over(MARVIN, scene.now)
    assert scene.invited(5) == c.Join(MARVIN)
    for rest_s in (60.0, 120.0, 240.0, 480.0, 600.0, 600.0):
        loads_finished(scene)
        assert not isinstance(scene.invited(5), c.Join)
        scene.now += rest_s - 1.0
        assert scene.invited(5) is None  # the invitation waits for the end of the rest
        assert scene.says(1.0) == c.Join(MARVIN)
        scene.people.forget_invitation(MARVIN)
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    scene.hear(NoSavedMatches())
    assert scene.invited(5) == c.Join(MARVIN)
    loads_finished(scene)
    assert scene.desk.known.peek(MARVIN).rests.until == scene.now + 60.0


def loads_finished(scene: Scene) -> None:
    """The server loads a finished match instead of the new one, and saves it when we leave."""
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    scene.desk.over(MARVIN, scene.now)


def rested(*users: User) -> Scene:
    scene = Scene(Lobby(), *users).hear(SavedHead(), SAVED)
    scene.desk.over(MARVIN, scene.now)
    assert scene.invited(5) == c.Join(MARVIN)
    loads_finished(scene)
    scene.says()
    return scene


def gone_and_back(scene: Scene) -> None:
    scene.hear(LoggedOut(MARVIN, "logs out"), user())


def back_unheard(scene: Scene) -> None:
    """As on jIBS, which tells of no lost line."""
    scene.hear(user(login=2))


def unlisted(scene: Scene) -> None:
    scene.hear(NoSavedMatches())


def forgiven(scene: Scene) -> None:
    scene.desk.forgive(MARVIN)


@pytest.mark.parametrize("change", [gone_and_back, back_unheard, unlisted, forgiven])
def test_a_rest_ends_when_the_other_side_changes(change: Callable[[Scene], None]) -> None:
    scene = rested(user())
    scene.hear(user())  # the same login: no change
    assert not isinstance(scene.invited(5), c.Join)
    change(scene)
    assert scene.invited(5) == c.Join(MARVIN)


def test_changes_end_a_few_rests_a_day_and_the_operator_any() -> None:
    scene = rested(user())
    ended = 0
    for login in range(2, 12):
        scene.hear(user(login=login))
        if scene.invited(5) == c.Join(MARVIN):
            loads_finished(scene)
            ended += 1
    assert ended == MOST_CHANGES
    scene.desk.forgive(MARVIN)
    assert scene.invited(5) == c.Join(MARVIN)


def test_a_rest_by_order_ends_by_order() -> None:
    scene = Scene(Lobby(), user()).hear(SAVED)
    scene.desk.troubled(MARVIN, scene.now, Why.ORDER)
    gone_and_back(scene)
    scene.says()
    assert scene.says(HOUR_S) is None
    scene.desk.forgive(MARVIN)
    assert scene.says() == c.InviteToResume(MARVIN)


REST_ACTS = ("try", "excuse", "trouble", "got on", "gone", "back", "list", "unlist", "wait")


@given(st.lists(st.sampled_from(REST_ACTS), max_size=80))
def test_no_rest_by_the_rule_lasts_longer_than_ten_minutes(acts: list[str]) -> None:
    rests, now, login = Rests(), 0.0, 1
    for act in acts:
        match act:
            case "try":
                rests.tried(now)
            case "excuse":
                rests.excused()
            case "trouble":
                rests.begin(Why.TROUBLE, now)
                assert FIRST_REST_S <= rests.until - now <= LONGEST_REST_S
            case "got on":
                rests.got_on()
            case "gone":
                rests.note_logout()
            case "back":
                login += 1
                rests.note_line(user(login=login), now)
            case "list" | "unlist":
                rests.note_list(now, listed=act == "list")
            case "wait":
                now += 45.0
        assert rests.until <= now + LONGEST_REST_S
        assert not rests.is_on(now + LONGEST_REST_S)


def test_nobody_waits_for_the_opponent_of_a_match_that_is_over() -> None:
    scene = Scene(Lobby(), user(), user("trillian")).hear(SAVED)
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0)
    scene.desk.over(MARVIN, scene.now)
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_a_new_match_with_the_same_opponent_is_resumed_like_any_other() -> None:
    scene = Scene(Lobby()).hear(SAVED)
    scene.desk.over(MARVIN, scene.now)
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)


# --- after our own reconnect


def interrupted(lobby: Lobby | None = None, *users: User) -> Scene:
    """Our line was lost in a match with marvin, and we are back."""
    scene = Scene(lobby or Lobby(), *users).hear(SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.now += 20.0
    scene.desk.connected()
    scene.people.__init__()  # type: ignore[misc]
    return scene


def test_the_interrupted_match_comes_before_new_invitations() -> None:
    scene = interrupted(inviting(preferred=("trillian",), after_idle_s=1.0))
    scene.hear(Invited(TRILLIAN, 5), TypeJoin(TRILLIAN))
    assert scene.says() is None  # who is here?
    scene.hear(user(), user("trillian"), WhoEnds(), SAVED)
    said = scene.says(1.0)
    assert said == c.Tell(TRILLIAN, "Sorry, I am waiting for my opponent to come back.")
    assert scene.says(3.0) == c.InviteToResume(MARVIN)
    assert scene.invited(5, TRILLIAN) is None  # told already
    scene.hear(*RESUMES)
    assert scene.says(CROSSED_S) == c.Join(MARVIN)


@pytest.mark.parametrize(
    "here", [(), (user(ready=False),), (user(away=True),), (user(opponent=TRILLIAN),)]
)
def test_nobody_waits_for_an_opponent_who_is_not_here_and_free(here: tuple[User, ...]) -> None:
    scene = interrupted()
    scene.hear(*here, user("trillian"), WhoEnds(), SAVED)
    scene.says(5.0)
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_it_comes_first_for_a_limited_time_and_is_asked_for_once() -> None:
    scene = interrupted()
    scene.hear(user(), user("trillian"), WhoEnds(), SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    scene.now += 61.0
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_a_no_gives_the_place_free() -> None:
    scene = interrupted()
    scene.hear(user(), user("trillian"), WhoEnds(), SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    scene.hear(Said(MARVIN, "sorry, no"))
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


def test_our_lost_lines_are_not_counted_against_the_opponent() -> None:
    lobby = Lobby(accept=AcceptSettings(matches_per_opponent_and_day=1))
    scene = Scene(lobby, user(), user("trillian"))
    scene.desk.match_begins(MARVIN, scene.now)
    for _ in range(20):
        scene.desk.connected()
        scene.hear(SAVED)
        scene.says(60.0)
        assert scene.says(4.0) == c.InviteToResume(MARVIN)
        scene.desk.match_begins(MARVIN, scene.now, new=False)


def test_a_match_that_the_server_has_lost_is_not_asked_for() -> None:
    scene = interrupted()
    scene.hear(NoSavedMatches(), user(), user("trillian"), WhoEnds())
    scene.says()
    assert scene.says(4.0) is None
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)


# --- whatever an opponent does

ACTS: tuple[tuple[Message, ...], ...] = (
    NEW,
    RESUMES,
    (Invited(MARVIN, None), TypeJoin(MARVIN)),
    (SAVED,),
    (NoSavedMatches(),),
    (Said(MARVIN, "no"),),
    (Refused(Refusal.REFUSES_GAMES, "marvin"),),
    (Refused(Refusal.NO_SAVED_MATCH, "marvin"),),
    (Refused(Refusal.NOT_INVITED, "marvin"),),
    (user(ready=False),),
    (user(),),
    (LoggedOut(MARVIN, "drops"),),
)
BEGINS, LEAVES = -1, -2


@given(st.lists(st.integers(LEAVES, len(ACTS) - 1), max_size=120), st.booleans())
def test_whatever_one_opponent_does_costs_a_few_commands_an_hour(
    acts: list[int], ours: bool
) -> None:
    lobby = Lobby(invite=InviteSettings(after_idle_s=1.0, preferred=("marvin",), leave_alone_s=5.0))
    scene = Scene(lobby if ours else Lobby(decline_again_after_s=0.0))
    said: Counter[type[Command]] = Counter()
    playing = False
    for act in acts:
        if act == BEGINS:
            scene.desk.match_begins(MARVIN, scene.now, new=False)
            scene.people.match_begins()
            playing = True
        elif act == LEAVES and playing:
            scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
            playing = False
        elif act >= 0:
            scene.hear(*ACTS[act])
        scene.now += 12.0
        if not playing and (command := scene.says()):
            said[type(command)] += 1
    assert said[c.AskWho] <= 12
    del said[c.AskWho]
    assert said.total() <= FIRST_HOUR


def test_a_stranger_is_never_remembered_for_being_looked_at() -> None:
    crowd = [user(f"u{i}") for i in range(300)]
    scene = Scene(inviting(whom="anyone", preferred=()), *crowd)
    scene.says()
    assert isinstance(scene.says(31.0), c.Invite)
    assert len(scene.desk.known._known) == 1
    assert Player("u5") in scene.people.users
