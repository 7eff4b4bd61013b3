"""`sixprime met`: match equity tables, and the gammon values, takes and doubles they imply."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Sequence

from sixprime.bot.cli import columns
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.engine.position import MatchState
from sixprime.engine.search.equityfile import BadEquityTable
from sixprime.engine.search.equitymodels import REACH
from sixprime.engine.search.matchequity import DEFAULT, MatchEquityTable, load_table, names
from sixprime.engine.study.takepoints import Kinds, windows


def list_tables(options: Namespace) -> int:
    for name in names():
        print(f"{name} (default)" if name == DEFAULT else name)
    return 0


def _table_of(options: Namespace) -> MatchEquityTable:
    with refusing(BadEquityTable):
        return load_table(options.met or DEFAULT)


def show_table(options: Namespace) -> int:
    table, length = _table_of(options), options.length
    if not 1 <= length <= REACH:
        raise UsageError(f"--length {length}: 1 to {REACH} are possible")
    before = table.before[1 : length + 1, 1 : length + 1].tolist()
    after = table.after[:, 1 : length + 1].tolist()
    if options.json:
        print(json.dumps({"table": table.name, "before": before, "post_crawford": after}))
        return 0
    heads = [str(points) for points in range(1, length + 1)]
    columns.say(
        f"{table.name}: match winning chances (%) of the player on the left, by points needed"
    )
    _print("", heads, [(head, row) for head, row in zip(heads, before, strict=True)])
    columns.say("after the Crawford game, of the player who needs more than 1")
    same = after[0] == after[1]
    _print("", heads, [("both", after[0])] if same else [("1st", after[0]), ("2nd", after[1])])
    return 0


def show_score(options: Namespace) -> int:
    table = _table_of(options)
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
            print(f"{who}: a double is never useful")
            continue
        rows = [(f"{window.cube} to {2 * window.cube}", list(window[1:])) for window in own]
        _print(who, heads, rows)
    print("take: least chance to take; double: least chance to double the last cube; cash: the")
    print("opponent drops above it; live: with a perfectly used recube")
    return 0


def _state(options: Namespace) -> MatchState:
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
    columns.table(
        (corner, *heads), [(name, *cells) for (name, _), cells in zip(rows, shown, strict=True)]
    )
