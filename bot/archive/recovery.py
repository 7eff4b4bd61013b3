"""Recovers a game whose end we missed, from the server's list of the last game.

If the bot or its connection dies before the end of a game is recorded, no later board fills the
gap. `oldmoves` lists an account's last finished game: `OldMovesReply` collects the list, `merged`
combines it with the record. Until then our last command may explain the next board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.bot.archive.fingerprint import moved
from sixprime.bot.matchlog.events import Who
from sixprime.engine.rules import turns_between
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.talk import Notice
from sixprime.protocols.fibs.wire.users import OldMove, OldScore, OldSeats
from sixprime.protocols.formats import oldmoves
from sixprime.protocols.formats.ids import MAX_LENGTH
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    BadRecord,
    Cube,
    CubeStep,
    Game,
    Interruption,
    Match,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
    settled,
    turned,
)
from sixprime.protocols.formats.replay import replayed

US, THEM = 0, 1
MOST_LINES = 2_000


class OldMovesReply:
    """The reply to `oldmoves`, collected line by line until the time `until`."""

    def __init__(self, who: Who, until: float) -> None:
        self.who = who
        self.until = until
        self.is_over = False
        self._x = self._o = ""
        self._lines: list[str] = []

    def collect(self, message: Message) -> None:
        """Collect the line if it belongs to the reply."""
        match message:
            case OldScore(score, other, length):
                known = length is not None and length <= MAX_LENGTH  # no file goes further
                kind = f"a {length} point match" if known else "an unlimited match"
                self._lines = [f"Score is {score}-{other} in {kind}."]
            case OldSeats(x, o) if len(self._lines) == 1:
                self._x, self._o = x, o
                self._lines.append("x is X - o is O.")
            case OldMove(seat, text) if 2 <= len(self._lines) < MOST_LINES:
                self._lines.append(f"{seat}: {text}")
                self.is_over = text.startswith("wins")
            case Notice(text) if not self._lines and " game" in text:
                self.is_over = True  # servers phrase "no such game" differently

    def game(self) -> Game | None:
        """Return the game, seat 0 the account; None if it is not between these two players."""
        seats = {self._x, self._o}
        if not self.is_over or seats != {self.who.account, self.who.opponent}:
            return None
        try:
            (match,) = oldmoves.read_oldmoves("\n".join(self._lines)).strictly()
        except (BadMatchFile, ValueError):
            return None
        return (turned(match) if self._o == self.who.account else match).games[0]


def merged(known: Game, listed: Game, *, as_listed: bool = False) -> Game | None:
    """Return the listed game with our own analyses and interruptions; None if it is another game.

    It is the same game if it holds our plays and cube actions in the same order. Resignations do
    not count, since we assume one where we missed the end of a game. Nor do dances: a roll that the
    server shows twice looks like a second one.

    With `as_listed` the path of each checker comes from the list, too. A later board shows where
    the checkers went, but not a blot hit on the way that has since entered on the same point.
    """
    if listed.score not in (known.score, known.score[::-1]):
        return None  # servers print the dice in either order
    kept = settled(known, every_offer=True)
    places = _places(kept, listed.actions)
    actions: list[Action] = []
    rest = 0
    for action, place in zip(kept, places, strict=True):
        if isinstance(action, Interruption):
            actions.append(action)
        elif place is not None:
            said = listed.actions[place]
            if as_listed and isinstance(action, Turn) and isinstance(said, Turn):
                action = replace(action, play=said.play)
            actions += [*listed.actions[rest:place], action]
            rest = place + 1
            answer = next(iter(listed.actions[rest : rest + 1]), None)
            if _is_offer(action) and isinstance(answer, Resignation) and rest not in places:
                actions.append(answer)  # the answer, before our next action
                rest += 1
        elif _is_sure(action):
            return None
    return replace(known, actions=(*actions, *listed.actions[rest:]), result=None)


def _places(kept: Sequence[Action], listed: Sequence[Action]) -> list[int | None]:
    """Match our actions to the list, in order, as many as possible.

    Plays and cube actions come first. A resignation is not searched for far away: two may look
    alike, and matching the wrong one would hide everything between them.
    """
    keys, listed_keys = [_key(action) for action in kept], [_key(action) for action in listed]
    worth = [_worth(kept, i) for i in range(len(kept))]
    before: list[_Key | None] = [None] * len(kept)  # the action kept before this one
    for i in range(1, len(kept)):
        before[i] = before[i - 1] if isinstance(kept[i - 1], Interruption) else keys[i - 1]

    def is_it(i: int, j: int) -> bool:
        if keys[i] is None or keys[i] != listed_keys[j]:
            return False
        return worth[i] != TAKEN_BACK or before[i] == (listed_keys[j - 1] if j else None)

    best = [[0] * (len(listed) + 1) for _ in range(len(kept) + 1)]
    for i in reversed(range(len(kept))):
        for j in reversed(range(len(listed))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if is_it(i, j):
                best[i][j] = max(best[i][j], worth[i] + best[i + 1][j + 1])
    places: list[int | None] = []
    j = 0
    for i in range(len(kept)):
        while j < len(listed) and best[i][j] > best[i + 1][j]:  # it is in the list
            if is_it(i, j) and best[i][j] == worth[i] + best[i + 1][j + 1]:
                break
            j += 1
        found = j < len(listed) and best[i][j] > best[i + 1][j]
        places.append(j if found else None)
        j += found
    return places


SURE, LIKELY, TAKEN_BACK = 1_000_000, 2, 1


def _worth(kept: Sequence[Action], i: int) -> int:
    """Return how much the match of this action counts."""
    if _is_sure(kept[i]):
        return SURE
    interrupted = any(isinstance(each, Interruption) for each in kept[i + 1 : i + 2])
    return TAKEN_BACK if _is_offer(kept[i]) and interrupted else LIKELY


def _is_sure(action: Action) -> bool:
    """Return whether a list of the same game must contain this action."""
    return isinstance(action, Cube) or (isinstance(action, Turn) and bool(action.play))


def _is_offer(action: Action) -> bool:
    return isinstance(action, Resignation) and action.step is ResignStep.OFFERED


_Key = tuple[object, ...]


def _key(action: Action) -> _Key | None:
    """Return a key, equal for the same action kept and listed; None for one that no list has."""
    match action:
        case Turn(seat, dice, play):
            return Turn, seat, sorted(dice), None if play is None else moved(play)
        case Cube(seat, step) | Resignation(seat, step):
            return type(action), seat, step
    return None


def resigned_for(game: Game, games: int) -> Game:
    """Set the games of the offer that ended it and of the answer; 0: not resigned."""
    actions = list(game.actions)
    both = [i for i, each in enumerate(actions) if isinstance(each, Resignation)][-2:]
    for i in both if games else ():
        action = actions[i]
        assert isinstance(action, Resignation)
        actions[i] = replace(action, games=games)
    return replace(game, actions=tuple(actions))


def cube_at_the_end(game: Game) -> int:
    takes = sum(isinstance(each, Cube) and each.step is CubeStep.TAKE for each in game.actions)
    return int(game.cube * 2**takes)


def after_sending(match: Match, game: Game, sent: Action, board: SetBoard) -> Sequence[Action]:
    """Return our last command, and the opponent's only possible reply, if they lead to a board."""
    us: Sequence[Action] = (sent,)
    take = Cube(THEM, CubeStep.TAKE)
    for actions in (us, (*us, take)) if sent == Cube(US, CubeStep.DOUBLE) else (us,):
        whole = replace(game, actions=(*game.actions, *actions))
        try:
            replay = replayed(match.length, match.rules, whole)
        except BadRecord:
            continue
        state = replay.state
        if state.doubled or (state.cube, state.cube_owner) != (board.cube, board.cube_owner):
            continue
        if state.on_roll == board.on_roll and replay.position == board.position:
            return actions
        if state.on_roll == THEM and board.on_roll == US and not board.position.mine[-1]:
            turns = turns_between(replay.position, board.position.flipped())
            if len(turns) == 1:
                return (*actions, Turn(THEM, *turns[0]))
    return ()
