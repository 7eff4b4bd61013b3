"""Whom we play of those we may: people first, others too, rematches, quiet hours, listed names."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.client.lobby.desk import Desk
from sixprime.bot.matchlog.recorder import Standing
from sixprime.bot.settings.namefiles import NameFiles, checked
from sixprime.bot.settings.schema import (
    AcceptSettings,
    Chat,
    InviteSettings,
    Lobby,
    ReputationSettings,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.matches import Invited, InvitedToResume, TypeJoin
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import LoggedOut, User
from tests.support.bot.lobby import MARVIN, TRILLIAN, Scene, user

BOT = Player("gnu_bot")
BOTS = AcceptSettings(bots=True)
IDLE = InviteSettings(after_idle_s=10.0, preferred=("gnu_bot", "marvin", "trillian"))


def scene(*users: User, **lobby: Any) -> Scene:
    made = Scene(Lobby(**lobby), *users).hear(NoSavedMatches())
    made.says()
    return made


def plays(scene: Scene, name: Player, minutes: float = 10.0) -> None:
    scene.desk.match_begins(name, scene.now)
    scene.now += 60 * minutes
    scene.desk.match_ends(name, saved=False, now=scene.now)


def answers(scene: Scene, name: Player) -> Command | None:
    """To an invitation, as if nobody had been told anything yet."""
    scene.desk.known.entry(name).reason_at = float("-inf")
    scene.desk.known.entry(name).rests.tries.clear()
    return scene.invited(5, name)


PEOPLE_FIRST = c.Tell(BOT, "Sorry, I keep this time for people.")


# --- people first


def test_a_share_of_the_matches_is_kept_for_people() -> None:
    made = scene(user(), user("gnu_bot"), accept=BOTS, humans_first=0.5)
    assert answers(made, BOT) == PEOPLE_FIRST
    plays(made, MARVIN)
    assert answers(made, BOT) == c.Join(BOT)
    plays(made, BOT)
    assert answers(made, BOT) == PEOPLE_FIRST
    assert answers(made, MARVIN) == c.Join(MARVIN)


@pytest.mark.parametrize(
    "others",
    [
        (),
        (user(ready=False),),
        (user(away=True),),
        (user(opponent=TRILLIAN),),
        (user(idle_s=3_600),),
        (user("sixbot"),),
        (user("x_bot"),),
        (user(client="gnubg_bot"),),
    ],
)
def test_bots_are_welcome_while_no_person_is_here(others: tuple[User, ...]) -> None:
    made = scene(user("gnu_bot"), *others, accept=BOTS, humans_first=1.0)
    assert answers(made, BOT) == c.Join(BOT)


def test_a_person_is_here_for_a_while_after_a_match() -> None:
    made = scene(user("gnu_bot"), user(), accept=BOTS, humans_first=1.0)
    plays(made, MARVIN)
    made.hear(LoggedOut(MARVIN, "logs out"))
    assert answers(made, BOT) == PEOPLE_FIRST
    made.now += 1_801
    assert answers(made, BOT) == c.Join(BOT)


def test_whoever_said_no_keeps_no_bot_out() -> None:
    lobby = Lobby(accept=BOTS, invite=IDLE, humans_first=1.0)
    made = Scene(lobby, user("gnu_bot"), user()).hear(NoSavedMatches())
    made.says()
    assert made.says(11.0) == c.Invite(MARVIN, 1)  # although the bot is preferred
    made.hear(Said(MARVIN, "no"))
    assert made.says() == c.Invite(BOT, 1)


# --- others too


def test_after_some_matches_in_a_row_others_come_first() -> None:
    made = scene(user(), user("trillian"), games_in_a_row=2, invite=IDLE)
    for _ in range(2):
        assert answers(made, MARVIN) == c.Join(MARVIN)
        plays(made, MARVIN)
    asked = c.Tell(MARVIN, "Thank you for the matches. Let others play, please.")
    assert answers(made, MARVIN) == asked
    made.says()
    assert made.says(11.0) == c.Invite(TRILLIAN, 1)
    plays(made, TRILLIAN)
    assert answers(made, MARVIN) == c.Join(MARVIN)


def test_where_nobody_else_comes_the_row_ends_after_a_while() -> None:
    made = scene(user(), games_in_a_row=1)
    plays(made, MARVIN)
    assert isinstance(answers(made, MARVIN), c.Tell)
    made.now += 1_801
    assert answers(made, MARVIN) == c.Join(MARVIN)


def test_a_saved_match_is_no_further_one_in_the_row() -> None:
    made = scene(user(), games_in_a_row=1)
    made.desk.match_begins(MARVIN, made.now)
    made.desk.match_ends(MARVIN, saved=True, now=made.now)
    made.hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    assert made.says() == c.Join(MARVIN)


# --- rematches


def test_a_rematch_of_the_same_length_is_offered_once() -> None:
    made = scene(user(), rematches=True)
    assert made.invited(3) == c.Join(MARVIN)
    plays(made, MARVIN)
    said = [made.says(1.0) for _ in range(300)]
    assert [each for each in said if each] == [c.Invite(MARVIN, 3)]


@pytest.mark.parametrize(
    "lobby",
    [
        {"rematches": False},
        {"rematches": True, "games_in_a_row": 1},
        {"rematches": True, "accept": AcceptSettings(matches_per_opponent_and_day=1)},
        {"rematches": True, "accept": AcceptSettings(matches_per_day=1)},
        {"rematches": True, "accept": AcceptSettings(block=("marvin",))},
    ],
)
def test_no_rematch_is_offered_against_other_settings(lobby: dict[str, Any]) -> None:
    made = scene(user(), **lobby)
    plays(made, MARVIN)
    assert [made.says(1.0) for _ in range(60)] == [None] * 60


def test_a_rematch_waits_a_little_for_who_is_not_free_yet() -> None:
    made = scene(user(ready=False), rematches=True)
    plays(made, MARVIN)
    assert [made.says(1.0) for _ in range(10)] == [None] * 10
    made.hear(user())
    assert made.says(1.0) == c.Invite(MARVIN, 1)
    late = scene(user(ready=False), rematches=True)
    plays(late, MARVIN)
    late.says()
    late.now += 31.0
    late.hear(user())
    assert late.says() is None


def test_after_a_saved_match_there_is_nothing_to_repeat() -> None:
    made = scene(user(), rematches=True)
    made.desk.match_begins(MARVIN, made.now)
    made.desk.match_ends(MARVIN, saved=True, now=made.now)
    assert [made.says(1.0) for _ in range(60)] == [None] * 60


# --- quiet hours


class Night:
    """A desk by a clock on the wall."""

    def __init__(self, hours: str, at: str) -> None:
        self.at = at
        self.scene = Scene(Lobby(quiet_hours=hours, invite=IDLE)).hear(NoSavedMatches())
        self.scene.desk = Desk(self.scene.desk.settings, Chat().bots, None, self.clock)
        self.scene.says()

    def clock(self) -> dt.datetime:
        hour, minute = map(int, self.at.split(":"))
        local = dt.datetime(2026, 11, 23, hour, minute).astimezone()
        return local.astimezone(dt.UTC)


@pytest.mark.parametrize(
    ("hours", "quiet", "awake"),
    [
        ("22:00-07:00", ("22:00", "23:59", "00:00", "06:59"), ("07:00", "12:30", "21:59")),
        ("12:30-13:45", ("12:30", "13:44"), ("12:29", "13:45", "00:00", "23:59")),
    ],
)
def test_no_new_match_begins_in_quiet_hours(
    hours: str, quiet: tuple[str, ...], awake: tuple[str, ...]
) -> None:
    for at in quiet:
        made = Night(hours, at).scene
        begin, end = hours.split("-")
        sentence = f"Sorry, I start no matches from {begin} to {end}."
        assert made.invited(5) == c.Tell(MARVIN, sentence)
        assert made.says(60.0) is None
    for at in awake:
        assert Night(hours, at).scene.invited(5) == c.Join(MARVIN)
        made = Night(hours, at).scene
        assert made.says(11.0) == c.Invite(MARVIN, 1)


def test_in_quiet_hours_matches_are_finished_but_we_ask_for_none() -> None:
    night = Night("22:00-07:00", "21:00")
    made = night.scene.hear(SavedMatch(2, MARVIN, 5, 1, 2))
    night.at = "23:00"
    assert made.says(60.0) is None
    assert isinstance(made.invited(5), c.Tell)  # nor do we ask to resume instead
    made.hear(InvitedToResume(MARVIN), TypeJoin(MARVIN))
    assert made.says() == c.Join(MARVIN)
    made.people.match_begins()
    made.desk.match_begins(MARVIN, made.now, new=False)
    made.desk.connected()
    made.says()
    assert made.says(4.0) == c.InviteToResume(MARVIN)  # our line was lost in it


# --- names in files


def test_files_block_allow_and_prefer(tmp_path: Path) -> None:
    block, allow, first = (tmp_path / name for name in ("block", "allow", "first"))
    block.write_text("marvin\nboth\nzaphod\n")
    allow.write_text("x_bot # a friend\nboth\n")
    first.write_text("trillian\nzaphod\n")
    lobby = Lobby(
        accept=AcceptSettings(block_file=block, allow_file=allow, allow=("zaphod",)),
        invite=InviteSettings(after_idle_s=5.0, preferred=("ford",), preferred_file=first),
    )
    made = Scene(lobby, user(), user("x_bot"), user("both"), user("zaphod"), user("trillian"))
    files = NameFiles()
    files.reread(lobby)
    made.desk = Desk(lobby, Chat().bots, files)
    made.hear(NoSavedMatches())
    assert isinstance(made.invited(5), c.Tell)
    assert isinstance(made.invited(5, Player("both")), c.Tell)  # blocking outweighs
    assert made.invited(5, Player("x_bot")) == c.Join(Player("x_bot"))
    made.says()
    assert made.invited(5, Player("zaphod")) == c.Join(Player("zaphod"))  # the settings outweigh
    made.says()
    assert made.says(6.0) == c.Invite(TRILLIAN, 1)
    assert files.listed(lobby).preferred == ("ford", "trillian", "zaphod")


def test_a_file_that_changes_holds_at_once_and_one_that_breaks_does_not(tmp_path: Path) -> None:
    path = tmp_path / "block"
    path.write_text("marvin\n")
    lobby = Lobby(accept=AcceptSettings(block_file=path))
    files = checked(lobby)
    made = Scene(lobby)
    made.desk = Desk(lobby, Chat().bots, files)
    assert not files.reread(lobby)
    path.write_text("marvin\ntrillian\n")
    assert files.reread(lobby) == {"lobby.accept.block_file": None}
    made.desk.adopt(lobby, Chat().bots)
    assert made.desk.terms.names.block == {"marvin", "trillian"}
    for breaks in (
        lambda: path.write_text("marvin\nnot a name\n"),
        lambda: path.write_bytes(b"\xff\xfe\x00"),
        path.unlink,
        path.mkdir,
    ):
        breaks()
        (fault,) = files.reread(lobby).values()
        assert fault is not None
        assert not files.reread(lobby)  # said once
        made.desk.adopt(lobby, Chat().bots)
        assert made.desk.terms.names.block == {"marvin", "trillian"}
    path.rmdir()
    path.write_text("ford\n")
    assert files.reread(lobby) == {"lobby.accept.block_file": None}
    assert files.listed(lobby).block == {"ford"}


def test_who_is_invited_elsewhere_counts_too() -> None:
    """An invitation that nobody answered is a person's all the same."""
    made = scene(user("gnu_bot"), accept=BOTS, humans_first=1.0)
    made.hear(Invited(MARVIN, 64), TypeJoin(MARVIN))
    made.says()
    assert answers(made, BOT) == PEOPLE_FIRST


# --- how an opponent ends his matches


def drops(scene: Scene, name: Player, finished: int, left: int, behind: int) -> Scene:
    scene.desk.known.judge({name: Standing(finished, left, behind)})
    return scene


def test_who_drops_matches_is_told_so_once_and_accepted() -> None:
    made = drops(scene(user(), user("trillian")), MARVIN, 5, 4, 3)
    sentence = "Let us finish this one, please: you left 4 of our 9 matches unfinished."
    assert made.invited(5) == c.Tell(MARVIN, sentence)
    assert made.says() == c.Join(MARVIN)
    made.people.match_begins()
    plays(made, MARVIN)
    assert made.invited(5) == c.Join(MARVIN)


@pytest.mark.parametrize(
    ("standing", "most"), [((5, 2, 2), 3), ((40, 3, 3), 3), ((0, 9, 0), 3), ((5, 4, 3), 0)]
)
def test_others_are_told_nothing(standing: tuple[int, int, int], most: int) -> None:
    reputation = ReputationSettings(drops=most)
    made = drops(scene(user(), accept=AcceptSettings(reputation=reputation)), MARVIN, *standing)
    assert made.invited(5) == c.Join(MARVIN)


def test_who_drops_matches_is_invited_last() -> None:
    made = drops(scene(user(), user("trillian"), invite=IDLE), MARVIN, 0, 4, 4)
    assert made.says(11.0) == c.Invite(TRILLIAN, 1)
    made.hear(Said(TRILLIAN, "no"))
    assert made.says() == c.Invite(MARVIN, 1)


def test_who_drops_matches_is_declined_while_another_is_ready_if_the_operator_says_so() -> None:
    accept = AcceptSettings(reputation=ReputationSettings(decline_drops=True))
    made = drops(scene(user(), user("trillian"), accept=accept), MARVIN, 0, 4, 4)
    assert answers(made, MARVIN) == c.Tell(
        MARVIN, "Sorry, others come first: you left 4 of our 4 matches unfinished."
    )
    made.hear(user("trillian", ready=False))
    assert isinstance(answers(made, MARVIN), c.Tell)  # told once more, and
    assert made.says() == c.Join(MARVIN)


def test_who_mends_his_ways_is_like_any_other() -> None:
    made = drops(scene(user()), MARVIN, 0, 4, 4)
    made.desk.known.judge({})
    assert made.invited(5) == c.Join(MARVIN)
