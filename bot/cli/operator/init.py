"""`sixprime init`: settings for `sixprime play`, made from four answers."""

from __future__ import annotations

import getpass
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.line.operator import WHOM_HELP
from sixprime.bot.cli.line.shared import SETTINGS_NAME
from sixprime.bot.settings.example import SCHEMA, example, schema_text
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.schema import Config
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.wholefiles import write_whole

RAW_LOG_DAYS = 90  # the raw log grows fastest in an archive
WHOM: Mapping[str, Mapping[str, object]] = {
    "people": {},
    "anybody": {"lobby.accept.bots": True},
    "everybody": {
        "lobby.accept.bots": True,
        "lobby.invite.after_idle_s": 60,
        "lobby.invite.whom": "anyone",
    },
}
USUAL = {"fibs": "fibs.com:4321", "bgammon": "bgammon.org:1337"}
LEVEL_QUESTION = "Level: 'pr 7' plays like a club player; or a name, or a rating such as 1650"
UNIT = """\
[Unit]
Description=Sixprime, a backgammon bot
Wants=network-online.target
After=network-online.target

[Service]
ExecStart="{python}" -m sixprime play --config "{settings}"
ExecReload="{python}" -m sixprime control reload --config "{settings}"
WorkingDirectory={folder}
Restart=on-failure
RestartSec=30
# no restart helps against wrong settings (2) or a refused password (77)
RestartPreventExitStatus=2 77
TimeoutStopSec=45

[Install]
WantedBy=default.target
"""


def write_first_settings(options: Namespace) -> int:
    file, unit = options.file, options.systemd and options.systemd.expanduser()
    secret = file.with_suffix(".password").absolute()
    for path in (file, secret, *([] if unit is None else [unit])):
        if path.exists():
            raise UsageError(f"{path} exists; {'remove it' if path == secret else 'name another'}")
    changes = {
        "archive.raw_log_days": RAW_LOG_DAYS,
        **({} if options.kind == "fibs" else {"server.kind": options.kind}),
        **_answered(options.server, "Server", USUAL[options.kind], _server),
        **_answered(options.account, "Account", "", _account),
        **_answered(options.level, LEVEL_QUESTION, "world-class", _level),
        **_answered(options.whom, f"Whom to play: {WHOM_HELP}", "people", _whom),
    }
    question = f"Password of {changes['account.user']}, empty to set it later: "
    password = _typed(getpass.getpass, question) if _asks() else ""
    if password or unit is not None:  # nobody can be asked, so a unit reads a file
        changes["account.password_file"] = str(secret)
    write_settings(file, changes)
    if password:
        with refusing(OSError, at=secret):
            _write_new(secret, password + "\n", 0o600)
    if unit is not None:
        _write_unit(unit, file.absolute())
    if not password and unit is not None:
        print(f"Write the password into {secret} and let only yourself read it: chmod 600")
    elif not password:
        print("Set SIXPRIME_PASSWORD to the password, or type it when `sixprime play` asks.")
    found = "" if file == Path(SETTINGS_NAME) else f" --config {file}"
    print(f"{file} is written. Next: sixprime play{found}")
    return 0


Changes = Mapping[str, object]


def _server(text: str) -> Changes:
    """HOST, HOST:PORT, ::1 or [::1]:PORT."""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif re.fullmatch("[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*", text, re.IGNORECASE):
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    return {"server.host": host} | (
        {"server.port": int(port) if port.isdecimal() else port} if port else {}
    )


def _account(text: str) -> Changes:
    if not text:
        raise UsageError("an account is needed: --account NAME")
    return {"account.user": text}


def _level(text: str) -> Changes:
    return {"player.level": text}


def _whom(text: str) -> Changes:
    if text not in WHOM:
        raise UsageError(f"whom to play is one of: {', '.join(WHOM)}")
    return WHOM[text]


def _answered(
    given: str | None, question: str, default: str, read: Callable[[str], Changes]
) -> Changes:
    """Return the changes of an option or an answer; ask again after a wrong answer."""
    while True:
        answer = given or _asked(question, default)
        try:
            changes = read(answer)
            settings_text(Path(SETTINGS_NAME), {"account.user": "somebody", **changes})
            return changes
        except UsageError as error:
            if given or not _asks():
                raise
            print(error)


def write_settings(path: Path, changes: Changes) -> Config:
    """Write new settings, which have these changes, and their schema; UsageError."""
    text, config = settings_text(path, changes)  # before anything is written: a value may be wrong
    with refusing(OSError, at=path):
        _write_new(path, text)
        write_whole(path.parent / SCHEMA, schema_text())
    return config


def settings_text(path: Path, changes: Changes) -> tuple[str, Config]:
    """Return the text of such a file, and its settings; UsageError."""
    text = example(path.name, changes)
    try:
        return text, read_config(text, path)
    except ConfigError as error:
        raise UsageError(error.faults[0]) from error


def _asks() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(question: str, default: str) -> str:
    if not _asks():
        return default
    shown = f" [{default}]" if default else ""
    return _typed(input, f"{question}{shown}: ").strip() or default


def _typed(ask: Callable[[str], str], question: str) -> str:
    try:
        return ask(question)
    except (EOFError, KeyboardInterrupt) as error:
        print()  # end the question's line
        if isinstance(error, KeyboardInterrupt):
            raise
        raise UsageError("the input ended") from None


def _write_new(path: Path, text: str, mode: int = 0o666) -> None:
    """Write a new file whole, or not at all."""
    path.touch(mode, exist_ok=False)
    try:
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        path.unlink()
        raise


def _write_unit(path: Path, settings: Path) -> None:
    places = {"python": sys.executable, "settings": settings, "folder": settings.parent}
    text = UNIT.format(**{name: str(place).replace("%", "%%") for name, place in places.items()})
    with refusing(OSError, at=path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(path, text)
    print(f"{path} is written: systemctl --user daemon-reload && systemctl --user enable --now "
          f"{path.name}; loginctl enable-linger keeps it running when you log out")  # fmt: skip
