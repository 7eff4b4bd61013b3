"""XG's text exports: in every language the XGID, the numbers and the plays are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.protocols import readers
from sixprime.protocols.formats.ids import read_xgid
from sixprime.protocols.formats.record import BadMatchFile, SetBoard, Turn
from tests.support.formats.xgtext import LANGUAGES, PLAY_ID, cube_export, play_export


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_roll_keeps_its_candidates(language: str, encoding: str) -> None:
    reading = readers.read_match_file("position.txt", play_export(language, encoding))
    assert reading.what == "a text export of XG"
    assert not reading.remarks
    (match,) = reading.matches
    assert [player.name for player in match.players] == ["Ben the 2nd", "Zoë"]
    board, turn = match.games[0].actions
    assert isinstance(board, SetBoard)
    assert isinstance(turn, Turn)
    assert board.position == read_xgid(PLAY_ID)[0]
    assert (turn.dice, turn.play) == ((3, 1), None)
    assert turn.analysis is not None
    first, second = turn.analysis.candidates
    assert (first.play, first.equity) == (((8, 5), (6, 5)), 0.175)
    assert first.probabilities == (0.5512, 0.1725, 0.0101, 0.125, 0.0049)
    assert isinstance(first.by, RolloutResult)
    assert first.by.settings == "XG Roller++"
    assert (second.play, second.equity) == (((24, 23), (13, 10)), -0.012)
    assert second.by == EvalContext(3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cube_decision_is_told_on_the_board(language: str) -> None:
    (match,) = readers.read_match_file("position.txt", cube_export(language)).matches
    (board,) = match.games[0].actions
    assert isinstance(board, SetBoard)
    assert (board.cube, board.cube_owner, board.on_roll) == (4, 0, 0)
    assert board.comment == "XG: no double +0.483, double/take -0.511, double/pass +1.000"


def test_a_file_of_several_positions_gives_each_and_says_what_it_could_not_read() -> None:
    data = play_export("French") + cube_export("German").replace(b":11:10", b":99:10")
    data += cube_export("English")
    reading = readers.read_match_file("positions.txt", data)
    assert [match.length for match in reading.matches] == [5, 11]
    (remark,) = reading.remarks
    assert remark.line == 19
    assert "XGID" in remark.text


def test_words_for_the_bar_and_for_off_are_told_by_their_place() -> None:
    entering = play_export("German").replace(
        PLAY_ID.encode(), b"XGID=-b----E-C---eE---c-e----AA:0:0:1:31:2:1:0:5:10"
    )
    entering = entering.replace(b"8/5 6/5", b"Balken/22* 8/7").replace(
        b"24/23 13/10", b"Balken/24 6/3"
    )
    (match,) = readers.read_match_file("a.txt", entering).matches
    turn = match.games[0].actions[-1]
    assert isinstance(turn, Turn)
    assert turn.analysis is not None
    assert [each.play for each in turn.analysis.candidates] == [
        ((25, 22), (8, 7)),
        ((25, 24), (6, 3)),
    ]


@given(st.binary(max_size=40), st.integers(0, 900), st.sampled_from(list(LANGUAGES)))
@settings(max_examples=200)
def test_damage_costs_a_remark_or_a_line(noise: bytes, at: int, language: str) -> None:
    data = play_export(language) + cube_export(language)
    data = data[:at] + noise + data[at + len(noise) // 2 :]
    try:
        readers.read_match_file("a.txt", data)
    except BadMatchFile as error:
        assert "\n" not in str(error)
