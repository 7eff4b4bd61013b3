"""The fields of exported text and HTML, from gnubg's documents and from ours.

A field is a word or a number. Numbers of two programs are alike if they differ by one in the last
digit: both round values that an SGF holds with six digits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser

Fields = dict[str, str]
Scenes = dict[tuple[int, int], Fields]  # by game and move

_LAST_DIGIT = 1.01
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_PLAY = re.compile(
    r"^([* ]) +(?:(\d+)\.|\?\?) +(?:Cubeful (\d+)-ply|Rollout) +(\S.*?) {2,}Eq\.: +([-+.\d]+)"
    r"(?: \( *([-+.\d]+)\))?\n +([-+.\d ]+?)(?: CL .*)?$",
    re.MULTILINE,
)
_OUR_PLAY = re.compile(
    r"^ ([* ]) +(\d+)\. {2}(\S.*?) {2,}([-+]\d\.\d+)(?: +([-+]\d\.\d+))?"
    r"((?: +\d+\.\d){5}) +(\S.*)$",
    re.MULTILINE,
)
_CUBE = re.compile(
    r"^\d\. (No (?:re)?double|(?:Double|Redouble), \w+) +([-+.\d]+)(?: +\( *([-+.\d]+)\))?$",
    re.MULTILINE,
)
_OUR_CUBE = re.compile(
    r"^ [* ] +(no double|double, take|double, pass) +([-+.\d]+)(?: +([-+]\d\.\d+))?"
    r"(?: +[-\d.]+%)?$",
    re.MULTILINE,
)
_OUR_CHANCES = re.compile(
    r"^wins ([.\d]+), gammons ([.\d]+), bg ([.\d]+), lost g\. ([.\d]+), lost bg ([.\d]+)$",
    re.MULTILINE,
)


def alike(mine: str, theirs: str) -> bool:
    """Return whether the words are equal, and the numbers as good as."""
    if _NUMBER.sub("#", mine) != _NUMBER.sub("#", theirs):
        return False
    for one, other in zip(_NUMBER.findall(mine), _NUMBER.findall(theirs), strict=True):
        digits = len(other.partition(".")[2])
        if abs(float(one) - float(other)) > _LAST_DIGIT * 10**-digits:
            return False
    return True


def differences(mine: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Return the fields that do not tell the same."""
    names = sorted({*mine, *theirs})
    pairs = ((name, mine.get(name, "nothing"), theirs.get(name, "nothing")) for name in names)
    return [f"{name}: {one} / {other}" for name, one, other in pairs if not alike(one, other)]


# -- text


def scenes_of_gnubg(game: int, text: str) -> Scenes:
    """Return the fields of each move in gnubg's text of a game."""
    return {(game, n): dict(_by_gnubg(part)) for n, part in _parts(text)}


def our_scenes(game: int, text: str) -> Scenes:
    """Return the fields of each move in our text of a game."""
    return {(game, n): dict(_by_us(part)) for n, part in _parts(text)}


def _parts(text: str) -> Iterator[tuple[int, str]]:
    text = re.split(r"(?m)^(?:Game|Match|Session) statistics|^\S.* wins \d+ points?$", text)[0]
    found = re.split(r"(?m)^Move number (\d+): ", text)
    for number, part in zip(found[1::2], found[2::2], strict=True):
        yield int(number), part


def _by_gnubg(part: str) -> Iterator[tuple[str, str]]:
    yield from _said(part)
    yield from _cube_by_gnubg(part)
    if found := re.search(r"^Rolled \d\d \(([-+.\d]+)\):$", part, re.M):
        yield "luck", found[1]
    if found := re.search(r"^Alert: (\S.*) roll! ", part, re.M):
        yield "luck mark", found[1]
    if found := re.search(r"^Alert: (\S.*) move", part, re.M):
        yield "play mark", found[1]
    if found := re.search(r"^Alert: (missed|wrong) (\w+).*!\n \[(.*)\]$", part, re.M):
        yield "cube mark", found[3]
    for star, rank, plies, play, equity, difference, chances in _PLAY.findall(part):
        rank = _rank(rank)
        yield f"play {rank}", f"{play} {star}".strip()
        yield f"play {rank} equity", equity
        yield from [(f"play {rank} plies", f"{plies}-ply")] if plies else []
        yield from [(f"play {rank} difference", difference)] if difference else []
        yield from _chances(f"play {rank}", chances)
    if found := re.search(r"^Annotation:?\n((?:.*\n)*?)\n*(?:\n\n|\Z)", part, re.M):
        yield "comment", " ".join(found[1].split())


def _rank(rank: str) -> str:
    """Return the rank of the best five; gnubg writes `??` for others."""
    return rank if rank and int(rank) <= 5 else "later"


def _cube_by_gnubg(part: str) -> Iterator[tuple[str, str]]:
    if found := re.search(
        r"^(.*) cubeless equity +([-+.\d]+)(?: \(Money: +([-+.\d]+)\))?$", part, re.M
    ):
        yield "cubeless", found[2]
        yield from [("money", found[3])] if found[3] else []
        chances = re.search(r"^ +(\d[-.\d ]+\d)$", part[found.end() :], re.M)
        if chances and found[1] != "Rollout":
            yield from _chances("cube", chances[1])
    for name, equity, difference in _CUBE.findall(part):
        name = re.sub("redouble", "double", name.lower()).replace("beaver", "take")
        yield f"cube {name}", equity
        yield from [(f"cube {name} difference", difference)] if difference else []
    if found := re.search(r"^Proper cube action: (.*)$", part, re.M):
        yield "proper", found[1]


def _by_us(part: str) -> Iterator[tuple[str, str]]:
    yield from _said(part)
    yield from _cube_by_us(part)
    if found := re.search(r"^Luck of the roll ([-+.\d]+)$", part, re.M):
        yield "luck", found[1]
    if found := re.search(r"^Alert: (.*) roll: ([-+.\d]+)$", part, re.M):
        yield "luck mark", found[1]
        yield "luck", found[2]
    marks = re.search(r"^Marks: (.*)$", part, re.M)
    for mark in marks[1].split(", ") if marks else ():
        is_luck = mark.endswith(" roll")
        yield "luck mark" if is_luck else "play mark", mark.removesuffix(" roll")
    for mark, what in re.findall(r"^Alert: (.*) (play|double|answer): ", part, re.M):
        if mark != "inexact":
            yield "play mark" if what == "play" else "cube mark", mark
    for star, rank, play, equity, difference, chances, by in _OUR_PLAY.findall(part):
        rank = _rank(rank)
        yield f"play {rank}", f"{play} {star}".strip()
        yield f"play {rank} equity", equity
        yield from [(f"play {rank} plies", by)] if by.endswith("-ply") else []
        yield from [(f"play {rank} difference", difference)] if difference else []
        yield from _our_chances(f"play {rank}", chances.split())
    if found := re.search(r"^Annotation:\n((?:  .*\n|\n)*)", part, re.M):
        yield "comment", " ".join(found[1].split())


def _cube_by_us(part: str) -> Iterator[tuple[str, str]]:
    if found := re.search(
        r"^(.*), cubeless equity ([-+.\d]+)(?: \(money ([-+.\d]+)\))?$", part, re.M
    ):
        yield "cubeless", found[2]
        yield from [("money", found[3])] if found[3] else []
    if (found := _OUR_CHANCES.search(part)) and "rolled out" not in part:
        yield from _our_chances("cube", found.groups())
    for name, equity, difference in _OUR_CUBE.findall(part):
        yield f"cube {name}", equity
        yield from [(f"cube {name} difference", difference)] if difference else []
    if found := re.search(r"^Proper cube action: (.*)$", part, re.M):
        yield "proper", found[1]


def _said(part: str) -> Iterator[tuple[str, str]]:
    yield "header", part.split("\n")[0].strip()
    if found := re.search(r"Position ID: (\S+)", part):
        yield "position", found[1]
    if found := re.search(r"^Pip counts: .*$", part, re.M):
        yield "pips", found[0]
    if found := re.search(r"^\* (.*)$", part, re.M):
        yield "did", found[1]


def _chances(name: str, words: str) -> Iterator[tuple[str, str]]:
    win, gammon, backgammon, _, _, lost, lost_backgammon = words.split()
    named = {
        "wins": win,
        "gammons": gammon,
        "bg": backgammon,
        "lost g": lost,
        "lost bg": lost_backgammon,
    }
    yield from ((f"{name} {each}", number) for each, number in named.items())


def _our_chances(name: str, percents: Iterable[str]) -> Iterator[tuple[str, str]]:
    named = zip(("wins", "gammons", "bg", "lost g", "lost bg"), percents, strict=True)
    yield from ((f"{name} {each}", f"{float(number) / 100:.3f}") for each, number in named)


def information(text: str) -> Fields:
    """Return the facts above the moves."""
    head = re.split(r"(?m)^Move number 1: ", text)[0]
    found = re.search(r"(?s)Match Information:\n(.*)", head)
    fields = dict(re.findall(r"(?m)^([^\n:]+): ((?:.*\n(?:  .*\n)*))", found[1] if found else ""))
    facts = {name: " ".join(value.split()) for name, value in fields.items() if name != "Date"}
    score = head.split("\n")[0].replace("to 1 point), post-Crawford play", "to 1 point)")
    return {**facts, "score": score}  # gnubg is wrong there


# -- statistics

_OURS = {  # our labels by gnubg's
    "Total moves": "Moves",
    "Unforced moves": "Unforced moves",
    "Unmarked moves": "Unmarked",
    "Moves marked doubtful": "Doubtful",
    "Moves marked bad": "Bad",
    "Moves marked very bad": "Very bad",
    "Chequerplay rating": "Checker rating",
    "Rolls marked very lucky": "Very lucky rolls",
    "Rolls marked lucky": "Lucky rolls",
    "Rolls unmarked": "Unmarked rolls",
    "Rolls marked unlucky": "Unlucky rolls",
    "Rolls marked very unlucky": "Very unlucky rolls",
    "Luck rating": "Luck rating",
    "Total cube decisions": "Cube decisions",
    "Close or actual cube decisions": "Close or actual ones",
    "Doubles": "Doubles",
    "Takes": "Takes",
    "Passes": "Passes",
    "Missed doubles below CP": "Missed doubles (below CP)",
    "Missed doubles above CP": "Missed winning doubles (above CP)",
    "Wrong doubles below DP": "Doubled too early (below DP)",
    "Wrong doubles above TG": "Doubled when too good (above TG)",
    "Wrong takes": "Wrong takes",
    "Wrong passes": "Wrong passes",
    "Cube decision rating": "Cube rating",
    "Overall rating": "Rating",
    "Luck total EMG": "Luck total EMG",
}


def statistics_of_gnubg(text: str) -> list[Fields]:
    """Return the tables of statistics, the labels in our words."""
    tables = []
    for part in re.split(
        r"(?m)^(?:Game statistics for game \d+|(?:Match|Session) statistics)$", text
    )[1:]:
        fields = {}
        for line in part.splitlines():
            label = re.sub(r" \(.*", "", line[:41].strip())
            if label in _OURS:
                values = re.sub(r"\s+", "", line[41:65]), re.sub(r"\s+", "", line[65:])
                fields[_OURS[label]] = " ".join(values)
        tables.append(fields)
    return tables


def our_statistics(text: str) -> list[Fields]:
    tables = []
    for part in re.split(
        r"(?m)^(?:Game statistics for game \d+|(?:Match|Session) statistics)$", text
    )[1:]:
        fields: Fields = {}
        for line in part.splitlines():
            found = re.match(r"  (\S.*?) {2,}(\S.*?) {2,}(\S.*)$", line)
            label = re.sub(r" \((?:MWC|points)\)$", "", found[1]) if found else ""
            if found and label in _OURS.values():
                values = (re.sub(r"\s+", "", found[n]) for n in (2, 3))
                fields[label] = " ".join(values)
        tables.append(fields)
    return tables


# -- HTML

BY_CLASS = ("movemove", "moveequity", "cubeequity", "cubeaction", "result", "comment")


class Classed(HTMLParser):
    """The texts of the elements of each class, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = defaultdict(list)
        self._open: list[tuple[str, tuple[str, ...], list[str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("img", "hr", "meta", "link"):
            self._open.append((tag, tuple((dict(attrs).get("class") or "").split()), []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            name, classes, words = self._open.pop()
            text = " ".join("".join(words).split())
            if self._open:
                self._open[-1][2].append("".join(words))
            for each in classes:
                self.found[each].append(text)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][2].append(data)


def different_lists(name: str, ours: Classed, theirs: Classed) -> list[str]:
    """Return the differences of all that two pages have in a class."""
    mine, other = (_comparable(name, page.found[name]) for page in (ours, theirs))
    if name == "cubeequity":  # in another order, and gnubg gives the class to the cubeless one
        rest = sorted(other, key=float)
        return [each for each in mine if not _taken(each, rest)] if other else mine
    if len(mine) != len(other):
        return [f"{len(mine)} and {len(other)}: {mine[:6]} {other[:6]}"]
    pairs = zip(mine, other, strict=True)
    return [f"{one} / {another}" for one, another in pairs if not alike(one, another)]


def _comparable(name: str, words: list[str]) -> list[str]:
    """Leave out heads, empty cells and other words for the same."""
    if name.endswith("equity"):
        return [number for each in words for number in _NUMBER.findall(each)]
    bare = (word.removeprefix("Proper cube action: ") for word in words)
    return [word for word in bare if word not in ("", "Move", "play")]


def _taken(number: str, rest: list[str]) -> bool:
    """Take the nearest number out of the rest; return whether it is alike."""
    nearest = min(rest, key=lambda other: abs(float(other) - float(number)), default="")
    if not nearest or not alike(number, nearest):
        return False
    rest.remove(nearest)
    return True
