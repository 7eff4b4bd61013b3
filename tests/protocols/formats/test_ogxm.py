"""OGXM through its reference codec: what a file holds is our match, and our match is a file."""

from __future__ import annotations

import random
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.cli.main import main
from sixprime.protocols import readers
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import BadMatchFile, CannotCarry, Cube, CubeStep, SetBoard
from sixprime.protocols.formats.xg import ogxm
from tests.support.formats.played import random_match
from tests.support.places import INTEROP

codec = pytest.importorskip("ogxm", reason="needs the extra `xg`, which Linux on x86-64 has")

WHITE_31: dict[str, Any] = {
    "color": 1, "action_id": 2, "d1": 1, "d2": 3,
    "moves": [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}],
}  # fmt: skip


def told(games: list[dict[str, Any]], **more: Any) -> bytes:
    """A file by the codec from a document that is not ours."""
    document = {
        "match_length": 7, "player_white": "Zoë", "player_black": "ben", "crawford": True,
        "games": games, **more,
    }  # fmt: skip
    return bytes(codec.json_to_binary(document))


@pytest.mark.parametrize("seed", range(30))
def test_a_match_is_read_back_or_refused(seed: int) -> None:
    match = random_match(seed, interruptions=False)
    try:
        data = ogxm.write_ogxm(match)
    except CannotCarry as error:
        assert "Cube" in str(error)
        steps = [a.step for g in match.games for a in g.actions if isinstance(a, Cube)]
        assert CubeStep.BEAVER in steps
        return
    assert codec.v2_problem(codec.binary_to_json(data)) is None
    reading = readers.read_match_file("a.ogxm", data)
    assert not reading.remarks
    assert digest_of(reading.matches[0]) == digest_of(match)


def test_points_run_from_each_side() -> None:
    (match,) = readers.read_match_file("a.ogxm", told([{"plies": [WHITE_31]}])).matches
    assert [player.name for player in match.players] == ["Zoë", "ben"]
    (turn,) = match.games[0].actions
    assert (turn.seat, turn.play) == (0, ((8, 5), (6, 5)))  # type: ignore[union-attr]


def test_a_resigned_match_and_scores_are_told() -> None:
    plies = [WHITE_31, {"color": 0, "action_id": 28}]
    game = {"winner": 0, "points_won": 1, "plies": plies}
    data = told([game], white_score_start=6, black_score_start=2, event="Open")
    (match,) = readers.read_match_file("a.ogxm", data).matches
    assert (match.score, match.winner, match.event) == ((7, 2), 0, "Open")


def test_an_unknown_action_ends_the_game_with_a_remark() -> None:
    plies = [WHITE_31, {"color": 0, "action_id": 21}, {"color": 1, "action_id": 29}]
    data = told([{"plies": plies}], match_length=0, crawford=False)
    reading = readers.read_match_file("a.ogxm", data)
    assert len(reading.matches[0].games[0].actions) == 2
    (remark,) = reading.remarks
    assert "game 1, ply 3" in remark.text


def test_a_board_that_is_not_the_usual_one_is_set() -> None:
    board = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 1, 1, 0]
    reading = readers.read_match_file("a.ogxm", told([{"initial_board": board, "plies": []}]))
    (action,) = reading.matches[0].games[0].actions
    assert isinstance(action, SetBoard)
    mine = {point + 1: count for point, count in enumerate(action.position.mine) if count}
    assert mine == {1: 1, 2: 1, 12: 5, 17: 3, 19: 5}  # White comes from the other side


def test_without_the_codec_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = told([{"plies": [WHITE_31]}])
    monkeypatch.setitem(sys.modules, "ogxm", None)
    with pytest.raises(BadMatchFile, match=r"pip install 'sixprime\[xg\]'"):
        readers.read_match_file("a.ogxm", data)
    with pytest.raises(CannotCarry, match=r"pip install 'sixprime\[xg\]'"):
        ogxm.write_ogxm(random_match(1, interruptions=False))


def test_convert_goes_there_and_back(tmp_path: Path) -> None:
    source = INTEROP / "external-match-3pt.mat"
    there, back = tmp_path / "a.ogxm", tmp_path / "b.mat"
    assert main(["convert", str(source), str(there)]) == 0
    assert main(["convert", str(there), str(back)]) == 0
    (one,), (other,) = (
        mat.read_mat(source.read_text()).strictly(),
        mat.read_mat(back.read_text()).strictly(),
    )
    assert digest_of(one) == digest_of(other)


@given(st.integers(0, 10**9))
@settings(max_examples=100)
def test_damage_is_a_line_even_with_a_right_checksum(seed: int) -> None:
    draw = random.Random(seed)
    data = bytearray(told([{"plies": [WHITE_31, {"color": 0, "action_id": 21}]}], checksum="crc32"))
    at = data.rindex(b"CSUM")
    for _ in range(draw.randint(1, 5)):
        data[draw.randrange(4, at)] = draw.randrange(256)
    data[-8:-4] = zlib.crc32(bytes(data[:at])).to_bytes(4, "little")
    try:
        readers.read_match_file("a.ogxm", bytes(data))
    except BadMatchFile as error:
        assert "\n" not in str(error)
