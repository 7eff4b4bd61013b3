"""The settings of `sixprime play`: defaults, faults by path, passwords nowhere."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from sixprime.bot.cli.main import main
from sixprime.bot.client.ladder import levels_of
from sixprime.bot.settings.example import SCHEMA, example, schema
from sixprime.bot.settings.file import chosen, load_config, read_config, shown
from sixprime.bot.settings.passwords import Secret, find_password
from sixprime.bot.settings.schema import (
    AccountSettings,
    ArchiveSettings,
    Chat,
    Config,
    Lobby,
    Logging,
    MetricsSettings,
    PlayerSettings,
    Profile,
    ServerSettings,
)
from sixprime.engine.system.errors import ConfigError
from tests.support.places import ROOT

FILES = {"config/fibs.yaml": {}, "config/tigergammon.yaml": {"server.host": "tigergammon.com"}}
FILE = Path("bot.yaml")
USER = "account: {user: anna}\n"


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_file_shows_every_setting_with_its_default(name: str) -> None:
    assert (ROOT / name).read_text() == example(name, FILES[name])


def test_the_shipped_file_says_exactly_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "config")
    config = load_config(Path("fibs.yaml"))
    (profile,) = config.profiles
    sections = (profile.server, profile.player, profile.lobby, profile.chat, profile.archive)
    assert sections == (ServerSettings(), PlayerSettings(), Lobby(), Chat(), ArchiveSettings())
    assert profile.account == AccountSettings(user="your_bot")
    assert (config.logging, config.metrics) == (Logging(), MetricsSettings())


def fields(model: type[BaseModel], place: str = "") -> Iterator[tuple[str, str | None]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        yield place + name, field.description
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from fields(inner, f"{place}{name}.")


def test_every_setting_says_what_it_means() -> None:
    assert [
        path for path, meaning in fields(Profile) if not meaning and path not in ("name",)
    ] == []


WRONG = [
    # text, the fault that is told
    ("", "not a mapping of settings; `sixprime config init` writes one"),
    ("- 1", "not a mapping of settings"),
    ("server: [", "line 1, column 10: "),
    (
        "server: {port: 1}\nserver: {port: 2}",
        "line 2, column 1: 'server' is set twice here, keep one",
    ),
    ("server: {port: 04321}", "line 1, column 16: a number that begins with 0, or has a colon,"),
    ("lobby: {quiet_hours: 22:30}", "line 1, column 22: a number that begins with 0, or has a"),
    ("server: {port: 0}", "server.port: 0 is out of range"),
    ("account: &a {user: anna}\nserver: *a", "aliases (*name) are not understood, write the value"),
    ("server: {port: 4321}", "account: is missing"),
    ("account: {}", "account.user: is missing"),
    ("account: {user: anna-b}", "account.user: not a user name: letters, digits and _ only"),
    ("account: {user: 7}", "account.user: this is not text"),
    ("account: {user: anna, client: my bot}", "account.client: not one printable word"),
    ("account: {user: anna, password: x}", "account: no setting 'password': a password is not"),
    ("account: {usr: anna}", "account: no setting 'usr', did you mean 'user'?"),
    (USER + "sever: {}", "no setting 'sever', did you mean 'server'?"),
    (
        USER + "match_lengths: [1]",
        "no setting 'match_lengths'; there is lobby.accept.match_lengths",
    ),
    (USER + "server: {port: 99999}", "server.port: 99999 is out of range, it has to be at most"),
    (
        USER + "server: {port: '4321'}",
        "server.port: '4321' is not a whole number, write it without",
    ),
    (USER + "server: {port: 4321.5}", "server.port: 4321.5 is not a whole number"),
    (USER + "server: 4321", "server: 4321 is not a mapping of settings"),
    (USER + "server: {hots: x}", "server: no setting 'hots', did you mean 'host'?"),
    (USER + "server: {reconnect: {first_s: 0}}", "server.reconnect.first_s: 0 is out of range"),
    (
        USER + "server: {reconnect: {most_s: 1}}",
        "server.reconnect: most_s has to be at least first_s",
    ),
    (USER + "player: {level: expret}", "player.level: no level 'expret', did you mean 'expert'?"),
    (USER + "player: {level: [3]}", "player.level: a level is a name or a mapping"),
    (USER + "player: {level: true}", "player.level: a level is a name or a mapping"),
    (
        USER + "player: {level: 3}",
        "player.level: target_rating: 3 is out of range, from 151 to 2000",
    ),
    (USER + "player: {level: pr 31}", "player.level: pr 31 is out of range, people play from pr 1"),
    (USER + "player: {level: prr 3}", "player.level: no level 'prr 3', did you mean 'pr N'?"),
    (USER + "player: {level: {}}", "player.level: a level of one's own needs at least one"),
    (
        USER + "player: {level: {target_rating: 9}}",
        "player.level: target_rating: 9 is out of range",
    ),
    (
        USER + "player: {resign: nevr}",
        "player.resign: 'nevr' is none of never, when-certain, like-people",
    ),
    (
        USER + "player: {pace: {least_s: .inf}}",
        "player.pace.least_s: inf is not a number that ends",
    ),
    (USER + "player: {pace: {least_s: 5}}", "player.pace: most_s has to be at least least_s"),
    (USER + "player: {thinking: {threads: 0}}", "player.thinking.threads: 0 is out of range"),
    (
        USER + "lobby: {accept: {match_lengths: [1, 3, 0]}}",
        "lobby.accept.match_lengths[2]: 0 is not a match length",
    ),
    (
        USER + "lobby: {accept: {match_lenghts: [1]}}",
        "lobby.accept: no setting 'match_lenghts', did you mean 'match_lengths'?",
    ),
    (USER + "lobby: {accept: {match_lengths: 5}}", "lobby.accept.match_lengths: 5 is not a list"),
    (
        USER + "lobby: {accept: {unlimited: ja}}",
        "lobby.accept.unlimited: 'ja' is not true or false",
    ),
    (
        USER + "lobby: {accept: {rating: {least: 1700, most: 1600}}}",
        "lobby.accept.rating: most is below least, swap them",
    ),
    (
        USER + "lobby: {accept: {experience_for_length: {x: 1}}}",
        "lobby.accept.experience_for_length.x: 'x' is not a match length from 1 to 99",
    ),
    (USER + "lobby: {accept: {only_allowed: true}}", "lobby.accept: only_allowed with an empty"),
    (USER + "lobby: {accept: {block: [a], allow: [a]}}", "lobby.accept: 'a' is in both"),
    (USER + "lobby: {accept: {block: ['a b']}}", "lobby.accept.block[0]: not a user name"),
    (USER + "lobby: {humans_first: 2}", "lobby.humans_first: 2 is out of range, it has to be at"),
    (USER + "lobby: {quiet_hours: 22-7}", "lobby.quiet_hours: not HH:MM-HH:MM, such as 22:00-07:0"),
    (USER + "lobby: {quiet_hours: '08:00-08:00'}", "lobby.quiet_hours: begins and ends at 08:00"),
    (USER + "lobby: {games_in_a_row: -1}", "lobby.games_in_a_row: -1 is out of range"),
    (
        USER + "lobby: {block_file: a.txt}",
        "lobby: no setting 'block_file'; there is lobby.accept.block_file",
    ),
    (
        USER + "lobby: {invite: {whom: any}}",
        "lobby.invite.whom: 'any' is none of preferred, anyone",
    ),
    (USER + "chat: {greeting: 'Hi {oponent}'}", "chat.greeting: no field {oponent}, known: "),
    (USER + "chat: {stats: 'Rating {rating:.0f}'}", "chat.stats: {rating} takes no format"),
    (USER + "archive: {file_name: '{length!r}'}", "archive.file_name: {length} takes no format"),
    (USER + "archive: {file_name: '{server}/{id}'}", "archive.file_name: a name of files in one"),
    (USER + "chat: {greeting: 'Hi {'}", "chat.greeting: braces do not match"),
    (USER + 'chat: {farewell: "a\\nb"}', "chat.farewell: servers take plain ASCII on one line"),
    (USER + "chat: {help: '" + "x" * 300 + "'}", "chat.help: too long for one line"),
    (USER + "chat: {bots: ['(']}", "chat.bots[0]: '(' is not a regular expression"),
    (
        USER + "archive: {formats: [sgff]}",
        "archive.formats[0]: 'sgff' is none of oldmoves, sgf, mat,",
    ),
    (USER + "archive: {database: a.db}", "archive.database: not a database URL; a file is written"),
    (
        USER + "archive: {database: 'postgresql://me:p@ss@db/bg'}",
        "archive.database: a @ in a password, or after it, is written %40",
    ),
    (USER + "archive: {file_name: '{who}'}", "archive.file_name: no field {who}"),
    (
        USER + "logging: {level: inf}",
        "logging.level: 'inf' is none of debug, info, warning, error,",
    ),
    (USER + "metrics: {listen: 9321}", "metrics.listen: 9321 is not text"),
    (USER + "web: {proxies: [nginx]}", "web.proxies[0]: not an address such as 127.0.0.1"),
    (USER + "metrics: {listen: here}", "metrics.listen: not HOST:PORT, such as 127.0.0.1:9321"),
    (USER + 'metrics: {listen: "a..b:1"}', "metrics.listen: not HOST:PORT, such as 127.0.0.1:9321"),
    ("profiles: [anna]", "profiles: has to be a mapping from names to settings"),
    ("profiles: {anna: 3}", "profiles.anna: has to be a mapping of settings"),
    ("profiles: {anna: {}}", "profiles.anna.account: is missing"),
    (
        "profiles: {anna: {account: {user: a}, loby: {}}}",
        "profiles.anna: no setting 'loby', did you mean 'lobby'?",
    ),
    (
        USER + "profiles: {anna: {server: {port: 0}}}",
        "profiles.anna.server.port: 0 is out of range, it has to be at least 1",
    ),
    (USER + "server: {port: 0}\nprofiles: {anna: {lobby: {}}}", "server.port: 0 is out of range"),
    (USER + "profiles: {a: {}, b: {}}", "profiles.b.account.user: 'anna' is already the account"),
    (
        USER + "profiles: {a: {}, b: {server: {host: FIBS.com}}}",
        "profiles.b.account.user: 'anna' is already the account",
    ),
]


@pytest.mark.parametrize(("text", "fault"), WRONG)
def test_a_wrong_file_is_answered_by_path_and_remedy(text: str, fault: str) -> None:
    with pytest.raises(ConfigError) as told:
        read_config(text, FILE)
    assert any(line.startswith(fault) for line in told.value.faults), told.value.faults


def test_a_profile_says_only_what_differs() -> None:
    text = """
server: {host: example.org, reconnect: {first_s: 5}}
lobby: {accept: {match_lengths: [1, 2]}}
profiles:
  anna: {account: {user: anna}, lobby: {accept: {bots: yes}}}
  ben: {account: {user: ben}, server: {port: 99}, player: {level: {plies: 2, noise: 0.1}}}
"""
    anna, ben = read_config(text, FILE).profiles
    assert (anna.name, anna.server.host, anna.server.port) == ("anna", "example.org", 4321)
    assert anna.lobby.accept.match_lengths == (1, 2)
    assert anna.lobby.accept.bots
    assert not ben.lobby.accept.bots
    assert (ben.server.port, ben.server.reconnect.first_s) == (99, 5.0)
    assert ben.player.level == {"plies": 2, "noise": 0.1}


def test_one_profile_is_chosen_by_name() -> None:
    config = read_config("profiles: {anna: {account: {user: a}}, ben: {account: {user: b}}}", FILE)
    assert [p.account.user for p in chosen(config, "ben")] == ["b"]
    assert len(chosen(config, None)) == 2
    with pytest.raises(ConfigError, match="did you mean 'anna'"):
        chosen(config, "ana")


def test_what_is_shown_can_be_read_again_and_hides_the_database_password() -> None:
    text = USER + "archive: {database: 'postgresql://bot:geheim@db/bg'}"
    config = read_config(text, FILE)
    assert "geheim" not in shown(config) + repr(config) + str(config)
    again = read_config(shown(config), FILE)
    assert again.profiles[0].lobby == config.profiles[0].lobby
    assert isinstance(again, Config)


def test_faults_never_quote_what_could_be_a_password() -> None:
    text = "account: {user: 'ge heim', password: geheim}\narchive: {database: geheim}"
    with pytest.raises(ConfigError) as told:
        read_config(text, FILE)
    assert "heim" not in repr(told.value) + "".join(told.value.faults)


def test_the_schema_knows_every_section() -> None:
    made = schema()
    assert set(made["properties"]) == {
        *("server", "account", "player", "lobby", "chat", "archive"),
        *("logging", "notices", "metrics", "control", "web", "profiles"),
    }
    references = json.dumps(made).count('"$ref"')
    assert references > 10
    assert all(
        f'"{name}"' in json.dumps(made["$defs"]) for name in ("match_lengths", "leave_alone_s")
    )


# --- the command


def test_config_init_writes_a_file_that_check_likes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    assert main(["config", "init", str(file), "--account", "anna", "--server", "localhost"]) == 0
    assert main(["config", "check", str(file)]) == 0
    assert capsys.readouterr().out.endswith("is valid: 1 profile (anna)\n")
    assert main(["config", "init", str(file)]) == 2  # never overwrites
    assert "File exists" in capsys.readouterr().err
    assert main(["config", "show", str(file)]) == 0
    assert "host: localhost" in capsys.readouterr().out
    assert json.loads((tmp_path / SCHEMA).read_text()) == schema()
    assert f"$schema={SCHEMA}\n" in file.read_text()


def test_config_init_to_the_standard_output_writes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["config", "init", "-", "--account", "anna"]) == 0
    assert not list(tmp_path.iterdir())
    assert read_config(capsys.readouterr().out, FILE).profiles[0].account.user == "anna"


@pytest.mark.parametrize(
    "level", ["1500", "'1500'", "{target_rating: 1500}", "{target_rating: 151}"]
)
def test_a_rating_is_a_level_however_it_is_written(level: str) -> None:
    player = read_config(f"{USER}player: {{level: {level}}}", FILE).profiles[0].player
    assert levels_of(player)


def test_an_unknown_level_is_named_beside_other_faults() -> None:
    player = "player: {level: expret, thinking: {cheaper_level: beginer}}\n"
    with pytest.raises(ConfigError) as told:
        read_config(USER + player + "archive: {formats: [pdf]}", FILE)
    paths = {fault.split(":")[0] for fault in told.value.faults}
    assert paths == {"player.level", "player.thinking.cheaper_level", "archive.formats[0]"}


def test_config_check_quotes_nothing_that_steers_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text('"red\\e[31m\\u202E": 1\naccount: {user: a}')
    assert main(["config", "check", str(file)]) == 2
    assert "no setting 'red?[31m?'" in capsys.readouterr().err


def test_config_check_names_all_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("account: {user: 1}\nserver: {port: 0}\n")
    assert main(["config", "check", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["server.port", "account.user"]


def test_config_check_says_how_to_install_a_driver_that_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    file = tmp_path / "mine.yaml"
    file.write_text(USER + "archive: {database: 'postgresql://host/archive'}\n")
    assert main(["config", "check", str(file)]) == 2
    needs = "the database needs the module psycopg (install the extra `postgres`)"
    assert f"archive.database: {needs}" in capsys.readouterr().err


def test_every_example_comes_with_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "example"]) == 0
    names = capsys.readouterr().out.splitlines()
    assert {f"{name}.yaml" for name in names if not name.startswith("deploy/")} == {
        str(path.relative_to(ROOT / "config")) for path in (ROOT / "config").rglob("*.yaml")
    }
    assert main(["config", "example", "fibs"]) == 0
    assert capsys.readouterr().out == (ROOT / "config/fibs.yaml").read_text()
    assert main(["config", "example", "fips"]) == 2
    assert "did you mean 'fibs'?" in capsys.readouterr().err


# --- passwords


def test_a_password_comes_from_the_environment_first(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("from-file\nsecond line\n")
    account = AccountSettings(user="anna", password_env="THE_VARIABLE", password_file=file)
    assert find_password(account, {"THE_VARIABLE": "from-env"}).text == "from-env"
    assert find_password(account, {}).text == "from-file"


def test_a_password_is_asked_for_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(ConfigError, match="SIXPRIME_PASSWORD is not set and there is no terminal"):
        find_password(AccountSettings(user="anna"), {})


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("geheim")
    assert "geheim" not in f"{secret} {secret!r} {[secret]}"


@pytest.mark.parametrize("bad", ["two words", "a:b", "\u00fc", "x" * 61])
def test_an_unusable_password_is_not_quoted(bad: str) -> None:
    with pytest.raises(ConfigError) as told:
        find_password(AccountSettings(user="anna"), {"SIXPRIME_PASSWORD": bad})
    assert bad not in str(told.value)


def test_a_missing_password_file_is_named(tmp_path: Path) -> None:
    account = AccountSettings(user="anna", password_env=None, password_file=tmp_path / "none")
    with pytest.raises(ConfigError, match=r"password_file.*No such file"):
        find_password(account, dict(os.environ))
