"""XG's text exports of positions in any language: the XGID has the board.

Of the rest only the parts that all languages share are read: the line of the players, numbers and
plays. A roll that was not played is recorded with XG's candidates. XG's text about doubling becomes
a comment on the board unless somebody doubled, as the record has no other place for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from sixprime.engine.analysis.values import RankedPlay
from sixprime.engine.position import MatchState, Play, Position
from sixprime.protocols.formats.hops import read_play
from sixprime.protocols.formats.ids import read_xgid
from sixprime.protocols.formats.pasted import NAMES
from sixprime.protocols.formats.positionfile import match_of
from sixprime.protocols.formats.reading import Reading, Remarks, text_reader
from sixprime.protocols.formats.record import (
    Analysis,
    BadMatchFile,
    Match,
    SetBoard,
    Turn,
    on_line,
    one_line,
    split_lines,
)
from sixprime.protocols.formats.xg.levels import ANNOTATOR, by_name

_XGID = re.compile(r"XGID=\S{40,90}")
_PLAYERS = re.compile(r"\s*+X:(.{1,80}?)\s{2,}O:(.{1,80})$")
_SIGN_OF_XG = re.compile(r"^\s*+\+13-14-15-|^eXtreme Gammon Version", re.MULTILINE)
_CANDIDATE = re.compile(r"\s*+\d{1,2}\.\s(.{1,120}?)\S{1,12}[::]\s?([-+]\d{1,3}[.,]\d{1,6})\b")
_CHANCES = re.compile(
    r"(\d{1,3}[.,]\d{1,4}) ?% \(\S{1,4}[::] ?(\d{1,3}[.,]\d{1,4}) ?%"
    r" \S{1,4}[::] ?(\d{1,3}[.,]\d{1,4}) ?%\)"
)
_WORTH = re.compile(
    r"\s++[^\d=]{2,60}?[::]\s++([-+]\d{1,3}[.,]\d++)(?:\s++\([-+]\d{1,3}[.,]\d++\))?\s*+$"
)
_NO_DOUBLE = ("no double", "double/take", "double/pass")


@dataclass(slots=True)
class _Block:
    """The lines from an XGID to the next one."""

    line: int
    xgid: str
    names: tuple[str, str] = NAMES
    candidates: list[tuple[int, str, float, list[tuple[float, ...]]]] = field(default_factory=list)
    worths: list[str] = field(default_factory=list)


def read_textexport(text: str) -> Reading:
    """Return a match that begins with its board for each XGID; BadMatchFile if none is good."""
    matches: list[Match] = []
    remarks = Remarks()
    for block in _blocks(split_lines(text)):
        with remarks.instead(""), on_line(block.line):
            matches.append(_match(block, remarks))
    return remarks.reading(matches, 0, "no XGID in it")


def _blocks(lines: list[str]) -> list[_Block]:
    blocks: list[_Block] = []
    for number, line in enumerate(lines, start=1):
        if found := _XGID.search(line):
            blocks.append(_Block(number, found[0]))
        elif blocks:
            _take_in(blocks[-1], number, line)
    return blocks


def _take_in(block: _Block, number: int, line: str) -> None:
    if (found := _PLAYERS.match(line)) and block.names == NAMES:
        bottom, top = (one_line(name) for name in found.groups())
        block.names = (top or NAMES[0], bottom or NAMES[1])
    elif found := _CANDIDATE.match(line):
        block.candidates.append((number, found[1], _number(found[2]), []))
    elif (found := _CHANCES.search(line)) and block.candidates:
        block.candidates[-1][3].append(
            tuple(round(_number(each) / 100, 6) for each in found.groups())
        )
    elif (found := _WORTH.match(line)) and len(block.worths) < len(_NO_DOUBLE):
        block.worths.append(found[1].replace(",", "."))


def _match(block: _Block, remarks: Remarks) -> Match:
    position, state = read_xgid(block.xgid)
    match = match_of(position, state, block.names)
    (game,) = match.games
    actions = list(game.actions)
    last = actions[-1]
    if isinstance(last, Turn):
        candidates = tuple(_ranked(block, position, state, remarks))
        if candidates:
            actions[-1] = replace(last, analysis=Analysis(candidates=candidates))
    elif block.worths and isinstance(actions[0], SetBoard):
        said = (f"{what} {worth}" for what, worth in zip(_NO_DOUBLE, block.worths, strict=False))
        actions[0] = replace(actions[0], comment=f"XG: {', '.join(said)}")
    games = (replace(game, actions=tuple(actions)),)
    return replace(match, games=games, annotator=ANNOTATOR)


def _ranked(
    block: _Block, position: Position, state: MatchState, remarks: Remarks
) -> list[RankedPlay]:
    assert state.dice is not None
    found = []
    for line, text, equity, chances in block.candidates:
        words = text.split()
        moves = [_spelt(word) for word in words if "/" in word]
        level = " ".join(word for word in words if "/" not in word)
        try:
            play: Play = read_play(line, position, state.dice, " ".join(moves)) if moves else ()
        except BadMatchFile as error:
            remarks.add(line, error.reason)
            continue
        (win, gammon, backgammon), (_, lost, lost_backgammon) = [*chances, (0.0,) * 3, (0.0,) * 3][
            :2
        ]
        worth = (win, gammon, backgammon, lost, lost_backgammon, equity)
        found.append(RankedPlay(play, worth[:5], equity, by_name(level, worth)))
    return found


def _spelt(word: str) -> str:
    """Return `Bar/20` and `4/Off` of any language in the words of `read_play`."""
    word, times, count = word.partition("(")
    first, *middle, last = word.replace("*", "").split("/")
    first = first if first.isdigit() else "bar"
    last = last if last.isdigit() else "off"
    return "/".join((first, *middle, last)) + times + count


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _looks_like(head: str) -> bool:
    if "Position ID:" in head:  # gnubg, and our own documents, draw the same board
        return False
    return _XGID.search(head) is not None and _SIGN_OF_XG.search(head) is not None


READER = text_reader("xgtext", "a text export of XG", (), _looks_like, read_textexport)
