"""The state machine of one connection, driven by golden transcripts and by small plays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sixprime.protocols.fibs.boardrequests import BOARD_WITHIN_S
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Offer,
    RollOrDouble,
)
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.settings import Setup
from sixprime.protocols.fibs.states import ONLINE, Awaited, ConnectionState, Failure
from sixprime.protocols.fibs.wire import account
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard, read_board, read_move
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Player
from tests.support.fibs.plays import (
    BETWEEN_GAMES,
    GREETING,
    MARVIN,
    OUR_DICE,
    OUR_TURN,
    OVER,
    THEIR_TURN,
    Play,
    own_line,
)
from tests.support.fibs.servertext import produce
from tests.support.fibs.transcripts import FOLDER, TRANSCRIPTS, Transcript

MOVE = c.Move(read_move("8-5 6-5", -1), -1)
LATER_TURN = OUR_TURN.replace(":-2:0:0:0:0:5:", ":0:-2:0:0:0:5:")
OPENING = "board:You:marvin:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"  # noqa: E501


# --- the golden transcripts


def command_of(text: str, session: Session) -> Command:
    word, _, rest = text.partition(" ")
    if word == "move":
        assert session.match is not None
        assert session.match.board is not None
        return c.Move(read_move(rest, session.match.board.direction), session.match.board.direction)
    name, _, value = rest.partition(" ")
    if word == "invite":
        return c.Invite(Player(name), int(value)) if value else c.InviteToResume(Player(name))
    if word == "set":
        return c.SetVariable(name, value)
    if word == "tell":
        return c.Tell(Player(name), value)
    with_name: dict[str, type[Command]] = {"watch": c.Watch, "toggle": c.Toggle, "join": c.Join}
    if rest and word in with_name:
        return with_name[word](Player(rest))  # type: ignore[call-arg]
    plain: dict[str, Command] = {
        "roll": c.Roll(),
        "double": c.Double(),
        "accept": c.Accept(),
        "reject": c.Reject(),
        "resign n": c.Resign(1),
        "resign g": c.Resign(2),
        "join": c.JoinNext(),
        "toggle": c.ListToggles(),
        "back": c.Back(),
        "show saved": c.ShowSaved(),
        "unwatch": c.Unwatch(),
        "board": c.AskBoard(),
        "leave": c.Leave(),
    }
    return plain[text]


QUESTIONS: dict[type[Command], type] = {
    c.Roll: RollOrDouble,
    c.Double: RollOrDouble,
    c.Move: ChoosePlay,
    c.JoinNext: JoinNextGame,
}


def act(transcript: Transcript) -> Session:
    """The play on the stage: every line of ours has to be legal when its turn comes."""
    play = Play(transcript.player)
    if "login:" not in transcript.server_lines[:3]:
        play.idle()
    for who, line in transcript.events:
        if who == "S":
            if line == "login:" and play.session.state in ONLINE:
                play = Play(transcript.player)  # a new connection
            play.hear(line)
            continue
        if line.startswith("login"):
            assert play.wanted() == [line]
            continue
        command = command_of(line, play.session)
        question = play.session.question()
        if type(command) in QUESTIONS:
            assert isinstance(question, QUESTIONS[type(command)]), line
        if isinstance(command, c.Accept | c.Reject):
            assert isinstance(question, AnswerDouble | AnswerResignation), line
        assert play.send(command) == line
    return play.session


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=str)
def test_a_transcript_is_played_with_legal_commands_that_answer_the_questions(
    transcript: Transcript,
) -> None:
    session = act(transcript)
    question = session.question()
    asked = "" if question is None else type(question).__name__
    assert (session.state.name, asked) == transcript.ends


def test_the_score_of_the_doubled_game_is_tracked() -> None:
    for name, score in (("doubled-game", (4, 1)), ("doubled-game-of-the-opponent", (1, 4))):
        session = act(next(t for t in TRANSCRIPTS if t.name == name))
        assert session.match is not None
        assert session.match.score == score
        assert session.match.length == 5


def test_who_won_the_match_is_known() -> None:
    for name, how, score in (
        ("resignation", Ended.LOST, (0, 4)),
        ("resignation-of-the-opponent", Ended.WON, (4, 0)),
        ("crawford", Ended.WON, (2, 1)),
        ("crawford-of-the-opponent", Ended.LOST, (1, 2)),
    ):
        match = act(next(t for t in TRANSCRIPTS if t.name == name)).last_match
        assert match is not None
        assert match.ended is how
        assert match.score == score


def test_ratings_come_from_the_who_lines() -> None:
    session = act(next(t for t in TRANSCRIPTS if t.name == "resignation"))
    assert (session.rating, session.experience) == (1498.32, 43)
    assert session.people.users[MARVIN].rating == 1626.49


# --- logging in


def test_prompts_again_and_again_mean_a_wrong_password() -> None:
    play = Play()
    for _ in range(2):  # the second may be a prompt that came twice
        play.hear("login:")
        assert play.wanted() == ["login sixbot_1.0 1008 sixbot secret99"]
    play.hear("login:")
    assert play.session.failure is Failure.LOGIN_REFUSED
    assert play.wanted() == []
    assert play.session.deadline is None


def test_the_login_is_sent_even_if_no_prompt_comes() -> None:
    play = Play()
    play.hear("a banner")
    play.wait(44)
    assert play.wanted() == []
    play.wait(1)
    assert len(play.wanted()) == 1
    play.hear("login:")  # it was on its way
    assert play.wanted() == []
    play.hear(*(line.format(me="sixbot") for line in GREETING))
    assert play.session.state in ONLINE


def test_a_prompt_that_comes_twice_does_no_harm() -> None:
    play = Play().prompted()
    play.hear("login:")
    play.wanted()
    play.hear(*(line.format(me="sixbot") for line in GREETING), "** Unknown command: 'login'")
    assert play.session.state in ONLINE


def test_a_login_that_arrived_garbled_is_no_wrong_password() -> None:
    play = Play().prompted()
    play.hear("password:", "Login incorrect")
    assert play.session.failure is Failure.LOGIN_SILENT


def test_a_refusal_in_words_is_not_tried_again() -> None:
    play = Play().prompted()
    play.hear("** User not known or wrong password.")
    assert play.session.failure is Failure.LOGIN_REFUSED


def test_where_a_twin_has_to_go_first_the_login_is_sent_twice_but_not_thrice() -> None:
    play = Play().prompted()
    play.hear("** Warning: You are already logged in.", "login:")
    assert len(play.wanted()) == 1
    play.hear("login:")
    assert play.session.failure is Failure.LOGIN_REFUSED


def test_a_twin_behind_a_second_login_is_no_wrong_password() -> None:
    play = Play().prompted()
    play.hear("login:")
    assert len(play.wanted()) == 1
    play.hear("** Warning: You are already logged in.")
    assert play.session.failure is None
    play.hear(*(line.format(me="sixbot") for line in GREETING))
    assert play.session.state in ONLINE


def test_a_server_that_hangs_up_on_a_login_is_told_from_a_lost_line() -> None:
    prompted, told, online = Play(), Play(), Play().idle()
    for play in (prompted, told):
        play.hear("login:")
    told.wanted()
    for play in (prompted, told, online):
        play.session.hung_up()
    failures = [play.session.failure for play in (prompted, told, online)]
    assert failures == [None, Failure.LOGIN_CLOSED, None]


def test_only_a_welcome_with_our_own_name_is_a_welcome() -> None:
    play = Play().prompted()
    play.hear("> 1", "> 1 mallory 5 here")
    assert play.session.state is ConnectionState.LOGGING_IN


@pytest.mark.parametrize(
    "welcome",
    ["1 {} 1699913600", "1 {}", "1 {} null null", "1 {} 1699913600 host.example and more"],
)
@pytest.mark.parametrize("name", ["sixbot", "SixBot"])
def test_a_welcome_that_a_server_writes_in_its_own_way_is_a_welcome(
    welcome: str, name: str
) -> None:
    play = Play().prompted()
    play.hear(welcome.format(name), *(line.format(me=name) for line in GREETING[1:]))
    assert play.session.state in ONLINE
    assert play.session.rating == 1512.5
    play.hear(own_line("-").replace("sixbot -", f"{name} -").replace("1512.50", "1600.00"))
    assert play.session.rating == 1600.0


def test_an_invitation_glued_to_a_report_is_heard() -> None:
    play = Play().idle()
    report = "arthur and zaphod start a new 5-point match."
    play.hear(f"{report}{report}marvin wants to play a 5 point match with you.")
    assert MARVIN in play.session.people.invitations


def test_a_silent_login_is_given_up() -> None:
    play = Play().prompted()
    play.wait(91)
    play.wanted()
    assert play.session.failure is Failure.LOGIN_SILENT


def test_a_password_is_in_no_text() -> None:
    play = Play()
    assert "secret99" not in repr(play.login)
    with pytest.raises(IllegalCommand) as raised:
        Session(Login("c", "x", "a b"), 0.0).send(Login("c", "x", "secret 99"), 0.0)
    assert "secret" not in str(raised.value)


# --- settings

LIST = {
    "allowpip": True, "autoboard": True, "autodouble": False, "automove": False, "bell": False,
    "crawford": True, "double": True, "greedy": False, "moreboards": False, "moves": False,
    "notify": True, "ratings": False, "ready": False, "report": True, "silent": False,
    "telnet": True, "wrap": False,
}  # fmt: skip


class Account:
    """A server as far as settings go; it may lose commands and swap texts."""

    def __init__(self, lose: Iterable[int] = (), swapped: bool = False) -> None:
        self.toggles = dict(LIST)
        self.variables = {"boardstyle": "2", "linelength": "0", "pagelength": "0"}
        self.lose = set(lose)
        self.swapped = swapped
        self.count = 0

    def answer(self, line: str) -> list[str]:
        self.count += 1
        if self.count in self.lose:
            return []
        word, _, rest = line.partition(" ")
        if word == "set":
            name, value = rest.split()
            self.variables[name] = value
            return [f"Value of '{name}' set to {value}."]
        if line == "toggle":
            return ["The current settings are:"] + [
                f"{name:<15} {'YES' if on else 'NO'}" for name, on in self.toggles.items()
            ]
        if word == "toggle":
            self.toggles[rest] = on = not self.toggles[rest]
            if rest == "silent" and self.swapped:
                on = not on
            return [produce(account.Toggled(rest, on))]
        known = {"back": ["Welcome back."], "show saved": ["no saved games."], "time": [TIME]}
        return known.get(line, [])


def unmet(setup: Setup) -> list[str]:
    """Settings that are not, or not known to be, as wanted."""
    wanted = {**setup.wanted_toggles, **setup.wanted_variables}
    known: dict[str, bool | str] = {**setup.toggles, **setup.variables}
    return [name for name, value in wanted.items() if known.get(name) != value]


def set_up(account: Account, setup: Setup | None = None) -> Play:
    play = Play(setup=setup or Setup())
    play.log_in()
    for _ in range(200):
        sent = play.wanted()
        for line in sent:
            play.hear(*account.answer(line))
        if not sent:
            if play.session.state is ConnectionState.IDLE:
                break
            play.wait(1.0)
            play.hear("13 zaphod hello")
    return play


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("lose", [(), (1,), (5,), (6, 7), (3, 9), (8,), (2, 4, 6, 8, 10, 12)])
def test_settings_are_brought_to_what_we_need_and_verified(
    lose: tuple[int, ...], swapped: bool
) -> None:
    account = Account(lose, swapped)
    play = set_up(account)
    assert play.session.state is ConnectionState.IDLE
    wanted = Setup().wanted_toggles
    assert {name: account.toggles[name] for name in wanted} == dict(wanted)
    assert account.toggles["ready"]
    assert account.variables["boardstyle"] == "3"
    assert unmet(play.session.setup) == []


def test_ready_is_the_last_of_all() -> None:
    account = Account()
    said: list[str] = []
    play = Play(setup=Setup()).log_in()
    while play.session.state is not ConnectionState.IDLE:
        for line in play.wanted():
            said.append(line)
            play.hear(*account.answer(line))
    assert [line for line in said if line.startswith(("set", "toggle "))][-1] == "toggle ready"
    assert said.index("show saved") < said.index("toggle ready")


def test_a_server_that_answers_nothing_does_not_keep_us_for_ever() -> None:
    play = set_up(Account(lose=range(1, 500)))
    assert play.session.state is ConnectionState.IDLE
    assert "boardstyle" in unmet(play.session.setup)


def test_settings_that_are_never_answered_leave_the_others_their_tries() -> None:
    play, tries = Play(setup=Setup()).log_in(), []
    account = Account()
    while play.session.state is not ConnectionState.IDLE:
        for line in play.wanted():
            unknown = line.startswith(("set boardstyle", "set linelength"))
            lost = line == "toggle ready" and line not in tries
            tries.append(line)
            play.hear(*(() if unknown or lost else account.answer(line)))
        play.wait(1.0)
    assert account.toggles["ready"]


@pytest.mark.parametrize("row", ["  marvin          5             1 -  2", "no saved games."])
def test_a_list_of_saved_matches_is_asked_for_once(row: str) -> None:
    play, head = (
        Play(setup=Setup()).log_in(),
        "  opponent          matchlength   score (your points first)",
    )
    account, said = Account(), list[str]()
    while play.session.state is not ConnectionState.IDLE:
        said += (new := play.wanted())
        for line in new:
            play.hear(*([head, row] if line == "show saved" else account.answer(line)))
        play.wait(1.0)
    assert said.count("show saved") == 1


def test_ready_is_not_toggled_blindly_and_not_again() -> None:
    account = Account()
    account.toggles["ready"] = True
    play = set_up(account)
    assert account.toggles["ready"]
    play.hear(own_line("-", ready=0))
    account.toggles["ready"] = False
    for line in play.wanted():
        play.hear(*account.answer(line))
    assert account.toggles["ready"]


def test_who_line_and_answer_may_come_in_either_order() -> None:
    account = Account()
    play = set_up(account)
    for _ in range(3):
        account.toggles["ready"] = False  # as some servers do when a match begins
        play.hear(own_line("-", ready=0))
        for line in play.wanted():
            said = account.answer(line)
            play.hear(own_line("-", ready=int(account.toggles["ready"])), *said)
        assert account.toggles["ready"]
        assert play.session.ready


# --- invitations


def test_the_warning_about_a_saved_match_is_waited_for() -> None:
    play = Play().idle()
    play.hear("marvin wants to play a 5 point match with you.")
    invitation = play.session.people.invitations[MARVIN]
    assert not invitation.may_be_answered(play.now)
    play.hear(
        "WARNING: Don't accept if you want to continue the saved 3 point match!",
        "Type 'join marvin' to accept.",
    )
    invitation = play.session.people.invitations[MARVIN]
    assert invitation.may_be_answered(play.now)
    assert invitation.loses_saved_match
    assert invitation.length == 5


def test_the_last_invitation_of_a_user_counts_and_every_inviter_has_a_place() -> None:
    play = Play().idle()
    play.hear(
        "marvin wants to play a 1 point match with you.",
        "zaphod wants to resume a saved match with you.",
        "marvin wants to play an unlimited match with you.",
    )
    invitations = play.session.people.invitations
    assert invitations[MARVIN].length is None
    assert not invitations[MARVIN].to_resume
    assert invitations[Player("zaphod")].to_resume


def test_nobody_joins_who_was_not_invited() -> None:
    play = Play().idle()
    with pytest.raises(IllegalCommand):
        play.send(c.Join(MARVIN))
    play.hear("marvin wants to play a 1 point match with you.")
    play.send(c.Join(MARVIN))
    play.hear("** marvin didn't invite you.")
    with pytest.raises(IllegalCommand):
        play.send(c.Join(MARVIN))


def test_a_match_of_another_length_than_invited_shows_its_true_length() -> None:
    play = Play().idle()
    play.hear("marvin wants to play a 1 point match with you.")
    play.send(c.Join(MARVIN))
    heard = play.hear("** You are now playing an unlimited match with marvin")
    assert heard[0] == MatchBegins(MARVIN, Beginning.NEW, length=None)
    assert play.session.match is not None
    assert play.session.match.length is None


# --- turns


@pytest.mark.parametrize("cube", ["1:1:1", "2:0:1"])  # its value, and who may double
def test_a_board_without_prompt_counts_after_a_moment_and_then_at_once(cube: str) -> None:
    ours, dice, theirs = (
        each.replace(":1:1:1:0:1:-1:", f":{cube}:0:1:-1:")
        for each in (OUR_TURN, OUR_DICE, THEIR_TURN)
    )
    play = Play().playing(ours)
    assert play.session.question() is None  # a prompt may follow, or the server roll for us
    assert play.session.waiting.what is Awaited.PROMPT
    play.wait(0.5)
    assert play.wanted() == []
    assert isinstance(play.session.question(), RollOrDouble)
    play.send(c.Roll())
    play.hear(dice, theirs, ours.replace(":1:-3:4:", ":1:-4:5:").replace(":0:-3:1:", ":0:-2:0:"))
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_prompt_that_comes_late_is_no_second_question() -> None:
    play = Play().playing(OUR_TURN)
    play.wait(0.5)
    play.wanted()
    play.send(c.Roll())
    play.hear("It's your turn. Please roll or double.", OUR_TURN)
    assert play.session.question() is None


def test_a_server_that_rolls_for_us_is_given_the_time() -> None:
    play = Play().playing(OUR_TURN)
    for wait_s in (0.5, 5.0):
        assert play.session.question() is None
        play.wait(wait_s)
        play.wanted()
        play.send(c.Roll())
        play.hear("** You did already roll the dice.", "You roll 3 and 1.", OUR_DICE)
        play.hear("marvin moves 8-5 6-5 .", THEIR_TURN, LATER_TURN)


def test_a_roll_of_the_server_before_ours_teaches_us_to_wait_for_the_next() -> None:
    """The server of jIBS always rolls, and rolls twice if our command comes in between."""
    play = Play().playing(OUR_TURN)
    play.hear("You roll 3 and 1.", OUR_DICE)
    play.send(MOVE)
    play.hear(THEIR_TURN, "marvin moves 8-5 6-5 .", LATER_TURN)
    play.wait(4.0)
    play.wanted()
    assert play.session.question() is None
    play.wait(1.5)
    play.wanted()
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_roll_that_does_not_come_any_more_is_waited_for_once() -> None:
    """BaldLies rolls while the cube is the opponent's, and not in the Crawford game."""
    play = Play().playing(OUR_TURN)
    play.hear("You roll 3 and 1.", OUR_DICE)
    for wait_s, place in ((5.0, "0:-2:0:0:0"), (0.5, "0:0:-2:0:0"), (0.0, "0:0:0:-2:0")):
        play.send(MOVE)
        ours, dice = (
            each.replace(":-2:0:0:0:0:5:", f":{place}:5:") for each in (OUR_TURN, OUR_DICE)
        )
        play.hear("marvin moves 8-5 6-5 .", ours)
        assert (play.session.question() is None) == (wait_s > 0)
        play.wait(wait_s)
        play.wanted()
        assert isinstance(play.session.question(), RollOrDouble)
        play.send(c.Roll())
        play.hear("You roll 3 and 1.", dice)


def test_the_roll_behind_an_accepted_double_teaches_nothing() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Double())
    ours, dice = (each.replace(":1:1:1:0:1:-1:", ":2:0:1:0:1:-1:") for each in (OUR_TURN, OUR_DICE))
    play.hear("marvin accepts the double. The cube shows 2.", ours, "You roll 3 and 1.", dice)
    play.send(MOVE)
    play.hear("marvin moves 8-5 6-5 .", LATER_TURN.replace(":1:1:1:0:1:-1:", ":2:0:1:0:1:-1:"))
    play.wait(0.5)
    play.wanted()
    assert isinstance(play.session.question(), RollOrDouble)


def test_new_dice_on_the_same_position_are_no_answer_to_a_move() -> None:
    play = Play().playing(OUR_TURN, "You roll 3 and 1.", OUR_DICE)
    play.send(MOVE)
    play.hear("You roll 6 and 5.", OUR_DICE.replace(":1:3:1:", ":1:6:5:"))
    assert play.session.question() is None  # the move may be heard or not
    play.hear(THEIR_TURN.replace(":1:-3:4:", ":1:-4:5:"))
    assert play.session.question() is None


def test_dice_that_crossed_a_double_are_played_once_it_is_refused() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Double())
    play.hear("You roll 3 and 1.", OUR_DICE)
    assert play.session.question() is None  # a server may roll again
    play.hear("** You can only double before you roll the dice.")
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_DICE)
    assert isinstance(play.session.question(), ChoosePlay)


def test_a_board_that_comes_three_times_is_answered_once() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    for _ in range(3):
        play.hear(OUR_TURN)
        assert play.session.question() is None
        with pytest.raises(IllegalCommand):
            play.send(c.Roll())


def test_a_lost_command_is_found_by_looking_at_the_board() -> None:
    play = Play().playing(OUR_DICE)
    match play.session.question():
        case ChoosePlay(board, (3, 1)):
            play.send(c.Move(read_move("8-5 6-5", board.direction), board.direction))
        case other:
            pytest.fail(str(other))
    assert play.session.waiting.what is Awaited.EFFECT
    play.wait(10)
    assert play.wanted() == ["time", "board"]
    assert play.session.question() is None  # the answer may say that the move has been made
    play.hear(TIME, OUR_DICE)
    assert isinstance(play.session.question(), ChoosePlay)


def test_a_board_asked_for_in_vain_is_asked_for_ever_more_rarely() -> None:
    play, asked = Play().playing(), []
    for second in range(130):
        asked += [second for line in play.wanted() if line == "board"]
        play.hear("13 zaphod hello")
        play.wait(0.9)
    assert [after - before for before, after in pairwise(asked)] == [6, 12, 24, 48]


def test_where_the_server_knows_only_b_the_board_is_asked_for_so() -> None:
    play = Play().playing()
    play.wait(10.0)
    assert play.wanted() == ["board"]
    play.hear("** Unknown command: 'board'")
    play.wait(2.0)
    assert play.wanted() == ["b"]
    play.hear("** Unknown command: 'b'")  # one of the two was an accident
    play.wait(2.0)
    assert len(play.wanted()) == 1


def test_a_broken_board_is_not_believed_but_asked_for_again() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin moves 8-5 6-5 .", OUR_TURN.replace(":5:0:3:", ":5:0:2:"))
    assert play.session.question() is None
    play.wait(3.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)


def test_after_a_dance_that_no_prompt_follows_we_ask_for_the_board_as_soon() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin rolls 6 and 6.", "marvin can't move.")
    play.wait(0.5)
    assert play.wanted() == ["board"]


def test_after_a_dance_of_the_opponent_the_prompt_makes_us_ask_for_the_board_soon() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin rolls 6 and 6.", "marvin can't move.")
    play.wait(0.3)
    assert play.wanted() == []
    play.hear("It's your turn. Please roll or double.")
    assert play.session.question() is None
    assert play.wanted() == []
    play.wait(0.5)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)


def test_when_both_have_danced_the_same_board_asks_us_anew() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear("You roll 6 and 6.", "You can't move.", THEIR_TURN)
    play.hear("marvin rolls 6 and 6.", "marvin can't move.", OUR_TURN)
    play.hear("It's your turn. Please roll or double.")
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_board_that_we_have_answered_is_looked_at_again_before_long() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear("You roll 6 and 6.", "You can't move.", OUR_TURN)  # and whatever comes next is lost
    assert play.session.question() is None
    play.wait(BOARD_WITHIN_S)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_game_that_is_announced_after_its_board_is_played_at_once() -> None:
    play = Play().playing(OVER, "Type 'join' if you want to play the next game.")
    play.hear("You rolled 3, marvin rolled 1", "It's your turn to move.", OPENING)
    play.hear("Starting a new game with marvin.")
    assert isinstance(play.session.question(), ChoosePlay)


@pytest.mark.parametrize("name", ["marvin", "sixbot"])
def test_who_waits_for_the_next_game_does_not_join_again(name: str) -> None:
    play = Play().playing(
        OVER, "Type 'join' if you want to play the next game, type 'leave' if you don't."
    )
    play.send(c.JoinNext())
    play.hear(f"** Please wait for {name} to join too.")
    play.wait(60.0)
    assert play.wanted() == []
    assert play.session.question() is None
    assert play.session.waiting.what is Awaited.OPPONENT_TO_JOIN


def test_a_join_that_has_no_effect_is_repeated_ever_more_rarely() -> None:
    play = Play().playing(
        OVER, "Type 'join' if you want to play the next game, type 'leave' if you don't."
    )
    joins = 0
    for _ in range(600):
        if isinstance(play.session.question(), JoinNextGame):
            play.send(c.JoinNext())
            joins += 1
        play.wait(1.0)
        if "time" in play.wanted():
            play.hear(TIME)
    assert 3 <= joins <= 6


def test_a_server_that_answers_no_setting_is_asked_for_few() -> None:
    play = Play(setup=Setup()).log_in()
    asked = 0
    for _ in range(40):
        asked += len(play.wanted())
        play.hear("7 ben ben logs in.")  # it talks all the time, but not to us
        play.wait(5.0)
    assert asked <= 20


def test_a_board_lost_before_its_prompt_is_asked_for_at_once() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("It's your turn. Please roll or double.")
    play.wait(1.0)
    assert play.wanted() == ["board"]


def test_a_board_that_follows_its_prompt_is_not_asked_for() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin moves 8-5 6-5 .", "It's your turn. Please roll or double.", OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)
    assert play.wanted() == []


def test_a_refused_double_leaves_only_the_roll() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Double())
    play.hear("** The Crawford rule doesn't allow you to double in this game.")
    question = play.session.question()
    assert isinstance(question, RollOrDouble)
    assert not question.may_double
    with pytest.raises(IllegalCommand):
        play.send(c.Double())
    assert play.send(c.Roll()) == "roll"


def test_a_refused_move_is_asked_again_only_from_a_fresh_board() -> None:
    play = Play().playing(OUR_DICE)
    play.send(MOVE)
    play.hear("** You can't move 5 points in your first move.")
    assert play.session.question() is None
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_DICE)
    assert isinstance(play.session.question(), ChoosePlay)
    assert play.session.match is not None
    assert play.session.match.refused == 1


def test_a_resignation_comes_before_the_own_move() -> None:
    play = Play().playing(OUR_DICE)
    play.hear("marvin wants to resign. You will win 2 points. Type 'accept' or 'reject'.")
    question = play.session.question()
    assert isinstance(question, AnswerResignation)
    assert question.points == 2
    with pytest.raises(IllegalCommand):
        play.send(MOVE)
    play.send(c.Reject())
    play.hear("You reject. The game continues.")
    assert play.session.question() is None
    play.wait(1.0)
    assert play.wanted() == ["board"]  # nothing is repeated after a reject
    play.hear(OUR_DICE)
    assert isinstance(play.session.question(), ChoosePlay)


def test_a_command_that_crossed_a_resignation_is_asked_for_again() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear(
        "marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
        "** marvin wanted to resign. Type 'accept' or 'reject'.",
    )
    assert play.session.question() == AnswerResignation(board_of(OUR_TURN), 1)
    play.send(c.Reject())
    play.hear("You reject. The game continues.")
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_resignation_is_judged_by_a_fresh_board() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear(
        "marvin moves 8-5 6-5 .",
        "marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
    )
    assert play.session.question() is None
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN)
    assert play.session.question() == AnswerResignation(board_of(OUR_TURN), 1)


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (OVER,),
        (OUR_TURN, "marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'."),
    ],
)
def test_nobody_resigns_without_a_game_or_while_something_waits(lines: tuple[str, ...]) -> None:
    play = Play().playing(*lines)
    with pytest.raises(IllegalCommand):
        play.send(c.Resign(1))


def test_a_resignation_is_not_sent_behind_a_command() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    with pytest.raises(IllegalCommand):
        play.send(c.Resign(1))


def test_an_overlooked_resignation_is_found_by_the_refusal() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear("** marvin wanted to resign. Type 'accept' or 'reject'.")
    assert play.session.question() == AnswerResignation(board_of(OUR_TURN), None)


@pytest.mark.parametrize(
    "between",
    [
        ("You reject. The game continues.", OUR_DICE),
        ("marvin wins the game and gets 1 point.", "Starting a new game with marvin.", OUR_TURN),
    ],
)
def test_an_overlooked_resignation_is_not_judged_by_an_older_one(between: tuple[str, ...]) -> None:
    play = Play().playing(OUR_TURN)
    play.hear("marvin wants to resign. You will win 3 points. Type 'accept' or 'reject'.")
    play.send(c.Reject())
    play.hear(*between, "** marvin wanted to resign. Type 'accept' or 'reject'.")
    play.wait(5.0)
    play.wanted()
    play.hear(between[-1])
    question = play.session.question()
    assert isinstance(question, AnswerResignation)
    assert question.points is None


def board_of(line: str) -> FibsBoard:
    board = read_board(line)
    assert isinstance(board, FibsBoard)
    return board


def test_nothing_is_sent_while_the_own_double_waits() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Double())
    play.hear("You double. Please wait for marvin to accept or reject.")
    assert play.session.match is not None
    assert play.session.match.offer is Offer.OUR_DOUBLE
    assert play.session.waiting.what is Awaited.OPPONENTS_ANSWER
    for command in (c.Roll(), c.Double(), c.Accept(), c.Resign(1)):
        with pytest.raises(IllegalCommand):
            play.send(command)


def test_an_instant_redouble_is_answered_from_the_board_that_shows_it() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Double())
    play.hear("You double. Please wait for marvin to accept or reject.")
    play.hear("marvin redoubles to 4. Type 'accept' or 'reject'.")
    assert play.session.question() is None  # only the board knows what it costs
    play.wait(1.0)
    assert play.wanted() == ["board"]
    doubled = OUR_TURN.replace(":1:1:1:0:1:-1:", ":2:0:0:1:1:-1:")
    play.hear(doubled)
    assert play.session.question() == AnswerDouble(board_of(doubled))
    assert play.send(c.Accept()) == "accept"


def test_an_overlooked_double_is_found_by_the_refusal() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear("** marvin doubled. Type 'accept' or 'reject'.")
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(OUR_TURN.replace(":1:1:1:0:1:-1:", ":1:0:0:1:1:-1:"))
    assert isinstance(play.session.question(), AnswerDouble)


def test_a_refusal_without_a_reason_makes_us_look_at_the_board() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear("** It's not your turn.")
    assert play.session.question() is None
    play.wait(1.0)
    assert play.wanted() == ["board"]
    play.hear(THEIR_TURN)
    assert play.session.waiting.what is Awaited.OPPONENT


def test_who_is_watching_against_his_will_is_free_when_the_watched_user_leaves() -> None:
    play = Play().idle()
    play.hear("You're now watching marvin.", "marvin logs out.. You're not watching anymore.")
    assert play.session.state is ConnectionState.IDLE


def test_a_double_in_what_looked_like_the_crawford_game_corrects_us() -> None:
    crawford = THEIR_TURN.replace(":5:0:0:", ":5:0:4:", 1)
    play = Play().playing(crawford)
    play.hear("marvin doubles. Type 'accept' or 'reject'.")
    question = play.session.question()
    assert isinstance(question, AnswerDouble)
    assert question.board.match_state().doubled
    assert not question.board.match_state().crawford
    assert play.session.match is not None
    assert not play.session.match.crawford_rule
    play.send(c.Accept())
    play.hear(OUR_TURN.replace(":5:0:0:", ":5:0:4:", 1).replace(":1:1:1:0:1:-1:", ":2:1:0:0:1:-1:"))
    assert play.session.match.board is not None
    assert not play.session.match.board.match_state().crawford  # nor in any later board


def test_a_resignation_leaves_it_the_crawford_game() -> None:
    play = Play().playing(THEIR_TURN.replace(":5:0:0:", ":5:0:4:", 1))
    play.hear("marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'.")
    assert play.session.match is not None
    assert play.session.match.crawford_rule


def test_chat_that_looks_like_the_server_changes_nothing() -> None:
    play = Play().playing(THEIR_TURN)
    before = play.session.waiting
    for number in (12, 13, 14, 15):
        for text in (
            "marvin doubles. Type 'accept' or 'reject'.",
            OUR_DICE,
            "You win the 5 point match 5-0 .",
            "** Player marvin has left the game. The game was saved.",
        ):
            play.hear(f"{number} mallory {text}")
    assert play.session.question() is None
    assert play.session.waiting == before


def test_lines_about_the_matches_of_others_change_nothing() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear(
        "zaphod wins a 9 point match against arthur  11-6 .",
        "zaphod wins the 3 point match 3-0 .",
        "arthur doubles. Type 'accept' or 'reject'.",
        OUR_DICE.replace("You", "zaphod"),
        "8 zaphod zaphod drops connection.",
        "arthur logs out. The game was saved.",
    )
    assert play.session.question() is None
    assert play.session.state is ConnectionState.PLAYING


# --- the end


@pytest.mark.parametrize(
    "line",
    [
        "** Player marvin has left the game. The game was saved.",
        "marvin logs out. The game was saved.",
        "marvin drops connection. The game was saved.",
        "Connection with marvin timed out. The game was saved.",
        "Network error with marvin. The game was saved.",
        "Closed old connection with user marvin. The game was saved.",
        "admin closes connection with marvin, who knows why",
        "** You terminated the game. The game was saved.",
        "Your game with marvin was saved.",
        "8 marvin marvin drops connection.",
        "** You're not playing.",
        own_line("-"),
    ],
)
def test_a_match_put_aside_is_over_for_now(line: str) -> None:
    play = Play().playing(OUR_DICE)
    play.hear(line)
    assert play.session.match is None
    assert play.session.last_match is not None
    assert play.session.last_match.ended is Ended.SAVED
    assert play.session.question() is None
    play.settle()
    assert play.session.state is ConnectionState.IDLE


def test_a_result_that_comes_behind_the_who_line_still_counts() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear(own_line("-"), "marvin wins the 5 point match 5-2 .")
    assert play.session.last_match is not None
    assert play.session.last_match.ended is Ended.LOST
    assert play.session.last_match.score == (2, 5)


def test_the_last_board_of_a_finished_game_asks_nothing() -> None:
    play = Play().playing(OUR_DICE)
    play.send(MOVE)
    play.hear("You win the game and get 1 point. Congratulations!", OUR_DICE)
    assert play.session.question() is None
    play.hear("score in 5 point match: sixbot-1 marvin-0", BETWEEN_GAMES)
    assert isinstance(play.session.question(), JoinNextGame)
    assert play.session.match is not None
    assert play.session.match.score == (1, 0)


def test_a_lost_question_for_the_next_game_is_found_by_the_board() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin wins the game and gets 1 point. Sorry.")
    play.wait(10)
    assert play.wanted() == ["board"]
    play.hear(OVER)
    assert isinstance(play.session.question(), JoinNextGame)
    play.send(c.JoinNext())
    play.hear("** Please wait for marvin to join too.")
    assert play.session.question() is None
    assert play.session.waiting.what is Awaited.OPPONENT_TO_JOIN


def test_a_board_that_comes_unasked_puts_us_into_the_match() -> None:
    play = Play().idle()
    play.hear(OUR_DICE)
    assert play.session.state is ConnectionState.PLAYING
    assert isinstance(play.session.question(), ChoosePlay)


def test_an_own_who_line_with_an_opponent_makes_us_look_for_the_match() -> None:
    play = Play().idle()
    play.hear(own_line("marvin"), "6")
    play.wait(10)
    assert "board" in play.wanted()


# --- a silent line


def test_a_silent_line_is_probed_and_then_given_up() -> None:
    play = Play().idle()
    play.wait(150)
    assert play.wanted() == ["time"]
    play.wait(29)
    assert play.session.failure is None
    play.wait(2)
    play.wanted()
    assert play.session.failure is Failure.SILENT


def test_a_line_on_which_only_the_server_is_heard_is_given_up() -> None:
    """Half a connection: the lobby goes on, but no board comes however often it is asked for."""
    play = Play().playing(OUR_TURN)
    play.hear("You roll 3 and 1.")
    for _ in range(90):
        play.wait(1.0)
        play.wanted()
        play.hear("13 zaphod hello")
        assert play.session.failure is None
    play.wait(40.0)
    play.wanted()
    assert play.session.failure is Failure.SILENT


TIME = "Saturday, October 15 17:01:02 MEST   ( Sat Oct 15 15:01:02 2016 UTC )"


def talked_to(play: Play, seconds: int, *, hears: bool) -> list[str]:
    """What we send while others talk and the server hears us, or does not."""
    sent = []
    for _ in range(seconds):
        play.wait(1.0)
        play.hear("13 zaphod hello")
        asked = play.wanted()
        if hears and "time" in asked:
            play.hear(TIME)
        sent += asked
    return sent


def test_a_lobby_in_which_only_the_server_is_heard_is_given_up() -> None:
    """Half a connection again, where no board is asked for: the time is, twice."""
    play = Play().idle()
    assert set(talked_to(play, 900, hears=True)) == {"time", "rawwho sixbot"}
    assert play.session.failure is None
    assert talked_to(play, 400, hears=False) == ["time", "time"]
    assert play.session.failure is Failure.SILENT


def test_a_lost_answer_alone_does_not_end_a_line() -> None:
    play = Play().idle()
    talked_to(play, 300, hears=True)
    while "time" not in talked_to(play, 1, hears=False):
        pass
    assert "time" in talked_to(play, 120, hears=True)
    assert play.session.failure is None


def test_commands_of_the_bot_do_not_hide_that_nobody_hears_them() -> None:
    """Whatever it asks for again and again, unanswered, the line is looked at."""
    play = Play().idle()
    talked_to(play, 300, hears=True)
    for _ in range(60):
        play.send(c.AskOldMoves(None))
        talked_to(play, 20, hears=False)
        if play.session.failure is Failure.SILENT:
            return
    pytest.fail("the line was not given up")


def test_a_match_that_goes_on_shows_that_we_are_heard() -> None:
    """Only the time stays unanswered; boards come. Nor is it held against us afterwards."""
    play = Play().idle()
    talked_to(play, 300, hears=True)
    play.hear("marvin wants to play a 5 point match with you.", "Type 'join marvin' to accept.")
    play.send(c.Join(MARVIN))
    play.hear(
        "** You are now playing a 5 point match with marvin", "Starting a new game with marvin."
    )
    for _ in range(60):
        play.hear(THEIR_TURN)
        talked_to(play, 20, hears=False)
        assert play.session.failure is None
    play.hear("marvin drops connection. The game was saved.")
    talked_to(play, 30, hears=False)
    assert play.session.match is None
    assert play.session.failure is None


def test_a_server_that_waits_for_the_other_to_join_has_answered() -> None:
    play = Play().playing(OUR_DICE)
    play.send(MOVE)
    play.hear("You win the game and get 1 point.", "The score is: sixbot 1, marvin 0.")
    play.hear("Type 'join' if you want to play the next game, type 'leave' if you don't.")
    play.send(c.JoinNext())
    for _ in range(900):
        play.wait(1.0)
        asked = play.wanted()
        if "board" in asked:
            play.hear("** Please wait for marvin to join too.")
        if "time" in asked:
            play.hear(TIME)
        assert play.session.failure is None


def test_a_server_that_tells_no_time_is_not_thought_deaf() -> None:
    play = Play().idle()
    for _ in range(1200):
        play.wait(1.0)
        play.hear("13 zaphod hello")
        if "time" in play.wanted():
            play.hear("It is late.")
    assert play.session.failure is None


def test_a_server_that_talks_and_has_never_answered_is_given_up() -> None:
    play = Play().idle()
    for _ in range(1800):
        play.wait(1.0)
        play.hear("13 zaphod hello", "5 marvin - - 1 0 1500.00 1 0 1 h c -", "6")
        play.wanted()
    assert play.session.failure is Failure.SILENT


@pytest.mark.parametrize("quiet", [True, False])
def test_a_server_that_reads_nothing_after_the_login_is_given_up_within_two_minutes(
    quiet: bool,
) -> None:
    """So does jIBS if two log in at the same moment; lines about others still arrive."""
    play = Play(setup=Setup()).log_in()
    for _ in range(100):
        play.wait(1.0)
        play.hear(*() if quiet else ("13 zaphod hello", "5 marvin - - 1 0 1500.00 1 0 1 h c -"))
        play.wanted()
    assert play.session.failure is Failure.SILENT


def test_a_server_that_reads_nothing_any_more_is_given_up_though_the_match_ends() -> None:
    """A thread of jIBS hangs in a match; the opponent leaves, and the lobby goes on around us."""
    play = Play().playing(OUR_TURN, "You roll 3 and 1.", OUR_DICE)
    play.send(MOVE)
    for second in range(240):
        play.wait(1.0)
        play.hear("13 zaphod hello")
        if second == 90:
            play.hear("marvin has left the game. The game was saved.")
            assert play.session.match is None
        play.wanted()
    assert play.session.failure is Failure.SILENT


def test_one_answer_shows_that_a_server_reads() -> None:
    play = Play(setup=Setup()).log_in()
    play.wait(25.0)
    play.wanted()
    play.hear("Value of 'boardstyle' set to 3.")
    talked_to(play, 200, hears=False)
    assert play.session.failure is None


def test_a_server_that_tells_no_time_but_who_we_are_is_not_thought_deaf() -> None:
    play = Play().idle()
    for _ in range(1800):
        play.wait(1.0)
        play.hear("13 zaphod hello")
        if any("who" in each for each in play.wanted()):
            play.hear(own_line("-"), "6")
    assert play.session.failure is None


def test_boards_of_two_matches_in_turn_begin_each_of_them_once() -> None:
    play = Play().idle()
    theirs = THEIR_TURN.replace("marvin", "trillian")
    heard = [each for _ in range(50) for each in play.hear(THEIR_TURN, theirs)]
    began = [each.opponent for each in heard if isinstance(each, MatchBegins)]
    assert began == [MARVIN, Player("trillian")]


def test_a_line_that_only_listens_is_kept_alive() -> None:
    play = Play().idle()
    for _ in range(3):
        play.wait(60)
        play.hear("13 zaphod hello")
    assert play.wanted() == ["time"]


def test_the_opponents_turn_is_looked_at_after_five_minutes() -> None:
    play = Play().playing(THEIR_TURN)
    for _ in range(310):
        play.wait(1)
        play.hear("15 marvin thinking")
        if "board" in play.wanted():
            return
    pytest.fail("no board was asked for")


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("** You just logged in a second time from x, terminating this session.", Failure.KICKED),
        ("Connection timed out.", Failure.TIMED_OUT),
        ("  Goodbye.", Failure.FAREWELL),
    ],
)
def test_the_end_of_a_connection_has_a_reason(line: str, failure: Failure) -> None:
    play = Play().playing(THEIR_TURN)
    play.hear(line)
    assert play.session.failure is failure
    assert play.session.state is ConnectionState.CLOSED
    with pytest.raises(IllegalCommand):
        play.send(c.Roll())


@settings(max_examples=150)
@example([own_line("marvin"), "You're now watching sixbot."], [0.0, 5.0])
@given(
    st.lists(
        st.sampled_from(
            [line for transcript in TRANSCRIPTS for line in transcript.server_lines]
            + ["", "** You're not playing.", "marvin can't move.", own_line("-"), OVER, "login:"]
        ),
        max_size=60,
    ),
    st.lists(st.floats(0, 200), max_size=10),
)
def test_whatever_the_server_says_the_session_neither_raises_nor_spins(
    lines: list[str], waits: list[float]
) -> None:
    play = Play(setup=Setup()).log_in()
    for number, line in enumerate(lines):
        play.hear(line)
        if number < len(waits):
            play.wait(waits[number])
        play.session.question()
        assert len(play.wanted()) < 20
        deadline = play.session.deadline
        assert deadline is None or deadline > play.now


def test_the_page_about_the_protocol_names_every_transcript_and_no_other() -> None:
    page = (FOLDER.parents[1] / "docs" / "protocol.md").read_text()
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", page))
    files = {transcript.name for transcript in TRANSCRIPTS}
    assert files <= named
    assert {name for name in named if "-" in name} <= files
