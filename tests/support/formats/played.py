"""Random matches as records, and what each format can carry of them."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace

from hypothesis import strategies as st

from sixprime.engine import game as rules
from sixprime.engine.position import MatchState, Phase, Position, Variant
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats import record
from sixprime.protocols.formats.record import (
    Action,
    Break,
    Cube,
    CubeStep,
    Game,
    GameResult,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    Rules,
    Turn,
)
from sixprime.protocols.formats.replay import ENDINGS, rear_first

NAMES = ("anna", "ben", "x_1", "Zoë", "a very long name of thirty-nine characters", "GammonBot_XIV")

MOST_CUBE = 4_096  # to double at: three beavers and three backgammons later a record has the score


def random_match(
    seed: int, *, interruptions: bool = True, variant: Variant = Variant.STANDARD
) -> Match:
    """A match of random legal plays, cubes, resignations; perhaps unfinished, perhaps for money."""
    draw = random.Random(seed)
    length = draw.choice((0, 0, 1, 2, 3, 5, 7))
    jacoby, beavers = draw.random() < 0.5, draw.choice((0, 3))
    state = MatchState(
        length=length, jacoby=jacoby and not length, beavers=0 if length else beavers
    )
    most_games = draw.randint(1, 3) if length == 0 else 9
    games: list[Game] = []
    while len(games) < most_games:
        crawford = rules.is_crawford(
            length, state.score, played_before=any(game.crawford for game in games)
        )
        game = _random_game(
            draw,
            Position.start(variant),
            state.with_(crawford=crawford),
            interruptions=interruptions,
        )
        games.append(game)
        if game.result is None:
            break
        won = rules.GameWon(game.result.winner, game.result.points)
        state = state.with_(score=rules.score_after(state.score, won))
        if length and max(state.score) >= length:
            break
    first, second = draw.sample(NAMES, 2)
    return Match(
        players=(
            Player(first, draw.choice((None, 1500.25)), 1502.0, 10, 17, "expert"),
            Player(second, rating_before=draw.choice((None, 1723.5))),
        ),
        length=length,
        games=tuple(games),
        rules=Rules(
            jacoby=jacoby and length == 0, beavers=0 if length else beavers, variant=variant
        ),
        date=draw.choice((None, dt.date(2026, 11, 21))),
        started=draw.choice((None, dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC))),
        place=draw.choice(("", "fibs.com:4321")),
        event=draw.choice(("", 'the "big" [one]: part\\two')),
        comment=draw.choice(("", "first line\nsecond] line")),
    )


def _random_game(
    draw: random.Random, start: Position, state: MatchState, *, interruptions: bool
) -> Game:
    score, crawford = state.score, state.crawford
    actions: list[Action] = []
    dice = (1, 1)
    while dice[0] == dice[1]:
        dice = draw.randint(1, 6), draw.randint(1, 6)
    seat = int(dice[1] > dice[0])
    opening = max(dice), min(dice)
    board = start, state.with_(on_roll=seat, to_act=seat, dice=opening)
    last_turn = draw.choice((10, 60, 400))
    while board[1].phase is Phase.PLAYING and len(actions) < last_turn:
        if interruptions and draw.random() < 0.01:
            actions.append(Interruption(draw.randint(0, 1), draw.choice(tuple(Break))))
        board = _random_step(draw, *board, actions)
    won = rules.won(*board)
    result = GameResult(won.winner, won.points, ENDINGS[board[1].phase]) if won else None
    return Game(score, crawford, tuple(actions), result)


def _random_step(
    draw: random.Random, position: Position, state: MatchState, actions: list[Action]
) -> tuple[Position, MatchState]:
    seat = state.on_roll
    if state.dice is None:
        if state.cube <= MOST_CUBE and draw.random() < 0.15 and state.may_double():
            return position, _random_cube(draw, rules.doubled(state), actions)
        state = state.with_(dice=(draw.randint(1, 6), draw.randint(1, 6)))
    assert state.dice is not None
    dice = state.dice
    plays = legal_plays(position, dice)
    if plays[0].play and draw.random() < 0.02:
        actions.append(Turn(seat, dice))
        # what a gammon is worth in an undoubled Jacoby game is no matter for a format
        games = 1 if state.jacoby and state.cube_owner is None else draw.randint(1, 3)
        actions.append(Resignation(seat, ResignStep.OFFERED, games))
        if draw.random() < 0.5:
            actions.append(Resignation(1 - seat, ResignStep.ACCEPTED, games))
            return position, rules.resignation_accepted(rules.resigned(state, seat, games))
        actions.append(Resignation(1 - seat, ResignStep.REJECTED, games))
    chosen = draw.choice(plays).play
    actions.append(Turn(seat, dice, chosen))
    return rules.played(position, state, chosen)


def _random_cube(draw: random.Random, state: MatchState, actions: list[Action]) -> MatchState:
    """The answer to a double, until one of them takes or drops."""
    actions.append(Cube(state.on_roll, CubeStep.DOUBLE))
    beavers = 0
    while True:
        seat = state.to_act
        if draw.random() < 0.4 and beavers < state.beavers:
            beavers += 1
            state = rules.beavered(state)
            actions.append(Cube(seat, CubeStep.BEAVER))
            continue
        if draw.random() < 0.7:
            actions.append(Cube(seat, CubeStep.TAKE))
            return rules.taken(state)
        actions.append(Cube(seat, CubeStep.DROP))
        return rules.dropped(state)


MATCHES = st.integers(0, 10_000).map(random_match)


def carried(
    match: Match,
    *,
    refusals: bool = False,
    last_roll: bool = True,
    order: bool = False,
    last_take: bool = True,
) -> tuple[object, ...]:
    """What a file keeps of every match: length and games.

    `refusals`: resignations that were refused; `last_roll`: dice nobody has played yet, at the very
    end; `order`: of the steps of a play; `last_take`: a take behind a beaver, at the very end.
    """
    return match.length, tuple(
        replace(game, actions=_carried(game, refusals, last_roll, order, last_take))
        for game in match.games
    )


def _carried(
    game: Game, refusals: bool, last_roll: bool, order: bool, last_take: bool
) -> tuple[Action, ...]:
    actions: list[Action] = []
    for action in record.settled(game):
        if isinstance(action, Resignation) and action.step is ResignStep.REJECTED:
            offer = actions.pop()
            assert isinstance(offer, Resignation)
            if refusals:
                actions += [replace(offer, games=1), replace(action, games=1)]
        elif isinstance(action, Turn) and action.play is not None and not order:
            actions.append(replace(action, play=rear_first(action.play)))
        elif not isinstance(action, Interruption):
            actions.append(action)
    last = actions[-1] if actions else None
    if not last_roll and isinstance(last, Turn) and last.play is None:
        actions.pop()
    if not last_take and [getattr(a, "step", None) for a in actions[-2:]] == [
        CubeStep.BEAVER,
        CubeStep.TAKE,
    ]:
        actions.pop()
    return tuple(actions)


def mutated(text: str, seed: int) -> str:
    """The text with a few random damages."""
    draw = random.Random(seed)
    for _ in range(draw.randint(1, 4)):
        at, end = sorted((draw.randint(0, len(text)), draw.randint(0, len(text))))
        end = min(end, at + draw.choice((0, 1, 2, 5, 60)))
        middle = draw.choice(
            (
                "",
                text[at:end] * 2,
                draw.choice("\n\r\t ()[];:*/-\\=>\x00\ufeff٣é0123456789azWBXO"),
                draw.choice(
                    ("Game 1", " 7 point match", "Score is 1-0 in a 3", "[1]", "A[0]", "AE")
                ),
                str(draw.randint(-10, 10**20)),
            )
        )
        text = text[:at] + middle + text[end:]
    return text
