"""The words of people about a match: comments and marks on its moves, and the facts of an event.

The record of a match has them, and is edited here. Of a match that was played here, which has no
record of its own, the archive stores them as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sixprime.engine.codec import Codec, tree_of
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.record import (
    LUCK,
    BadRecord,
    Cube,
    Game,
    Marks,
    Match,
    Opinion,
    Turn,
    moves_of,
)

NO_MARKS = Marks()
_FACTS = ("event", "round", "annotator")
_CODEC = Codec(sparse=True)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a move, with its marks, or on a game: move 0. Both count from 1."""

    game: int
    move: int = 0
    text: str = ""
    marks: Marks = NO_MARKS


@dataclass(frozen=True, slots=True)
class Commentary:
    event: str = ""
    round: str = ""
    annotator: str = ""
    comments: tuple[Comment, ...] = ()


def commentary_in(match: Match) -> Commentary:
    comments = tuple(_comments(match))
    return Commentary(match.event, match.round, match.annotator, comments)


def _comments(match: Match) -> Iterator[Comment]:
    for number, game in enumerate(match.games, start=1):
        if game.comment:
            yield Comment(number, text=game.comment)
        for move, action in enumerate(moves(game), start=1):
            if action.comment or action.marks is not None:
                yield Comment(number, move, action.comment, action.marks or NO_MARKS)


def moves(game: Game) -> list[Turn | Cube]:
    """Return the moves of a game in their order."""
    actions = (game.actions[place] for place in moves_of(game))
    return [action for action in actions if isinstance(action, Turn | Cube)]


def with_commentary(match: Match, commentary: Commentary) -> Match:
    """Return the match with these words; those on a move that it lacks go to the match."""
    facts = {name: getattr(commentary, name) for name in _FACTS if getattr(commentary, name)}
    match = replace(match, **facts)
    for said in commentary.comments:
        try:
            match = with_comment(match, said)
        except InputError:
            comment = "\n".join(filter(None, (match.comment, said.text)))
            match = replace(match, comment=comment)
    return match


def comment_on(match: Match, game: int, move: int = 0) -> Comment:
    """Return the words on a game, or on a move of it; InputError without it."""
    if not 1 <= game <= len(match.games):
        raise InputError(f"no game {game}, there are {len(match.games)}")
    if not move:
        return Comment(game, text=match.games[game - 1].comment)
    action = match.games[game - 1].actions[_place(match, game, move)]
    assert isinstance(action, Turn | Cube)
    return Comment(game, move, action.comment, action.marks or NO_MARKS)


def _place(match: Match, game: int, move: int) -> int:
    places = moves_of(match.games[game - 1])
    if not 1 <= move <= len(places):
        raise InputError(f"no move {move} in game {game}, it has {len(places)}")
    return places[move - 1]


def with_comment(match: Match, said: Comment) -> Match:
    """Return the match with these words in place of those on a game or a move; InputError."""
    comment_on(match, said.game, said.move)
    game = match.games[said.game - 1]
    if said.move:
        actions = list(game.actions)
        place = _place(match, said.game, said.move)
        action = actions[place]
        assert isinstance(action, Turn | Cube)
        if isinstance(action, Cube) and (said.marks.cube or said.marks.luck):
            where = f"move {said.move} of game {said.game}"
            raise InputError(f"{where} is no roll: it has no luck, and no cube before it")
        marks = None if said.marks == NO_MARKS else said.marks
        actions[place] = replace(action, comment=said.text, marks=marks)
        game = replace(game, actions=tuple(actions))
    else:
        game = replace(game, comment=said.text)
    return replace(match, games=(*match.games[: said.game - 1], game, *match.games[said.game :]))


def marked(marks: Marks, words: Mapping[str, str]) -> Marks:
    """Return the marks with some fields changed to words; `none` removes a mark."""
    known = {each.value: each for each in Opinion}
    found: dict[str, Any] = {name: known.get(word) for name, word in words.items()}
    if "luck" in words:
        luck = {word: number for number, word in LUCK.items()}
        found["luck"] = luck.get(words["luck"], 0)
    return replace(marks, **found)


def commentary_to_json(commentary: Commentary) -> str:
    return _CODEC.text(commentary)


def commentary_from_json(text: str) -> Commentary:
    """Return the words that `commentary_to_json` wrote; BadRecord."""
    try:
        return _CODEC.value(Commentary, tree_of(text), "words")
    except InputError as error:
        raise BadRecord(str(error)) from error
