from __future__ import annotations

import json
import pickle
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime.engine.nets import weights
from sixprime.engine.nets.weights import BadWeights, Nets, brain_of, digest, load_nets, save_brain
from tests.support.engine.brains import random_net, random_nets


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save_brain(tmp_path, random_nets(), {"games": 3})


def test_nets_come_back_as_they_were_saved(saved: Path) -> None:
    for part, before in zip(load_nets(saved), random_nets(), strict=True):
        for array, wanted in zip(map(np.asarray, part), map(np.asarray, before), strict=True):
            assert array.dtype == wanted.dtype
            assert np.array_equal(array, wanted)


def test_a_file_is_named_after_its_content_and_tells_where_it_came_from(saved: Path) -> None:
    assert saved.name == f"brain-{digest(saved)}.npz"
    assert json.loads(saved.with_suffix(".json").read_text())["games"] == 3


def test_a_truncated_file_is_refused_at_any_length(saved: Path) -> None:
    data = saved.read_bytes()
    for length in (*range(0, len(data), len(data) // 23), len(data) - 1):
        saved.write_bytes(data[:length])
        with pytest.raises(BadWeights) as refused:
            load_nets(saved)
        assert "\n" not in str(refused.value)


def test_any_damage_is_refused_in_one_line(saved: Path) -> None:
    dice = random.Random(1)
    data = saved.read_bytes()
    for _ in range(300):
        broken = bytearray(data)
        near = dice.choice((0, len(data) - 800))  # where sizes, names and checksums stand
        for _ in range(dice.randrange(1, 4)):
            broken[near + dice.randrange(800)] = dice.randrange(256)
        saved.write_bytes(broken)
        try:
            load_nets(saved)
        except BadWeights as refused:
            assert "\n" not in str(refused)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1152921504606846976,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2400000000,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (" + "(" * 200 + ",), }",
        "{'descr': '<i8', 'shape': 'x'}",
        "[]",
        "",
    ],
)
def test_a_header_takes_no_memory_for_what_is_not_there(header: str, tmp_path: Path) -> None:
    text = header.encode().ljust(117) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    path = tmp_path / "bad.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("version.npy", array)
    tracemalloc.start()
    try:
        with pytest.raises(BadWeights):
            load_nets(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_unpacks_to_more_than_nets_need_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("version.npy", bytes(weights.LARGEST + 1))
    with pytest.raises(BadWeights, match="larger than"):
        load_nets(path)


def test_the_nets_that_ship_are_refused_once_a_bit_is_flipped(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "shipped", lambda kind: saved)
    load_nets()
    arrays = dict(np.load(saved))
    arrays["race.b1"][0, 0] += 0.5
    np.savez_compressed(saved, **arrays)
    with pytest.raises(BadWeights, match=r"npz: damaged, or not the file that was installed"):
        load_nets()


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: a.update(version=np.array(99)), "version 99"),
        (lambda a: a.pop("version"), "version None"),
        (lambda a: a.pop("race.w2"), "race.w2 is missing"),
        (lambda a: a.update(extra=np.zeros(1)), "unknown array extra"),
        (lambda a: a.update({"contact.b1": np.zeros(9, np.float32)}), "contact.b1 is float32[9]"),
        (lambda a: a.update({"contact.b1": np.zeros(8)}), "contact.b1 is float64[8]"),
        (
            lambda a: a.update({"pruner.b3": np.full((1, 5), np.nan, np.float32)}),
            "pruner.b3 holds numbers that are not finite",
        ),
        (lambda a: a.update({"contact.table": a["contact.table"][:-1]}), "contact.table is int16"),
    ],
)
def test_another_layout_is_refused_in_one_line(
    saved: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    with pytest.raises(BadWeights) as refused:
        load_nets(rewritten(saved, change))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_from_before_there_were_phases_are_read(saved: Path) -> None:
    def older(arrays: dict[str, Any]) -> None:
        arrays["version"] = np.array(2)
        for name, array in arrays.items():
            if name.endswith(("w1", "b1", "w2", "b2", "w3", "b3")):
                arrays[name] = array[0]

    nets = load_nets(saved)
    found = load_nets(rewritten(saved, older))
    for net, old in zip(nets, found, strict=True):
        assert len(old.b1) == 1
        assert np.array_equal(old.table, net.table)
        for array, first in zip(net[2:], old[2:], strict=True):
            assert np.array_equal(array[:1], first)


@pytest.mark.parametrize(("name", "tails"), [("contact", 2), ("race", 9)])
def test_a_net_with_tails_that_are_no_phases_is_refused(name: str, tails: int) -> None:
    nets = random_nets()._replace(**{name: random_net(1, tails=tails)})
    with pytest.raises(BadWeights, match=f"{name}: {tails} tails, expected 1"):
        brain_of(nets)


def test_a_pruner_of_another_shape_is_refused() -> None:
    nets = random_nets()
    with pytest.raises(BadWeights, match=r"\(32, 16, 8\) units, expected \(32, 8, 8\)"):
        brain_of(nets._replace(pruner=random_net(1, middle=16)))


def test_a_first_layer_that_fills_no_whole_vector_is_refused() -> None:
    nets = random_nets()
    with pytest.raises(BadWeights, match="race: 48 units, expected a multiple of 32"):
        brain_of(nets._replace(race=random_net(1, wide=48)))


def test_nothing_in_a_file_is_executed(saved: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "sprung",)

    trap = np.array([Trap()], dtype=object)
    for path in (
        rewritten(saved, lambda arrays: arrays.update({"race.w2": trap})),
        tmp_path / "pickle.npz",
    ):
        if not path.exists():
            path.write_bytes(pickle.dumps(Trap()))
        with pytest.raises(BadWeights):
            load_nets(path)
    assert not (tmp_path / "sprung").exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match=r"none\.npz: no such file"):
        load_nets(tmp_path / "none.npz")


def test_the_parts_are_those_a_brain_begins_with() -> None:
    from sixprime.engine.kernels.evaluation import Brain

    assert Brain._fields[: len(Nets._fields)] == Nets._fields
