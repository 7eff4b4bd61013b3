"""Where the control socket is: only its owner gets there, and a process that lives keeps it."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.control.controlsocket import (
    Occupied,
    connected,
    likely_places,
    listen,
    own_place,
    remove,
)
from sixprime.engine.system.errors import Unavailable


@pytest.mark.parametrize("name", ["bot.sock", "x" * 90, "deep/" * 40 + "bot.sock"])
def test_only_the_owner_gets_there_however_long_the_path(tmp_path: Path, name: str) -> None:
    path = tmp_path / "control" / name
    listener = listen(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    connected(path).close()
    remove(path, listener)
    assert not path.exists()


def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(Unavailable, match="others can enter"):
        listen(tmp_path / "bot.sock")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_stays(tmp_path: Path) -> None:
    path = tmp_path / "bot.sock"
    path.write_text("mine")
    with pytest.raises(Unavailable, match="is not a socket"):
        listen(path)
    assert path.read_text() == "mine"
    with pytest.raises(Unavailable):
        listen(path / "below.sock")


def test_what_a_killed_process_left_is_replaced_and_a_live_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "bot.sock"
    listen(path).close()
    assert path.exists()
    listener = listen(path)
    with pytest.raises(Occupied, match="another process listens at"):
        listen(path)
    with connected(path) as client:
        client.sendall(b"x")
        probe, served = listener.accept()[0], listener.accept()[0]
        assert (probe.recv(1), served.recv(1)) == (b"", b"x")
        probe.close()
        served.close()
    remove(path, listener)


def test_a_process_that_ends_leaves_the_socket_of_another_alone(tmp_path: Path) -> None:
    path = tmp_path / "bot.sock"
    first = listen(path)
    path.unlink()  # by somebody else
    second = listen(path)
    remove(path, first)
    connected(path).close()
    remove(path, second)


def test_a_file_is_found_from_anywhere_and_its_profiles_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    config, here = tmp_path / "bot.yaml", Path("bot.yaml")
    places = {own_place(config, None), own_place(config, "anna"), own_place(config, "../ben")}
    assert len(places) == 3
    assert {each.parent for each in places} == {tmp_path / "control"}
    assert likely_places(here, "anna") == [own_place(config, "anna"), own_place(config, None)]
    alone: socket.socket = listen(own_place(config, "anna"))
    assert likely_places(here, None) == [own_place(config, None), own_place(config, "anna")]
    remove(own_place(config, "anna"), alone)


def test_of_several_processes_with_one_file_a_profile_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path))
    config = tmp_path / "bot.yaml"
    config.write_text("")
    asked = ["control", "pause", "--config", str(config)]
    places = [own_place(config, name) for name in ("anna", "ben")]
    listeners = [listen(place) for place in places]
    assert main(asked) == 1
    assert capsys.readouterr().err == (
        "sixprime control: several processes play this file; give --profile\n"
    )
    for place, listener in zip(places, listeners, strict=True):
        remove(place, listener)
    assert main(asked) == 1
    assert f"nothing answers at {own_place(config, None)}: " in capsys.readouterr().err
