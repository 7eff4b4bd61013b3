"""What the real gnubg says are the legal plays of a roll, for tests marked `gnubg`."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sixprime.engine.position import Dice, Position
from tests.support.gnubg.program import scripted

Rolls = list[tuple[Position, Dice]]
Plays = list[tuple[str, list[tuple[int, int]]]]  # as printed, and as (from, to) pairs

# gnubg's own interpreter runs this: positions in, its list of legal plays out.
_ASK = """
import gnubg, json
for command in (
    "set automatic game off", "set automatic roll off", "set automatic move off",
    "set automatic bearoff off", "set player 0 human", "set player 1 human", "set display off",
    "new session", "set evaluation chequer evaluation plies 0",
    "set evaluation chequer evaluation prune off",
):
    gnubg.command(command)
with open("asked") as asked, open("answered", "w") as answered:
    for line in asked:
        mine, theirs, dice = json.loads(line)
        gnubg.command("set turn 1")
        gnubg.command("set board " + gnubg.positionid((theirs, mine)))
        gnubg.command("set dice %d %d" % tuple(dice))
        hint = gnubg.hint(9999)["hint"]
        plays = [(play["move"], gnubg.parsemove(play["move"])) for play in hint]
        answered.write(json.dumps(plays) + "\\n")
"""


def legal_plays_of(rolls: Rolls, folder: Path) -> list[tuple[Position, Dice, Plays]]:
    """Each roll with the plays of gnubg, asked for by several processes (they mostly wait)."""
    shares = [rolls[i::8] for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(_ask, shares, [folder / str(i) for i in range(8)])
        return [
            (position, dice, plays)
            for share, answer in zip(shares, answers, strict=True)
            for (position, dice), plays in zip(share, answer, strict=True)
        ]


def _ask(rolls: Rolls, folder: Path) -> list[Plays]:
    folder.mkdir()
    lines = "".join(json.dumps([p.mine, p.theirs, dice]) + "\n" for p, dice in rolls)
    (folder / "asked").write_text(lines)
    scripted(_ASK, folder)
    return [json.loads(line) for line in (folder / "answered").read_text().splitlines()]
