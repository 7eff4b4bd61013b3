"""The engine behind the board: the opponent, hints, and the tutor's warnings.

It thinks in threads about several boards at a time, since some levels take half a minute and no
other board may wait for them. Each engine makes one decision at a time. Positions and spectators
have a coach of their own, so that they never hold up a match.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sixprime.bot.reports.decisions import Hints
from sixprime.bot.settings.levels import read_level
from sixprime.bot.web.frame.texts import N_, gettext, pgettext
from sixprime.bot.web.frame.workpool import WorkPool
from sixprime.bot.web.play.boardmatch import YOU, Asks, BoardMatch
from sixprime.bot.web.play.tutor import DeedJudged
from sixprime.engine.analysis.values import What
from sixprime.engine.position import CUBE_ACTIONS, Dice, MatchState, Position
from sixprime.engine.search import ratingtable
from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision, NoDecision
from sixprime.engine.search.players import (
    BackgammonPlayer,
    EnginePlayer,
    player_named,
    shipped_brain,
)
from sixprime.protocols.formats.notation import format_play

SHOWN = 5
GLANCE = "expert"  # a level without search, for chances
BOARDS = 8  # at a time
NOT_ANSWERING = frozenset({"roll", "dice", "double"})
BETTER = {
    "take": N_("better is to take"),
    "drop": N_("better is to drop"),
    "beaver": N_("better is to beaver"),
}
ANSWERING = frozenset({"take", "drop", "beaver"})


@dataclass(frozen=True, slots=True)
class CubeHint:
    """Advice about the cube, from the view of the player to decide."""

    says: str
    equities: dict[str, float]
    chances: dict[str, float]


class Coach:
    """An engine, and the pool of threads that use it."""

    def __init__(self, level: str = "world-class", pool: WorkPool | None = None) -> None:
        self._level = level
        self._busy = threading.Lock()  # the engine that gives advice
        self._glancing = threading.Lock()  # the one for chances, which never waits for advice
        self.pool = pool or WorkPool("coach", BOARDS)

    def beside(self) -> Coach:
        """Return another coach of this level, with one thread."""
        return Coach(self._level, WorkPool("looking", 1, self.pool.deciding))

    def warm_up(self) -> None:
        """Load the nets in advance, so that the first hint is quick."""
        self.pool.threads.submit(self.plays, Position.start(), MatchState(), (3, 1))

    def reply(self, match: BoardMatch) -> None:
        """Let the engine act until it is the person's turn; roll if the person cannot double."""
        if match.hands:
            return
        player = _player(match.level)
        while match.asks is Asks.ENGINE:
            match.engine_acts(player)
        if _has_only_to_roll(match):
            match.roll()

    def plays(self, position: Position, state: MatchState, dice: Dice) -> Hints:
        return Hints.ranked(position, self._move(position, state, dice), SHOWN)

    def hints(self, match: BoardMatch) -> Hints | CubeHint | None:
        """Return the engine's choice in the person's place."""
        replay = match.replay()
        position, state = replay.position, replay.state
        if match.asks is Asks.PLAY and state.dice is not None:
            return self.plays(position, state, state.dice)
        if match.asks is Asks.ROLL:
            return before_roll(self.cube(position, state))
        return self._answering(match) if match.asks is Asks.ANSWER else None

    def judged(self, match: BoardMatch, deed: str) -> DeedJudged | None:
        """Judge a deed; None if the tutor has nothing to say on it."""
        tutor, asks = match.tutor, match.asks
        if tutor is None:
            return None
        if deed == "confirm":
            return self._judged_play(match) if tutor.plays and match.may_confirm else None
        fits = deed in {Asks.ROLL: NOT_ANSWERING, Asks.ANSWER: ANSWERING}.get(asks, ())
        return self._judged_cube(match, deed) if tutor.cube and fits else None

    def chances(self, match: BoardMatch) -> list[float] | None:
        """Return the person's wins, gammons, backgammons, and those lost, in percent.

        The engine plays any roll first; None if there is no game.
        """
        if match.game.result is not None or match.asks is Asks.OPENING:
            return None
        replay = match.replay()
        position, state = replay.position, replay.state
        try:
            with self._glancing:
                if state.dice is not None:
                    outcomes = self._quick.move(position, state).best.outcomes
                else:
                    before = state.with_(doubled=False, resigned=0, to_act=state.on_roll)
                    outcomes = self._quick.cube(position, before).outcomes
        except NoDecision:
            return None
        win, gammon, backgammon, lost, lost_backgammon = (100.0 * each for each in outcomes)
        if state.on_roll == YOU:
            return [win, gammon, backgammon, lost, lost_backgammon]
        return [100.0 - win, lost, lost_backgammon, gammon, backgammon]

    def cube(self, position: Position, state: MatchState) -> CubeAdvice:
        with self._busy:
            return self._engine.cube(position, state)

    def _judged_play(self, match: BoardMatch) -> DeedJudged | None:
        replay = match.replay()
        assert replay.state.dice is not None
        decision = self._move(replay.position, replay.state, replay.state.dice)
        result = replay.position.after(match.begun)
        made = next((each for each in decision.candidates if each.result == result), None)
        if made is None:
            return None
        better = gettext(
            "better is %(play)s", play=format_play(replay.position, decision.best.play)
        )
        return DeedJudged(What.PLAY, decision.best.equity - made.equity, better)

    def _judged_cube(self, match: BoardMatch, deed: str) -> DeedJudged | None:
        replay = match.replay()
        if match.asks is Asks.ANSWER:
            answers = self._answering(match).equities
            best = max(answers, key=lambda each: answers[each])
            if deed not in answers:
                return None
            return DeedJudged(What.ANSWER, answers[best] - answers[deed], gettext(BETTER[best]))
        if not replay.state.may_double():
            return None
        wait, take, drop = self.cube(replay.position, replay.state).decision.equities
        doubled = min(take, drop)
        loss = wait - doubled if deed == "double" else doubled - wait
        better = gettext("do not double yet") if deed == "double" else pgettext("deed", "double")
        return DeedJudged(What.DOUBLE, loss, better)

    def _answering(self, match: BoardMatch) -> CubeHint:
        """Return the worth to the person of each answer to a double or beaver, for this cube."""
        replay = match.replay()
        state = replay.state
        advice = self.cube(replay.position, state.with_(doubled=False, to_act=state.on_roll))
        worth, doubler = advice.decision, state.on_roll == YOU
        stake = worth.double_take if doubler else -worth.double_take
        answers = {"take": stake, "drop": -worth.double_pass}
        if match.may_beaver:  # the other player may take that, or drop
            answers["beaver"] = 2 * min(stake, worth.double_pass)
        best = max(answers, key=lambda each: answers[each])
        return CubeHint(best.capitalize(), answers, _chances(advice.outcomes, turned=not doubler))

    def _move(self, position: Position, state: MatchState, dice: Dice) -> MoveDecision:
        with self._busy:
            return self._engine.move(position, state, dice)

    @cached_property
    def _engine(self) -> Engine:
        return Engine(self._level, brain=shipped_brain())

    @cached_property
    def _quick(self) -> Engine:
        return Engine(GLANCE, brain=shipped_brain())


def is_due(match: BoardMatch) -> bool:
    """Return whether the match goes on without its person."""
    return match.asks is Asks.ENGINE or _has_only_to_roll(match)


def _has_only_to_roll(match: BoardMatch) -> bool:
    asks_roll = match.asks is Asks.ROLL and not (match.by_hand or match.hands)
    return asks_roll and not match.replay().state.may_double()


def before_roll(advice: CubeAdvice) -> CubeHint:
    """For the player on roll."""
    equities = dict(zip(CUBE_ACTIONS, advice.decision.equities, strict=True))
    return CubeHint(advice.decision.action, equities, _chances(advice.outcomes))


def _chances(outcomes: Sequence[float], *, turned: bool = False) -> dict[str, float]:
    win, gammon, _, lost, _ = outcomes
    found = (1 - win, lost, gammon) if turned else (win, gammon, lost)
    return dict(zip((N_("Wins"), N_("Gammons"), N_("Loses gammons")), found, strict=True))


@lru_cache(maxsize=8)
def _player(level: str) -> BackgammonPlayer:
    """Return the player of a level, or of a rating in digits."""
    if level.isdigit():
        return EnginePlayer(lambda match: _rated(int(level), match.length))
    return player_named(level)


@lru_cache(maxsize=8)
def _rated(rating: int, length: int) -> Engine:
    wanted = read_level({"target_rating": rating})
    assert wanted.target is not None
    level = ratingtable.shipped_ratings().resolved(wanted, wanted.target, length)
    return Engine(level, brain=shipped_brain())


def ratings() -> tuple[int, int]:
    """Return the lowest and highest rating to choose from."""
    least, most = ratingtable.shipped_ratings().reach()
    return int(least), int(most)
