"""Galaxy's files name the final score where others name the rating."""

from __future__ import annotations

from dataclasses import replace

from sixprime.protocols.formats.mat import read_mat
from sixprime.protocols.formats.recordjson import from_json, to_json

FILE = """; [Site "BackgammonGalaxy"]
; [Player 1 "anna"]
; [Player 2 "ben"]
; [Player 1 Elo "{}"]
; [Player 2 Elo "1612,50/31"]

1 point match

 Game 1
 anna : 0                       ben : 0
  1) 31: 8/5 6/5                 52: 13/8 24/22
"""


def test_a_score_is_no_rating_and_a_rating_is() -> None:
    (match,) = read_mat(FILE.format("7,00/0")).matches
    first, second = match.players
    assert (first.rating_before, first.experience_before) == (None, None)
    assert (second.rating_before, second.experience_before) == (1612.5, 31)


def test_records_of_older_programs_lose_the_score() -> None:
    (match,) = read_mat(FILE.format("7,00/0")).matches
    old = replace(match.players[0], rating_before=7.0, experience_before=0)
    stored = replace(match, players=(old, match.players[1]))
    assert from_json(to_json(stored)) == match
    elsewhere = replace(stored, place="fibs.com")
    assert from_json(to_json(elsewhere)) == elsewhere
