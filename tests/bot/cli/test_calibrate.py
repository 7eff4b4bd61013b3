"""`levels calibrate` and `levels ratings`, and a bot that plays at a rating."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sixprime.bot.cli.lab.calibrate import BEGIN, END
from sixprime.bot.cli.main import main
from sixprime.bot.client.ladder import ladder, level_name
from sixprime.bot.client.thinking import Thinker, analysis
from sixprime.bot.settings.schema import PlayerSettings
from sixprime.engine.analysis.values import EvalContext
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search import ratingtable as table
from sixprime.engine.search.players import EnginePlayer

pytestmark = pytest.mark.patient

FEW = ["--lengths", "1", "2", "--noises", "0.05", "0.3", "--cube-noises", "0.4", "--matches", "10"]


@pytest.fixture(scope="module")
def made(weights: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "levels.json"
    assert calibrated(out, weights) == 0
    return out


def calibrated(out: Path, weights: str, *more: str, few: Sequence[str] = FEW) -> int:
    return main(["levels", "calibrate", *few, "--out", str(out), "--weights", weights, *more])


def test_the_table_holds_every_pair_and_where_it_came_from(made: Path) -> None:
    tree = json.loads(made.read_text(encoding="utf-8"))
    pairs = [(row["length"], row["first"], row["second"]) for row in tree["pairs"]]
    assert pairs == [
        (1, "expert", "0.05"),
        (1, "expert", "0.3"),
        (2, "expert", "0.05"),
        (2, "expert", "0.3"),
        (2, "expert", "0/0.4"),
    ]
    assert all(row["matches"] == 10 for row in tree["pairs"])
    assert tree["origin"]["command"].startswith("sixprime levels calibrate --lengths 1 2")
    assert len(tree["origin"]["weights"]) == 12
    assert set(table.read_ratings(made).checker) == {1, 2}


def test_a_second_run_has_to_say_that_it_goes_on(
    made: Path, weights: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = json.loads(made.read_text(encoding="utf-8"))
    assert calibrated(made, weights) == 2
    assert "--resume continues from it" in capsys.readouterr().err
    assert calibrated(made, weights, "--resume") == 0
    assert json.loads(made.read_text(encoding="utf-8"))["pairs"] == before["pairs"]
    assert calibrated(made, weights, "--resume", "--seed", "2") == 2
    assert "is about other matches" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes_find_what_one_finds(made: Path, weights: str, tmp_path: Path) -> None:
    out = tmp_path / "levels.json"
    assert calibrated(out, weights, "--processes", "2") == 0
    found, wanted = (json.loads(path.read_text(encoding="utf-8")) for path in (out, made))
    assert found == wanted


def test_target_ratings_are_put_to_the_test(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--lengths", "1", "--noises", "--cube-noises", "--ratings", "1500", "--matches", "10")
    assert calibrated(tmp_path / "fresh.json", weights, few=few) == 0
    assert "@1500" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--lengths", "12"), "--lengths: matches of 1 to 11 points can be measured"),
        (("--pairs", "expert"), "--pairs expert: not A:B, such as expert:0.04"),
        (("--pairs", "exprt:0.04"), "no level 'exprt', did you mean 'expert'?"),
        (("--noises", "2"), "2: one noise or two, each from 0 to 1"),
    ],
)
def test_what_cannot_be_measured_ends_with_one_line(
    words: tuple[str, ...],
    complaint: str,
    weights: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert calibrated(tmp_path / "levels.json", weights, few=words) == 2
    assert capsys.readouterr().err.startswith(f"sixprime levels: {complaint}")


def test_the_measured_ratings_are_told_and_put_into_a_document(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["levels", "ratings", "--table", str(made)]) == 0
    assert "0/0.4" in capsys.readouterr().out
    page = tmp_path / "levels.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    for _ in range(2):
        assert main(["levels", "ratings", "--table", str(made), "--into", str(page)]) == 0
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"above\n{BEGIN}\nMeasured with the nets ")
        assert text.endswith(f"\n{END}\nbelow\n")
        assert "old" not in text
        assert "| 2 | expert | 0/0.4 | 10 |" in text
    brief = ["levels", "ratings", "--table", str(made), "--into", str(page), "--without-pairs"]
    assert main(brief) == 0
    assert "The noise that plays at a rating" in page.read_text(encoding="utf-8")
    assert "0/0.4" not in page.read_text(encoding="utf-8")
    page.write_text("nothing", encoding="utf-8")
    assert main(["levels", "ratings", "--into", str(page)]) == 2


# --- the bot


def test_a_bot_takes_more_noise_for_shorter_matches_and_weaker_opponents() -> None:
    steps = ladder(PlayerSettings(level={"target_rating": "opponent", "bounds": {"least": 1300}}))
    thinker = Thinker(steps)
    player = steps[0].make()
    assert isinstance(player, EnginePlayer)

    def noise(length: int) -> float:
        match = MatchState(length, (0, 0), 0, 0, dice=(3, 1))
        player.play(Position.start(), match)
        seen = analysis(player, match)
        assert seen is not None
        by = seen.candidates[0].by
        assert isinstance(by, EvalContext)
        return by.noise

    found = {}
    for rating in (1000.0, 1300.0, 1600.0, None):
        thinker.faces(rating)
        found[rating] = [noise(length) for length in (1, 5, 0, 25)]
        wanted = max(rating or 1500.0, 1300.0)
        ratings = table.shipped_ratings()
        assert found[rating] == [ratings.noise(wanted, n) for n in (1, 5, 5, 11)]
    assert found[1000.0] == found[1300.0]


def test_a_cube_level_of_its_own_keeps_its_noise() -> None:
    steps = ladder(PlayerSettings(level={"target_rating": 1600}, cube_level="expert"))
    player = steps[0].make()
    match = MatchState(5, (0, 0), 0, 0)
    player.double(Position.start(), match)
    seen = analysis(player, match)
    assert seen is not None
    assert seen.cube is not None
    assert isinstance(seen.cube.by, EvalContext)
    assert seen.cube.by.noise == 0.0


def test_a_rating_out_of_range_is_named_by_its_path() -> None:
    with pytest.raises(ValueError, match=r"level\n.*target_rating: 2100 is out of range, from "):
        PlayerSettings(level={"target_rating": 2100})


def test_others_are_told_the_rating() -> None:
    assert level_name({"target_rating": 1600}) == "about 1600"
    assert level_name({"target_rating": "opponent"}) == "about my opponent's"
