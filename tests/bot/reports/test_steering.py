"""Nothing that people open holds characters that steer, wherever names and comments come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.reports.html import page
from sixprime.bot.reports.plots import plots, tables
from sixprime.bot.reports.text import report
from sixprime.protocols.formats.record import Match
from tests.support.archive.rows import Row, at, stats_of_rows
from tests.support.archive.sample import sample
from tests.support.formats.played import random_match

CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
TURNING = [0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
STEERING = "".join(map(chr, (*CONTROLS, *TURNING)))
NAMES = (f"an{STEERING}na", f"b\x1b[2J\u202een{STEERING}")


def steered(match: Match) -> Match:
    first, second = match.players
    players = replace(first, name=NAMES[0], level=NAMES[1]), replace(second, name=NAMES[1])
    games = tuple(
        replace(game, actions=tuple(replace(action, comment=NAMES[0]) for action in game.actions))
        for game in match.games
    )
    match = replace(match, players=players, games=games, place=NAMES[1], event=NAMES[0])
    return replace(match, round=NAMES[1], annotator=NAMES[0], comment=NAMES[1])


def steers(text: str) -> set[str]:
    return set(STEERING) & set(text) - {"\n"}


def test_reports_do_not_steer() -> None:
    match, analysis = sample()
    evil = replace(analysis, players=NAMES, level=NAMES[0], date=NAMES[1])
    assert steers(page(evil, steered(match))) == set()
    assert steers(report(evil, 3)) == set()


@pytest.mark.parametrize("form", FORMATS)
def test_match_files_do_not_steer(form: str) -> None:
    match = random_match(1)
    text = FORMATS[form].write(steered(match))
    assert steers(text) == set()
    (read,) = FORMATS[form].reading(text).strictly()
    assert len(read.games) == len(match.games)


@pytest.mark.parametrize("name", [*NAMES, "=1+1", "\x00=1+1", " \u202e-1", "\n@x", "\t=x"])
def test_tables_and_charts_do_not_steer_nor_compute(name: str, tmp_path: Path) -> None:
    stats = stats_of_rows(
        tmp_path,
        [Row(1, account=name, opponent=name, level=name, our_rating_after=1.0, ended=at(1, 1))],
    )
    files = {**tables(stats), **plots(stats)}
    for text in files.values():
        assert steers(text) == set()
    cells = [cell for line in files["results.csv"].splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell.lstrip('" ').startswith(("=", "+", "-", "@"))]
