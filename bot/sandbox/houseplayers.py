"""House players: the moments at which one must act, and its commands.

A house player is a client inside the server. It sees only its own match and its invitations, lets
its BackgammonPlayer decide (which may be slow, and runs outside the event loop), and uses the same
commands as everybody else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain, product
from string import ascii_lowercase

from sixprime.bot.sandbox.state.accounts import HOUSE
from sixprime.bot.sandbox.state.match import UnfinishedMatch, pair_of
from sixprime.bot.sandbox.state.server import OpenInvitation, ServerState
from sixprime.engine.search.acting import act
from sixprime.engine.search.players import BackgammonPlayer
from sixprime.protocols.fibs.questions import command_of
from sixprime.protocols.fibs.wire.board import DOWN, UP


class Ask(Enum):
    JOIN = auto()  # an invitation
    DECLINE = auto()  # an invitation that would destroy a saved match
    NEXT_GAME = auto()
    ACT = auto()  # in a game


@dataclass(frozen=True, slots=True)
class Situation:
    """A moment at which a house player must act; `moment` changes with every event."""

    ask: Ask
    moment: UnfinishedMatch | OpenInvitation
    match: UnfinishedMatch | None = None
    seat: int = 0
    inviter: str = ""


def situation(server: ServerState, name: str, declined: Sequence[object] = ()) -> Situation | None:
    """Return the situation in which this house player must act now; None if there is none."""
    match = server.match_of(name)
    if match is None:
        return _invited(server, name, declined)
    seat = match.seat(name)
    ask = _around_match(match, seat)
    return Situation(ask, match, match, seat) if ask else None


def _invited(server: ServerState, name: str, declined: Sequence[object]) -> Situation | None:
    for session in server.online.values():
        offer = session.invitation
        if offer is None or offer.to != name or any(offer is each for each in declined):
            continue
        saved = pair_of(name, session.name) in server.matches
        new_over_saved = offer.length is not None and saved
        return Situation(Ask.DECLINE if new_over_saved else Ask.JOIN, offer, inviter=session.name)
    return None


def _around_match(match: UnfinishedMatch, seat: int) -> Ask | None:
    state = match.state
    if not match.in_game:
        return None if match.joined == seat else Ask.NEXT_GAME
    return Ask.ACT if state.to_act == seat else None


def answer(now: Situation, player: BackgammonPlayer) -> str:
    if now.ask is Ask.JOIN:
        return f"join {now.inviter}"
    if now.ask is Ask.DECLINE:
        return f"tell {now.inviter} We have a saved match. Type 'invite' and my name to resume it."
    if now.ask is Ask.NEXT_GAME:
        return "join"
    match = now.match
    assert match is not None
    action = act(player, match.position, match.state, may_double=match.may_double())
    direction = DOWN if now.seat == match.o_seat else UP
    command = command_of(action, direction)
    assert command is not None  # the server plays a dance itself
    return command.line()


def house_names(levels: list[str]) -> list[str]:
    """Return a user name for each level; the second of a level ends in `_b`."""
    names: list[str] = []
    for level in levels:
        base = HOUSE + re.sub(r"[^A-Za-z]", lambda found: _letter(found.group()), level)
        tails = (
            "_" + "".join(letters)
            for letters in chain(ascii_lowercase[1:], product(ascii_lowercase, repeat=2))
        )
        name = base
        while name in names:
            name = base + next(tails)
        names.append(name)
    return names


def _letter(char: str) -> str:
    digits = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return digits[int(char)] if char.isascii() and char.isdigit() else "_"
