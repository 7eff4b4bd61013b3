"""Invitations that cross are joined once, and a try that nobody could answer does not count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.lobby.rests import TRIES_WITHIN_S, Rests, Why
from sixprime.bot.settings.schema import InviteSettings, Lobby
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.matches import Invited, InvitedToResume, TypeJoin
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import IsAway
from sixprime.protocols.fibs.wire.users import LoggedOut
from tests.support.bot.lobby import MARVIN, TRILLIAN, Scene, inviting, user

CROSSED_S = 15.0  # agreement.CROSSED_S
NAMES = [("emily_bot", "frida_bot"), ("Zaphod", "arthur"), ("anna", "ANNA"), ("a_bot", "ab")]


def lobby(length: int) -> Lobby:
    invite = InviteSettings(after_idle_s=1.0, whom="anyone", match_length=length)
    plain = Lobby(invite=invite)
    return plain.model_copy(update={"accept": plain.accept.model_copy(update={"bots": True})})


class Bot:
    """A bot in the lobby with another user; both have invited each other in the same moment."""

    def __init__(self, me: str, other: str, length: int, *, saved: bool) -> None:
        self.me, self.other, self.length = Player(me), Player(other), length
        self.scene = Scene(lobby(length), user(me), user(other))
        if saved:
            self.scene.hear(SavedHead(), SavedMatch(1, self.other, 5, 1, 2))
        self.says()
        asks = self.says(3.0)
        assert asks in (c.Invite(self.other, length), c.InviteToResume(self.other))
        self.resumes = isinstance(asks, c.InviteToResume)

    def says(self, after_s: float = 0.0) -> Command | None:
        self.scene.now += after_s
        return self.scene.desk.wants(self.scene.people, self.me, self.scene.now)

    def is_invited(self, length: int, *, resumes: bool) -> None:
        invitation = InvitedToResume(self.other) if resumes else Invited(self.other, length)
        self.scene.hear(invitation, TypeJoin(self.other))


# --- invitations that cross


@pytest.mark.parametrize("names", [*NAMES, *(pair[::-1] for pair in NAMES)])
@pytest.mark.parametrize("saved", [False, True])
def test_of_two_that_invite_each_other_only_the_lesser_name_joins(
    names: tuple[str, str], saved: bool
) -> None:
    """The lengths may differ; jIBS would begin two matches for two joins, and mix them."""
    one, two = Bot(*names, 1, saved=saved), Bot(*names[::-1], 3, saved=saved)
    one.is_invited(two.length, resumes=two.resumes)
    two.is_invited(one.length, resumes=one.resumes)
    joined = {bot.me: [bot.says(after_s) for after_s in (0.0, 1.0, 4.0, 9.0)] for bot in (one, two)}
    lesser, greater = sorted(names, key=lambda name: (name.lower(), name))
    assert joined[Player(lesser)][0] == c.Join(Player(greater))
    assert joined[Player(greater)] == [None] * 4


@pytest.mark.parametrize("saved", [False, True])
def test_the_greater_name_joins_if_nothing_came_of_its_own_invitation(saved: bool) -> None:
    bot = Bot("frida_bot", "emily_bot", 1, saved=saved)
    bot.is_invited(1, resumes=saved)
    assert bot.says(CROSSED_S - 0.1) is None
    assert bot.says(0.2) == c.Join(bot.other)


def test_whoever_has_invited_nobody_or_somebody_else_joins_at_once() -> None:
    scene = Scene(inviting(), user(), user("anna"))
    assert scene.invited(5) == c.Join(MARVIN)
    bot = Bot("frida_bot", "emily_bot", 1, saved=False)
    bot.scene.hear(user("anna"), Invited(Player("anna"), 1), TypeJoin(Player("anna")))
    assert bot.says() == c.Join(Player("anna"))


def test_an_invitation_to_resume_goes_before_our_new_one() -> None:
    bot = Bot("frida_bot", "emily_bot", 1, saved=False)
    bot.is_invited(1, resumes=True)
    assert bot.says() == c.Join(bot.other)


# --- tries that nobody could answer


def is_refused(scene: Scene) -> None:
    scene.hear(Refused(Refusal.PLAYING_ELSEWHERE, MARVIN))


def has_no_saved_match(scene: Scene) -> None:
    scene.hear(Refused(Refusal.NO_SAVED_MATCH, ""))  # jIBS names nobody


def is_away(scene: Scene) -> None:
    scene.hear(IsAway(MARVIN, "lunch"))


def logs_out(scene: Scene) -> None:
    scene.hear(LoggedOut(MARVIN, "logs out"), user(login=1))


def another_joins(scene: Scene) -> None:
    scene.people.match_begins()
    scene.desk.match_begins(TRILLIAN, scene.now)
    scene.desk.match_ends(TRILLIAN, saved=False, now=scene.now + 400.0)


def we_join_another(scene: Scene) -> None:
    scene.hear(user("trillian"))
    assert scene.invited(5, TRILLIAN) == c.Join(TRILLIAN)
    another_joins(scene)


def line_is_lost(scene: Scene) -> None:
    scene.desk.connected()


def loads_a_finished_match(scene: Scene) -> None:
    scene.people.match_begins()
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now)
    scene.desk.over(MARVIN, scene.now)


NOBODYS_FAULT = [
    is_refused, has_no_saved_match, is_away, logs_out, another_joins, we_join_another,
    line_is_lost, loads_a_finished_match,
]  # fmt: skip


@pytest.mark.parametrize("fails", NOBODYS_FAULT)
def test_a_try_that_the_opponent_could_not_answer_does_not_count(
    fails: Callable[[Scene], None],
) -> None:
    scene = Scene(inviting(after_idle_s=1.0))
    rests = scene.desk.known.entry(MARVIN).rests
    for _ in range(5):
        rests.tried(scene.now - TRIES_WITHIN_S / 2)  # the next one would be the sixth
    scene.says()
    assert scene.says(4.0) == c.Invite(MARVIN, 1)
    before = rests.last
    assert before is not None and before.why is Why.TRIES
    fails(scene)
    assert len(rests.tries) == 5
    assert rests.last is None or rests.last.why is not before.why


def test_an_invitation_that_the_opponent_let_lapse_counts() -> None:
    scene = Scene(inviting(after_idle_s=1.0))
    scene.says()
    assert scene.says(4.0) == c.Invite(MARVIN, 1)
    assert scene.says(61.0) is None
    another_joins(scene)
    scene.desk.connected()
    assert len(scene.desk.known.peek(MARVIN).rests.tries) == 1


@given(st.lists(st.sampled_from([1.0, 700.0]), max_size=20), st.integers(0, 20))
def test_a_lost_line_takes_back_its_own_tries_alone(waits: list[float], kept: int) -> None:
    rests, now, since = Rests(), 0.0, 0.0
    for number, wait_s in enumerate(waits):
        now += wait_s
        since = now if number == kept else since
        rests.tried(now)
    before = list(rests.tries)
    rests.line_lost(since)
    assert list(rests.tries) == [at for at in before if at < since]
