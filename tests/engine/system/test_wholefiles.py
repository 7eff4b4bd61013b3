from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixprime.engine.system.wholefiles import clear_parts, read_whole, write_json, written_whole


def test_a_file_that_could_not_be_finished_leaves_the_old_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_json(path, {"trials": 36})
    with pytest.raises(RuntimeError), written_whole(path) as file:
        file.write(b"half of")
        file.flush()
        assert json.loads(path.read_text()) == {"trials": 36}
        raise RuntimeError("the power went")
    assert json.loads(path.read_text()) == {"trials": 36}
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]


def test_a_file_is_read_to_its_end_and_a_device_without_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_bytes(bytes(range(256)) * 20_000)
    assert read_whole(path) == path.read_bytes()
    assert read_whole(path, len(path.read_bytes())) == path.read_bytes()
    for endless, largest in ((path, len(path.read_bytes()) - 1), (Path("/dev/zero"), 10**7)):
        with pytest.raises(OSError, match="File too large"):
            read_whole(endless, largest)


@pytest.mark.parametrize("name", ["x" * 251 + ".mat", "ü" * 125 + ".sgf"])
def test_every_name_that_a_file_can_have_can_be_written(name: str, tmp_path: Path) -> None:
    write_json(tmp_path / name, {})
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_what_a_killed_process_left_goes_but_not_what_is_being_written(tmp_path: Path) -> None:
    left = tmp_path / ".results.json.0123abcd.part"
    left.write_bytes(b"half of")
    with written_whole(tmp_path / "results.json") as file:
        clear_parts(tmp_path, "results")
        assert not left.exists()
        file.write(b"{}")
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]
