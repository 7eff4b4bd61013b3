"""What we may say while nothing goes on, and what counts as going on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.protocols.fibs import progress as progress_text
from sixprime.protocols.fibs.lifecycle import Ended, MatchEnds, PutAside, StaleBoard
from sixprime.protocols.fibs.progress import (
    LOBBY_AT_ONCE,
    LOGINS,
    MINUTE_S,
    MOST_A_MINUTE,
    MOST_OF_A_KIND,
    OTHERS,
    SETTINGS,
    SETTLED_WITHIN_S,
    Budget,
    Progress,
    Settling,
    budget_of,
)
from sixprime.protocols.fibs.questions import ChoosePlay, JoinNextGame
from sixprime.protocols.fibs.settings import Setup
from sixprime.protocols.fibs.states import Awaited, ConnectionState, Failure
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard, read_board
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand
from sixprime.protocols.fibs.wire.messages import Player
from tests.support.fibs.plays import (
    BETWEEN_GAMES,
    MARVIN,
    OUR_DICE,
    OUR_TURN,
    OVER,
    THEIR_TURN,
    Play,
    own_line,
)

ROLL = c.Roll()
HOUR_S = 3_600.0
NEXT_STARTS = "board:You:marvin:5:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:0:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"  # noqa: E501
FINISHED = OUR_TURN.replace("marvin:5:0:0:", "marvin:5:5:2:")


def board(line: str) -> FibsBoard:
    read = read_board(line)
    assert isinstance(read, FibsBoard)
    return read


def an_hour(budget: Budget) -> int:
    """The most in any hour."""
    return budget.at_once + int(HOUR_S / budget.every_s)


def say(
    progress: Progress, command: Command, until: float, *, in_match: bool = True
) -> list[float]:
    """When it goes out, said as often as allowed."""
    said, now = [], 0.0
    while (now := max(now, progress.free_at(command, in_match=in_match))) < until:
        progress.sent(command, now)
        said.append(now)
        now += 0.1
    return said


def test_one_command_goes_out_a_few_times_a_minute() -> None:
    said = say(Progress(), ROLL, MINUTE_S)
    assert len(said) == MOST_OF_A_KIND


LOGIN = c.Login("client", "sixbot", "secret99")
COMMANDS: list[Command] = [
    LOGIN, ROLL, c.AskTime(), c.Join(Player("marvin")), c.Toggle("ready"),
    c.Toggle("bell"), c.SetVariable("boardstyle", "3"), c.ListToggles(), c.ShowSaved(),
]  # fmt: skip
KINDS = st.sampled_from(COMMANDS)


@settings(max_examples=50)
@given(st.lists(st.tuples(KINDS, st.sampled_from([0.0, 0.3, 5.0, 100.0, 1_000.0])), max_size=400))
def test_an_hour_has_its_limits_and_no_wait_lasts(talk: list[tuple[Command, float]]) -> None:
    """Whatever we want to say, and as soon as it is free."""
    progress, now = Progress(), 0.0
    said: dict[Budget, list[float]] = {LOGINS: [], SETTINGS: [], OTHERS: []}
    for command, pause_s in talk:
        free_at = progress.free_at(command, in_match=False)
        assert free_at <= now + 2 * MINUTE_S
        now = max(now, free_at)
        progress.sent(command, now)
        said[budget_of(command)].append(now)
        now += pause_s
    for budget, times in said.items():
        for start in times:
            assert sum(start <= at < start + HOUR_S for at in times) <= an_hour(budget)


def test_the_limits_of_an_hour_are_as_told() -> None:
    assert [an_hour(budget) for budget in (LOGINS, SETTINGS, OTHERS)] == [40, 70, 90]
    assert progress_text.__doc__ is not None
    assert "40 logins, 70 commands about settings and 90 others" in progress_text.__doc__


def test_settings_cost_nothing_of_what_a_match_needs() -> None:
    progress = Progress()
    for number in range(SETTINGS.at_once):
        assert not progress.is_spent(c.ListToggles(), 0.0)
        progress.sent(c.SetVariable(f"variable{number}", "0"), 0.0)
    assert progress.is_spent(c.ListToggles(), 0.0)
    assert not progress.is_spent(c.Toggle("ready"), 0.0)
    for command in (LOGIN, ROLL, c.Toggle("ready")):
        assert progress.free_at(command, in_match=False) <= MINUTE_S  # 30 in a minute


def test_settings_that_cost_too_much_stay_as_they_are_and_we_get_ready() -> None:
    play = Play(setup=Setup()).log_in()
    progress = play.session.known.progress
    for number in range(SETTINGS.at_once):
        progress.sent(c.SetVariable(f"variable{number}", "0"), play.now)
    play.wait(MINUTE_S)
    play.session.setup.note_ready(False)
    assert play.wanted() == ["toggle ready"]
    play.hear("** You're now ready to invite or join someone.")
    assert play.session.state is ConnectionState.IDLE


def test_the_lobby_leaves_something_for_a_match_that_begins() -> None:
    progress = Progress()
    for number in range(LOBBY_AT_ONCE):
        progress.sent(c.Tell(Player(f"user{number}"), "hello"), 0.0)
    assert progress.free_at(ROLL, in_match=False) == MINUTE_S
    assert progress.free_at(ROLL, in_match=True) <= 0.0


def test_commands_about_others_are_of_another_kind_within_the_limit_of_all() -> None:
    progress = Progress()
    for number in range(MOST_A_MINUTE):
        command = c.Invite(Player(f"user{number}"), 1)
        assert progress.free_at(command, in_match=number >= LOBBY_AT_ONCE) <= 1.0
        progress.sent(command, 1.0)
    assert progress.free_at(c.Roll(), in_match=True) == 1.0 + MINUTE_S


def test_only_a_board_that_was_never_seen_is_progress() -> None:
    progress = Progress()
    progress.note_board(board(OUR_TURN), 10.0)
    assert progress.at == 10.0
    for _ in range(MOST_OF_A_KIND):
        progress.sent(ROLL, 11.0)
    for line in (OUR_TURN, OUR_TURN, replace(board(OUR_TURN), can_move=3).line()):
        progress.note_board(board(line), 12.0)
    assert progress.free_at(ROLL, in_match=True) == 11.0 + MINUTE_S
    progress.note_board(board(OUR_DICE), 13.0)
    assert progress.free_at(ROLL, in_match=True) <= 13.0
    assert progress.at == 13.0


@pytest.mark.parametrize("shown", [NEXT_STARTS, OVER])
def test_a_board_asked_for_while_the_next_game_waits_is_no_progress(shown: str) -> None:
    """The opponent's patience would start again: nobody has joined, moved or rolled."""
    play = Play().playing(THEIR_TURN, "marvin doubles. Type 'accept' or 'reject'.")
    play.send(c.Reject())
    play.hear("You give up. marvin wins 1 point.", BETWEEN_GAMES)
    play.send(c.JoinNext())
    play.hear("** Please wait for marvin to join too.")
    before = play.session.known.progress.at
    play.wait(300.0)
    assert play.wanted() == ["rawwho sixbot"]
    play.hear(own_line("marvin"), "6")
    assert play.wanted() == ["board"]
    play.hear(shown)
    assert play.session.known.progress.at == before
    assert play.session.waiting.what is Awaited.OPPONENT_TO_JOIN
    play.hear(
        "Starting a new game with marvin.",
        replace(board(NEXT_STARTS), turn=-1, opponent_dice=(3, 1)).line(),
    )
    assert play.session.known.progress.at == play.now


def test_the_last_board_of_a_game_is_progress() -> None:
    play = Play().playing(THEIR_TURN)
    play.wait(240.0)
    play.hear(OVER, BETWEEN_GAMES)
    assert play.session.known.progress.at > play.now - 1.0


def test_a_session_sends_nothing_beyond_the_budget() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    for _ in range(MOST_OF_A_KIND):
        play.send(c.Roll())
        play.hear("** It's not your turn to roll the dice.")
        play.wait(1.0)
        play.hear(OUR_TURN, "It's your turn. Please roll or double.")
    with pytest.raises(IllegalCommand, match="too often"):
        play.send(c.Roll())


# --- a match that is over and still listed


@pytest.mark.parametrize(
    "answer",
    ["** You terminated the game. The game was saved.", "** You're not playing.", "", "-"],
)
def test_a_finished_match_that_is_loaded_is_left_at_its_first_board(answer: str) -> None:
    play = Play().idle()
    play.hear("You are now playing with marvin. Your running match was loaded.", FINISHED)
    assert play.session.question() is None
    assert play.wanted() == ["leave"]
    heard = play.hear(answer) if answer else []
    play.wait(11.0)
    play.wanted()
    heard += play.hear("13 zaphod hello")
    assert MatchEnds(MARVIN, Ended.SAVED, (5, 2), PutAside.ALREADY_OVER) in heard
    assert "leave" not in play.wanted()
    assert play.session.state is not ConnectionState.PLAYING


def test_a_match_that_is_over_when_we_join_its_next_game_is_not_joined_again() -> None:
    play = Play().playing(OUR_TURN, OVER)
    play.hear("Type 'join' if you want to play the next game, type 'leave' if you don't.")
    play.send(c.JoinNext())
    play.hear("Starting a new game with marvin.", "** The match is already over.")
    assert play.wanted() == ["leave"]
    assert play.session.question() is None


def test_the_last_board_of_a_match_in_play_is_no_match_that_was_over() -> None:
    play = Play().playing(OUR_TURN, FINISHED.replace(":1:0:0:0:0:1:1:", ":0:0:0:0:0:1:1:"))
    assert play.wanted() == []
    assert MatchEnds(MARVIN, Ended.WON, (5, 2)) in play.hear("You win the 5 point match 5-2 .")


# --- contradictions


def test_a_who_line_that_says_we_play_is_believed_twice() -> None:
    play = Play().idle()
    said = []
    for _ in range(200):
        play.hear(own_line("marvin"), "6")
        said += play.wanted()
        play.wait(10.0)
    assert [line for line in said if line in ("board", "leave")] == ["board", "board", "leave"]


@pytest.mark.parametrize("notices", ["an invitation is refused", "the line is asked for"])
def test_a_seat_between_two_games_that_only_the_server_remembers_is_found_and_left(
    notices: str,
) -> None:
    between_games = OVER.replace("marvin:5:0:0:", "marvin:5:0:1:")
    play = Play().playing(THEIR_TURN, "marvin doubles. Type 'accept' or 'reject'.")
    play.send(c.Reject())
    play.hear("You give up. marvin wins 1 point.", BETWEEN_GAMES)
    play.send(c.JoinNext())
    play.hear("** Please wait for marvin to join too.", "8 marvin marvin drops connection.")
    play.hear(own_line("-"), "6")
    assert play.session.match is None
    play.settle()
    if notices == "an invitation is refused":
        play.hear("7 zaphod zaphod logs in.")
        play.send(c.Invite(Player("zaphod"), 1))
        play.hear("** You are already playing.")
    else:
        play.wait(300.0)
    assert "rawwho sixbot" in play.wanted()
    play.hear(own_line("marvin"), "6")
    play.wait(10.0)
    assert play.wanted() == ["board"]
    play.hear(between_games)
    play.wait(10.0)
    assert play.wanted() == ["board"]
    play.hear(between_games)
    assert play.session.question() == JoinNextGame()
    play.send(c.JoinNext())
    play.hear("** You already did that.")
    assert play.session.waiting.what is Awaited.OPPONENT_TO_JOIN
    play.send(c.Leave())
    ends = play.hear("** You terminated the game. The game was saved.")[-1]
    assert ends == MatchEnds(MARVIN, Ended.SAVED, (0, 1), PutAside.WE_LEFT)


def test_the_last_board_of_a_match_that_has_ended_begins_none() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("** Player marvin has left the game. The game was saved.", OVER)
    assert play.session.match is None


def test_a_match_the_server_knows_nothing_of_is_not_left_twice() -> None:
    play = Play().playing(THEIR_TURN)
    play.send(c.Leave())
    play.hear("** Error: No one to leave.")
    assert play.session.match is None


def test_an_accepted_resignation_that_the_server_does_not_know_is_a_dispute() -> None:
    play = Play().playing(THEIR_TURN)
    play.hear("marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'.")
    play.send(c.Accept())
    (*_, ends) = play.hear("You are not playing.")
    assert ends == MatchEnds(MARVIN, Ended.SAVED, (0, 0), PutAside.DISPUTED)


def test_whoever_watches_against_his_will_stops_and_at_last_gives_up() -> None:
    play = Play().idle()
    play.hear("You're now watching marvin.")
    said = []
    for _ in range(40):
        play.wait(10.0)
        play.hear("13 zaphod hello")
        said += play.wanted()
    assert 1 <= said.count("unwatch") <= 6
    assert play.session.failure is Failure.STUCK


def test_the_server_is_asked_whether_it_agrees_who_we_are() -> None:
    play = Play().idle()
    known = play.session.known
    play.wait(300.0)
    assert "rawwho sixbot" in play.wanted()
    play.hear("** There is no one called sixbot.", own_line("marvin"))
    assert known.agreed_at < 0
    play.wait(300.0)
    assert "rawwho sixbot" in play.wanted()
    play.hear(own_line("-"), "6")
    assert known.agreed_at == play.now - 0.1


# --- what a server does not know


def test_commands_that_a_server_lacks_are_not_asked_for_again() -> None:
    play = Play().playing(OUR_TURN)
    assert play.session.affords(c.Kibitz("hello"), play.now)
    play.hear("** Unknown command: 'kibitz'", "** Unknown command: 'roll'")
    assert not play.session.affords(c.Kibitz("hello"), play.now)
    assert play.session.affords(c.Roll(), play.now)  # we cannot do without


def test_what_one_connection_learned_the_next_one_knows() -> None:
    play = Play().playing()
    play.hear("** Unknown command: 'board'", "** Unknown command: 'time'")
    again = Play()
    again.session.known.dialect = play.session.known.dialect
    again.playing()
    again.wait(10.0)
    assert again.wanted() == ["b"]
    again.hear(THEIR_TURN)
    again.wait(151.0)
    assert again.wanted() == ["rawwho sixbot"]


# --- boards that are older than the last one


def test_an_old_board_is_no_news_but_a_reason_to_look() -> None:
    play = Play().playing(OUR_TURN, OUR_DICE)
    assert play.hear(OUR_TURN) == [StaleBoard(board(OUR_TURN))]
    assert isinstance(play.session.question(), ChoosePlay)
    play.wait(3.0)
    assert play.wanted() == ["board"]
    assert play.hear(OUR_TURN) == [board(OUR_TURN)]  # as the server says when asked


def test_a_dance_leads_back_to_an_old_board() -> None:
    play = Play().playing(OUR_TURN, OUR_DICE, "You can't move.", THEIR_TURN, "marvin can't move.")
    assert play.hear(OUR_TURN) == [board(OUR_TURN)]


def test_a_match_that_goes_on_may_begin_with_any_board() -> None:
    play = Play().playing(OUR_TURN, OUR_DICE)
    play.hear("** Player marvin has left the game. The game was saved.")
    play.hear("You are now playing with marvin. Your running match was loaded.")
    assert play.hear(OUR_TURN) == [board(OUR_TURN)]


def test_a_board_of_an_earlier_match_is_old_only_if_nothing_led_to_it() -> None:
    play = Play().playing(OUR_TURN, OUR_DICE, "marvin wins the 5 point match 5-0 .")
    play.hear("** Player marvin has joined you for a 5 point match.", THEIR_TURN)
    assert play.hear(OUR_TURN) == [StaleBoard(board(OUR_TURN))]
    assert play.hear("marvin moves 8-5 6-5 .", OUR_TURN)[-1] == board(OUR_TURN)


# --- boards that are not of our match


@pytest.mark.parametrize("turn", [OUR_TURN, OVER])
def test_nobody_plays_against_himself(turn: str) -> None:
    play = Play().idle()
    play.hear(turn.replace("marvin", "sixbot"), "Starting a new game with sixbot.")
    assert play.session.match is None
    assert play.session.known.progress.at < 0


@pytest.mark.parametrize(
    "other", [OUR_TURN.replace("marvin", "sixbot"), OVER.replace("marvin", "x")]
)
def test_a_board_against_somebody_else_changes_nothing_in_our_match(other: str) -> None:
    play = Play().playing(THEIR_TURN)
    play.hear(other.replace(":5:0:0:", ":5:1:3:"))
    assert play.session.match is not None
    assert play.session.match.board == board(THEIR_TURN)
    assert play.session.match.score == (0, 0)


def test_a_line_of_our_own_that_comes_late_is_no_answer() -> None:
    play = Play().idle()
    play.wait(300.0)
    assert "rawwho sixbot" in play.wanted()
    play.wait(11.0)
    play.hear(own_line("-"), "6")
    assert play.session.known.agreed_at < 0


# --- from match to match


def _put_from_match_to_match(play: Play, seconds: float, *, lobby_s: float) -> None:
    """The server ends a match and begins it again, and nobody moves."""
    until = play.now + seconds
    while play.now < until and play.session.state is not ConnectionState.CLOSED:
        play.hear("** Player marvin has left the game. The game was saved.", own_line("-"), "6")
        play.hear("no saved games.")
        play.wait(lobby_s)
        play.wanted()
        play.hear("marvin has joined you. Your running match was loaded.", own_line("marvin"), "6")
        play.hear("Starting a new game with marvin.", THEIR_TURN)
        play.wait(5.0)
        play.wanted()


def test_a_match_that_was_still_for_long_starts_the_clock_of_the_next_one() -> None:
    """Something went on in it, but long ago: seed 536 of the fixed servers."""
    progress = Progress()
    settling = Settling(progress)
    settling.note("first", 0.0, settled=False)
    progress.at = 240.0
    settling.note("first", 240.0, settled=False)
    settling.note("second", 840.0, settled=False)
    assert settling.until == 840.0 + SETTLED_WITHIN_S


def test_an_instant_in_the_lobby_is_no_rest_from_matches_in_which_nothing_goes_on() -> None:
    play = Play().playing(THEIR_TURN)
    _put_from_match_to_match(play, 250.0, lobby_s=1.0)
    assert play.session.failure is None
    _put_from_match_to_match(play, 200.0, lobby_s=1.0)
    assert play.session.failure is Failure.STUCK


def test_a_while_in_the_lobby_is_a_rest() -> None:
    play = Play().playing(THEIR_TURN)
    _put_from_match_to_match(play, 2_000.0, lobby_s=30.0)
    assert play.session.failure is None


def test_the_answer_to_something_else_does_not_show_that_the_server_agrees_with_us() -> None:
    play = Play().idle()
    play.wait(300.0)
    assert "rawwho sixbot" in play.wanted()
    play.send(c.AskVersion())
    play.hear(own_line("-"), "6")
    assert play.session.known.agreed_at < 0
