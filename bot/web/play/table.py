"""The page of a match: its fields, and the deeds it offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from sixprime.bot.reports.board_svg import dice_at
from sixprime.bot.reports.svg import element
from sixprime.bot.transcribing.words import names_in, state_words
from sixprime.bot.web.frame.boardview import board, samples, spoken, trail
from sixprime.bot.web.frame.texts import N_, gettext, ngettext
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
    "keep": lambda match, form: _keep(match, form),
    "back": lambda match, form: match.take_back(),
    "resign": lambda match, form: match.resign(_number(form["games"]), _seat(form)),
    "accept": lambda match, form: match.answer_resignation(accept=True),
    "reject": lambda match, form: match.answer_resignation(accept=False),
    "next": lambda match, form: match.begin_game(),
    "finish": lambda match, form: match.finish(),
    "untutor": lambda match, form: setattr(match, "tutor", None),
}


MOST_STEPS, MOST_KEPT = 4, 8
_ROLL = (N_("Your turn: roll."), N_("Your turn: roll or double."))
_RESIGNS = (
    "",
    N_("The engine resigns a single game. Accept?"),
    N_("The engine resigns a gammon. Accept?"),
    N_("The engine resigns a backgammon. Accept?"),
)


def _keep(match: BoardMatch, form: Form) -> None:
    """Make a play as it was made or written, even if it is illegal."""
    if "steps" in form:
        match.keep(_steps(form["steps"], MOST_KEPT))
    else:
        match.keep_written(str(form["text"]))


def _seat(form: Form) -> int | None:
    return {"0": 0, "1": 1}.get(str(form.get("seat", "")))


def _steps(text: object, most: int = MOST_STEPS) -> Play:
    """Return the steps of a play that the page's script sends, such as `8/5 6/5`."""
    words = str(text).split()
    if len(words) > most or not all(re.fullmatch("[0-9]{1,2}/[0-9]{1,2}", w) for w in words):
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
        "spoken": spoken(position, names_in(match)) if match.hands else spoken(position),
        "asks": asks.name,
        "says": _says(match, asks),
        "cube_is": _cube_is(match, state),
        "seen": match.mark,
        "length": length,
        "score": score,
        "names": [player.name for player in match.record.players],
        "pips": (mine, theirs),
        "may_beaver": match.may_beaver,
        "turned": match.turned,
        "by_hand": match.by_hand,
        "hands": match.hands,
        "may_take_back": match.hands and not match.is_over and match.may_take_back,
        "archived": match.archived,
        "may_double": match.may_double,
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
        "seat": match.seat,
        "checkers": checkers_of(position),
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
    if played is not None and not match.hands:  # its own hand has shown it
        before, turn = played
        at = f"{len(match.record.games)} {match.game.actions.index(turn)}"
        told["engine"] = {"at": at, "before": checkers_of(before), "steps": turn.play}
    return told


def _losses(match: BoardMatch) -> Losses:
    """Return the losses of this game that the tutor noted."""
    this = len(match.record.games) - 1
    return {(each.action, each.what): each.loss for each in match.losses if each.game == this}


def is_waiting(asks: Asks) -> bool:
    """Return whether the person's time runs."""
    return asks not in (Asks.NOTHING, Asks.NEXT_GAME, Asks.KEEPING, Asks.ENGINE)


def checkers_of(position: Position) -> tuple[tuple[int, ...], ...]:
    """Return the checkers of both seats by place in their own numbers, 0 being off."""
    off = position.off()
    return (off[0], *position.mine), (off[1], *position.theirs)


def _may_move(match: BoardMatch) -> bool:
    return (ways := match.ways) is not None and bool(ways.steps[ways.stage(match.begun)])


def _board(position: Position, state: MatchState, played: tuple[Position, Turn] | None) -> Markup:
    """Return the board with the last play of the engine, or of a hand, marked on it."""
    over = samples()
    if played is not None:
        before, turn = played
        play, below = turn.play or (), turn.seat == YOU
        after = before.after(play) if below else before.flipped().after(play).flipped()
        earlier = dice_at(turn.dice, right=below)
        over += element("g", *earlier, class_="dice earlier") + trail(after, turn.seat, play)
    return board(position, state, over=over)


def _says(match: BoardMatch, asks: Asks) -> str:
    if match.hands:
        is_whole = asks is Asks.PLAY and match.may_confirm
        return _rolled(match, is_whole=True) if is_whole else state_words(match, gettext)
    state = match.replay().state
    if asks is Asks.NOTHING and not match.record.length:
        mine, theirs = match.game.score_after
        return ngettext(
            "The session is over, %(mine)s to %(num)s point.",
            "The session is over, %(mine)s to %(num)s points.",
            theirs,
            mine=mine,
        )
    if asks in (Asks.NEXT_GAME, Asks.NOTHING):
        assert match.game.result is not None
        return _result(match, match.game.result, over=asks is Asks.NOTHING)
    name = match.record.players[ENGINE].name
    sentences = {
        Asks.OPENING: gettext("Each player rolls one die, and the higher begins. Enter both dice."),
        Asks.DICE: gettext("Roll for %(name)s and enter the dice.", name=name),
        Asks.ROLL: gettext(_ROLL[state.may_double()]),
        Asks.PLAY: _rolled(match, is_whole=match.may_confirm),
        Asks.ANSWER: _offered(match),
        Asks.RESIGNATION: gettext(_RESIGNS[state.resigned]),
        Asks.ENGINE: gettext("The engine is thinking."),
    }
    return sentences[asks]


def _rolled(match: BoardMatch, *, is_whole: bool) -> str:
    """Return the dice in words, since the board shows only pictures, and the next action."""
    dice = match.replay().state.dice
    if dice is None:
        return ""
    text = N_("You rolled %(dice)s: move.")
    if is_whole:
        text = N_("You rolled %(dice)s: confirm your play.")
    if not _may_move(match) and not match.begun:
        text = N_("You rolled %(dice)s: you cannot move.")
    thrown = "-".join(map(str, sorted(dice, reverse=True)))
    if match.hands:
        who = names_in(match)[match.seat]
        does = "confirm the play" if is_whole else "move"
        if not _may_move(match) and not match.begun:
            does = "no checker can move"
        return f"{who} rolled {thrown}: {does}."
    return gettext(text, dice=thrown)


def _cube_is(match: BoardMatch, state: MatchState) -> str:
    """Return the value and owner of a turned cube."""
    texts = {
        None: N_("cube %(cube)s"),
        YOU: N_("cube %(cube)s, yours"),
        ENGINE: N_("cube %(cube)s, the engine's"),
    }
    if state.cube == 1:
        return ""
    if match.hands and state.cube_owner is not None:
        owner = names_in(match)[state.cube_owner]
        return gettext("cube %(cube)s, %(owner)s", cube=state.cube, owner=owner)
    return gettext(texts[state.cube_owner], cube=state.cube)


def _offered(match: BoardMatch) -> str:
    turned, cube = match.turned, 2 * match.replay().state.cube
    texts = {1: N_("You are doubled, to %(cube)s:"), 2: N_("The engine beavers, to %(cube)s:")}
    choice = N_("take or drop?")
    if match.may_beaver:
        choice = N_("take, drop or beaver?") if turned == 1 else N_("take, drop or raccoon?")
    offered = gettext(texts.get(turned, N_("The engine turns it again, to %(cube)s:")), cube=cube)
    return f"{offered} {gettext(choice)}"


def _result(match: BoardMatch, result: GameResult, *, over: bool) -> str:
    kinds = ("", N_(" with a gammon"), N_(" with a backgammon"))
    kind = gettext(kinds[games_of(result.points, match.replay().state.cube) - 1])
    points = ngettext("%(num)s point", "%(num)s points", result.points)
    if over:
        yours = N_("You win the match%(kind)s, %(points)s.")
        theirs = N_("The engine wins the match%(kind)s, %(points)s.")
    else:
        yours = N_("You win %(points)s%(kind)s.")
        theirs = N_("The engine wins %(points)s%(kind)s.")
    return gettext(yours if result.winner == YOU else theirs, points=points, kind=kind)
