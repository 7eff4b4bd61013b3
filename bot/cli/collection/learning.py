"""`sixprime levels learn`: a level that plays like one player."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

import yaml

from sixprime.bot.archive.collection.filters import MATCH_FILTERS
from sixprime.bot.cli.collection.peoplesmatches import peoples_matches
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.line.errors import Skipped, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted
from sixprime.bot.settings.levels import LEVELS
from sixprime.engine.likeness.decisions import decisions_of
from sixprime.engine.likeness.plays import first_sight
from sixprime.engine.likeness.portraits import Gain, Portrait, PortraitLearner
from sixprime.engine.system.errors import Unavailable

_DIGITS = 4
_ALL = {each.option.removeprefix("--").replace("-", "_"): None for each in MATCH_FILTERS}


@refusing(Unavailable)
def learn_portrait(options: Namespace) -> int:
    learner: PortraitLearner | None = None
    engine, skipped = first_sight(), Skipped("levels learn")
    asked = Namespace(**(_ALL | vars(options)))
    with peoples_matches(asked, skipped) as matches:
        for analysis, prs, seats in matches:
            player = analysis.players[seats[0]]
            learner = learner or PortraitLearner(prs[player])
            found = decisions_of(analysis, engine, prs)
            learner.add(decision for decision in found if decision.player == player)
    with bar("learning") as progress:
        portrait = (learner or PortraitLearner(0.0)).learned(progress)
    if options.json:
        print(json.dumps({"player": options.player, **_plain(portrait)}))
    else:
        print(f"# {said(options.player, portrait)}", file=sys.stderr if options.out else sys.stdout)
    level = {"pr": round(portrait.pr, 2), "portrait": _rounded(portrait)}
    text = yaml.safe_dump({LEVELS: {options.player: level}}, default_flow_style=None, width=100)
    if options.out is not None:
        write_out(options.out, f"# {said(options.player, portrait)}\n{text}")
    elif not options.json:
        print(text, end="")
    return skipped.code


def _rounded(portrait: Portrait) -> list[float]:
    return [round(offset, _DIGITS) for offset in portrait.offsets]


def _plain(portrait: Portrait) -> dict[str, Any]:
    gains = {"plays": portrait.plays, "cubes": portrait.cubes}
    return {
        "pr": portrait.pr,
        "matches": portrait.matches,
        "portrait": _rounded(portrait),
        "held_back": {name: gain._asdict() for name, gain in gains.items()},
    }


def said(player: str, portrait: Portrait) -> str:
    return (
        f"{player}, from {counted(portrait.matches, 'match')}; it guesses held-back decisions "
        f"better than `pr {portrait.pr:.1f}`, in nats each: plays {_interval(portrait.plays)}, "
        f"cubes {_interval(portrait.cubes)}"
    )


def _interval(gain: Gain) -> str:
    return f"{gain.nats:+.4f} ± {gain.half:.4f}"
