"""Errors and openings over a collection, rolled out, on a page, and for one player alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.analysis.rollouts import Spot, is_rolled_out, rolled_out
from sixprime.bot.analysis.store import Wanted, keep, packed, unpacked
from sixprime.bot.analysis.worst import LostEquity
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.main import main
from sixprime.bot.reports.text import report
from sixprime.engine.analysis.portion import Only
from sixprime.engine.analysis.values import MatchAnalysis, RolloutResult, What
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import read_position_id, read_xgid
from sixprime.protocols.formats.notation import format_play
from tests.support.archive.collected import MATCHES, SETTINGS, analyses, archive
from tests.support.archive.imported import add
from tests.support.archive.told import settings_in

__all__ = ["analyses", "archive"]  # fixtures
LITTLE = RolloutSettings(trials=36, truncate=2)


def said(archive: Archive, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    database = str(archive.settings.database)
    assert main(["archive", *words, "--json", "--database", database]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_error_of_the_collection_is_counted_once_and_the_worst_are_named(
    archive: Archive, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    archive.close()
    told = said(archive, capsys, "errors", "--most", "7")
    every = [error for analysis in analyses for error in analysis.errors()]
    assert sum(kind["errors"] for kind in told["kinds"]) == len(every)
    given = -sum(error.verdict.error for error in every)
    assert sum(kind["given"] for kind in told["kinds"]) == pytest.approx(given)
    assert [each["given"] for each in told["worst"]] == pytest.approx(
        sorted((-error.verdict.error for error in every), reverse=True)[:7]
    )
    for each in told["worst"]:
        analysis = analyses[each["match"] - 1]
        turn = analysis.games[each["game"] - 1].turns[each["turn"] - 1]
        named, xgid = each["ids"]
        assert read_position_id(named.split(":")[0]) == turn.position
        position, state = read_xgid(xgid)
        assert position == turn.position
        assert state.dice == (turn.dice if each["what"] == "play" else None)


def test_a_players_errors_are_that_seats(
    archive: Archive, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    archive.close()
    name = analyses[0].players[1]
    told = said(archive, capsys, "errors", "--player", name, "--most", "0")
    mine = [
        error for analysis in analyses for error in analysis.errors()
        if analysis.players[error.seat] == name
    ]  # fmt: skip
    assert mine
    assert sum(kind["errors"] for kind in told["kinds"]) == len(mine)
    book = said(archive, capsys, "openings", "--player", name)["plays"]
    own = Counter(
        (f"{max(turn.dice)}{min(turn.dice)}", format_play(turn.position, turn.move.played))
        for analysis in analyses
        for turn in first_turns(analysis)
        if analysis.players[turn.seat] == name
    )
    assert {(each["roll"], each["play"]): each["times"] for each in book} == own


def first_turns(analysis: MatchAnalysis) -> Iterator[Any]:
    return (game.turns[0] for game in analysis.games)


def test_first_rolls_are_counted(
    archive: Archive, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    archive.close()
    book = said(archive, capsys, "openings")["plays"]
    turns = [turn for analysis in analyses for turn in first_turns(analysis)]
    assert sum(each["times"] for each in book) == len(turns)
    assert sum(each["given"] for each in book) == pytest.approx(
        -sum(turn.move.verdict.error for turn in turns)
    )
    assert all(each["roll"][0] > each["roll"][1] for each in book)
    costs = [
        sum(play["given"] for play in plays)
        for _, plays in groupby(book, key=lambda play: play["roll"])
    ]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("most", [0, 4, 25, 10_000])
def test_the_worst_are_shown_and_no_others(
    most: int,
    archive: Archive,
    analyses: list[MatchAnalysis],
    capsys: pytest.CaptureFixture[str],
) -> None:
    archive.close()
    shown = said(archive, capsys, "errors", "--most", str(most))["worst"]
    all_errors = sorted(
        (error.verdict.error, match_id, error.game, error.turn, error.what.value)
        for match_id, analysis in enumerate(analyses, start=1)
        for error in analysis.errors()
    )
    places = [
        (-each["given"], each["match"], each["game"] - 1, each["turn"] - 1, each["what"])
        for each in shown
    ]
    assert places == all_errors[:most]


def test_two_errors_of_one_turn_are_two_errors(analyses: list[MatchAnalysis]) -> None:
    analysis = analyses[0]
    error = analysis.errors()[0]
    same = replace(error, what=What.DOUBLE if error.what is What.PLAY else What.PLAY)
    losses = LostEquity(10)
    for each in (error, same):
        losses._remember(1, each)
    assert {lost.error for lost in losses.worst()} == {error, same}


def test_what_is_rolled_out_is_judged_by_the_rollout(analyses: list[MatchAnalysis]) -> None:
    analysis = analyses[0]
    errors = analysis.errors()
    chosen = [
        next(each for each in errors if each.what is what) for what in (What.PLAY, What.DOUBLE)
    ]
    found = rolled_out(analysis, map(Spot.of_error, chosen), load_brain(), LITTLE)
    for error in chosen:
        assert is_rolled_out(found, error)
        assert not is_rolled_out(analysis, error)
        turn = found.games[error.game].turns[error.turn]
        if error.what is What.PLAY:
            assert turn.move is not None
            worths = [each.equity for each in turn.move.candidates]
            assert worths == sorted(worths, reverse=True)
            assert turn.move.chosen is not None
            assert turn.move.candidates[turn.move.chosen].play == turn.move.played
            assert turn.move.verdict.error == worths[turn.move.chosen] - worths[0]
        else:
            assert turn.cube_analysis is not None
            assert isinstance(turn.cube_analysis.by, RolloutResult)
    before, after = analysis.statistics, found.statistics
    assert [each.decisions for each in after] == [each.decisions for each in before]
    assert [each.luck for each in after] == [each.luck for each in before]
    total = sum(each.errors.emg for each in after)
    assert total == pytest.approx(sum(error.verdict.error for error in found.errors()))
    assert unpacked(packed(found).body) == found
    assert "36 trials, ±" in report(found, 10_000)


def test_a_report_of_one_player_game_and_turn(analyses: list[MatchAnalysis]) -> None:
    analysis = analyses[0]
    worst = analysis.errors()[0]
    only = Only(analysis.players[worst.seat], worst.game + 1, worst.turn + 1)
    assert [(each.game, each.turn) for each in only.errors_of(analysis)] == [
        (worst.game, worst.turn)
    ]
    shown = report(analysis, 99, only)
    assert shown.count("gives away") == 1
    assert "XGID=" in shown
    tables = report(analysis, 0, by_game=True)
    assert tables.count("Checker play") == len(analysis.games)
    assert [int(n) for n in re.findall(r"^Game (\d+) at", tables, re.MULTILINE)] == list(
        range(1, len(analysis.games) + 1)
    )


def test_the_page_holds_the_errors_and_nothing_from_the_wire_as_markup(
    tmp_path: Path, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    evil = replace(analyses[0], players=("<script>alert(1)</script>", analyses[0].players[1]))
    archive = Archive(settings_in(tmp_path))
    with closing(archive):
        key = add(archive, MATCHES[0])
        assert key is not None
        keep(archive, SETTINGS.key, [(Wanted(key, 0), packed(evil))])
    out = tmp_path / "worst.html"
    said(archive, capsys, "errors", "--most", "3", "--html", str(out))
    page = out.read_text()
    assert page.count("<article") == 3
    assert page.count("XGID=") == 3
    assert "<script>alert" not in page


def test_without_analyses_it_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Archive(settings_in(tmp_path))) as archive:
        add(archive, MATCHES[0])
    for verb in ("errors", "openings"):
        assert main(["archive", verb, "--database", str(archive.settings.database)]) == 2
        assert "nothing is analysed yet: sixprime archive analyse" in capsys.readouterr().err
