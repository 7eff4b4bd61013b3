"""Backgammon from Python: positions, an engine that decides, and its opinions of positions.

    >>> import sixprime
    >>> sixprime.hint("4HPwATDgc/ABMA", dice="31")[0].play
    '8/5 6/5'

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing says, which need not be imported
if TYPE_CHECKING:
    from sixprime.bot.analysis.collection.decisiontable import decisions, sql
    from sixprime.bot.interfaces.notebook import Hint, board, cube_action, hint, rollout, study
    from sixprime.engine.nets.evaluate import Evaluator
    from sixprime.engine.position import MatchState, Position
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.rollout import RolloutSettings

    __version__: str

__all__ = [
    "Engine",
    "Evaluator",
    "Hint",
    "MatchState",
    "Position",
    "RolloutSettings",
    "board",
    "cube_action",
    "decisions",
    "hint",
    "rollout",
    "sql",
    "study",
]

_NOTEBOOK = "sixprime.bot.interfaces.notebook"
_HOMES = {  # of names that are not the notebook's
    "Engine": "sixprime.engine.search.decide",
    "Evaluator": "sixprime.engine.nets.evaluate",
    "MatchState": "sixprime.engine.position",
    "Position": "sixprime.engine.position",
    "RolloutSettings": "sixprime.engine.search.rollout",
    "decisions": "sixprime.bot.analysis.collection.decisiontable",
    "sql": "sixprime.bot.analysis.collection.decisiontable",
}


def _get(name: str) -> object:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(_HOMES.get(name, _NOTEBOOK)), name)
    if name == "__version__":
        from sixprime.bot.process.release import installed

        return installed()
    raise AttributeError(f"module 'sixprime' has no attribute {name!r}")


if not TYPE_CHECKING:  # a type checker would take every name for one that is there
    __getattr__ = _get


def __dir__() -> list[str]:
    own = [name for name in globals() if name.startswith("__") and name.endswith("__")]
    return sorted({*own, *__all__, "__version__"})
