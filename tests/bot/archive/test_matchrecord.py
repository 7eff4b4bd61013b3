"""Events told as one record where something was interrupted: what was taken back, what was lost."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.archive.matchrecord import UNHEARD, record_of
from sixprime.bot.matchlog.events import Acted, Event, GameStarted, MatchSaved, Who
from sixprime.bot.matchlog.scribe import Scribe
from sixprime.engine.position import MatchState, Position, Step
from sixprime.protocols.fibs.lifecycle import PutAside
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.wire.board import FibsBoard, board_of
from sixprime.protocols.fibs.wire.commands import Login
from sixprime.protocols.fibs.wire.matches import NowPlaying
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.turns import OpeningRoll, YouResign
from sixprime.protocols.formats.record import (
    Action,
    Break,
    Cube,
    CubeStep,
    Interruption,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
    settled,
)
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.archive.told import MORNING, WHO, began
from tests.support.fibs.transcripts import LOGIN, TRANSCRIPTS, on_the_wire

OPENING = Turn(1, (3, 1), (Step(8, 5), Step(6, 5)))
OURS = Turn(0, (6, 2), (Step(24, 18), Step(13, 11)))
OFFER = Resignation(0, ResignStep.OFFERED, 3)
LEFT = Interruption(1, Break.LEFT, MORNING)
RESUMED = Interruption(0, Break.RESUMED, MORNING)
HEAD: list[Event] = [began(3, resumed=False), GameStarted(WHO, MORNING, (0, 0), crawford=False)]
PUT_ASIDE = MatchSaved(WHO, MORNING, "OpponentLeft")
BACK = began(3, resumed=True)


def acted(*actions: Action) -> list[Event]:
    return [Acted(WHO, MORNING, action) for action in actions]


def actions_of(events: list[Event]) -> tuple[Action, ...]:
    match = record_of(WHO, events)
    assert match.comment == ""
    return match.games[0].actions


def interrupted(*after: Action) -> list[Event]:
    """We offer to resign, the opponent leaves, the match is resumed."""
    return [*HEAD, *acted(OPENING, OFFER, LEFT), PUT_ASIDE, BACK, *acted(RESUMED, *after)]


def test_nobody_rejects_an_offer_to_resign_that_an_interruption_took_back() -> None:
    told = actions_of(interrupted(OURS))
    assert told == (OPENING, OFFER, LEFT, RESUMED, OURS)
    assert settled(record_of(WHO, interrupted(OURS)).games[0]) == (OPENING, LEFT, RESUMED, OURS)


def test_an_offer_whose_answer_was_lost_was_rejected_if_the_game_goes_on() -> None:
    rejected = Resignation(1, ResignStep.REJECTED, 3)
    assert actions_of([*HEAD, *acted(OPENING, OFFER, OURS)]) == (OPENING, OFFER, rejected, OURS)


def test_an_answer_after_an_interruption_answers_the_same_offer_made_again() -> None:
    accepted = Resignation(1, ResignStep.ACCEPTED, 3)
    for after in ((accepted,), (OFFER, accepted)):
        told = actions_of(interrupted(*after))
        assert told == (OPENING, OFFER, LEFT, RESUMED, OFFER, accepted)


def test_the_same_offer_after_an_interruption_is_told_again() -> None:
    session = Session(Login("test", WHO.account, "secret"), 0.0)
    scribe = Scribe(WHO, session, "pips")
    told: list[Event] = []
    begins = NowPlaying(Player("ben"), 3), OpeningRoll(3, Player("ben"), 1)
    for message in (*begins, YouResign(Player("ben"), 3)):
        told += scribe.events_of(message, None, MORNING)
    told += scribe.saved(PutAside.OPPONENT_LEFT, MORNING)
    scribe.resume(session)
    told += scribe.events_of(YouResign(Player("ben"), 3), None, MORNING)
    offers = [each for each in told if isinstance(each, Acted) and each.action == OFFER]
    assert len(offers) == 2


def test_a_turn_that_changed_nothing_and_was_lost_is_noticed() -> None:
    """We see our play, and then a board on which it is our turn again."""
    session = Session(Login("test", WHO.account, "secret"), 0.0)
    scribe = Scribe(WHO, session, "pips")
    ours = Position.start().after((Step(8, 5), Step(6, 5)))
    played = board_of(ours.flipped(), MatchState(3, on_roll=1, to_act=1), opponent="ben")
    again = board_of(ours, MatchState(3, on_roll=0, to_act=0), opponent="ben")
    for message in (NowPlaying(Player("ben"), 3), OpeningRoll(3, Player("ben"), 1)):
        scribe.events_of(message, None, MORNING)
    assert not any(isinstance(each.action, SetBoard) for each in acts(scribe, played))
    (setup,) = acts(scribe, again)
    assert setup.action == SetBoard(0, ours)


def test_a_board_that_nothing_leads_to_says_so_in_the_record_and_in_its_file() -> None:
    board = SetBoard(0, Position.start().after((Step(6, 5),)))
    match = record_of(WHO, [*HEAD, *acted(OPENING, board, OURS)])
    marked = replace(board, comment=UNHEARD)
    assert match.games[0].actions == (OPENING, marked, OURS)
    (read,) = sgf.read_sgf(sgf.write_sgf(match)).strictly()
    assert marked in read.games[0].actions


def test_a_double_and_a_take_that_were_lost_are_seen_on_the_board() -> None:
    session = Session(Login("test", WHO.account, "secret"), 0.0)
    scribe = Scribe(WHO, session, "pips")
    ours = Position.start().after((Step(8, 5), Step(6, 5)))
    state = MatchState(3, on_roll=1, to_act=1)
    scribe.events_of(OpeningRoll(3, Player("ben"), 1), None, MORNING)
    acts(scribe, board_of(ours.flipped(), state, opponent="ben"))
    taken = state.with_(cube=2, cube_owner=0)
    told = [each.action for each in acts(scribe, board_of(ours.flipped(), taken, opponent="ben"))]
    assert told == [Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)]


def told_of(name: str) -> list[Event]:
    """What a transcript leaves in the archive."""
    (transcript,) = (each for each in TRANSCRIPTS if each.name == name)
    session = Session(Login("test", "sixbot", "secret"), 0.0)
    scribe = Scribe(Who("fibs.com", "sixbot", "marvin"), session, "pips")
    told: list[Event] = []
    assert [*session.receive(b"login: ", 0.0)]
    session.send(session.login, 0.0)
    lines = (LOGIN.removeprefix(b"login: "), *map(on_the_wire, transcript.server_lines))
    for said in session.receive(b"".join(lines), 1.0):
        told += scribe.events_of(said, session.match, MORNING)
    return told


def test_an_old_board_that_comes_again_is_not_recorded() -> None:
    actions = [each.action for each in told_of("stale-boards") if isinstance(each, Acted)]
    assert [type(each) for each in actions] == 4 * [Turn]


def test_nothing_of_a_match_that_is_over_and_still_listed_is_recorded() -> None:
    assert told_of("finished-match-and-stale-board") == []


def acts(scribe: Scribe, board: FibsBoard) -> list[Acted]:
    return [each for each in scribe.events_of(board, None, MORNING) if isinstance(each, Acted)]
