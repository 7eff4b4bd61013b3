"""Matches with comments and marks of people, and what a text format can keep of them."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import takewhile

from hypothesis import strategies as st

from sixprime.protocols.formats.record import Action, Cube, Game, Marks, Match, Opinion, Turn
from tests.support.formats.plain import plain

LINES = (
    *("]", "\\", "[x] \\] ; (;B[61])", "Annotation:", "Move number 2:  ben to play 61"),
    *("anna wins 5 points", "* ben doubles", "Game statistics", "  Marks: bad", "Event: a lie"),
    *("ünïcödé – ≥ 日本語 🎲", "# ; [Site \"x\"]", "The score (after 0 games) is: a 1, b 2", ""),
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=4).map("\n".join),
    st.text(max_size=30),
    st.integers(9_000, 90_000).map(lambda size: "long " * (size // 5)),
)
MOST = 12  # actions of a game, for short counterexamples
OPINIONS = st.one_of(st.none(), st.sampled_from(Opinion))


@st.composite
def remarked(draw: st.DrawFn) -> Match:
    """A match with words on itself, its games and its moves."""
    match = plain(draw(st.integers(0, 40)))
    whole = list(takewhile(lambda game: len(game.actions) <= MOST, match.games))
    match = replace(match, games=tuple(map(_begun, match.games[: len(whole) + 1])))
    marked = draw(st.sets(st.integers(0, MOST), max_size=6))
    games = [replace(_remarked(draw, game, marked), comment=draw(TEXTS)) for game in match.games]
    event, round_, annotator = (draw(TEXTS).split("\n")[0][:40] for _ in range(3))
    match = replace(match, event=event, round=round_, annotator=annotator)
    return replace(match, games=tuple(games), comment=draw(TEXTS))


def _begun(game: Game) -> Game:
    return replace(game, actions=game.actions[:MOST], result=None) if game.actions[MOST:] else game


def _remarked(draw: st.DrawFn, game: Game, marked: set[int]) -> Game:
    actions = list(game.actions)
    for place in marked & set(range(len(actions))):
        action = actions[place]
        if isinstance(action, Turn) and action.play is not None:
            luck = draw(st.integers(-2, 2))
            actions[place] = _marked(draw, action, Marks(draw(OPINIONS), draw(OPINIONS), luck))
        elif isinstance(action, Cube):
            actions[place] = _marked(draw, action, Marks(draw(OPINIONS)))
    return replace(game, actions=tuple(actions))


def _marked(draw: st.DrawFn, action: Turn | Cube, marks: Marks) -> Action:
    return replace(action, comment=draw(TEXTS), marks=None if marks == Marks() else marks)


def in_sgf(text: str) -> str:
    """SGF has line feeds, and neither tabs nor control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(" " if char in "\t\v\f" else char for char in text)
    steering = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join(c for c in text if c == "\n" or unicodedata.category(c) not in steering)


def in_text(text: str) -> str:
    """A document for people has no invisible characters, and no blanks at the ends of lines."""
    kept = (char if char.isprintable() or char == "\n" else "?" for char in text.strip())
    return "\n".join(line.rstrip() for line in "".join(kept).split("\n")).strip("\n")
