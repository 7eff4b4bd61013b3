"""A bot's card as plain values: texts, and pictures that we drew."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from typing import Any

from sixprime.bot.client.lobby.waiting import text_of
from sixprime.bot.client.service import Bot
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.web.bots.drawing import board, curve
from sixprime.bot.web.bots.following import FollowedMatch
from sixprime.bot.web.bots.standing import RecentMatches
from sixprime.protocols.fibs.match import MatchInPlay
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import Awaited
from sixprime.protocols.fibs.wire.board import FibsBoard

SLOW_S = 30.0  # a wait for us or the server is trouble
_WAITS = {
    Awaited.DECISION: "us",
    Awaited.EFFECT: "the server",
    Awaited.BOARD: "the server",
    Awaited.PROMPT: "the server",
    Awaited.NEXT_GAME: "the server",
}  # anything else waits for the opponent
_AT_REST = ("away", "stopping", "stopped")
_UNDER_WAY = ("connecting", "logging in")
Card = dict[str, Any]


def card(bot: Bot, status: dict[str, Any], followed: FollowedMatch, lately: RecentMatches) -> Card:
    """Return everything that a card shows, except the log."""
    session = bot.client.session
    match = None if session is None else session.match
    waited_s = 0.0
    if session is not None:
        waited_s = asyncio.get_running_loop().time() - session.waiting.since
    trouble = _trouble(bot, status, session, waited_s)
    state = "stopped" if bot.stopped else status["state"]
    mood = "bad" if trouble or state == "offline" else "good"
    if mood == "good" and state in _AT_REST + _UNDER_WAY:
        mood = "rest" if state in _AT_REST else "warn"
    return {
        "state": state,
        **{name: _shown(status[name]) for name in ("server", "account", "level")},
        "mood": mood,
        "trouble": trouble,
        "rating": _number(status["rating"], "z.2f"),
        "experience": _shown(status["experience"]),
        **_match(status, match, followed),
        **_awaited(bot, followed),
        **_seen(followed),
        **_standing(lately),
    }


def _trouble(bot: Bot, status: dict[str, Any], session: Session | None, waited_s: float) -> str:
    """Return a problem for the operator; empty if there is none."""
    troubles = {
        "The server refuses the login.": bot.refused,
        f"The engine fails: {printable(str(status['fault']))}": status["fault"],
        f"The archive does not answer: {printable(str(status['archive']))}": status["archive"],
        "Offline.": status["state"] == "offline",
        "Nothing is happening.": not status["healthy"],
    }
    for trouble, holds in troubles.items():
        if holds:
            return trouble
    in_match = session is not None and session.match is not None
    if in_match and session is not None and session.waiting.what in _WAITS and waited_s > SLOW_S:
        return f"Stuck: waiting for {_WAITS[session.waiting.what]}."
    return ""


def _match(status: dict[str, Any], match: MatchInPlay | None, followed: FollowedMatch) -> Card:
    shown = None if match is None else match.board
    found: Card = {
        "opponent": "",
        "score": "",
        "length": "",
        "cube": "",
        "board": "",
        "last": "",
        "at": None,
    }
    if match is not None:
        found["opponent"] = printable(status["opponent"])
        found["score"] = f"{match.score[0]}–{match.score[1]}"
        found["length"] = f"to {match.length}" if match.length else "money"
        found["last"], found["at"] = followed.last, followed.at
    if isinstance(shown, FibsBoard):
        state = shown.match_state()
        owner = {None: "", 0: ", ours", 1: ", theirs"}[state.cube_owner]
        found["cube"] = f"{state.cube}{owner}"
        found["board"] = board(shown, followed.rolled, followed.marked)
    return found


def _awaited(bot: Bot, followed: FollowedMatch) -> Card:
    """Return the reason for which the bot does nothing, since when, and both players' pace."""
    ours, theirs = followed.pace()
    now = asyncio.get_running_loop().time()
    waiting = bot.waiting(now)
    text = text_of(waiting.shown(now, 3), dt.datetime.now(dt.UTC), relative=False)
    return {
        "waits": printable(text[:1].upper() + text[1:]),
        "since": None if waiting.since is None else round(time.time() - (now - waiting.since), 1),
        "pace": _number(ours, ".1f", " s"),
        "their_pace": _number(theirs, ".1f", " s"),
    }


def _seen(followed: FollowedMatch) -> Card:
    """Return chances and equity from our own decisions."""
    chances = followed.chances
    wins = f"{100 * chances[-1]:z.1f} %" if chances else ""
    return {
        "wins": wins,
        "equity": "" if followed.equity is None else f"{followed.equity:+z.3f}",
        "curve": curve(chances, f"Winning chances in this game, now {wins}", within=(0.0, 1.0)),
    }


def _standing(lately: RecentMatches) -> Card:
    ratings = lately.ratings
    title = f"Rating after the last {counted(len(ratings), 'match')}"
    return {
        "matches": [list(each) for each in lately.listed],
        "today": f"{lately.count} today, {lately.won} won" if lately.count else "none today",
        "ratings": curve(ratings, title),
        "rating_span": f"{min(ratings):z.0f} to {max(ratings):z.0f}" if len(ratings) > 1 else "",
    }


def _shown(value: object) -> str:
    return "" if value is None else printable(str(value))


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"
