"""Sessions play on a small server, and every line of ours is one that it accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixprime.engine.rules import legal_plays
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.session import (
    REMATCH_WITHIN_S,
    BgammonSession,
    RematchOffered,
)
from sixprime.protocols.bgammon.standing import PROBE_WITHIN_S, SEATED_WITHIN_S, SILENT_AFTER_S
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds, PutAside
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, Question, RollOrDouble
from sixprime.protocols.fibs.states import Awaited, ConnectionState, Failure
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import User
from tests.support.bgammon.plays import HELLO, Decide, Room, Side, at_random, racing

ALICE, CAROL = Player("alice"), Player("carol")


def seated(points: int = 1, seed: int = 1, decide: Decide | None = None) -> Room:
    """Alice and Carol at a table."""
    room = Room("alice", "carol", seed=seed, decide=decide or racing)
    one, other = room.sides
    one.say(b.CreateTable(points), room.now)
    room.settle_lobby()
    other.say(b.JoinTable(ALICE), room.now)
    return room


def idle(side: Side, question: Question) -> Command | None:
    """Nobody decides."""
    return None


def asked(room: Room, kind: type, most: int = 5_000) -> Side:
    """Play until a side has this question, which its test will answer."""
    found: list[Side] = []

    def comes() -> bool:
        found[:] = [each for each in room.sides if isinstance(each.session.question(), kind)]
        return bool(found)

    room.until(comes, most)
    return found[0]


def awaited(side: Side) -> str:
    return side.session.waiting.what.name


def refuses(side: Side, command: Command, now: float) -> str:
    assert not side.session.may_send(command, now)
    with pytest.raises(IllegalCommand) as why:
        side.session.send(command, now)
    return str(why.value)


def test_an_old_wish_for_a_seat_wakes_nobody_in_a_match() -> None:
    room = seated()
    session = room.sides[0].session
    room.until(lambda: session.match is not None, 50)
    session.seat.asked_at = room.now - 100.0
    session.wanted(room.now)
    assert session.deadline is not None
    assert session.deadline > room.now


# --- the login


def connected(name: str = "alice", password: str = "pw1") -> BgammonSession:
    session = BgammonSession(Login("six 1.0", name, password), 0.0)
    list(session.receive(HELLO, 0.0))
    login = session.wanted(0.0)
    assert login is not None
    line = f"loginjson six_1.0/en {name} {password}".rstrip()
    assert session.send(login, 0.0) == f"{line}\n".encode()
    return session


def hear(session: BgammonSession, line: str, now: float = 1.0) -> None:
    list(session.receive(line.encode() + b"\n", now))


def test_nothing_is_said_between_login_and_welcome() -> None:
    session = connected()
    assert session.wanted(1.0) is None
    for command in (b.ListTables(), c.Logout(), Login("x", "y", "z")):
        assert not session.may_send(command, 1.0)
    hear(session, '{"Type":"welcome","PlayerName":"BOT_alice","Clients":1,"Games":0}')
    assert session.state is ConnectionState.IDLE
    assert (session.me, session.is_bot, session.known.welcomed) == ("BOT_alice", True, True)


@pytest.mark.parametrize(
    ("words", "failure"),
    [
        (": No account was found with the provided username and password.", Failure.LOGIN_REFUSED),
        (": That username is already in use.", Failure.LOGIN_CLOSED),
        (": You are banned: spam", Failure.LOGIN_REFUSED),
        ("", Failure.KICKED),
    ],
)
def test_the_words_of_a_terminated_connection_say_why(words: str, failure: Failure) -> None:
    session = connected()
    hear(session, f'{{"Type":"notice","Message":"Connection terminated{words}"}}')
    assert (session.state, session.failure) == (ConnectionState.CLOSED, failure)
    assert session.wanted(2.0) is None
    assert session.deadline is None


def test_a_login_without_an_answer_fails() -> None:
    silent, cut = connected(), connected()
    assert silent.deadline == 30.0
    silent.wanted(30.0)
    cut.hung_up()
    assert (silent.failure, cut.failure) == (Failure.LOGIN_SILENT, Failure.LOGIN_CLOSED)


def test_a_ping_is_answered_at_once_and_a_flood_of_them_is_not() -> None:
    session = connected()
    hear(session, '{"Type":"welcome","PlayerName":"alice"}')
    for now in (1.0, 1.1, 1.2):
        hear(session, '{"Type":"ping","Message":"179; disconnect"}', now)
        if now == 1.0:
            pong = session.wanted(now)
            assert pong is not None
            assert session.send(pong, now) == b"pong here\n"
        else:
            assert session.wanted(now) is None
    assert session.deadline == 11.0
    assert session.wanted(11.0) == b.Pong()


def test_our_rating_is_asked_for_once_it_is_sure_that_no_match_goes_on() -> None:
    """`history` gives up the seat of a match, and the server may put us into one after a login."""
    session = connected()
    hear(session, '{"Type":"welcome","PlayerName":"alice"}', 0.0)
    assert session.wanted(SEATED_WITHIN_S - 1) is None
    assert session.deadline == SEATED_WITHIN_S
    assert session.wanted(SEATED_WITHIN_S) == b.AskHistory(ALICE)
    hear(session, '{"Type":"joined","Player":"alice","GameID":3,"PlayerNumber":1}', 10.0)
    assert session.wanted(SEATED_WITHIN_S) is None
    assert not session.may_send(b.AskHistory(ALICE), 11.0)


def test_a_seat_that_is_asked_for_is_as_good_as_taken() -> None:
    session = connected()
    hear(session, '{"Type":"welcome","PlayerName":"alice"}', 0.0)
    session.send(b.CreateTable(1), 1.0)
    assert not session.may_send(b.AskHistory(ALICE), 1.0)
    assert not session.may_send(b.JoinTable(3), 1.0)
    hear(session, '{"Type":"failedcreate","Reason":"The server is shutting down."}', 2.0)
    assert session.may_send(b.JoinTable(3), 2.0)
    session.send(b.JoinTable(3), 2.0)
    session.wanted(2.0 + SEATED_WITHIN_S)
    assert session.may_send(b.CreateTable(1), 13.0)


def test_a_silent_server_is_probed_and_then_given_up() -> None:
    session = connected("ford", "")
    hear(session, '{"Type":"welcome","PlayerName":"Guest_ford"}', 0.0)
    assert session.wanted(SILENT_AFTER_S - 1) is None
    probe = session.wanted(SILENT_AFTER_S)
    assert probe == b.ListTables()
    session.send(probe, SILENT_AFTER_S)
    assert session.wanted(SILENT_AFTER_S + 1) is None
    assert session.deadline == SILENT_AFTER_S + PROBE_WITHIN_S
    session.wanted(SILENT_AFTER_S + PROBE_WITHIN_S)
    assert session.failure is Failure.SILENT


# --- matches


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_played_and_nothing_is_refused(seed: int) -> None:
    room = seated((3, 1, 5)[seed], seed, at_random(seed))
    room.until_match_ends()
    room.settle()
    one, other = room.sides
    assert room.server.refused == []
    ((mine,), (theirs,)) = one.of(MatchEnds), other.of(MatchEnds)
    assert isinstance(mine, MatchEnds)
    assert isinstance(theirs, MatchEnds)
    assert {mine.how, theirs.how} == {Ended.WON, Ended.LOST}
    assert mine.score == theirs.score[::-1]
    assert [type(each) for each in one.of(MatchBegins)] == [MatchBegins]


def test_both_sides_are_shown_the_same_turns_and_every_play_is_legal() -> None:
    """Each board leads to the next by a legal play, so an archive can tell the whole game."""
    room = seated(1, 3)
    room.until_match_ends()
    one, other = ([*side.of(FibsBoard)] for side in room.sides)
    assert len(one) == len(other) > 20
    last: FibsBoard | None = None
    for mine, theirs in zip(one, other, strict=True):
        assert isinstance(mine, FibsBoard)
        assert isinstance(theirs, FibsBoard)
        assert mine.view() == theirs.view().flipped()
        assert mine.rolled == theirs.rolled
        assert mine.on_roll == 1 - theirs.on_roll
        if last is not None and last.rolled is not None:
            seen = mine.view() if last.on_roll == 0 else mine.view().flipped()
            assert mine.rolled is None
            assert mine.on_roll == 1 - last.on_roll
            assert seen in [legal.result for legal in legal_plays(last.position(), last.rolled)]
        elif last is not None:
            assert mine.view() == last.view()
        last = mine


@pytest.mark.parametrize("both", [False, True])
def test_a_server_that_plays_the_only_play_itself_is_followed(both: bool) -> None:
    room = seated(1, 5, at_random(5))
    for side in room.sides[: 1 + both]:
        side.say(b.SetAutoplay(True), room.now)
    room.until_match_ends()
    assert room.server.refused == []
    assert len(room.sides[0].of(FibsBoard)) == len(room.sides[1].of(FibsBoard))


def test_a_question_has_one_answer_and_then_none_until_the_table_changes() -> None:
    room = seated(3, 1, idle)
    side = asked(room, ChoosePlay)
    question = side.session.question()
    assert isinstance(question, ChoosePlay)
    assert awaited(side) == Awaited.DECISION.name
    assert "is no answer" in refuses(side, c.Roll(), room.now)
    assert "when it is not due" in refuses(side, b.Confirm(), room.now)
    (play, *_) = legal_plays(question.board.position(), question.dice)
    side.say(c.Move(play.play, question.board.direction), room.now)
    assert side.session.question() is None
    assert awaited(side) == Awaited.EFFECT.name
    refuses(side, c.Move(play.play, question.board.direction), room.now)
    room.settle()
    assert side.lines[-1] == "ok"
    assert awaited(side) == Awaited.OPPONENT.name


def test_the_table_is_asked_for_when_a_command_has_no_effect_and_nothing_is_said_twice() -> None:
    room = seated(3, 1, idle)
    side = asked(room, ChoosePlay)
    question = side.session.question()
    assert isinstance(question, ChoosePlay)
    play = legal_plays(question.board.position(), question.dice)[0].play
    side.session.send(c.Move(play, -1), room.now)  # the server never gets it
    room.settle()
    assert side.session.deadline == pytest.approx(room.now + 10.0, abs=1.0)
    room.now += 11.0
    assert side.session.wanted(room.now) == b.ShowTable()
    side.say(b.ShowTable(), room.now)
    room.settle()
    assert side.lines[-1] == "ok"  # the table showed that the step was not made
    assert room.server.refused == []


def test_a_deaf_server_is_given_up() -> None:
    room = seated(3, 1, idle)
    side = asked(room, ChoosePlay)
    question = side.session.question()
    assert isinstance(question, ChoosePlay)
    play = legal_plays(question.board.position(), question.dice)[0].play
    side.session.send(c.Move(play, -1), room.now)
    for _ in range(300):
        room.now += 1.0
        list(side.session.receive(b'{"Type":"list"}\n', room.now))
        if (command := side.session.wanted(room.now)) is not None:
            assert command == b.ShowTable()
            side.session.send(command, room.now)
    assert side.session.failure is Failure.SILENT


@pytest.mark.parametrize("rolls", [[(0, 3)], [(4, 0), (4, 4), (0, 5)], [(0, 4), (4, 4), (0, 2)]])
def test_the_opening_die_is_asked_for_once(rolls: list[tuple[int, int]]) -> None:
    """Ours is on its way when the opponent's comes, and after a tie the server rolls again."""
    room = Room("alice", "carol", decide=idle)
    one, other = room.sides
    one.say(b.CreateTable(1), room.now)
    room.settle_lobby()
    other.say(b.JoinTable(ALICE), room.now)
    one.hear(one.guest.take(), room.now)
    roll = one.session.wanted(room.now)
    assert roll == b.RollForStart()
    one.session.send(roll, room.now)
    for ours, theirs in rolls:
        line = f'{{"Type":"rolled","Player":"x","Roll1":{ours},"Roll2":{theirs}}}\n'
        one.hear(line.encode(), room.now)
        assert one.session.wanted(room.now) is None


# --- the cube, and giving up


def test_a_double_is_taken_and_then_its_owner_may_double() -> None:
    room = seated(5, 2, idle)
    side = asked(room, ChoosePlay)
    play = legal_plays(side.session.question().board.position(), side.session.question().dice)[0]  # type: ignore[union-attr]
    side.say(c.Move(play.play, -1), room.now)
    doubler = asked(room, RollOrDouble)
    question = doubler.session.question()
    assert isinstance(question, RollOrDouble)
    assert question.may_double
    doubler.say(c.Double(), room.now)
    room.settle()
    assert awaited(doubler) == Awaited.OPPONENTS_ANSWER.name
    taker = asked(room, AnswerDouble)
    assert taker is not doubler
    taker.say(c.Accept(), room.now)
    room.settle()
    question = doubler.session.question()
    assert isinstance(question, RollOrDouble)
    assert not question.may_double
    assert question.board.match_state().cube_owner == 1
    assert "forbidden" in refuses(doubler, c.Double(), room.now)
    assert room.server.refused == []


def test_a_pass_costs_what_the_board_shows() -> None:
    room = seated(5, 2, idle)
    side = asked(room, ChoosePlay)
    play = legal_plays(side.session.question().board.position(), side.session.question().dice)[0]  # type: ignore[union-attr]
    side.say(c.Move(play.play, -1), room.now)
    doubler = asked(room, RollOrDouble)
    doubler.say(c.Double(), room.now)
    loser = asked(room, AnswerDouble)
    assert loser.session.match is not None
    assert loser.session.match.lost_games == 3  # two checkers in the other's home
    loser.say(c.Reject(), room.now)
    room.settle()
    assert doubler.of(turns.OpponentResigns) == [turns.OpponentResigns(Player(loser.name), 3)]
    assert loser.of(turns.YouResign) == [turns.YouResign(Player(doubler.name), 3)]
    assert doubler.session.match is not None
    assert doubler.session.match.score == (3, 0)
    assert asked(room, ChoosePlay)  # the next game has begun by itself


def test_a_resignation_is_sent_only_if_it_costs_no_more_than_offered() -> None:
    room = seated(5, 2, idle)
    side = asked(room, ChoosePlay)
    assert side.session.match is not None
    assert side.session.match.may_resign
    assert "loses 3 games" in refuses(side, c.Resign(2), room.now)
    side.say(c.Resign(3), room.now)
    room.settle()
    (other,) = (each for each in room.sides if each is not side)
    assert "out of our turn" in refuses(other, c.Resign(3), room.now) or other.session.question()
    assert other.of(turns.OpponentResigns) == [turns.OpponentResigns(Player(side.name), 3)]
    assert other.session.match is not None
    assert other.session.match.score == (3, 0)


# --- coming and going


def test_a_lost_line_leads_back_into_the_match_even_in_the_middle_of_a_play() -> None:
    room = seated(3, 1, idle)
    side = asked(room, ChoosePlay)
    question = side.session.question()
    assert isinstance(question, ChoosePlay)
    plays = legal_plays(question.board.position(), question.dice)
    play = next(legal.play for legal in plays if len(legal.play) == 2)
    side.say(c.Move(play, -1), room.now)  # one step of two, and the line is cut
    (other,) = (each for each in room.sides if each is not side)
    room.server.hangs_up(side.guest)
    room.settle_lobby()
    assert other.session.match is not None
    assert awaited(other) == Awaited.OPPONENT_TO_JOIN.name
    side.dial(room.now)
    room.settle()
    begins = side.of(MatchBegins)[-1]
    assert begins == MatchBegins(Player(other.name), Beginning.RESUMED)
    if "reset" not in side.lines:  # the server has kept no steps
        pytest.fail("the steps of the cut connection stand")
    again = side.session.question()
    assert isinstance(again, ChoosePlay)
    assert (again.board.position(), again.dice) == (question.board.position(), question.dice)
    assert awaited(other) == Awaited.OPPONENT.name
    assert other.of(MatchEnds) == []


def test_who_stays_when_the_other_leaves_has_won() -> None:
    room = seated(3, 1, idle)
    side = asked(room, ChoosePlay)
    (other,) = (each for each in room.sides if each is not side)
    side.say(c.Leave(), room.now)
    room.settle()
    assert side.of(MatchEnds) == [
        MatchEnds(Player(other.name), Ended.LOST, (0, 0), PutAside.WE_LEFT)
    ]
    assert other.session.match is not None
    refuses(other, c.Tell(Player(side.name), "hello?"), room.now)
    other.say(c.Leave(), room.now)
    room.settle()
    assert other.of(MatchEnds) == [
        MatchEnds(Player(side.name), Ended.WON, (0, 0), PutAside.OPPONENT_LEFT)
    ]


def test_an_opponent_who_leaves_before_the_first_die_ends_nothing_but_the_table_stays() -> None:
    room = seated()
    one, other = room.sides
    other.hear(other.guest.take(), room.now)
    other.say(c.Leave(), room.now)
    one.hear(one.guest.take(), room.now)
    (ends,) = one.of(MatchEnds)
    assert ends == MatchEnds(CAROL, Ended.SAVED, (0, 0), PutAside.OPPONENT_LEFT)
    assert one.session.seat.table is not None
    other.hear(other.guest.take(), room.now)
    other.say(b.JoinTable(ALICE), room.now)
    room.until_match_ends()
    assert len(one.of(MatchBegins)) == 2


def test_a_rematch_is_offered_accepted_and_played() -> None:
    room = seated(1, 4)
    one, other = room.sides
    room.until_match_ends()
    other.hear(other.guest.take(), room.now)
    one.say(b.OfferRematch(), room.now)
    other.hear(other.guest.take(), room.now)
    assert other.of(RematchOffered) == [RematchOffered(ALICE)]
    other.say(b.OfferRematch(), room.now)
    room.until_match_ends()
    assert [each.how for each in one.of(MatchBegins)] == [Beginning.NEW] * 2  # type: ignore[attr-defined]
    assert room.server.refused == []


def test_after_a_match_we_leave_the_table_and_learn_the_new_ratings() -> None:
    room = seated(1, 4)
    one, _ = room.sides
    room.until_match_ends()
    refuses(one, b.CreateTable(1), room.now)
    refuses(one, b.AskHistory(ALICE), room.now)  # it would give up the seat
    room.wait(REMATCH_WITHIN_S)
    assert one.session.may_send(b.CreateTable(1), room.now)
    assert one.lines[-3:] == ["leave", "history alice", "history carol"]
    assert [each.rating for each in one.of(User) if isinstance(each, User)] == [1490.0, 1490.0]
    assert one.session.rating == 1490.0
    assert room.server.refused == []


def test_guests_have_no_ratings_and_ask_for_none() -> None:
    room = Room("ford", "zaphod", decide=racing)
    one, other = room.sides
    one.say(b.CreateTable(1), room.now)
    room.settle_lobby()
    other.say(b.JoinTable(Player("Guest_ford")), room.now)
    room.until_match_ends()
    room.wait(REMATCH_WITHIN_S)
    assert one.session.rating is None
    assert one.lines[-1] == "leave"


def test_talk_goes_to_whom_we_sit_with_alone() -> None:
    room = seated(1, 1, idle)
    asked(room, ChoosePlay)
    one, other = room.sides
    assert one.say(c.Tell(CAROL, "good luck"), room.now) == "say good luck"
    other.hear(other.guest.take(), room.now)
    assert other.of(Said) == [Said(ALICE, "good luck")]
    refuses(one, c.Tell(Player("ford"), "hello"), room.now)


# --- tables that we do not want


def test_a_program_asks_for_no_seat_where_a_person_may_sit() -> None:
    """The server of November 2025 never releases a lock then, and stops for everybody."""
    room = Room("bot_six", "alice", decide=racing)
    bot, person = room.sides
    person.say(b.CreateTable(1), room.now)
    room.settle_lobby()
    for table in (1, ALICE):
        assert "the server would stop" in refuses(bot, b.JoinTable(table), room.now)
    assert bot.session.may_send(b.JoinTable(Player("BOT_wildbg")), room.now)
    assert person.session.may_send(b.JoinTable(1), room.now) is False  # it sits already


@pytest.mark.parametrize("change", [{"Spectating": True}, {"Variant": 1}, {"PlayerNumber": 2}])
def test_a_table_that_is_not_ours_or_another_game_is_left(change: dict[str, object]) -> None:
    room = Room("alice", "carol", decide=racing)
    one, other = room.sides
    one.say(b.CreateTable(1), room.now)
    room.settle_lobby()
    other.say(b.JoinTable(ALICE), room.now)
    for said in other.guest.said:
        said.update(change if said["Type"] == "board" else {})
    other.hear(other.guest.take(), room.now)
    assert other.session.match is None
    assert other.session.wanted(room.now) == c.Leave()


def test_a_broken_table_is_not_believed() -> None:
    room = seated(1, 1, idle)
    side = asked(room, ChoosePlay)
    before = side.session.question()
    assert side.session.match is not None
    shown = side.session.match.table
    assert shown is not None
    side.server._board(side.server.tables[0], side.server.tables[0].guests.index(side.guest))
    side.guest.said[-1]["Board"][6] += 1
    side.hear(side.guest.take(), room.now)
    assert side.session.question() == before
    assert replace(shown) == side.session.match.table
