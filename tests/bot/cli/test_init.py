"""`sixprime init`, and the settings file that every command finds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest
import yaml

from sixprime.bot.cli.line.shared import SETTINGS_VARIABLE as VARIABLE
from sixprime.bot.cli.main import main
from sixprime.bot.cli.operator import init
from sixprime.bot.settings.file import load_config


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


@pytest.mark.patient
def test_four_questions_and_a_password_make_a_bot(elsewhere: Path) -> None:
    asked = pexpect.spawn(
        sys.executable, ["-m", "sixprime", "init"], encoding="utf-8", timeout=30, cwd=str(elsewhere)
    )
    for question, answer in (
        ("Server", "localhost:4999"),
        ("Account", "my_bot"),
        ("Level", "1650"),
        ("Whom", "everybody"),
        ("Password of my_bot", "hunter22"),
    ):
        asked.expect(question)
        asked.sendline(answer)
    asked.expect("Next: sixprime play")
    asked.expect(pexpect.EOF)
    (profile,) = load_config(Path("sixprime.yaml")).profiles
    assert (profile.server.host, profile.server.port) == ("localhost", 4999)
    assert profile.player.level == {"target_rating": 1650}
    assert profile.lobby.accept.bots
    secret = profile.account.password_file
    assert secret is not None
    assert secret.read_text() == "hunter22\n"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert "hunter22" not in Path("sixprime.yaml").read_text()


def test_without_a_terminal_the_defaults_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--account", "my_bot", "--systemd", "unit.service"]) == 0
    assert yaml.safe_load(Path("sixprime.yaml").read_text())["server"]["host"] == "fibs.com"
    assert str(Path("sixprime.yaml").absolute()) in Path("unit.service").read_text()
    (profile,) = load_config(
        Path("sixprime.yaml")
    ).profiles  # nobody can be asked, nor sets a variable
    assert profile.account.password_file == Path("sixprime.password").absolute()
    assert f"Write the password into {profile.account.password_file}" in capsys.readouterr().out
    assert main(["init", "--account", "my_bot"]) == 2
    assert "sixprime.yaml exists" in capsys.readouterr().err


@pytest.mark.patient
def test_a_wrong_answer_is_asked_for_again_and_a_closed_terminal_ends_it(elsewhere: Path) -> None:
    asked = pexpect.spawn(
        sys.executable,
        ["-m", "sixprime", "init"],
        encoding="utf-8",
        timeout=300,
        cwd=str(elsewhere),
    )
    for question, answer in (
        ("Server .*: ", "localhost:0"),
        ("server.port: 0 .*Server .*: ", "localhost"),
        ("Account: ", ""),
        ("an account is needed.*Account: ", "my_bot"),
        ("Level.*: ", "expart"),
        ("expert.*Level.*: ", "expert"),
        ("Whom.*: ", "nobody"),
        ("whom to play is one of.*Whom.*: ", ""),
    ):
        asked.expect(question)
        asked.sendline(answer)
    asked.expect("Password of my_bot.*: ")
    asked.sendeof()
    asked.expect("init: the input ended")
    asked.expect(pexpect.EOF)
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize(
    ("server", "host", "port"),
    [("::1", "::1", 4321), ("[::1]", "::1", 4321), ("[fe80::2]:99", "fe80::2", 99)],
)
def test_a_server_may_be_an_address_of_six(server: str, host: str, port: int) -> None:
    assert main(["init", "--account", "my_bot", "--server", server]) == 0
    (profile,) = load_config(Path("sixprime.yaml")).profiles
    assert (profile.server.host, profile.server.port) == (host, port)


@pytest.mark.parametrize("there", ["sixprime.password", "unit.service"])
def test_nothing_is_written_where_one_of_the_files_exists(
    elsewhere: Path, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(there).touch()
    assert main(["init", "--account", "my_bot", "--systemd", "unit.service"]) == 2
    assert f"{there} exists" in capsys.readouterr().err
    assert [each.name for each in elsewhere.iterdir()] == [there]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "an account is needed"),
        (["--account", "two words"], "not a user name"),
        (["--account", "a", "--server", "host:port"], "not a whole number"),
        (["--account", "a", "--server", "host:1:2"], "not a whole number"),
        (["--account", "a", "--level", "expart"], "expert"),
        (["--account", "a", "--level", "9999"], "from 151 to 2000"),
    ],
)
def test_a_wrong_answer_writes_nothing(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *words]) == 2
    assert why in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_commands_find_the_same_file_and_say_which(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "check"]) == 2
    assert "sixprime init" in capsys.readouterr().err
    home = elsewhere / "xdg" / "sixprime"
    home.mkdir(parents=True)
    named = elsewhere / "named.yaml"
    for path, user in ((home / "sixprime.yaml", "xdg"), (Path("sixprime.yaml"), "here")):
        assert main(["init", str(path), "--account", user]) == 0
        assert main(["config", "check"]) == 0
        said = capsys.readouterr()
        assert f"settings: {path}" in said.err
        assert f"({user})" in said.out
    assert main(["init", str(named), "--account", "named"]) == 0
    monkeypatch.setenv(VARIABLE, str(named))
    assert main(["config", "check"]) == 0
    assert "(named)" in capsys.readouterr().out
    for words in (["sixprime.yaml"], ["--config", "sixprime.yaml"]):
        for verb in ("check", "show"):
            assert main(["config", verb, *words]) == 0
            assert "here" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["config", "check", "sixprime.yaml", "--config", str(named)])


def test_sixprime_alone_says_where_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "sixprime init" in capsys.readouterr().out


def test_a_full_disk_leaves_no_half_of_a_file(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, *_: object, **__: object) -> object:
        path.touch()
        return os.fdopen(os.open("/dev/full", os.O_WRONLY), "w")

    monkeypatch.setattr(Path, "open", full)
    assert main(["init", "--account", "my_bot"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert not list(elsewhere.iterdir())
    with pytest.raises(OSError, match="No space left"):
        init._write_new(Path("sixprime.password"), "hunter22\n", 0o600)
    assert not list(elsewhere.iterdir())


def test_a_folder_with_a_percent_sign_means_itself_to_systemd(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "50% home").mkdir()
    monkeypatch.chdir(elsewhere / "50% home")
    assert main(["init", "--account", "my_bot", "--systemd", "unit.service"]) == 0
    assert f"WorkingDirectory={elsewhere}/50%% home\n" in Path("unit.service").read_text()
