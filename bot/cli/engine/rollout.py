"""`sixprime rollout`: compares plays or cube actions by playing them out."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from sixprime.bot.analysis.rolledgames import rolled_game
from sixprime.bot.cli.columns import table
from sixprime.bot.cli.engine.rolling import level_of, settings_of
from sixprime.bot.cli.levels import met_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.positions import position_of
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.interfaces.notebook import rollout_of
from sixprime.bot.process.workers import cluster
from sixprime.bot.reports.decisions import RolledPlays
from sixprime.engine.bearoff.files import BadDatabase
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets import weights as nets
from sixprime.engine.search.decide import NoDecision, within_tables
from sixprime.engine.search.rollout import BadRollout, Rollout, verdict
from sixprime.engine.search.trials import logged_trial
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.formats.sgf import match as sgf

LOGGED = re.compile(r"[0-9]+-([0-9]{5,})\.sgf")
LONGEST = 1000  # characters of the first line of a logged game, which describes it


def roll_position_out(options: Namespace) -> int:
    """Roll out and print the results, best first."""
    position, match, dice = position_of(options)
    with refusing(NoDecision):
        level = level_of(options)
        match = within_tables(position, match.with_(met=met_of(options) or level.met))
    if options.scheduler is not None and options.weights:
        raise UsageError("--scheduler: the workers use the shipped weights, leave out --weights")
    if options.scheduler is not None and level.bearoff != nets.NONE_NAMED:
        raise UsageError(f"--scheduler: the workers have no bearoff databases of {level.name}'s")
    with refusing(BadRollout):
        settings = settings_of(options)
    if options.log is not None:
        with refusing(OSError, at=f"--log {options.log}"):
            options.log.mkdir(parents=True, exist_ok=True)
    get_ready("rules", "one-sided", "two-sided", "nets", "search")
    with (
        refusing(BadRollout, Unavailable, nets.BadWeights, BadDatabase),
        refusing(OSError, at=f"--resume {options.resume}"),
    ):
        brain = nets.with_databases(nets.load_brain(options.weights), level.bearoff)
        rollout, names = rollout_of(position, match, dice, settings, options.most, brain)
        if options.resume is not None:
            rollout.weights = nets.version_of(options.weights)
            if level.bearoff != nets.NONE_NAMED:
                rollout.weights += str(level.bearoff)
            if options.resume.exists():
                rollout.resume(options.resume)
        with (
            nullcontext() if options.scheduler is None else cluster(options.scheduler) as pool,
            bar("rolling out") as progress,
        ):
            rolled = rollout.run(
                brain,
                threads=pool.width if pool else options.threads,
                progress=progress,
                save=options.resume,
                spread=pool.spread if pool else None,
            )
    if options.log is not None:
        _log(rollout, names, brain, options.log)
    shown = RolledPlays.named(names, rolled)
    action = verdict(rollout).action if len(names) == 2 and dice is None else None
    if options.json:
        answer = {"settings": asdict(settings), "candidates": shown.as_json()}
        print(json.dumps(answer if action is None else {**answer, "action": action}))
        return 0
    table(*shown.table())
    if action is not None:
        print(action)
    return 0


def _log(rollout: Rollout, names: list[str], brain: Brain, folder: Path) -> None:
    """Write the game of each trial: `2-00017.sgf` is the 17th of the second candidate.

    The games of an earlier rollout are deleted first: they would look like a part of this one.
    """
    match, settings = rollout.match, rollout.settings
    total = sum(map(len, rollout.results))
    written = 0
    with refusing(OSError, at=f"--log {folder}"), bar("writing games") as progress:
        for file in filter(_is_logged, folder.glob("*.sgf")):
            file.unlink()
        candidates = zip(rollout.alternatives, rollout.results, names, strict=True)
        for place, (alternative, rows, name) in enumerate(candidates, 1):
            for number in range(len(rows)):
                turns = logged_trial(match, alternative, settings, number, brain)
                game = rolled_game(match, alternative, turns, f"{name}, trial {number + 1}")
                (folder / f"{place}-{number + 1:05}.sgf").write_text(sgf.write_sgf(game))
                written += 1
                progress(written, total)


def _is_logged(file: Path) -> bool:
    """Return whether the file has the name and the beginning of a game that `_log` wrote."""
    named = LOGGED.fullmatch(file.name)
    if named is None or not file.is_file():
        return False
    with file.open(errors="replace") as opened:
        root = opened.readline(LONGEST)
    return "AP[Sixprime]" in root and f", trial {int(named[1])}]" in root
