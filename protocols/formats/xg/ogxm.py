"""OGXM, the format of OpenGammon, through its reference codec (extra `xg`).

White is seat 0. Analyses are not carried, as OGXM's name the program that made them.
"""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from sixprime.engine.position import BAR, ROLLS, Position, Step, Variant
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.draft import (
    VARIANT_UNKNOWN,
    Draft,
    rules_of,
    understood,
    with_rules_shown,
)
from sixprime.protocols.formats.ids import read_board_integers
from sixprime.protocols.formats.reading import MatchReader, Reading, Remarks
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    BadRecord,
    CannotCarry,
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
    one_line,
    plain_names,
    settled,
)
from sixprime.protocols.formats.replay import Replay

MAGIC = b"OGXM"
SUFFIX = ".ogxm"
MISSING = "OGXM needs the package ogxm: pip install 'sixprime[xg]'"
_MOST_BYTES = 2 << 20  # ten bytes make an action
_MOST_NAME = 120  # bytes of a text
_CUBES = {21: CubeStep.DOUBLE, 22: CubeStep.TAKE, 23: CubeStep.DROP}
_ENDS = {24, 25, 26}
_RESIGNED, _MATCH_RESIGNED, _SET_BOARD = 27, 28, 31
_GAMES = ("single", "gammon", "backgammon")
_WINNERS = {0: 0, 1: 1}  # white, black; 255: nobody yet
_VARIANTS = {"backgammon": Variant.STANDARD, "nackgammon": Variant.NACKGAMMON}

Document = Mapping[str, Any]


# -- reading


def read_ogxm(data: bytes) -> Reading:
    if len(data) > _MOST_BYTES:
        raise BadMatchFile(0, f"larger than any match: {len(data) >> 20} MiB")
    codec = _codec()
    if codec is None:
        raise BadMatchFile(0, MISSING)
    try:
        document = codec.binary_to_json(data)
    except (RuntimeError, ValueError) as error:
        raise BadMatchFile(0, f"damaged: {error}") from error
    remarks = Remarks()
    with understood():
        return Reading((_match(document, remarks),), remarks.all())


def _codec() -> Any:
    """Return the codec; None if it is not installed, or not for this machine."""
    try:
        codec = importlib.import_module("ogxm")
        codec.load_library()
    except (ImportError, OSError, RuntimeError):
        return None
    return codec


def _match(document: Document, remarks: Remarks) -> Match:
    length = int(document["match_length"])
    if document.get("variant", "backgammon") not in _VARIANTS:
        raise BadMatchFile(0, VARIANT_UNKNOWN)
    crawford, jacoby, beavers = map(document.get, ("crawford", "jacoby", "beaver"))
    variant = _VARIANTS[document.get("variant", "backgammon")]
    rules = rules_of(length, crawford, jacoby, beavers, variant)
    score = int(document.get("white_score_start", 0)), int(document.get("black_score_start", 0))
    games = []
    for number, each in enumerate(document["games"], start=1):
        try:
            game = _game(each, length, rules, score, f"game {number}", remarks)
        except BadMatchFile as error:
            remarks.add(0, f"game {number}: {error.reason}")
            break
        games.append(game)
        score = game.score_after
    if not games:
        raise BadMatchFile(0, "no game in it")
    started = document.get("started_at")
    day = dt.datetime.fromtimestamp(started / 1000, dt.UTC) if started else None
    match = Match(
        players=(_player(document, "white"), _player(document, "black")),
        length=length,
        games=tuple(games),
        rules=rules,
        date=day.date() if day else None,
        started=None if document.get("date_precision") else day,
        place=one_line(str(document.get("site") or document.get("city") or "")),
        event=one_line(str(document.get("event") or "")),
        round=one_line(str(document.get("stage") or document.get("round") or "")),
    )
    return with_rules_shown(match)


def _player(document: Document, colour: str) -> Player:
    name = one_line(str(document.get(f"player_{colour}") or "")) or colour.capitalize()
    rating = (document.get(f"{colour}_profile") or {}).get("rating")
    return Player(name, float(rating) if rating else None)


def _game(
    game: Document, length: int, rules: Rules, score: tuple[int, int], where: str,
    remarks: Remarks,
) -> Game:  # fmt: skip
    cube = int(game.get("initial_cube_value", 1)) << int(game.get("auto_doubles", 0))
    crawford = bool(game.get("is_crawford")) and length > 1 and length - 1 in score
    draft = Draft(0, length, rules, Game(score, crawford, cube=cube))
    if board := game.get("initial_board"):
        draft.add_action(0, SetBoard(0, _position(board, 0), cube))
    for number, ply in enumerate(game["plies"], start=1):
        try:
            _ply(draft, ply)
        except InputError as error:
            remarks.add(0, f"{where}, ply {number}: {error}", "the rest is left out")
            return draft.done()
    winner, points = _WINNERS.get(game.get("winner", 255)), int(game.get("points_won", 0))
    if winner is not None and points > 0 and draft.actions:
        draft.won(0, winner, points)
    return draft.done()


def _ply(draft: Draft, ply: Document) -> None:
    action = ply["action_id"]
    if action in _ENDS or action == _MATCH_RESIGNED:
        return  # the game's own fields have the winner and the points
    seat = 1 - int(ply["color"])
    if action in range(len(ROLLS)):
        draft.drop_roll(0, seat, ROLLS[action])
        steps = [_step(each["from"], each["pips"], seat) for each in ply.get("moves", ())]
        draft.add_action(0, Turn(seat, ROLLS[action], tuple(sorted(steps, reverse=True))))
    elif action in _CUBES:
        draft.turn_cube(0, Cube(seat, _CUBES[action]))
    elif action == _RESIGNED:
        value = ply.get("resign_value", "single")
        games = _GAMES.index(value) + 1 if value in _GAMES else 1
        draft.add_action(0, Resignation(seat, ResignStep.OFFERED, games))
        draft.add_action(0, Resignation(1 - seat, ResignStep.ACCEPTED, games))
    elif action == _SET_BOARD:
        state = draft.replay.state
        board = SetBoard(seat, _position(ply["set_position"], seat), state.cube, state.cube_owner)
        draft.add_action(0, board)
    else:
        raise BadMatchFile(0, f"an action that we do not know: {action}")


def _step(start: int, pips: int, seat: int) -> Step:
    """Return a step; points have Black's numbers, and each side's bar is 25 to itself."""
    own = start if seat else BAR - start
    return Step(own, max(own - pips, 0))


def _position(board: list[int], seat: int) -> Position:
    """Return the board; White's checkers are positive, and White's bar is the first place."""
    black = read_board_integers([-board[25], *(-each for each in board[1:25]), board[0]])
    return black if seat else black.flipped()


# -- writing


def write_ogxm(match: Match) -> bytes:
    """Return the match as an OGXM file; CannotCarry says what it cannot hold."""
    codec = _codec()
    if codec is None:
        raise CannotCarry(MISSING)
    try:
        document = _document(match)
        data = bytes(codec.json_to_binary(document))
    except BadRecord as error:
        raise CannotCarry(str(error)) from error
    except RuntimeError as error:
        why = codec.v2_problem(document) or error
        raise CannotCarry(f"the rules of OGXM forbid it: {why}") from error
    if _shown(read_ogxm(data).matches[0]) != _shown(match):
        raise CannotCarry("it would be read back as another match")
    return data


def _shown(match: Match) -> list[object]:
    """Return the facts that must be the same after reading back."""
    kinds = (Cube, SetBoard)
    played = [
        sum(isinstance(a, kinds) or (isinstance(a, Turn) and a.play is not None) for a in g.actions)
        for g in match.games
    ]
    return [played, [game.result for game in match.games]]


def _document(match: Match) -> dict[str, Any]:
    if match.rules.variant not in _VARIANTS.values() or not match.rules.cube:
        raise CannotCarry("OGXM cannot carry these rules of the game")
    document: dict[str, Any] = {
        "match_length": match.length,
        "crawford": bool(match.length and match.rules.crawford),
        "jacoby": match.rules.jacoby,
        "checksum": "crc32",
        "games": [_game_document(match, game) for game in match.games],
    }
    if match.rules.variant is Variant.NACKGAMMON:
        document["variant"] = "nackgammon"
    names = plain_names(match, _MOST_NAME)
    for colour, player, name in zip(("white", "black"), match.players, names, strict=True):
        document[f"player_{colour}"] = name
        if player.rating_before is not None:
            rating = {"rating": round(player.rating_before, 2), "rating_system": "fibs"}
            document[f"{colour}_profile"] = rating
    if match.games and any(match.games[0].score):
        for colour, points in zip(("white", "black"), match.games[0].score, strict=True):
            document[f"{colour}_score_start"] = points
    moment = match.started or (
        dt.datetime.combine(match.date, dt.time(), dt.UTC) if match.date else None
    )
    if moment is not None:
        document["started_at"] = int(moment.timestamp() * 1000)
        if match.started is None:
            document["date_precision"] = "day"
    texts = {"event": match.event, "city": match.place, "stage": match.round}
    return document | {name: _text(text) for name, text in texts.items() if text}


def _text(text: str) -> str:
    return one_line(text).encode()[:_MOST_NAME].decode("utf-8", "ignore")


def _game_document(match: Match, game: Game) -> dict[str, Any]:
    document: dict[str, Any] = {"plies": list(_plies(match, game))}
    if game.cube > 1:
        document["initial_cube_value"] = game.cube
    if game.result is not None:
        document |= {"winner": game.result.winner, "points_won": game.result.points}
        document["plies"].append({"action_id": 24})
    return document


def _plies(match: Match, game: Game) -> Iterator[dict[str, Any]]:
    replay = Replay(match.length, match.rules, game)
    actions = settled(game)
    for index, action in enumerate(actions):
        replay.expect(action)
        ply = _plain(action, actions[index + 1 :])
        replay.apply(action)
        if ply is not None:
            yield ply


def _plain(action: Action, rest: tuple[Action, ...]) -> dict[str, Any] | None:
    if isinstance(action, Turn) and not action.illegal:
        if action.play is None:
            return None  # rolled, and never played
        low, high = sorted(action.dice)
        return {
            "color": 1 - action.seat,
            "action_id": ROLLS.index((low, high)),
            "d1": low,
            "d2": high,
            "moves": [
                {"from": start if action.seat else BAR - start, "pips": _pips(start, end, action)}
                for start, end in action.play
            ],
        }
    if isinstance(action, Cube) and action.step is not CubeStep.BEAVER:
        number = next(each for each, step in _CUBES.items() if step is action.step)
        return {"color": 1 - action.seat, "action_id": number}
    if isinstance(action, Resignation):
        answer = rest[0] if rest else None
        accepted = isinstance(answer, Resignation) and answer.step is ResignStep.ACCEPTED
        if action.step is ResignStep.OFFERED and accepted:
            value = _GAMES[action.games - 1]
            return {"color": 1 - action.seat, "action_id": _RESIGNED, "resign_value": value}
        return None  # a refused offer leaves no trace
    what = action.illegal if isinstance(action, Turn) else type(action).__name__
    raise CannotCarry(f"OGXM cannot carry: {what}")


def _pips(start: int, end: int, turn: Turn) -> int:
    """Return the pips of a step; a bearoff takes the whole die."""
    pips = start - end
    return pips if end or pips in turn.dice else max(turn.dice)


READER = MatchReader(
    "ogxm", "an OGXM file", (SUFFIX, ".gvab"), lambda data: data[:4] == MAGIC, read_ogxm
)
