"""The report for a terminal: what its analysis cannot make it say."""

from __future__ import annotations

from sixprime.bot.reports.text import report
from sixprime.engine.analysis.values import MatchAnalysis


def test_names_of_a_file_do_not_steer_the_terminal() -> None:
    names = ("an\x1b[2Jna", "b\nen")
    text = report(MatchAnalysis(names, 7, False, 0, (), settings="", level=""), 3)
    assert text.splitlines()[0].split() == ["7", "points", "an?[2Jna", "b", "en"]
    assert "\x1b" not in text
