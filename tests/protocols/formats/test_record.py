"""The record, played through and as JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.analysis.values import CubeWorth, EvalContext, Mark, RankedPlay, RolloutResult
from sixprime.engine.position import Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats import mat, oldmoves, record
from sixprime.protocols.formats.reading import Reading
from sixprime.protocols.formats.record import (
    Analysis,
    BadRecord,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.recordjson import from_json, to_json
from sixprime.protocols.formats.replay import can_move, check_play, moments, outcome
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.played import MATCHES, random_match

PLAYERS = (Player("anna"), Player("ben"))
OPENING = Turn(0, (3, 1), (Step(8, 5), Step(6, 5)))
ANSWER = Turn(1, (6, 1), (Step(13, 7), Step(8, 7)))


def match_of(*actions: record.Action, length: int = 7) -> Match:
    return Match(PLAYERS, length, (Game(actions=actions),))


def result_of(*actions: record.Action, length: int = 7) -> GameResult | None:
    match = match_of(*actions, length=length)
    return outcome(match, match.games[0])


@given(MATCHES)
@settings(max_examples=40)
def test_a_match_survives_json(match: Match) -> None:
    text = to_json(match)
    assert "\n" not in text
    assert from_json(text) == match


def test_analyses_setups_and_interruptions_survive_json() -> None:
    seven = (0.5, 0.1, 0.0, 0.1, 0.0, 0.0, 0.01)
    analysis = Analysis(
        candidates=(
            RankedPlay(OPENING.play or (), seven[:5], 0.2, EvalContext(2, noise=0.015, prune=True)),
            RankedPlay((), seven[:5], 0.1, RolloutResult(36, (seven,), (seven,), "SK 0")),
        ),
        chosen=0,
        cube=CubeWorth(seven, seven, EvalContext(0, cubeful=False)),
        luck=-0.25,
        luck_mark=-1,
        mark=Mark.BAD,
    )
    match = match_of(
        SetBoard(1, Position.start(), 2, 0, "from here"),
        Turn(0, (3, 1), OPENING.play, analysis, "well played"),
        Interruption(1, record.Break.DROPPED),
    )
    assert from_json(to_json(match)) == match


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        (lambda plain: plain.update(version=2), "version 1"),
        (lambda plain: plain.update(length="7"), "match.length"),
        (lambda plain: plain.update(lenght=7), "lenght"),
        (lambda plain: plain.pop("length"), "length"),
        (lambda plain: plain["games"][0]["actions"][0].update(kind="Turm"), "actions[0]"),
        (lambda plain: plain["games"][0]["actions"][0].update(dice=[3]), "actions[0].dice"),
        (lambda plain: plain["games"][0]["actions"][0].update(play=[[8]]), "play[0]"),
        (lambda plain: plain.update(date="tomorrow"), "match.date"),
        (lambda plain: plain.update(games={}), "match.games"),
    ],
)
def test_a_damaged_record_says_where(damage, where: str) -> None:  # type: ignore[no-untyped-def]
    plain = json.loads(to_json(match_of(OPENING)))
    damage(plain)
    with pytest.raises(BadRecord) as caught:
        from_json(json.dumps(plain))
    assert where in str(caught.value)


@pytest.mark.parametrize("text", ["", "[", "[]", "7", "null", '{"version":1}', "[" * 100_000])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        from_json(text)


@given(MATCHES)
@settings(max_examples=30)
def test_the_replay_agrees_with_the_rules_of_the_game(match: Match) -> None:
    for game in match.games:
        assert outcome(match, game) == game.result
        for action, position, _ in moments(match, game):
            if isinstance(action, Turn) and action.play is not None:
                results = {legal.result for legal in legal_plays(position, action.dice)}
                assert position.after(action.play) in results


def test_a_play_moves_the_board_and_the_turn() -> None:
    match = match_of(OPENING, ANSWER)
    first, second = moments(match, match.games[0])
    assert (first.position, first.state.on_roll) == (Position.start(), 0)
    assert second.position == Position.start().after(OPENING.play or ()).flipped()
    assert second.state.on_roll == 1


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ((OPENING, OPENING), "turn"),
        ((OPENING, Cube(0, CubeStep.DOUBLE)), "cannot double"),
        ((OPENING, Cube(1, CubeStep.DOUBLE), ANSWER), "waits"),
        ((OPENING, Cube(1, CubeStep.DOUBLE), Cube(1, CubeStep.TAKE)), "cannot take"),
        ((OPENING, Cube(1, CubeStep.TAKE)), "nobody has doubled"),
        ((Turn(0, (3, 1), (Step(8, 4), Step(6, 5))),), "dice"),
        ((Turn(0, (5, 5), (Step(6, 1),)),), "made by the opponent"),
        ((Turn(0, (3, 1), (Step(7, 4),)),), "no checker"),
        ((Turn(0, (7, 1), ()),), "1 to 6"),
        ((Turn(0, (6, 5), (Step(6, 0),)),), "home"),
        ((Turn(0, (3, 1)), Turn(0, (3, 2), ())), "have not been played"),
        ((OPENING, Resignation(0, ResignStep.ACCEPTED)), "no resignation"),
        ((OPENING, Resignation(1, ResignStep.OFFERED), ANSWER), "resignation waits"),
        ((OPENING, Resignation(1, ResignStep.OFFERED, 4)), "1, 2 or 3"),
        ((OPENING, Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.DROP), OPENING), "over already"),
        ((SetBoard(0, Position((16, *(0,) * 24), (0,) * 25)),), "16 checkers"),
    ],
)
def test_what_cannot_have_happened_is_refused(
    actions: tuple[record.Action, ...], reason: str
) -> None:
    with pytest.raises(BadRecord) as caught:
        result_of(*actions)
    assert reason in str(caught.value)


def test_dice_are_rolled_first_and_played_later() -> None:
    offer = Resignation(0, ResignStep.OFFERED)
    refusal = Resignation(1, ResignStep.REJECTED)
    match = match_of(Turn(0, (3, 1)), offer, refusal, OPENING, ANSWER)
    assert outcome(match, match.games[0]) is None
    assert record.settled(match.games[0]) == (offer, refusal, OPENING, ANSWER)


def test_no_offer_to_resign_outlives_an_interruption() -> None:
    offer, left = Resignation(1, ResignStep.OFFERED), Interruption(0, record.Break.LEFT)
    match = match_of(OPENING, offer, left, ANSWER)
    assert outcome(match, match.games[0]) is None
    assert record.settled(match.games[0]) == (OPENING, left, ANSWER)
    with pytest.raises(BadRecord, match="no resignation"):
        result_of(OPENING, offer, left, Resignation(0, ResignStep.ACCEPTED))


def test_a_roll_may_be_forgotten_with_an_interruption_and_only_then() -> None:
    """Servers need not keep the dice of a game that they save."""
    rolled, left = Turn(0, (6, 5)), Interruption(1, record.Break.LEFT)
    match = match_of(rolled, left, OPENING, ANSWER)
    assert outcome(match, match.games[0]) is None
    assert record.settled(match.games[0]) == (left, OPENING, ANSWER)
    double = Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.DROP)
    assert result_of(OPENING, Turn(1, (2, 1)), left, *double) == GameResult(1, 1, Ending.DROPPED)
    for actions in ((rolled, OPENING), (rolled, left, rolled, OPENING)):
        with pytest.raises(BadRecord, match="not been played"):
            result_of(*actions)


def test_a_double_may_be_forgotten_with_an_interruption_and_only_then() -> None:
    double, left = Cube(1, CubeStep.DOUBLE), Interruption(1, record.Break.LEFT)
    match = match_of(OPENING, double, left, ANSWER)
    assert outcome(match, match.games[0]) is None
    assert record.settled(match.games[0]) == (OPENING, left, ANSWER)
    twice = OPENING, double, left, double, Cube(0, CubeStep.TAKE), ANSWER
    *_, last = moments(match_of(*twice), match_of(*twice).games[0])
    assert last.state.cube == 2
    assert record.settled(match_of(*twice).games[0]) == (OPENING, left, *twice[3:])
    kept = OPENING, double, left, Cube(0, CubeStep.DROP)
    assert result_of(*kept) == GameResult(1, 1, Ending.DROPPED)
    assert record.settled(match_of(*kept).games[0]) == kept
    waits = OPENING, double, left
    assert record.settled(match_of(*waits).games[0]) == waits
    with pytest.raises(BadRecord, match="waits for an answer"):
        result_of(OPENING, double, ANSWER)


def test_cubes_and_resignations_are_counted_in_points() -> None:
    double, take = Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)
    assert result_of(OPENING, double, Cube(0, CubeStep.DROP)) == GameResult(1, 1, Ending.DROPPED)
    gammon = Resignation(1, ResignStep.OFFERED, 2), Resignation(0, ResignStep.ACCEPTED, 2)
    assert result_of(OPENING, double, take, *gammon) == GameResult(0, 4, Ending.RESIGNED)
    beaver = OPENING, double, Cube(0, CubeStep.BEAVER)
    assert result_of(*beaver, Cube(1, CubeStep.DROP)) == GameResult(0, 2, Ending.DROPPED)
    match = match_of(*beaver, Cube(1, CubeStep.TAKE), ANSWER, length=0)
    *_, last = moments(match, match.games[0])
    assert (last.state.cube, last.state.cube_owner) == (4, 0)


def test_after_a_setup_the_next_turn_says_who_is_on_roll() -> None:
    setup = SetBoard(0, Position.start().after((Step(24, 18),)))
    match = match_of(setup, ANSWER)
    assert [moment.position for moment in moments(match, match.games[0])][1] == (
        setup.position.flipped()
    )


def test_a_match_knows_its_score_and_winner() -> None:
    won = Game((2, 0), result=GameResult(0, 1, Ending.DROPPED))
    assert Match(PLAYERS, 3, (won,)).score == (3, 0)
    assert Match(PLAYERS, 3, (won,)).winner == 0
    assert not Match(PLAYERS, 5, (won,)).finished
    assert Match(PLAYERS, 0, (won,)).finished
    assert not Match(PLAYERS, 3).finished


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_a_dance_is_when_no_step_can_be_made(seed: int) -> None:
    from sixprime.engine.rules import legal_plays

    match = random_match(seed, interruptions=False)
    position = random.Random(seed).choice(list(moments(match, match.games[0]))).position
    for dice in ((1, 2), (6, 6), (3, 5)):
        plays = legal_plays(position, dice)
        assert can_move(position, dice) == bool(plays[0].play)
        for legal in plays[:20]:
            check_play(position, legal.play, dice)


def test_names_are_cut_by_bytes_and_never_the_same() -> None:
    match = Match((Player("é" * 40), Player("é" * 41)), 7)
    first, second = record.plain_names(match, 31)
    assert first == "é" * 15
    assert second != first
    assert max(len(first.encode()), len(second.encode())) <= 31
    match = Match((Player("a\nb:\x1b[31mc  d"), Player(" ")), 7)
    assert record.plain_names(match, 31, ":") == ("a b [31mc d", "O")


def test_bytes_are_read_as_utf_8_or_else_as_latin_1() -> None:
    assert record.decode(b"\xef\xbb\xbfZo\xc3\xab") == "Zoë"
    assert record.decode(b"Zo\xeb") == "Zoë"


def test_text_that_is_no_utf8_is_windows_1252_or_else_latin_1() -> None:
    assert record.decode("né…".encode("cp1252")) == "né…"
    assert record.decode(b"\xe9\x81") == "é\x81"


@pytest.mark.parametrize(
    ("reads", "writes"),
    [
        (sgf.read_sgf, sgf.write_sgf),
        (mat.read_mat, mat.write_mat),
        (oldmoves.read_oldmoves, oldmoves.write_oldmoves),
    ],
)
def test_a_beaver_shows_that_beavers_were_allowed(
    reads: Callable[[str], Reading], writes: Callable[[Match], str]
) -> None:
    """Or an analysis would tell the player who beavered to take."""
    text = "(;GM[6]PW[anna]PB[ben]MI[length:{}];W[31hefe];B[double];W[{}]{};B[61lrqr])"
    (beavered,) = sgf.read_sgf(text.format(0, "double", ";B[take]")).strictly()
    (taken,) = sgf.read_sgf(text.format(0, "take", "")).strictly()
    assert (beavered.rules.beavers, taken.rules.beavers) == (3, 0)
    (read,) = reads(writes(beavered)).strictly()
    assert read.rules.beavers == 3
    (read,) = reads(writes(taken)).strictly()
    assert read.rules.beavers == 0
