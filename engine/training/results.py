"""What a net says against how its games end: a correction for what nets learn from.

Looking ahead makes a net agree with itself. Whether games end as it says is another matter, and a
net taught by itself is too sure: of what it believed to win 80 times in 100 it won 79.4, and plays
differed by 2 or 3 % less than it said. Results of games tell, but one result is almost all luck,
too much to learn from directly. A correction of a few hundred numbers can be learned from them; the
net then learns from its own targets, corrected.

Only the five chances go in, so positions stay in nearly the order in which the net had them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits

from engine.kernels.evaluation import Brain, judge_many, workspace
from engine.kernels.network import OUTPUTS
from engine.position import MAX_CHECKERS, Position
from engine.training import selfplay
from engine.training.refine import read_shard

HIDDEN = 24
BATCH = 16_384
PASSES = 3
RATE = 3e-3
IMPOSSIBLE = 1e-4  # chances this near to 0 or 1 stay as they are
REPLIES = 6  # results that the pruner leaves to be judged as a game is played
CHUNK = 250_000  # positions played at a time

Chances = NDArray[np.float32]  # [n, 5]


def played(
    brain: Brain, games: int, seed: int, report: Callable[[int, int], None] = lambda _, __: None
) -> tuple[Chances, Chances]:
    """What the net said of the positions in contact of so many games, and how these ended."""
    work = workspace(brain)
    opening = Position.start().array()[None]
    said: list[Chances] = []
    ended: list[Chances] = []
    done = 0
    while done < games:
        boards = np.zeros((CHUNK, 2, 25), np.int8)
        results = np.zeros((CHUNK, OUTPUTS), np.float32)
        done += selfplay.play_games(
            brain, opening, 1, MAX_CHECKERS, seed, np.float32(1.0), REPLIES, boards, results, work
        )
        seed += 1
        contact = ~selfplay.races(boards)
        chances = np.empty((int(contact.sum()), OUTPUTS), np.float32)
        judge_many(brain, np.ascontiguousarray(boards[contact]), MAX_CHECKERS, work, chances)
        said.append(chances)
        ended.append(results[contact])
        report(done, games)
    return np.concatenate(said), np.concatenate(ended)


class Correction(torch.nn.Module):
    """From what a net says, as logits, to what it should say; the same from both sides."""

    def __init__(self, seed: int = 1) -> None:
        torch.manual_seed(seed)
        super().__init__()
        self.inner = torch.nn.Linear(OUTPUTS, HIDDEN)
        self.outer = torch.nn.Linear(HIDDEN, OUTPUTS)
        torch.nn.init.zeros_(self.outer.weight)
        torch.nn.init.zeros_(self.outer.bias)

    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        """float32[n, 5] to float32[n, 5]."""
        mine, theirs = self._one_sided(logits), turned(self._one_sided(turned(logits)))
        return logits + (mine + theirs) / 2

    def _one_sided(self, logits: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.outer(torch.tanh(self.inner(logits / 3)))
        return found

    def corrected(self, chances: Chances) -> Chances:
        """Chances as they should have been; what cannot happen stays impossible."""
        with torch.no_grad():
            found = np.asarray(torch.sigmoid(self(_logits(chances))).numpy(), np.float32)
        open_ = (chances > IMPOSSIBLE) & (chances < 1 - IMPOSSIBLE)
        found = np.where(open_, found, chances)
        for more, less in ((found[:, 0], 1), (1 - found[:, 0], 3)):  # wins, gammons, backgammons
            found[:, less] = np.minimum(found[:, less], more)
            found[:, less + 1] = np.minimum(found[:, less + 1], found[:, less])
        return found


def turned(logits: torch.Tensor) -> torch.Tensor:
    """Logits as the other player sees them."""
    win, *others = logits.unbind(1)
    return torch.stack([-win, *others[2:], *others[:2]], 1)


def fit(said: Chances, ended: Chances, seed: int = 1) -> Correction:
    """The correction that the results of games ask for."""
    correction = Correction(seed)
    optimiser = torch.optim.Adam(correction.parameters(), RATE)
    logits, results = _logits(said), torch.from_numpy(ended)
    draws = np.random.default_rng(seed)
    steps = PASSES * -(-len(said) // BATCH)
    step = 0
    for _ in range(PASSES):
        order = torch.from_numpy(draws.permutation(len(said)))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            for group in optimiser.param_groups:
                group["lr"] = RATE * (1 - step / steps)
            step += 1
            loss = binary_cross_entropy_with_logits(correction(logits[rows]), results[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    return correction


def correct_folder(correction: Correction, gathered: Path, out: Path) -> int:
    """Write the shards of a run with corrected targets to another folder; returns how many."""
    out.mkdir(parents=True, exist_ok=True)
    shards = sorted(gathered.glob("shard-*.npz"))
    for path in shards:
        shard = read_shard(path)
        shard = shard._replace(targets=correction.corrected(shard.targets))
        np.savez(out / path.name, **shard._asdict())
    return len(shards)


def _logits(chances: Chances) -> torch.Tensor:
    likely = np.clip(chances, IMPOSSIBLE, 1 - IMPOSSIBLE)
    return torch.from_numpy(np.log(likely / (1 - likely)))
