"""`sixprime hint`: what to do in a position, for people and as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.columns import say, table, width
from sixprime.bot.cli.declaring import file, flag, number
from sixprime.bot.cli.leveloptions import engine_of, level_arguments
from sixprime.bot.cli.main import refusing, write_out
from sixprime.bot.cli.positionoptions import asked, position_arguments
from sixprime.bot.process.printable import counted
from sixprime.engine.compiling.announcing import announced
from sixprime.engine.position import Dice, MatchState, Position

if TYPE_CHECKING:
    from sixprime.engine.search.decide import CubeAdvice, MoveDecision
    from sixprime.engine.search.plies import Candidate, RolledFigures

SHOWN = 10  # plays in the table


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime hint 4HPwATDgc/ABMA --dice 31\n"
        "POSITION is a Position ID, posid:matchid, an XGID, a FIBS board line in quotes,\n"
        "or a file (-: standard input): an .xgp of XG, or a match, at the position where it ends;\n"
        "without dice, in it or after --dice, the cube action is shown"
    )
    position_arguments(parser)
    number(parser, "--plays", SHOWN, f"how many to show ({SHOWN})", None, least=1)
    flag(parser, "--json", "one JSON object instead of a table")
    file(parser, "--svg", "draw the board into this file")
    level_arguments(parser, "world-class")


def run(options: argparse.Namespace) -> int:
    position, match, dice = asked(options)
    if options.svg is not None:
        from sixprime.bot.reports.board_svg import draw
        from sixprime.protocols.formats.ids import position_id

        write_out(options.svg, draw(position, match, dice, position_id(position)))
    from sixprime.bot.cli.ready import PLAYING, RANKING
    from sixprime.engine.search.decide import NoDecision

    engine = engine_of(options, PLAYING if dice is None else RANKING)
    with refusing(NoDecision), announced(_compiling):
        if dice is not None:
            _plays(engine.move(position, match, dice), position, match, dice, options)
        else:
            _cube(engine.cube(position, match), position, match, options)
    return 0


def _compiling() -> None:
    print("compiling the search; this happens once", file=sys.stderr, flush=True)


# --- a roll


def _plays(
    decision: MoveDecision,
    position: Position,
    match: MatchState,
    dice: Dice,
    options: argparse.Namespace,
) -> None:
    from sixprime.protocols.formats.ids import position_id
    from sixprime.protocols.formats.notation import format_play

    candidates = decision.candidates[: max(options.plays, 1)]
    if options.json:
        rows = [
            {
                "move": format_play(position, each.play),
                "result": position_id(each.result.flipped()),
                "equity": round(each.equity, 6),
                "mwc": None if each.mwc is None else round(each.mwc, 6),
                "probabilities": [round(chance, 6) for chance in each.outcomes],
                "plies": each.plies,
                **({} if each.rolled is None else _rolled(each.rolled)),
            }
            for each in candidates
        ]
        print(json.dumps({**_head(position, match), "dice": dice, "kind": "move", "plays": rows}))
        return
    _print(position, match, f"to play {dice[0]}-{dice[1]}")
    table(
        ("", "play", "equity", "worse by", "win", "gammon", "bg", "lose g", "bg", "plies"),
        [
            (
                place,
                format_play(position, each.play) or "no play",
                f"{each.equity:+.3f}",
                "" if place == 1 else f"{each.equity - candidates[0].equity:+.3f}",
                *(f"{100 * chance:.1f}" for chance in each.outcomes),
                _depth(each),
            )
            for place, each in enumerate(candidates, 1)
        ],
    )


def _depth(candidate: Candidate) -> str:
    rolled = candidate.rolled
    if rolled is None:
        return str(candidate.plies)
    return f"{counted(rolled.trials, 'trial')} ±{rolled.error:.3f}"


def _rolled(*rolled: RolledFigures) -> dict[str, Any]:
    """How often something was rolled out, and how sure its equities are."""
    return {"trials": rolled[0].trials, "errors": [round(each.error, 6) for each in rolled]}


# --- the cube


def _cube(
    advice: CubeAdvice, position: Position, match: MatchState, options: argparse.Namespace
) -> None:
    decision, rolled = advice.decision, advice.seen.rolled
    equities = {
        "no_double": decision.no_double,
        "double_take": decision.double_take,
        "double_pass": decision.double_pass,
    }
    if options.json:
        answer = {
            **_head(position, match),
            "kind": "cube",
            "double": decision.double,
            "take": decision.take,
            "action": decision.action,
            "equities": {name: round(value, 6) for name, value in equities.items()},
            "mwc": decision.mwc and [round(chance, 6) for chance in decision.mwc],
            "probabilities": [round(chance, 6) for chance in advice.outcomes],
            **({} if not rolled else _rolled(*rolled)),
        }
        print(json.dumps(answer))
        return
    doing = "to roll or double" if match.may_double() else "to roll"
    _print(position, match, "doubles" if match.doubled else doing)
    worth = decision.mwc and [f"{100 * each:.2f}" for each in decision.mwc]
    table(
        ("", "equity", "MWC") if worth else ("", "equity"),
        [
            (
                name.replace("_", " ").replace("double ", "double, "),
                f"{value:+.3f}",
                *(worth[place : place + 1] if worth else ()),
            )
            for place, (name, value) in enumerate(equities.items())
        ],
    )
    win, gammon, backgammon, lost, lost_backgammon = (100 * each for each in advice.outcomes)
    chances = (
        f"win {win:.1f} (gammon {gammon:.1f}, backgammon {backgammon:.1f}), "
        f"lose {100 - win:.1f} (gammon {lost:.1f}, backgammon {lost_backgammon:.1f})"
    )
    if rolled:
        chances += f"\nrolled out: {counted(rolled[0].trials, 'trial')}, ± " + ", ".join(
            f"{each.error:.3f}" for each in rolled
        )
    say(f"{chances}\n{decision.action}")


# --- shared by both


def _head(position: Position, match: MatchState) -> dict[str, Any]:
    from sixprime.protocols.formats.ids import BadId, match_id, position_id

    try:
        written = match_id(match)
    except BadId:  # no Match ID has room for more than 64 points
        written = None
    return {"position": position_id(position), "match": written}


def _print(position: Position, match: MatchState, to_do: str) -> None:
    from sixprime.bot.reports.board_text import BESIDE, draw, situation

    head = _head(position, match)
    beside = (
        f"Position ID {head['position']}",
        f"Match ID    {head['match'] or 'none for such a long match'}",
        *situation(position, match),
        f"X {to_do}",
    )
    if BESIDE + max(map(len, beside)) <= width():
        print(draw(position, beside=beside))
    else:
        say("\n".join((draw(position), *beside)))
