"""Builds one match record from its events, even if some were interrupted, repeated or lost.

A line that the server repeats after a reconnect is recorded once. A lost action is restored where
only one thing can have happened: a dance, the play that leads to the next board, the end of a game
when the next score is known. Impossible events are left out, and the match's comment says so: no
sequence of events raises.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from sixprime.bot.archive.recovery import after_sending, cube_at_the_end, merged, resigned_for
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Rated,
    Resigning,
    Sending,
    VariantSeen,
    Who,
)
from sixprime.engine.position import Play, Position, Variant
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import (
    Action,
    BadRecord,
    Break,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.replay import (
    MOST_POINTS,
    SEATS,
    Replay,
    check_score,
    games_of,
    outcome,
    replayed,
)

US = 0
UNHEARD = "What led to this board was not heard, and the server has not listed it."


def record_of(who: Who, events: Iterable[Event | BadRecord]) -> Match:
    """Return the match so far; seat 0 is the account."""
    return RecordBuilder(who, events).match()


@dataclass(slots=True)
class _OpenGame:
    """A game that is not over as far as we know."""

    game: Game
    replay: Replay
    actions: list[Action] = field(default_factory=list)
    offered: dict[int, int] = field(default_factory=dict)  # by seat: worth of its last offer
    sent: Action | None = None  # by us, and not seen to happen yet

    @property
    def rolled(self) -> Turn | None:
        """The roll that has not been played yet."""
        for action in reversed(self.actions):
            if isinstance(action, Turn):
                return action if action.play is None else None
            if isinstance(action, SetBoard):
                return None
        return None

    def legal(self, turn: Turn) -> dict[Position, Play]:
        """Return the legal plays of a roll, by the position they lead to as the mover sees it."""
        if self.replay.state.on_roll != turn.seat:
            return {}
        return {legal.result: legal.play for legal in legal_plays(self.replay.position, turn.dice)}

    def announce(self, event: Resigning | Sending) -> None:
        """Keep our next command, which the server may never receive."""
        if isinstance(event, Resigning):
            self.offered[US] = event.games
        else:
            self.sent = event.action

    def so_far(self, result: GameResult | None = None) -> Game:
        """Return the game as it stands in the record."""
        return replace(self.game, actions=tuple(self.actions), result=result)

    def add(self, action: Action) -> None:
        """Append an action; BadRecord if it cannot have happened."""
        self.replay.apply(action)
        self.actions.append(action)
        if isinstance(action, Resignation) and action.step is ResignStep.OFFERED:
            self.offered[action.seat] = action.games


class RecordBuilder:
    """The record of a match, built event by event."""

    def __init__(self, who: Who, events: Iterable[Event | BadRecord] = ()) -> None:
        self.who = who
        self.length = 0
        self.rules = Rules()
        self.level = ""
        self.started: dt.datetime | None = None
        self.ended: dt.datetime | None = None
        self.before: list[PlayerRating] = [PlayerRating(), PlayerRating()]
        self.after: list[PlayerRating] = [PlayerRating(), PlayerRating()]
        self.games: list[Game] = []
        self.left_out: dict[int, list[str]] = {}  # by game
        self._doubtful: set[int] = set()  # games whose end we did not hear
        self._listed: set[int] = set()  # games that the server has listed
        self._guessed: set[int] = set()  # games of doubtful worth
        self._open: _OpenGame | None = None
        self._last_at: dt.datetime | None = None
        self._score = (0, 0)
        self._away = False  # put aside, and not resumed yet
        for event in events:
            self.add(event)

    def match(self) -> Match:
        names = (self.who.account, self.who.opponent)
        players = [
            Player(name, before.rating, after.rating, before.experience, after.experience)
            for name, before, after in zip(names, self.before, self.after, strict=True)
        ]
        return Match(
            players=(replace(players[0], level=self.level), players[1]),
            length=self.length,
            games=tuple(self._known_games()),
            rules=self.rules,
            date=None if self.started is None else self.started.date(),
            started=self.started,
            ended=self.ended,
            place=self.who.server,
            comment="\n".join(line for lines in self.left_out.values() for line in lines),
        )

    def _known_games(self) -> list[Game]:
        return self.games if self._open is None else [*self.games, self._open.so_far()]

    def add(self, event: Event | BadRecord) -> None:
        """Add an event, or a remark that it is impossible or could not be read."""
        if isinstance(event, BadRecord):
            self._leave_out(event)
            return
        try:
            if isinstance(event, VariantSeen):
                self._play(event.variant)
            else:
                self._add_event(event)
        except BadRecord as error:
            self._leave_out(error)
        self._last_at = event.at

    def _leave_out(self, error: BadRecord) -> None:
        """Note that an event of this game is left out."""
        number = len(self.games)
        words = f"left out of game {number + 1}: {error}"
        self.left_out.setdefault(number, []).append(words)

    def _add_event(self, event: Event) -> None:
        match event:
            case MatchStarted():
                self._begin(event)
            case GameStarted(_, _, score, crawford):
                self._begin_game(score, crawford)
            case Acted(_, _, action):
                self._act(action)
            case Resigning() | Sending() if self._open is not None:
                self._open.announce(event)
            case GameOver(_, _, result):
                self._end_game(result)
            case MatchSaved():
                self._away = True
            case MatchOver(_, at, _, score):
                self._end(score, at)
            case GameRecovered(_, _, game):
                self.recover(game)
            case Rated(_, _, ours, theirs):
                self.after = _known((ours, theirs), self.after)

    @property
    def last_is_doubtful(self) -> bool:
        """Return whether part of the last finished game may be missing.

        If our connection broke, both may have danced before we came back: no board shows that.
        """
        number = len(self.games) - 1
        if number < 0 or number in self._listed:
            return False
        return (
            number in self._doubtful
            or number in self.left_out
            or any(
                isinstance(each, SetBoard) or _is_drop(each) for each in self.games[number].actions
            )
        )

    @property
    def may_have_ended(self) -> bool:
        """Return whether the lost connection is the last event of the game."""
        last = self._open.actions[-1:] if self._open is not None else []
        return any(_is_drop(each) for each in last)

    # --- matches and games

    def _end(self, score: tuple[int, int], at: dt.datetime) -> None:
        check_score(score)
        if self._open is not None:
            self._missed_end(score)
        elif self.games:
            self._learn_worth(score)
        self.ended = self.ended or at

    def _begin(self, event: MatchStarted) -> None:
        check_score(event.score)
        if (event.length or 0) < 0:
            raise BadRecord(f"no match has a length of {event.length}")
        first = self.started is None
        if first:
            self.started = event.at
        if first and self._known_games():
            self._leave_out(BadRecord("the length of the match: a game had begun before it"))
        elif first:
            self.length = event.length or 0
            self._score = event.score
            if event.resumed and any(event.score):
                self.left_out[-1] = ["the games before {}-{} are lost".format(*event.score)]
        self.level = event.level or self.level
        self.before = _known(self.before, (event.ours, event.theirs))
        if not first and self._open is not None:
            if not self._away:  # we were cut off
                self._add(Interruption(US, Break.DROPPED, self._last_at))
            if event.resumed:
                self._add(Interruption(US, Break.RESUMED, event.at))
        self._away = False

    def _begin_game(self, score: tuple[int, int], crawford: bool) -> None:
        game = Game(score, crawford)
        replay = Replay(self.length, self.rules, game)
        if self._open is not None:
            if self._open.game.score == score:
                return
            self._missed_end(score)
        elif self.games and self.games[-1].score == score:
            return  # its end is known already
        elif self.games:
            self._learn_worth(score)
        self._open = _OpenGame(game, replay)
        self._score = score

    def _play(self, variant: Variant) -> None:
        """Let every game begin as games of this variant do; BadRecord if one cannot have."""
        rules = Rules(variant=variant)
        replays = [replayed(self.length, rules, game) for game in self._known_games()]
        self.rules = rules
        if self._open is not None:
            self._open.replay = replays[-1]

    def _missed_end(self, score: tuple[int, int]) -> None:
        """End a game that ended while we were away."""
        assert self._open is not None
        self._doubtful.add(len(self.games))
        before = self._open.game.score
        won = [after - earlier for after, earlier in zip(score, before, strict=True)]
        if sorted(won)[0] == 0 and max(won) > 0:
            winner = int(won[1] > 0)
            self._end_game(GameResult(winner, won[winner], Ending.RESIGNED))
        else:
            self._close(None)

    def _learn_worth(self, score: tuple[int, int]) -> None:
        """Correct the points of the last game if its actions explain the score after it."""
        last = self.games[-1]
        if len(self.games) - 1 not in self._guessed or last.result is None:
            return
        if last.result.ending is Ending.RESIGNED:
            won = score[last.result.winner] - last.score[last.result.winner]
            last = resigned_for(last, won // cube_at_the_end(last))
        whole = self._with_result(last)
        if whole is not None and whole.score_after == score:
            self.games[-1] = whole

    def _end_game(self, result: GameResult) -> None:
        if self._open is None:
            return
        if result.winner not in SEATS:
            raise BadRecord(f"there is no seat {result.winner} to win it")
        replay = self._open.replay
        if not 1 <= result.points <= MOST_POINTS:
            self._leave_out(BadRecord(f"no game is worth {result.points}"))
            likely = replay.state.cube if replay.result is None else replay.result.points
            result = replace(result, points=likely)
        if replay.result is None:
            self._doubtful.add(len(self.games))
            self._make_it_end(self._open, result)
        reached = replay.result
        if reached is not None and reached.winner == result.winner:
            result = replace(result, ending=reached.ending)
            if reached.points != result.points:
                self._guessed.add(len(self.games))  # the server contradicts the game
        self._close(result)

    def _make_it_end(self, game: _OpenGame, result: GameResult) -> None:
        """Restore the lost last action of a game, or else assume a resignation."""
        turn, state = game.rolled, game.replay.state
        if turn is not None and turn.seat == result.winner:
            for after, play in game.legal(turn).items():
                if not any(after.mine):
                    self._add(replace(turn, play=play))
                    return
        loser = 1 - result.winner
        if state.doubled and state.to_act == loser and result.points == state.cube:
            self._add(Cube(loser, CubeStep.DROP))
        elif state.resigned and state.to_act == result.winner:
            self._add(Resignation(result.winner, ResignStep.ACCEPTED, state.resigned))
        else:
            games = games_of(result.points, state.cube)
            self._add(Resignation(loser, ResignStep.OFFERED, games))
            self._add(Resignation(result.winner, ResignStep.ACCEPTED, games))

    def _close(self, result: GameResult | None) -> None:
        assert self._open is not None
        done = self._open.so_far(result)
        self.games.append(done)
        self._open, self._score = None, done.score_after

    def ended_with(self, listed: Game) -> bool:
        """Return whether this is the last game of a match that is over."""
        return bool(self.games) and merged(self.games[-1], listed) is not None

    def recover(self, listed: Game) -> bool:
        """Insert a game from the server's list, if it is the open one or the one before."""
        known = self._known_games()
        Replay(self.length, self.rules, listed)  # BadRecord if there is no such game
        for number in range(len(known) - 1, max(len(known) - 3, -1), -1):
            game = merged(known[number], listed)
            if game is None:
                continue
            games = self._offered_games(game, number)
            whole = self._as_it_was(game, games) or self._as_it_was(
                merged(known[number], listed, as_listed=True), games
            )
            after = known[number + 1].score if number + 1 < len(known) else None
            if whole is not None and after in (None, whole.score_after):
                self._put_game(number, whole)
                if games is None:
                    self._guessed.add(number)
                return True
        return False

    def _as_it_was(self, game: Game | None, games: int | None) -> Game | None:
        """Return the game with its result, if that is possible; `games` as in `_offered_games`."""
        whole = game if game is None or games is None else resigned_for(game, games)
        return None if whole is None else self._with_result(whole)

    def _put_game(self, number: int, whole: Game) -> None:
        self._listed.add(number)
        self._doubtful.discard(number)
        self.left_out.pop(number, None)
        was_open = number == len(self.games)
        self.games[number : number + 1] = [whole]
        if was_open:
            self._open = None
            self._score = whole.score_after

    def _offered_games(self, listed: Game, number: int) -> int | None:
        """Return for how many games this one was resigned: 0 if not, None if unknown.

        No list shows it. The recorded result does, or the loser's last offer: we only accept offers
        that we have heard, and we record our own even if they may never have reached the server.
        """
        happened = [each for each in listed.actions if not isinstance(each, Interruption)]
        last = happened[-1] if happened else None
        if not isinstance(last, Resignation):
            return 0
        if number < len(self.games):
            result = self.games[number].result
            return None if result is None else games_of(result.points, cube_at_the_end(listed))
        return None if self._open is None else self._open.offered.get(1 - last.seat)

    def _with_result(self, game: Game) -> Game | None:
        """Return the game with the result of its actions; None if they cannot all have happened."""
        try:
            result = outcome(self.match(), game)
        except BadRecord:
            return None
        return None if result is None else replace(game, result=result)

    # --- actions

    def _act(self, action: Action) -> None:
        if self._open is None:
            ended = self.games[-1].actions if self.games else ()
            if isinstance(action, Interruption) or _is_repeat(ended, action):
                return
            self._begin_game(self._score, crawford=False)
        if self._open is None:
            raise BadRecord("it happened after the end of the game, and no other had begun")
        game = self._open
        if isinstance(action, Interruption):
            if action not in game.actions:
                self._add(action)
            return
        if isinstance(action, SetBoard):
            self._set_up(game, action)
        elif not _is_repeat(game.actions, action):
            self._add_after_gap(game, action)
        game.sent = None

    def _add(self, action: Action) -> None:
        assert self._open is not None
        try:
            self._open.add(action)
        except BadRecord as error:
            self._leave_out(error)

    def _add_after_gap(self, game: _OpenGame, action: Action) -> None:
        turn = game.rolled
        waits = turn is not None and getattr(action, "seat", turn.seat) != turn.seat
        if turn is not None and waits and set(game.legal(turn).values()) == {()}:
            self._add(replace(turn, play=()))
        if turn is not None and not waits and getattr(action, "step", None) is CubeStep.DOUBLE:
            game.actions = [each for each in game.actions if each is not turn]  # rolled too soon
            game.replay = replayed(self.length, self.rules, game.so_far())
        state = game.replay.state
        if state.resigned and isinstance(action, Turn | Cube):
            self._add(Resignation(state.to_act, ResignStep.REJECTED, state.resigned))
        elif _is_answer(action) and not state.resigned:  # an interruption did not cancel the offer
            self._add(replace(action, seat=1 - action.seat, step=ResignStep.OFFERED))
        self._add(action)

    def _set_up(self, game: _OpenGame, setup: SetBoard) -> None:
        """Record the server's board, unless it is the known one or one play further."""
        view = _view(setup.position, setup.on_roll)
        replay, turn = game.replay, game.rolled
        state = replay.state
        if game.actions and (setup.cube, setup.cube_owner) == (state.cube, state.cube_owner):
            if turn is not None and turn.seat != setup.on_roll:
                play = game.legal(turn).get(_view(view, turn.seat))
                if play is not None:
                    self._add(replace(turn, play=play))
                    return
            if _view(replay.position, state.on_roll) == view and state.on_roll == setup.on_roll:
                return
        sent = game.sent and after_sending(self.match(), game.so_far(), game.sent, setup)
        for action in sent or (replace(setup, comment=UNHEARD),):
            self._add(action)


def _is_repeat(actions: Sequence[Action], action: Action) -> bool:
    last = next((each for each in reversed(actions) if not isinstance(each, Interruption)), None)
    if isinstance(last, Turn) and isinstance(action, Turn):
        if (last.seat, sorted(last.dice)) != (action.seat, sorted(action.dice)):
            return False
        return action.play is None or action.play == last.play
    return last is not None and _bare(last) == _bare(action)


def _is_drop(action: Action) -> bool:
    return isinstance(action, Interruption) and (action.seat, action.what) == (US, Break.DROPPED)


def _is_answer(action: Action) -> TypeGuard[Resignation]:
    return isinstance(action, Resignation) and action.step is not ResignStep.OFFERED


def _bare(action: Action) -> Action:
    return replace(action, analysis=None, comment="") if isinstance(action, Turn | Cube) else action


def _view(position: Position, seat: int) -> Position:
    """Turn the view of `seat` into the view of seat 0, or back."""
    return position if seat == US else position.flipped()


def _known(first: Iterable[PlayerRating], second: Iterable[PlayerRating]) -> list[PlayerRating]:
    """Return the first ratings, completed by the second."""
    return [one.or_else(other) for one, other in zip(first, second, strict=True)]
