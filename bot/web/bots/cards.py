"""A bot's card as plain values: texts, made for each reader, and pictures that we drew."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Iterator
from typing import Any

from sixprime.bot.client.service import Bot
from sixprime.bot.control.recent import PlayedMatch, RecentMatches
from sixprime.bot.process.printable import printable
from sixprime.bot.web.bots.drawing import board, curve
from sixprime.bot.web.bots.following import FollowedMatch
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.frame.told import ReaderText, told
from sixprime.engine.ratings import in_people, pr_named
from sixprime.protocols.fibs.states import Awaited
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.servers import MatchInPlay, Session

SLOW_S = 30.0  # a wait for us or the server is trouble
SOON_S = 3_600.0  # times nearer than this show seconds
_STUCK_BY_US = N_("Stuck: waiting for us.")
_STUCK_BY_SERVER = N_("Stuck: waiting for the server.")
_WAITS = {
    Awaited.DECISION: _STUCK_BY_US,
    Awaited.EFFECT: _STUCK_BY_SERVER,
    Awaited.BOARD: _STUCK_BY_SERVER,
    Awaited.PROMPT: _STUCK_BY_SERVER,
    Awaited.NEXT_GAME: _STUCK_BY_SERVER,
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
    state = N_("stopped") if bot.stopped else status["state"]
    mood = "bad" if trouble or state == "offline" else "good"
    if mood == "good" and state in _AT_REST + _UNDER_WAY:
        mood = "rest" if state in _AT_REST else "warn"
    return {
        "state": ReaderText.text(state),
        **{name: _shown(status[name]) for name in ("server", "account")},
        "level": level_shown(status["level"]),
        "mood": mood,
        "trouble": trouble,
        "rating": _number(status["rating"], "z.2f"),
        "experience": _shown(status["experience"]),
        **_match(status, match, followed),
        **_awaited(bot, followed),
        **_operated(status),
        **_seen(followed),
        **_standing(lately),
    }


def level_shown(level: str) -> ReaderText:
    """Return the name of a level, with words for people of a PR."""
    if level.startswith("about ") and level[6:].isdecimal():
        return ReaderText.text(N_("about %(rating)s"), rating=level[6:])
    if (pr := pr_named(level)) is not None:
        people = ReaderText.text(in_people(pr))
        return ReaderText.text("%(level)s, %(people)s", level=level, people=people)
    return ReaderText(printable, (level,))


def _trouble(
    bot: Bot, status: dict[str, Any], session: Session | None, waited_s: float
) -> ReaderText | str:
    """Return a problem for the operator; empty if there is none."""
    fault, away = printable(str(status["fault"])), printable(str(status["archive"]))
    troubles = {
        ReaderText.text(N_("The server refuses the login.")): bot.refused,
        ReaderText.text(N_("The engine fails: %(why)s"), why=fault): status["fault"],
        ReaderText.text(N_("The archive does not answer: %(why)s"), why=away): status["archive"],
        ReaderText.text(N_("Offline.")): status["state"] == "offline",
        ReaderText.text(N_("Nothing is happening.")): not status["healthy"],
    }
    for trouble, holds in troubles.items():
        if holds:
            return trouble
    in_match = session is not None and session.match is not None
    if in_match and session is not None and session.waiting.what in _WAITS and waited_s > SLOW_S:
        return ReaderText.text(_WAITS[session.waiting.what])
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
        length = match.length
        found["length"] = ReaderText.text(N_("money"))
        if length:
            found["length"] = ReaderText.text(N_("to %(length)s"), length=length)
        found["last"], found["at"] = told(followed.last), followed.at
    if isinstance(shown, FibsBoard):
        state = shown.match_state()
        owners = {None: "%(cube)s", 0: N_("%(cube)s, ours"), 1: N_("%(cube)s, theirs")}
        found["cube"] = ReaderText.text(owners[state.cube_owner], cube=state.cube)
        found["board"] = ReaderText(board, (shown, followed.rolled, followed.marked))
    return found


def _awaited(bot: Bot, followed: FollowedMatch) -> Card:
    """Return the reason for which the bot does nothing, since when, and both players' pace."""
    ours, theirs = followed.pace()
    now = asyncio.get_running_loop().time()
    waiting = bot.waiting(now)
    until = "" if waiting.until is None else _clock(waiting.until - now)
    return {
        "waits": ReaderText(_waits, (told(waiting.sentence), until, printable(waiting.ends_with))),
        "next": told(waiting.next_act),
        "since": None if waiting.since is None else round(time.time() - (now - waiting.since), 1),
        "pace": _number(ours, ".1f", " s"),
        "their_pace": _number(theirs, ".1f", " s"),
    }


def _seen(followed: FollowedMatch) -> Card:
    """Return chances and equity from our own decisions."""
    chances = followed.chances
    wins = f"{100 * chances[-1]:z.1f} %" if chances else ""
    title = ReaderText.text(N_("Winning chances in this game, now %(wins)s"), wins=wins)
    return {
        "wins": wins,
        "equity": "" if followed.equity is None else f"{followed.equity:+z.3f}",
        "curve": ReaderText(_chances, (tuple(chances), title)) if len(chances) > 1 else "",
    }


def _chances(chances: tuple[float, ...], title: ReaderText) -> str:
    return curve(chances, str(title), within=(0.0, 1.0))


def _waits(sentence: ReaderText, until: str, order: str) -> str:
    """Return the wait with its end, and the order that ends it."""
    text = _capital(sentence)
    if until:
        text = gettext("%(text)s, until %(time)s", text=text, time=until)
    return f"{text}: control {order}" if order else text


def _capital(text: ReaderText) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def _clock(after_s: float) -> str:
    at = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=after_s)
    return f"{at:%H:%M:%S} UTC" if abs(after_s) < SOON_S else f"{at:%H:%M} UTC"


def _operated(status: dict[str, Any]) -> Card:
    """Return the operator's next actions and facts about the process."""
    process = status["process"]
    lacks = ", ".join(status["unknown_commands"])
    spoken = ReaderText.text(N_("all commands"))
    if lacks:
        spoken = ReaderText.text(N_("without %(commands)s"), commands=lacks)
    disk = (f"{place['free_mib'] / 1024:z.1f} GiB, {place['folder']}" for place in process["disk"])
    return {
        "to_do": [
            ["todo", ReaderText(_capital, (told(sentence),))] for sentence in status["to_do"]
        ],
        "unfinished": printable(", ".join(status["unfinished"])),
        "logged": list(_logged([*status["logged"], *process["logged"]])),
        "versions": [f"Sixprime {process['version']}", *process["build"].split("; ")],
        "dialect": spoken,
        "disk": "; ".join(map(printable, disk)),
    }


def _logged(kinds: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the level and text of each kind of warning or error."""
    for kind in kinds:
        last = dt.datetime.fromtimestamp(kind["last"], dt.UTC)
        yield [kind["level"], f"{last:%H:%M} {kind['count']} × {printable(kind['event'])}"]


def _standing(lately: RecentMatches) -> Card:
    ratings = lately.ratings
    title = ReaderText.text(N_("Rating after the last %(count)s matches"), count=len(ratings))
    today = ReaderText.text(N_("none in 24 hours"))
    if lately.count:
        points = f"{lately.points[0]}–{lately.points[1]}"
        today = ReaderText.text(
            N_("%(count)s in 24 hours, %(won)s won, points %(points)s%(gain)s"),
            count=lately.count, won=lately.won, points=points,
            gain="" if lately.gain is None else f", {lately.gain:+z.1f}",
        )  # fmt: skip
    return {
        "matches": [_row(match) for match in lately.listed],
        "today": today,
        "ratings": ReaderText(_rated, (ratings, title)) if len(ratings) > 1 else "",
        "rating_span": f"{min(ratings):z.0f} – {max(ratings):z.0f}" if len(ratings) > 1 else "",
    }


def _rated(ratings: tuple[float, ...], title: ReaderText) -> str:
    return curve(ratings, str(title))


def _row(match: PlayedMatch) -> list[Any]:
    return [
        match.id,
        match.started[11:16],
        match.opponent,
        match.length or ReaderText.text(N_("money")),
        f"{match.score[0]}–{match.score[1]}",
        ReaderText.text(match.result),
        "" if match.gain is None else f"{match.gain:+z.1f}",
    ]


def _shown(value: object) -> str:
    return "" if value is None else printable(str(value))


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"
