"""Position ID, Match ID and XGID: the verified triples, round trips, nonsense, and gnubg itself."""

from __future__ import annotations

import json
import random
import re
import string
from binascii import a2b_base64
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime.engine.position import MatchState, Phase, Position
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import (
    BadId,
    StateIds,
    board_integers,
    board_letters,
    match_id,
    position_id,
    read_board_integers,
    read_match_id,
    read_position_id,
    read_xgid,
    xgid,
)
from tests.support.formats.ids import (
    QUIET_GNUBG,
    in_xgid,
    random_match,
    random_position,
    states_for_gnubg,
)
from tests.support.gnubg.program import scripted

# Board as in gnubg's `set board simple`: own bar, points 1..24 (own positive), opponent's bar.
TRIPLES = [
    (
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "4HPwATDgc/ABMA",
        "cInlAAAAAAAE",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
    ),
    (
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "4HPwATDgc/ABMA",
        "cAkAAAAAAAAA",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10",
    ),
    (
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "4HPwATDgc/ABMA",
        "cAkAAAAAAAAE",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:2:0:10",
    ),
    (
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -2 0 -4 -2 0 0 0 2 0",
        "sGfwATDgc/ABMA",
        "cAmzABAAEAAE",
        "XGID=-b----E-C---eE---b-db---B-:0:0:1:64:2:1:0:5:10",
    ),
    (
        "2 0 0 -2 0 0 5 0 3 0 0 0 -2 4 0 0 0 -3 1 -3 -2 -2 0 0 -1 0",
        "sZ2DAQzgc/AgYA",
        "QolqAVAAGAAE",
        "XGID=---b--E-C---bD---cAcbb--aB:2:-1:1:52:3:5:0:11:10",
    ),
    (
        "0 -2 0 0 0 0 5 0 3 0 0 1 -5 4 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "4HPwATDgc+QBMA",
        "8AmgACAAIAAE",
        "XGID=-b----E-C--AeD---c-e----B-:0:0:1:00:4:2:1:5:10",
    ),
    (
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "4HPwATDgc/ABMA",
        "cAmgAEAAGAAE",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:4:0:5:10",
    ),
    (
        "0 0 2 0 3 2 4 0 2 1 0 0 0 0 0 -1 0 0 -2 -4 0 -2 -3 0 -2 0",
        "c/NGAABzexYAAA",
        "UQkgAQAAAAAE",
        "XGID=--B-CBD-BA-----a--bd-bc-b-:1:1:1:00:0:0:0:9:10",
    ),
    (
        "0 1 0 2 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -2 0",
        "CwAAkBEAAAAAAA",
        "UwkbAEAAYAAA",
        "XGID=-A-B--A----------------ab-:3:1:1:66:12:4:3:0:10",
    ),
    (
        "0 2 2 2 2 2 2 0 3 0 0 0 0 0 0 0 0 0 0 0 0 -3 -4 -4 -3 1",
        "994BAEDbtjkAAA",
        "cAkAADAAoAAA",
        "XGID=aBBBBBB-C------------cddc-:0:0:1:00:20:3:1:0:10",
    ),
]


def simple(text: str) -> Position:
    """From the 26 integers; gnubg writes the opponent's bar as a positive number."""
    own_bar, *points, their_bar = map(int, text.split())
    return Position(
        (*(max(n, 0) for n in points), own_bar),
        (*(max(-n, 0) for n in points[::-1]), abs(their_bar)),
    )


@pytest.mark.parametrize(("board", "position_text", "match_text", "xgid_text"), TRIPLES)
def test_the_verified_triples_mean_the_same_both_ways(
    board: str, position_text: str, match_text: str, xgid_text: str
) -> None:
    position = simple(board)
    assert position_id(position) == position_text
    assert read_position_id(position_text) == position
    match = read_match_id(match_text)
    assert match_id(match) == match_text
    from_xgid = read_xgid(xgid_text)
    assert xgid(*from_xgid) == xgid_text
    assert from_xgid == (position, match.with_(beavers=from_xgid[1].beavers))
    assert pasted.read_position(f"{position_text}:{match_text}") == (position, match)


@pytest.mark.parametrize(("board", "position_text"), [triple[:2] for triple in TRIPLES])
def test_the_verified_boards_as_integers_and_letters(board: str, position_text: str) -> None:
    position = read_position_id(position_text)
    assert " ".join(map(str, board_integers(position))) == board
    assert read_board_integers(board) == position
    assert pasted.read_position(board) == (position, None)
    letters = (
        a2b_base64(position_text + "==")
        .hex()
        .translate(str.maketrans("0123456789abcdef", "ABCDEFGHIJKLMNOP"))
    )
    assert pasted.read_position(letters) == (position, None)


@pytest.mark.parametrize(
    ("board", "wrong"),
    [
        ("0 0 1", "3 numbers, not 26"),
        ("-1" + " 0" * 25, "-1 checkers on my bar"),
        ("0 16" + " 0" * 24, "16 is not from -15 to 15"),
        ("0 9 9" + " 0" * 23, "18 checkers, more than 15"),
        ("0" + " 0" * 25, "both sides have borne off all checkers"),
    ],
)
def test_bad_integers_are_told_what_is_wrong_with_them(board: str, wrong: str) -> None:
    with pytest.raises(BadId, match=re.escape(wrong)):
        pasted.read_position(board)


def test_the_worked_match_id_of_the_sheet() -> None:
    assert read_match_id("QYkqASAAIAAE") == MatchState(
        length=9, score=(2, 4), on_roll=1, to_act=1, dice=(5, 2), cube=2, cube_owner=0
    )


def test_an_old_match_id_says_that_jacoby_is_on_but_not_in_match_play() -> None:
    assert read_match_id("cAkAAAAAAAAA").jacoby
    assert not read_match_id("cAkgARAACAAA").jacoby


def test_the_smaller_die_is_written_last() -> None:
    assert read_match_id(match_id(MatchState(dice=(2, 5)))).dice == (5, 2)


def test_a_top_player_on_roll_sees_the_board_from_the_other_side() -> None:
    position = read_position_id("sGfwATDgc/ABMA")
    match = MatchState(length=5, score=(1, 2), on_roll=0, to_act=0, cube=2, cube_owner=0)
    text = xgid(position, match)
    assert text == "XGID=-b---BD-B---eE---c-e----B-:1:-1:-1:00:2:1:0:5:10"
    assert read_xgid(text) == (position, match)


@pytest.mark.patient
def test_100_000_random_positions_and_match_states_come_back() -> None:
    draw = random.Random(1)
    for i in range(100_000):
        position, match = random_position(draw), random_match(draw)
        assert read_position_id(position_id(position)) == position
        assert read_match_id(match_id(match)) == match
        if i % 5 == 0:
            match = in_xgid(match, draw)
            assert read_xgid(xgid(position, match)) == (position, match)


def test_the_ids_of_a_state_with_any_roll_and_board_are_those_of_the_whole() -> None:
    draw = random.Random(51)
    rooms = set()
    for _ in range(5_000):
        position, match = random_position(draw), random_match(draw)
        if draw.random() < 0.5:
            match = in_xgid(match, draw)
        ids, dice = StateIds(match.with_(dice=None)), match.dice
        if dice is not None and draw.random() < 0.5:
            dice = dice[1], dice[0]
        match = match.with_(dice=dice)
        seen = position if match.on_roll == 1 else position.flipped()
        expected = or_none(match_id, match), or_none(xgid, position, match)
        assert (ids.match_id(dice), ids.xgid(board_letters(seen), dice)) == expected
        rooms.add((expected[0] is None, expected[1] is None))
    assert len(rooms) == 2  # a Match ID has room for all of these


def or_none(name: Callable[..., str], *of: object) -> str | None:
    try:
        return name(*of)
    except BadId:
        return None


def nonsense(draw: random.Random) -> str:
    """Any characters, characters of the alphabet, or a good text with a few wrong ones."""
    kind = draw.randrange(4)
    if kind == 0:
        highest = draw.choice((128, 0x11000))
        return "".join(chr(draw.randrange(highest)) for _ in range(draw.randrange(40)))
    if kind == 1:
        alphabet = string.ascii_letters + string.digits + "+/"
        lengths = draw.choice(((14,), (12,), (14, 12)))
        return ":".join("".join(draw.choices(alphabet, k=length)) for length in lengths)
    characters = list(draw.choice(draw.choice(TRIPLES)[1:]))
    for _ in range(draw.randint(1, 3)):
        characters[draw.randrange(len(characters))] = draw.choice(string.printable)
    if draw.random() < 0.2:
        del characters[draw.randrange(len(characters))]
    return "".join(characters)


def test_100_000_random_strings_raise_nothing_but_the_one_error() -> None:
    draw = random.Random(2)
    understood = 0
    for i in range(100_000):
        text = nonsense(draw)
        reader = (pasted.read_position, read_position_id, read_match_id, read_xgid)[i % 4]
        try:
            reader(text)
        except BadId as error:
            assert str(error)
        else:
            understood += 1
    assert 0 < understood < 50_000


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "no position given"),
        ("4HPwATDgc/ABM", "13 characters, not 14"),
        ("4HPwATDgc/AB!A", "'!' is not one of A-Z a-z 0-9 + /"),
        ("4HPwATDgc/ABMA:cAkAAAAAAA", "10 characters, not 12"),
        ("4HPwATDgc/ABM/", "beyond the 80th"),
        ("//8AAAAAAAAAAA", "16 checkers, more than 15"),
        ("4HPwATDgc/ABMA:cAmgAMADAAAE", "a score of 60 in a match to 5"),
        ("4HPwATDgc/ABMA:cAkgCAAAAAAE", "1 to 64 points, not 65"),
        ("4HPwATDgc/ABMA:cIkHAAAAAAAE", "the dice cannot show"),
        ("4HPwATDgc/ABMA:cA0AAAAAAAAE", "no phase 5 of a game"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7", "9 fields between colons, not 10"),
        (
            "XGID=-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:7:10",
            "25 characters of a position, not 26",
        ),
        ("XGID=-b----E-C---eE---c-e----Z-:0:0:1:31:0:0:0:7:10", "'Z' stands for no number"),
        ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "the top player's bar"),
        ("XGID=-b----P-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "more than 15"),
        (
            "XGID=-b----E-C---eE---c-e----B-:13:0:1:31:0:0:0:7:10",
            "the cube: 13 is not from 0 to 12",
        ),
        ("XGID=-b----E-C---eE---c-e----B-:0:2:1:31:0:0:0:7:10", "the cube's owner: 2"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:0:31:0:0:0:7:10", "the turn is 0"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:71:0:0:0:7:10", "not '71'"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:7:0:0:7:10", "a score of 7 in a match to 7"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:2:7:10", "the Crawford mark: 2"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:65:10", "the match length: 65"),
        ("XGID=-b----E-C---eE---c-e----B-:x:0:1:31:0:0:0:7:10", "the cube: 'x' is not a number"),
        ("board:You:them:5:0", "a broken FIBS board"),
    ],
)
def test_a_bad_id_is_told_what_is_wrong_with_it(text: str, wrong: str) -> None:
    with pytest.raises(BadId, match=re.escape(wrong)):
        pasted.read_position(text)


def test_both_sides_on_a_point_are_refused() -> None:
    both = position_id(Position((0,) * 23 + (1, 0), (1,) + (0,) * 24))
    with pytest.raises(BadId, match="both sides stand on point 24"):
        read_position_id(both)


@pytest.mark.parametrize(
    "match",
    [
        MatchState(resigned=2, to_act=0),
        MatchState(phase=Phase.OVER),
        MatchState(doubled=True, on_roll=1, to_act=1),
        MatchState(cube=3),
    ],
)
def test_an_xgid_is_not_written_for_what_it_cannot_say(match: MatchState) -> None:
    with pytest.raises(BadId):
        xgid(Position.start(), match)


def test_what_does_not_fit_into_an_id_is_refused() -> None:
    with pytest.raises(BadId, match="64 points, not 32768"):
        match_id(MatchState(length=1 << 15))
    with pytest.raises(BadId, match="more than 15"):
        position_id(Position((1,) * 16 + (0,) * 9, (0,) * 25, 16))


def test_crawford_is_dropped_where_nobody_is_1_away() -> None:
    for text in (
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:7:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:1:10",
    ):
        assert not read_xgid(text)[1].crawford


# States in, the IDs that gnubg shows for them out.
_ASK = (
    QUIET_GNUBG
    + """
with open("asked") as asked, open("answered", "w") as answered:
    for line in asked:
        gnubg.command(line.strip())
        answered.write(json.dumps([gnubg.positionid(), gnubg.matchid()]) + "\\n")
"""
)


def shown_by_gnubg(folder: Path, commands: list[str]) -> list[list[str]]:
    """Position ID and Match ID after each of these commands."""
    (folder / "asked").write_text("".join(f"{command}\n" for command in commands))
    scripted(_ASK, folder)
    return [json.loads(line) for line in (folder / "answered").read_text().splitlines()]


@pytest.mark.gnubg
def test_gnubg_shows_our_ids_for_our_xgids(tmp_path: Path) -> None:
    # With the top player on roll gnubg would ask whether to swap the players.
    states = [
        (position, match.with_(on_roll=1, to_act=1))
        for position, match in states_for_gnubg(random.Random(3), 300)
    ]
    shown = shown_by_gnubg(tmp_path, [f"set xgid {xgid(*state)}" for state in states])
    assert shown == [[position_id(position), match_id(match)] for position, match in states]


@pytest.mark.gnubg
def test_gnubg_shows_our_ids_for_our_ids(tmp_path: Path) -> None:
    states = states_for_gnubg(random.Random(4), 300)
    ours = [[position_id(position), match_id(match)] for position, match in states]
    assert {match.on_roll for _, match in states} == {0, 1}
    assert shown_by_gnubg(tmp_path, [f"set gnubgid {':'.join(ids)}" for ids in ours]) == ours


def test_the_prefix_of_an_xgid_may_be_small() -> None:
    text = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
    for read in (read_xgid, pasted.read_position):
        assert read(f"xgid={text}") == read(f"XGID={text}")
