"""`sixprime met`: match equity tables, and what they make of gammons, takes and doubles."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.declaring import flag
from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    from sixprime.engine.position import MatchState
    from sixprime.engine.search.matchequity import MatchEquityTable
    from sixprime.engine.study.takepoints import Kinds

EPILOG = """\
examples:
  sixprime met list
  sixprime met show woolsey --length 7
  sixprime met show /usr/share/gnubg/met/g11.xml --length 5 --json
  sixprime met score 3-5 7                      you need 4, the other 2 of a 7-point match
  sixprime met score 6-4 7 --crawford --met jacobs-trice
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="which tables there are")
    show = verbs.add_parser("show", help="chances of winning the match at each score")
    show.add_argument("met", nargs="?", metavar="TABLE", help="a name or gnubg's XML file")
    show.add_argument("--length", type=int, default=9, metavar="N", help="points (9)")
    score = verbs.add_parser("score", help="gammon values, take points, doubling windows")
    score.add_argument("score", metavar="YOURS-THEIRS", help="points won, such as 3-5")
    score.add_argument("length", type=int, metavar="LENGTH", help="of the match")
    flag(score, "--crawford", "this is the Crawford game")
    score.add_argument("--cube", type=int, default=1, metavar="N", help="before it is turned (1)")
    score.add_argument(
        "--gammons", default="0.26,0.26", metavar="WON,LOST",
        help="shares of gammons among the games won, and lost (0.26,0.26)",
    )  # fmt: skip
    score.add_argument("--met", metavar="TABLE", help="a name or gnubg's XML file")
    for verb in (show, score):
        flag(verb, "--json", "for programs")


def run(options: argparse.Namespace) -> int:
    from sixprime.engine.search.equityfile import BadEquityTable
    from sixprime.engine.search.matchequity import DEFAULT, load, names

    if options.verb == "list":
        for name in names():
            print(f"{name} (default)" if name == DEFAULT else name)
        return 0
    with refusing(BadEquityTable):
        table = load(options.met or DEFAULT)
    return _show(table, options) if options.verb == "show" else _score(table, options)


def _show(table: MatchEquityTable, options: argparse.Namespace) -> int:
    from sixprime.engine.search.equitymodels import REACH

    length = options.length
    if not 1 <= length <= REACH:
        raise UsageError(f"--length {length}: 1 to {REACH} are possible")
    before = table.before[1 : length + 1, 1 : length + 1].tolist()
    after = table.after[:, 1 : length + 1].tolist()
    if options.json:
        print(json.dumps({"table": table.name, "before": before, "post_crawford": after}))
        return 0
    heads = [str(points) for points in range(1, length + 1)]
    say(f"{table.name}: match winning chances (%) of the player on the left, by points needed")
    _print("", heads, [(head, row) for head, row in zip(heads, before, strict=True)])
    say("after the Crawford game, of the player who needs more than 1")
    same = after[0] == after[1]
    _print("", heads, [("both", after[0])] if same else [("1st", after[0]), ("2nd", after[1])])
    return 0


def _score(table: MatchEquityTable, options: argparse.Namespace) -> int:
    from sixprime.engine.study.takepoints import windows

    state, (won, lost) = _state(options), _gammons(options.gammons)
    stands = table.standing(state, 0)
    found = (windows(state, 0, won, lost), windows(state, 1, lost, won))
    if options.json:
        you, they = ([window._asdict() for window in own] for own in found)
        print(json.dumps({"table": table.name, "chance": stands, "you": you, "they": they}))
        return 0
    print(f"{table.name}: you win the match {100 * stands:.2f} % of the time")
    heads = ["gammon value", "take", "live", "double", "cash", "live"]
    for who, own in zip(("you", "they"), found, strict=True):
        if not own:
            print(f"{who}: a double is never of use")
            continue
        rows = [(f"{each.cube} to {2 * each.cube}", list(each[1:])) for each in own]
        _print(who, heads, rows)
    print("take: least chance to take; double: last cube; cash: the other drops above; live: with")
    print("a perfectly used recube")
    return 0


def _state(options: argparse.Namespace) -> MatchState:
    from sixprime.engine.position import MatchState
    from sixprime.engine.search.equitymodels import REACH

    if not 1 <= options.length <= REACH:
        raise UsageError(f"LENGTH {options.length}: 1 to {REACH} are possible")
    found = re.fullmatch(r"(\d{1,2})-(\d{1,2})", options.score)
    if found is None or max(map(int, found.groups())) >= options.length:
        raise UsageError(f"{options.score}: two numbers below {options.length}, such as 3-5")
    mine, theirs = map(int, found.groups())
    if options.crawford and (options.length - 1 not in (mine, theirs) or mine == theirs):
        raise UsageError("--crawford: one player needs 1 point, the other more")
    if options.crawford and options.cube != 1:
        raise UsageError(f"--cube {options.cube}: in the Crawford game nobody doubles")
    if options.cube not in (1, 2, 4, 8, 16, 32):
        raise UsageError(f"--cube {options.cube}: a power of two up to 32")
    return MatchState(
        length=options.length, score=(mine, theirs), crawford=options.crawford,
        cube=options.cube, met=options.met,
    )  # fmt: skip


def _gammons(text: str) -> tuple[Kinds, Kinds]:
    try:
        won, lost = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--gammons {text}: two shares such as 0.26,0.2") from None
    if not (0 <= won <= 1 and 0 <= lost <= 1):
        raise UsageError(f"--gammons {text}: shares from 0 to 1")
    return (won, 0.0), (lost, 0.0)


def _print(
    corner: str, heads: list[str], rows: Sequence[tuple[str, Sequence[float | None]]]
) -> None:
    shown = [["-" if cell is None else f"{100 * cell:.2f}" for cell in cells] for _, cells in rows]
    table((corner, *heads), [(name, *cells) for (name, _), cells in zip(rows, shown, strict=True)])
