"""`sixprime hint --plies` beside `decide` at the same depths, and the figures beside a cube."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.interfaces.jsonlines import answer
from sixprime.bot.reports.columns import aligned
from sixprime.bot.reports.decisions import ShownCube
from sixprime.bot.settings.levels import load_levels
from sixprime.engine.kernels.evaluation import judge, scratch_for
from sixprime.engine.kernels.network import JUDGED, LIFE
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import CUBE_ACTIONS, Dice, MatchState, Position
from sixprime.engine.search.cube import judged
from sixprime.engine.search.decide import Engine
from sixprime.protocols.formats.ids import position_id, read_match_id, read_position_id, xgid
from tests.support.engine.reference import random_rolls

START = "4HPwATDgc/ABMA"
FEW = "AABAAQAACgAAAA"  # contact of two checkers a side, quickly raced out
PLIES = (0, 1, 2)
PLAYS = 3
LEVELS = "levels:\n" + "".join(
    f"  look{plies}: {{plies: {plies}, passes: "
    f"[{', '.join(['{accept: 3, extra: 0, threshold: 0}', *['null'] * (plies - 1)][:plies])}]}}\n"
    for plies in PLIES
)


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> list[Engine]:
    """Engines of levels as a user of `decide` would write them."""
    path = tmp_path_factory.mktemp("levels") / "levels.yaml"
    path.write_text(LEVELS.replace(", passes: []", ""))
    known = load_levels(path)
    return [Engine(known[f"look{plies}"]) for plies in PLIES]


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["hint", *words]) == 0
    return capsys.readouterr().out


def decided(engine: Engine, position: Position, dice: Dice | None) -> dict[str, object]:
    request = {"position": position_id(position), "dice": dice}
    found: dict[str, object] = json.loads(answer(json.dumps(request).encode(), engine))
    assert "error" not in found
    return found


def spots(seed: int, most: int) -> Iterator[tuple[Position, Dice]]:
    whole = (spot for spot in random_rolls(seed, 3 * most) if spot[0].checkers == 15)
    yield from islice((spot for spot in whole if not spot[0].is_over()), most)


def assert_rounded(figures: list[str], equities: list[float]) -> None:
    """Compare with the four digits of `decide`, whose last 5 may come from either side."""
    for figure, equity in zip(figures, equities, strict=True):
        assert figure in {f"{equity + half:+.3f}" for half in (-5e-5, 5e-5)}


@pytest.mark.parametrize("most", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_the_table_by_plies_says_what_decide_says_at_each_depth(
    most: int, engines: list[Engine], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = 0
    for position, dice in spots(55, most):
        place = position_id(position)
        words = (place, "--plies", "0..2", "--most", str(PLAYS))
        table = asked(capsys, *words, "--dice", f"{dice[0]}{dice[1]}").splitlines()
        at = next(i for i, line in enumerate(table) if " 0-ply " in line)
        plays = [decided(engine, position, dice)["candidates"] for engine in engines]
        assert isinstance(plays[-1], list)
        rows, legal = table[at + 1 :], len(plays[-1])
        assert len(rows) == min(PLAYS, legal)
        for row, best in zip(rows, plays[-1], strict=False):
            assert f" {best['move']} " in row
            if legal < 2:
                continue
            figures = re.findall(r"[-+]\d\.\d{3}", row)
            wanted = []
            for found in plays:
                assert isinstance(found, list)
                (same,) = [play for play in found if play["result"] == best["result"]]
                wanted.append(same["equity"])
            assert_rounded(figures[: len(PLIES)], wanted)
        cubes = asked(capsys, *words[:3])
        for plies, engine in enumerate(engines):
            found = decided(engine, position, None)
            equities = found["equities"]
            assert isinstance(equities, dict)
            (row,) = re.findall(rf"^{plies}-ply .*$", cubes, re.MULTILINE)
            shown = re.findall(r"[-+]\d\.\d{3}", row)
            assert_rounded(shown[1:], list(equities.values()))
            assert row.endswith(str(found["action"]))
        seen += 1
    assert seen == most


def test_one_depth_is_shown_as_any_hint_and_every_play_is_looked_at(
    capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    words = (START, "--dice", "31", "--plies", "1", "--most", "4", "--weights", weights)
    assert [line.split()[-1] for line in asked(capsys, *words).splitlines()[-4:]] == ["1"] * 4
    found = json.loads(asked(capsys, *words, "--json"))
    assert [play["plies"] for play in found["plays"]] == [1] * 4
    assert "by_plies" not in found


def test_json_has_every_depth(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    words = (START, "--plies", "0,2", "--most", "2", "--json", "--weights", weights)
    plays = json.loads(asked(capsys, *words, "--dice", "31"))
    assert [each["plies"] for each in plays["by_plies"]] == [0, 2]
    assert plays["plays"] == plays["by_plies"][-1]["plays"][:2]
    cube = json.loads(asked(capsys, *words))
    assert cube["equities"] == cube["by_plies"][-1]["equities"] != cube["by_plies"][0]["equities"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--plies", "5"], "0 to 4"),
        (["--plies", "2..1"], "0 to 4"),
        (["--plies", "a,1"], "0 to 4"),
        (["--plies", "1", "--level", "pr 7"], "pr 7 chooses as people do"),
        (["--jacoby", "--match", "cAngADAAKAAE"], "--jacoby: a rule of money play"),
        (["--beavers", "--match", "cAngADAAKAAE"], "--beavers: a rule of money play"),
        (["--jacoby", "--no-jacoby"], "not allowed with"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        assert main(["hint", START, *words]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


# --- the rules of money play


def test_a_bare_position_is_played_by_the_rules_that_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    quick = ("--level", "expert")
    bare = asked(capsys, START, *quick)
    assert " money, no Jacoby\n" in bare
    assert bare.endswith("\nNo double, take\n")
    both = asked(capsys, START, *quick, "--jacoby", "--beavers")
    assert " money, Jacoby, beavers\n" in both
    assert both.endswith("\nNo double, beaver\n")  # as gnubg says in its sessions
    there = xgid(Position.start(), MatchState(jacoby=True, beavers=3))
    assert asked(capsys, there, *quick) == both
    undone = asked(capsys, there, *quick, "--no-jacoby", "--no-beavers")
    assert undone.split("\n")[1:] == bare.split("\n")[1:]


@pytest.mark.parametrize("command", ["rollout", "position"])
def test_every_command_that_takes_a_position_takes_the_rules(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = {"rollout": ["--trials", "36", "--truncate", "1"], "position": ["--no-rolls"]}
    answers = []
    for rules in ([], ["--jacoby"]):
        place = FEW if command == "position" else START
        assert main([command, place, "--json", *quick[command], *rules]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] != answers[1]
    assert main([command, START, "--beavers", "--match", "cAngADAAKAAE"]) == 2


# --- the figures beside a cube, from gnubg 1.07 (`set output digits 6`, `hint`, Kazaross' table)

CHANCES = (0.521514, 0.153921, 0.007563, 0.129847, 0.007546)
GNUBG = {  # Match ID: cubeless, no double, double/take, bluff %
    "cAngADAAKAAE": (0.176303, -0.159710, -1.206375, 47.4),
    "cAmgAEAAEAAE": (0.066076, 0.282267, 0.384003, None),
    "UglgAYAAGAAE": (0.453604, 0.912283, 1.434137, None),
    "UgkAAAAAAAAE": (0.067119, 0.244434, -0.191132, 36.6),
}


@pytest.mark.parametrize("match", GNUBG)
def test_the_cubeless_line_differences_and_bluff_are_gnubgs(match: str) -> None:
    cubeless, no_double, double_take, bluff = GNUBG[match]
    state = read_match_id(match)
    decision = judged(0.0, 0.0, state)
    values = {name: getattr(decision, name) for name in decision.__dataclass_fields__}
    values |= {"no_double": no_double, "double_take": double_take, "double": bluff is None}
    shown = ShownCube(**values, outcomes=CHANCES, match=state)
    facts = shown.facts()
    assert facts["cubeless"] == pytest.approx(cubeless, abs=2e-5)
    assert facts["cubeless_money"] == pytest.approx(0.067119, abs=2e-6)
    told = facts["bluff"] and round(100 * facts["bluff"], 1)
    assert told == bluff
    heads, rows = shown.table()
    assert "\n".join(aligned([heads, *rows])).count("difference") == 1
    optimal = min(double_take, 1.0) if bluff is None else no_double
    for row, name in zip(rows, CUBE_ACTIONS, strict=True):
        gap = {"no double": no_double, "double, take": double_take, "double, pass": 1.0}[name]
        assert row[2] == (f"{gap - optimal:+.3f}" if gap != optimal else "")


def test_efficiency_is_the_levels_and_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    levels = tmp_path / "levels.yaml"
    levels.write_text("levels: {mine: {efficiency: {contact: 0.5, race: 0.4}}}")
    chances = ["--chances", ",".join(map(str, CHANCES)), "--no-rolls"]
    told = []
    said, brain = np.zeros(JUDGED, np.float32), load_brain()
    judge(brain, read_position_id(FEW).array(), 15, scratch_for(brain), said)
    own = float(said[LIFE + 1])
    for level, efficiency in (("world-class", own), ("expert", own), ("mine", 0.5)):
        words = ["position", FEW, *chances, "--level", level, "--levels-file", str(levels)]
        assert main(words) == 0
        assert f"effective, {efficiency:.2f}" in capsys.readouterr().out
        assert main([*words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["efficiency"] == efficiency
        told.append(found["cube"]["equities"][0])
    assert len({*told}) == 2
    assert main(["position", "2+4HAADb7gIAAA", "--no-rolls", "--json", "--level", "mine",
                 "--levels-file", str(levels)]) == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out)["efficiency"] == 0.6  # a bearoff keeps its own
