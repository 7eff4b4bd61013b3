"""The scenes of a document: each turn and cube action with the board before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sixprime.bot.process.printable import counted
from sixprime.engine.position import MatchState, Position
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Game,
    GameResult,
    Match,
    Turn,
    one_line,
    settled,
)
from sixprime.protocols.formats.replay import Replay, moments

BELOW = 1  # the seat below in documents, as gnubg draws them


@dataclass(frozen=True, slots=True)
class Scene:
    """A board; `did` is the action in words, empty if there is none yet."""

    game: int  # counts from 0
    number: int  # of the scene in its game, from 1
    position: Position  # as `state.on_roll` sees it
    state: MatchState
    did: str = ""
    comment: str = ""
    marks: str = ""  # that a person set, in words
    place: int | None = None  # of the action among the settled ones


@dataclass(frozen=True, slots=True)
class Act:
    number: int  # counts from 0
    game: Game
    scenes: tuple[Scene, ...]


def names_of(match: Match) -> tuple[str, str]:
    first, second = (one_line(player.name) for player in match.players)
    return first or "?", second or "?"


def acts(match: Match, game: int | None = None, move: int | None = None) -> list[Act]:
    """Return all games, or one game, or one move of it; both count from 1.

    A move without a game belongs to the first game.
    """
    numbers = range(len(match.games))
    if game is not None or move is not None:
        chosen = (game or 1) - 1
        if chosen not in numbers:
            raise InputError(f"no game {game or 1}, there are {len(match.games)}")
        numbers = range(chosen, chosen + 1)
    found = [Act(n, match.games[n], tuple(_scenes(match, n))) for n in numbers]
    if move is not None:
        scenes = found[0].scenes
        if not 1 <= move <= len(scenes):
            raise InputError(f"no move {move} in game {numbers[0] + 1}, it has {len(scenes)}")
        found = [replace(found[0], scenes=(scenes[move - 1],))]
    return found


def is_position(acts: Sequence[Act]) -> bool:
    """Return whether there is only one board."""
    return len(acts) == 1 and len(acts[0].scenes) == 1


def _scenes(match: Match, number: int) -> Iterator[Scene]:
    """Yield every turn and cube action of a game, and the last board of an unfinished one."""
    game = match.games[number]
    actions = settled(game)
    names = names_of(match)
    count = 0
    seen = moments(match, replace(game, actions=actions))
    for place, (action, position, state) in enumerate(seen):
        if isinstance(action, Turn | Cube) and not (
            isinstance(action, Turn) and action.play is None
        ):
            count += 1
            shown = state.with_(dice=action.dice) if isinstance(action, Turn) else state
            did = _did(names, action, position)
            marks = ", ".join(action.marks.words) if action.marks else ""
            comment = action.comment.strip()
            yield Scene(number, count, position, shown, did, comment, marks, place)
    if game.result is None:
        replay = Replay(match.length, match.rules, game)
        for action in actions:
            replay.apply(action)
        yield Scene(number, count + 1, replay.position, replay.state)


def _did(names: tuple[str, str], action: Turn | Cube, position: Position) -> str:
    name = names[action.seat]
    if isinstance(action, Cube):
        does = {
            CubeStep.DOUBLE: "doubles",
            CubeStep.BEAVER: "beavers",
            CubeStep.TAKE: "accepts",
            CubeStep.DROP: "rejects",
        }
        return f"{name} {does[action.step]}"
    if not action.play:
        return f"{name} cannot move"
    return f"{name} moves {format_play(position, action.play)}"


def header(match: Match, scene: Scene) -> str:
    """Return the decision, and the player who makes it."""
    state, names = scene.state, names_of(match)
    if state.doubled:
        return f"{names[1 - state.to_act]} doubles to {2 * state.cube}"
    if state.dice is not None:
        return f"{names[state.on_roll]} to play {state.dice[0]}{state.dice[1]}"
    if scene.position.is_over():
        return "the game is over"
    return f"{names[state.on_roll]} on roll, cube decision?"


def ending(match: Match, result: GameResult) -> str:
    points = counted(result.points, "point")
    return f"{names_of(match)[result.winner]} wins {points}"


def standing(match: Match, act: Act) -> str:
    """Return the score before a game, in words."""
    names, game = names_of(match), act.game
    games = counted(act.number, "game")
    text = f"The score (after {games}) is: "
    text += f"{names[0]} {game.score[0]}, {names[1]} {game.score[1]}"
    if not match.length:
        return text
    text += f" (match to {counted(match.length, 'point')})"
    if match.length > 1 and game.crawford:
        text += ", Crawford game"
    elif match.length > 1 and _is_post_crawford(match, act.number):
        text += ", post-Crawford play"
    return text


def _is_post_crawford(match: Match, number: int) -> bool:
    return any(game.crawford for game in match.games[:number])


def facts(match: Match) -> list[tuple[str, str]]:
    names = names_of(match)
    rated = [
        (f"{name}'s rating", f"{player.rating_before:g}")
        for name, player in zip(names, match.players, strict=True)
        if player.rating_before is not None
    ]
    known = {
        "Date": match.day.isoformat() if match.day else "",
        "Event": match.event,
        "Round": match.round,
        "Place": match.place,
        "Annotator": match.annotator,
    }
    shown = rated + [(name, one_line(text)) for name, text in known.items() if text]
    return [*shown, *([("Comments", match.comment.strip())] if match.comment.strip() else [])]
