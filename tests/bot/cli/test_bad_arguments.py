"""Whatever is typed for an option is done, or refused in one line that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from sixprime.bot.cli.line.command import Option, every_command
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.line.values import text
from sixprime.bot.cli.main import main

GAMES = Path(__file__).parents[2] / "data" / "interop" / "oldmoves-2games.sgf"
HUGE = 10**23
WORDS = (
    "", " ", "-1", "0", "-0.0", "nan", "inf", "1e400", str(HUGE), "x", "ë☃", "\x1b[31mred",
    "\udcff", "no/such/file", "folder", "binary", "empty", "/proc/self/mem", "a" * 5000, "1,2,3",
    ",", "½", "--", "a\nb",
)  # fmt: skip
QUICK = {
    "bearoff one-sided": "--points 2 out",
    "bearoff two-sided": "--points 2 --checkers 2 out",
    "bearoff hyper": "--checkers 1 out",
    "bearoff show": "0,1 1",
    "met show": "woolsey",
    "met score": "3-5 7",
    "levels list": "",
    "levels show": "expert",
    "levels ratings": "",
    "levels calibrate": "--lengths 0 --out never/made",  # one of them stays
    "quiz": "--list --database sqlite:///archive.db",
    "position": "4HPwATDgc/ABMA --level beginner --no-rolls",
    "rollout": "4HPwATDgc/ABMA --trials 1 --truncate 1",
}
SHARE = 29  # every so many-th case is in the quick share


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "empty").touch()
    return tmp_path


def cases() -> Iterator[list[str]]:
    """Each option and place of the quick commands with each word."""
    for path, command in every_command(SIXPRIME):
        name = " ".join(path)
        if name not in QUICK:
            continue
        typed = QUICK[name].split()
        for option in command.flags:
            if option.takes_value:
                for word in WORDS:
                    yield [*path, *typed, f"{option.names[-1]}={word}"]
        for place, _ in enumerate(command.arguments):
            before = next((i for i, word in enumerate(typed) if word.startswith("-")), len(typed))
            if place < before:
                for word in WORDS:
                    changed = [*typed[:place], word, *typed[place + 1 :]]
                    yield [*path, *changed]


@pytest.mark.patient
def test_bad_words_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    check(list(islice(cases(), 0, None, SHARE)), capsys)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_bad_words_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    check(list(cases()), capsys)


def check(tried: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "import", str(GAMES), "--database", "sqlite:///archive.db"]) == 0
    for words in tried:
        capsys.readouterr()
        code = exit_code(words)
        said = capsys.readouterr().err
        assert code in (0, 2), (words, said)
        if code == 2:
            assert said.startswith("sixprime "), (words, said)
            assert said.count("\n") == 1, (words, said)
            assert len(said) < 800, words
            assert not re.search(r"\w(Error|Exception)\b|Errno|Traceback", said), (words, said)
            assert "\x1b" not in said


def exit_code(words: list[str]) -> object:
    try:
        return main(words)
    except SystemExit as error:
        return error.code


def test_no_option_of_any_command_takes_an_empty_word_for_a_file_or_a_name(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    there = sorted(folder.iterdir())
    seen = 0
    for path, command in every_command(SIXPRIME):
        for option in command.flags:
            if option.takes_value and may_be_tried(option):
                assert exit_code([*path, f"{option.names[-1]}="]) == 2
                said = capsys.readouterr().err
                assert f"{option.names[-1]}" in said, (path, said)
                assert said.count("\n") == 1
                seen += 1
    assert seen > 200
    assert sorted(folder.iterdir()) == there


def test_every_number_is_written_in_plain_digits(capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    for path, command in every_command(SIXPRIME):
        for option in command.flags:
            if option.kind in (int, float) and may_be_tried(option):
                for word in ("1_0", "٣", "１"):
                    assert exit_code([*path, f"{option.names[-1]}={word}"]) == 2
                    assert "invalid number: " in capsys.readouterr().err, (path, option)
                seen += 1
    assert seen > 30


def may_be_tried(option: Option) -> bool:
    return option.kind is not text and option.nargs is None


def test_a_remark_may_be_empty(capsys: pytest.CaptureFixture[str]) -> None:
    source = ["--database", "sqlite:///archive.db"]
    assert main(["archive", "import", str(GAMES), *source]) == 0
    assert main(["archive", "annotate", "1", "good", *source]) == 0
    capsys.readouterr()
    assert main(["archive", "annotate", "1", "", "--event", "", *source]) == 0
    assert capsys.readouterr().out.strip() == ""


def test_a_rollout_that_cannot_be_written_is_not_rolled_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for option in ("--log=empty", "--resume=folder", "--resume=no/such/file"):
        assert exit_code(["rollout", "4HPwATDgc/ABMA", "--trials", "99999999", option]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_side_without_checkers_is_no_position(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["0,0"], ["0,0", "1"], ["1", "0"]):
        assert main(["bearoff", "show", *words]) == 2
        assert "no checker is left" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "archive errors --most -1",
        "benchstart --times 0",
        "levels calibrate --out levels.json --matches 9",
        "quiz --at-least nan",
        "strength games ours random --games 3",
        "strength make-chances --out set.npz --positions 0",
        "strength make-chances --out set.npz --trials 0",
        "strength make-decisions --out set.npz --contact -1",
    ],
)
def test_a_number_that_is_too_small_is_refused_before_any_work(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words.split())
    assert re.search(r": at least \d+ is needed \(see sixprime ", capsys.readouterr().err)
