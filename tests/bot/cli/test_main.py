"""What every command has in common: one line for what is wrong, and quiet ends."""

from __future__ import annotations

import gc
import os
import re
import shlex
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pexpect
import pytest

from sixprime.bot.cli import main as cli
from sixprime.bot.cli.line.command import Option, ShellCommand, every_command
from sixprime.bot.cli.line.parsing import epilog_of, parse, parser_of
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.cli.main import main, work_of
from sixprime.bot.cli.operator.completions import SHELLS
from sixprime.bot.cli.operator.man import page

PROGRAM = [sys.executable, "-c", "from sixprime.bot.cli.main import run; run()"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
# tables, JSON, help
LISTS: list[list[str]] = [["levels", "list"], ["levels", "list", "--json"], ["--help"], []]


@pytest.mark.parametrize("words", LISTS)
def test_nobody_is_told_of_a_pipe_that_was_closed(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*PROGRAM, *words], stdout=writing, stderr=subprocess.PIPE, env=BUFFERED, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("words", [*LISTS, ["archive", "--help"]])
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_is_told_in_one_line(words: list[str], buffered: bool) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    environment = BUFFERED if buffered else {**BUFFERED, "PYTHONUNBUFFERED": "1"}
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, env=environment, check=False
        )
    assert ended.returncode == 1
    command = " ".join(["sixprime", *(word for word in words[:1] if word in COMMANDS)])
    assert ended.stderr == f"{command}: No space left on device\n".encode()


@pytest.mark.parametrize("words", ["levels list", "man hint", "archive --help"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
def test_streams_may_be_closed(words: str, closed: str) -> None:
    command = f"{sys.executable} -P -m sixprime {words} {closed}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_terminal_without_a_sign_shows_another() -> None:
    ended = subprocess.run(
        [*PROGRAM, "position", "2+4HAADb7gIAAA", "--level", "expert", "--no-rolls"],
        env={**BUFFERED, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"market window" in ended.stdout


WHILE_IMPORTING = """
class Interrupting:
    def find_spec(self, name, *_):
        if name == "sixprime.bot.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""
AT_THE_END = "atexit.register(os.kill, os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize("when", [WHILE_IMPORTING, AT_THE_END])
def test_ctrl_c_is_quiet_before_and_after_a_command(when: str) -> None:
    program = f"import atexit, os, signal, sys\n{when}\nfrom sixprime.__main__ import run\nrun()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "--version"], stderr=subprocess.PIPE, check=False
    )
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, b"")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["hnt"], "no 'hnt', did you mean 'hint'?"),
        (["xyzzy"], "argument COMMAND: no 'xyzzy' (see sixprime --help)"),
        (["archive", "lsit"], "no 'lsit', did you mean 'list'?"),
        (["hint"], "required: POSITION"),
        (["hint", "x", "--most", "-3"], "-3: at least 1 is needed"),
        (["hint", "x", "--most", "many"], "invalid number value: 'many'"),
        (["archive", "list", "--most", "-1"], "-1: at least 0 is needed"),
        (["archive", "list", "--length", "9" * 19], "is not a length such as 7, or money"),
    ],
)
def test_wrong_words_are_answered_in_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert why in said
    assert said.startswith("sixprime")
    assert said.count("\n") == 1


def test_an_unexpected_error_of_many_lines_is_told_in_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(_: object) -> int:
        raise TypeError("no such type\nin this\nplace")

    monkeypatch.setattr(cli, "work_of", lambda _: work)
    assert main(["levels", "list"]) == 1
    assert capsys.readouterr().err == "sixprime levels: TypeError: no such type\n"
    with pytest.raises(TypeError):
        main(["--debug", "levels", "list"])


def test_no_file_steers_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evil.mat"
    path.write_text(" 7 point match\n\n Game 1\n a : 0   b : 0\n  1) \x1b[2Jhello\n")
    assert main(["convert", str(path), "-", "--to", "sgf"]) == 2
    said = capsys.readouterr().err
    assert "` [2Jhello`" in said
    assert "\x1b" not in said


def test_every_fault_of_levels_is_named_by_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(
        "account: {user: a}\nplayer:\n  level: {plies: 9, noise: -1, foo: 2}\n"
        "  cube_level: {plies: 7}\n  thinking: {cheaper_level: {like: exprt}}\n"
    )
    assert main(["config", "check", str(path)]) == 2
    said = capsys.readouterr().err
    for place in ("level.plies", "level.noise", "level", "cube_level.plies"):
        assert f"{path}: player.{place}: " in said
    assert f"{path}: player.thinking.cheaper_level.like: " in said
    path.write_text("account: {user: a}\nplayer: {level: {plies: 0}, cube_level: pips}\n")
    assert main(["config", "check", str(path)]) == 2
    assert "player.cube_level: no level 'pips'" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, _ in every_command(COMMANDS[command], (command,)):
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        assert "example" in capsys.readouterr().out, words


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("words", ["levels list", "levels ratings", "met show --length 15"])
def test_tables_fit_the_terminal(words: str, columns: int) -> None:
    shown = pexpect.run(
        f"{sys.executable} -P -m sixprime {words}", env={**os.environ, "COLUMNS": ""},
        timeout=60, dimensions=(24, columns), encoding="utf-8",
    ).splitlines()  # fmt: skip
    assert len(shown) > 10
    assert max(map(len, shown)) <= columns
    assert "\x1b" not in "".join(shown)


def test_help_fits_a_terminal_of_80_columns_but_for_commands_to_copy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words, command in every_command(SIXPRIME):
        for line in parser_of(words, command).format_help().splitlines():
            assert len(line) <= 80 or line.startswith(("example: ", "  ")), line
            assert len(line) <= 80 or line in epilog_of(command).splitlines(), line


def test_an_example_stands_on_a_line_of_its_own() -> None:
    for words, command in every_command(SIXPRIME):
        told = parser_of(words, command).format_help()
        for line in epilog_of(command).splitlines():
            if line.lstrip().startswith(("example", "sixprime")):
                assert f"\n{line.rstrip()}\n" in told, words


def test_every_example_is_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    examples = {
        re.split(r"\s{2,}| [|<>] ", found)[0]
        for _, command in every_command(SIXPRIME)
        for found in re.findall(
            r"^(?:examples?:)?\s*(?:\w+=\S+ )*sixprime ([a-z].*)", epilog_of(command), re.MULTILINE
        )
    }  # fmt: skip
    assert len(examples) > 80
    for words in map(shlex.split, sorted(examples)):
        parse(words, SIXPRIME)


def test_an_unknown_option_is_refused_by_the_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bearoff", "hyper", "--out", "x"])
    told = capsys.readouterr().err
    assert told.startswith("sixprime bearoff hyper: unrecognized arguments: --out")


@pytest.mark.parametrize(
    "words",
    [
        "convert /dev/zero out.sgf",
        "analyse /dev/zero --level expert",
        "archive import --database sqlite:///archive.db /dev/zero",
        "hint 4HPwATDgc/ABMA --met /dev/zero",
        "levels ratings --table /dev/zero",
        "levels ratings --into /dev/zero",
        "strength games ours random --resume /dev/zero",
        "strength games ours:/dev/zero random",
        "train recipe /dev/zero --out run",
    ],
)
def test_a_device_without_end_is_refused(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if words.startswith("train"):
        pytest.importorskip("torch", reason="needs the extra `train`")
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) in (1, 2)
    said = "".join(capsys.readouterr())
    assert "/dev/zero" in said
    assert "Memory" not in said


def test_every_command_names_a_function_that_there_is() -> None:
    for words, command in every_command(SIXPRIME):
        if command.work and (command.needs is None or find_spec(command.needs[0])):
            assert callable(work_of(command)), words
        assert bool(command.work) != bool(command.parts), words


def test_only_the_commands_that_say_so_need_the_extra_train() -> None:
    program = (
        "import sys; sys.modules |= dict.fromkeys(('torch', 'matplotlib')); "
        "from sixprime.bot.cli.line.command import every_command; "
        "from sixprime.bot.cli.line.top import SIXPRIME; "
        "from sixprime.bot.cli.main import work_of; "
        "[work_of(each) for _, each in every_command(SIXPRIME) if each.work and not each.needs]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(*words: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(list(words))
        assert left.value.code == 0
        return capsys.readouterr().out

    assert shown("help") == shown("--help")
    assert shown("help", "archive", "show") == shown("archive", "show", "--help")


RENAMED = [
    (words, command, option)
    for words, command in every_command(SIXPRIME)
    for option in command.flags
    if option.old
]


@pytest.mark.parametrize(
    ("words", "command", "option"), RENAMED, ids=[f"{' '.join(w)} {o.old}" for w, _, o in RENAMED]
)
def test_an_old_word_still_works_with_a_hint(
    words: tuple[str, ...],
    command: ShellCommand,
    option: Option,
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = [str(option.choices[0] if option.choices else 3)] if option.takes_value else []
    needed = ["7" for given in command.arguments if given.nargs not in ("?", "*")]
    [new] = option.names
    for old in ([option.old, *value], ["=".join((option.old, *value))]):
        now = parse([*words, *needed, new, *value], SIXPRIME)
        assert capsys.readouterr() == ("", "")
        assert parse([*words, *needed, *old], SIXPRIME) == now
        hint = f"sixprime {' '.join(words)}: {option.old} is now {new}\n"
        assert capsys.readouterr() == ("", hint)
    told = parser_of(words, command).format_help() + page(words, command)
    assert not re.search(rf"{option.old}\b", told.replace("\\-", "-"))
    for shell in SHELLS.values():
        scripts = shell([(words, command)])
        assert not re.search(rf"(--|-l ){option.old[2:]}\b", scripts)


def test_a_word_after_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    _, options = parse(["analyse", "--", "--worst"], SIXPRIME)
    assert options.files == ["--worst"]
    assert capsys.readouterr().err == ""


def test_one_thing_has_one_word() -> None:
    """How many is --most, a database --database, a format --to."""
    kept = {option.names[0] for _, _, option in RENAMED}
    old = {option.old for _, _, option in RENAMED}
    wanted = "--most --database --to --rollout --resume --log --server --account"
    assert kept == set(wanted.split())
    for words, command in every_command(SIXPRIME):
        names = {name for option in command.flags for name in option.names}
        assert not names & (old - {"--keep"}), words  # keeps plays elsewhere


def test_garbage_is_collected_while_a_command_works(capsys: pytest.CaptureFixture[str]) -> None:
    gc.disable()  # as sixprime.__main__ does before the imports
    try:
        assert main(["levels", "list"]) == 0
        assert gc.isenabled()
    finally:
        gc.enable()
