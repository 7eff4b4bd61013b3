"""Hypergammon is decided as by gnubg: chances, equities and cubes of 10,000 positions."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sixprime.engine.bearoff.files import Hypergammon, write
from sixprime.engine.position import IllegalPosition, MatchState, Position
from sixprime.engine.search.decide import Engine
from tests.gnubg_plays import GNUBG

pytestmark = [pytest.mark.gnubg, pytest.mark.patient]

CHECKERS = 2
SHARES = 16  # gnubg sleeps a hundredth of a second in each evaluation
DATA = b"/var/lib/gnubg"  # the only place where gnubg looks for these databases
SCRIPT = """
import gnubg, json
for command in ("set variation 2-chequer-hypergammon", "set automatic game off",
                "set jacoby {jacoby}",
                "set player 0 human", "set player 1 human", "new session"):
    gnubg.command(command)
look = gnubg.evalcontext(1, 0, 1, 0, 0.0)
cube = gnubg.cubeinfo({cube})
with open({asked!r}) as file:
    asked = json.load(file)
found = [
    (gnubg.cfevaluate(board, cube, look), gnubg.evaluate(board, cube, look))
    for board in (tuple(map(tuple, each)) for each in asked)
]
with open({answered!r}, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture
def gnubg(tmp_path: Path) -> Iterator[Path]:
    """A copy of gnubg that finds our database: the name of the folder is compiled in."""
    folder = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))
    try:
        assert GNUBG is not None
        whole, here = Path(GNUBG).read_bytes(), str(folder).encode()
        if whole.count(DATA) != 1 or len(here) > len(DATA):
            pytest.skip("this gnubg looks for its databases elsewhere")
        program = tmp_path / "gnubg"
        program.write_bytes(whole.replace(DATA, here.ljust(len(DATA), b"/")))
        program.chmod(0o755)
        write(Hypergammon(CHECKERS), folder / f"hyper{CHECKERS}.bd")
        yield program
    finally:
        shutil.rmtree(folder)


def some_positions(count: int) -> list[Position]:
    draw = random.Random(28)
    found: list[Position] = []
    while len(found) < count:
        sides = [[0] * 25 for _ in range(2)]
        for side in sides:
            for _ in range(draw.choice((1, 2, 2, 2))):
                side[draw.randrange(25)] += 1
        position = Position(tuple(sides[0]), tuple(sides[1]), CHECKERS)
        try:
            found.append(position.checked())
        except IllegalPosition:
            continue
    return found


@pytest.mark.parametrize(
    ("match", "cube"),
    [
        (MatchState(), "1, -1, 1, 0, (0, 0), 0, 3"),
        (MatchState(jacoby=True), "1, -1, 1, 0, (0, 0), 0, 3"),
        (MatchState(cube=2, cube_owner=1), "2, 1, 1, 0, (0, 0), 0, 3"),
        # a centred cube in a match is left out: where money's live and dead cube are worth nearly
        # the same, gnubg takes the cube for 50 times as live as it can be
        (MatchState(9, cube=2, cube_owner=1), "2, 1, 1, 9, (0, 0), 0, 3"),
    ],
    ids=["centred", "jacoby", "owned", "match"],
)
def test_chances_equities_and_cubes_are_gnubgs(
    match: MatchState, cube: str, gnubg: Path, tmp_path: Path
) -> None:
    positions = some_positions(10_000)
    jacoby = "on" if match.jacoby else "off"

    def answers(share: int) -> list[Any]:
        script, asked, answered = (tmp_path / f"{each}{share}" for each in ("py", "asked", "told"))
        names = {"asked": str(asked), "answered": str(answered), "jacoby": jacoby}
        script.write_text(SCRIPT.format(cube=cube, **names))
        boards = [(each.theirs, each.mine) for each in positions[share::SHARES]]
        asked.write_text(json.dumps(boards))
        command = [str(gnubg), "-t", "-q", "-r", "-p", str(script)]
        subprocess.run(command, capture_output=True, check=True, timeout=300, cwd=tmp_path)
        return list(json.loads(answered.read_text()))

    with ThreadPoolExecutor(SHARES) as pool:
        shares = list(pool.map(answers, range(SHARES)))
    theirs = [shares[i % SHARES][i // SHARES] for i in range(len(positions))]
    engine = Engine("expert")
    for position, (figures, chances) in zip(positions, theirs, strict=True):
        advice = engine.cube(position, match)
        decision, (no_double, double_take) = advice.decision, figures[1:3]
        assert advice.outcomes == pytest.approx(chances[:5], abs=1e-6)
        assert decision.equities == pytest.approx(figures[1:4], abs=1e-4)
        gain = min(double_take, 1.0) - no_double
        if abs(gain) > 1e-4:
            assert decision.double is (gain > 0)
        if abs(double_take - 1.0) > 1e-4:
            assert decision.take is (double_take < 1.0)
