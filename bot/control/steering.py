"""An operator's actions on running bots: one method for each, which answers in one line.

`profile` names one bot; None means all of the process. An action that cannot be done raises
`NotDone`, and changes nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sixprime.bot.client.ladder import level_name
from sixprime.bot.client.service import Bot, Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import BrokenEngine, Outcome, Thinker, in_a_thread
from sixprime.bot.control.orders import Orders, Reread, reread, same_player
from sixprime.bot.process.printable import counted
from sixprime.bot.settings.namefiles import checked
from sixprime.bot.settings.schema import Config, Lobby, Logging, Profile
from sixprime.bot.settings.values import Level
from sixprime.engine.system.errors import ConfigError, SixprimeError, nearest_or_all
from sixprime.protocols.bgammon.commands import JoinTable, is_bot
from sixprime.protocols.bgammon.session import BgammonSession
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.servers import Session

ASIDE_WITHIN_S = 20.0


def _is_kept_from(session: Session, user: Player) -> bool:
    return isinstance(session, BgammonSession) and session.is_bot and not is_bot(user)


class NotDone(SixprimeError):
    """The action was not done; the text says why in one line."""


class Steering:
    """Steers the bots of one process."""

    def __init__(
        self,
        service: Service,
        reread: Callable[[], Config],
        log_by: Callable[[Logging], None] = lambda _: None,
    ) -> None:
        self._service = service
        self._reread = reread
        self._log_by = log_by
        self._file = service.config  # as far as it is followed
        self._orders = {bot.profile.name: Orders() for bot in service.bots}
        self._changing = asyncio.Lock()

    # --- matches

    def pause(self, profile: str | None = None) -> str:
        """Stay logged in and begin no match."""
        return self._each(profile, lambda bot: self._pause(bot, True))

    def resume(self, profile: str | None = None) -> str:
        return self._each(profile, lambda bot: self._pause(bot, False))

    def _pause(self, bot: Bot, paused: bool) -> str:
        _check_going_on(bot)
        self._order(bot, replace(self._orders[bot.profile.name], paused=paused))
        return f"pauses{_after_the_match(bot)}" if paused else "plays again"

    def finish(self, profile: str | None = None) -> str:
        """Stop after the match."""
        return self._stop(profile, Stop.FINISH, lambda bot: f"stops{_after_the_match(bot)}")

    def stop(self, profile: str | None = None) -> str:
        """Leave the match, which the server saves, and stop, as on SIGTERM."""

        def answer(bot: Bot) -> str:
            match = None if bot.client.session is None else bot.client.session.match
            left = "" if match is None else f"leaves the match with {match.opponent}, and "
            return f"{left}stops"

        return self._stop(profile, Stop.SAVE, answer)

    def _stop(self, profile: str | None, how: Stop, answer: Callable[[Bot], str]) -> str:
        def stop(bot: Bot) -> str:
            said = answer(bot)
            bot.request_stop(how)
            return said

        answers = self._each(profile, stop)
        if profile is None:
            self._service.request_stop(how)
        return answers

    def dial(self, profile: str | None = None) -> str:
        """End the pause before the next connection."""

        def dial(bot: Bot) -> str:
            _check_going_on(bot)
            if bot.client.session is not None or bot.client.presence.connecting:
                raise NotDone("is connected, or dials already")
            bot.dial_now()
            return "dials"

        return self._each(profile, dial)

    def leave(self, profile: str | None = None) -> str:
        """Leave the match, which the server saves, and do not resume it for a while."""

        def leave(bot: Bot) -> str:
            opponent = _opponent(bot)
            bot.client.leave_match(opponent)
            return f"leaves the match with {opponent}, which stays saved and rests for a day"

        return self._each(profile, leave)

    def invite(self, name: str, length: int, profile: str | None = None) -> str:
        """Invite a user to a match, or to resume the saved one."""
        user = _user(name)
        _check(c.Invite(user, length))

        def invite(bot: Bot) -> str:
            _check_going_on(bot)
            session = bot.client.session
            if session is None or not bot.client.online:
                raise NotDone("is not online")
            people, seen = session.people, session.people.users.get(user)
            reasons = {
                "is paused": bot.profile.lobby.paused,
                "is playing": session.match is not None,
                "cannot invite itself": user == session.me,
                f"{user} is not logged in": seen is None and people.who_is_complete,
                f"{user} is playing": seen is not None and seen.opponent is not None,
                f"{user} is not ready": seen is not None and not seen.ready,
                "may sit at no table of a person, being a BOT_": _is_kept_from(session, user),
            }
            for reason, holds in reasons.items():
                if holds:
                    raise NotDone(reason)
            now = asyncio.get_running_loop().time()
            command = bot.client.desk.invite(user, length, people, now)
            bot.client.stir()
            if isinstance(command, JoinTable):
                return f"sits down at {user}'s table"
            if isinstance(command, c.InviteToResume):
                return f"invites {user} to resume the saved match"
            return f"invites {user} to {counted(length, 'point')}"

        return self._one(profile, invite)

    def say(self, text: str, profile: str | None = None) -> str:
        if not text.isascii():
            raise NotDone("servers take plain ASCII only")

        def say(bot: Bot) -> str:
            opponent = _opponent(bot)
            command = c.Tell(opponent, text)
            _check(command)
            if not bot.client.says(command):
                raise NotDone("has too much to say already")
            return f"says it to {opponent}"

        return self._one(profile, say)

    # --- opponents and levels

    def block(self, name: str, profile: str | None = None) -> str:
        """Begin no match with this user, until the process ends."""
        return self._each(profile, lambda bot: self._name(bot, _user(name), allowed=False))

    def allow(self, name: str, profile: str | None = None) -> str:
        """Accept this user against the file, until the process ends."""
        return self._each(profile, lambda bot: self._name(bot, _user(name), allowed=True))

    def unblock(self, name: str, profile: str | None = None) -> str:
        """Judge this user as any other again, blocked or not, until the process ends."""
        return self._each(profile, lambda bot: self._name(bot, _user(name), allowed=None))

    def forgive(self, name: str, profile: str | None = None) -> str:
        """Forget every rest, refusal and try of this user."""
        user = _user(name)

        def forgive(bot: Bot) -> str:
            bot.client.desk.forgive(user)
            bot.client.stir()
            return f"forgives {user}"

        return self._each(profile, forgive)

    def _name(self, bot: Bot, user: Player, *, allowed: bool | None) -> str:
        orders = self._orders[bot.profile.name]
        if allowed:
            bot.client.desk.forgive(user)
        self._order(bot, replace(orders, names={**orders.names, user: allowed}))
        word = {True: "allowed", False: "blocked", None: "neither blocked nor allowed"}[allowed]
        return f"{user} is {word} until the process ends"

    async def level(self, level: Level, now: bool = False, profile: str | None = None) -> str:
        """Play at another level, from the next match on or `now`."""
        async with self._changing:
            thinkers = {}
            for bot in self._bots(profile):
                _check_going_on(bot)
                player = bot.profile.player.model_copy(update={"level": level})
                wanted = bot.profile.model_copy(update={"player": player})
                thinkers[bot] = await self._warm_thinker(wanted)
            for bot in thinkers:
                self._order(bot, replace(self._orders[bot.profile.name], level=level))
            self._change_players(thinkers, at_once=now)
            when = "at once" if now else "from the next match on"
            return self._each(profile, lambda _: f"plays at level {level_name(level)} {when}")

    # --- the settings

    async def reload(self) -> str:
        """Read the settings file again, and apply it as far as running bots can."""
        async with self._changing:
            try:
                return await self._follow(reread(self._file, await _aside(self._reread)))
            except ConfigError as error:
                why = f"{error.where()}{'; '.join(error.faults)}"
            except OSError as error:
                why = f"logging.file: {error.strerror or error}"
            except NotDone as error:
                why = str(error)
            raise NotDone(f"the old settings stay: {why}")

    async def _follow(self, found: Reread) -> str:
        profiles = zip(self._file.profiles, found.config.profiles, strict=True)
        pairs = list(zip(self._service.bots, profiles, strict=True))
        thinkers = {}
        for bot, (old, new) in pairs:
            await _aside(partial(_read_names, bot, new.lobby))
            wanted = self._orders[old.name].after(old, new).over(new)
            if not same_player(bot.profile.player, wanted.player):
                thinkers[bot] = await self._warm_thinker(wanted)
        await _aside(lambda: self._log_by(found.config.logging))
        self._file = found.config
        for bot, (old, new) in pairs:  # the operator may have given orders meanwhile
            self._order(bot, self._orders[old.name].after(old, new))
        self._change_players(thinkers, at_once=False)
        parts = [
            f"changed: {', '.join(found.now)}" if found.now else "nothing changed",
            f"only a restart changes: {', '.join(found.later)}" if found.later else "",
        ]
        return f"settings reloaded; {'; '.join(part for part in parts if part)}"

    def _order(self, bot: Bot, orders: Orders) -> None:
        name = bot.profile.name
        self._orders[name] = orders
        (profile,) = (each for each in self._file.profiles if each.name == name)
        bot.client.desk.obey(orders.names)
        bot.adopt(orders.over(profile))

    async def _warm_thinker(self, profile: Profile) -> Thinker:
        """Return a new thinker, warmed up."""
        try:
            thinker = await _aside(lambda: self._service.thinker_for(profile))
        except ConfigError as error:
            raise NotDone("; ".join(error.faults)) from None
        try:
            await thinker.warm_up()
        except BrokenEngine as error:
            raise NotDone(f"this player does not work: {error}") from None
        return thinker

    @staticmethod
    def _change_players(thinkers: dict[Bot, Thinker], *, at_once: bool) -> None:
        for bot, thinker in thinkers.items():
            level = level_name(bot.profile.player.level)
            bot.client.plays_with(thinker, level, at_once=at_once)

    # --- the bots of an order

    def status(self, profile: str | None = None) -> list[dict[str, Any]]:
        wanted = {bot.profile.name for bot in self._bots(profile)}
        return [each for each in self._service.status() if each["profile"] in wanted]

    def obeyed(self, action: str, words: Mapping[str, Any]) -> None:
        """Note the order in the bots' recordings, except a stop, which they note themselves."""
        order = json.dumps({"action": action, **words, "profile": None})
        for bot in self._bots(words.get("profile")) if action not in ("finish", "stop") else ():
            bot.on_order(order)

    def _bots(self, profile: str | None) -> list[Bot]:
        bots = self._service.bots
        found = [bot for bot in bots if profile in (None, bot.profile.name)]
        if not found:
            known = nearest_or_all(str(profile), [bot.profile.name for bot in bots])
            raise NotDone(f"no profile {profile!r}{known}")
        return found

    def _one(self, profile: str | None, act: Callable[[Bot], str]) -> str:
        bots = self._bots(profile)
        if len(bots) > 1:
            raise NotDone(f"which of {', '.join(bot.profile.name for bot in bots)}?")
        return self._each(profile, act)

    def _each(self, profile: str | None, act: Callable[[Bot], str]) -> str:
        """Act on every bot that can; NotDone if none could."""
        answers, done = [], False
        for bot in self._bots(profile):
            try:
                answer, done = act(bot), True
            except NotDone as why:
                answer = str(why)
            answers.append(f"{bot.profile.name} {answer}")
        if not done:
            raise NotDone("; ".join(answers))
        return "; ".join(answers)


async def _aside(work: Callable[[], Outcome]) -> Outcome:
    """Read or open files while the bots play on: a pipe in place of a file would block forever."""
    try:
        async with asyncio.timeout(ASIDE_WITHIN_S):
            return await in_a_thread(work)
    except TimeoutError:
        raise NotDone(f"a file cannot be read or opened within {ASIDE_WITHIN_S:g} s") from None


def _read_names(bot: Bot, lobby: Lobby) -> None:
    """Read the files of names before their settings apply; ConfigError says what is wrong."""
    checked(lobby)
    bot.client.name_files.reread(lobby)


def _check_going_on(bot: Bot) -> None:
    if bot.given_up or bot.client.stopping.how is not Stop.NO:
        raise NotDone("is offline for good" if bot.given_up else "is stopping")


def _opponent(bot: Bot) -> Player:
    session = bot.client.session
    if session is None or session.match is None:
        raise NotDone("plays no match")
    return session.match.opponent


def _after_the_match(bot: Bot) -> str:
    try:
        return f" after the match with {_opponent(bot)}"
    except NotDone:
        return ""


def _user(name: str) -> Player:
    _check(c.AskWhois(Player(name)))
    return Player(name)


def _check(command: Command) -> None:
    try:
        command.line()
    except IllegalCommand as error:
        raise NotDone(str(error)) from None
