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
    from sixprime.bot.cli.commandfile import command
    from sixprime.bot.interfaces.notebook import (
        Hint,
        board,
        cube_action,
        eq2mwc,
        hint,
        mwc2eq,
        rollout,
        study,
    )
    from sixprime.engine.nets.evaluate import Evaluator
    from sixprime.engine.position import MatchState, Position
    from sixprime.engine.search.decide import Engine
    from sixprime.engine.search.matchequity import load_table
    from sixprime.engine.search.rollout import RolloutSettings
    from sixprime.protocols.formats.ids import board_integers, match_id, position_id, xgid
    from sixprime.protocols.formats.notation import format_play
    from sixprime.protocols.formats.pasted import read_position, snowie_line
    from sixprime.protocols.formats.replay import moments
    from sixprime.protocols.readers import read_match_file

    __version__: str

__all__ = [
    "Engine",
    "Evaluator",
    "Hint",
    "MatchState",
    "Position",
    "RolloutSettings",
    "board",
    "board_integers",
    "command",
    "cube_action",
    "decisions",
    "eq2mwc",
    "format_play",
    "hint",
    "load_table",
    "match_id",
    "moments",
    "mwc2eq",
    "position_id",
    "read_match_file",
    "read_position",
    "rollout",
    "snowie_line",
    "sql",
    "study",
    "xgid",
]

_NOTEBOOK = "sixprime.bot.interfaces.notebook"
_HOMES = {  # of names that are not the notebook's
    "Engine": "sixprime.engine.search.decide",
    "Evaluator": "sixprime.engine.nets.evaluate",
    "MatchState": "sixprime.engine.position",
    "Position": "sixprime.engine.position",
    "RolloutSettings": "sixprime.engine.search.rollout",
    "board_integers": "sixprime.protocols.formats.ids",
    "command": "sixprime.bot.cli.commandfile",
    "decisions": "sixprime.bot.analysis.collection.decisiontable",
    "format_play": "sixprime.protocols.formats.notation",
    "load_table": "sixprime.engine.search.matchequity",
    "match_id": "sixprime.protocols.formats.ids",
    "moments": "sixprime.protocols.formats.replay",
    "position_id": "sixprime.protocols.formats.ids",
    "read_match_file": "sixprime.protocols.readers",
    "read_position": "sixprime.protocols.formats.pasted",
    "snowie_line": "sixprime.protocols.formats.pasted",
    "sql": "sixprime.bot.analysis.collection.decisiontable",
    "xgid": "sixprime.protocols.formats.ids",
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
