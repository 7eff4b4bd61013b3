"""Every state of the lobby has a reason: whom we wait for, how long, and what ends it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.lobby.reasons import lobby_waiting
from sixprime.bot.client.lobby.rests import Why
from sixprime.bot.client.lobby.waiting import REASONS, Waiting
from sixprime.bot.process.printable import Sentence
from sixprime.bot.settings.schema import AcceptSettings, InviteSettings, Lobby
from sixprime.bot.web.frame.texts import language
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.commands import Command, Invite
from sixprime.protocols.fibs.wire.matches import Invited, InvitedToResume, TypeJoin
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import LoggedOut, WhoEnds
from tests.support.bot.lobby import MARVIN, ME, TRILLIAN, Scene, inviting, user

SAVED = (SavedHead(), SavedMatch(2, MARVIN, 5, 1, 2))


def reason(scene: Scene) -> Waiting:
    return lobby_waiting(scene.desk, scene.people, ME, scene.now)


def settled(scene: Scene) -> Scene:
    scene.says()
    scene.says(4.0)
    return scene


def asks_to_resume() -> Scene:
    return settled(Scene(Lobby()).hear(*SAVED))


def rests() -> Scene:
    scene = Scene(Lobby()).hear(*SAVED)
    scene.desk.troubled(MARVIN, scene.now, Why.TROUBLE)
    return settled(scene)


def loaded_a_finished_match() -> Scene:
    scene = Scene(inviting(after_idle_s=1.0), user()).hear(*SAVED)
    scene.desk.over(MARVIN, scene.now)
    assert scene.invited(5) is not None
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    scene.desk.over(MARVIN, scene.now)
    return settled(scene)


def had_tries() -> Scene:
    scene = Scene(inviting(after_idle_s=1.0)).hear(NoSavedMatches())
    for _ in range(6):
        scene.desk.known.entry(MARVIN).rests.tried(scene.now)
    return settled(scene)


def is_told_no() -> Scene:
    scene = asks_to_resume()
    return scene.hear(Said(MARVIN, "no"))


def is_told_busy() -> Scene:
    scene = asks_to_resume()
    return scene.hear(Refused(Refusal.REFUSES_GAMES, "marvin"))


def keeps_the_place() -> Scene:
    scene = Scene(Lobby(), user("trillian")).hear(*SAVED)
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0)
    return settled(scene)


def is_quiet() -> Scene:
    return settled(Scene(Lobby(quiet_hours="00:00-23:59")))


def has_played_enough() -> Scene:
    scene = Scene(Lobby(accept=AcceptSettings(matches_per_day=1)))
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    return settled(scene)


def has_played_him_enough() -> Scene:
    accept = AcceptSettings(matches_per_opponent_and_day=1)
    scene = Scene(inviting(after_idle_s=1.0).model_copy(update={"accept": accept}))
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    return settled(scene)


def misses_him() -> Scene:
    return settled(Scene(Lobby(), user("trillian")).hear(*SAVED))


def declined_somebody() -> Scene:
    scene = settled(Scene(Lobby()).hear(NoSavedMatches()))
    scene.invited(64)
    return scene


def sees_nobody() -> Scene:
    return settled(Scene(inviting(after_idle_s=1.0), user("trillian")))


def has_joined() -> Scene:
    scene = settled(Scene(Lobby()).hear(NoSavedMatches()))
    scene.hear(Invited(MARVIN, 5), TypeJoin(MARVIN))
    scene.says()
    return scene


def asks_about_a_stranger() -> Scene:
    scene = settled(Scene(Lobby()).hear(NoSavedMatches()))
    scene.invited(5, TRILLIAN)
    scene.now += 2.0
    return scene


def resumes_after_a_rest() -> Scene:
    scene = rests()
    scene.hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    scene.says()
    return scene


def waits_before_it_invites() -> Scene:
    return settled(Scene(inviting(after_idle_s=600.0)).hear(NoSavedMatches()))


STATES: list[tuple[Callable[[], Scene], str, str, float | None, str]] = [
    (asks_to_resume, "invitation", "waits for marvin to resume the saved match", 60, ""),
    (rests, "rest", "rests from marvin, because the match could not go on", 56, "forgive marvin"),
    (
        loaded_a_finished_match,
        "rest",
        "rests from marvin, because the server loaded a finished match",
        56,
        "forgive marvin",
    ),
    (
        had_tries,
        "tries",
        "rests from marvin, because 6 tries in an hour led to no match",
        56,
        "forgive marvin",
    ),
    (is_told_no, "rest", "leaves marvin alone, because", 86_400, "forgive marvin"),
    (is_told_busy, "rest", "leaves marvin alone, because", 600, "forgive marvin"),
    (keeps_the_place, "opponent", "keeps the place of marvin", 116, "block marvin"),
    (
        is_quiet,
        "quiet hours",
        "begins no match, because it is quiet from 00:00-23:59",
        None,
        "reload",
    ),
    (
        has_played_enough,
        "limit",
        "begins no match, because its settings allow 1 a day",
        86_396,
        "reload",
    ),
    (has_played_him_enough, "limit", "does not invite marvin", 86_396, "invite marvin"),
    (misses_him, "opponent", "waits for marvin to come back for the saved match", None, ""),
    (declined_somebody, "nobody", "waits for another invitation", None, "allow marvin"),
    (sees_nobody, "nobody", "waits for somebody who is here, free and welcome", None, ""),
    (has_joined, "server", "has joined marvin and waits for the match to begin", 5, ""),
    (asks_about_a_stranger, "inquiry", "waits for the server to tell about trillian", None, ""),
    (resumes_after_a_rest, "rest", "rests from marvin, because", 56, "forgive marvin"),
    (waits_before_it_invites, "idle", "waits a while before it invites somebody", 596, ""),
]


@pytest.mark.parametrize(("state", "word", "start", "for_s", "ends_with"), STATES)
def test_a_state_says_whom_we_wait_for(
    state: Callable[[], Scene], word: str, start: str, for_s: float | None, ends_with: str
) -> None:
    scene = state()
    why = reason(scene)
    assert why.sentence.startswith(start)
    for text in (why.sentence, why.next_act):
        assert isinstance(text, Sentence)
        assert language("de").texts.gettext(text.template) != text.template
    assert (why.reason, why.ends_with) == (word, ends_with)
    if for_s is not None:
        assert why.until == pytest.approx(scene.now + for_s, abs=1.0)


ACTS: list[tuple[Message, ...]] = [
    (Invited(MARVIN, 5), TypeJoin(MARVIN)),
    (InvitedToResume(MARVIN), TypeJoin(MARVIN)),
    (Invited(TRILLIAN, 64), TypeJoin(TRILLIAN)),
    SAVED,
    (NoSavedMatches(),),
    (Said(MARVIN, "no"),),
    (Refused(Refusal.REFUSES_GAMES, "marvin"),),
    (Refused(Refusal.NO_SAVED_MATCH, "marvin"),),
    (LoggedOut(MARVIN, "drops"),),
    (user(),),
    (user(ready=False),),
    (user(opponent=TRILLIAN),),
    (user("trillian"), WhoEnds()),
]
ENDS = ("won", "left", "lost", "over", "troubled")
LOBBIES = [
    Lobby(),
    Lobby(invite=InviteSettings(after_idle_s=5.0, whom="anyone", leave_alone_s=30.0)),
    Lobby(quiet_hours="00:00-23:59", accept=AcceptSettings(matches_per_day=1)),
]


@given(
    st.sampled_from(LOBBIES),
    st.lists(st.sampled_from([*range(len(ACTS)), *ENDS]), max_size=60),
    st.sampled_from([1.0, 12.0, 400.0]),
)
def test_every_silence_has_a_reason_that_is_not_over(
    lobby: Lobby, acts: list[int | str], step_s: float
) -> None:
    scene = Scene(lobby)
    for act in acts:
        if isinstance(act, int):
            scene.hear(*ACTS[act])
        else:
            scene.people.match_begins()
            scene.desk.match_begins(MARVIN, scene.now, new=act == "won")
            if act == "troubled":
                scene.desk.troubled(MARVIN, scene.now)
            place_s = 120.0 * (act == "lost")
            scene.desk.match_ends(MARVIN, saved=act != "won", now=scene.now, place_s=place_s)
            if act == "over":
                scene.desk.over(MARVIN, scene.now)
        said: Command | None = scene.says(step_s)
        if said is None:
            why = reason(scene)
            assert why.reason in REASONS
            assert why.sentence
            assert why.until is None or why.until >= scene.now
            assert why.since is None or why.since <= scene.now


def test_the_next_act_names_the_user_who_is_then_asked() -> None:
    scene = settled(Scene(inviting(after_idle_s=600.0), user()).hear(NoSavedMatches()))
    why = reason(scene)
    assert (why.reason, why.next_act) == ("idle", "asks marvin for a match")
    assert why.until is not None
    scene.now = why.until
    assert scene.says() == Invite(MARVIN, scene.desk.settings.invite.match_length)
