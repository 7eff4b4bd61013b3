"""The bots of this process as they play, for all spectators.

A card is made once for all spectators, and each of its values has a version. After reading a
message a spectator gets only the newer values, so slow readers skip states and no queue grows.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sixprime.bot.client.service import Bot, Service
from sixprime.bot.control.overview import Overview
from sixprime.bot.control.requests import MAY_HAVE, NEEDS, ONE_BOT, carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.process.printable import duration, printable
from sixprime.bot.web.bots.cards import Card, card
from sixprime.bot.web.bots.following import FollowedMatch
from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.texts import current

LOOK_S = 0.1
STILL_THERE_S = 15.0  # a line to spectators when nothing happens
MOST_SPECTATORS = 300
MOST_FROM_ADDRESS = 150
OF_CROWD = ("state", "mood", "trouble", "level", "rating", "opponent", "score", "length", "cube",
            "waits", "since", "wins", "board")  # fmt: skip
ACTIONS = NEEDS.keys() - {"status"}
ALL = ""  # the spectators of all bots


@dataclass(slots=True)
class LiveCard:
    """One bot's card, and the version of each of its values."""

    bot: Bot
    followed: FollowedMatch = field(default_factory=FollowedMatch)
    values: Card = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def show(self, values: Card, version: int) -> bool:
        """Set these values; return whether any has changed."""
        changed = [name for name, value in values.items() if self.values.get(name, ...) != value]
        self.values = values
        self.versions |= dict.fromkeys(changed, version)
        return bool(changed)

    def since(self, version: int, *, brief: bool) -> Card:
        """Return the newer values."""
        return {
            name: self.values[name]
            for name, changed in self.versions.items()
            if changed > version and (not brief or name in OF_CROWD)
        }


def _lasted(since: float | None) -> str:
    return "" if since is None else duration(max(0.0, time.time() - since))


class LiveBots:
    def __init__(
        self,
        service: Service,
        steering: Steering,
        overview: Overview | None = None,
    ) -> None:
        self._service = service
        self._steering = steering
        self._overview = overview or Overview(service)
        self._cards = {bot.profile.name: LiveCard(bot) for bot in service.bots}
        for name, bot in zip(self._cards, service.bots, strict=True):
            bot.client.records.noted.append(self._cards[name].followed.follow)
        self._version = 0
        self._still = 0  # count of keep-alive lines
        self._changed = {name: asyncio.Event() for name in (*self._cards, ALL)}
        self._messages: dict[tuple[str, int, str], str] = {}  # by bot, first version, language
        self._spectators: Counter[str] = Counter()  # by address
        self._watched: Counter[str] = Counter()

    def profiles(self) -> list[str]:
        return list(self._cards)

    def are_deciding(self) -> bool:
        """Return whether any bot thinks now."""
        return any(bot.client.turn.is_thinking for bot in self._service.bots)

    async def cards(self, profile: str | None = None) -> list[Card]:
        """Return the card of each bot, or of one; KeyError if there is no such bot."""
        found = [profile] if profile is not None else list(self._cards)
        for name in found if profile is not None else ():
            await self._overview.ask_archive(self._cards[name].bot)
        self._look(found)
        cards = [self._cards[name].values for name in found]
        return [
            {"profile": name, "lasted": _lasted(card["since"]), **card}
            for name, card in zip(found, cards, strict=True)
        ]

    async def watch(self) -> None:
        """Poll the bots, and send spectators every change."""
        still = time.monotonic()
        while True:
            watched = [name for name in self._cards if self._watched[name] or self._watched[ALL]]
            if watched:
                self._look(watched)
            if time.monotonic() - still > STILL_THERE_S:
                still, self._still = time.monotonic(), self._still + 1
                self._tell(list(self._changed))
            await asyncio.sleep(LOOK_S)

    def _look(self, names: list[str]) -> None:
        statuses = {each["profile"]: each for each in self._service.status()}
        version, changed = self._version + 1, []
        for name in names:
            live = self._cards[name]
            values = card(live.bot, statuses[name], live.followed, self._overview.lately(name))
            values["log"] = [list(line) for line in self._overview.tail.lines_of(name)]
            if live.show(values, version):
                changed.append(name)
        if changed:
            self._version = version
            self._messages.clear()
            self._tell([*changed, ALL])

    def _tell(self, names: list[str]) -> None:
        for name in names:
            self._changed[name].set()
            self._changed[name] = asyncio.Event()

    # --- spectators

    def pictures(self, address: str, profile: str | None = None) -> AsyncIterator[str]:
        """Return changes as server-sent events; KeyError if there is no such bot."""
        watched = ALL if profile is None else profile
        if watched not in self._changed:
            raise KeyError(profile)
        if (
            self._spectators.total() >= MOST_SPECTATORS
            or self._spectators[address] >= MOST_FROM_ADDRESS
        ):
            raise Busy(503, "Too many spectators.")
        return self._pictures(address, watched)

    async def _pictures(self, address: str, watched: str) -> AsyncIterator[str]:
        self._spectators[address] += 1
        self._watched[watched] += 1
        try:
            self._look(list(self._cards) if watched == ALL else [watched])
            seen, still = -1, self._still
            while True:
                changed = self._changed[watched]
                message, seen = self._since(watched, seen), self._version
                if message or still != self._still:
                    still = self._still
                    yield f'data: {{"now": {time.time():z.1f}, "bots": {message or "{}"}}}\n\n'
                await changed.wait()
        finally:
            self._watched[watched] -= 1
            self._spectators[address] -= 1
            if not self._spectators[address]:
                del self._spectators[address]

    def _since(self, watched: str, version: int) -> str:
        """Return changes since that version as JSON, made once for all spectators who have it."""
        key = watched, version, current().code
        if key not in self._messages:
            names = list(self._cards) if watched == ALL else [watched]
            found = {
                name: values
                for name in names
                if (values := self._cards[name].since(version, brief=watched == ALL))
            }
            data = json.dumps(found, ensure_ascii=False, default=str) if found else ""
            self._messages[key] = data
        return self._messages[key]

    # --- orders

    async def order(self, action: str, form: Mapping[str, Any], by: str) -> tuple[bool, str]:
        """Carry out an order from a card; return whether it was done, and the answer."""
        request: dict[str, Any] = {"action": action}
        known = {**NEEDS[action], **MAY_HAVE.get(action, ONE_BOT)}
        for name, kinds in known.items():
            value: Any = str(form.get(name, "")).strip()
            if int in kinds:
                value = int(value) if value.isdecimal() and len(value) < 4 else 0
            if bool in kinds:
                value = value == "yes"
            if value or name in NEEDS[action]:
                request[name] = value
        answer = await carry_out(self._steering, request, by)
        return bool(answer["done"]), printable(str(answer["text"]))
