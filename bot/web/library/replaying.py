"""A match step by step, with an analysis of each decision."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from markupsafe import Markup

from sixprime.bot.analysis.rollouts import Spot
from sixprime.bot.process.printable import named
from sixprime.bot.reports.charts_svg import ChartLine, Steps, lines
from sixprime.bot.reports.html import game_marks, luck_and_errors, standing
from sixprime.bot.reports.text import CUBE_ERRORS, MARKS, cube_rows, made_by, result_words
from sixprime.bot.reports.turns import matters
from sixprime.bot.web.frame.boardview import board, spoken
from sixprime.bot.web.frame.texts import N_, gettext, ngettext, shown
from sixprime.bot.web.library.arrows import arrows
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    Error,
    MatchAnalysis,
    RankedPlay,
    RolloutResult,
    TurnAnalysis,
    What,
    decisions,
)
from sixprime.engine.position import MatchState, Position
from sixprime.protocols.formats.ids import BadId, xgid
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.positionfile import exchanged
from sixprime.protocols.formats.record import (
    LUCK,
    Cube,
    CubeStep,
    Interruption,
    Marks,
    Match,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
    is_move,
    settled,
)
from sixprime.protocols.formats.replay import Moment, moments

WORST = 20  # errors in the list
LEAST = 0.005  # EMG of an error in it
WIDE, NARROW = 900.0, 460.0  # charts for screens and for phones
_CUBE = {
    CubeStep.DOUBLE: N_("%(who)s doubles."),
    CubeStep.TAKE: N_("%(who)s takes."),
    CubeStep.DROP: N_("%(who)s passes."),
    CubeStep.BEAVER: N_("%(who)s beavers."),
}
_RESIGNED = (
    N_("%(who)s resigns a single game."),
    N_("%(who)s resigns a gammon."),
    N_("%(who)s resigns a backgammon."),
)
_ANSWERED = {
    ResignStep.ACCEPTED: N_("%(who)s accepts."),
    ResignStep.REJECTED: N_("%(who)s plays on."),
}
_STRIPS = {WIDE: 150, NARROW: 60}  # links in a chart


@dataclass(slots=True)
class ReplayStep:
    """An action of a game, and its turn in the analysis."""

    game: int
    moment: Moment
    turn: TurnAnalysis | None = None
    what: What = What.PLAY
    index: int = 0  # of the turn


@dataclass(slots=True)
class Replayed:
    """A match as a list of steps."""

    match: Match
    analysis: MatchAnalysis | None
    stages: list[ReplayStep] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # the first step of each game
    turn_steps: list[list[int]] = field(default_factory=list)  # of each game's analysed turns
    below: int = 0  # the seat below on boards

    @classmethod
    def from_match(cls, match: Match, analysis: MatchAnalysis | None, below: int = 0) -> Replayed:
        """Cut a match into steps; BadRecord if it breaks the rules."""
        made = cls(match, analysis, below=below)
        for number, game in enumerate(match.games):
            made.starts.append(len(made.stages))
            seen = moments(match, replace(game, actions=settled(game)))
            made.stages += [ReplayStep(number, moment) for moment in seen]
            made.turn_steps.append(list(made._turns(number)))
        return made

    def _turns(self, number: int) -> Iterator[int]:
        """Give each step of a game its turn in the analysis; yield the step of each turn's play."""
        start = self.starts[number]
        turns = () if self.analysis is None else self.analysis.games[number].turns
        for index, turn in enumerate(turns):
            self._lay(start + turn.action, turn, What.DOUBLE, index)
            if turn.cube_analysis is not None and turn.cube_analysis.answer_verdict is not None:
                self._lay(start + turn.action + 1, turn, What.ANSWER, index)
            if turn.roll is not None:
                self._lay(start + turn.roll, turn, What.PLAY, index)
            yield start + (turn.action if turn.roll is None else turn.roll)

    def _lay(self, step: int, turn: TurnAnalysis, what: What, index: int) -> None:
        if step < len(self.stages):
            stage = self.stages[step]
            stage.turn, stage.what, stage.index = turn, what, index

    @property
    def names(self) -> tuple[str, str]:
        first, second = (named(player.name) for player in self.match.players)
        return first, second

    def step_of(self, error: Error) -> int:
        place = self.turn_steps[error.game][error.turn]
        turn = self.stages[place].turn
        if error.what is What.PLAY or turn is None or not _doubled(turn):
            return place
        return self.starts[error.game] + turn.action + (error.what is What.ANSWER)

    def spots(self, number: int) -> Iterator[tuple[str, Spot]]:
        """Yield the decisions of a step to roll out, each with its mark."""
        stage = self.stages[number]
        turn = stage.turn
        if turn is None or turn.position.is_hypergammon():  # its equities are exact
            return
        move, cube = turn.move, _cube_at(stage)
        if stage.what is What.PLAY and move and move.chosen is not None and move.legal > 1:
            yield f"{number}p", Spot(stage.game, stage.index, is_play=True)
        if cube is not None:
            yield f"{number}c", Spot(stage.game, stage.index, is_play=False)

    def errors(self) -> list[Error]:
        return [] if self.analysis is None else self.analysis.errors()

    def shown(self, number: int) -> dict[str, Any]:
        number = min(number, len(self.stages) - 1)
        stage = self.stages[number]
        game = self.match.games[stage.game]
        action, position, state = stage.moment
        if isinstance(action, Turn):
            state = state.with_(dice=action.dice)
        mine = position if state.on_roll == self.below else position.flipped()
        drawn = Markup()
        if isinstance(action, Turn) and action.play:
            drawn = arrows(action.play, int(action.seat != self.below))
        marked = sorted({self.step_of(each) for each in self.errors() if each.verdict.mark})
        before, after = bisect_left(marked, number), bisect_right(marked, number)
        ahead = bisect_right(self.starts, number)
        return {
            "number": number,
            "last": len(self.stages) - 1,
            "game": stage.game + 1,
            "score": game.score,
            "crawford": game.crawford,
            "earlier_game": self.starts[max(ahead - 2, 0)],
            "later_game": self.starts[ahead] if ahead < len(self.starts) else None,
            "earlier_error": marked[before - 1] if before else None,
            "later_error": marked[after] if after < len(marked) else None,
            "board": board(mine, state, below=self.below, over=drawn),
            "spoken": spoken(mine, self.names[::-1] if self.below else self.names),
            "onwards": self._onwards(action, position, state),
            "spots": list(self.spots(number)),
            "says": self._says(stage, ends=self._ends(number)),
            **self._judged(stage),
            "words": self._words(stage, number),
        }

    def _onwards(
        self, action: object, position: Position, state: MatchState
    ) -> list[tuple[str, str]]:
        """Return who may play on from a step, with the XGID as each sees it."""
        if isinstance(action, SetBoard):
            return []
        ids = [_xgid_below(position, state, seat) for seat in (0, 1)]
        return list(zip(ids, self.names, strict=True)) if all(ids) else []

    def _words(self, stage: ReplayStep, number: int) -> dict[str, Any]:
        """Return the words of people on this step; `move` is 0 where there is no move."""
        game, action = self.match.games[stage.game], stage.moment.action
        before = self.stages[self.starts[stage.game] : number + 1]
        move = sum(is_move(each.moment.action) for each in before) if is_move(action) else 0
        marks = (action.marks if isinstance(action, Turn | Cube) else None) or Marks()
        return {
            "of_game": game.comment,
            "comment": action.comment,
            "marks": ", ".join(marks.words),
            "move": move,
            "mark": marks.action.value if marks.action else "",
            "cube_mark": marks.cube.value if marks.cube else "",
            "luck": LUCK[marks.luck],
            "is_roll": isinstance(action, Turn),
        }

    def _ends(self, number: int) -> bool:
        """Return whether this is the last step of its game."""
        stages = self.stages
        return number + 1 == len(stages) or stages[number + 1].game != stages[number].game

    def _says(self, stage: ReplayStep, *, ends: bool) -> str:
        words = says(self.names, stage.moment.action, stage.moment.position)
        result = self.match.games[stage.game].result
        if not ends or result is None:
            return words
        who = self.names[result.winner]
        wins = ngettext(
            "%(who)s wins 1 point.", "%(who)s wins %(num)s points.", result.points, who=who
        )
        return f"{words} {wins}"

    # --- the analysis

    def _judged(self, stage: ReplayStep) -> dict[str, Any]:
        turn, action = stage.turn, stage.moment.action
        own = action.analysis if isinstance(action, Turn) else None  # made during the game
        plays: Sequence[RankedPlay] = ()
        chosen: int | None = None
        if turn is None and own is not None:
            plays, chosen = own.candidates, own.chosen
        elif turn is not None and turn.move is not None and stage.what is What.PLAY:
            plays, chosen = turn.move.candidates, turn.move.chosen
        cube = _cube_at(stage)
        by = [each.by for each in plays[:1]] + ([] if cube is None else [cube.by])
        luck = LUCK[turn.luck_mark] if turn and stage.what is What.PLAY else ""
        seat = getattr(action, "seat", 0)
        return {
            "verdicts": list(self._verdicts(stage)),
            "decided": [(each.place, each.what.value) for each in _decided(stage)],
            "plays": [play_fields(stage.moment.position, each, plays[0]) for each in plays],
            "chosen": chosen,
            "cube": None if cube is None else cube_fields(cube),
            "luck": luck,
            "rolled": [made_by(each) for each in by if isinstance(each, RolloutResult)],
            "chances": _chances(plays, chosen, turn, seat),
        }

    def _verdicts(self, stage: ReplayStep) -> Iterator[dict[str, Any]]:
        for each in _decided(stage):
            if each.verdict.error < 0:
                yield self._given(each.what, each.seat, each)

    def _given(self, what: What, seat: int, error: Error) -> dict[str, Any]:
        verdict, match = error.verdict, self.match.length > 0
        cost = (
            f"{-100 * verdict.cost:z.2f} % MWC"
            if match
            else gettext("%(cost)s points", cost=f"{-verdict.cost:z.3f}")
        )
        return {
            "who": self.names[seat],
            "what": {What.DOUBLE: "double", What.ANSWER: "answer", What.PLAY: "play"}[what],
            "kind": "" if verdict.kind is None else CUBE_ERRORS[verdict.kind],
            "mark": MARKS[verdict.mark],
            "grade": int(verdict.mark),
            "error": -verdict.error,
            "cost": cost,
        }

    def skill(self) -> list[dict[str, str]]:
        """Return each player's PR, its word, and luck; empty without an analysis."""
        statistics = () if self.analysis is None else self.analysis.statistics
        return [
            {
                "who": name,
                "pr": "–" if of_player.pr is None else f"{of_player.pr:z.1f}",
                "rating": of_player.rating,
                "luck": result_words(of_player.luck.cost, self.match.length > 0),
            }
            for name, of_player in zip(self.names, statistics, strict=False)
        ]

    def worst(self) -> list[dict[str, Any]]:
        """Return the worst errors with their steps and the right actions."""
        return [
            {
                **self._given(each.what, each.seat, each),
                "step": self.step_of(each),
                "game": each.game + 1,
                "better": self._better(each),
            }
            for each in self.errors()[:WORST]
            if each.verdict.error <= -LEAST
        ]

    def worst_of(self, seat: int, most: int) -> list[dict[str, Any]]:
        """Return a seat's worst errors with a board and the XGID of each decision."""
        assert self.analysis is not None
        own = [each for each in self.errors() if each.seat == seat and each.verdict.mark]
        return [self._again(each, self.analysis.state_at(each)) for each in own[:most]]

    def _again(self, error: Error, state: MatchState) -> dict[str, Any]:
        assert self.analysis is not None
        turn = self.analysis.turn_of(error)
        mine = turn.position if state.on_roll == error.seat else turn.position.flipped()
        return {
            **self._given(error.what, error.seat, error),
            "place": error.place,
            "step": self.step_of(error),
            "better": self._better(error),
            "board": board(mine, state, below=error.seat),
            "xgid": _xgid_below(turn.position, state, error.seat),
        }

    def _better(self, error: Error) -> str:
        assert self.analysis is not None
        turn = self.analysis.turn_of(error)
        if error.what is not What.PLAY or turn.move is None or turn.move.best is None:
            return "" if turn.cube_analysis is None else shown(turn.cube_analysis.proper)
        made = format_play(turn.position, turn.move.played)
        best = format_play(turn.position, turn.move.best.play)
        roll = "" if turn.dice is None else f"{turn.dice[0]}-{turn.dice[1]}: "
        return roll + gettext("%(made)s, better %(best)s", made=made, best=best)

    # --- graphs

    def graphs(self, number: int) -> list[tuple[str, Markup]]:
        """Return graphs of chances and luck with links to the steps, for screens and for phones."""
        if self.analysis is None or not any(self.turn_steps):
            return []
        return [
            (kind, Markup().join(self._drawn(self.analysis, number, width)))
            for kind, width in (("wide", WIDE), ("narrow", NARROW))
        ]

    def _drawn(self, analysis: MatchAnalysis, number: int, width: float) -> Iterator[Markup]:
        places = [step for game in self.turn_steps for step in game]
        every = -(-len(places) // _STRIPS[width])
        links = [
            (float(turn), f"?step={step}", gettext("Step %(step)s", step=step + 1))
            for turn, step in list(enumerate(places, start=1))[::every]
        ]
        steps = Steps(links, float(min(bisect_left(places, number) + 1, len(places))), width)
        marks = [
            (place, gettext("game %(game)s", game=number))
            for number, (place, _) in enumerate(game_marks(analysis), start=1)
        ]
        if (found := standing(analysis)) is not None:
            title, unit, points, middle = found
            drawn = [ChartLine(self.names[0], points)]
            yield lines(shown(title), drawn, unit=unit, marks=marks, zero=middle, steps=steps)
        match = self.match.length > 0
        luck, _ = luck_and_errors(analysis, 100.0 if match else 1.0)
        if any(len(line) > 1 for line in luck):
            drawn = [ChartLine(*each) for each in zip(self.names, luck, strict=True)]
            title = gettext("Luck so far")
            yield lines(title, drawn, unit="%" if match else "", marks=marks, steps=steps)


def says(names: Sequence[str], action: object, position: Position) -> str:
    if isinstance(action, SetBoard):
        return gettext("The board is set up.")
    who = names[getattr(action, "seat", 0)]
    match action:
        case Turn(_, dice, None):
            return gettext("%(who)s rolls %(dice)s.", who=who, dice=f"{dice[0]}-{dice[1]}")
        case Turn(_, dice, tuple(play)):
            rolled = {"who": who, "dice": f"{dice[0]}-{dice[1]}"}
            made = format_play(position, play) or gettext("no move")
            if action.illegal:
                made = gettext("%(play)s, which is illegal", play=made)
            return gettext("%(who)s rolls %(dice)s: %(play)s.", **rolled, play=made)
        case Cube(_, step):
            return gettext(_CUBE[step], who=who)
        case Resignation(_, step, games):
            return gettext(
                _RESIGNED[games - 1] if step is ResignStep.OFFERED else _ANSWERED[step], who=who
            )
        case _:
            what = action.what.value if isinstance(action, Interruption) else N_("break")
            return f"{who}: {shown(what)}."


def _decided(stage: ReplayStep) -> Iterator[Error]:
    """Yield the decisions of a step, errors or not; forced plays are none."""
    turn, at = stage.turn, stage.what
    if turn is None:
        return
    for what, seat, verdict in decisions(turn):
        undoubled = at is What.PLAY and what is What.DOUBLE and not _doubled(turn)
        forced = what is What.PLAY and (turn.move is None or turn.move.legal < 2)
        if (what is at or undoubled) and not forced:
            yield Error(stage.game, stage.index, what, seat, verdict)


def _doubled(turn: TurnAnalysis) -> bool:
    return turn.cube_analysis is not None and turn.cube_analysis.doubled


def _cube_at(stage: ReplayStep) -> CubeAnalysis | None:
    """Return the cube decision of a step."""
    cube = None if stage.turn is None else stage.turn.cube_analysis
    if cube is not None and stage.what is What.PLAY and (cube.doubled or not matters(cube)):
        return None
    return cube


def play_fields(position: Position, play: RankedPlay, best: RankedPlay) -> dict[str, Any]:
    return {
        "play": format_play(position, play.play) or gettext("no move"),
        "equity": play.equity,
        "loss": best.equity - play.equity,
        "chances": [100.0 * each for each in play.probabilities],
    }


def cube_fields(cube: CubeAnalysis) -> dict[str, Any]:
    rows = [(name.capitalize(), *row) for name, *row in cube_rows(cube)]
    return {"proper": cube.proper, "rows": rows, "mwc": cube.mwc is not None}


def _chances(
    plays: Sequence[RankedPlay], chosen: int | None, turn: TurnAnalysis | None, seat: int
) -> list[float] | None:
    """Return seat 0's wins, gammons, backgammons, lost gammons, lost backgammons in percent."""
    if plays and chosen is not None:
        found: Sequence[float] = plays[chosen].probabilities
    elif turn is not None and turn.cube_analysis is not None:
        found, seat = turn.cube_analysis.outcomes, turn.seat
    else:
        return None
    win, gammon, backgammon, lost, lost_backgammon = (100.0 * each for each in found)
    if seat == 0:
        return [win, gammon, backgammon, lost, lost_backgammon]
    return [100.0 - win, lost, lost_backgammon, gammon, backgammon]


def _xgid_below(position: Position, state: MatchState, seat: int) -> str:
    """Return the XGID with this seat below, which is seat 1 there; empty if there is none."""
    with suppress(BadId):
        return xgid(position, state if seat == 1 else exchanged(state))
    return ""
