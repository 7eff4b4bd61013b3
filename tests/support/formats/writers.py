"""Matches as each foreign program would write them: gnubg reads them, and so judges this too."""

from __future__ import annotations

import struct
from typing import NamedTuple

from sixprime.engine.position import BAR, OFF, MatchState, Position
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Cube, CubeStep, Ending, Game, Match, Turn
from sixprime.protocols.formats.replay import moments

HANDS = {CubeStep.TAKE: "Takes", CubeStep.DROP: "Drops"}


class Told(NamedTuple):
    """A turn or cube action and the board before it."""

    action: Turn | Cube
    position: Position
    state: MatchState


def told(match: Match, game: Game) -> list[Told]:
    """The turns and cube actions of a game; offers to resign come out of its result."""
    return [
        Told(action, position, state)
        for action, position, state in moments(match, game)
        if isinstance(action, Turn | Cube)
    ]


def sgg(match: Match) -> str:
    """GamesGrid names seat 1 first, and gives it the left column.

    gnubg 1.07 crashes if a line of the head, from the names on, is empty or none that it knows.
    """
    second, first = match.players
    yes = {True: "Yes", False: "No"}
    lines = ["The GamesGrid backgammon server", "", f" {first.name} vs. {second.name}"]
    lines += ["Saturday November 21, 2026", f"Jacoby: {yes[match.rules.jacoby]}", "Beavers: No"]
    lines += ["Doubling Cube: Yes", f"Match Length: {match.length}", "Variant: Backgammon"]
    for number, game in enumerate(match.games, start=1):
        star = "*" if game.crawford else ""
        length = f"/{match.length}" if match.length else ""
        lines += [f"Game {number}.{game.score[1]}{star}-{game.score[0]}{length}", ""]
        for count, (action, position, _) in enumerate(told(match, game)):
            before = _column(count // 2 + 1, 1 - action.seat)
            if isinstance(action, Turn):
                dice = f"{before}{action.dice[0]}{action.dice[1]}: "
                lines += [dice] if action.play != () else [f"{dice}O-O"]
                if action.play:
                    lines.append(dice + format_play(position, action.play).replace(" ", ", "))
            elif isinstance(action, Cube):
                words = {CubeStep.TAKE: "Accepts", CubeStep.DROP: "Pass"}
                lines.append(before + words.get(action.step, "Double"))
        if game.result is not None:
            if game.result.ending is Ending.RESIGNED:
                lying = lines[-1].endswith(": ")  # dice of whom gives up
                lines.append(
                    (lines.pop() if lying else _column(99, game.result.winner)) + "Resigns"
                )
            lines.append(
                f"{match.players[game.result.winner].name}  wins {game.result.points} points."
            )
    return "\n".join(lines) + "\n"


def _column(number: int, column: int) -> str:
    return f"{number}\t" + "\t" * column


def tmg(match: Match) -> str:
    """TrueMoneyGames lists seat 1 first, and gives it the positive numbers."""
    second, first = match.players
    lines = [
        "MatchID: 70231",
        f"Player1: 101 {first.name} 4.00",
        f"Player2: 102 {second.name} 4.00",
    ]
    lines += ["Stake: 2.00", "RakePct: 0.00", "MaxRakeAbs: 0.00", "Startdate: 2026-11-21 09:30:00"]
    lines += [f"Jacoby: {int(match.rules.jacoby)}", "AutoDistrib: 0", "Beavers: 0", "Raccoons: 0"]
    lines += ["Crawford: 1", "Cube: 1", "MaxCube: 512", f"Length: {match.length}", "Variant: 1"]
    lines += ["PlayMoney: 1"]
    kinds = {CubeStep.DOUBLE: "5 Double", CubeStep.TAKE: "7 Take", CubeStep.DROP: "10 Pass"}
    for number, game in enumerate(match.games, start=1):
        lines += [f"Game {number}: {game.score[1]}-{game.score[0]}", "  0 19 4.00 0.00 4.00 0.00"]
        for count, (action, _, _) in enumerate(told(match, game)):
            before = f"  {'' if action.seat else '-'}{count // 2 + 1} "
            if isinstance(action, Turn):
                lines.append(f"{before}1 {action.dice[0]}{action.dice[1]}:")
                if action.play is not None:
                    steps = " ".join(f"{start}/{end}" for start, end in action.play)
                    lines.append(f"{before}4 {steps or '0/0'}")
            elif isinstance(action, Cube):
                lines.append(before + kinds[action.step])
        if game.result is not None:
            points, seat = game.result.points, game.result.winner
            name = match.players[seat].name
            lines.append(f"  {'' if seat else '-'}40 14 {points} {name} wins {points} points")
    return "\n".join(lines) + "\n"


def gam(match: Match) -> str:
    """JellyFish's and GammonEmpire's games, in two columns."""
    lines = []
    for game in match.games:
        lines.append(f" {match.players[0].name:30} {match.players[1].name}")
        cells: list[str] = []
        for action, position, state in told(match, game):
            if len(cells) % 2 != action.seat:
                cells.append("")
            if isinstance(action, Turn):
                cells.append(f"{action.dice[0]}{action.dice[1]}: {_slashes(position, action)}")
            elif isinstance(action, Cube):
                cells.append(f" {HANDS.get(action.step, f'Doubles => {2 * state.cube}')}")
        for at in range(0, len(cells), 2):
            row = "".join(f"{cell:31}" for cell in cells[at : at + 2])
            lines.append(f"{at // 2 + 1:3}) {row}")
        if game.result is not None:
            indent = 36 if game.result.winner else 4
            lines.append(f"{' ' * indent}Wins {game.result.points} points")
            lines.append("")
    return "\n".join(lines) + "\n"


def party(match: Match) -> str:
    """PartyGammon's keys. Without the last line gnubg 1.07 frees the last game twice."""
    lines = ["BOARDID=1201", "CREATOR=somebody", f"MATCHLENGTH={match.length}"]
    for number, game in enumerate(match.games, start=1):
        turns = []
        for action, position, _ in told(match, game):
            words = ""
            if isinstance(action, Turn):
                moves = _slashes(position, action)
                words = f"0 15 {action.dice[0]}{action.dice[1]}" + (f" {moves}" if moves else "")
            elif isinstance(action, Cube):
                words = HANDS.get(action.step, "Double")[
                    : 6 if action.step is CubeStep.DOUBLE else 4
                ]
            turns.append(f"{action.seat + 1} {words}")
        known = {
            "PLAYER_1": match.players[0].name,
            "PLAYER_2": match.players[1].name,
            "GAMEPLAY": "#".join(turns),
            "SCORE1": game.score_after[0],
            "SCORE2": game.score_after[1],
        }
        if game.result is None:
            del known["SCORE1"], known["SCORE2"]
        lines += [f"GAME_{number}_{key}={value}" for key, value in known.items()]
    lines.append(f"GAME_{len(match.games) + 1}_GAMEPLAY=")
    return "\n".join(lines) + "\n"


def bgroom(match: Match) -> str:
    """BackGammonRoom's lines; money only."""
    lines = ["BGF version 1.2", ""]
    for number, game in enumerate(match.games, start=1):
        lines += [f"Game {number} - {match.players[0].name} (X) vs. {match.players[1].name} (0)"]
        lines += ["Single game"]
        count = 0
        for action, position, _ in told(match, game):
            if isinstance(action, Cube) and action.step is not CubeStep.DOUBLE:
                continue
            count += 1
            words = "Double"
            if isinstance(action, Turn):
                moves = _slashes(position, action) or "can't move"
                words = f"({action.dice[0]} {action.dice[1]}){moves}"
            lines.append(f"{count}.{'X0'[action.seat]}:{words}")
        lines.append("")
    lines += [f"{match.players[0].name} Win the Match", ""]
    return "\n".join(lines)


def bkg(match: Match) -> str:
    """BKG's lines; money only. Nothing here reads them but ourselves."""
    lines = ["", ""]
    for game in match.games:
        waiting = ""
        for action, _, _ in told(match, game):
            side = ("Black", "White")[action.seat]
            if isinstance(action, Turn):
                steps = [
                    (BAR - a, BAR - b) if action.seat else (a, b) for a, b in action.play or ()
                ]
                moves = ", ".join(f"{start}-{end}" for start, end in steps)
                lines.append(f"{side} ({action.dice[0]},{action.dice[1]})  {moves}")
            elif isinstance(action, Cube) and action.step is CubeStep.DOUBLE:
                waiting = f"{side} Doubles to 2      "
            elif isinstance(action, Cube):
                lines.append(waiting + ("Accepted" if action.step is CubeStep.TAKE else "Refused"))
        if game.result is not None:
            stakes = sum(isinstance(a, Cube) and a.step is CubeStep.TAKE for a in game.actions)
            games = game.result.points >> stakes
            words = ("", "", " by gammon", " by backgammon")[games]
            lines += [f"{('Black', 'White')[game.result.winner]} wins{words}", ""]
    return "\n".join(lines) + "\n"


def pos(position: Position, state: MatchState, names: tuple[str, str], version: int = 126) -> bytes:
    """JellyFish's numbers."""
    first = position if state.on_roll == 0 else position.flipped()
    board = [0] * 26
    for place in range(1, BAR + 1):
        board[place] -= first.mine[place - 1]
        board[BAR - place] += first.theirs[place - 1]
    head = [version]
    head += [0, 0] if version == 126 else []
    head += [1, int(state.jacoby), 0] if version > 124 else []
    owner = 0 if state.cube_owner is None else state.cube_owner + 1
    rolled = state.dice is not None
    dice = state.dice or (0, 0)
    head += [state.cube, owner, state.on_roll + (1 if rolled else 3), 1, 1, 0]
    head += [1 if state.length else 3, 1, 7, state.length, *state.score]
    data = struct.pack(f"<{len(head)}h", *head)
    for name in names:
        data += bytes([len(name.encode())]) + name.encode()
    data += struct.pack("<3h", 1, 2 if state.crawford else 1, 0) + b"\0"
    data += struct.pack("<2h", *dice)
    return data + b"".join(struct.pack("<2h", count + 20, count + 20) for count in board)


def _slashes(position: Position, turn: Turn) -> str:
    """The play as in a .mat: a step a die, bar 25 and off 0."""
    return " ".join(f"{start}/{end if end else OFF}" for start, end in turn.play or ())
