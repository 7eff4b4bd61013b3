"""Sessions are recorded without the password, and replayed without the server."""

from __future__ import annotations

import asyncio
import json
import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from sixprime.bot.cli.main import main
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.control.requests import carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.matchlog.events import MatchOver
from sixprime.bot.recording import tape as tapes
from sixprime.bot.recording.sessionfile import (
    FIRST,
    SETTINGS,
    Entry,
    EntryMark,
    entry_of,
    read_session,
)
from sixprime.bot.recording.tape import Tape
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.sandbox.network.chaos import CALM, Rates
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.progress import KnownServer
from tests.support.bot.parrot import Parrot
from tests.support.bot.scene import Crew, config_for
from tests.support.bot.simulator import Link
from tests.support.bot.virtual import PASSWORD, VirtualServer, at_once
from tests.support.bot.wild import PAIR, Wild

PROFILE = config_for(4321, PAIR).profiles[0]


async def evening(file: Path, server: VirtualServer, matches: int, known: KnownServer) -> None:
    """Anna is recorded while she plays with Ben."""
    for name in ("anna", "ben"):
        server.open_account(name)
    server.at(server.now + 30.0, server.tick)
    dice = random.Random(7)
    crew = Crew(
        config_for(4321, PAIR),
        PASSWORD,
        dial=server.dial,
        thinker=lambda _: Thinker([Rung("wild", lambda: Wild(dice), 5.0)], dice=dice, run=at_once),
    )
    anna = crew.service.bots[0]
    anna.known.dialect = known.dialect
    tape = Tape(file, anna.profile, PASSWORD)
    anna.dial, anna.on_order = tape.recording(anna.dial, anna.known), tape.ordered
    task = asyncio.create_task(crew.run())
    steering = Steering(crew.service, lambda: crew.service.config)
    await crew.until(lambda: anna.client.playing, 100_000)
    say = {"action": "say", "text": "How are you?", "profile": "anna"}
    await carry_out(steering, say, "a test")
    await crew.until(lambda: len(crew.memories["anna"].of(MatchOver)) >= matches, 100_000)
    server.rates = CALM
    crew.service.request_stop(Stop.SAVE)
    await task


def record(
    file: Path,
    kind: type[VirtualServer],
    matches: int = 2,
    known: KnownServer | None = None,
    **more: Any,
) -> None:
    async def scene() -> None:
        await evening(file, kind(5, **more), matches, known or KnownServer())

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())


def test_a_recording_replays_without_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "session.txt"
    record(file, VirtualServer)
    assert main(["replay", str(file)]) == 0
    told = capsys.readouterr().out
    assert told.endswith("\n0 differences\n")
    assert " C move " in told
    assert " S board:" in told
    assert " C tell ben How are you?" in told  # as the operator ordered


def test_a_replay_opens_no_file_that_the_recording_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pipe = tmp_path / "session.txt", str(tmp_path / "pipe")
    record(file, VirtualServer, matches=1)
    os.mkfifo(pipe)
    head, _, rest = file.read_text().partition(SETTINGS)
    line, _, rest = rest.partition("\n")
    tree = json.loads(line)
    tree["lobby"]["accept"] |= {"block_file": pipe, "allow_file": pipe}
    tree["lobby"]["invite"]["preferred_file"] = pipe
    tree["player"]["levels_file"] = pipe
    tree["account"]["password_file"] = pipe
    tree["archive"] = {
        "database": f"sqlite:///{pipe}",
        "folder": pipe,
        "database_password_file": pipe,
    }
    file.write_text(f"{head}{SETTINGS}{json.dumps(tree)}\n{rest}")
    met: list[Path] = []
    stat_of = Path.stat

    def stat_noted(path: Path, **how: Any) -> os.stat_result:
        met.append(path)
        return stat_of(path, **how)

    monkeypatch.setattr(Path, "stat", stat_noted)
    assert main(["replay", str(file)]) == 0, capsys.readouterr().out
    assert Path(pipe) not in met


@pytest.mark.parametrize("kind", [VirtualServer, Parrot])
def test_a_recording_through_faults_has_no_password_and_replays_to_its_end(
    tmp_path: Path, kind: type[VirtualServer], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "session.txt"
    record(file, kind, rates=Rates(lose=0, repeat=0, swap=0))
    text = file.read_text()
    assert PASSWORD not in text
    assert "login sixprime_bot 1008 anna ***\\r\\n" in text
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out.endswith("\n0 differences\n")


def test_what_the_bot_no_longer_says_and_what_it_says_anew_is_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "session.txt"
    record(file, VirtualServer, matches=1)
    text = file.read_text().replace("C set linelength 0", "C set linelength 9", 1)
    file.write_text(text[: text.rindex("\n") - 5])  # and a crash cut the last line
    assert main(["replay", str(file)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "2 differences"
    assert {line.split(maxsplit=1)[1] for line in told[-3:-1]} == {
        "only now   set linelength 0",
        "only then  set linelength 9",
    }


def test_a_recorded_loop_is_followed_no_longer_than_it_teaches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "session.txt"
    record(file, VirtualServer, matches=1)
    lines = file.read_text().splitlines()
    del lines[next(i for i, line in enumerate(lines) if " C invite" in line) :]
    began = float(lines[-1].split()[0])
    for second in range(1, 3_001):
        lines.append(f"{began + second:.3f} C join ben\\r\\n")
        lines.append(f"{began + second + 0.1:.3f} S ** The match is already over.\\r\\n")
    file.write_text("\n".join([*lines, ""]))
    assert main(["replay", str(file)]) == 1
    told = capsys.readouterr().out
    assert "only then  join ben" in told
    assert told.count(" S **") < 1_000


@given(st.floats(0, 1e6), st.sampled_from(EntryMark), st.binary())
def test_any_bytes_come_back_from_their_line(at: float, mark: EntryMark, data: bytes) -> None:
    line = Entry(at, mark, data).line()
    assert line.isascii()
    assert line.isprintable()
    assert line == line.rstrip()
    back = entry_of(line)
    assert (back.mark, back.data) == (mark, data)
    assert back.line() == line


@given(st.binary())
def test_any_file_is_a_recording_or_refused_in_words(tmp_path_factory: Any, data: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "session.txt"
    for start in (b"", f"{FIRST}\n0.000 + x:1\n".encode()):
        file.write_bytes(start + data)
        try:
            assert read_session(file).connections
        except InputError as error:
            assert str(error).startswith(str(file))


def test_a_recording_is_for_its_user_alone_and_replaces_only_recordings(tmp_path: Path) -> None:
    file = tmp_path / "new" / "session.txt"
    before = os.umask(0)
    try:
        Tape(file, PROFILE, PASSWORD)
        Tape(file, PROFILE, PASSWORD)
    finally:
        os.umask(before)
    assert {path.name for path in file.parent.iterdir()} == {"session.txt", "session.txt.1"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a file"):
        Tape(tmp_path / "pipe", PROFILE, PASSWORD)
    other = tmp_path / "thesis.txt"
    other.write_text("Chapter 1")
    with pytest.raises(InputError, match="is not a recording"):
        Tape(other, PROFILE, PASSWORD)
    assert other.read_text() == "Chapter 1"


def test_a_recording_stays_bounded_and_each_file_begins_with_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tapes, "LARGE", 20_000)
    monkeypatch.setattr(tapes, "MOST", 30_000)
    file = tmp_path / "session.txt"
    record(file, Parrot, rates=Rates(lose=0, repeat=0, swap=0), matches=3)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"session.txt", "session.txt.1"} < names | {"session.txt.3"}
    assert len(names) <= 4
    for path in tmp_path.iterdir():
        assert path.stat().st_size < 50_000
        assert read_session(path).connections[0][0].mark is EntryMark.CONNECTED


def test_a_full_disk_stops_the_recording_and_not_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, 3_000

    def full(handle: int, data: bytes) -> int:
        nonlocal room
        room -= len(data)
        if room < 0:
            raise OSError(28, "No space left on device")
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)
    record(tmp_path / "session.txt", VirtualServer, matches=1)
    assert read_session(tmp_path / "session.txt").connections


class Silent(VirtualServer):
    """Knows no kibitz."""

    def server_receives(self, link: Link, data: bytes) -> None:
        if data.startswith(b"kibitz"):
            link.to_client(b"** Unknown command: 'kibitz'\r\n")
        else:
            super().server_receives(link, data)


def test_what_a_server_lacks_is_said_once_a_connection_and_known_in_the_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = KnownServer()
    said = []
    for name in ("first.txt", "second.txt"):
        with capture_logs() as logs:
            record(tmp_path / name, Silent, known=known)
        lacks = [entry for entry in logs if entry["event"] == "the server does not know"]
        said.append([(each["profile"], each["commands"]) for each in lacks])
    assert [each for each in said[0] if each[0] == "anna"] == [("anna", ["kibitz"])]
    assert [each for each in said[1] if each[0] == "anna"] == [("anna", ["kibitz"])]
    assert "C kibitz" in (tmp_path / "first.txt").read_text()
    assert "C kibitz" not in (tmp_path / "second.txt").read_text()
    assert main(["replay", str(tmp_path / "second.txt")]) == 0
    assert "C kibitz" not in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(4))
def test_a_recording_with_lines_lost_repeated_and_swapped_is_replayed_to_its_end(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file, dice = tmp_path / "session.txt", random.Random(seed)
    record(file, VirtualServer, matches=1)
    *head, first = (lines := file.read_text().splitlines())[:6]
    damaged = [*head, first]
    for line in lines[6:]:
        at, chance = line.split(" ")[0], dice.random()
        damaged += [line] * (0 if chance < 0.03 else 2 if chance < 0.06 else 1)
        if chance > 0.97:
            damaged.append(f"{at} {dice.choice(lines[6:]).split(' ', 1)[1]}")
    file.write_text("\n".join([*damaged, ""]))
    assert main(["replay", str(file)]) in (0, 1)
    told = capsys.readouterr()
    assert "never ends" not in told.out
    assert "unexpected" not in told.out + told.err
