from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import gnubg, references
from sixprime.protocols.formats.ids import read_position_id

TERMINAL = """
Current Position:\r
  0.489 0.100 0.000 - 0.511 0.030 0.001 CL -0.023\r
 [0.011 0.007 0.000 - 0.011 0.009 0.003 CL  0.028] 1r\r
Rollout done. Printing final results.\r
\r
Current Position:\r
  0.490 0.101 0.002 - 0.510 0.031 0.001 CL -0.021\r
 [0.006 0.005 0.001 - 0.006 0.005 0.002 CL  0.017] 1r\r
"""


def test_the_references_are_positions_of_many_kinds_with_sane_chances() -> None:
    found = references.load_references()
    assert len(found) == 21
    assert len({each.kind for each in found}) >= 10
    for each in found:
        position = read_position_id(each.position)
        assert not position.is_over()
        for win, gammon, backgammon, lost, lost_backgammon in (each.ours, each.gnubg):
            noise = 0.002  # a rollout with the luck taken out can end a little outside
            assert 1 + noise >= win >= gammon >= backgammon >= -noise
            assert 1 - win + noise >= lost >= lost_backgammon >= -noise


def test_our_rollouts_and_gnubgs_agree_where_play_is_simple() -> None:
    simple = [
        each for each in references.load_references() if each.kind in ("opening", "holding", "race")
    ]
    assert len(simple) >= 7
    for each in simple:
        assert each.ours == pytest.approx(each.gnubg, abs=0.02), each.name


def test_gnubgs_last_words_are_read_and_an_unfinished_rollout_is_refused() -> None:
    chances, errors = gnubg.printed_chances(TERMINAL)
    assert chances == (0.49, 0.101, 0.002, 0.031, 0.001)
    assert errors == (0.006, 0.005, 0.001, 0.005, 0.002)
    assert gnubg.printed_error(TERMINAL) == 0.017
    for read in (gnubg.printed_chances, gnubg.printed_error):
        with pytest.raises(LabError, match="did not finish"):
            read(TERMINAL.replace("Rollout done", ""))


def test_references_come_back_as_they_were_saved(tmp_path: Path) -> None:
    found = references.load_references()
    references.save_references(found, {"date": "today"}, tmp_path / "some.json")
    assert references.load_references(tmp_path / "some.json") == found
