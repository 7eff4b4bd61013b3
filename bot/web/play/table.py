"""The page of a match: its fields, and the deeds it offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from sixprime.bot.process.printable import counted
from sixprime.bot.reports.board_svg import dice_at
from sixprime.bot.reports.svg import element
from sixprime.bot.web.frame.boardview import board, samples, spoken, trail
from sixprime.bot.web.play.boardmatch import ENGINE, YOU, Asks, BoardMatch
from sixprime.bot.web.play.clock import written
from sixprime.bot.web.play.movelist import ListedGame, Losses, move_rows
from sixprime.engine.position import MatchState, Play, Position, Step
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.ids import match_id, position_id
from sixprime.protocols.formats.notation import format_steps
from sixprime.protocols.formats.record import GameResult, Turn
from sixprime.protocols.formats.replay import games_of

Form = Mapping[str, Any]

DEEDS: dict[str, Callable[[BoardMatch, Form], None]] = {
    "roll": lambda match, form: match.roll(),
    "dice": lambda match, form: match.enter((_die(form["first"]), _die(form["second"]))),
    "write": lambda match, form: match.write_play(str(form["text"])),
    "play": lambda match, form: match.make(_steps(form["steps"])),
    "undo": lambda match, form: match.undo(),
    "rethink": lambda match, form: match.rethink(),
    "confirm": lambda match, form: match.confirm(),
    "double": lambda match, form: match.double(),
    "take": lambda match, form: match.answer(take=True),
    "drop": lambda match, form: match.answer(take=False),
    "beaver": lambda match, form: match.beaver(),
    "resign": lambda match, form: match.resign(_number(form["games"])),
    "accept": lambda match, form: match.answer_resignation(accept=True),
    "reject": lambda match, form: match.answer_resignation(accept=False),
    "next": lambda match, form: match.begin_game(),
    "finish": lambda match, form: match.finish(),
    "untutor": lambda match, form: setattr(match, "tutor", None),
}


MOST_STEPS = 4
_LOST = ("", "a single game", "a gammon", "a backgammon")


def _steps(text: object) -> Play:
    """Return the steps of a play that the page's script sends, such as `8/5 6/5`."""
    words = str(text).split()
    if len(words) > MOST_STEPS or not all(re.fullmatch("[0-9]{1,2}/[0-9]{1,2}", w) for w in words):
        raise InputError("That is not a play.")
    return tuple(Step(*map(int, word.split("/"))) for word in words)


def _number(text: object) -> int:
    if not re.fullmatch("[0-9]{1,3}", str(text)):
        raise InputError("Enter a number.")
    return int(str(text))


def _die(text: object) -> int:
    if text not in ("1", "2", "3", "4", "5", "6"):
        raise InputError("A die shows 1 to 6.")
    return int(str(text))


def shown(match: BoardMatch, *, may_act: bool = True) -> dict[str, Any]:
    """Return the fields of the page; without `may_act` the board has nothing to press."""
    asks = match.asks
    before, state = match.seen()
    position = before.after(match.begun)
    replay = match.replay()
    length = match.record.length
    score = match.game.score_after if match.game.result else match.game.score
    mine, theirs = position.pips()
    result = match.game.result
    played = match.last_played()
    return {
        "board": _board(position, state, played),
        "turn": for_script(match, played, may_act=may_act),
        "spoken": spoken(position),
        "asks": asks.name,
        "says": _says(match, asks),
        "cube_is": _cube_is(state),
        "seen": match.mark,
        "length": length,
        "score": score,
        "names": [player.name for player in match.record.players],
        "pips": (mine, theirs),
        "may_beaver": match.may_beaver,
        "turned": match.turned,
        "by_hand": match.by_hand,
        "archived": match.archived,
        "may_double": asks is Asks.ROLL and replay.state.may_double(),
        "may_confirm": match.may_confirm,
        "may_move": may_act and _may_move(match),
        "variant": match.record.rules.variant.called,
        "begun": format_steps(match.begun) if match.begun else "",
        "engine_did": match.said,
        "games": [ListedGame("", move_rows(match.record, match.game, _losses(match)))],
        "is_yours": may_act and is_waiting(asks),
        "asked": match.seat,
        "used": [
            (whole, written(whole), written(this))
            for whole, this in zip(match.clock.match, match.clock.game, strict=True)
        ],
        "crawford": state.crawford,
        "tutor": match.tutor,
        "level": match.level,
        "points": 0 if result is None else result.points,
        "ids": f"{position_id(replay.position)}:{match_id(replay.state)}",
        "won": result is not None and result.winner == YOU,
    }


def for_script(
    match: BoardMatch, played: tuple[Position, Turn] | None, *, may_act: bool = True
) -> dict[str, Any]:
    """Return the board and the ways to play, so that the script draws each step itself."""
    position, _ = match.seen()
    ways = match.ways if may_act else None
    told: dict[str, Any] = {
        "seen": match.mark,
        "checkers": _checkers(position),
        "begun": match.begun,
        "stages": [],
        "whole": [],
        "left": [],
        "forced": ways is not None and ways.is_forced,
        "says": [_rolled(match, is_whole=is_whole) for is_whole in (False, True)],
        "engine": None,
    }
    if ways is not None:
        told["stages"] = [[(*step, to) for step, to in steps.items()] for steps in ways.steps]
        told["whole"] = sorted(ways.whole)
        told["left"] = ways.left
    if played is not None:
        before, turn = played
        at = f"{len(match.record.games)} {match.game.actions.index(turn)}"
        told["engine"] = {"at": at, "before": _checkers(before), "steps": turn.play}
    return told


def _losses(match: BoardMatch) -> Losses:
    """Return the losses of this game that the tutor noted."""
    this = len(match.record.games) - 1
    return {(each.action, each.what): each.loss for each in match.losses if each.game == this}


def is_waiting(asks: Asks) -> bool:
    """Return whether the person's time runs."""
    return asks not in (Asks.NOTHING, Asks.NEXT_GAME, Asks.KEEPING, Asks.ENGINE)


def _checkers(position: Position) -> tuple[tuple[int, ...], ...]:
    """Return the checkers of both seats by place in their own numbers, 0 being off."""
    off = position.off()
    return (off[0], *position.mine), (off[1], *position.theirs)


def _may_move(match: BoardMatch) -> bool:
    return (ways := match.ways) is not None and bool(ways.steps[ways.stage(match.begun)])


def _board(position: Position, state: MatchState, played: tuple[Position, Turn] | None) -> Markup:
    """Return the board with the engine's last play marked on it."""
    over = samples()
    if played is not None:
        before, turn = played
        after = before.flipped().after(turn.play or ()).flipped()
        earlier = dice_at(turn.dice, right=False)
        over += element("g", *earlier, class_="dice earlier") + trail(
            after, ENGINE, turn.play or ()
        )
    return board(position, state, over=over)


def _says(match: BoardMatch, asks: Asks) -> str:
    state = match.replay().state
    if asks is Asks.NOTHING and not match.record.length:
        mine, theirs = match.game.score_after
        return f"The session is over, {mine} to {counted(theirs, 'point')}."
    if asks in (Asks.NEXT_GAME, Asks.NOTHING):
        assert match.game.result is not None
        return _result(match, match.game.result, over=asks is Asks.NOTHING)
    sentences = {
        Asks.OPENING: "Each player rolls one die, and the higher begins. Enter both dice.",
        Asks.DICE: f"Roll for {match.record.players[ENGINE].name} and enter the dice.",
        Asks.ROLL: "Your turn: roll" + (" or double." if state.may_double() else "."),
        Asks.PLAY: _rolled(match, is_whole=match.may_confirm),
        Asks.ANSWER: _offered(match),
        Asks.RESIGNATION: f"The engine resigns {_LOST[state.resigned]}. Accept?",
        Asks.ENGINE: "The engine is thinking.",
    }
    return sentences[asks]


def _rolled(match: BoardMatch, *, is_whole: bool) -> str:
    """Return the dice in words, since the board shows only pictures, and the next action."""
    dice = match.replay().state.dice
    if dice is None:
        return ""
    what = "confirm your play" if is_whole else "move"
    if not _may_move(match) and not match.begun:
        what = "you cannot move"
    return f"You rolled {'-'.join(map(str, sorted(dice, reverse=True)))}: {what}."


def _cube_is(state: MatchState) -> str:
    """Return the value and owner of a turned cube."""
    whose = {None: "", YOU: ", yours", ENGINE: ", the engine's"}[state.cube_owner]
    return f"cube {state.cube}{whose}" if state.cube > 1 else ""


def _offered(match: BoardMatch) -> str:
    turned, cube = match.turned, 2 * match.replay().state.cube
    what = {1: "You are doubled", 2: "The engine beavers"}.get(turned, "The engine turns it again")
    again = "beaver" if turned == 1 else "raccoon"
    choice = f"take, drop or {again}" if match.may_beaver else "take or drop"
    return f"{what}, to {cube}: {choice}?"


def _result(match: BoardMatch, result: GameResult, *, over: bool) -> str:
    kind = ("", " with a gammon", " with a backgammon")[
        games_of(result.points, match.replay().state.cube) - 1
    ]
    points = counted(result.points, "point")
    who = "You win" if result.winner == YOU else "The engine wins"
    return f"{who} {'the match' if over else points}{kind}{', ' + points if over else ''}."
