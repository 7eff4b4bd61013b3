from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixprime.engine.wholefiles import write_json, written_whole


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
