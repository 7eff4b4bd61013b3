"""Matches as gnubg reads, plays and exports them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Ending,
    Game,
    Match,
    Player,
    Resignation,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import moments
from tests.support.gnubg.program import typed

QUIET = "set automatic game off\nset confirm new off\nset confirm save off\nset display off\n"
HUMANS = "set player 0 human\nset player 1 human\n"
LOAD = {".sgf": "load match", ".mat": "import mat", ".fibs": "import oldmoves"}


def exported(files: dict[str, str], folder: Path, *, jacoby: dict[str, bool]) -> dict[str, str]:
    """What gnubg exports as .mat after loading each of these files.

    gnubg 1.07 loses turns of a .mat with beavers if it has imported another one before, so each of
    those gets a process of its own.
    """
    together = QUIET + HUMANS
    for name, text in files.items():
        (folder / name).write_text(text)
        commands = f"set jacoby {'on' if jacoby.get(name, True) else 'off'}\n"
        commands += f"{LOAD[Path(name).suffix]} {name}\nexport match mat {name}.out\n"
        if name.endswith(".mat") and "Beavers" in text:
            typed(QUIET + HUMANS + commands, folder)
        else:
            together += commands
    typed(together, folder)
    return {name: (folder / f"{name}.out").read_text() for name in files}


def body(text: str) -> list[str]:
    """The lines behind the header; gnubg gives a .mat without a date the date of the file."""
    lines = text.rstrip().split("\n")
    start = next(i for i, line in enumerate(lines) if "point match" in line)
    return [line.rstrip() for line in lines[start:]]


def gnubg_misreads(match: Match) -> bool:
    """Gnubg takes a first roll that nobody played for anna's, and plays one that is forced."""
    for game in match.games:
        actions = settled(game)
        for number, moment in enumerate(moments(match, replace(game, actions=actions))):
            if isinstance(moment.action, Turn) and moment.action.play is None:
                plays = legal_plays(moment.position, moment.action.dice)
                if number == 0 or len(plays) == 1:
                    return True
    return False


def short_names(match: Match) -> Match:
    """Gnubg exports names that are too long to be read back."""
    return replace(match, players=(Player("anna"), Player("ben")))


def resigned_dearly(match: Match) -> bool:
    """Did a resignation cost more than one game?"""
    return any(
        isinstance(action, Resignation) and action.games > 1
        for game in match.games
        if game.result is not None and game.result.ending is Ending.RESIGNED
        for action in game.actions[-1:]
    )


def multiple(game: Game) -> int:
    """1 for a single game, 2 for a gammon, 3 for a backgammon."""
    assert game.result is not None
    takes = sum(isinstance(a, Cube) and a.step is CubeStep.TAKE for a in game.actions)
    return game.result.points // (1 << takes)
