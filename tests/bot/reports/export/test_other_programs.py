"""A game as .gam, positions as .pos and Snowie's text: gnubg writes the same, and reads ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sixprime.bot.cli.main import main
from sixprime.bot.reports.export.documents import DOCUMENTS, Wish
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES
from sixprime.bot.reports.export.scenes import acts
from sixprime.engine.system.errors import InputError
from sixprime.protocols import readers
from sixprime.protocols.formats.foreign.gam import read_gam
from sixprime.protocols.formats.mat import write_gam
from sixprime.protocols.formats.positionfile import match_of, read_positions
from sixprime.protocols.formats.record import CannotCarry, Match
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import oracle
from tests.support.formats.plain import plain
from tests.support.formats.played import carried


def written(name: str, match: Match, game: int, move: int) -> bytes:
    (data,) = DOCUMENTS[name].parts(match, acts(match, game, move), NO_ANALYSES, Wish())
    return data


@given(st.integers(0, 200), st.data())
def test_positions_are_read_back(seed: int, data: st.DataObject) -> None:
    match = plain(seed)
    game = data.draw(st.integers(1, len(match.games)))
    scenes = acts(match, game)[0].scenes
    assume(scenes)
    move = data.draw(st.integers(1, len(scenes)))
    scene = scenes[move - 1]
    state = replace(scene.state, beavers=0)
    for name, suffix in (("snowie", "txt"), ("pos", "pos")):
        try:
            text = written(name, match, game, move)
        except CannotCarry:
            assert scene.state.doubled or scene.state.resigned or scene.state.cube > 4096
            continue
        (back,) = readers.read_match_file(f"a.{suffix}", text).matches
        if name == "pos" and not state.length:
            state = replace(state, score=(0, 0))  # JellyFish has no score of a session
        assert back.games == match_of(scene.position, state, ("anna", "ben")).games
        assert [each.name for each in back.players] == ["anna", "ben"]


@pytest.mark.parametrize("name", ["snowie", "pos"])
def test_a_cube_that_the_file_cannot_hold_is_refused(name: str) -> None:
    match = replace(plain(0), length=0)
    with pytest.raises(CannotCarry, match=r"cube .*[0-9]"):
        written(name, replace(match, games=(replace(match.games[0], cube=65536),)), 1, 1)


@given(st.integers(0, 200))
def test_games_are_read_back(seed: int) -> None:
    match = replace(plain(seed), length=0)
    for number, game in enumerate(match.games):
        try:
            text = write_gam(match, number)
        except CannotCarry:
            continue
        if not game.actions:
            continue
        (back,) = read_gam(text).matches
        alone = replace(game, score=(0, 0), crawford=False)
        mine = carried(replace(match, games=(alone,)), last_take=False, last_roll=False)[1]
        assert carried(back, last_take=False, last_roll=False)[1] == mine


@pytest.mark.gnubg
def test_gnubg_writes_the_same_and_reads_ours(tmp_path: Path) -> None:
    compared = 0
    commands = "set jacoby off\nset beavers 0\n"
    matches = {seed: plain(seed) for seed in range(12) if plain(seed).length}
    for seed, match in matches.items():
        (tmp_path / f"{seed}.sgf").write_text(sgf.write_sgf(match))
        scenes = acts(match, 1)[0].scenes
        move = next((s.number for s in scenes if s.number > 2 and not s.state.doubled), 1)
        for name in ("pos", "snowie"):
            (tmp_path / f"{seed}.{name}").write_bytes(written(name, match, 1, move))
        commands += f"load match {seed}.sgf\nfirst game\nexport game gam {seed}.gam\n"
        commands += f"import pos {seed}.pos\nexport position snowietxt {seed}.pos.txt\n"
        commands += f"import snowietxt {seed}.snowie\nexport position snowietxt {seed}.txt\n"
    oracle.gnubg(commands, tmp_path)
    for seed, match in matches.items():
        theirs, mine = (tmp_path / f"{seed}.gam").read_text(), write_gam(match, 0)
        assert theirs.rstrip() == mine.rstrip()
        ours = read_positions((tmp_path / f"{seed}.snowie").read_text())
        for name in ("pos.txt", "txt"):
            assert read_positions((tmp_path / f"{seed}.{name}").read_text()) == ours
            compared += 1
    assert compared > 8


def test_a_match_is_a_file_a_game_and_no_position(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = next(each for each in map(plain, range(50)) if len(each.games) > 2)
    source = tmp_path / "m.sgf"
    source.write_text(sgf.write_sgf(match))
    assert main(["convert", str(source), str(tmp_path / "m.gam")]) == 0
    names = sorted(path.name for path in tmp_path.glob("*.gam"))
    assert names[:2] == ["m.gam", "m_002.gam"]
    assert len(names) == len(match.games)
    capsys.readouterr()
    assert main(["convert", str(source), str(tmp_path / "m.pos")]) == 2
    assert "choose it with --game and --move" in capsys.readouterr().err
    with pytest.raises(InputError):
        DOCUMENTS["snowie"].parts(match, acts(match), NO_ANALYSES, Wish())
