"""Larger bearoff databases of one's own: used when a level names them, or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.settings.levels import described, read_level
from sixprime.engine.bearoff.databases import OneSidedDatabase, TwoSidedDatabase
from sixprime.engine.bearoff.files import OneSided, TwoSided, write_database
from sixprime.engine.nets.weights import Named
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.decide import MONEY, Engine
from sixprime.engine.search.levels import Level
from sixprime.engine.search.plies import CubeEfficiency, Evaluation
from sixprime.engine.system.errors import ConfigError
from tests.support.engine.boards import side
from tests.support.engine.brains import net_alone, random_brain

pytestmark = pytest.mark.patient

BRAIN = net_alone(random_brain())
AT_SIGHT = Evaluation()


FAR = Position(side(1, 2, 3, 4, 5, 6, 6, 7), side(2, 2, 3, 4, 5, 6, 7, 7, 7))
FULL = Position(side(*[6] * 12, 7, 7, 7), side(1, 1, 2))  # a gammon in doubt
SEVEN = Position(side(1, 2, 3, 4, 5, 6, 6), side(1, 1, 2, 3, 4, 5, 6))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("one") / "seven.bd"
    write_database(OneSided(7), path)
    return path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("two") / "seven.bd"
    write_database(TwoSided(6, 7), path)
    return path


def engine(look: Evaluation = AT_SIGHT, **named: str) -> Engine:
    return Engine(Level("mine", look, look, bearoff=Named(**named)), brain=BRAIN)


@pytest.mark.parametrize("position", [FAR, FULL])
def test_races_within_a_larger_database_are_exact_at_sight(position: Position, one: Path) -> None:
    truth = OneSidedDatabase.open(one).outcomes(position)
    seen = engine(one_sided=str(one)).cube(position).outcomes
    assert seen == pytest.approx(truth, abs=1e-6)
    assert engine().cube(position).outcomes != pytest.approx(truth, abs=1e-5)


def test_plays_of_a_roll_are_ranked_by_it(one: Path) -> None:
    truth = OneSidedDatabase.open(one)
    found = engine(one_sided=str(one)).move(FAR, MONEY, (4, 1), cubeful=False).candidates
    for each in found:
        assert each.equity == pytest.approx(-truth.outcomes(each.result.flipped()).equity, abs=1e-4)


def test_cubes_with_few_checkers_are_exact_in_a_larger_two_sided_one(two: Path) -> None:
    truth = TwoSidedDatabase.open(two).equities(SEVEN)
    decision = engine(two_sided=str(two)).cube(SEVEN).decision
    assert decision.no_double == pytest.approx(truth.centred, abs=1e-4)
    assert decision.double_take == pytest.approx(2 * truth.against, abs=2e-4)
    usual = engine().cube(SEVEN).decision
    assert usual.no_double != pytest.approx(truth.centred, abs=1e-3)


def test_both_together_and_elsewhere_nothing_changes(one: Path, two: Path) -> None:
    both, usual = engine(one_sided=str(one), two_sided=str(two)), engine()
    for position in (Position.start(), Position(side(9, 9, 10), side(9, 8, 8))):
        assert both.cube(position) == usual.cube(position)
    assert both.cube(SEVEN) == engine(two_sided=str(two)).cube(SEVEN)
    assert both.cube(FAR) == engine(one_sided=str(one)).cube(FAR)


def test_a_race_is_as_live_as_a_level_says() -> None:
    race, match = Position(side(7, 8, 9), side(7, 8, 8)), MatchState()
    usual, same, dead = (
        engine(replace(AT_SIGHT, efficiency=CubeEfficiency(race=live))).cube(race, match).decision
        for live in (None, 0.6, 0.0)
    )
    assert usual == same  # by so few pips
    assert usual.no_double != dead.no_double


def test_a_level_names_them_and_can_be_read_again(one: Path, two: Path) -> None:
    settings: dict[str, Any] = {"bearoff": {"one_sided": str(one), "two_sided": str(two)}}
    level = read_level(settings, name="mine")
    assert level.bearoff == Named(str(one), str(two))
    assert read_level(described(level), {}, "mine") == level


def test_databases_of_no_use_are_refused_by_their_place(
    tmp_path: Path, one: Path, two: Path
) -> None:
    small, text = tmp_path / "five.bd", tmp_path / "text.bd"
    write_database(OneSided(5), small)
    text.write_text("no database" * 10)

    def fault(**named: object) -> str:
        with pytest.raises(ConfigError) as error:
            read_level({"bearoff": named})
        return error.value.faults[0]

    assert fault(one_sided="none.bd") == "bearoff.one_sided: none.bd: No such file or directory"
    assert fault(one_sided=str(two)).endswith(
        "seven.bd: a two-sided database, not a one-sided database"
    )
    assert fault(two_sided=str(one)).endswith(
        "seven.bd: a one-sided database, not a two-sided database"
    )
    assert fault(one_sided=str(small)).endswith(
        "6 points or more with gammon distributions are needed"
    )
    assert fault(two_sided=str(text)).endswith("not a bearoff database that this program knows")
    assert fault(on_sided="x").startswith(
        "bearoff: no setting 'on_sided', did you mean 'one_sided'"
    )
