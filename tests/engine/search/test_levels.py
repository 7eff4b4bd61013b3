"""The presets by name, and what they mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixprime.engine.search.levels import PRESETS, UnknownLevel, preset
from sixprime.engine.search.plies import FILTERS

# name, plies, noise, filter: as in the manual
MANUAL = [
    ("beginner", 0, 0.060, None),
    ("casual", 0, 0.050, None),
    ("intermediate", 0, 0.040, None),
    ("advanced", 0, 0.015, None),
    ("expert", 0, 0.0, None),
    ("world-class", 2, 0.0, "normal"),
    ("supremo", 2, 0.0, "large"),
    ("grandmaster", 3, 0.0, "large"),
    ("4ply", 4, 0.0, "large"),
]


@pytest.mark.parametrize(("name", "plies", "noise", "width"), MANUAL)
def test_the_presets_are_those_of_the_manual(
    name: str, plies: int, noise: float, width: str | None
) -> None:
    level = preset(name)
    for look in (level.checker, level.cube):
        assert (look.plies, look.noise) == (plies, noise)
        assert look.cubeful
        assert look.deterministic
        assert look.prune == (plies > 0)
        if width:
            assert look.filter == FILTERS[width]


def test_there_is_one_more_preset_which_rolls_out_and_they_are_in_order() -> None:
    assert list(PRESETS) == [*(row[0] for row in MANUAL), "roller"]
    roller, before = preset("roller"), preset("grandmaster")
    assert replace(roller.checker, rollout=None) == before.checker
    assert replace(roller.cube, rollout=None) == before.cube
    assert None not in (roller.checker.rollout, roller.cube.rollout)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("worldclass", "did you mean 'world-class'?"),
        ("Exprt", "did you mean 'expert'?"),
        ("zzz", "known: beginner, casual"),
    ],
)
def test_an_unknown_level_is_told_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UnknownLevel, match=hint.replace("?", r"\?")):
        preset(name)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("world class", "world-class"),
        ("World Class", "world-class"),
        ("casual play", "casual"),
        ("Casual Player", "casual"),
        ("Supremo", "supremo"),
        ("4 ply", "4ply"),
        ("Grandmaster", "grandmaster"),
    ],
)
def test_levels_are_understood_by_gnubgs_names(said: str, meant: str) -> None:
    assert preset(said) is PRESETS[meant]
