"""The screen of a demonstration: a line for each turn and, on a terminal, a live board below.

A Screen shows the events that the first bot records. That bot is X, at the bottom, and its
engine gives the equities and chances.
"""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sixprime.bot.demo.demonstration import FIRST, HOST, LEVELS, SECOND, DemoEvent, Filed, Listening
from sixprime.bot.matchlog.events import (
    Acted,
    GameOver,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    Rated,
)
from sixprime.bot.reports.board_text import draw
from sixprime.engine.position import Variant
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    BadRecord,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Resignation,
    ResignStep,
    Rules,
    Turn,
)
from sixprime.protocols.formats.replay import Replay

NAMES = (FIRST, SECOND)
SIGNS = ("X", "O")
BESIDE = 13  # lines of a board
ROOM = (80, 20)  # columns and rows that a live board needs
KINDS = ("", "a single game", "a gammon", "a backgammon")


class Screen:
    """Prints the demonstration; a context manager."""

    def __init__(
        self, console: Console, length: int, matches: int, variant: Variant = Variant.STANDARD
    ) -> None:
        self._console = console
        self._length = length
        self._matches = matches
        self._number = 0  # of the match
        self._game = 0
        self._turn = 0
        self._rules = Rules(variant=variant)
        self._replay = Replay(length, self._rules, Game())
        self._seen = ""  # the engine's last analysis
        enough = console.width >= ROOM[0] and console.height >= ROOM[1]
        self._live: Live | None = None
        if console.is_terminal and not console.is_dumb_terminal and enough:
            self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, event: DemoEvent) -> None:
        match event:
            case Listening(port):
                self._say(f"a FIBS server of our own listens on {HOST}:{port}")
                levels = " and ".join(f"{name} ({LEVELS[name]})" for name in NAMES)
                self._say(f"{levels} log in, {FIRST} invites {SECOND}")
            case MatchStarted(score=score, ours=ours, theirs=theirs):
                self._number += 1
                self._game = 0
                of = f" {self._number} of {self._matches}" if self._matches > 1 else ""
                ratings = f"{FIRST} {_rating(ours.rating)}, {SECOND} {_rating(theirs.rating)}"
                self._say(f"\nMatch{of}, {_points(self._length)}, rated: {ratings}", "bold")
            case GameStarted(score=score, crawford=crawford):
                self._begin(score, crawford)
            case Acted(action=action):
                self._act(action)
            case GameOver(result=result):
                self._end(result)
            case MatchOver(winner=winner, score=score):
                self._say(f"\n{NAMES[winner]} wins the match, {_order(score, winner)}", "bold")
            case MatchSaved():
                self._say("\nthe match is put aside")
            case Rated() | Filed():
                pass

    # --- a game

    def _begin(self, score: tuple[int, int], crawford: bool) -> None:
        self._game += 1
        self._turn, self._seen = 0, ""
        self._replay = Replay(self._length, self._rules, Game(score=score, crawford=crawford))
        rule = ", Crawford" if crawford else ""
        self._say(f"\nGame {self._game}, {FIRST} {score[0]}, {SECOND} {score[1]}{rule}")

    def _act(self, action: Action) -> None:
        line = self._words(action)
        try:
            self._replay.apply(action)
        except BadRecord:  # then only the archive knows better
            line = None
        if line:
            self._say(line)
        self._refresh(action)

    def _words(self, action: Action) -> str | None:
        """Return an action in a line; None for one that only the board shows."""
        match action:
            case Turn(seat, dice, play) if play is not None:
                self._turn += 1
                self._replay.expect(action)
                high, low = sorted(dice, reverse=True)
                words = format_play(self._replay.position, play) or "cannot move"
                self._seen = _seen(action.analysis) if seat == 0 else self._seen
                thought = _seen(action.analysis) if seat == 0 else ""
                start = f"{self._turn:>4}  {NAMES[seat]:<5} {high}{low}: {words:<27}"
                return f"{start} {thought}".rstrip()
            case Cube(seat, step):
                doubled = f"doubles to {2 * self._replay.state.cube}"
                said = {CubeStep.DOUBLE: doubled, CubeStep.TAKE: "takes", CubeStep.DROP: "drops"}
                return f"      {NAMES[seat]:<5} {said.get(step, step.value)}"
            case Resignation(seat, step, games):
                offer = f"offers {KINDS[games]}"
                done = offer if step is ResignStep.OFFERED else step.value
                return f"      {NAMES[seat]:<5} {done}"
        return None

    def _end(self, result: GameResult) -> None:
        winner, loser = NAMES[result.winner], NAMES[1 - result.winner]
        how = {
            Ending.BORNE_OFF: KINDS[min(3, max(1, result.points // self._replay.state.cube))],
            Ending.DROPPED: f"{loser} has dropped",
            Ending.RESIGNED: f"{loser} has resigned",
        }[result.ending]
        if self._live is not None:
            self._live.update(Text(""), refresh=True)
        self._say(f"\n{self._board()}")
        self._say(f"\n{winner} wins {_points(result.points)}: {how}")

    # --- the board

    def _refresh(self, action: Action) -> None:
        if self._live is None:
            return
        rolled = ""
        if isinstance(action, Turn):
            high, low = sorted(action.dice, reverse=True)
            done = "rolls" if action.play is None else "played"
            rolled = f"{NAMES[action.seat]} {done} {high}{low}"
        self._live.update(Text(f"\n{self._board(rolled)}"), refresh=True)

    def _board(self, rolled: str = "") -> str:
        state, position = self._replay.state, self._replay.position
        below = position if state.on_roll == 0 else position.flipped()
        pips = below.pips()
        owner = "" if state.cube_owner is None else f", {NAMES[state.cube_owner]}'s"
        beside = [""] * BESIDE
        for seat, top in ((1, 0), (0, BESIDE - 3)):
            beside[top] = f"{SIGNS[seat]} {NAMES[seat]}"
            beside[top + 1] = LEVELS[NAMES[seat]]
            beside[top + 2] = f"{pips[seat]} pips, score {state.score[seat]}"
        beside[4] = f"match to {self._length}, game {self._game}"
        beside[5] = f"cube {state.cube}{owner}"
        beside[7] = rolled
        beside[8] = self._seen
        return draw(below, SIGNS, beside=beside)

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(words, style=style), soft_wrap=True)


def _seen(analysis: Analysis | None) -> str:
    """Return the engine's figures for the play it chose."""
    if analysis is None or analysis.chosen is None:
        return ""
    chosen = analysis.candidates[analysis.chosen]
    return f"{chosen.equity:+.3f}, wins {chosen.probabilities[0]:.0%}"


def _points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"


def _order(score: tuple[int, int], winner: int) -> str:
    return f"{score[winner]}-{score[1 - winner]}"


def _rating(rating: float | None) -> str:
    return "unknown" if rating is None else f"{rating:.2f}"
