"""The net of choices as torch sees it, and its fit to the plays that people made.

The input PR of a decision is its player's, from all his other games, shrunk towards that of all
players: the decision itself does not show in it. A player with very many decisions is weighed
down, or the model would be his portrait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # its name everywhere
from numpy.typing import NDArray
from torch import nn

from sixprime.engine.lab import LabError
from sixprime.engine.lab.people.gathering import PR_UNIT, HumanPlays
from sixprime.engine.people.choicenet import ChoiceNet
from sixprime.engine.people.choosing import GROUP, LEAST_PR, MOST_PR, NARROW
from sixprime.engine.people.figures import CONTEXT, FIGURES, see_spots

LOSS, LOSS_BY_SIZE = 10, 11  # figures that the net likes less from the start
HOPELESS = 0.25  # EMG; of plays that lose more, only a part is learned at each step
KEPT_PART = 0.2
SHRUNK = 45.0  # decisions of an average player that join each player's own
WARM_UP = 300  # steps, or a tenth of all


@dataclass(frozen=True, slots=True)
class PeopleRun:
    """The settings of a fit."""

    wide: int = 128
    passes: int = 12
    batch: int = 256  # decisions
    rate: float = 2e-3
    decay: float = 0.05
    dropout: float = 0.3
    most: int = 300  # decisions that a player counts as, at most
    seed: int = 1


class FitProgress(NamedTuple):
    """Steps done and to do, seconds left, and the nats of the last steps."""

    steps: int
    total: int
    seconds_left: float
    nats: float


class Chooser(nn.Module):
    """The net of sixprime.engine.people.choicenet, for many decisions at once."""

    def __init__(self, wide: int, dropout: float) -> None:
        super().__init__()
        self.figures = nn.Linear(FIGURES, wide)
        self.context = nn.Linear(CONTEXT, wide, bias=False)
        self.second = nn.Linear(wide, NARROW)
        self.attention = nn.Linear(NARROW, 1, bias=False)
        self.group = nn.Linear(3 * NARROW, GROUP)
        self.plain = nn.Linear(FIGURES, 1, bias=False)
        self.liking = nn.Linear(NARROW + GROUP, 1, bias=False)
        self.drop = nn.Dropout(dropout)
        nn.init.zeros_(self.liking.weight)
        nn.init.zeros_(self.plain.weight)
        with torch.no_grad():
            self.plain.weight[0, [LOSS, LOSS_BY_SIZE]] = -0.5

    def forward(self, figures: Any, contexts: Any, owner: Any) -> Any:
        """Return the likings of plays; owner[i] is the decision that play i belongs to."""
        count = len(contexts)
        hidden = F.relu(self.figures(figures) + self.context(contexts)[owner])
        units = F.relu(self.second(self.drop(hidden)))
        early, late = self.liking.weight[0, :NARROW], self.liking.weight[0, NARROW:]
        likings = self.plain(figures)[:, 0] + self.drop(units) @ early
        notice = self.attention(units)[:, 0] + likings
        shares = torch.exp(notice - totals(notice, owner, count)[owner])
        pooled = torch.zeros(count, NARROW).index_add(0, owner, units * shares[:, None])[owner]
        group = F.relu(self.group(torch.cat((units, pooled, units * pooled), 1)))
        return likings + self.drop(group) @ late

    def arrays(self) -> ChoiceNet:
        """Return the weights for the engine."""
        linear = {name: getattr(self, name).weight.detach().numpy().T for name in _LINEAR}
        bias = {name: getattr(self, name).bias.detach().numpy() for name in _BIASED}
        net = ChoiceNet(
            linear["figures"], linear["context"], bias["figures"],
            linear["second"], bias["second"], linear["attention"][:, 0],
            linear["group"], bias["group"], linear["plain"][:, 0], linear["liking"][:, 0],
        )  # fmt: skip
        return ChoiceNet(*(np.ascontiguousarray(array) for array in net))


_LINEAR = ("figures", "context", "second", "attention", "group", "plain", "liking")
_BIASED = ("figures", "second", "group")


def totals(logits: Any, owner: Any, count: int) -> Any:
    """Return the logarithm of the sum of exponentials of each decision's logits."""
    top = torch.full((count,), -math.inf).scatter_reduce(0, owner, logits.detach(), "amax")
    return top + torch.log(torch.zeros(count).index_add(0, owner, torch.exp(logits - top[owner])))


def fitted(
    plays: HumanPlays,
    rows: NDArray[np.int64],
    run: PeopleRun,
    report: Callable[[FitProgress], None] = lambda _: None,
) -> ChoiceNet:
    """Learn from these decisions; the same run and plays give the same net."""
    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    draws = np.random.default_rng(run.seed)
    net = Chooser(run.wide, run.dropout)
    matrices = [each for each in net.parameters() if each.dim() > 1]
    others = [each for each in net.parameters() if each.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": run.decay}, {"params": others, "weight_decay": 0.0}]
    )
    prs, weights, losses = shrunk_prs(plays), weights_of(plays, rows, run.most), plays.losses
    per_pass = len(rows) // run.batch
    if per_pass == 0:
        raise LabError(f"{len(rows)} decisions: at least {run.batch} are needed")
    total, step, began, nats = run.passes * per_pass, 0, time.monotonic(), math.nan
    warm_up = min(WARM_UP, total // 10 + 1)
    for _ in range(run.passes):
        order = draws.permutation(rows)
        for first in range(0, per_pass * run.batch, run.batch):
            chosen = np.sort(order[first : first + run.batch])
            fall = 0.5 * (1 + math.cos(math.pi * step / total))
            for group in optimizer.param_groups:
                group["lr"] = run.rate * fall * min(1.0, step / warm_up)
            batch = _batch(plays, chosen, prs[chosen], losses, draws)
            likings = net(batch.figures, batch.contexts, batch.owner) + batch.offset
            missed = totals(likings, batch.owner, len(chosen)) - likings[batch.made]
            loss = (missed * torch.from_numpy(weights[chosen])).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            now = float(missed.detach().mean())
            nats = now if step == 1 else 0.98 * nats + 0.02 * now
            left = (time.monotonic() - began) / step * (total - step)
            report(FitProgress(step, total, left, nats))
    return net.eval().arrays()


class _Batch(NamedTuple):
    figures: Any
    contexts: Any
    owner: Any
    made: Any
    offset: Any  # stands for the hopeless plays that are left out


def _batch(
    plays: HumanPlays,
    rows: NDArray[np.int64],
    prs: NDArray[np.float64],
    losses: NDArray[np.float32],
    draws: np.random.Generator,
) -> _Batch:
    spots, places = plays.spots(rows, prs)
    figures = np.empty((len(places), FIGURES), np.float32)
    contexts = np.empty((len(rows), CONTEXT), np.float32)
    see_spots(spots, figures, contexts)
    owner = np.repeat(np.arange(len(rows)), np.diff(spots.offsets))
    is_made = places == plays.made[rows][owner]
    is_hopeless = (losses[places] > HOPELESS) & ~is_made
    kept = ~is_hopeless | (draws.random(len(places)) < KEPT_PART)
    offset = np.where(is_hopeless, np.float32(-math.log(KEPT_PART)), np.float32(0.0))
    return _Batch(
        torch.from_numpy(figures[kept]),
        torch.from_numpy(contexts),
        torch.from_numpy(owner[kept]),
        torch.from_numpy(np.flatnonzero(is_made[kept])),
        torch.from_numpy(offset[kept]),
    )


def shrunk_prs(plays: HumanPlays) -> NDArray[np.float64]:
    """Return each decision's input: its player's PR from his other games, shrunk."""
    losses = plays.losses
    widest = np.maximum.reduceat(losses, plays.offsets[:-1])
    counts = widest >= 0.001  # as sixprime.engine.analysis.judging counts decisions for a PR
    keys = np.stack((plays.player, plays.match, plays.game), axis=1)
    _, games = np.unique(keys, axis=0, return_inverse=True)
    games = games.reshape(-1)
    given = plays.given[plays.player] - np.bincount(games, losses[plays.made])[games]
    counted = plays.counted[plays.player] - np.bincount(games, counts)[games]
    mean = _usual_pr(plays)
    prs = (PR_UNIT * np.maximum(given, 0) + SHRUNK * mean) / (np.maximum(counted, 0) + SHRUNK)
    return np.asarray(np.clip(prs, LEAST_PR, MOST_PR))


def _usual_pr(plays: HumanPlays) -> float:
    """Return the PR of all players together, except the busiest."""
    others = np.arange(len(plays.players)) != np.argmax(np.bincount(plays.player))
    if plays.counted[others].sum() == 0:
        others = ~others
    return float(PR_UNIT * plays.given[others].sum() / plays.counted[others].sum())


def weights_of(plays: HumanPlays, rows: NDArray[np.int64], most: int) -> NDArray[np.float32]:
    """Return each decision's weight; a player's decisions weigh as `most` at most."""
    count = np.bincount(plays.player[rows], minlength=len(plays.players))
    return np.minimum(1.0, most / np.maximum(count, 1))[plays.player].astype(np.float32)
