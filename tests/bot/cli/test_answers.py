"""JSON of every command fits its schema; conftest judges what the other tests print, too."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.answers.known import ANSWERS, WITHOUT_OPTION, schema_of
from sixprime.bot.cli.answers.schemas import Schemas
from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.bot.client.service import Service
from sixprime.bot.control.overview import Overview
from sixprime.bot.control.recent import PlayedMatch, RecentMatches
from sixprime.bot.settings.passwords import Secret
from sixprime.engine.bearoff.files import Hypergammon, Kind, OneSided, TwoSided, write_database
from tests.support.answers import SEEN, faults_of, validator
from tests.support.archive.collected import analyses, archive
from tests.support.bot.scene import config_for
from tests.support.places import DATA, INTEROP

__all__ = ["analyses", "archive"]  # fixtures
START = "4HPwATDgc/ABMA"
QUICK = "--level beginner"
COMMANDS = f"""
hint {START} --dice 31 {QUICK}
hint {START} --dice 31 --level 'pr 7' --most 2
hint {START} {QUICK}
hint {START}:cAkAAAAAAAAE --plies 0,1 {QUICK}
hint {START} --plies 0 --dice 31 {QUICK}
position 2+4HAADb7gIAAA --no-rolls {QUICK}
rollout {START} --dice 31 --trials 4 --truncate 1 --most 2
rollout {START}:cAkAAAAAAAAE --trials 4 --truncate 1
met show --length 3
met score 3-5 7
levels list
levels show expert
levels show roller
levels show 'pr 6'
levels show 1650
analyse {INTEROP}/oldmoves-2games.mat {INTEROP}/money-analysed.sgf {QUICK}
quiz --list --memory FOLDER/memory.json
compare {INTEROP}/money-analysed.sgf {QUICK}
archive list
archive list --me
archive show 1
archive import {INTEROP}/oldmoves-2games.sgf {INTEROP}/money-analysed.sgf FOLDER/broken.mat
archive show 4
archive show 5
archive stats
archive errors --most 2
archive openings
archive decisions --csv FOLDER/decisions.csv
archive alias --me anna ben
archive players
archive copy ARCHIVE FOLDER/copy.db
archive backup FOLDER/backup.db
archive annotate 1 good
archive annotate 1 early --game 1 --move 2 --mark bad --luck lucky
archive rename ben Benno
archive remove 2
archive merge
archive check
doctor --config FOLDER/bot.yaml
status --address 127.0.0.1:1
bearoff check FOLDER/one.bd
bearoff check FOLDER/two.bd
bearoff check FOLDER/hyper.bd
bearoff entry FOLDER/one.bd 7
bearoff entry FOLDER/normal.bd 7
bearoff entry FOLDER/two.bd 7
bearoff entry FOLDER/cubeless.bd 7
bearoff entry FOLDER/hyper.bd 7
"""
ELSEWHERE = {
    "decide",
    "levels learn",
    "levels likeness",
    "archive analyse",
}  # are slower: other tests run them
OPTIONAL = {
    *("move", "chances", "by_plies", "action", "average", "rolls", "skill", "off", "first_off"),
    *("day", "ratings", "logged", "process", "to_do"),
}


def taken() -> set[str]:
    """The words of commands that take --json."""
    return {
        " ".join(words)
        for words, command in every_command(SIXPRIME)
        if any("--json" in option.names for option in command.flags)
    }


def test_every_command_with_json_has_a_schema() -> None:
    assert ANSWERS.keys() == {*taken(), *WITHOUT_OPTION}
    for words in ANSWERS:
        validator(words)


@pytest.fixture
def folder(tmp_path: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an archive and other files that the commands read."""
    kinds: dict[str, Kind] = {
        "one": OneSided(2),
        "normal": OneSided(2, normal=True),
        "two": TwoSided(2, 2),
        "cubeless": TwoSided(2, 2, cubeful=False),
        "hyper": Hypergammon(1),
    }
    for name, kind in kinds.items():
        write_database(kind, tmp_path / f"{name}.bd")
    (tmp_path / "broken.mat").write_text(" 7 point match\n\n Game 1\n a : 0   b : 0\n  1) 77\n")
    (tmp_path / "bot.yaml").write_text("account: {user: anna}\nmetrics: {listen: null}\n")
    service = Service(config_for(1, "account: {user: anna}"), {"anna": Secret("x")})
    overview = Overview(service)
    won = PlayedMatch(1, "2026-11-29T14:05Z", "ben", 5, (5, 2), "won", 4.5)
    overview._asked["anna"].lately = RecentMatches((won,), 1, 1, ratings=(1500.0, 1504.5))
    overview._disk = [{"folder": ".", "free_mib": 7}]
    monkeypatch.setattr(
        "sixprime.bot.cli.operator.status.status_at",
        lambda _: [status | overview.facts(status) for status in [service.bots[0].status(1.0)]],
    )
    return tmp_path


def test_what_commands_print_fits(folder: Path, archive: Archive) -> None:
    place = str(archive.settings.database)
    SEEN.clear()
    for line in COMMANDS.strip().splitlines():
        words = shlex.split(line.replace("FOLDER", str(folder)).replace("ARCHIVE", place))
        if words[0] in ("archive", "quiz") and words[1] != "copy":
            words += ["--database", place]
        main([*words, "--json"])
    assert SEEN.keys() | ELSEWHERE == ANSWERS.keys()
    for words_of, answers in SEEN.items():
        for answer in answers:
            for changed in with_one_change(answer):
                assert any(faults_of(words_of, changed)), (words_of, changed)


def with_one_change(answer: Any) -> Iterator[Any]:
    """Yield the answer without a field at its top, and with one more."""
    first = answer[0] if isinstance(answer, list) and answer else answer
    if not isinstance(first, dict) or not all(name.isidentifier() for name in first):
        return
    less = ({k: first[k] for k in first if k != name} for name in first.keys() - OPTIONAL)
    for changed in ({**first, "new": 1}, *less):
        yield [changed] if isinstance(answer, list) else changed


def test_comments_of_fields_describe_them() -> None:
    """The classes' own, inherited ones, and those of dataclasses and stored forms."""
    said = {
        "hint": ("HintedCube", "take", "the opponent takes a double"),
        "rollout": ("Rolled", "mwc", "null for money"),
        "analyse": ("TurnAnalysis", "cube", "before any double of this turn"),
        "archive list": ("MatchListed", "their_pr", None),
    }
    for words, (name, field, text) in said.items():
        assert schema_of(words)["$defs"][name]["properties"][field].get("description") == text


def test_no_field_goes() -> None:
    """The fields of each type contain those that were promised in tests/data/answers.txt."""
    schemas = Schemas()
    for kind in ANSWERS.values():
        schemas.of(kind)
    for line in (DATA / "answers.txt").read_text().splitlines():
        name, *fields = line.split()
        assert set(fields) <= set(schemas.named[name]["required"]), name


def test_a_schema_is_printed_by_the_words_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["schema", "archive", "list"]) == 0
    assert json.loads(capsys.readouterr().out) == schema_of("archive list")
    assert main(["schema"]) == 0
    assert set(capsys.readouterr().out.splitlines()) == ANSWERS.keys()
    assert main(["schema", "hnt"]) == 2
    assert "did you mean 'hint'" in capsys.readouterr().err
