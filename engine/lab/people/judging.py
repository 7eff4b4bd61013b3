"""A model of choices beside people: calibrated to the name of each PR, judged on unseen plays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.people.gathering import KINDS, PR_UNIT, HumanPlays, Parts
from sixprime.engine.people.choicenet import ChoiceNet
from sixprime.engine.people.choosing import LEAST_PR, MOST_PR, PeopleModel, judged

BLUNDER = 0.08  # EMG
BANDS = ((3.0, 5.0), (5.0, 8.0), (8.0, 14.0))
KNOTS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 25], np.float64)
SHARPNESS = np.linspace(0.8, 1.1, 13)
RATIOS = np.geomspace(0.4, 2.5, 10)  # inputs to try, of each PR
SAMPLE = 4_000  # decisions to try them on ...
SHALLOW = 0.97  # of the loss at 0-ply; two plies deep, the plays of a level lose a tenth more
NEIGHBOURS = 12_000  # ... of the decisions by players of nearly that PR
FEWEST = 20  # counted decisions of a player whose PR says something


class Expected(NamedTuple):
    """The chances of decisions by the model: nats, and what people of the PR would give away."""

    nats: NDArray[np.float64]
    loss: NDArray[np.float64]
    blunders: NDArray[np.float64]


def expected(
    net: ChoiceNet,
    plays: HumanPlays,
    rows: NDArray[np.int64],
    prs: NDArray[np.float64],
    sharpness: float = 1.0,
) -> Expected:
    """Judge decisions by the net, as if their players had these PRs as input."""
    found = Expected(*(np.empty(len(rows)) for _ in range(3)))
    losses = plays.losses
    for i, row in enumerate(rows):
        spots, places = plays.spots(rows[i : i + 1], prs[i : i + 1])
        shares = sharpness * judged(net, spots).shares
        shares -= np.log(np.exp(shares).sum())
        chances, loss = np.exp(shares), losses[places]
        found.nats[i] = -shares[plays.made[row] - places[0]]
        found.loss[i] = chances @ loss
        found.blunders[i] = chances @ (loss > BLUNDER)
    return found


def people_prs(plays: HumanPlays) -> NDArray[np.float64]:
    """Return the PR of each decision's player over all his matches."""
    return prs_of_players(plays)[plays.player]


def prs_of_players(plays: HumanPlays) -> NDArray[np.float64]:
    return np.asarray(PR_UNIT * plays.given / np.maximum(plays.counted, 1))


def calibrated(net: ChoiceNet, plays: HumanPlays, parts: Parts, seed: int) -> PeopleModel:
    """Make a net as sure as people are of their plays, and as bad at each PR as its name says.

    A net is too sure of plays that it knows by heart, its inputs are shrunk PRs, and the weaker
    the players, the harder their positions.
    """
    draws = np.random.default_rng(seed)
    prs = people_prs(plays)
    rows = draws.permutation(parts.fresh)[:SAMPLE]
    inputs = np.clip(prs[rows], LEAST_PR, MOST_PR)
    nats = [expected(net, plays, rows, inputs, float(each)).nats.mean() for each in SHARPNESS]
    sharpness = np.float32(SHARPNESS[int(np.argmin(nats))])
    net = net._replace(plain=net.plain * sharpness, liking=net.liking * sharpness)
    constant, slope = loss_of_prs(plays, prs)
    rows = draws.permutation(np.concatenate((parts.known, parts.fresh)))
    inner = []
    for knot in KNOTS:
        distances = np.abs(np.log(np.maximum(prs[rows], 0.1) / knot))
        alike = rows[np.sort(np.argsort(distances, kind="stable")[:NEIGHBOURS])]
        loss = SHALLOW * (constant + slope * knot)
        inner.append(_input_for(net, plays, alike[:SAMPLE], knot, loss))
    return PeopleModel(net, KNOTS, np.maximum.accumulate(np.array(inner)))


def _input_for(
    net: ChoiceNet, plays: HumanPlays, rows: NDArray[np.int64], pr: float, wanted: float
) -> float:
    """Return the input near a PR at which the net gives so much away in these decisions."""
    tries = pr * RATIOS
    losses = [expected(net, plays, rows, np.full(len(rows), each)).loss.mean() for each in tries]
    return float(np.interp(wanted, np.maximum.accumulate(losses), tries))


def loss_of_prs(plays: HumanPlays, prs: NDArray[np.float64]) -> tuple[float, float]:
    """Return the line of the mean loss of a play over the PR of its player."""
    known = (plays.counted[plays.player] >= FEWEST) & (prs <= MOST_PR)
    if known.any() and np.ptp(prs[known]) > 0:
        slope, constant = np.polyfit(prs[known], plays.losses[plays.made][known], 1)
        if slope > 0:
            return float(constant), float(slope)
    return 0.0, 1.0 / PR_UNIT  # too few people


def likeness(model: PeopleModel, plays: HumanPlays, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Compare people and the levels of their PRs in these decisions: all, by PR and by kind."""
    prs = people_prs(plays)[rows]
    asked = np.clip(prs, BANDS[0][0], BANDS[-1][1])
    found = expected(model.net, plays, rows, np.interp(asked, model.named, model.inner))
    lost = plays.losses[plays.made[rows]]
    groups = {"all": np.full(len(rows), True)}
    groups |= {f"PR {low:g} to {high:g}": (prs >= low) & (prs < high) for low, high in BANDS}
    between = (prs >= BANDS[0][0]) & (prs < BANDS[-1][1])
    groups |= {
        f"{kind}, PR {BANDS[0][0]:g} to {BANDS[-1][1]:g}": (plays.kind[rows] == k) & between
        for k, kind in enumerate(KINDS)
    }
    return {
        name: {
            "decisions": int(inside.sum()),
            "nats": round(float(found.nats[inside].mean()), 4),
            "loss of people": round(float(lost[inside].mean()), 5),
            "loss": round(float(found.loss[inside].mean()), 5),
            "blunders of people": round(float((lost[inside] > BLUNDER).mean()), 4),
            "blunders": round(float(found.blunders[inside].mean()), 4),
        }
        for name, inside in groups.items()
        if inside.any()
    }
