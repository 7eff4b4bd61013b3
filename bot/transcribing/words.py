"""The state of a match by hand in words, for the page and the terminal."""

from __future__ import annotations

from sixprime.bot.process.printable import counted, named
from sixprime.bot.transcribing.handmatch import Asks, HandMatch
from sixprime.protocols.formats.replay import can_move, games_of

LOST = ("", "a single game", "a gammon", "a backgammon")
_KINDS = ("", " with a gammon", " with a backgammon")


def names_in(match: HandMatch) -> tuple[str, str]:
    first, second = (named(player.name) for player in match.record.players)
    return first, second


def state_words(match: HandMatch) -> str:
    """Return a sentence that says what happens next, and whose decision it is."""
    asks, names = match.asks, names_in(match)
    if asks is Asks.OPENING:
        return f"Each player rolls one die, and the higher begins: first the die of {names[0]}."
    if asks in (Asks.NEXT_GAME, Asks.KEEPING, Asks.NOTHING):
        return _end_words(match, asks)
    state = match.replay().state
    who, other = names[state.to_act], names[1 - state.to_act]
    if asks is Asks.RESIGNATION:
        return f"{other} resigns {LOST[state.resigned]}. {who}: accept?"
    if asks is Asks.ANSWER:
        did = {1: "doubles", 2: "beavers"}.get(match.turned, "turns the cube again")
        beavers = ", or beaver" if match.may_beaver else ""
        return f"{other} {did} to {2 * state.cube}. {who}: take or drop{beavers}?"
    if asks is Asks.ROLL:
        return f"{who} to roll{' or double' if match.may_double else ''}."
    position, dice = match.rolled()
    does = "move" if can_move(position, dice) else "no checker can move"
    return f"{who} rolled {'-'.join(map(str, sorted(dice, reverse=True)))}: {does}."


def _end_words(match: HandMatch, asks: Asks) -> str:
    result, names = match.game.result, names_in(match)
    if result is None:
        return "The entry is over."
    kind = _KINDS[games_of(result.points, match.replay().state.cube) - 1]
    says = f"{names[result.winner]} wins {counted(result.points, 'point')}{kind}."
    own, other = match.game.score_after
    ends = {Asks.KEEPING: " The match is won.", Asks.NOTHING: " The match is over."}
    return f"{says} {names[0]} {own}, {names[1]} {other}.{ends.get(asks, '')}"
