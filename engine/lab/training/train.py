"""The loop of self-play: play games with the latest net, learn from them, save, again.

Playing and learning overlap: while torch learns from one chunk of positions, a numba kernel plays
the next with the net of one chunk before (both release the GIL).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import scratch_for
from sixprime.engine.lab.training import model, selfplay
from sixprime.engine.lab.training.learners import CHECKPOINT, Learners
from sixprime.engine.lab.training.starts import OPENINGS, odd_starts
from sixprime.engine.nets import weights


@dataclass(frozen=True, slots=True)
class Run:
    """One self-play run; a YAML file under config/training holds these."""

    contact: tuple[int, int, int] = (256, 32, 32)
    race: tuple[int, int, int] = (64, 32, 16)
    pruner: tuple[int, int, int] = (32, 8, 8)
    chunks: int = 1000  # rounds of playing and learning
    chunk: int = 60_000  # positions a chunk
    batch: int = 1024
    rate: float = 1e-3  # Adam's learning rate at the start
    last_rate: float = 5e-5  # at the end; geometric in between
    mixing: float = 0.7  # lambda of TD at the start
    last_mixing: float = 0.0
    mixing_chunks: int = 200  # chunks until last_mixing is reached
    replies: int = 0  # results of a roll that the pruner leaves to be judged; 0: all
    seed: int = 1
    save_every: int = 20
    keep: float = 0.9995  # of the running average, a step


@dataclass
class SelfPlayProgress:
    """The progress of a run: everything that a resumed run needs beside the weights."""

    chunk: int = 0
    games: int = 0
    seconds: float = 0.0


def rate_of(run: Run, chunk: int) -> float:
    """Return the learning rate of a chunk."""
    return float(run.rate * (run.last_rate / run.rate) ** (chunk / max(run.chunks - 1, 1)))


def mixing_of(run: Run, chunk: int) -> float:
    """Return the lambda of a chunk."""
    done = min(chunk / max(run.mixing_chunks, 1), 1.0)
    return run.mixing + (run.last_mixing - run.mixing) * done


class Trainer:
    """The learners, the player beside them and the folder of the run."""

    def __init__(
        self, run: Run, folder: Path, device: str = "cpu", start: weights.Nets | None = None
    ) -> None:
        """Go on from the folder's checkpoint, or begin with `start`, or from nothing."""
        self.run = run
        self.folder = folder
        self.learners, state = Learners.begun(run, folder, device, start, widen=False)
        self.progress = SelfPlayProgress(**state.get("progress", {}))
        # the nets for the next chunk; None: the latest
        self.player = model.unpacked(state["player"]) if "player" in state else None

    def save(self) -> None:
        others = {"progress": asdict(self.progress), "run": asdict(self.run)}
        if self.player is not None:
            others["player"] = model.packed(self.player)
        self.learners.save(self.folder, others)

    @classmethod
    def saved(cls, folder: Path) -> Trainer:
        """Restore the run of a folder, in its saved shapes."""
        state = model.load_checkpoint(str(folder / CHECKPOINT))
        return cls(Run(**state["run"]), folder)

    def nets(self, averaged: bool = True) -> weights.Nets:
        return self.learners.nets(averaged)

    def play(
        self, player: weights.Nets, chunk: int
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], int]:
        """Play one chunk; return positions, targets, and the number of games that ended."""
        brain = weights.brain_of(player)
        boards = np.zeros((self.run.chunk, 2, 25), np.int8)
        targets = np.zeros((self.run.chunk, 5), np.float32)
        seed = self.run.seed * 1_000_003 + chunk
        games = selfplay.play_games(
            CubelessPlayer(brain, scratch_for(brain), self.run.replies),
            odd_starts(seed),
            OPENINGS,
            seed,
            np.float32(mixing_of(self.run, chunk)),
            boards,
            targets,
        )
        return boards, targets, games

    def train(self, report: Callable[[dict[str, Any]], None]) -> None:
        """Run to the end; `report` gets a row a chunk."""
        run, progress = self.run, self.progress
        latest = self.player or self.nets(averaged=False)
        with ThreadPoolExecutor(1) as player:
            coming: Future[Any] = player.submit(self.play, latest, progress.chunk)
            while progress.chunk < run.chunks:
                began = time.monotonic()
                boards, targets, games = coming.result()
                if progress.chunk + 1 < run.chunks:
                    self.player = self.nets(averaged=False)
                    coming = player.submit(self.play, self.player, progress.chunk + 1)
                rate = rate_of(run, progress.chunk)
                draws = np.random.default_rng([run.seed, progress.chunk])
                order = draws.permutation(len(boards))
                losses = self.learners.learn(boards, targets, order, rate, run)
                progress.chunk += 1
                progress.games += games
                progress.seconds += time.monotonic() - began
                row = {"chunk": progress.chunk, "games": progress.games, "rate": rate}
                row |= {f"{name}_loss": losses[name] for name in ("contact", "race")}
                row |= {"seconds": round(progress.seconds, 1)}
                report(row)
                if progress.chunk % run.save_every == 0 or progress.chunk == run.chunks:
                    self.save()
