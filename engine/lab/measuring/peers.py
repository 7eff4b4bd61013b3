"""Players by name: ours, ours:FILE.npz, level:NAME, gnubg, gnubg:PROGRAM, random.

A last `:N` means N plies.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring.contestants import (
    Contestant,
    OurPlayer,
    RandomPlayer,
)
from sixprime.engine.lab.measuring.gnubg import GnubgPeer
from sixprime.engine.nets import weights
from sixprime.engine.search.levels import PRESETS, UnknownLevel, preset
from sixprime.engine.system.faults import undone_by

MOST_PLIES = 4


def player(name: str, one_point: bool = False) -> Contestant:
    """Start the player of this name, without a cube."""
    kind, rest, plies = parts(name)
    if kind == "gnubg":
        return GnubgPeer(plies, one_point, command=rest)
    if kind == "random":
        return RandomPlayer()
    brain = brain_of(kind, rest)
    if kind == "level":
        level = PRESETS[rest]
        return OurPlayer(brain, plies, one_point, name, level.checker, level.seconds)
    return OurPlayer(brain, plies, one_point, name)


def cubeful_player(name: str) -> Contestant:
    """Start the player of this name, with the cube: ours or gnubg."""
    kind, rest, plies = parts(name)
    if kind == "gnubg":
        return GnubgPeer(plies, cubeful=True, command=rest)
    if kind != "ours":
        raise LabError(f"{name} has no opinion about cubes")
    return OurPlayer(brain_of(kind, rest), plies)


class Opponents:
    """Two players, started together, and the brain that measures luck between them."""

    def __init__(self, start: Callable[[str], Contestant], names: tuple[str, str]) -> None:
        self.first = start(names[0])
        with undone_by(self.first.release):
            self.second = start(names[1])

    def brain(self) -> Brain:
        """Return the nets of our first player here, or else the nets that ship."""
        for player in (self.first, self.second):
            if isinstance(player, OurPlayer):
                return player.brain
        return weights.load_brain()

    def release(self) -> None:
        self.first.release()
        self.second.release()


def rolls_out(name: str) -> bool:
    """Return whether this is a level that rolls plays out."""
    kind, rest, _ = parts(name)
    return kind == "level" and PRESETS[rest].checker.rollout is not None


def brain_of(kind: str, file: str) -> Brain:
    """Load the nets of one of our players: from the file in its name, or the nets that ship."""
    try:
        return weights.load_brain(Path(file) if file and kind == "ours" else None)
    except weights.BadWeights as error:
        raise LabError(str(error)) from error


def parts(name: str) -> tuple[str, str, int]:
    """Split a player's name into kind, file (of nets, or the program of gnubg) and plies."""
    kind, _, rest = name.partition(":")
    file, _, plies = rest.rpartition(":")
    if not plies.isdigit():
        file, plies = rest, "0"
    if kind == "level":
        try:
            level = preset(rest)
        except UnknownLevel as error:
            raise LabError(str(error)) from error
        if level.person is not None:
            raise LabError(f"{name}: only `sixprime levels calibrate` lets people play")
        return kind, level.name, 0
    known = kind == "ours" or name == "random"
    known |= kind == "gnubg" and (not file or "/" in file)  # `gnubg:3x` is a slip
    if not known:
        raise LabError(
            f"no player {name!r}; there are ours, ours:FILE.npz, level:NAME, gnubg, "
            "gnubg:PROGRAM and random"
        )
    if int(plies) > MOST_PLIES:
        raise LabError(f"{name}: at most {MOST_PLIES} plies")
    return kind, file, int(plies)
