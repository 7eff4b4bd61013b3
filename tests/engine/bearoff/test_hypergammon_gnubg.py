"""Hypergammon is decided as by gnubg: chances, equities and cubes, for money and at scores.

`-m slow` asks about 10,000 positions of each game in each of 17 states. For the game with three
checkers, whose database takes half an hour, the quick share has a file with holes: the entries of
its own positions, which `python -m tests.engine.bearoff.test_hypergammon_gnubg` takes from the
whole database.
"""

from __future__ import annotations

import base64
import json
import math
import random
import shutil
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sixprime.engine import cache_folder
from sixprime.engine.bearoff import hypergammonplays as exact
from sixprime.engine.bearoff.databases import cached
from sixprime.engine.bearoff.files import HEADER, Hypergammon, mapped, write_database
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels.bearoff import hypergammon as entries
from sixprime.engine.kernels.bearoff import ranks
from sixprime.engine.position import IllegalPosition, MatchState, Position
from sixprime.engine.search.cube import CubeContext, CubeDecision
from sixprime.engine.search.decide import Engine
from sixprime.protocols.formats.ids import position_id
from tests.support.gnubg.cubes import Answer, Question, answers_to
from tests.support.gnubg.program import COMMAND, scripted

pytestmark = [pytest.mark.gnubg, pytest.mark.patient]

DATA = b"/var/lib/gnubg"  # the only place where gnubg looks for these databases
KNOWN = Path(__file__).parents[2] / "data" / "hypergammon-3.txt"  # positions and their entries
SHARE, WHOLE = 200, 10_000  # positions in each state
PROCESSES = 16  # they mostly sleep
SAME = 1e-4
SINGLE = 2**-22  # what gnubg's precision makes of equities whose difference it divides by
ROLLS = 400
TIE = 1e-5  # of such equities gnubg says that either will do
PLAYS = """
import gnubg, json
for command in (
    "set variation {checkers}-chequer-hypergammon", "set automatic game off",
    "set automatic roll off", "set automatic move off", "set automatic bearoff off",
    "set player 0 human", "set player 1 human", "set display off", "set jacoby off", "new session",
    "set evaluation chequer evaluation plies 0", "set evaluation chequer evaluation prune off",
):
    gnubg.command(command)
told = []
for position, dice in json.load(open("asked")):
    gnubg.command("set turn 1")
    gnubg.command("set board " + position)
    gnubg.command("set dice %d %d" % tuple(dice))
    told.append([play["equity"] for play in gnubg.hint(9999)["hint"]])
json.dump(told, open("told", "w"))
"""
STATES = (
    MatchState(),
    MatchState(jacoby=True),
    MatchState(beavers=3),
    MatchState(cube=2, cube_owner=1),
    MatchState(cube=2, cube_owner=0),
    MatchState(1),
    MatchState(3, (0, 1)),
    MatchState(3, (1, 1)),
    MatchState(5, (3, 2)),
    MatchState(5, (3, 3)),
    MatchState(5, (4, 2)),
    MatchState(5, (4, 2), crawford=True),
    MatchState(9),
    MatchState(9, cube=2, cube_owner=1),
    MatchState(7, (2, 5), cube=2, cube_owner=1),
    MatchState(7, (3, 1), cube=2, cube_owner=0),
    MatchState(11, (4, 7), cube=4, cube_owner=1),
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where `gnubg` looks for databases; we look for ours anew."""
    folder = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))
    hypergammon.cache_clear()
    yield folder
    hypergammon.cache_clear()
    shutil.rmtree(folder)


@pytest.fixture
def gnubg(folder: Path, tmp_path: Path) -> str:
    """A copy of gnubg that finds our databases: the name of the folder is compiled in."""
    whole, here = Path(COMMAND[0]).read_bytes(), str(folder).encode()
    if whole.count(DATA) != 1 or len(here) > len(DATA):
        pytest.skip("this gnubg looks for its databases elsewhere")
    program = tmp_path / "gnubg"
    program.write_bytes(whole.replace(DATA, here.ljust(len(DATA), b"/")))
    program.chmod(0o755)
    return str(program)


def some_positions(checkers: int, count: int) -> list[Position]:
    """Drawn at random, some with checkers off; of one checker a side, all that there are."""
    if checkers == 1:
        sides = [[int(i == place) for i in range(25)] for place in range(25)]
        return [each for one, other in product(sides, sides) if (each := legal(one, other, 1))]
    draw = random.Random(28)
    found: list[Position] = []
    while len(found) < count:
        sides = [[0] * 25 for _ in range(2)]
        for side in sides:
            for _ in range(draw.choice((draw.randint(1, checkers), *[checkers] * 3))):
                side[draw.randrange(25)] += 1
        if each := legal(sides[0], sides[1], checkers):
            found.append(each)
    return found


def legal(mine: list[int], theirs: list[int], checkers: int) -> Position | None:
    try:
        return Position(tuple(mine), tuple(theirs), checkers).checked()
    except IllegalPosition:
        return None


@pytest.mark.parametrize("checkers", [1, 2])
def test_chances_equities_and_cubes_are_gnubgs(
    checkers: int, gnubg: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_database(Hypergammon(checkers), folder / f"hyper{checkers}.bd")
    compare(some_positions(checkers, SHARE), gnubg, tmp_path, monkeypatch)


def test_chances_equities_and_cubes_with_three_checkers_are_gnubgs(
    gnubg: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = some_positions(3, SHARE)
    lines = [line.split() for line in KNOWN.read_text().splitlines()]
    assert [name for name, _ in lines] == [position_id(each) for each in positions]
    kind, path = Hypergammon(3), folder / "hyper3.bd"
    with path.open("wb") as file:
        file.write(kind.header)
        file.truncate(HEADER + kind.sides**2 * entries.ENTRY)
        for position, (_, entry) in zip(positions, lines, strict=True):
            file.seek(place_of(position))
            file.write(base64.b64decode(entry))
    monkeypatch.setattr("sixprime.engine.bearoff.hypergammon.kept", lambda _: mapped(path))
    compare(positions, gnubg, tmp_path, monkeypatch)


@pytest.mark.parametrize("checkers", [1, 2])
def test_every_play_is_worth_what_gnubg_says(
    checkers: int, gnubg: str, folder: Path, tmp_path: Path
) -> None:
    write_database(Hypergammon(checkers), folder / f"hyper{checkers}.bd")
    draw = random.Random(31)
    positions = some_positions(checkers, ROLLS)
    rolls = [
        (draw.choice(positions), (draw.randint(1, 6), draw.randint(1, 6))) for _ in range(ROLLS)
    ]
    (tmp_path / "asked").write_text(
        json.dumps([(position_id(position), dice) for position, dice in rolls])
    )
    scripted(PLAYS.format(checkers=checkers), tmp_path, gnubg)
    told = json.loads((tmp_path / "told").read_text())
    engine = Engine("expert")
    for (position, dice), theirs in zip(rolls, told, strict=True):
        ours = [play.equity for play in engine.move(position, MatchState(), dice).candidates]
        assert ours == pytest.approx(sorted(theirs, reverse=True), abs=5e-6)


def place_of(position: Position) -> int:
    """Where a database has its entry."""
    kind = Hypergammon(position.checkers)
    binomials = ranks.binomials(entries.PLACES, kind.checkers)
    mine, theirs = (
        int(ranks.rank_of(np.array(side), entries.PLACES, binomials))
        for side in (position.mine, position.theirs)
    )
    return HEADER + (mine * kind.sides + theirs) * entries.ENTRY


@pytest.mark.slow
@pytest.mark.timeout(7200)  # a database of three checkers that is not there takes half an hour
@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_ten_thousand_positions_in_every_state_are_gnubgs(
    checkers: int, gnubg: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Hypergammon(checkers)
    cached(kind)
    (folder / f"hyper{checkers}.bd").symlink_to(cache_folder() / "bearoff" / kind.name)
    compare(some_positions(checkers, WHOLE), gnubg, tmp_path, monkeypatch)


def compare(
    positions: list[Position], gnubg: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a match gnubg takes a cube to be as live as money's equities imply.

    Where live and dead cubes are worth nearly the same that can be 50 times as live as possible, so
    we do not follow beyond a limit. Lift the limit, and those equities are gnubg's too.
    """
    engine = Engine("expert")
    questions = [Question(*each, 0, hypergammon=True) for each in product(positions, STATES)]
    answers = answers_to(questions, folder, program=gnubg, processes=PROCESSES)
    beyond = []
    for question, answer in zip(questions, answers, strict=True):
        found = implied(question)
        if all(exact.LEAST < efficiency < exact.MOST for efficiency, _ in found):
            slack = SAME + SINGLE / min((apart for _, apart in found), default=1.0)
            agree(engine, question, answer, slack)
            agree_on_words(engine, question, answer)
        else:
            beyond.append((question, answer))
    assert len(beyond) < len(questions) / 50
    monkeypatch.setattr(exact, "LEAST", -math.inf)
    monkeypatch.setattr(exact, "MOST", math.inf)
    for question, answer in beyond:
        agree(engine, question, answer, max(SAME, 5e-3 * abs(answer["equities"][0])))


def implied(question: Question) -> list[tuple[float, float]]:
    """How live gnubg takes the cubes of a match, and how far live and dead ones are apart.

    Those of no double and of double/take; none for a cube that is dead anyway.
    """
    context = CubeContext.of(question.state)
    figures = hypergammon(question.position.checkers).figures(question.position)
    chances = np.array(figures.chances, np.float32)
    certain = not kernel.CERTAIN < chances[0] < 1 - kernel.CERTAIN
    if question.state.length == 0 or certain:
        return []
    known = figures.owned, figures.centred, figures.against
    found = []
    for cube, owner in context.states[: 1 + context.available()].tolist():
        if not kernel.is_dead(cube, context.rules):
            live = kernel.money_live(kernel.money_points(chances), owner, False)
            apart = abs(live - kernel.money_dead(chances, owner, False))
            limits = -math.inf, math.inf
            efficiency = kernel.implied_efficiency(chances, owner, known[owner], *limits)
            found.append((float(efficiency), max(float(apart), kernel.EXACT_FLAT)))
    return found


def agree(engine: Engine, question: Question, answer: Answer, slack: float) -> None:
    advice = engine.cube(question.position, question.state)
    ours = advice.decision
    assert advice.outcomes == pytest.approx(answer["outcomes"], abs=1e-6)
    compared = 3 if ours.available else 1  # of a cube that is not there gnubg makes something up
    assert ours.equities[:compared] == pytest.approx(answer["equities"][:compared], abs=slack)


def agree_on_words(engine: Engine, question: Question, answer: Answer) -> None:
    ours = engine.cube(question.position, question.state).decision
    action = answer["action"].replace("Unknown cube decision", "Cube not available")
    assert ours.action == action or is_close(ours), (question, ours, action)
    if ours.available and abs(ours.double_take - 1) > TIE:
        assert ours.action.split(", ")[1] == action.split(", ")[1], (question, ours, action)


def is_close(ours: CubeDecision) -> bool:
    """Is one of the choices no better than another?"""
    no_double, double_take, double_pass = ours.equities
    gaps = no_double - double_take, no_double - double_pass, double_take - double_pass
    return min(map(abs, gaps)) < TIE


def main() -> None:
    """Write the entries that the quick share needs."""
    contents = cached(Hypergammon(3))
    with KNOWN.open("w") as file:
        for position in some_positions(3, SHARE):
            place = place_of(position)
            entry = base64.b64encode(contents[place : place + entries.ENTRY].tobytes())
            file.write(f"{position_id(position)} {entry.decode()}\n")


if __name__ == "__main__":
    main()
