"""A bot's card as plain values: texts, and pictures that we drew."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from typing import Any

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
        **_awaited(session, followed, waited_s),
        **_seen(followed),
        **_standing(lately),
    }


def _trouble(bot: Bot, status: dict[str, Any], session: Session | None, waited_s: float) -> str:
    """Return a problem for the operator; empty if there is none."""
    if bot.refused:
        return "The server refuses the login."
    if status["fault"]:
        return f"The engine fails: {printable(status['fault'])}"
    if status["archive"]:
        return f"The archive does not answer: {printable(status['archive'])}"
    away = _offline(status) if status["state"] == "offline" else ""
    if away or not status["healthy"]:
        return away or "Nothing is happening."
    in_match = session is not None and session.match is not None
    if in_match and session is not None and session.waiting.what in _WAITS and waited_s > SLOW_S:
        return f"Stuck: waiting for {_WAITS[session.waiting.what]}."
    return ""


def _offline(status: dict[str, Any]) -> str:
    if status["dials_in_s"] is None:
        return "Offline: getting ready."
    again = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=status["dials_in_s"])
    return f"Offline: {printable(status['offline_why'])}. Next try at {again:%H:%M} UTC."


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


def _awaited(session: Session | None, followed: FollowedMatch, waited_s: float) -> Card:
    """Return whom the match waits for, since when, and the pace of both players."""
    ours, theirs = followed.pace()
    found: Card = {"waits": "", "since": None, "pace": "", "their_pace": ""}
    if session is not None and session.match is not None:
        what = session.waiting.what
        known = isinstance(what, Awaited)
        found["waits"] = _WAITS.get(what, "the opponent") if isinstance(what, Awaited) else ""
        found["since"] = round(time.time() - waited_s, 1) if known else None
        found["pace"] = _number(ours, ".1f", " s")
        found["their_pace"] = _number(theirs, ".1f", " s")
    return found


def _seen(followed: FollowedMatch) -> Card:
    """Return chances and equity from our own decisions."""
    chances = followed.chances
    wins = f"{100 * chances[-1]:.1f} %" if chances else ""
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
        "rating_span": f"{min(ratings):.0f} to {max(ratings):.0f}" if len(ratings) > 1 else "",
    }


def _shown(value: object) -> str:
    return "" if value is None else printable(str(value))


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"
