"""Our match files in the real gnubg: it loads each of them and sees the same match."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sixprime.engine.position import Variant
from sixprime.protocols.formats import mat, oldmoves
from sixprime.protocols.formats.matlines import VARIANTS
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Ending,
    Player,
)
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.played import random_match
from tests.support.gnubg.matches import (
    QUIET,
    body,
    exported,
    gnubg_misreads,
    multiple,
    resigned_dearly,
    short_names,
)
from tests.support.gnubg.program import typed

LENGTHS = (1, 1, 3, 3, 3, 5, 5, 5, 7, 7, 7, 9, 11, 15)
SESSIONS = 8  # of money, five games each

pytestmark = pytest.mark.gnubg


@dataclass(frozen=True)
class Seen:
    """A match of gnubg's own, as it saved and exported it."""

    name: str
    sgf: str
    mat: str


def without_points(text: str) -> list[str]:
    """Only what oldmoves can tell gnubg: it takes every resignation for a single game."""
    return pointless(body(text))


def pointless(lines: list[str]) -> list[str]:
    """Without the lines of scores and of results."""
    return [line for line in lines if not re.search(r" : \d+ +\S.* : \d+$|Wins \d", line)]


def steps_in_order(text: str) -> str:
    """A .mat with every play's rear checkers first, as gnubg has it after importing it."""
    return mat.write_mat(mat.read_mat(text).strictly()[0])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    """What gnubg made of playing itself, fast and a little noisily, with fixed dice."""
    folder = tmp_path_factory.mktemp("gnubg")
    commands = QUIET + "set rng mersenne\nset beavers 3\n"
    for seat in (0, 1):
        commands += f"set player {seat} gnubg\n"
        for decision in ("chequerplay", "cubedecision"):
            commands += f"set player {seat} {decision} evaluation plies 0\n"
            commands += f"set player {seat} {decision} evaluation noise 0.04\n"
    names = []
    commands += "set automatic game on\n"
    for number, length in enumerate(LENGTHS):
        names.append(f"match{number}")
        commands += f"set defaultnames anna ben\nset seed {100 + number}\nnew match {length}\n"
        commands += f"save match {names[-1]}.sgf\nexport match mat {names[-1]}.mat\n"
    commands += "set automatic game off\n"
    for number in range(SESSIONS):
        names.append(f"session{number}")
        commands += f"set jacoby {'on' if number % 2 else 'off'}\nset seed {500 + number}\n"
        commands += "new session\n" + "new game\n" * 4
        commands += f"save match {names[-1]}.sgf\nexport match mat {names[-1]}.mat\n"
    typed(commands, folder)
    return [
        Seen(name, (folder / f"{name}.sgf").read_text(), (folder / f"{name}.mat").read_text())
        for name in names
    ]


def test_the_matches_hold_what_they_should(played: list[Seen]) -> None:
    matches = [sgf.read_sgf(seen.sgf).strictly()[0] for seen in played]
    assert len(matches) >= 20
    assert sum(match.length == 0 for match in matches) == SESSIONS
    for kind in (False, True):  # matches, and money sessions
        games = [game for each in matches if (each.length == 0) is kind for game in each.games]
        steps = {a.step for game in games for a in game.actions if isinstance(a, Cube)}
        assert steps >= {CubeStep.DOUBLE, CubeStep.TAKE, CubeStep.DROP}
        wins = {(game.result.ending, multiple(game)) for game in games if game.result}
        assert wins >= {(Ending.BORNE_OFF, games) for games in (1, 2, 3)}
        assert wins >= {(Ending.RESIGNED, games) for games in (1, 2)}
        assert (Ending.DROPPED, 1) in wins


def test_gnubgs_own_files_come_back_as_they_were(played: list[Seen]) -> None:
    for seen in played:
        (match,) = sgf.read_sgf(seen.sgf).strictly()
        theirs = re.sub(r"LU\[-inf\]|GS(\[[^]\n]*\])*\[[^]\n]*-inf\]", "", seen.sgf)  # 1.08
        theirs = re.sub(r"AP\[GNU Backgammon:[^]]*\]", "AP[Sixprime]", theirs)
        assert sgf.write_sgf(match).split("\n") == [*filter(None, theirs.split("\n")), ""], (
            seen.name
        )
        if match.rules.jacoby:  # gnubg writes gammons in full, but counts them as they count
            assert without_points(mat.write_mat(match)) == without_points(seen.mat), seen.name
        else:
            assert mat.write_mat(match) == seen.mat, seen.name


def test_conversions_there_and_back_make_no_difference_to_gnubg(
    played: list[Seen], tmp_path: Path
) -> None:
    files: dict[str, str] = {}
    jacoby: dict[str, bool] = {}
    for seen in played:
        (match,) = sgf.read_sgf(seen.sgf).strictly()
        (from_mat,) = mat.read_mat(mat.write_mat(match)).strictly()
        (from_oldmoves,) = oldmoves.read_oldmoves(oldmoves.write_oldmoves(match)).strictly()
        made = {
            f"{seen.name}.sgf": sgf.write_sgf(match),
            f"{seen.name}.mat": mat.write_mat(match),
            f"{seen.name}.fibs": oldmoves.write_oldmoves(match),
            f"{seen.name}-gnubg.mat": seen.mat,
            f"{seen.name}-from-mat.sgf": sgf.write_sgf(from_mat),
            f"{seen.name}-from-oldmoves.sgf": sgf.write_sgf(from_oldmoves),
        }
        files |= made
        jacoby |= dict.fromkeys(made, match.rules.jacoby)
    out = exported(files, tmp_path, jacoby=jacoby)
    for seen in played:
        assert out[f"{seen.name}.sgf"] == seen.mat, seen.name
        ordered = body(out[f"{seen.name}-gnubg.mat"])
        assert without_points("\n".join(ordered)) == without_points(steps_in_order(seen.mat))
        for kind in (".mat", "-from-mat.sgf", "-from-oldmoves.sgf"):
            assert body(out[seen.name + kind]) == ordered, seen.name + kind
        told = out[f"{seen.name}.fibs"]
        if resigned_dearly(sgf.read_sgf(seen.sgf).strictly()[0]):
            assert without_points(told) == without_points("\n".join(ordered)), seen.name
        else:
            assert body(told) == ordered, seen.name


def test_gnubg_loads_random_matches_of_ours_and_sees_the_same(tmp_path: Path) -> None:
    matches = {f"random{seed}": short_names(random_match(seed)) for seed in range(3000, 3040)}
    matches = {name: match for name, match in matches.items() if not gnubg_misreads(match)}
    assert len(matches) > 30
    assert any("Beavers" in mat.write_mat(match) for match in matches.values())
    files: dict[str, str] = {}
    jacoby: dict[str, bool] = {}
    for name, match in matches.items():
        made = {
            f"{name}.sgf": sgf.write_sgf(match),
            f"{name}.mat": mat.write_mat(match),
            f"{name}.fibs": oldmoves.write_oldmoves(match),
        }
        files |= made
        jacoby |= dict.fromkeys(made, match.rules.jacoby)
    out = exported(files, tmp_path, jacoby=jacoby)
    for name, match in matches.items():
        ours = body(mat.write_mat(match))
        ordered = body(steps_in_order(mat.write_mat(match)))
        assert body(out[f"{name}.sgf"]) == ours, name
        assert body(out[f"{name}.mat"]) == ordered, name
        # a roll that was given up is a dance in oldmoves, and set one blank further right
        told, ordered = (
            [" ".join(line.split()) for line in lines]
            for lines in (body(out[f"{name}.fibs"]), ordered)
        )
        if resigned_dearly(match):
            assert pointless(told) == pointless(ordered), name
        else:
            assert told == ordered, name


@pytest.mark.parametrize("variant", list(Variant)[1:])
def test_gnubg_loads_our_matches_of_other_games(variant: Variant, tmp_path: Path) -> None:
    made = (short_names(random_match(seed, variant=variant)) for seed in range(3100, 3115))
    matches = {f"random{i}": each for i, each in enumerate(made) if not gnubg_misreads(each)}
    files = {f"{name}.sgf": sgf.write_sgf(match) for name, match in matches.items()}
    files |= {f"{name}.mat": mat.write_mat(match) for name, match in matches.items()}
    jacoby = {name: matches[name.partition(".")[0]].rules.jacoby for name in files}
    out = exported(files, tmp_path, jacoby=jacoby)
    assert len(matches) > 8
    for name, match in matches.items():
        text = mat.write_mat(match)
        seen = without_points if match.rules.jacoby else body  # gnubg writes gammons in full
        assert seen(out[f"{name}.sgf"]) == seen(text), name
        if "Beavers" not in text:  # see `exported`
            assert seen(out[f"{name}.mat"]) == seen(steps_in_order(text)), name
        for ours in (f"{name}.sgf", f"{name}.mat"):
            assert f'; [Variation "{VARIANTS[variant]}"]' in out[ours], ours


ODD_NAMES = (
    "a very long name of thirty-nine characters",
    "a:b",
    "é" * 40,
    "x is O.",
    "[x]\\",
    "",
    "7",
)


def test_gnubg_reads_files_with_odd_names(tmp_path: Path) -> None:
    played = next(m for m in map(random_match, range(4000, 4100)) if m.finished and m.length == 3)
    files: dict[str, str] = {}
    for number, name in enumerate(ODD_NAMES):
        match = replace(played, players=(Player(name), Player(ODD_NAMES[number - 1])))
        files[f"odd{number}.sgf"] = sgf.write_sgf(match)
        files[f"odd{number}.mat"] = mat.write_mat(match)
    out = exported(files, tmp_path, jacoby={})
    expected = [line for line in without_points(mat.write_mat(played)) if " : " not in line]
    for name, text in out.items():
        turns = [line for line in without_points(text) if " : " not in line]
        if name.endswith(".sgf"):  # gnubg's own names on the left may be too long to tell
            turns = [line for line in turns if ") " in line[:5]]
            assert turns == [line for line in expected if ") " in line[:5]], name
        else:
            assert sorted(len(turn) for turn in turns) == sorted(len(each) for each in expected)
