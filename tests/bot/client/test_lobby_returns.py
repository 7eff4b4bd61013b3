"""Opponents with bad lines: a saved match is always resumable, and a return is seen at once."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.client.lobby.acquaintances import FOR_EVER
from sixprime.bot.client.lobby.desk import Desk
from sixprime.bot.client.lobby.rests import LONGEST_REST_S, Why
from sixprime.bot.client.lobby.terms import BREAK, PLACE_KEPT
from sixprime.bot.matchlog.recorder import Standing
from sixprime.bot.settings.namefiles import checked
from sixprime.bot.settings.schema import (
    AcceptSettings,
    Chat,
    Lobby,
    ReputationSettings,
    Window,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.matches import InvitedToResume, TypeJoin
from sixprime.protocols.fibs.wire.talk import IsAway, Said
from sixprime.protocols.fibs.wire.users import LoggedOut
from tests.support.adversary.fixed import BEGINS, FREE, PLAYING, THEIRS, Fixed
from tests.support.adversary.stage import Stage
from tests.support.adversary.vocabulary import TIME, US
from tests.support.bot.lobby import MARVIN, TRILLIAN, Scene, inviting, user

SAVED = SavedMatch(2, MARVIN, 5, 1, 2)
RESUMES = (InvitedToResume(MARVIN), TypeJoin(MARVIN))


# --- a bad line


def drops(scene: Scene, *, got_on: bool) -> None:
    """A match of a minute ends with the opponent's line; he is back at once."""
    scene.people.match_begins()
    scene.desk.match_begins(MARVIN, scene.now, new=False)
    scene.now += 60.0
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0, got_on=got_on)
    scene.hear(LoggedOut(MARVIN, "drops connection"), SavedHead(), SAVED)
    scene.now += 5.0
    scene.hear(user())


def test_a_match_that_got_on_is_resumed_after_any_number_of_drops() -> None:
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    for _ in range(40):
        scene.hear(*RESUMES)
        assert scene.says() == c.Join(MARVIN)
        drops(scene, got_on=True)


def test_an_invitation_to_resume_is_never_declined_but_may_wait_for_ten_minutes() -> None:
    """Nothing is played between the drops: then resuming is a try that led to nothing."""
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    waits = []
    for _ in range(30):
        scene.hear(*RESUMES)
        began = scene.now
        while (said := scene.says(1.0)) != c.Join(MARVIN):
            assert said in (None, c.Tell(MARVIN, BREAK))
            assert scene.now < began + LONGEST_REST_S + 2.0
        waits.append(scene.now - began)
        drops(scene, got_on=False)
    assert max(waits[:6]) < 2.0
    assert not scene.desk.declined


# --- allowed by the operator


QUIET = "00:00-23:59"
REFUSALS: list[Lobby] = [
    Lobby(accept=AcceptSettings(match_lengths=(1,))),
    Lobby(accept=AcceptSettings(rating=Window(most=1000))),
    Lobby(accept=AcceptSettings(only_allowed=True, allow=("anna",))),
    Lobby(accept=AcceptSettings(matches_per_day=1)),
    Lobby(accept=AcceptSettings(matches_per_opponent_and_day=1)),
    Lobby(accept=AcceptSettings(experience_for_length={"1": 9000})),
    Lobby(accept=AcceptSettings(reputation=ReputationSettings(decline_drops=True))),
    Lobby(quiet_hours=QUIET),
    Lobby(games_in_a_row=1),
    Lobby(humans_first=1.0, accept=AcceptSettings(bots=True)),
]


@pytest.mark.parametrize("lobby", REFUSALS)
def test_whoever_is_allowed_by_order_is_accepted_whatever_the_settings_say(lobby: Lobby) -> None:
    scene = Scene(lobby, user(client="x_bot"), user("trillian")).hear(NoSavedMatches())
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    scene.desk.known.judge({MARVIN: Standing(0, 9, 9)})
    for _ in range(6):
        scene.desk.known.entry(MARVIN).rests.tried(scene.now)
    assert not isinstance(scene.invited(5), c.Join)
    scene.desk.obey({MARVIN: True})
    scene.desk.forgive(MARVIN)
    for _ in range(20):  # however often
        assert scene.invited(5) == c.Join(MARVIN)
        scene.people.match_begins()
        scene.desk.match_begins(MARVIN, scene.now)
        scene.desk.match_ends(MARVIN, saved=False, now=scene.now)
    assert scene.desk.objection(MARVIN, 64, resumed=False) is None
    scene.desk.closing = True
    assert not isinstance(scene.invited(5), c.Join)


def test_an_allowed_opponent_still_finishes_the_saved_match_first() -> None:
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    scene.desk.obey({MARVIN: True})
    for _ in range(9):
        scene.desk.known.entry(MARVIN).rests.tried(scene.now)
    assert scene.invited(5) == c.InviteToResume(MARVIN)


@pytest.mark.parametrize("paused", [False, True])
def test_quiet_hours_change_nothing_of_a_saved_match(paused: bool) -> None:
    scene = Scene(Lobby(quiet_hours=QUIET, paused=paused, away="")).hear(SavedHead(), SAVED)
    scene.desk.troubled(MARVIN, scene.now)
    scene.hear(*RESUMES)
    said = scene.says()
    assert said == c.Tell(MARVIN, "Sorry, I am about to leave." if paused else BREAK) or paused
    assert scene.says() is None  # it waits, or is declined
    scene.says(1.0)
    assert scene.says(60.0) == (None if paused else c.Join(MARVIN))
    allowed = Scene(Lobby(quiet_hours=QUIET)).hear(SavedHead(), SAVED)
    allowed.desk.obey({MARVIN: True})
    assert allowed.invited(5) == c.InviteToResume(MARVIN)


def test_a_match_that_the_operator_left_is_not_resumed_that_day() -> None:
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    scene.desk.troubled(MARVIN, scene.now, Why.ORDER)
    scene.hear(*RESUMES)
    assert scene.says() == c.Tell(MARVIN, "Sorry, I cannot continue our match today.")
    scene.now += 80_000.0
    scene.hear(*RESUMES)
    assert not isinstance(scene.says(), c.Join)
    scene.desk.forgive(MARVIN)
    scene.hear(*RESUMES)
    assert scene.says() == c.Join(MARVIN)


def test_unblock_outweighs_settings_and_files(tmp_path: Path) -> None:
    path = tmp_path / "block"
    path.write_text("trillian\n")
    accept = AcceptSettings(block=("marvin",), block_file=path)
    lobby = Lobby(accept=accept)
    scene = Scene(lobby, user(), user("trillian"))
    scene.desk = Desk(lobby, Chat().bots, checked(lobby))
    for name in (MARVIN, TRILLIAN):
        assert isinstance(scene.invited(5, name), c.Tell)
    scene.desk.obey({MARVIN: None, TRILLIAN: None})
    unblocked = lobby.model_copy(update={"accept": accept.model_copy(update={"block": ()})})
    scene.desk.adopt(unblocked, Chat().bots)
    for name in (MARVIN, TRILLIAN):
        scene.says()
        assert scene.invited(5, name) == c.Join(name)
        scene.says(10.0)
    assert isinstance(scene.invited(64), c.Tell)  # judged as any other


def test_forgive_ends_rests_tries_and_drops_but_a_match_that_is_over_stays_so() -> None:
    reputation = ReputationSettings(decline_drops=True)
    scene = Scene(Lobby(accept=AcceptSettings(reputation=reputation)), user(), user("trillian"))
    scene.hear(NoSavedMatches())
    scene.desk.known.judge({MARVIN: Standing(0, 4, 4)})
    scene.desk.known.entry(MARVIN).alone_until = FOR_EVER
    scene.desk.known.entry(MARVIN).dead_until = FOR_EVER
    scene.desk.troubled(MARVIN, scene.now)
    scene.desk.forgive(MARVIN)
    known = scene.desk.known.peek(MARVIN)
    assert (known.rests.last, known.alone_until < 0, known.dead_until) == (None, True, FOR_EVER)
    assert scene.invited(5) == c.Join(MARVIN)
    scene.desk.known.judge({MARVIN: Standing(0, 5, 5)})  # one more since then
    assert scene.desk.terms.drops(MARVIN) is None


# --- the opponent is back


@pytest.mark.parametrize("away", [IsAway(MARVIN, "lunch"), LoggedOut(MARVIN, "logs out"), None])
def test_a_return_leads_to_a_try_within_seconds(away: Any) -> None:
    """Without an answer to the last try, which would else be repeated ten minutes later."""
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    if away is None:
        scene.now += 61.0
    else:
        scene.hear(away)
    scene.hear(user(ready=False))
    assert scene.says(5.0) is None
    scene.hear(user())
    assert scene.says(1.0) == c.InviteToResume(MARVIN)


def test_a_spoken_no_outlasts_a_return() -> None:
    scene = Scene(Lobby()).hear(SavedHead(), SAVED)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    scene.hear(Said(MARVIN, "no"), LoggedOut(MARVIN, "logs out"), user(login=2))
    assert [scene.says(60.0) for _ in range(60)] == [None] * 60


@pytest.mark.parametrize("sentence", [BREAK, PLACE_KEPT])
def test_a_bot_that_cannot_play_yet_has_not_said_no(sentence: str) -> None:
    scene = Scene(inviting()).hear(NoSavedMatches())
    scene.says()
    assert scene.says(31.0) == c.Invite(MARVIN, 1)
    scene.hear(Said(MARVIN, sentence))
    assert scene.says(10.0) is None
    assert scene.says(600.0) == c.Invite(MARVIN, 1)


def test_a_server_without_a_list_of_saved_matches_is_asked_for_those_that_we_remember() -> None:
    scene = Scene(Lobby())
    scene.desk.match_begins(MARVIN, scene.now)
    scene.desk.match_ends(MARVIN, saved=True, now=scene.now, place_s=120.0)
    scene.says()
    assert scene.says(4.0) == c.InviteToResume(MARVIN)
    left = Scene(Lobby())
    left.desk.match_begins(MARVIN, left.now)
    left.desk.objects(MARVIN)  # we have not agreed to it
    left.desk.match_ends(MARVIN, saved=True, now=left.now)
    left.says()
    assert [left.says(4.0) for _ in range(100)] == [None] * 100


HERE = "5 marvin {} - 1 0 1623.41 2115 0 1 h c -"


class Returns(Fixed):
    """A server that tells of a lost opponent nothing but that he is here and free, as jIBS."""

    def __init__(self, lies: bool = False) -> None:
        super().__init__(lambda word: (f"** Unknown command: '{word}'",))
        self.lies = lies  # the second line shows that he plays
        self.at_table = self.saved = self.free = False
        self.freed_at = 0.0

    def hears(self, command: str) -> None:
        match command.split():
            case ["join", *_] if not self.at_table:
                self.at_table = True
                self.says(*BEGINS, HERE.format(US), "6", THEIRS)
                asyncio.get_running_loop().call_later(30.0, self._loses)
            case ["board"] if self.at_table:
                self.says(THEIRS)
            case ["rawwho", "marvin"]:
                self.says(HERE.format("-" if self.free and not self.lies else US), "6")
            case ["rawwho", *_]:
                self.says(*(PLAYING if self.at_table else FREE))
            case ["leave"]:
                self.at_table, self.saved = False, True
                self.says(
                    "** You terminated the game. The game was saved.", HERE.format("-"), *FREE
                )
            case ["show", "saved"] if self.saved:
                self.says(
                    "  opponent          matchlength   score (your points first)",
                    f" *{'marvin':<15}{'5':>10}{0:>17} - {0:>2}",
                )
            case ["show", "saved"]:
                self.says("no saved games.")
            case ["time"]:
                self.says(TIME)
            case _:
                super().hears(command)

    def _loses(self) -> None:
        self.free, self.freed_at = True, asyncio.get_running_loop().time()
        self.says(HERE.format("-"), "6")


def test_a_line_that_shows_the_opponent_back_ends_the_match_and_resumes_it() -> None:
    stage = Stage(Returns)
    stage.play(240.0)
    server = stage.server
    assert isinstance(server, Returns)
    left = [at for at, command in stage.heard if command == "leave"]
    asked = [at for at, command in stage.heard if command == "invite marvin"]
    assert left[0] < server.freed_at + 15.0
    assert asked[0] < server.freed_at + 30.0


def test_a_single_line_that_is_wrong_ends_no_match() -> None:
    stage = Stage(partial(Returns, lies=True))
    stage.play(150.0)
    left = [at for at, command in stage.heard if command == "leave"]
    assert min(left) > 140.0  # at the end
