"""XG's own files: the same match as in other formats, with XG's analysis; damage costs a remark."""

from __future__ import annotations

import datetime as dt
import random
import struct
import zlib
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.archive.fingerprint import digest_of
from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.engine.position import Position, Step
from sixprime.protocols import readers
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import BadMatchFile, Cube, Match, Player, SetBoard, Turn
from sixprime.protocols.formats.recordjson import from_json, to_json
from sixprime.protocols.formats.replay import Moment, moments
from sixprime.protocols.formats.sgf import match as sgf
from sixprime.protocols.formats.xg.rtf import plain
from tests.support.formats import xgfiles
from tests.support.formats.played import random_match
from tests.support.formats.thoughts import thoughts
from tests.support.formats.xgfiles import Said
from tests.support.gnubg.matches import HUMANS, QUIET
from tests.support.gnubg.program import typed
from tests.support.places import INTEROP

COMMENTS = (
    rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 tr\'e8s difficile\par" b"\x01\x02" rb"}" b"\r\n"
    rb"{\rtf1 never \b hit\b0  loose \{here\}}" b"\r\n"
)  # fmt: skip


def written_by_gnubg() -> Match:
    (match,) = mat.read_mat((INTEROP / "external-match-3pt.mat").read_text()).strictly()
    return replace(match, date=dt.date(2025, 11, 8))


def read(data: bytes) -> Match:
    reading = readers.read_match_file("match.xg", data)
    assert not reading.remarks
    (match,) = reading.matches
    return match


def test_an_xg_file_is_the_match_that_other_formats_tell() -> None:
    match = written_by_gnubg()
    found = read(xgfiles.match_file(match, {}))
    assert [game.actions for game in found.games] == [game.actions for game in match.games]
    assert [game.result for game in found.games] == [game.result for game in match.games]
    assert (found.players, found.length, found.date) == (match.players, match.length, match.date)


@pytest.mark.parametrize("seed", range(20))
def test_any_match_keeps_its_plays_cubes_and_results(seed: int) -> None:
    match = random_match(seed, interruptions=False)
    found = read(xgfiles.match_file(match, {}))
    assert digest_of(found) == digest_of(match)
    for one, other in zip(found.games, match.games, strict=True):
        assert (one.score, one.crawford, one.result) == (other.score, other.crawford, other.result)


def test_what_xg_thought_of_every_decision_is_kept() -> None:
    match = written_by_gnubg()
    found = read(xgfiles.match_file(match, thoughts(match)))
    assert found.annotator == "eXtreme Gammon"
    for number, game in enumerate(found.games):
        for index, (action, position, _) in enumerate(moments(found, game)):
            if not isinstance(action, Turn) or action.play is None:
                continue
            analysis = action.analysis
            assert analysis is not None
            assert analysis.luck == (index % 5) / 8, (number, index)
            assert [each.equity for each in analysis.candidates] == [0.25, 0.1875, 0.125][
                : len(analysis.candidates)
            ]
            assert analysis.chosen is not None
            chosen = analysis.candidates[analysis.chosen]
            assert position.after(chosen.play) == position.after(action.play)
            assert chosen.probabilities == (0.5, 0.125, 0.015625, 0.25, 0.03125)
            first = analysis.candidates[0].by
            assert isinstance(first, RolloutResult)
            assert first.settings == "XG Roller++"
            assert analysis.candidates[-1].by in (first, EvalContext(3), EvalContext(1))
            assert (analysis.cube is not None) == bool(index)
    again = from_json(to_json(found))
    assert again == found


def test_a_double_carries_its_analysis_in_match_winning_chances() -> None:
    match = random_match(5, interruptions=False)
    assert match.length
    found = read(xgfiles.match_file(match, thoughts(match)))
    worths = [
        action.analysis.cube
        for game in found.games
        for action in game.actions
        if isinstance(action, Cube) and action.analysis is not None
    ]
    assert worths
    for worth in worths:
        assert worth is not None
        assert 0 < worth.no_double[6] < worth.double_take[6] < 1
        assert worth.no_double[:5] == (0.625, 0.25, 0.02, 0.125, 0.01)


@pytest.mark.gnubg
def test_gnubg_adds_up_the_errors_that_xg_found(tmp_path: Path) -> None:
    match = written_by_gnubg()
    found = read(xgfiles.match_file(match, thoughts(match)))
    (tmp_path / "xg.sgf").write_text(sgf.write_sgf(found))
    typed(f"{QUIET}{HUMANS}load match xg.sgf\nsave match again.sgf\ny\n", tmp_path)
    (again,) = sgf.read_sgf((tmp_path / "again.sgf").read_text()).strictly()
    for one, other in zip(again.games, found.games, strict=True):
        turns = [[each for each in game.actions if isinstance(each, Turn)] for game in (one, other)]
        for theirs, ours in zip(*turns, strict=True):
            if theirs.analysis is None or ours.analysis is None:
                continue
            seen, said = theirs.analysis, ours.analysis
            assert [each.equity for each in seen.candidates] == pytest.approx(
                [each.equity for each in said.candidates]
            )
            assert seen.chosen == said.chosen
            assert seen.luck == pytest.approx(said.luck)
            if said.cube is not None:
                assert seen.cube is not None
                assert seen.cube.no_double == pytest.approx(said.cube.no_double, abs=1e-5)


def test_names_ratings_place_event_and_comments_come_along() -> None:
    match = replace(
        written_by_gnubg(),
        players=(Player("Kévin", 1712.5, 1718.25, 340), Player("Ōta")),
        event="Open de Paris",
        place="Café Jussieu",
        round="Tableau d'or",
    )
    found = read(
        xgfiles.match_file(match, {(0, 0): Said(comment=0), (0, 2): Said(comment=1)}, COMMENTS)
    )
    assert found.players == match.players
    assert (found.event, found.place, found.round) == (match.event, match.place, match.round)
    notes = [action.comment for game in found.games for action in game.actions if action.comment]
    assert notes == ["très difficile", "never hit loose {here}"]


def test_a_saved_position_is_a_game_that_begins_with_its_board() -> None:
    match = written_by_gnubg()
    seen = list(moments(match, max(match.games, key=lambda game: len(game.actions))))
    moment = next(m for m in seen[6:] if isinstance(m.action, Turn))
    turn = moment.action
    assert isinstance(turn, Turn)
    unplayed = moment._replace(action=replace(turn, play=None))
    records = [
        xgfiles.head_record(match),
        xgfiles.game_record(match.games[0], Position.start()),
        xgfiles.cube_record(unplayed, Said()),
        xgfiles.move_record(unplayed, Said()),
    ]
    reading = readers.read_match_file("a.xgp", xgfiles.file_of(records))
    (game,) = reading.matches[0].games
    board, rolled = game.actions
    assert isinstance(board, SetBoard)
    assert (board.on_roll, board.position) == (turn.seat, moment.position)
    assert rolled == Turn(turn.seat, turn.dice)


def test_what_the_rules_forbid_stands_as_illegal_with_its_record() -> None:
    match = written_by_gnubg()
    (first, *_) = moments(match, match.games[0])
    turn = first.action
    assert isinstance(turn, Turn)
    wrong = Moment(replace(turn, play=(Step(13, 5),)), first.position, first.state)
    records = [
        xgfiles.head_record(match),
        xgfiles.game_record(match.games[0], Position.start()),
        xgfiles.move_record(wrong, Said()),
    ]
    reading = readers.read_match_file("a.xg", xgfiles.file_of(records))
    (action,) = reading.matches[0].games[0].actions
    assert isinstance(action, Turn)
    assert "13/5" in action.illegal
    (remark,) = reading.remarks
    assert "game 1, record 2: illegal" in remark.text


def test_a_board_set_in_between_is_remarked_on_and_the_game_goes_on() -> None:
    match = written_by_gnubg()
    seen = list(moments(match, match.games[0]))
    kept = [moment for moment in (seen[0], *seen[3:]) if isinstance(moment.action, Turn)]
    records = [
        xgfiles.head_record(match),
        xgfiles.game_record(match.games[0], Position.start()),
        *(xgfiles.move_record(moment, Said()) for moment in kept),
    ]
    reading = readers.read_match_file("a.xg", xgfiles.file_of(records))
    actions = reading.matches[0].games[0].actions
    assert [a for a in actions if isinstance(a, Turn)] == [moment.action for moment in kept]
    assert isinstance(actions[1], SetBoard)
    (remark,) = reading.remarks
    assert "game 1, record 3: the board was set by hand" in remark.text


# -- damage


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"RGMH", "no match can be unpacked"),
        (b"RGMH" + bytes(9000), "no match can be unpacked"),
        (xgfiles.file_of([bytes(100)]), "does not begin with a match"),
        (xgfiles.file_of([bytes(2560)]), "the header of the match is damaged"),
    ],
)
def test_a_file_without_a_match_is_refused_in_a_line(data: bytes, why: str) -> None:
    with pytest.raises(BadMatchFile, match=f"^[^\n]*{why}[^\n]*\\(read as an eXtreme Gammon file"):
        readers.read_match_file("a.xg", data)


def test_a_bomb_is_not_unpacked() -> None:
    machine = zlib.compressobj(9)
    bomb = b"".join(machine.compress(bytes(1 << 20)) for _ in range(80)) + machine.flush()
    head = struct.pack("<4siiqi", b"RGMH", 1, 8232, 0, 0).ljust(8232, b"\0")
    with pytest.raises(BadMatchFile, match="more than 33,554,432 bytes unpacked"):
        readers.read_match_file("a.xg", head + bomb)


def test_a_file_cut_anywhere_keeps_what_was_there() -> None:
    match = written_by_gnubg()
    whole = xgfiles.match_file(match, thoughts(match))
    lengths = []
    for end in range(len(whole) // 2, len(whole), 997):
        reading = readers.read_match_file("a.xg", whole[:end])
        assert reading.remarks
        lengths.append(sum(len(game.actions) for game in reading.matches[0].games))
    assert all(one <= other for one, other in pairwise(lengths))
    without_index = readers.read_match_file("a.xg", whole[:-36]).matches[0]
    assert digest_of(without_index) == digest_of(match)


@cache
def content_of(seed: int) -> bytes:
    match = random_match(seed, interruptions=False)
    match = replace(match, games=match.games[:2])
    records = xgfiles.game_records(match, thoughts(match))
    return b"".join([xgfiles.head_record(match), *records])


def damaged(seed: int) -> bytes:
    draw = random.Random(seed)
    content = bytearray(content_of(seed % 20))
    for _ in range(draw.randint(1, 30)):
        record = draw.randrange(max(len(content) // 2560, 1))
        at = record * 2560 + draw.choice([draw.randrange(140), draw.randrange(2560), 8, 12, 64])
        content[at] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
    data = bytearray(xgfiles.file_of([bytes(content)]))
    for _ in range(draw.choice([0, 0, 0, 1, 5])):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data[: draw.choice([len(data), len(data), draw.randrange(len(data))])])


def check_damaged(seed: int) -> None:
    try:
        reading = readers.read_match_file("a.xg", damaged(seed))
    except BadMatchFile as error:
        assert "\n" not in str(error)
        return
    (match,) = reading.matches
    assert from_json(to_json(match)) == match
    for game in match.games:
        for _ in moments(match, game):
            pass


@given(st.integers(0, 10**9))
@settings(max_examples=60)
def test_damage_costs_a_remark_or_a_line(seed: int) -> None:
    check_damaged(seed)


@given(st.text(alphabet=r"{}\'ue8* par5-fontbl;éx ", max_size=60))
def test_any_rtf_is_some_text(text: str) -> None:
    plain(text).encode()
