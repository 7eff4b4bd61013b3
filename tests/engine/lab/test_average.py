"""The mean of nets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.bot.cli.main import main
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training.learners import average
from sixprime.engine.nets.weights import Nets, load_nets, save_brain
from tests.support.engine.brains import random_net, random_nets


def test_a_mean_lies_between_and_keeps_what_all_agree_on() -> None:
    first, second = random_nets(1), random_nets(9)
    same = average([first, first, first])
    between = average([first, second])
    for name in Nets._fields:
        ours, theirs = getattr(first, name), getattr(second, name)
        for kept, mean, one, other in zip(
            getattr(same, name), getattr(between, name), ours, theirs, strict=True
        ):
            assert (kept == one).all()
            assert mean.dtype == one.dtype
            middle = (one.astype(np.float64) + other) / 2
            assert np.abs(mean - middle).max() <= (0.5 if mean.dtype.kind == "i" else 1e-6)


def test_nets_of_other_shapes_have_none() -> None:
    wider = random_nets()._replace(race=random_net(2, wide=64))
    with pytest.raises(LabError, match="race"):
        average([random_nets(), wider])


def test_the_command_writes_a_file_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(save_brain(tmp_path / str(k), random_nets(k), {})) for k in (1, 5)]
    assert main(["train", "average", *paths, "--out", str(tmp_path / "mean")]) == 0
    (found,) = (tmp_path / "mean").glob("brain-*.npz")
    expected = average([random_nets(1), random_nets(5)])
    assert (load_nets(found).contact.table == expected.contact.table).all()
    assert main(["train", "average", *paths, str(tmp_path / "none.npz"), "--out", "x"]) == 2
    assert "none.npz" in capsys.readouterr().err
