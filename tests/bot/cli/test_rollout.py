"""`sixprime rollout`: its options, and the games it writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.record import Turn
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.gnubg.program import typed

pytestmark = pytest.mark.patient

START = "4HPwATDgc/ABMA"
RACE = "2+4HAADb7gIAAA"


def rolled(weights: str, *words: str) -> int:
    return main(["rollout", *words, "--weights", weights])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--plies x", "--plies x: a number of plies is needed"),
        ("--plies 9", "9 plies: 0 to 4 can be looked ahead"),
        ("--cube-plies 1,2,0", "--cube-plies 1,2,0: one value, or two with a comma"),
        ("--filter wide", "no filter 'wide', known: tiny"),
        ("--level exprt", "no level 'exprt', did you mean 'expert'?"),
        ("--later-plies 1", "--later-plies needs --later-after"),
        ("--later-after 3", "--later-after needs --later-level"),
        ("--truncate-plies 1", "--truncate-plies needs --truncate"),
        ("--truncate 3 --truncate-plies 7", "7 plies: 0 to 4"),
        ("--stop-at-error -1", "stop_at_error -1.0: a finite number of"),
        ("--stop-at nan", "stop_at nan: a finite number of"),
        ("--dice 31 --opening", "the opening roll comes before any play or double"),
        ("--trials 1 --truncate 1 --log README.md", "--log README.md: File exists"),
    ],
)
def test_bad_input_is_one_line_that_names_it(
    words: str, said: str, weights: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rolled(weights, START, *words.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith(f"sixprime rollout: {said}")


@pytest.mark.parametrize(
    ("match", "names"),
    [
        ("8AlgACAACAAE", {"no double"}),  # the Crawford game
        ("cAkgAAAAAAAE", {"no double"}),  # a match to one point
        ("cAngADAAKAAE", {"no double", "double, take"}),
    ],
)
def test_a_cube_that_nobody_may_turn_is_not_turned(
    match: str, names: set[str], weights: str, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--trials", "2", "--truncate", "1", "--json"]
    assert rolled(weights, START, "--match", match, *few) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["name"] for each in found["candidates"]} == names
    assert ("action" in found) is (len(names) == 2)


def test_one_trial_has_no_standard_error(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert rolled(weights, START, "--trials", "1", "--truncate", "1", "--cubeless") == 0
    assert capsys.readouterr().out.splitlines()[1].split()[3] == "-"


def test_a_level_may_be_a_rating(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--trials", "1", "--truncate", "1", "--json", "--level", "1650,expert"]
    assert rolled(weights, START, *words) == 0
    mine, theirs = json.loads(capsys.readouterr().out)["settings"]["players"]
    assert mine["checker"]["noise"] > 0.02
    assert theirs["checker"]["noise"] == 0


def test_what_is_no_address_is_not_dialled(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    assert main(["rollout", START, "--scheduler=x"]) == 2
    assert capsys.readouterr().err.endswith("no Dask scheduler answers at x\n")


def logged(weights: str, folder: Path, *words: str) -> list[Path]:
    assert rolled(weights, *words, "--no-reduction", "--log", str(folder)) == 0
    return sorted(folder.iterdir())


def test_every_game_is_written_and_follows_the_rules(tmp_path: Path, weights: str) -> None:
    match = ["--match", "cAngADAAKAAE"]
    paths = logged(weights, tmp_path / "new" / "log", RACE, *match, "--trials", "9")
    names = [path.name for path in paths]
    assert names == [f"{place}-{number:05}.sgf" for place in (1, 2) for number in range(1, 10)]
    for path in paths:
        (read,) = sgf.read_sgf(path.read_text()).strictly()
        assert read.event.endswith(f"trial {int(path.stem[2:])}")
        list(moments(read, read.games[0]))  # raises if a play is illegal
        assert read.games[0].result is not None


def test_the_log_holds_the_games_of_one_rollout_and_what_is_not_ours(
    tmp_path: Path, weights: str
) -> None:
    own = {"1-1.sgf", "1-00009.sgf.bak", "notes.sgf", "3-00042.sgf"}
    for name in own:
        (tmp_path / name).write_text("(;FF[4]GM[6]AP[Sixprime]EV[Paris, trial 4];)")
    logged(weights, tmp_path, RACE, "--trials", "5")
    paths = logged(weights, tmp_path, START, "--trials", "2", "--truncate", "3", "--cubeless")
    assert {path.name for path in paths} == own | {"1-00001.sgf", "1-00002.sgf"}


def test_a_game_that_is_cut_has_no_result(tmp_path: Path, weights: str) -> None:
    paths = logged(weights, tmp_path, START, "--trials", "2", "--truncate", "3", "--cubeless")
    assert len(paths) == 2
    for path in paths:
        (read,) = sgf.read_sgf(path.read_text()).strictly()
        assert read.games[0].result is None
        assert sum(isinstance(act, Turn) for act in read.games[0].actions) == 3


@pytest.mark.gnubg
def test_gnubg_loads_the_games(tmp_path: Path, weights: str) -> None:
    paths = logged(weights, tmp_path / "1", RACE, "--trials", "4", "--no-databases")
    paths += logged(
        weights,
        tmp_path / "2",
        START,
        "--dice",
        "31",
        "--most",
        "1",
        "--trials",
        "2",
        "--no-databases",
    )
    for path in paths:
        (read,) = sgf.read_sgf(path.read_text()).strictly()
        game = read.games[0]
        played = [each for each in moments(read, game) if isinstance(each.action, Turn)]
        commands = ["set player 0 human", "set player 1 human", f"load match {path}"]
        commands += ["first move", *["next", "show board"] * (2 * len(game.actions) + 4)]
        seen = iter(re.findall(r"Position ID: (\S+)", typed("\n".join(commands), tmp_path)))
        for moment in played:
            assert position_id(moment.position) in seen  # and the next one later
        assert game.result is not None
        assert "Wins" in exported(path, tmp_path)


def exported(path: Path, folder: Path) -> str:
    """The match as gnubg writes it."""
    typed(f"load match {path}\nexport match mat out.mat\n", folder)
    return (folder / "out.mat").read_text()
