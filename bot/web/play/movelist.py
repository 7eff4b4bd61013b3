"""The moves of a game as a list of two columns: the person's and the engine's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.library.replaying import Replayed
from sixprime.engine.analysis.judging import Thresholds
from sixprime.engine.analysis.values import Mark, What
from sixprime.engine.position import BAR, OFF, Play
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    ResignStep,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import Replay

Losses = Mapping[tuple[int, What], float]  # EMG, by the place of the action

SIGNS = {Mark.NONE: "", Mark.DOUBTFUL: "?!", Mark.BAD: "?", Mark.VERY_BAD: "??"}
_CUBE = {
    CubeStep.DOUBLE: N_("doubles to %(cube)s"),
    CubeStep.TAKE: N_("takes"),
    CubeStep.DROP: N_("passes"),
    CubeStep.BEAVER: N_("beavers to %(cube)s"),
}
_RESIGNATION = {
    ResignStep.OFFERED: N_("resigns"),
    ResignStep.ACCEPTED: N_("accepts"),
    ResignStep.REJECTED: N_("refuses"),
}


@dataclass(frozen=True, slots=True)
class ListedMove:
    """An action in words, with the sign of an error and its loss; `place` counts actions."""

    words: str
    place: int
    loss: float = 0.0

    @property
    def mark(self) -> Mark:
        return Thresholds().mark(-self.loss)

    @property
    def sign(self) -> str:
        return SIGNS[self.mark]


@dataclass(slots=True)
class MoveRow:
    """One turn of each seat; a cube action stands before the roll of its turn."""

    cells: tuple[list[ListedMove], list[ListedMove]] = field(default_factory=lambda: ([], []))


@dataclass(frozen=True, slots=True)
class ListedGame:
    title: str
    rows: list[MoveRow]


def move_rows(
    match: Match, game: Game, losses: Losses | None = None, first: int = 0
) -> list[MoveRow]:
    """Return the moves of a game, in the numbers of the seat that made each.

    `first` is the place of the game's first action.
    """
    replay = Replay(match.length, match.rules, game)
    rows: list[MoveRow] = []
    last = 1
    for place, action in enumerate(game.actions, first):
        seat, moves = getattr(action, "seat", 0), list(_moves(action, replay, place, losses or {}))
        replay.apply(action)
        if not moves:
            continue
        if not rows or seat < last:
            rows.append(MoveRow())
        rows[-1].cells[seat].extend(moves)
        last = seat
    return rows


def games_listed(found: Replayed) -> list[ListedGame]:
    """Return all games of an archived match; places are steps of its replay."""
    losses = {(found.step_of(each), each.what): -each.verdict.error for each in found.errors()}
    return [
        ListedGame(
            gettext(
                "Game %(number)s, %(score)s", number=number, score="–".join(map(str, game.score))
            ),
            move_rows(found.match, replace(game, actions=settled(game)), losses, first),
        )
        for number, (game, first) in enumerate(
            zip(found.match.games, found.starts, strict=True), start=1
        )
    ]


def _moves(action: Action, replay: Replay, place: int, losses: Losses) -> Iterator[ListedMove]:
    words = _words(action, replay)
    if isinstance(action, Turn):
        missed = ListedMove("no double", place, losses.get((place, What.DOUBLE), 0.0))
        if words and missed.mark:
            yield missed
        what = What.PLAY
    else:
        is_double = isinstance(action, Cube) and action.step is CubeStep.DOUBLE
        what = What.DOUBLE if is_double else What.ANSWER
    if words:
        yield ListedMove(words, place, losses.get((place, what), 0.0))


def _words(action: Action, replay: Replay) -> str:
    match action:
        case Turn(_, dice, tuple(play)):
            rolled = "".join(map(str, sorted(dice, reverse=True)))
            none = gettext("no play") if action.illegal else gettext("cannot move")
            made = format_play(replay.position, play) or none
            if action.illegal:
                made = gettext("%(play)s, illegal", play=made)
            return f"{rolled}: {made}"
        case Cube(_, step):
            return gettext(_CUBE[step], cube=2 * replay.state.cube)
        case Resignation(_, step):
            return gettext(_RESIGNATION[step])
        case _:
            return ""


def from_other_side(play: Play) -> str:
    """Return a play in the numbers of the opponent, whose board one looks at."""
    return " ".join(f"{_other(start)}/{_other(end)}" for start, end in play)


def _other(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(BAR - place))
