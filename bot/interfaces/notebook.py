"""The engine for notebooks: positions as text in; plays, equities, boards and studies out.

    from sixprime.bot.interfaces.notebook import hint, cube_action

    hint("4HPwATDgc/ABMA", "31")[0]
    cube_action("4HPwATDgc/ABMA:cAkAAAAAAAAE").action

A position is a Position, a Position ID, `posid:matchid` or an XGID; the arguments `match` and
`dice` override its own. `sixprime.engine.search.decide.Engine` is the same without text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from sixprime.bot.interfaces.shown import Board, ShownStudy
from sixprime.bot.reports.decisions import (
    Hint,
    Hints,
    RolledPlays,
    ShownCube,
)
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import CUBE_ACTIONS, Chances, Dice, MatchState, Position, parse_dice
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.decide import MONEY, Engine, within_tables
from sixprime.engine.search.levels import Level
from sixprime.engine.search.matchequity import table_of
from sixprime.engine.search.plies import Evaluation, Search
from sixprime.engine.search.rollout import (
    BadRollout,
    Rollout,
    RolloutSettings,
    of_cube,
    of_plays,
    of_position,
)
from sixprime.engine.study.study import study as study_of
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import read_match_id
from sixprime.protocols.formats.notation import format_play

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain

__all__ = [
    "Engine",
    "Hint",
    "Position",
    "board",
    "cube_action",
    "eq2mwc",
    "hint",
    "mwc2eq",
    "rollout",
    "study",
]


def hint(
    position: Position | str,
    dice: Dice | str | None = None,
    *,
    match: MatchState | str | None = None,
    level: Level | str | float = "world-class",
) -> Hints:
    """Return every legal play, best first."""
    board, state, roll = _read(position, match, dice)
    return Hints.ranked(board, _engine(level).move(board, state, roll))


def board(
    position: Position | str,
    dice: Dice | str | None = None,
    *,
    match: MatchState | str | None = None,
) -> Board:
    return Board(*_read(position, match, dice))


def study(
    position: Position | str,
    *,
    match: MatchState | str | None = None,
    level: Level | str | float = "world-class",
    chances: Chances | None = None,
    rolls: bool = True,
) -> ShownStudy:
    """Return counts, race, cube points and rolls; `chances` replace the engine's own."""
    seen, state, _ = _read(position, match, None)
    found = study_of(seen, state, _engine(level), chances, with_rolls=rolls)
    return ShownStudy(**vars(found))


def cube_action(
    position: Position | str,
    *,
    match: MatchState | str | None = None,
    level: Level | str | float = "world-class",
) -> ShownCube:
    """Return the cube action, and the equities of no double, take and pass."""
    board, state, _ = _read(position, match, None)
    return ShownCube.from_advice(_engine(level).cube(board, state), state)


def rollout(
    position: Position | str,
    dice: Dice | str | None = None,
    *,
    match: MatchState | str | None = None,
    settings: RolloutSettings | None = None,
    plays: int = 3,
    threads: int = 1,
    progress: bool = False,
) -> RolledPlays:
    """Roll out the best plays of a roll, or without dice double and no double; best first."""
    board, state, roll = _read(position, match, dice)
    settings = RolloutSettings() if settings is None else settings
    _of_type("settings", settings, RolloutSettings, "a RolloutSettings")
    for name, value in (("plays", plays), ("threads", threads)):
        _of_type(name, value, int, "a whole number")
        if value < 1:
            raise BadRollout(f"{name} {value}: at least 1 is needed")
    brain = load_brain()
    state = within_tables(board, state)
    made, names = rollout_of(board, state, roll, settings.checked(), plays, brain)
    with _bar(shown=progress) as tell:
        found = made.run(brain, threads=threads, progress=tell)
    return RolledPlays.named(names, found, ranked=roll is not None)


def eq2mwc(equity: float, match: MatchState | str) -> float:
    """Return the chance of winning the match, of the player on roll with this equity."""
    state = _state(match)
    return table_of(state).chances(state, state.on_roll).mwc(equity, state.cube)


def mwc2eq(mwc: float, match: MatchState | str) -> float:
    """Return the equity, normalised to the cube, of the player on roll with this chance."""
    state = _state(match)
    return table_of(state).chances(state, state.on_roll).emg(mwc, state.cube)


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar while the block reports (done, total)."""
    from rich.progress import Progress

    with Progress(disable=not shown) as bar:
        task = bar.add_task("rolling out", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def rollout_of(
    position: Position,
    match: MatchState,
    dice: Dice | None,
    settings: RolloutSettings,
    plays: int,
    brain: Brain,
) -> tuple[Rollout, list[str]]:
    """Prepare a rollout of the best `plays` at 0-ply, or of the cube; name its candidates."""
    if dice is None and settings.opening:
        return of_position(position, match, settings), ["opening roll"]
    if dice is None and not settings.cubeful:
        return of_position(position, match, settings), ["no cube"]
    if dice is None and not CubeContext.of(match).available():
        return of_position(position, match, settings), list(CUBE_ACTIONS[:1])
    if dice is None:
        return of_cube(position, match, settings), list(CUBE_ACTIONS[:2])
    evaluation = Evaluation(prune=False, cubeful=settings.cubeful)
    best = Search(brain).plays(position, match, dice, evaluation)[:plays]
    names = [format_play(position, each.play) or "no play" for each in best]
    return of_plays(position, match, [each.play for each in best], settings), names


def _read(
    position: Position | str, match: MatchState | str | None, dice: Dice | str | None
) -> tuple[Position, MatchState, Dice | None]:
    state = None
    if isinstance(position, str):
        position, state = pasted.read_position(position)
    state = _state(match or state or MONEY)
    _of_type("position", position, Position, "a Position, an ID or an XGID")
    return position.checked(), state, _dice(dice) or state.dice


def _state(match: MatchState | str) -> MatchState:
    state = read_match_id(match) if isinstance(match, str) else match
    _of_type("match", state, MatchState, "a MatchState or a Match ID")
    return state.checked()


def _dice(dice: Dice | str | None) -> Dice | None:
    if dice is None:
        return None
    try:
        return parse_dice(" and ".join(str(die) for die in dice))
    except (TypeError, ValueError):
        said = f"{dice!r}"[:20]
        wanted = "dice are two digits from 1 to 6, such as '31' or (3, 1)"
        raise ValueError(f"{wanted}, not {said}") from None


def _of_type(name: str, value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} {f'{value!r}'[:40]}: {what} is needed")


@lru_cache(maxsize=4)
def _engine(level: Level | str | float) -> Engine:
    return Engine(level)
