"""Exchanged seats: gnubg's `swap players` is the oracle, and twice is not at all."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.archive.matchfiles import FORMATS, read_file
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import (
    CannotCarry,
    Game,
    Match,
    Player,
    SetBoard,
    Statistics,
    match_between,
    turned,
)
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import oracle
from tests.support.formats.played import MATCHES, random_match
from tests.support.places import INTEROP

RATED = Player("anna", 1700.5, 1702.0, 12, 13), Player("ben", 1500.0, 1498.5, 400, 401, "expert")


def summed(match: Match, seed: int) -> Match:
    """The match with ratings, comments and statistics of its games."""
    draw = random.Random(seed)
    rows = [tuple(float(draw.randint(0, 99)) for _ in range(size)) for size in (16, 44, 14)]
    games = tuple(
        replace(game, statistics=Statistics(*rows), comment=f"game {number}")
        for number, game in enumerate(match.games)
    )
    return replace(match, players=RATED, games=games, comment="a match")


@given(MATCHES, st.integers(0, 99))
def test_seats_exchanged_twice_are_the_same_match(match: Match, seed: int) -> None:
    match = summed(match, seed)
    other = turned(match)
    assert turned(other) == match
    assert other.players == match.players[::-1]
    assert other.score == match.score[::-1]
    for mine, theirs in zip(match.games, other.games, strict=True):
        pairs = zip(moments(match, mine), moments(other, theirs), strict=True)
        for before, after in list(pairs)[1:]:  # nobody is on roll before the first
            assert after.position == before.position  # the player on roll sees the same
            assert after.state.on_roll == 1 - before.state.on_roll
            assert after.state.score == before.state.score[::-1]


@given(MATCHES)
def test_files_with_seats_exchanged_twice_are_the_same_file(match: Match) -> None:
    match = replace(match, players=RATED)  # a column of .mat cuts long names
    for form in FORMATS.values():
        try:
            once, other = form.write(match), form.write(turned(match))
        except CannotCarry:
            continue
        (again,), (back,) = form.reading(once).matches, form.reading(other).matches
        assert form.write(turned(back)) == form.write(again)  # plays are sorted, once read


@pytest.mark.slow
def test_all_matches_of_people_exchanged_twice_are_the_same_files() -> None:
    folder = Path("/work/data/human")
    if not folder.is_dir():
        pytest.skip("needs the matches of people")
    for path in sorted(folder.iterdir()):
        for match in read_file(path).matches:
            assert turned(turned(match)) == match
            match = replace(match, players=RATED)  # files name a nameless player by the seat
            for form in FORMATS.values():
                (back,) = form.reading(form.write(turned(match))).matches
                assert form.write(turned(back)) == form.write(match), path


def test_a_board_set_by_hand_and_a_turned_cube_change_seats() -> None:
    board = SetBoard(0, Position.start(), cube=4, cube_owner=0)
    game = Game(score=(2, 0), actions=(board,))
    (other,) = turned(match_between(("anna", "ben"), 5, games=(game,))).games
    assert other.actions == (replace(board, on_roll=1, cube_owner=1),)
    assert other.score == (0, 2)


def facts_of(text: str) -> str:
    """An SGF less its program, in which rounded sums of two programs are equal."""
    text = re.sub(r"AP\[[^]]*\]|\n", "", text)
    return re.sub(r"(\d\.\d{4})\d+", r"\1", text).replace(";", "\n;")


@pytest.mark.gnubg
def test_gnubg_exchanges_the_same(tmp_path: Path) -> None:
    names = {each: (INTEROP / f"{each}.sgf").read_text() for each in ("money-analysed", "rollouts")}
    for seed in range(6):
        rated = Player("anna", 1600.0), Player("ben", 1750.0)
        match = random_match(seed, interruptions=False)
        names[str(seed)] = sgf.write_sgf(replace(match, players=rated))
    commands = ""
    for name, text in names.items():
        (tmp_path / f"{name}.sgf").write_text(text)
        commands += f"load match {name}.sgf\nsave match {name}-0.sgf\n"
        commands += f"swap players\nsave match {name}-1.sgf\n"
    oracle.gnubg(commands, tmp_path)
    for name in names:
        (mine,) = sgf.read_sgf((tmp_path / f"{name}-0.sgf").read_text()).matches
        theirs = (tmp_path / f"{name}-1.sgf").read_text()
        (again,) = sgf.read_sgf(theirs).matches
        assert facts_of(sgf.write_sgf(turned(mine))) == facts_of(sgf.write_sgf(again)), name
