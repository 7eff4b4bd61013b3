"""A match as lines of text that people type: `31: 8/5 6/5`, `double`, `undo`.

A sheet that reads the same lines again is the same match, so that a file of them keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sixprime.bot.transcribing.handmatch import Asks, HandMatch
from sixprime.engine.position import MatchState
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.ids import BEAVERS, MAX_LENGTH
from sixprime.protocols.formats.notation import BadPlay
from sixprime.protocols.formats.pasted import NAMES, read_position
from sixprime.protocols.formats.positionfile import match_of
from sixprime.protocols.formats.record import (
    MOST_AUTOMATIC_DOUBLES,
    Match,
    Player,
    Rules,
    day_in,
    match_between,
    number_in,
    one_line,
)
from sixprime.protocols.formats.replay import can_move

KEEP = "!"  # behind a play: keep it as it was played
_ROLL = re.compile(r"([1-6])[-\s,]?([1-6])(?:\s*:\s*|\s+|$)(.*)")
_PLAY = re.compile(r"(?:\d|bar|b/|off)[^a-z]*|-|none|dance", re.IGNORECASE)
_AUTOMATIC = re.compile(rf"automatic(=[1-{MOST_AUTOMATIC_DOUBLES}])?")
MOST_LINE = 1_000  # characters


class EntrySheet:
    """The match so far; `match` is None until a line says how long it is."""

    def __init__(self) -> None:
        self.match: HandMatch | None = None
        self._facts = match_between(NAMES)

    @property
    def record(self) -> Match:
        return self._facts if self.match is None else self.match.record

    def write(self, line: str) -> None:
        """Enter a line; InputError leaves everything as it was."""
        line = line.strip()
        if not line or line.startswith("#"):
            return
        if len(line) > MOST_LINE:
            raise InputError(f"A line has at most {MOST_LINE} characters.")
        match = self.match
        before = None if match is None else (match.record, match.over)
        try:
            self._write(line)
        except InputError:
            if match is not None and before is not None:
                self.match = match
                match.record, match.over = before
            raise

    def _write(self, line: str) -> None:
        if rolled := _ROLL.fullmatch(line):
            match = self._begun()
            match.enter((int(rolled[1]), int(rolled[2])))
            if rolled[3]:
                _play(match, rolled[3])
            elif match.asks is Asks.PLAY and not can_move(*match.rolled()):
                match.put(())
            return
        word, _, text = line.partition(" ")
        if verb := VERBS.get(word.lower()):
            verb.does(self, text.strip())
        elif _PLAY.match(line):
            _play(self._begun(), line)
        else:
            raise InputError(f"{one_line(word)[:40]} is no entry: `?` lists them.")

    def _begun(self) -> HandMatch:
        if self.match is None:
            raise InputError("Say first how long the match is: `match 7`, or `money`.")
        return self.match

    # --- the verbs

    def begin(self, record: Match) -> None:
        if self.match is not None and (self.match.may_take_back or self.match.game.actions):
            raise InputError("The match has begun already.")
        self.match = HandMatch(record)

    def tell(self, **facts: object) -> None:
        """Set facts of the match, such as its event."""
        if self.match is None:
            self._facts = replace(self._facts, **facts)  # type: ignore[arg-type]
        else:
            self.match.record = replace(self.match.record, **facts)  # type: ignore[arg-type]

    def act(self, does: Callable[[HandMatch], None]) -> None:
        does(self._begun())


def _play(match: HandMatch, text: str) -> None:
    if text.endswith(KEEP):
        match.keep_written(text.removesuffix(KEEP))
        return
    try:
        play = match.legal_play(text)
    except BadPlay as error:
        raise InputError(f"{error}. `{KEEP}` behind the play keeps it as it was.") from error
    match.put(play)


def _begin_match(sheet: EntrySheet, text: str) -> None:
    length = number_in(text)
    if length is None or not 1 <= length <= MAX_LENGTH:
        raise InputError(f"A match has 1 to {MAX_LENGTH} points, such as `match 7`.")
    sheet.begin(replace(sheet.record, length=length, rules=Rules(), games=()))


def _begin_money(sheet: EntrySheet, text: str) -> None:
    words = set(text.lower().split())
    ties = sorted(word for word in words if _AUTOMATIC.fullmatch(word))
    if words - {"jacoby", "beavers", *ties} or len(ties) > 1:
        raise InputError("Only `jacoby`, `beavers` and `automatic` may follow `money`.")
    rules = Rules(
        jacoby="jacoby" in words,
        beavers=BEAVERS if "beavers" in words else 0,
        automatic_doubles=int(ties[0].partition("=")[2] or 1) if ties else 0,
    )
    sheet.begin(replace(sheet.record, length=0, rules=rules, games=()))


def _begin_position(sheet: EntrySheet, text: str) -> None:
    position, state = read_position(text)
    if position.checked().is_over():
        raise InputError("The game is over in this position.")
    there = match_of(position, state or MatchState())
    sheet.begin(replace(sheet.record, length=there.length, rules=there.rules, games=there.games))


def _name_players(sheet: EntrySheet, text: str) -> None:
    names = [one_line(name) for name in text.split("," if "," in text else None)]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise InputError("Two different names are needed: `players Anna, Ben`.")
    first, second = (
        replace(player, name=name) for player, name in zip(sheet.record.players, names, strict=True)
    )
    sheet.tell(players=(first, second))


def _say_date(sheet: EntrySheet, text: str) -> None:
    if (day := day_in(text)) is None:
        raise InputError("A day is needed: `date 2026-11-28`.")
    sheet.tell(date=day)


def _tell(name: str) -> Callable[[EntrySheet, str], None]:
    return lambda sheet, text: sheet.tell(**{name: one_line(text)})


def _act(does: Callable[[HandMatch], None]) -> Callable[[EntrySheet, str], None]:
    def entry(sheet: EntrySheet, text: str) -> None:
        if text:
            raise InputError("Nothing may follow this word on its line.")
        sheet.act(does)

    return entry


def _resign(sheet: EntrySheet, text: str) -> None:
    games, _, name = text.partition(" ")
    if games not in ("1", "2", "3"):
        raise InputError("`resign 1` loses a single game, 2 a gammon, 3 a backgammon.")
    seat = None if not name else _seat_of(name, sheet.record.players)
    sheet.act(lambda match: match.resign(int(games), seat))


def _seat_of(name: str, players: tuple[Player, Player]) -> int:
    for seat, player in enumerate(players):
        if player.name.casefold() == name.strip().casefold():
            return seat
    raise InputError(f"No player is called {one_line(name)[:40]}.")


def _undo(sheet: EntrySheet, text: str) -> None:
    times = number_in(text or "1")
    if not times:
        raise InputError("`undo` takes back one turn, `undo 3` takes back three.")
    for _ in range(times):
        sheet.act(HandMatch.take_turn_back)


@dataclass(frozen=True, slots=True)
class Verb:
    usage: str
    about: str
    does: Callable[[EntrySheet, str], None]


def _accept(match: HandMatch) -> None:
    match.answer_resignation(accept=True)


def _refuse(match: HandMatch) -> None:
    match.answer_resignation(accept=False)


def _take(match: HandMatch) -> None:
    match.answer(take=True)


def _drop(match: HandMatch) -> None:
    match.answer(take=False)


VERBS = {
    "match": Verb("match 7", "a match to 7 points", _begin_match),
    "money": Verb(
        "money [jacoby] [beavers] [automatic[=N]]",
        "a money session, in which equal dice of the opening may double, once or N times a game",
        _begin_money,
    ),
    "position": Verb("position ID", "go on from an XGID, or another ID", _begin_position),
    "players": Verb("players Anna, Ben", "the names; the first is O in `show`", _name_players),
    "event": Verb("event TEXT", "also round, place, annotator", _tell("event")),
    "round": Verb("round TEXT", "", _tell("round")),
    "place": Verb("place TEXT", "", _tell("place")),
    "annotator": Verb("annotator TEXT", "", _tell("annotator")),
    "date": Verb("date 2026-11-28", "the day of the match", _say_date),
    "double": Verb("double", "then take, drop or beaver", _act(HandMatch.double)),
    "take": Verb("take", "", _act(_take)),
    "drop": Verb("drop", "", _act(_drop)),
    "pass": Verb("pass", "", _act(_drop)),
    "beaver": Verb("beaver", "", _act(HandMatch.beaver)),
    "resign": Verb(
        "resign 2 [NAME]", "lose a gammon, 1 a single game; then accept or refuse", _resign
    ),
    "accept": Verb("accept", "", _act(_accept)),
    "refuse": Verb("refuse", "", _act(_refuse)),
    "undo": Verb("undo [N]", "take back the last turn, or N turns", _undo),
    "end": Verb("end", "end a session, or a match that is not won", _act(HandMatch.finish)),
}
ROLLS = (
    ("31: 8/5 6/5", "a roll and its play; 31 alone is a roll, 8/5 6/5 alone a play"),
    ("31: 8/4 !", "an illegal play, kept and marked"),
    ("31", "in the opening: the first player has the 3, and begins"),
)


def help_lines() -> list[str]:
    """Return every entry with its meaning."""
    rows = [*ROLLS, *((verb.usage, verb.about) for verb in VERBS.values() if verb.about)]
    return [f"  {usage:26}{about}" for usage, about in rows]


def is_complete(sheet: EntrySheet) -> bool:
    """Return whether the match is won, or its entry was ended."""
    return sheet.match is not None and sheet.match.asks in (Asks.KEEPING, Asks.NOTHING)
