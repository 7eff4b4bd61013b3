"""`sixprime control` and SIGHUP steer a real `sixprime play`; server and opponent see it."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sixprime.bot.cli.operator.play import matches_folder
from sixprime.bot.client.leaving import ASKED, SAVED
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.protocols.fibs.wire import commands as c
from tests.support.bot.steered import ANNA, BEN, SIXPRIME, WITHIN_S, steered

pytestmark = pytest.mark.patient


def test_each_action_has_its_effect_and_is_told_and_logged(tmp_path: Path) -> None:
    async def check() -> None:
        async with steered(tmp_path) as bot:
            server, ben = bot.server, bot.ben
            assert "anna: idle; anna at 127.0.0.1" in await bot.does("status")
            assert "plays no match" in await bot.refuses("leave")
            assert "plays no match" in await bot.refuses("say", "hello")

            assert "anna ben is blocked" in await bot.does("block", BEN)
            ben.send(c.Invite(ANNA, 1))
            await bot.until(lambda: "Sorry, I am not playing now." in bot.says(ANNA))
            assert "anna ben is allowed" in await bot.does("allow", BEN)
            ben.send(c.Invite(ANNA, 1))
            await bot.until(bot.sits)

            assert "says it to ben" in await bot.does("say", "good", "luck")
            await bot.until(lambda: "good luck" in bot.says(ANNA))
            assert "is playing" in await bot.refuses("invite", BEN, "3")
            assert "did you mean 'expert'" in await bot.refuses("level", "exprt")
            assert "plays at level casual at once" in await bot.does("level", "casual", "--now")
            ben.send(c.Tell(ANNA, "level?"))
            await bot.until(lambda: any("my level is casual" in said for said in bot.says(ANNA)))

            assert "pauses after the match with ben" in await bot.does("pause")
            assert "leaves the match with ben" in await bot.does("leave")
            await bot.until(lambda: ANNA not in server.playing)
            assert f"{ASKED} {SAVED}" in bot.says(ANNA)
            await bot.until(lambda: server.accounts[ANNA].away == "I am resting.")
            assert not server.accounts[ANNA].has("ready")
            assert "anna: away" in await bot.does("status")
            assert "is paused" in await bot.refuses("invite", BEN, "3")
            assert "plays again" in await bot.does("resume")
            await bot.until(bot.is_ready)
            assert len(server.matches) == 1

            for words, why in (
                (("invite", "no user", "3"), "is not a user name"),
                (("invite", BEN, "0"), "no match has 0 points"),
                (("invite", ANNA, "3"), "cannot invite itself"),
                (("invite", "carla", "3"), "carla is not logged in"),
                (("block", "x\ny"), "is not a user name"),
                (("pause", "--profile", "carla"), "no profile 'carla', known: anna"),
            ):
                assert why in await bot.refuses(*words)

            assert "invites ben to resume" in await bot.does("invite", BEN, "3")
            await bot.until(bot.sits)
            ben.deciding = True
            assert "anna stops after the match with ben" in await bot.does("finish")
            assert await bot.end() == 0
            assert not server.matches
        assert "Traceback" not in bot.log
        for action in ("block", "allow", "say", "level", "pause", "leave", "resume", "finish"):
            assert re.search(rf"done .*'action': '{action}'", bot.log), action
        assert "by=" in bot.log

    asyncio.run(check())


def test_a_changed_file_is_followed_and_a_wrong_one_refused(tmp_path: Path) -> None:
    async def check() -> None:
        async with steered(tmp_path) as bot:
            right = bot.config.read_text()
            changed = right.replace("lobby: {", "lobby: {paused: true, away: Tea., ")
            changed = changed.replace("user: anna", "user: carla").replace("info", "debug")
            bot.config.write_text(changed)
            bot.process.send_signal(signal.SIGHUP)
            await bot.until(lambda: bot.server.accounts[ANNA].away == "Tea.")
            await bot.until(lambda: "only a restart changes: account.user" in bot.log)
            assert "logging.level, lobby.paused, lobby.away" in bot.log
            assert "line='away Tea.'" in bot.log, "logged at debug level"

            for wrong, why in (
                ("lobby: {", "lobby: {pausd: true, "),
                ("level: pips,", "level: {plies: 9}, "),
                ("lobby: {", "lobby: [{"),
                ("logging: {", f"logging: {{file: {tmp_path}, "),
            ):
                bot.config.write_text(right.replace(wrong, why))
                said = await bot.refuses("reload")
                assert "the old settings stay: " in said
            assert bot.server.accounts[ANNA].away == "Tea."

            await bot.does("pause")
            greets = right.replace('greeting: ""', 'greeting: "Well met, {opponent}."')
            bot.config.write_text(
                greets.replace("most_s: 0}", "most_s: 0}, patience: {ask_after_s: 0.1}")
            )
            said = await bot.does("reload")
            for setting in ("player.patience.ask_after_s", "lobby.paused", "chat.greeting"):
                assert setting in said
            await bot.until(bot.is_ready)
            await bot.does("invite", BEN, "1")
            told = {"Well met, ben.", "Are you still there?"}
            await bot.until(lambda: told <= set(bot.says(ANNA)))
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.end() == 0

    asyncio.run(check())


def test_a_terminal_that_closes_ends_no_match(tmp_path: Path) -> None:
    async def check() -> None:
        screen, terminal = pty.openpty()
        async with steered(tmp_path, terminal=terminal) as bot:
            os.close(terminal)
            await bot.does("invite", BEN, "1")
            await bot.until(bot.sits)
            os.close(screen)
            bot.ben.deciding = True
            await bot.until(lambda: bot.ben.matches == 1)
            assert "anna: " in await bot.does("status")
            assert "connected, or dials already" in await bot.refuses("dial")
            assert "anna forgives ben" in await bot.does("forgive", BEN)
            assert "ben is neither blocked nor allowed" in await bot.does("unblock", BEN)
            assert "anna stops" in await bot.does("stop")
            assert await bot.end() == 0

    asyncio.run(check())


def test_a_file_that_is_played_already_is_not_played_twice(tmp_path: Path) -> None:
    async def check() -> None:
        async with steered(tmp_path) as bot:
            again = await asyncio.create_subprocess_exec(
                *(*SIXPRIME, "play", "--config", str(bot.config)),
                stderr=asyncio.subprocess.PIPE,
                env=bot.environment,
            )
            _, said = await again.communicate()
            assert again.returncode == 2
            assert f" is played by another process already ({bot.process.pid})" in said.decode()
            assert said.count(b"\n") == 1
            other = tmp_path / "other.yaml"  # the account, in another file and without a socket
            text = f"profiles: {{a: {{}}}}\ncontrol: {{socket: null}}\n{bot.config.read_text()}"
            other.write_text(text)
            again = await asyncio.create_subprocess_exec(
                *(*SIXPRIME, "play", "--config", str(other), "--profile", "a"),
                stderr=asyncio.subprocess.PIPE,
                env=bot.environment,
            )
            _, said = await again.communicate()
            assert again.returncode == 2
            assert b"sixprime play: anna at 127.0.0.1:" in said
            assert "anna: idle" in await bot.does("status")

            bot.process.kill()  # what it leaves is no obstacle
            await bot.end()
            assert "is it running?" in await bot.refuses("status")
        async with steered(tmp_path) as bot:
            assert "anna: idle" in await bot.does("status")

    asyncio.run(check())


HUNG_UP_EARLY = """\
import os, signal
from sixprime.bot.settings import file
load = file.load_config

def early(path):
    os.kill(os.getpid(), signal.SIGHUP)
    return load(path)

file.load_config = early
from sixprime.bot.cli.main import main
raise SystemExit(main(["play", "--config", "bot.yaml"]))
"""


HUNG_UP_AT_EVERY_IMPORT = """\
import os, signal, sys
from sixprime.bot.cli.main import run

class HangUp:
    def find_spec(*_):
        os.kill(os.getpid(), signal.SIGHUP)

sys.meta_path.insert(0, HangUp())
run(["play", "--config", "bot.yaml"])
"""


@pytest.mark.parametrize("script", [HUNG_UP_EARLY, HUNG_UP_AT_EVERY_IMPORT])
def test_a_hangup_while_it_starts_does_not_kill_it(tmp_path: Path, script: str) -> None:
    (tmp_path / "bot.yaml").write_text("account: {user: anna, password_env: NO_SUCH_VARIABLE}\n")
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_matches_in_the_browser_are_kept_beside_the_archive(tmp_path: Path) -> None:
    archive = ArchiveSettings(database=f"sqlite:///{tmp_path / 'bot' / 'archive.db'}")
    assert matches_folder(archive) == tmp_path / "bot" / "web-matches"
