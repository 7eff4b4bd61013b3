"""The life of the cube: the worth of the right to turn it, taught to the contact net.

A search of a ply or two gives the worth of a position with the player's own, a centred and the
other's cube. Where it lies between a dead and a perfectly live cube is the position's efficiency.
The last layer learns that, from the layer before it and from a few units that are added there and
say nothing about chances. The next round searches with the efficiencies learned, so after n
rounds of two plies the worths have seen 2 n plies of cubes turned. A match has the same.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sixprime.engine.kernels.cube import CONTACT_EFFICIENCY
from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import CONTACT, Brain, class_of, scratch_for
from sixprime.engine.kernels.inputs import encode_many, phases_of
from sixprime.engine.kernels.network import OUTPUTS, Net
from sixprime.engine.lab.training import model, targets
from sixprime.engine.lab.training.selfplay import LONGEST_GAME
from sixprime.engine.lab.training.starts import odd_starts
from sixprime.engine.nets import weights
from sixprime.engine.position import MAX_CHECKERS, MatchState
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import KEEP, NEVER, Search, terms_of

FAINT = 1e-3  # of inputs that are almost always 0
HELD_OUT = 10  # of so many positions one only measures the error


@dataclass(frozen=True, slots=True)
class Life:
    positions: int = 60_000
    rounds: int = 4
    plies: int = 2
    passes: int = 15  # over the positions, in each round
    rate: float = 3e-3  # of learning, which falls to nothing in each round
    batch: int = 256
    units: int = 16  # added to the layer before the last
    margin: float = 0.16  # equity behind the best, at most, of the plays gathered
    wander: float = 0.15  # share of turns in which a game goes on with such a play
    seed: int = 1


# --- the lesson


def gathered(brain: Brain, settings: Life) -> NDArray[np.int8]:
    """Return positions in contact from games of the brain with itself."""
    player = CubelessPlayer(brain, scratch_for(brain), 0)
    boards = np.zeros((settings.positions * 3 // 2, 2, 25), np.int8)
    course = targets.Course(
        odd_starts(settings.seed), LONGEST_GAME, settings.seed,
        np.float32(settings.margin), settings.wander,
    )  # fmt: skip
    targets.collect(player, course, boards)
    in_contact = np.array([class_of(board, MAX_CHECKERS) == CONTACT for board in boards])
    contact: NDArray[np.int8] = boards[in_contact][: settings.positions]
    return contact


def looked(brain: Brain, boards: NDArray[np.int8], plies: int, threads: int) -> NDArray[np.float64]:
    """Return the worths of `worths_of_cubes`."""
    terms = terms_of(CubeContext.of(MatchState()), (MAX_CHECKERS, KEEP, True))
    searches = [scratch.search(terms) for scratch in Search(brain, threads).scratches]
    worths = np.zeros((len(boards), targets.OWNERS, 3))

    def share(thread: int) -> None:
        own = worths[thread::threads].copy()
        some = boards[thread::threads].copy()
        targets.worths_of_cubes(searches[thread], some, plies, own, NEVER)
        worths[thread::threads] = own

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(share, range(threads)))
    return worths


# --- the learners


class Lives(nn.Module):
    """The efficiencies of one tail of a net, from its last two layers of inputs."""

    def __init__(self, middle: int, narrow: int, units: int) -> None:
        super().__init__()
        self.units = nn.Linear(middle, units)
        self.last = nn.Linear(narrow + units, targets.OWNERS)
        nn.init.zeros_(self.last.weight)
        nn.init.constant_(self.last.bias, CONTACT_EFFICIENCY)

    def forward(self, middle: torch.Tensor, narrow: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.last(torch.cat([narrow, self.units(middle).relu()], 1))
        return found


class Lesson:
    """The positions of one tail, as its last layers see them, and its learner."""

    def __init__(
        self, tail: model.Tail, hidden: torch.Tensor, places: NDArray[np.intp], units: int
    ) -> None:
        first, second, _ = tail.dense()
        middle = first(hidden).relu()
        narrow = second(middle).relu()
        self.places = places  # among all positions
        self.held_out = torch.from_numpy(places % HELD_OUT == 0)
        self.scales = [
            (layer.square().sum(0) / max(len(layer), 1)).sqrt() + FAINT
            for layer in (middle, narrow)
        ]
        self.middle, self.narrow = middle / self.scales[0], narrow / self.scales[1]
        self.learner = Lives(middle.shape[1], narrow.shape[1], units)
        self.optimiser = torch.optim.Adam(self.learner.parameters())

    def off(self, worths: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return by how much the worths of some of the positions are wrong, [rows, OWNERS]."""
        dead, live, kept = worths[rows].unbind(2)
        said = self.learner(self.middle[rows], self.narrow[rows])
        return dead + said * (live - dead) - kept

    def learn(self, worths: torch.Tensor, settings: Life) -> None:
        rows = torch.nonzero(~self.held_out)[:, 0]
        if len(rows) == 0:
            return
        for done in range(settings.passes):
            for group in self.optimiser.param_groups:
                group["lr"] = settings.rate * (1.0 - done / settings.passes)
            for some in rows[torch.randperm(len(rows))].split(settings.batch):  # type: ignore[no-untyped-call]
                loss = self.off(worths, some).square().mean()
                self.optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                self.optimiser.step()

    def arrays(self) -> list[NDArray[np.float32]]:
        """Return the weights and biases of the added units and of the efficiencies."""
        units, last = self.learner.units, self.learner.last
        of_last = torch.cat([self.scales[1], torch.ones(len(units.bias))])
        found = units.weight / self.scales[0], units.bias, last.weight / of_last, last.bias
        return [np.ascontiguousarray(each.detach().numpy().T, np.float32) for each in found]


def lessons(net: Net, boards: NDArray[np.int8], settings: Life) -> list[Lesson]:
    """Return a lesson for each tail of the net."""
    torch.manual_seed(settings.seed)
    learned = model.Model(model.shape_of(net), settings.seed)
    learned.take(net)
    slots = encode_many(boards, MAX_CHECKERS)
    phases = phases_of(slots) if len(net.b1) > 1 else np.zeros(len(slots), np.int64)
    found = []
    with torch.no_grad():
        for number, tail in enumerate(learned.tails):
            places = np.flatnonzero(phases == number)
            hidden = learned.hidden(torch.from_numpy(slots[places]))
            found.append(Lesson(tail, hidden, places, settings.units))
    return found


def joined(net: Net, taught: list[Lesson]) -> Net:
    """Return the net with the added units, which the chances do not weigh, and efficiencies."""
    units, biases, last, life = map(np.stack, zip(*(each.arrays() for each in taught), strict=True))
    silent = np.zeros((len(net.b1), units.shape[2], OUTPUTS), np.float32)
    chances = np.concatenate([net.w3, silent], 1)
    return net._replace(
        w2=np.concatenate([net.w2, units], 2), b2=np.concatenate([net.b2, biases], 1),
        w3=np.concatenate([chances, last], 2), b3=np.concatenate([net.b3, life], 1),
    )  # fmt: skip


def teach(
    nets: weights.Nets, settings: Life, threads: int, report: Callable[[dict[str, Any]], None]
) -> weights.Nets:
    """Return the nets with a contact net that knows the life of the cube; its chances stay."""
    net = weights.without_life(nets.contact)
    living = nets._replace(contact=net)
    brain = weights.brain_of(living)
    boards = gathered(brain, settings)
    taught = lessons(net, boards, settings)
    for number in range(1, settings.rounds + 1):
        worths = looked(brain, boards, settings.plies, threads)
        errors = []
        for each in taught:
            own = torch.from_numpy(worths[each.places].astype(np.float32))
            each.learn(own, settings)
            with torch.no_grad():
                errors.append(each.off(own, torch.nonzero(each.held_out)[:, 0]))
        living = nets._replace(contact=joined(net, taught))
        brain = weights.brain_of(living)
        off = torch.cat(errors).square().mean(0).sqrt()
        report({"round": number, "off": off.tolist()})
    return living
