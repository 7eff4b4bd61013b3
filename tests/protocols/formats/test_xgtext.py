"""XG's text exports: in every language the XGID, the numbers and the plays are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.protocols import readers
from sixprime.protocols.formats.ids import read_xgid
from sixprime.protocols.formats.record import BadMatchFile, SetBoard, Turn

BOARD = " +13-14-15-16-17-18------19-20-21-22-23-24-+\n |   | X | O |\n"
PLAY_ID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
CUBE_ID = "XGID=---b--E-C---bD---cAcbb--aB:2:-1:-1:00:3:5:0:11:10"
# the words that differ: a line of score, plies, equity, chances; three cube actions
LANGUAGES = {
    "English": (
        "Score is X:2 O:1 5 pt.(s) match.", "ply", "eq", "Player:", "Opponent:",
        ("No redouble:", "Redouble/Take:", "Redouble/Pass:"),
    ),
    "German": (
        "Punktzahl ist  X:2 O:1 5 Pkt (e) match.", "ply", "eq", "Spieler:", "Gegner:",
        ("Nicht Redoppeln:", "Redoppeln/Annehmen:", "Redoppeln/Ablehnen:"),
    ),
    "French": (
        "Le score est X:2 O:1 match en 5 pt(s)", "plis", "éq", "Joueur:", "Adversaire:",
        ("Pas de redouble:", "Redouble/Prend:", "Redouble/Passe:"),
    ),
    "Japanese": (
        "Score is X:2 O:1 5 pt.(s) match.", "ply", "eq", "プレーヤー:", "対戦相手:",
        ("ノーリダブル:", "リダブル/テイク:", "リダブル/パス:"),
    ),
}  # fmt: skip


def play_export(language: str, encoding: str = "utf-8") -> bytes:
    score, ply, eq, mine, theirs, _ = LANGUAGES[language]
    text = f"""{PLAY_ID}

X:Zoë   O:Ben the 2nd
{score}
{BOARD}
X 31

    1. XG Roller++ 8/5 6/5                      {eq}:+0.175
      {mine} 55.12% (G:17.25% B:1.01%)
      {theirs} 44.88% (G:12.50% B:0.49%)

    2. 4-{ply}       24/23 13/10                  {eq}:-0.012 (-0.187)
      {mine} 51.00% (G:14.00% B:0.75%)
      {theirs} 49.00% (G:13.25% B:0.50%)

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""
    return text.replace("\n", "\r\n").encode(encoding)


def cube_export(language: str) -> bytes:
    actions = LANGUAGES[language][-1]
    return f"""{CUBE_ID}

X:Zoë   O:Ben
{BOARD}
 71.13% (G:0.00% B:0.00%)
 28.87% (G:0.00% B:0.00%)

 : {actions[0].rstrip(":")}=+0.423, =+0.602

       {actions[0]} +0.483
       {actions[1]} -0.511 (-0.995)
       {actions[2]} +1.000 (+0.517)
""".encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_roll_keeps_its_candidates(language: str, encoding: str) -> None:
    reading = readers.read("position.txt", play_export(language, encoding))
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
    (match,) = readers.read("position.txt", cube_export(language)).matches
    (board,) = match.games[0].actions
    assert isinstance(board, SetBoard)
    assert (board.cube, board.cube_owner, board.on_roll) == (4, 0, 0)
    assert board.comment == "XG: no double +0.483, double/take -0.511, double/pass +1.000"


def test_a_file_of_several_positions_gives_each_and_says_what_it_could_not_read() -> None:
    data = play_export("French") + cube_export("German").replace(b":11:10", b":99:10")
    data += cube_export("English")
    reading = readers.read("positions.txt", data)
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
    (match,) = readers.read("a.txt", entering).matches
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
        readers.read("a.txt", data)
    except BadMatchFile as error:
        assert "\n" not in str(error)
