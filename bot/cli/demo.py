"""`sixprime demo`: a match between two simple players in this terminal, nothing else needed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.dice import DiceSource
    from engine.game import Game
    from engine.position import Position
    from engine.rules import LegalPlay

NAMES = ("anna", "ben")
SIGNS = ("O", "X")
BLOT_COST = 0.4  # points that a single checker in reach is worth less than a made point


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = "example: sixprime demo --length 3 --seed 42"
    parser.add_argument("--seed", type=int, help="the same seed plays the same match")
    parser.add_argument("--length", type=int, default=1, help="points to win a match (default 1)")
    parser.add_argument("--matches", type=int, default=1, help="how many matches (default 1)")
    parser.add_argument(
        "--boards", type=int, default=6, metavar="N", help="draw every N-th turn (default 6)"
    )


def run(options: argparse.Namespace) -> int:
    """Play, and print as it goes."""
    import secrets

    from bot.cli.main import UsageError
    from bot.cli.warmup import get_ready
    from engine.dice import Seeded

    if not 1 <= options.length <= 64:
        raise UsageError(f"--length is between 1 and 64, not {options.length}")
    if options.matches < 1 or options.boards < 1:
        raise UsageError("--matches and --boards are at least 1")
    get_ready("rules")
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    try:
        dice = Seeded(seed)
    except ValueError as error:
        raise UsageError(f"--seed: {error}") from None
    print(f"{NAMES[0]} ({SIGNS[0]}) against {NAMES[1]} ({SIGNS[1]}); repeat it with --seed {seed}")
    for number in range(1, options.matches + 1):
        print(f"\nMatch {number}, {options.length} point{'s' * (options.length > 1)}")
        for line in play_match(options.length, dice, options.boards):
            print(line, flush=True)
    return 0


def play_match(length: int, dice: DiceSource, every: int) -> Iterator[str]:
    """The lines of a match, a board with every so many turns."""
    from engine.game import Game

    game = Game.start(length)
    while True:
        for line, after in play_game(game, dice, every):
            game = after
            yield line
        if game.match_winner is not None:
            first, second = game.score_after
            yield f"{NAMES[game.match_winner]} wins the match {first}-{second}"
            return
        game = game.next_game()


def play_game(game: Game, dice: DiceSource, every: int) -> Iterator[tuple[str, Game]]:
    """The lines of a game, each with the game at that moment."""
    from engine.dice import opening, roll

    first, second = game.match.score
    crawford = ", the Crawford game" if game.match.crawford else ""
    yield f"\nScore {first}-{second}{crawford}", game
    for fallen in opening(dice):
        game = game.opened(*fallen)
        yield f"{NAMES[0]} rolls {fallen[0]}, {NAMES[1]} rolls {fallen[1]}", game
    turn = 0
    while game.outcome is None:
        if game.match.dice is None:
            for line, after in offer(game):
                game = after
                yield line, game
            if game.outcome:
                break
            game = game.rolled(roll(dice))
        turn += 1
        line, after = take_turn(game, turn)
        if turn % every == 1 or every == 1:
            line = f"\n{board(game)}\n{line}"
        game = after
        yield line, game
    yield f"\n{board(game)}\n{result(game)}", game


def take_turn(game: Game, turn: int) -> tuple[str, Game]:
    """Move, and say what and out of how many."""
    from protocols.notation import format_play

    plays = game.legal_plays()
    chosen = max(plays, key=lambda legal: merit(legal, game.position))
    high, low = sorted(game.match.dice or (), reverse=True)
    words = format_play(game.position, chosen.play) or "cannot move"
    count = f"{len(plays)} legal play{'s' * (len(plays) > 1)}" if chosen.play else ""
    line = f"{turn:>3}  {NAMES[game.match.on_roll]:<5} {high}{low}: {words:<28} {count}"
    return line.rstrip(), game.played(chosen.play)


def merit(legal: LegalPlay, before: Position) -> float:
    """How a simple player likes a play: points made, blots covered, the race."""
    after = legal.result
    rear = max((i for i in range(25) if after.theirs[i]), default=-1)
    made = sum(1.0 for i in range(3, 8) if after.mine[i] > 1)
    blots = sum(BLOT_COST for i in range(24) if after.mine[i] == 1 and 23 - i < rear)
    race = after.pips()[1] - after.pips()[0] - before.pips()[1]
    return made - blots + race / 20 + after.off()[0] / 2


def offer(game: Game) -> Iterator[tuple[str, Game]]:
    """Perhaps a double and its answer: by pip counts, 8 % ahead doubles, 16 % behind drops."""
    mine, theirs = game.position.pips()
    if not game.match.may_double() or mine * 1.08 > theirs:
        return
    seat = game.match.on_roll
    game = game.doubled()
    yield f"     {NAMES[seat]} doubles to {2 * game.match.cube}", game
    if mine * 1.16 < theirs:
        yield f"     {NAMES[1 - seat]} drops", game.dropped()
    else:
        yield f"     {NAMES[1 - seat]} takes", game.taken()


def board(game: Game) -> str:
    """The board, always with the second player below."""
    from bot.board_text import draw

    match, position = game.match, game.position
    below = position if match.on_roll == 1 else position.flipped()
    mine, theirs = below.pips()
    owner = "" if match.cube_owner is None else f", {NAMES[match.cube_owner]}'s"
    beside = [""] * 13
    beside[0], beside[12] = f"{NAMES[0]}: {theirs} pips", f"{NAMES[1]}: {mine} pips"
    beside[6] = f"cube {match.cube}{owner}"
    return draw(below, (SIGNS[1], SIGNS[0]), beside=beside)


def result(game: Game) -> str:
    """Who won how much."""
    outcome = game.outcome
    if outcome is None:
        return "unfinished"
    return f"{NAMES[outcome.winner]} wins {outcome.points} point{'s' * (outcome.points > 1)}"
