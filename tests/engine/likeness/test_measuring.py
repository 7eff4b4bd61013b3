"""Likeness: against a slow count, and noise against noise that is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.likeness.decisions import HumanDecision
from sixprime.engine.likeness.measuring import BANDS, Likeness, noisy_chances
from tests.support.engine.people import gathered


def chances_of(decision: HumanDecision) -> NDArray[np.float64]:
    shares = np.exp(-decision.losses / 0.05)
    return np.asarray(shares / shares.sum())


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict]:  # type: ignore[type-arg]
    likeness = Likeness()
    for decision in gathered():
        likeness.add(decision, chances_of(decision))
    return {(row["group"], row["name"]): row for row in likeness.rows()}


def wanted(group: str, name: str, decision: HumanDecision) -> bool:
    is_play, edges = decision.what == "play", (0.0, *BANDS, 1e9)
    names = ("PR below 3", "PR 3 to 5", "PR 5 to 8", "PR 8 to 14", "PR above 14")
    match group:
        case "decision":
            return decision.what == name.removesuffix("s")
        case "phase" | "cube":
            return decision.kind == name
    band = names.index(name)
    inside = edges[band] <= decision.pr < edges[band + 1]
    return inside and is_play is (group == "plays by PR")


def test_the_rows_are_what_a_slow_count_finds(rows) -> None:  # type: ignore[no-untyped-def]
    assert ("decision", "plays") in rows
    for (group, name), row in rows.items():
        counted = [each for each in gathered() if wanted(group, name, each)]
        assert row["decisions"] == len(counted) > 0
        people, level = row["people"], row["level"]
        made = [each.losses[each.made] for each in counted]
        assert people["loss"] == pytest.approx(np.mean(made))
        assert people["errors"] == pytest.approx(np.mean([loss > 0 for loss in made]))
        assert people["blunders"] == pytest.approx(np.mean([loss > 0.08 for loss in made]))
        shares = [chances_of(each) for each in counted]
        nats = [-np.log(max(p[each.made], 1e-6)) for p, each in zip(shares, counted, strict=True)]
        lost = [p @ each.losses for p, each in zip(shares, counted, strict=True)]
        blunders = [p[each.losses > 0.08].sum() for p, each in zip(shares, counted, strict=True)]
        assert level["nats"] == pytest.approx(np.mean(nats))
        assert level["loss"] == pytest.approx(np.mean(lost))
        assert level["blunders"] == pytest.approx(np.mean(blunders))


def test_the_noise_loses_as_much_as_people_of_each_band() -> None:
    likeness = Likeness()
    for i, decision in enumerate(gathered()):
        made = decision.made if i % 3 == 0 else int(decision.losses.argmin())
        better = decision._replace(made=made, pr=2.0 + 4 * (i % 2))
        likeness.add(better, chances_of(better))
    rows = [row for row in likeness.rows() if row["group"].endswith("by PR")]
    losing = [row for row in rows if row["people"]["loss"] > 0]
    assert len(losing) >= 3
    for row in losing:
        assert row["noise"]["loss"] == pytest.approx(row["people"]["loss"], rel=0.01)


@pytest.mark.parametrize(
    "losses", [[0.0, 0.01], [0.0, 0.0, 0.3], [0.02, 0.0, 0.05, 0.051, 1.0], [0.0] * 9]
)
def test_noise_is_as_if_it_were_drawn(losses: list[float]) -> None:
    draw, width = np.random.default_rng(1), 0.05
    seen = draw.normal(0, width, (60_000, len(losses))) - np.array(losses)
    shares = np.bincount(seen.argmax(axis=1), minlength=len(losses)) / len(seen)
    np.testing.assert_allclose(noisy_chances(np.array(losses), width), shares, atol=0.01)
