"""A match by hand: what is taken back was never entered, and the record carries it all."""

from __future__ import annotations

import random
from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.transcribing.handmatch import Asks, HandMatch
from sixprime.bot.transcribing.sheet import EntrySheet
from sixprime.engine.position import Position, Step
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.mat import read_mat, write_mat
from sixprime.protocols.formats.record import (
    Game,
    Match,
    Resignation,
    Rules,
    SetBoard,
    Turn,
    match_between,
)
from sixprime.protocols.formats.recordjson import from_json, to_json
from sixprime.protocols.formats.sgf.match import read_sgf, write_sgf
from tests.support.handwritten import drawn_match, next_entry


def match_of_3() -> HandMatch:
    return HandMatch(match_between(("anna", "ben"), 3))


def asks(match: HandMatch) -> Asks:
    """Call the property anew: mypy thinks that it stays what it was."""
    return match.asks


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from((0, 1, 3)), st.integers(1, 120))
def test_what_is_taken_back_was_never_entered(seed: int, length: int, entries: int) -> None:
    """Each step and its way back: the records on the way are those on the way there."""
    chance = random.Random(seed)
    sheet = EntrySheet()
    sheet.write(f"match {length}" if length else "money jacoby beavers automatic=2")
    match = sheet.match
    assert match is not None
    records = [match.record]
    for _ in range(entries):
        if asks(match) is Asks.KEEPING:
            break
        if chance.random() < 0.3 and len(records) > 1:
            for _ in range(chance.randint(1, min(4, len(records) - 1))):
                records.pop()
                match.take_back()
                assert match.record == records[-1]
            continue
        line = next_entry(match, chance, illegal=0.1)
        sheet.write(line)
        if match.record != records[-1]:
            step = _half(match)
            records += [step] if step is not None and line != "-" else []
            records.append(match.record)
    while len(records) > 1:
        records.pop()
        match.take_back()
        assert match.record == records[-1]
    assert not match.may_take_back


def _half(match: HandMatch) -> Match | None:
    """The record with the roll alone, if a line entered a dance with its roll."""
    if not match.game.actions:
        return None  # an automatic double
    last = match.game.actions[-1]
    before = copy(match)
    before.take_back()
    if isinstance(last, Turn) and last.play == () and asks(before) is Asks.PLAY:
        return before.record
    return None


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32))
def test_a_sheet_with_undos_is_the_sheet_without_them(seed: int) -> None:
    chance = random.Random(seed)
    straight, crooked = EntrySheet(), EntrySheet()
    for sheet in (straight, crooked):
        sheet.write("match 5")
    assert straight.match is not None
    for _ in range(80):
        if asks(straight.match) in (Asks.KEEPING, Asks.PLAY):
            break
        wrong = chance.randint(0, 3)
        done = 0
        for _ in range(wrong):
            assert crooked.match is not None
            if asks(crooked.match) is Asks.KEEPING:
                break
            crooked.write(_turn(crooked.match, chance))
            done += 1
        if done:
            crooked.write(f"undo {done}")
        line = _turn(straight.match, chance)
        straight.write(line)
        crooked.write(line)
        assert crooked.record == straight.record


def _turn(match: HandMatch, chance: random.Random) -> str:
    """A whole turn as one line."""
    line = next_entry(match, chance)
    if not line[0].isdigit():
        return line
    ahead = HandMatch(match.record)
    ahead.enter((int(line[0]), int(line[1])))
    return f"{line}: {next_entry(ahead, chance, illegal=0.1)}"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_a_record_with_illegal_plays_is_stored_and_exported_whole(seed: int) -> None:
    record = drawn_match(seed, length=3, illegal=0.1).record
    assert from_json(to_json(record)) == record
    for text, back in (
        (write_sgf(record), read_sgf),
        (write_mat(record), read_mat),
    ):
        (again,) = back(text).matches
        assert [_plain(game) for game in again.games] == [_plain(game) for game in record.games]
        assert [player.name for player in again.players] == ["anna", "ben"]


def _plain(game: Game) -> tuple[object, ...]:
    """The turns and cubes, with marks of illegal plays, but without the words that say why.

    No format has a place for a resignation that is refused; the result tells of the others.
    """
    actions = [
        (turn.seat, tuple(sorted(turn.dice)), sorted(turn.play or ()), bool(turn.illegal))
        if isinstance(turn, Turn)
        else turn
        for turn in game.actions
        if not isinstance(turn, Resignation)
    ]
    return game.score, game.crawford, actions, game.result


def test_the_crawford_game_has_no_cube() -> None:
    match = match_of_3()
    match.enter((3, 1))
    match.resign(2)
    match.answer_resignation(accept=True)
    match.enter((6, 1))
    assert match.game.crawford
    match.put(match.legal_play("13/7 8/7"))
    with pytest.raises(InputError, match="cube"):
        match.double()


def test_an_illegal_play_is_refused_and_then_kept_with_its_reason() -> None:
    match = match_of_3()
    match.enter((3, 1))
    with pytest.raises(InputError, match="8/3"):
        match.legal_play("8/3")
    match.keep((Step(8, 3),))
    turn = match.game.actions[0]
    assert isinstance(turn, Turn)
    assert turn.play == (Step(8, 3),)
    assert "cannot be played with 3 and 1" in turn.illegal
    assert match.replay().position == Position.start().after((Step(8, 3),)).flipped()


def test_a_legal_play_that_is_kept_is_legal_and_part_of_one_is_not() -> None:
    match = match_of_3()
    match.enter((3, 1))
    match.keep((Step(8, 5), Step(6, 5)))
    assert _illegal(match) == ""
    match.enter((6, 5))
    match.keep((Step(24, 18),))
    assert _illegal(match) == "24/18 is not the whole play"
    match.enter((6, 5))
    match.keep(())
    assert _illegal(match) == "nothing is played"


def _illegal(match: HandMatch) -> str:
    turn = match.game.actions[-1]
    assert isinstance(turn, Turn)
    return turn.illegal


def test_nobody_lands_on_a_point_that_is_held() -> None:
    match = match_of_3()
    match.enter((3, 1))
    before = match.record
    with pytest.raises(InputError, match="24/19"):
        match.keep((Step(24, 19),))
    assert match.record == before


def test_the_board_that_a_match_begins_with_is_not_taken_back() -> None:
    board = SetBoard(0, Position.start())
    match = HandMatch(Match(match_between(("a", "b")).players, 5, (Game(actions=(board,)),)))
    assert asks(match) is Asks.ROLL
    match.enter((2, 1))
    match.take_back()
    assert not match.may_take_back
    with pytest.raises(InputError, match="nothing"):
        match.take_back()


def test_either_player_may_resign_and_the_other_answers() -> None:
    match = match_of_3()
    match.enter((3, 1))
    match.resign(1, seat=1)
    assert (asks(match), match.seat) == (Asks.RESIGNATION, 0)
    match.answer_resignation(accept=False)
    assert (asks(match), match.seat) == (Asks.PLAY, 0)
    match.put(match.legal_play("8/5 6/5"))
    match.take_back()  # the roll lies there since before the resignation
    assert match.replay().state.dice == (3, 1)
    assert len(match.game.actions) == 3


def test_a_session_of_money_with_beavers_ends_when_it_is_said() -> None:
    match = HandMatch(match_between(("a", "b"), 0, rules=Rules(jacoby=True, beavers=3)))
    match.enter((3, 1))
    match.put(match.legal_play("8/5 6/5"))
    match.double()
    match.beaver()
    match.beaver()
    match.answer(take=False)
    assert asks(match) is Asks.NEXT_GAME
    match.finish()
    assert asks(match) is Asks.NOTHING
    match.take_back()
    assert asks(match) is Asks.NEXT_GAME


def session_of_money(automatic_doubles: int = 0) -> HandMatch:
    rules = Rules(jacoby=True, automatic_doubles=automatic_doubles)
    return HandMatch(match_between(("a", "b"), 0, rules=rules))


def test_equal_dice_of_the_opening_double_as_often_as_the_rule_says() -> None:
    match = session_of_money(automatic_doubles=2)
    match.enter((3, 3))
    match.enter((5, 5))
    assert (asks(match), match.game.cube, match.game.actions) == (Asks.OPENING, 4, ())
    with pytest.raises(InputError, match="Roll again"):
        match.enter((1, 1))
    match.enter((3, 1))
    assert (match.replay().state.cube, match.replay().state.cube_owner) == (4, None)
    match.resign(1)
    match.answer_resignation(accept=True)
    assert match.record.score == (0, 4)
    match.enter((6, 6))
    assert [game.cube for game in match.record.games] == [4, 2]
    match.enter((3, 1))
    match.take_back()
    assert [game.cube for game in match.record.games] == [4, 2]
    match.take_back()
    assert (asks(match), len(match.record.games)) == (Asks.NEXT_GAME, 1)


def test_equal_dice_double_in_money_with_the_rule_alone() -> None:
    points = Rules(automatic_doubles=1)
    for match in (session_of_money(), HandMatch(match_between(("a", "b"), 3, rules=points))):
        with pytest.raises(InputError, match="Roll again"):
            match.enter((3, 3))
        assert match.game.cube == 1


def test_an_automatic_double_and_its_rule_survive_an_sgf() -> None:
    match = session_of_money(automatic_doubles=1)
    for dice in ((4, 4), (3, 1)):
        match.enter(dice)
    match.put(match.legal_play("8/5 6/5"))
    text = write_sgf(match.record)
    assert "CV[2]" in text  # the property of gnubg
    (again,) = read_sgf(text).matches
    assert (again.rules, again.games) == (match.record.rules, match.record.games)


@pytest.mark.parametrize("words", ["automatic=7", "automatic=0", "automatic automatic=2", "x"])
def test_a_session_has_the_rules_of_its_line_or_is_refused(words: str) -> None:
    with pytest.raises(InputError, match="may follow `money`"):
        EntrySheet().write(f"money {words}")
    sheet = EntrySheet()
    sheet.write("money automatic")
    assert sheet.record.rules == Rules(automatic_doubles=1)
