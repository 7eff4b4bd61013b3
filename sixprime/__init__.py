"""Backgammon from Python: positions, an engine that decides, and what it thinks of a position.

    >>> import sixprime
    >>> sixprime.hint("4HPwATDgc/ABMA", dice="31")[0].play
    '8/5 6/5'

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing says, which need not be imported
if TYPE_CHECKING:
    from typing import Any

    from sixprime.bot.interfaces.notebook import (
        Hint,
        board,
        cube_action,
        hint,
        rollout,
        study,
    )
    from sixprime.engine.nets.evaluate import Evaluator
    from sixprime.engine.position import MatchState, Position
    from sixprime.engine.search.decide import Engine

__all__ = [
    "Engine",
    "Evaluator",
    "Hint",
    "MatchState",
    "Position",
    "board",
    "cube_action",
    "hint",
    "rollout",
    "study",
]

_HOME = {
    "Engine": "sixprime.engine.search.decide",
    "Evaluator": "sixprime.engine.nets.evaluate",
    "Hint": "sixprime.bot.interfaces.notebook",
    "MatchState": "sixprime.engine.position",
    "Position": "sixprime.engine.position",
    "board": "sixprime.bot.interfaces.notebook",
    "cube_action": "sixprime.bot.interfaces.notebook",
    "hint": "sixprime.bot.interfaces.notebook",
    "rollout": "sixprime.bot.interfaces.notebook",
    "study": "sixprime.bot.interfaces.notebook",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("sixprime")
    raise AttributeError(f"module 'sixprime' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
