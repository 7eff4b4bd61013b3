"""The server's list of the last game, and the archive that missed its end."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import pytest

import sixprime.bot.archive.archive
from sixprime.bot.archive.archive import MatchStatus
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchrecord import RecordBuilder, record_of
from sixprime.bot.archive.recovery import OldMovesReply, merged
from sixprime.bot.client.client import Client
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.thinking import Thinker
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Rated,
    Resigning,
    Who,
)
from sixprime.bot.settings.schema import AccountSettings, Profile, ServerSettings
from sixprime.engine.position import Play, Position, Step
from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.lifecycle import Beginning, MatchBegins
from sixprime.protocols.fibs.linewatch import AnswerOrder
from sixprime.protocols.fibs.match import MatchInPlay
from sixprime.protocols.fibs.progress import MOST_OF_A_KIND
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire.commands import AskOldMoves, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.talk import Notice
from sixprime.protocols.fibs.wire.users import OldMove, OldScore, OldSeats
from sixprime.protocols.formats import oldmoves
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    BadRecord,
    Break,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Match,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import Moment, check_play, moments
from tests.support.archive.told import MORNING, WHO, began, fibs_match, settings_in, told
from tests.support.bot.scene import Memory

pytestmark = pytest.mark.patient


def listed(match: Match, game: Game) -> list[Message]:
    """A finished game as the server lists it, without the points."""
    text = oldmoves.write_oldmoves(replace(match, games=(game,)))
    _, _, *lines = text.rstrip().splitlines()
    messages: list[Message] = [
        OldScore(*game.score, match.length or None),
        OldSeats(Player(match.players[0].name), Player(match.players[1].name)),
    ]
    for line in lines:
        seat, _, words = line.partition(": ")
        messages.append(OldMove(seat, "wins" if words.startswith("wins") else words))
    return messages


def heard(messages: list[Message]) -> OldMovesReply:
    reply = OldMovesReply(WHO, until=5.0)
    for message in messages:
        assert not reply.is_over
        reply.collect(message)
    return reply


def ends_on_the_board(seed: int) -> Match:
    """A match in which no game is resigned."""
    while True:
        match = fibs_match(seed)
        if all(game.result and game.result.ending is not Ending.RESIGNED for game in match.games):
            return match
        seed += 1


def break_off(archive: LiveArchive) -> None:
    """Our connection dies in the middle of a game."""
    archive.note(Acted(WHO, MORNING, Interruption(0, Break.DROPPED, MORNING)))
    archive.note(MatchSaved(WHO, MORNING, "the connection is lost"))


@pytest.mark.parametrize("seed", [1, 20, 40])
def test_a_list_is_read_from_either_seat(seed: int) -> None:
    match = ends_on_the_board(seed)
    game = match.games[-1]
    found = heard(listed(match, game)).game()
    assert found is not None
    assert digest_of(replace(match, games=(found,))) == digest_of(replace(match, games=(game,)))
    other = replace(match, players=match.players[::-1])
    turned = heard(listed(other, game)).game()
    assert turned is not None
    assert turned.score == game.score[::-1]
    assert turned.result is not None
    assert found.result is not None
    assert turned.result.winner == 1 - found.result.winner


def test_a_list_of_a_match_that_no_file_can_hold_is_read() -> None:
    """Servers play to 99 points, match files end at 64."""
    match = replace(ends_on_the_board(1), length=99)
    game = replace(match.games[-1], score=(70, 68), crawford=False)
    found = heard(listed(match, game)).game()
    assert found is not None
    assert digest_of(replace(match, games=(found,))) == digest_of(replace(match, games=(game,)))


def test_a_list_of_other_players_or_of_nonsense_is_no_game() -> None:
    match = ends_on_the_board(1)
    strangers = (replace(match.players[0], name="eve"), match.players[1])
    assert heard(listed(replace(match, players=strangers), match.games[-1])).game() is None
    lines = listed(match, match.games[-1])
    lines[3:-1] = [OldMove("O", "(6 6) 1-2 3-4")]
    assert heard(lines).game() is None


@pytest.mark.parametrize("seed", range(1, 60, 10))
def test_whatever_is_missing_of_a_game_comes_back(seed: int) -> None:
    match = ends_on_the_board(seed)
    whole = replace(match.games[-1], actions=settled(match.games[-1]))
    turns = [action for action in whole.actions if isinstance(action, Turn | Cube)]
    dropped = Interruption(0, Break.DROPPED, MORNING)
    for first, last in ((0, 3), (2, 5), (0, len(turns)), (len(turns) - 2, len(turns))):
        kept = (*turns[:first], dropped, *turns[last:])
        found = merged(replace(whole, actions=kept, result=None), whole)
        assert found is not None
        assert [each for each in found.actions if isinstance(each, Turn | Cube)] == turns
        assert dropped in found.actions


def test_what_we_thought_stays_and_boards_set_by_hand_go() -> None:
    match = ends_on_the_board(3)
    whole = match.games[-1]
    own = next(i for i, each in enumerate(whole.actions) if isinstance(each, Turn) and each.play)
    turn = whole.actions[own]
    assert isinstance(turn, Turn)
    thought = replace(turn, analysis=Analysis(luck=0.5))
    board = SetBoard(0, Position.start())
    known = replace(whole, actions=(*whole.actions[:own], thought, board), result=None)
    found = merged(known, whole)
    assert found is not None
    assert thought in found.actions
    assert board not in found.actions


def test_what_was_offered_is_known_better_than_the_list_tells() -> None:
    """The list does not say how many games; our connection broke before we heard the answer."""
    begun = ends_on_the_board(1).games[0].actions[:4]
    offer, accepted = (Resignation(0, ResignStep.OFFERED, 3), Resignation(1, ResignStep.ACCEPTED))
    broken = Interruption(0, Break.DROPPED, MORNING)
    listed_game = Game(actions=(*begun, replace(offer, games=1), accepted))
    found = merged(Game(actions=(*begun, offer, broken)), listed_game)
    assert found is not None
    assert found.actions[-3:] == (offer, accepted, broken)
    later = merged(Game(actions=(*begun[:2], offer, broken, *begun[2:])), listed_game)
    assert later is not None
    assert [each for each in later.actions if each != broken] == list(listed_game.actions)


def test_offers_that_are_all_alike_hide_nothing_between_them() -> None:
    """A turn was lost with the connection, an offer refused before it and one long after it."""
    match = ends_on_the_board(11)
    turns = settled(match.games[-1])
    refused = (Resignation(1, ResignStep.OFFERED), Resignation(0, ResignStep.REJECTED))
    whole = replace(
        match.games[-1], actions=(*turns[:4], *refused, *turns[4:9], *refused, *turns[9:])
    )
    board = SetBoard(0, Position.start())
    broken = [Interruption(0, what, MORNING) for what in (Break.DROPPED, Break.RESUMED)]
    kept = (*whole.actions[:7], *broken, board, *whole.actions[8:])
    found = merged(replace(whole, actions=kept), whole)
    assert found is not None
    assert [each for each in found.actions if each not in broken] == list(whole.actions)


def test_a_roll_that_was_shown_again_is_not_one_more_dance() -> None:
    match = ends_on_the_board(11)
    whole = replace(match.games[-1], actions=settled(match.games[-1]))
    shown_again = (Turn(1, (6, 6), ()), SetBoard(1, Position.start()))
    kept = (*whole.actions[:7], *shown_again, *whole.actions[7:])
    found = merged(replace(whole, actions=kept), whole)
    assert found is not None
    assert found.actions == whole.actions


@pytest.mark.parametrize("seed", range(1, 200, 10))
def test_whatever_is_missing_between_offers_comes_back(seed: int) -> None:
    dice = random.Random(seed)
    match = ends_on_the_board(seed)
    actions = [_as_alike_as_can_be(each) for each in settled(match.games[-1])]
    for at in sorted(dice.sample(range(1, len(actions)), 4), reverse=True):
        seat = dice.randrange(2)
        refused = (
            Resignation(seat, ResignStep.OFFERED),
            Resignation(1 - seat, ResignStep.REJECTED),
        )
        actions[at:at] = refused
    whole = replace(match.games[-1], actions=tuple(actions), result=None)
    broken = Interruption(0, Break.DROPPED, MORNING)
    for _ in range(10):
        first, last = sorted(dice.choices(range(len(actions) + 1), k=2))
        known = replace(whole, actions=(*actions[:first], broken, *actions[last:]))
        found = merged(known, whole)
        assert found is not None
        assert [each for each in found.actions if each != broken] == actions


def _as_alike_as_can_be(action: Action) -> Action:
    """Turns with the same dice and play, and offers of the same player, cannot be told apart."""
    if isinstance(action, Resignation):
        return replace(action, games=1)
    if isinstance(action, Turn):
        low, high = sorted(action.dice)
        return replace(action, dice=(low, high))
    return action


def resigned_unheard(length: int, cube: int = 1) -> tuple[list[Event], Game]:
    """What we heard of a game, and its list, which tells who resigned and not for how much.

    A double is taken first if `cube` is 2.
    """
    doubled = (Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)) if cube == 2 else ()
    turns = (
        Turn(0, (3, 1), (Step(8, 5), Step(6, 5))),
        *doubled,
        Turn(1, (6, 5), (Step(24, 18), Step(18, 13))),
    )
    resigned = (Resignation(0, ResignStep.OFFERED), Resignation(1, ResignStep.ACCEPTED))
    start = PlayerRating()
    events: list[Event] = [
        MatchStarted(WHO, MORNING, length or None, False, (0, 0), start, start, "pips"),
        GameStarted(WHO, MORNING, (0, 0), False),
        *(Acted(WHO, MORNING, each) for each in turns),
    ]
    return events, Game(actions=(*turns, *resigned))


@pytest.mark.parametrize("games", [1, 2, 3])
@pytest.mark.parametrize("cube", [1, 2])
@pytest.mark.parametrize("length", [0, 7])
def test_an_offer_of_ours_that_was_accepted_unheard_is_worth_what_we_sent(
    games: int, cube: int, length: int, tmp_path: Path
) -> None:
    archive = LiveArchive(settings_in(tmp_path))
    events, listed_game = resigned_unheard(length, cube)
    for event in [*events, Resigning(WHO, MORNING, games)]:
        archive.note(event)
    break_off(archive)
    assert archive.missed(WHO.server, WHO.account, ["ben"]) == WHO
    found = archive.recover(GameRecovered(WHO, MORNING, listed_game))
    assert found is not None
    assert found.score == (0, games * cube)
    assert found.games[0].actions[-2:] == (
        Resignation(0, ResignStep.OFFERED, games),
        Resignation(1, ResignStep.ACCEPTED, games),
    )
    assert archive.match(1) == found
    archive.close()


def test_a_match_that_an_unheard_resignation_ended_is_over(tmp_path: Path) -> None:
    archive = LiveArchive(settings_in(tmp_path))
    events, listed_game = resigned_unheard(length=2)
    for event in [*events, Resigning(WHO, MORNING, 2)]:
        archive.note(event)
    break_off(archive)
    assert archive.missed(WHO.server, WHO.account, []) == WHO
    found = archive.recover(GameRecovered(WHO, MORNING, listed_game))
    assert found is not None
    assert (found.winner, found.score) == (1, (0, 2))
    archive.close()


def test_the_last_offer_counts_and_the_one_that_was_taken_back_does_not() -> None:
    events, listed_game = resigned_unheard(length=7)
    first = Acted(WHO, MORNING, Resignation(0, ResignStep.OFFERED, 3))
    broken, resumed = (
        Acted(WHO, MORNING, Interruption(0, what, MORNING))
        for what in (Break.DROPPED, Break.RESUMED)
    )
    builder = RecordBuilder(WHO)
    for event in [*events, first, broken, resumed, Resigning(WHO, MORNING, 2), broken]:
        builder.add(event)
    assert builder.recover(listed_game)
    assert builder.match().score == (0, 2)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_offer_heard_behind_a_gap_is_worth_what_was_heard(seat: int) -> None:
    """The list has it behind a turn that we did not see, so it is not known again there."""
    events, listed_game = resigned_unheard(length=7)
    turns = listed_game.actions[:-2]
    whole = (
        *turns,
        Resignation(seat, ResignStep.OFFERED),
        Resignation(1 - seat, ResignStep.ACCEPTED),
    )
    after = list(moments(ends_on_the_board(1), replace(listed_game, actions=whole)))[-1].position
    broken = Interruption(0, Break.DROPPED, MORNING)
    builder = RecordBuilder(WHO)
    for event in events[:-1]:
        builder.add(event)
    for action in (broken, SetBoard(0, after), Resignation(seat, ResignStep.OFFERED, 2), broken):
        builder.add(Acted(WHO, MORNING, action))
    assert builder.recover(replace(listed_game, actions=whole))
    assert builder.match().score[1 - seat] == 2


@pytest.mark.parametrize(
    ("score", "points"), [((0, 2), 2), ((0, 4), 4), ((0, 6), 6), ((0, 5), 2), ((2, 2), 2)]
)
def test_the_next_score_tells_what_an_offer_was_worth_that_nobody_knew(
    score: tuple[int, int], points: int
) -> None:
    events, listed_game = resigned_unheard(length=0, cube=2)
    builder = RecordBuilder(WHO)
    for event in events:
        builder.add(event)
    assert builder.recover(listed_game)
    builder.add(GameStarted(WHO, MORNING, score, False))
    result = builder.match().games[0].result
    assert result is not None
    assert result.points == points


@pytest.mark.parametrize("told", [1, 4])
@pytest.mark.parametrize("last", [True, False])
def test_the_score_after_it_corrects_what_the_server_said_a_resignation_was_worth(
    told: int, last: bool
) -> None:
    """BaldLies says `OPP accepts and wins 1 point.`, cube or not, and counts them all."""
    events, listed_game = resigned_unheard(length=2 if last else 5, cube=2)
    said = GameResult(1, told, Ending.RESIGNED)
    score = (0, 2)
    after = MatchOver(WHO, MORNING, 1, score) if last else GameStarted(WHO, MORNING, score, False)
    answered = [Acted(WHO, MORNING, action) for action in listed_game.actions[-2:]]
    over = GameOver(WHO, MORNING, said, (0, told))
    result = record_of(WHO, [*events, *answered, over, after]).games[0].result
    assert result == replace(said, points=2)


DROPPED = (Cube(0, CubeStep.DOUBLE), Cube(1, CubeStep.DROP))


@pytest.mark.parametrize("told", [1, 4])
@pytest.mark.parametrize(("after", "points"), [((2, 0), 2), ((3, 0), None), ((2, 1), None)])
def test_the_score_after_it_confirms_what_a_dropped_game_was_worth(
    told: int, after: tuple[int, int], points: int | None
) -> None:
    """A score that contradicts the game as well corrects nothing."""
    events, _ = resigned_unheard(length=7, cube=2)
    dropped = [Acted(WHO, MORNING, action) for action in DROPPED]
    said = GameResult(0, told, Ending.DROPPED)
    over = GameOver(WHO, MORNING, said, (told, 0))
    next_game = GameStarted(WHO, MORNING, after, False)
    result = record_of(WHO, [*events, *dropped, over, next_game]).games[0].result
    assert result == replace(said, points=points or told)


def test_the_score_after_it_confirms_what_a_game_was_worth_that_was_borne_off() -> None:
    (whole,) = ends_on_the_board(1).games
    assert whole.result is not None
    said = replace(whole.result, points=whole.result.points + 1)
    told: list[Event] = [GameStarted(WHO, MORNING, (0, 0), False)]
    told += [Acted(WHO, MORNING, action) for action in whole.actions]
    told += [GameOver(WHO, MORNING, said, (0, 0))]
    told += [GameStarted(WHO, MORNING, whole.score_after, False)]
    events, _ = resigned_unheard(length=7)
    assert record_of(WHO, [events[0], *told]).games[0].result == whole.result


def test_another_game_is_not_taken_for_this_one() -> None:
    one, other = ends_on_the_board(1), ends_on_the_board(50)
    told_game = replace(other.games[0], score=one.games[0].score)
    assert merged(one.games[0], told_game) is None
    assert merged(one.games[0], replace(one.games[0], score=(4, 4))) is None


@pytest.mark.parametrize("seed", [1, 11, 31])
def test_a_match_that_ended_while_we_were_dead_is_finished_from_the_list(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    match = ends_on_the_board(seed)
    events = list(told(match))
    begun = max(i for i, event in enumerate(events) if isinstance(event, GameStarted))
    over = next(i for i, event in enumerate(events) if isinstance(event, MatchOver))
    game = heard(listed(match, match.games[-1])).game()
    assert game is not None
    for cut in {begun + 1, begun + 2, (begun + over) // 2, over - 1, over}:
        archive = LiveArchive(settings_in(tmp_path_factory.mktemp("cut")))
        for event in islice(events, cut):
            archive.note(event)
        assert archive.missed(WHO.server, WHO.account, ["ben"]) is None
        assert archive.missed(WHO.server, "nobody", []) is None
        assert archive.missed(WHO.server, WHO.account, []) == WHO
        found = archive.recover(GameRecovered(WHO, MORNING, game))
        assert found is not None
        assert found.winner == match.winner
        archive.note(MatchOver(WHO, MORNING, match.winner or 0, found.score))
        archive.note(Rated(WHO, MORNING, PlayerRating(), PlayerRating()))
        archive.finish(WHO)
        (row,) = archive.rows()
        assert row.state == MatchStatus.OVER.value
        assert digest_of(archive.match(row.id)) == digest_of(match)
        assert archive.missed(WHO.server, WHO.account, []) is None
        archive.close()


def test_a_game_that_may_have_ended_when_our_connection_broke_is_asked_for(tmp_path: Path) -> None:
    match = next(m for m in map(ends_on_the_board, range(1, 500, 7)) if len(m.games) > 2)
    events = list(told(match))
    over = next(i for i, event in enumerate(events) if isinstance(event, GameOver))
    archive = LiveArchive(settings_in(tmp_path))
    for event in events[: over - 2]:
        archive.note(event)
    break_off(archive)
    assert archive.missed(WHO.server, WHO.account, ["ben"]) == WHO
    game = heard(listed(match, match.games[0])).game()
    assert game is not None
    found = archive.recover(GameRecovered(WHO, MORNING, game))
    assert found is not None
    assert moved_in(found.games[0]) == moved_in(match.games[0])
    (row,) = archive.rows()
    assert (row.our_score, row.their_score) == found.score == match.games[1].score
    assert archive.recover(GameRecovered(WHO, MORNING, game)) == found  # twice is once
    assert sum(isinstance(event, GameRecovered) for event in archive.events(1)) == 1
    archive.close()


def test_two_dances_while_our_connection_was_dead_are_asked_for(tmp_path: Path) -> None:
    """No board shows them: the next roll is the same player's, and the checkers stand still."""
    seeds = range(117, 2_000)  # the first one has such a place
    match, at = next(
        (match, at)
        for match in map(ends_on_the_board, seeds)
        if len(match.games) == 1
        for at, (one, other) in enumerate(pairwise(match.games[0].actions))
        if isinstance(one, Turn) and isinstance(other, Turn) and one.play == other.play == ()
    )
    (game,) = match.games
    before, after = (
        replace(match, games=(replace(game, actions=actions, result=result),))
        for actions, result in ((game.actions[:at], None), (game.actions[at + 2 :], game.result))
    )
    archive = LiveArchive(settings_in(tmp_path))
    for event in told(before):
        archive.note(event)
    break_off(archive)
    archive.note(began(match.length, resumed=True))
    archive.note(Acted(WHO, MORNING, Interruption(0, Break.RESUMED, MORNING)))
    for event in told(after):
        if not isinstance(event, MatchStarted | GameStarted):
            archive.note(event)
    assert not any(isinstance(each, SetBoard) for each in archive.match(1).games[0].actions)
    assert archive.missed(WHO.server, WHO.account, []) == WHO
    whole = heard(listed(match, game)).game()
    assert whole is not None
    found = archive.recover(GameRecovered(WHO, MORNING, whole))
    assert found is not None
    assert digest_of(found) == digest_of(match)
    assert archive.missed(WHO.server, WHO.account, []) is None
    archive.close()


def test_a_game_that_was_whole_in_spite_of_a_break_is_asked_for_once(tmp_path: Path) -> None:
    match = ends_on_the_board(1)
    game = match.games[-1]
    events = list(told(match))
    middle = max(i for i, event in enumerate(events) if isinstance(event, GameStarted)) + 9
    archive = LiveArchive(settings_in(tmp_path))
    for event in events[:middle]:
        archive.note(event)
    break_off(archive)
    archive.note(began(match.length, resumed=True, score=game.score))
    for event in events[middle:]:
        archive.note(event)
    for missed in (WHO, None):
        told_game = heard(listed(match, game)).game()
        assert told_game is not None
        assert archive.missed(WHO.server, WHO.account, []) == missed
        assert archive.recover(GameRecovered(WHO, MORNING, told_game)) is not None
    assert digest_of(archive.match(1)) == digest_of(match)
    archive.close()


def test_the_only_game_of_a_match_that_the_server_still_has_is_not_asked_for(
    tmp_path: Path,
) -> None:
    archive = LiveArchive(settings_in(tmp_path))
    start = PlayerRating()
    archive.note(MatchStarted(WHO, MORNING, 1, False, (0, 0), start, start, "pips"))
    archive.note(GameStarted(WHO, MORNING, (0, 0), False))
    archive.note(Acted(WHO, MORNING, Turn(0, (3, 1), (Step(8, 5), Step(6, 5)))))
    break_off(archive)
    assert archive.missed(WHO.server, WHO.account, ["ben"]) is None
    assert archive.missed(WHO.server, WHO.account, []) == WHO
    archive.close()


def test_a_server_that_has_no_old_game_is_not_waited_for() -> None:
    reply = heard([Notice("There is no old game of anna.")])
    assert reply.is_over
    assert reply.game() is None


def test_a_match_whose_end_is_told_when_the_next_one_has_begun_is_over() -> None:
    match = ends_on_the_board(1)

    class Recorder(Memory):
        async def recover(self, recovered: GameRecovered) -> Match | None:
            return match

    recorder = Recorder()
    profile = Profile(
        name="anna", server=ServerSettings(host=WHO.server), account=AccountSettings(user="anna")
    )
    client = Client(profile, Thinker([]), recorder, BotMetrics())
    client.session = Session(Login("test", "anna", "secret"), 0.0)
    client.session.match = MatchInPlay(
        MatchBegins(Player("ben"), Beginning.NEW), LearnedDialect(), AnswerOrder(), 0.0
    )
    asyncio.run(client.recollection.keep(client.session, heard(listed(match, match.games[-1]))))
    (over,) = recorder.of(MatchOver)
    assert isinstance(over, MatchOver)
    assert (over.winner, over.score) == (match.winner, match.score)
    assert recorder.finished == [WHO]


def test_the_last_game_is_asked_for_when_we_may_speak_again() -> None:
    """After some logins in a row we must be quiet for a while, and that is no lack of an answer."""
    profile = Profile(
        name="anna", server=ServerSettings(host=WHO.server), account=AccountSettings(user="anna")
    )
    client = Client(profile, Thinker([]), Memory(), BotMetrics())
    session = Session(Login("test", "anna", "secret"), 0.0)
    session.state = ConnectionState.IDLE
    for _ in range(MOST_OF_A_KIND):
        session.known.progress.sent(AskOldMoves(), 0.0)
    client.recollection.gaps.found(WHO)
    assert client.recollection.next(session, 1.0) is None
    assert not client.recollection.gaps.is_asking
    assert client.recollection.next(session, 61.0) == AskOldMoves()
    assert client.recollection.gaps.is_asking


def test_the_game_before_told_again_does_not_end_the_one_in_play() -> None:
    match = next(m for m in map(ends_on_the_board, range(1, 500, 7)) if len(m.games) > 2)
    events = list(told(match))
    begun = [i for i, event in enumerate(events) if isinstance(event, GameStarted)][1]
    game = heard(listed(match, match.games[0])).game()
    assert game is not None
    builder = RecordBuilder(WHO)
    for event in events[: begun + 6]:
        builder.add(event)
    assert builder.recover(game)
    for event in events[begun + 6 :]:
        builder.add(event)
    assert digest_of(builder.match()) == digest_of(match)


def moved_in(game: Game) -> list[object]:
    return [each.play for each in settled(game) if isinstance(each, Turn)]


def test_the_end_of_the_match_before_is_not_taken_for_a_game_that_has_just_begun(
    tmp_path: Path,
) -> None:
    match = next(m for m in map(ends_on_the_board, range(1, 500)) if len(m.games) == 1)
    archive = LiveArchive(settings_in(tmp_path))
    for event in told(match):
        archive.note(event)
    for event in islice(told(match), 2):  # the next one: nothing is rolled yet
        archive.note(event)
    break_off(archive)
    assert archive.missed(WHO.server, WHO.account, ["ben"]) == WHO
    game = heard(listed(match, match.games[0])).game()
    assert game is not None
    assert archive.recover(GameRecovered(WHO, MORNING, game)) is None
    archive.close()


def test_a_game_that_ended_unseen_in_a_match_that_goes_on_is_told_right() -> None:
    match = next(m for m in map(ends_on_the_board, range(1, 500, 7)) if len(m.games) > 2)
    events = list(told(match))
    over = [i for i, event in enumerate(events) if isinstance(event, GameOver)][1]
    lost = [*events[: over - 4], *events[over + 1 :]]
    next_game = next(i for i, e in enumerate(lost) if isinstance(e, GameStarted) and i > over - 5)
    builder = RecordBuilder(WHO)
    for event in lost[: next_game + 1]:
        builder.add(event)
    doubts = [builder.last_is_doubtful]
    game = heard(listed(match, match.games[1])).game()
    assert game is not None
    assert builder.recover(game)
    doubts.append(builder.last_is_doubtful)
    assert doubts == [True, False]
    for event in lost[next_game + 1 :]:
        builder.add(event)
    assert digest_of(builder.match()) == digest_of(match)


def test_a_list_that_contradicts_what_we_know_changes_nothing() -> None:
    match = ends_on_the_board(11)
    builder = RecordBuilder(WHO)
    for event in told(match):
        builder.add(event)
    before = builder.match()
    stranger = ends_on_the_board(200).games[-1]
    assert not builder.recover(replace(stranger, score=match.games[-1].score))
    assert builder.match() == before


def test_a_dance_that_was_lost_with_the_connection_comes_back() -> None:
    for match in map(ends_on_the_board, range(1, 3000, 13)):
        whole = match.games[-1]
        whole = replace(whole, actions=settled(whole))
        seen = list(moments(match, whole))
        for at, (one, dance, _) in enumerate(zip(seen, seen[1:], seen[2:], strict=False)):
            lost = isinstance(one.action, Turn) and one.action.play and one.action.seat == 1
            if lost and isinstance(dance.action, Turn) and dance.action.play == ():
                check_lost_dance(match, whole, at, seen[at + 2])
                return
    raise AssertionError("no such game")


def other_way(moment: Moment) -> Play | None:
    """One checker with both dice, the other one first: if that hits something else."""
    turn, position = moment.action, moment.position
    if not isinstance(turn, Turn) or turn.play is None or len(turn.play) != 2:
        return None
    (start, middle), (on, end) = turn.play
    play = Step(start, start - (on - end)), Step(start - (on - end), end)
    if middle != on or end == 0 or start == 25:
        return None
    try:
        check_play(position, play, turn.dice)
    except BadRecord:
        return None
    return play if position.after(play) != position.after(turn.play) else None


def test_which_way_a_checker_went_the_server_knows_better() -> None:
    """A blot that is hit on the way, and enters where it stood, makes a board of both ways."""
    for match in map(ends_on_the_board, range(1, 3000, 13)):
        whole = match.games[-1]
        whole = replace(whole, actions=settled(whole))
        seen = list(moments(match, whole))
        for at, moment in enumerate(seen[:-2]):
            play = other_way(moment) if isinstance(moment.action, Turn) else None
            if play is not None and not moment.state.on_roll:
                check_other_way(match, whole, at, play, seen[at + 2])
                return
    raise AssertionError("no such game")


def check_other_way(match: Match, whole: Game, at: int, play: Play, after: Moment) -> None:
    """We take our own turn for that, and miss the next one."""
    ours = whole.actions[at]
    assert isinstance(ours, Turn)
    board = SetBoard(0, after.position, after.state.cube, after.state.cube_owner)
    wrong = replace(ours, play=play)
    actions = [*whole.actions[:at], wrong, board, *whole.actions[at + 2 :]]
    cut = replace(match, games=(*match.games[:-1], replace(whole, actions=tuple(actions))))
    builder = RecordBuilder(WHO)
    for event in told(cut):
        builder.add(event)
    game = heard(listed(match, whole)).game()
    assert game is not None
    assert builder.recover(game)
    assert digest_of(builder.match()) == digest_of(match)


def check_lost_dance(match: Match, whole: Game, at: int, after: Moment) -> None:
    """We hear a roll, then nothing until the board two turns later, with the same side on roll."""
    rolled = whole.actions[at]
    assert isinstance(rolled, Turn)
    board = SetBoard(1, after.position, after.state.cube, after.state.cube_owner)
    actions = [*whole.actions[:at], replace(rolled, play=None), board, *whole.actions[at + 2 :]]
    cut = replace(match, games=(*match.games[:-1], replace(whole, actions=tuple(actions))))
    builder = RecordBuilder(WHO)
    for event in told(cut):
        builder.add(event)
    assert builder.last_is_doubtful
    assert builder.match().comment == ""  # nothing had to be left out
    game = heard(listed(match, whole)).game()
    assert game is not None
    assert builder.recover(game)
    assert digest_of(builder.match()) == digest_of(match)


@pytest.mark.parametrize("span", [1, 2, 1_000])
def test_the_latest_match_is_found_behind_any_number_of_others(
    span: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write into the same archive; ours was resumed after a later one of ours."""
    monkeypatch.setattr(sixprime.bot.archive.archive, "LAST_EVENTS", span)
    archive = LiveArchive(settings_in(tmp_path))
    start = PlayerRating()

    def begin(who: Who, *, resumed: bool = False) -> None:
        archive.note(MatchStarted(who, MORNING, 5, resumed, (0, 0), start, start, "pips"))
        archive.note(GameStarted(who, MORNING, (0, 0), False))

    later = replace(WHO, opponent="later")
    begin(WHO)
    begin(later)
    archive.note(MatchSaved(later, MORNING, "left"))
    assert archive.missed(WHO.server, WHO.account, []) == later
    begin(WHO, resumed=True)
    for i in range(20):
        begin(replace(WHO, account="another", opponent=f"o{i}"))
    assert archive.missed(WHO.server, WHO.account, []) == WHO
    assert archive.missed(WHO.server, "nobody", []) is None
    archive.close()
