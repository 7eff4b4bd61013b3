"""Levels from files and mappings, and the commands that show them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sixprime.bot.cli.main import main
from sixprime.bot.settings.levels import described, load_levels, read_level
from sixprime.bot.settings.schema import LEVELS
from sixprime.engine.people import Person
from sixprime.engine.people.choosing import TRAITS
from sixprime.engine.people.cube import PORTRAIT as CUBE_TRAITS
from sixprime.engine.ratings import PEOPLE
from sixprime.engine.search import ratingtable as table
from sixprime.engine.search.cube import BY_THE_NET
from sixprime.engine.search.levels import PRESETS, Target, preset
from sixprime.engine.search.plies import FILTERS, CubeEfficiency, Evaluation, Pass
from sixprime.engine.system.errors import ConfigError
from tests.support.places import CONFIG

PORTRAIT = tuple(place / 16 for place in range(TRAITS + CUBE_TRAITS))
SHIPPED = CONFIG / "levels.yaml"


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_file_says_exactly_the_presets() -> None:
    tree = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    assert list(tree["levels"]) == list(PRESETS) == list(LEVELS)
    for name, settings in tree["levels"].items():
        level = read_level(settings, {}, name)
        preset = PRESETS[name]
        for found, expected in ((level.checker, preset.checker), (level.cube, preset.cube)):
            assert (found.plies, found.noise, found.prune) == (
                expected.plies,
                expected.noise,
                expected.prune,
            )
            assert found.filter == expected.filter
            assert found.rollout == expected.rollout
        assert (level.seconds, level.threads) == (preset.seconds, preset.threads)


def test_settings_are_for_plays_and_cube_unless_one_of_them_says_otherwise() -> None:
    level = read_level({"plies": 1, "noise": 0.02, "cube": {"noise": 0.0, "cubeful": False}})
    assert level.checker == Evaluation(1, noise=0.02)
    assert level.cube == Evaluation(1, cubeful=False)


def test_a_level_may_start_from_another_one() -> None:
    level = read_level({"like": "supremo", "seconds": 2.5, "threads": 3, "checker": {"plies": 3}})
    assert level.checker == Evaluation(3, FILTERS["large"])
    assert level.cube == PRESETS["supremo"].cube
    assert (level.seconds, level.threads, level.name) == (2.5, 3, "custom")


def test_what_pruning_keeps_and_how_live_the_cube_is_can_be_said_for_plays_and_cube_apart() -> None:
    settings = {"keep": 3, "cube": {"efficiency": {"contact": 0.5}}, "efficiency": {"bearoff": 0.9}}
    level = read_level({"like": "world-class", **settings}, name="mine")
    assert level.checker == Evaluation(2, keep=3, efficiency=CubeEfficiency(bearoff=0.9))
    assert level.cube.efficiency == CubeEfficiency(0.5, 0.9)
    assert level.cube.efficiency.known() == (0.5, 0.9, -1.0)
    assert level.checker.efficiency.known() == (BY_THE_NET, 0.9, -1.0)
    assert read_level(described(level), {}, "mine") == level


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "beginner",
            [
                "as in gnubg's manual",
                "noise: standard deviation 0.060 with mean 0, as in gnubg 1.07; the manual calls "
                "its figure a limit",
                "cube: efficiency as the net says in contact, in gnubg's manual 0.68",
                "Debian's gnubg 1.07 shifts its noise by -6.9 standard deviations, against the "
                "player on roll",
            ],
        ),
        ("expert", ["as in gnubg's manual"]),
        (
            "intermediate",
            [
                "plays: noise 0.04, in gnubg's manual 0.03",
                "gnubg 1.07 plays with 0.040, despite its manual",
            ],
        ),
        (
            "world-class",
            [
                "as in gnubg's manual",
                "plays: accept/extra/threshold after each ply: 0/8/0.16, all",
                "cube: cube efficiency as the net says in contact, 0.6 in bearoffs, in races by "
                "the pips",
            ],
        ),
        ("roller", ["not a level of gnubg's manual"]),
    ],
)
def test_a_level_is_shown_beside_the_manuals(
    name: str, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["levels", "show", name]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert {f"# {line}" for line in lines} <= set(shown)
    assert name in ("beginner", "intermediate") or not any(
        "in gnubg's manual" in line and "," in line for line in shown
    )


def test_a_filter_of_ones_own_has_an_entry_for_each_ply() -> None:
    passes: list[dict[str, float] | None] = [{"extra": 3, "threshold": 0.1}, None]
    level = read_level({"plies": 2, "passes": passes})
    assert level.checker.filter.level(2, 0) == Pass(0, 3, 0.1)
    assert level.checker.filter.level(2, 1) is None


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_shown_of_a_level_can_be_read_again(name: str) -> None:
    assert read_level(described(PRESETS[name]), {}, name) == PRESETS[name]


def test_a_custom_level_can_be_read_again_too() -> None:
    level = read_level(
        {"plies": 1, "passes": [{"accept": 2, "extra": 3, "threshold": 0.5}]}, {}, "a"
    )
    again = read_level(described(level), {}, "a")
    assert again.checker.filter.level(1, 0) == level.checker.filter.level(1, 0)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"plys": 2}, "no setting 'plys', did you mean 'plies'?"),
        ({"plies": 9}, "plies: 9 is out of range, it has to be at most 4"),
        ({"plies": "2"}, "plies: '2' is not a whole number, write it without quotes"),
        ({"checker": {"noise": -1}}, "checker.noise: -1 is out of range, it has to be at least 0"),
        ({"cube": {"nois": 0}}, "cube: no setting 'nois', did you mean 'noise'?"),
        ({"filter": "norml"}, "filter: 'norml' is none of"),
        ({"rolls": 20}, "rolls: 20 is none of"),
        ({"like": "expertt"}, "like: no level 'expertt', did you mean 'expert'?"),
        ({"passes": [{"extra": 1}], "plies": 1}, "passes[0].threshold: is missing"),
        ({"plies": 2, "passes": [{"extra": 1, "threshold": 0}]}, "checker.passes: a look of 2"),
        ({"threads": -1}, "threads: -1 is out of range"),
        ({"keep": 0}, "keep: 0 is out of range, it has to be at least 1"),
        ({"efficiency": {"contact": 2}}, "efficiency.contact: 2 is out of range, it has to be at"),
        ({"cube": {"efficiency": {"bearof": 0}}}, "cube.efficiency: no setting 'bearof', did you"),
        ({"rollout": {"trials": 0}}, "rollout.trials: 0 is out of range"),
        ({"rollout": {"tials": 9}}, "rollout: no setting 'tials', did you mean 'trials'?"),
        ({"cube": {"rollout": {"clear": 0}}}, "cube.rollout.clear: 0 is out of range"),
        ({"rollout": {}, "noise": 0.1}, "checker.rollout: a rollout sees no noise"),
        ({"rollout": {}, "target_rating": 1600}, "target_rating: ratings are measured for 0"),
        ({"target_rating": 9}, "target_rating: 9 is out of range, from "),
        ({"target_rating": "1600"}, "target_rating: a rating such as 1600, or 'opponent'"),
        ({"target_rating": True}, "target_rating: a rating such as 1600, or 'opponent'"),
        ({"target_rating": 1600, "noise": 0.1}, "noise: leave noise out, target_rating"),
        ({"target_rating": 1600, "checker": {"noise": 0}}, "checker.noise: leave noise out"),
        ({"target_rating": 1600, "plies": 1}, "target_rating: ratings are measured for 0 plies"),
        ({"target_rating": 1600, "bounds": {}}, "bounds: only with target_rating: opponent"),
        ({"bounds": {"least": 1500}}, "bounds: only with target_rating: opponent"),
        (
            {"target_rating": "opponent", "bounds": {"least": 9, "most": 1}},
            "bounds: most is below least, swap them",
        ),
        (
            {"target_rating": "opponent", "bounds": {"lest": 9}},
            "bounds: no setting 'lest', did you mean 'least'?",
        ),
        ({"pr": 0.5}, "pr: 0.5 is out of range, it has to be at least 1"),
        ({"pr": 31}, "pr: 31 is out of range, it has to be at most 25"),
        ({"pr": "6"}, "pr: '6' is not a number, write it without quotes"),
        ({"pr": 6, "noise": 0.01}, "noise: leave it out, pr says how plays are chosen"),
        ({"pr": 6, "checker": {"plies": 2}}, "checker.plies: leave it out, pr says"),
        ({"like": "pr 6", "target_rating": 1600}, "target_rating: leave it out, pr says"),
        ({"portrait": PORTRAIT}, "portrait: only with pr"),
        ({"pr": 6, "portrait": [0.5]}, "portrait: length 1, not "),
        ({"pr": 6, "portrait": ["a"]}, "portrait[0]: 'a' is not a number"),
        ({"seed": 2}, "seed: only with pr"),
        ({"like": "expert", "seed": 2}, "seed: only with pr"),
        ({"pr": 6, "seed": -1}, "seed: -1 is out of range"),
        ({"like": "pr 31"}, "like: pr 31 is out of range, people play from pr 1 to pr 25"),
        ("pr 0", "pr 0 is out of range, people play from pr 1 to pr 25"),
        ("9999", "target_rating: 9999 is out of range"),
        ({}, "a level is a name, or a mapping of settings"),
        ("exprt", "no level 'exprt', did you mean 'expert'?"),
        (7, "a level is a name, or a mapping of settings"),
    ],
)
def test_a_bad_level_is_told_where_and_what(settings: Any, fault: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_level(settings)
    assert error.value.faults[0].startswith(fault)


def test_a_rating_is_played_at_with_the_noise_that_was_measured() -> None:
    level = read_level({"target_rating": 1600})
    noise = table.shipped_ratings().noise(1600, table.USUAL_LENGTH)
    assert level.checker.noise == level.cube.noise == noise > 0
    assert level.target == Target(1600.0)


def test_a_rating_may_come_from_errors_in_plays_alone() -> None:
    level = read_level({"target_rating": 1600, "cube": {"noise": 0.0}})
    assert level.cube.noise == 0.0
    assert level.checker.noise > read_level({"target_rating": 1600}).checker.noise


@pytest.mark.parametrize(
    "settings",
    [
        {"target_rating": 1600},
        {"target_rating": 1450.5, "cube": {"noise": 0.01}},
        {"target_rating": "opponent"},
        {"target_rating": "opponent", "bounds": {"least": 1300, "most": 1800}},
    ],
)
def test_a_level_with_a_target_can_be_shown_and_read_again(settings: Any) -> None:
    level = read_level(settings, name="a")
    assert read_level(described(level), {}, "a") == level


@pytest.mark.parametrize(
    ("settings", "plays", "cube"),
    [
        ("pr 6", Person(6), Person(6)),
        ("PR6.5", Person(6.5), Person(6.5)),
        ({"pr": 6}, Person(6), Person(6)),
        ({"pr": 6, "seed": 3}, Person(6, 3), Person(6, 3)),
        ({"like": "pr 6", "seed": 3, "threads": 2}, Person(6, 3), Person(6, 3)),
        ({"pr": 6, "seed": 4, "cube": {"pr": 9}}, Person(6, 4), Person(9, 4)),
        ({"pr": 6, "cube": {"noise": 0.02}}, Person(6), None),
        ({"pr": 6, "portrait": PORTRAIT}, Person(6, 1, PORTRAIT), Person(6, 1, PORTRAIT)),
        ({"pr": 6, "cube": {"plies": 2}, "deterministic": False}, Person(6), None),
        ({"plies": 1, "cube": {"pr": 9}, "seed": 2}, None, Person(9, 2)),
        ({"like": "world-class", "cube": {"pr": 9}}, None, Person(9)),
        ({"like": "beginner", "pr": 9}, Person(9), Person(9)),
    ],
)
def test_people_play_at_a_level_and_are_shown_and_read_again(
    settings: Any, plays: Person | None, cube: Person | None
) -> None:
    level = read_level(settings, name="a")
    assert (level.person, level.cube_person) == (plays, cube)
    if plays is not None:
        deterministic = level.checker.deterministic
        assert level.checker == replace(PRESETS["expert"].checker, deterministic=deterministic)
    if cube is not None:
        deterministic = level.cube.deterministic
        assert level.cube == replace(PRESETS["expert"].cube, deterministic=deterministic)
    level = replace(level, name="a")
    assert read_level(described(level), {}, "a") == level


def test_a_level_of_people_is_shown_with_words_and_no_rating(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["levels", "show", "pr7"]) == 0
    shown = capsys.readouterr().out
    assert "# plays: as people of PR 7, a club player\n" in shown
    assert "plays at" not in shown
    assert re.search(r"# [0-9,]+ unseen plays of people of PR 5 to 8: loss 0\.\d+ \(people", shown)
    (settings,) = yaml.safe_load(shown)["levels"].values()
    assert read_level(settings, name="pr 7") == preset("pr 7")


def test_every_fault_of_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    text = "levels:\n  a: {plies: 9, noice: 0}\n  b: {cube: {noise: 2}}\nlvls: 1\n"
    with pytest.raises(ConfigError) as error:
        load_levels(written(tmp_path, text))
    assert sorted(error.value.faults) == [
        "levels.a.plies: 9 is out of range, it has to be at most 4",
        "levels.a: no setting 'noice', did you mean 'noise'?",
        "levels.b.cube.noise: 2 is out of range, it has to be at most 1",
        "no setting 'lvls', known: levels",
    ]


@pytest.mark.parametrize("text", ["", "levels: []", "{", "levels: {a: {plies: 1}, a: {plies: 2}}"])
def test_a_file_that_holds_no_levels_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        load_levels(written(tmp_path, text))


def test_a_file_adds_levels_and_may_give_a_preset_another_meaning(tmp_path: Path) -> None:
    levels = load_levels(
        written(tmp_path, "levels:\n  sleepy: {noise: 0.03}\n  expert: {plies: 1}\n")
    )
    assert levels["sleepy"].checker.noise == 0.03
    assert levels["expert"].checker.plies == 1
    assert levels["beginner"] == PRESETS["beginner"]


def test_the_list_names_every_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["levels", "list"]) == 0
    people, table = capsys.readouterr().out.split("level  ")
    assert all(words in " ".join(people.split()) for words in PEOPLE.values())
    lines = table.splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(PRESETS)]] == list(PRESETS)


def test_the_list_tells_the_ratings_that_were_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["levels", "list", "--json"]) == 0
    ratings = {name: each["rating"] for name, each in json.loads(capsys.readouterr().out).items()}
    measured = [rating for rating in ratings.values() if rating is not None]
    assert measured == sorted(measured)
    assert ratings["expert"] == table.shipped_ratings().reference
    assert ratings["world-class"] is None  # nobody played matches at two plies to find out
    noise = PRESETS["beginner"].checker.noise
    assert ratings["beginner"] == round(table.shipped_ratings().rating(table.USUAL_LENGTH, noise))
    assert main(["levels", "show", "beginner"]) == 0
    assert f"# plays at {ratings['beginner']} " in capsys.readouterr().out


def test_a_level_is_shown_as_yaml_that_can_be_read_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["levels", "show", "grandmaster"]) == 0
    tree = yaml.safe_load(capsys.readouterr().out)
    assert read_level(tree["levels"]["grandmaster"], {}, "grandmaster") == PRESETS["grandmaster"]
    assert main(["levels", "list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(PRESETS)


def test_a_rating_is_shown_as_the_level_that_plays_at_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    noises = []
    for length in ("1", "11"):
        assert main(["levels", "show", "1650", "--length", length, "--json"]) == 0
        tree = json.loads(capsys.readouterr().out)["levels"]["about 1650"]
        assert read_level(tree).checker.noise == tree["cube"]["noise"]
        noises.append(tree["checker"]["noise"])
    assert 0 < noises[0] < noises[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["2650"], "ratings from "),
        (["1650", "--length", "12"], "--length 12: 1 to 11 were measured"),
        (["expert", "--length", "5"], "--length is for ratings only"),
    ],
)
def test_a_rating_that_cannot_be_shown_ends_with_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["levels", "show", *words]) == 2
    assert capsys.readouterr().err.startswith(f"sixprime levels: {complaint}")


def test_an_unknown_level_ends_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["levels", "show", "suprmo"]) == 2
    assert capsys.readouterr().err == (
        "sixprime levels: no level 'suprmo', did you mean 'supremo'?\n"
    )
