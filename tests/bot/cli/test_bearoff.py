"""`sixprime bearoff` and `sixprime warmup` as a user meets them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("words", "digest"),
    [
        ("one-sided --points 4", "653255f5f9f22fd50277f7ff25b2a343"),
        ("one-sided --points 4 --no-gammons --uncompressed", "7a5b9a6313660f8482f1bfbabd359798"),
        ("one-sided --points 4 --normal", "5f26057e178f0edb000fe326d5c50b1c"),
        ("one-sided --no-gammons", "e1eb4384961f2e074ef3344178de5a51"),
        ("two-sided --points 6 --checkers 3", "9d67da3db32ad4720cc38eecf9a67967"),
        ("two-sided --cubeless --threads 2", "4c4a0bffa23477cadf7321bc787ff534"),
        ("hyper --checkers 1", "a7c5848c841b2a5742f03b1bdaa01990"),
    ],
)
def test_a_file_is_byte_for_byte_gnubgs(words: str, digest: str, tmp_path: Path) -> None:
    file = tmp_path / "file.bd"
    assert main(["bearoff", *words.split(), str(file)]) == 0
    assert hashlib.md5(file.read_bytes()).hexdigest() == digest


def test_without_a_header_the_rest_is_the_same(tmp_path: Path) -> None:
    for name, extra in (("a", []), ("b", ["--no-header"])):
        assert main(["bearoff", "two-sided", "--checkers", "2", *extra, str(tmp_path / name)]) == 0
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()[40:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("one-sided --points 0 file.bd", "points must be 1 to 18, not 0"),
        ("two-sided --checkers 16 file.bd", "checkers must be 1 to 15, not 16"),
        ("two-sided --threads 0 file.bd", "--threads 0: 1 to 256 are possible"),
        ("hyper --checkers 4 file.bd", "checkers must be 1 to 3, not 4"),
        ("one-sided --normal --no-gammons file.bd", "--normal"),
        ("one-sided --points 2 no/such/file.bd", "no/such: no such folder"),
        ("one-sided --points 2 .", "is a folder"),
        ("show 1,x", "'1,x' is not a list of counts"),
        ("show 9,9", "up to 15 checkers"),
        ("show 1,1,1,1,1,1,1", "up to 6 points"),
        ("show 1 1,-1", "up to 15 checkers"),
        ("two-sided --checkers 11 --points 13 file.bd", "such a database takes 46,"),
    ],
)
def test_bad_input_gets_one_clear_line(
    words: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bearoff", *words.split()]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert said in output.err
    assert len(output.err.splitlines()) == 1
    assert not (tmp_path / "file.bd").exists()


def test_a_position_is_shown_with_the_manuals_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bearoff", "show", "0,1,0,0,1", "0,1,1"]) == 0
    output = capsys.readouterr().out
    for text in ("52.778%", "win 67.11%", "+0.3441", "+0.3210", "+0.1605"):
        assert text in output


def test_a_side_is_shown_with_its_effective_pips(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bearoff", "show", "5,4"]) == 0
    assert "36.016" in capsys.readouterr().out


def test_many_checkers_are_shown_without_the_exact_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bearoff", "show", "0,0,0,0,0,15", "1,1,1"]) == 0
    output = capsys.readouterr().out
    assert "playing for speed" in output
    assert "exact" not in output


def test_warmup_builds_the_databases_and_says_how_long_each_step_took(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sixprime.engine.compiling.preparations import PREPARATIONS

    assert main(["warmup"]) == 0
    built = {path.name for path in (cache / "bearoff").iterdir()}
    assert {"one-sided-6.bd", "two-sided-6x6.bd"} <= built
    lines = capsys.readouterr().err.splitlines()
    assert [line.rsplit(":", 1)[0] for line in lines[:-1]] == list(PREPARATIONS.values())
    assert all(line.endswith(" s") for line in lines)


def test_what_is_ready_is_not_announced_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sixprime.bot.cli import preparing, ready

    monkeypatch.setattr(ready, "kernels_folder", lambda: tmp_path / "kernels")
    monkeypatch.setattr(ready, "PREPARATIONS", {"rules": "the rules"})
    monkeypatch.setitem(preparing.WORK, "rules", lambda report: None)
    ready.get_ready()
    assert "first use" in capsys.readouterr().err
    ready.get_ready()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["bearoff", "warmup", "bench"])
def test_help_imports_nothing_heavy(command: str) -> None:
    code = (
        "import sys\nfrom sixprime.bot.cli.main import main\n"
        f"try:\n    main([{command!r}, '--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'rich', 'yaml'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "example" in done.stdout
