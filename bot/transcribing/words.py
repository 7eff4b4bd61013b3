"""The state of a match by hand in words, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Callable

from sixprime.bot.process.printable import named
from sixprime.bot.transcribing.handmatch import Asks, HandMatch
from sixprime.protocols.formats.replay import can_move, games_of


def names_in(match: HandMatch) -> tuple[str, str]:
    first, second = (named(player.name) for player in match.record.players)
    return first, second


def english(text: str, /, **fields: object) -> str:
    return text % fields


def state_words(match: HandMatch, tell: Callable[..., str] = english) -> str:
    """Return a sentence that says what happens next, and whose decision it is.

    `tell` fills in a text, and may translate it.
    """
    asks, names = match.asks, names_in(match)
    if asks is Asks.OPENING:
        return tell(
            "Each player rolls one die, and the higher begins: first the die of %(name)s.",
            name=names[0],
        )
    if asks in (Asks.NEXT_GAME, Asks.KEEPING, Asks.NOTHING):
        return _end_words(match, asks, tell)
    state = match.replay().state
    who, other = names[state.to_act], names[1 - state.to_act]
    if asks is Asks.RESIGNATION:
        lost = (tell("a single game"), tell("a gammon"), tell("a backgammon"))[state.resigned - 1]
        return tell("%(other)s resigns %(lost)s. %(who)s: accept?", other=other, lost=lost, who=who)
    if asks is Asks.ANSWER:
        return _answer_words(match, who, other, tell)
    return _turn_words(match, who, tell)


def _answer_words(match: HandMatch, who: str, other: str, tell: Callable[..., str]) -> str:
    did = {1: tell("doubles"), 2: tell("beavers")}.get(match.turned)
    did = did or tell("turns the cube again")
    cube = {"other": other, "did": did, "cube": 2 * match.replay().state.cube, "who": who}
    if match.may_beaver:
        return tell("%(other)s %(did)s to %(cube)s. %(who)s: take or drop, or beaver?", **cube)
    return tell("%(other)s %(did)s to %(cube)s. %(who)s: take or drop?", **cube)


def _turn_words(match: HandMatch, who: str, tell: Callable[..., str]) -> str:
    if match.asks is Asks.ROLL:
        if match.may_double:
            return tell("%(who)s to roll or double.", who=who)
        return tell("%(who)s to roll.", who=who)
    position, dice = match.rolled()
    rolled = {"who": who, "dice": "-".join(map(str, sorted(dice, reverse=True)))}
    if can_move(position, dice):
        return tell("%(who)s rolled %(dice)s: move.", **rolled)
    return tell("%(who)s rolled %(dice)s: no checker can move.", **rolled)


def _end_words(match: HandMatch, asks: Asks, tell: Callable[..., str]) -> str:
    result, names = match.game.result, names_in(match)
    if result is None:
        return tell("The entry is over.")
    kinds = ("", tell(" with a gammon"), tell(" with a backgammon"))
    won = {
        "who": names[result.winner],
        "points": result.points,
        "kind": kinds[games_of(result.points, match.replay().state.cube) - 1],
    }
    if result.points == 1:
        says = tell("%(who)s wins %(points)s point%(kind)s.", **won)
    else:
        says = tell("%(who)s wins %(points)s points%(kind)s.", **won)
    own, other = match.game.score_after
    ends = {Asks.KEEPING: tell("The match is won."), Asks.NOTHING: tell("The match is over.")}
    end = f" {ends[asks]}" if asks in ends else ""
    return f"{says} {names[0]} {own}, {names[1]} {other}.{end}"
