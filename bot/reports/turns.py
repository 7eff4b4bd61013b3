"""A turn of an analysed match in words, tables and a board, as every report and document tells it.

A line or a table may have the name of a CSS class of gnubg's HTML, for styles that people have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from sixprime.bot.process.printable import counted
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.svg import element
from sixprime.bot.reports.text import CUBE_ERRORS, MARKS, ShownTable, cube_rows, made_by
from sixprime.engine.analysis.values import (
    CubeAnalysis,
    Error,
    GameAnalysis,
    MatchAnalysis,
    RolloutResult,
    Seven,
    TurnAnalysis,
    Verdict,
    What,
)
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import cubeful_equity
from sixprime.engine.study.cubepoints import share_of_wrong
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import LUCK, one_line

_CHANCES = ("wins", "gammons", "bg", "lost g.", "lost bg")
_PERCENTS = ("percent",) * len(_CHANCES)
_WHAT = {What.DOUBLE: "double", What.ANSWER: "answer", What.PLAY: "play"}


class Line(NamedTuple):
    """A sentence about a decision."""

    text: str
    style: str = ""


Told = Line | ShownTable
RolledRow = tuple[str, Seven, Seven]  # a candidate, its results and their standard errors


def plain(text: str) -> str:
    return one_line(text) or "?"


def names_in(analysis: MatchAnalysis) -> tuple[str, str]:
    first, second = map(plain, analysis.players)
    return first, second


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn of an analysed match.

    `judge` is the program that made the analysis in the record.
    """

    analysis: MatchAnalysis
    game_index: int
    index: int
    judge: str = ""
    recorded: MatchAnalysis | None = None
    words: Sequence[str] = ()  # comments and marks of people
    below: int | None = None  # the seat below on the board; None is the player of the turn

    @property
    def game(self) -> GameAnalysis:
        return self.analysis.games[self.game_index]

    @property
    def turn(self) -> TurnAnalysis:
        return self.game.turns[self.index]

    @property
    def other(self) -> ShownTurn | None:
        """The same turn in the analysis of the record."""
        if self.recorded is None:
            return None
        return ShownTurn(self.recorded, self.game_index, self.index, self.judge)

    @property
    def anchor(self) -> str:
        return f"g{self.game_index + 1}t{self.index + 1}"

    @property
    def name(self) -> str:
        return f"game {self.game_index + 1}, turn {self.index + 1}"

    @property
    def who(self) -> str:
        return names_in(self.analysis)[self.turn.seat]

    @property
    def has_cube(self) -> bool:
        cube = self.turn.cube_analysis
        return cube is not None and matters(cube)

    @property
    def played(self) -> str:
        move = self.turn.move
        if move is None:
            return "not played"
        return format_play(self.turn.position, move.played) or "cannot move"

    @property
    def did(self) -> str:
        """The double, its answer and the play."""
        words, cube = [], self.turn.cube_analysis
        if cube is not None and cube.doubled:
            words.append(f"doubles, {cube.answer.value if cube.answer else 'no answer'}")
        if self.turn.dice is not None:
            words.append(f"{self.turn.dice[0]}{self.turn.dice[1]}: {self.played}")
        return ", ".join(words)

    def situation(self, rolled: bool) -> str:
        """Return the decision before or after the roll, the score and the pips."""
        turn, length = self.turn, self.analysis.length
        mine, theirs = turn.position.pips()
        score = self.game.score if turn.seat == 0 else self.game.score[::-1]
        terms = counted(length, "point") if length else "money"
        crawford = ", Crawford" if self.game.crawford else ""
        does = "to roll or double"
        if rolled and turn.dice is not None:
            does = f"to play {turn.dice[0]}-{turn.dice[1]}"
        standing = f"{terms}, {score[0]}–{score[1]}{crawford}"
        return f"{self.who} {does} · {standing} · pips {mine}–{theirs}"

    def board(self, rolled: bool) -> Markup:
        """Return the board before or after the roll; seat 0 has the dark checkers."""
        turn = self.turn
        state = self.analysis.state(self.game, turn, rolled=rolled)
        dice = turn.dice if rolled else None
        seat = turn.seat if self.below is None else self.below
        shapes = board_svg.seen_by(seat, turn.position, state.with_(dice=dice))
        empty = element("use", href="#empty")
        label = f"The board as {names_in(self.analysis)[seat]} sees it"
        return board_svg.framed([empty, *shapes], label, class_="board", role="img")

    @property
    def plays(self) -> ShownTable:
        """The best plays of a turn with a play."""
        move = self.turn.move
        assert move is not None
        rows = []
        for place, each in enumerate(move.candidates):
            loss = f"{each.equity - move.candidates[0].equity:+z.3f}" if place else ""
            play = format_play(self.turn.position, each.play) or "no play"
            chances = _percents(each.probabilities)
            rows.append([play, f"{each.equity:+z.3f}", loss, *chances, made_by(each.by)])
        heads = ("play", "equity", "", *_CHANCES, "")
        styles = ("movemove", "moveequity", "moveequity", *_PERCENTS, "moveply")
        return ShownTable("", heads, rows, "", move.chosen, "movetable", styles)

    @property
    def cube(self) -> ShownTable:
        """The cube actions of a turn with a cube analysis, for the player of the turn."""
        return self._cube(answering=False)

    def _cube(self, *, answering: bool) -> ShownTable:
        """Return the cube actions, for the opponent if he is `answering`."""
        cube = self.turn.cube_analysis
        assert cube is not None
        best = max(cube.equities[0], min(cube.equities[1:]))
        rows, played, sign = [], None, -1 if answering else 1
        for place, (name, equity, mwc, was_done) in enumerate(cube_rows(cube)):
            loss = f"{sign * (equity - best):+z.3f}" if equity != best else ""
            chance = "" if mwc is None else f"{100 * (1 - mwc if answering else mwc):.2f}%"
            rows.append([name, f"{sign * equity:+z.3f}", loss, chance])
            played = place if was_done else played
        heads = ("cube", "equity", "", "MWC" if cube.mwc else "")
        styles = ("", "cubeequity", "", "")
        return ShownTable("", heads, rows, "", played, "cubedecision", styles)

    @property
    def doubling(self) -> str:
        """The cube actions of both players, and the kinds of their errors."""
        cube, names = self.turn.cube_analysis, names_in(self.analysis)
        assert cube is not None
        answer = f", {names[1 - self.turn.seat]}: {cube.answer.value}" if cube.answer else ""
        verdicts = [each for each in (cube.double_verdict, cube.answer_verdict) if each]
        kinds = ", ".join(CUBE_ERRORS[each.kind] for each in verdicts if each.kind is not None)
        wrong = f" – {kinds}" if kinds else ""
        return f"{self.who} {'doubles' if cube.doubled else 'does not double'}{answer}{wrong}"

    @property
    def proper(self) -> str:
        """The right cube action, and the share of wrong answers that would mend a wrong one."""
        cube = self.turn.cube_analysis
        assert cube is not None
        share = share_of_wrong(*cube.equities)
        return cube.proper + ("" if share is None else f" ({100 * share:.1f}%)")

    # -- all that is told of a decision

    def of_cube(self, *, answering: bool = False) -> Iterator[Told]:
        """Yield all about a cube decision, for the opponent if he is `answering`."""
        cube = self.turn.cube_analysis
        assert cube is not None
        verdict = cube.answer_verdict if answering else cube.double_verdict
        yield from self._alert(What.ANSWER if answering else What.DOUBLE, verdict)
        if cube.doubled or cube.double_verdict.error:
            yield Line(f"{self.doubling}.")
        state = self.analysis.state(self.game, self.turn)
        score, money = (
            (-1 if answering else 1) * cubeful_equity(cube.outcomes, each, 0.0).equity
            for each in (state, MatchState())
        )
        other = f" (money {money:+z.3f})" if state.length else ""
        score = score if state.length else money  # as gnubg, which counts gammons despite Jacoby
        yield Line(f"{made_by(cube.by)}, cubeless equity {score:+z.3f}{other}", "cubeply")
        chances = _answerers(cube.outcomes) if answering else cube.outcomes
        named = zip(_CHANCES, _percents(chances), strict=True)
        yield Line(", ".join(f"{name} {chance}" for name, chance in named), "cubeprobs")
        yield self._cube(answering=answering)
        yield Line(f"Proper cube action: {self.proper}", "cubeaction")
        if isinstance(cube.by, RolloutResult):
            cubes = ("no double", "double, take")
            rows = zip(cubes, cube.by.outputs, cube.by.errors, strict=True)
            yield _rolled(rows, "cubedecision", counted(cube.by.trials, "trial"))

    def of_roll(self) -> Iterator[Told]:
        """Yield the luck of the roll."""
        turn = self.turn
        if turn.luck is not None and turn.luck_mark:
            yield Line(f"Alert: {LUCK[turn.luck_mark]} roll: {turn.luck:+z.3f}", "joker")
        elif turn.luck is not None:
            yield Line(f"Luck of the roll {turn.luck:+z.3f}")

    def of_play(self, most: int | None = None) -> Iterator[Told]:
        """Yield all about a play, with at most so many plays besides the one made."""
        move = self.turn.move
        assert move is not None
        yield from self._alert(What.PLAY, move.verdict)
        if not move.candidates:
            yield Line(f"Played {self.played}.")
            return
        table, chosen = self.plays, move.chosen
        kept = [i for i in range(len(table.rows)) if most is None or i < most or i == chosen]
        yield table._replace(
            heads=("#", *table.heads),
            rows=[[f"{i + 1}.", *table.rows[i]] for i in kept],
            played=kept.index(chosen) if chosen is not None else None,
            styles=("movenumber", *table.styles),
        )
        best = (move.candidates[i] for i in kept)
        rolled = [
            (format_play(self.turn.position, each.play), each.by.outputs[0], each.by.errors[0])
            for each in best
            if isinstance(each.by, RolloutResult)
        ]
        if rolled:
            yield _rolled(rolled, "movetable")

    def _alert(self, what: What, verdict: Verdict | None) -> Iterator[Line]:
        """Yield a line about an error, if it is marked, or one with the cube."""
        if verdict is None or not verdict.error or (what is What.PLAY and not verdict.mark):
            return
        seat = 1 - self.turn.seat if what is What.ANSWER else self.turn.seat
        error = ShownError(self, Error(self.game_index, self.index, what, seat, verdict))
        mark = MARKS[verdict.mark] or "inexact"
        text = f"Alert: {mark} {_WHAT[what]}: {error.who} gives away {error.given}"
        yield Line(text, "blunder")

    @property
    def told(self) -> list[Told]:
        """All that a report shows of the turn."""
        move = self.turn.move
        return [
            *self.of_roll(),
            *(self.of_cube() if self.has_cube else ()),
            *(self.of_play() if move is not None else ()),
        ]


class ShownError(NamedTuple):
    """An error as an article with its board; `match` says where it was made in a collection."""

    turn: ShownTurn
    error: Error
    match: str = ""

    @property
    def rolled(self) -> bool:
        return self.error.what is What.PLAY

    @property
    def who(self) -> str:
        return names_in(self.turn.analysis)[self.error.seat]

    @property
    def told(self) -> list[Told]:
        """All that a report shows of the decision."""
        if self.rolled:
            return list(self.turn.of_play())
        return list(self.turn.of_cube(answering=self.error.what is What.ANSWER))

    @property
    def given(self) -> str:
        emg, cost = -self.error.verdict.error, -self.error.verdict.cost
        in_match = self.turn.analysis.length > 0
        return f"{emg:.3f} ({f'{100 * cost:.2f}% MWC' if in_match else f'{cost:.3f} points'})"


def matters(cube: CubeAnalysis) -> bool:
    """Return whether the decision is worth showing."""
    return cube.close or cube.doubled or cube.double_verdict.error < 0


def _percents(outcomes: Sequence[float]) -> list[str]:
    return [f"{100 * each:z.1f}" for each in outcomes]


def _answerers(outcomes: Sequence[float]) -> tuple[float, ...]:
    """Return the chances of the other player."""
    win, gammon, backgammon, lost, lost_backgammon = outcomes
    return 1 - win, lost, lost_backgammon, gammon, backgammon


def _rolled(rows: Iterable[RolledRow], name: str, note: str = "") -> ShownTable:
    """Return the results of rollouts, each above its standard errors."""
    cells = []
    for label, result, errors in rows:
        cells.append([label, *_percents(result[:5]), *(f"{each:+z.3f}" for each in result[5:])])
        cells.append(["±", *_percents(errors[:5]), *(f"{each:.3f}" for each in errors[5:])])
    heads = ("rolled out", *_CHANCES, "cubeless", "cubeful")
    styles = ("", *_PERCENTS, "percent", "percent")
    return ShownTable("", heads, cells, note, None, name, styles)
