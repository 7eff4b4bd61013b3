"""`sixprime benchanalysis`: the speed of analyses of match files, ours and gnubg's, as JSON.

Seconds are CPU seconds of one core, without starting and reading the files. Compare only `ratio`,
measured in one run. `--whole` measures the wait of a collector instead: `archive import` and
`archive analyse` of the files, from start to end. `--scale` measures answers about many matches.
"""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from sixprime.bot.analysis.matches import examined
from sixprime.bot.archive.collection.importing import files_under
from sixprime.bot.archive.matchfiles import read_matches
from sixprime.bot.cli.lab.benchscale import measure_scale
from sixprime.bot.cli.lab.costs import PROGRAM, changed, cost_of_command, cpu_s_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.interfaces.referee import find_gnubg
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.search.levels import UnknownLevel, preset
from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.formats.record import BadMatchFile, Match
from sixprime.protocols.formats.sgf import match as sgf


def _rounded(figure: float) -> float:
    return round(figure, 3)


def measure_analysis(options: Namespace) -> int:
    if options.scale is not None:
        return measure_scale(options)
    files = list(files_under(Path(name) for name in options.files))
    if not files:
        raise UsageError(f"no match file in {', '.join(options.files)}")
    with refusing(UnknownLevel):
        level = preset(options.level)
    if options.whole:
        print(json.dumps(_whole(options, files, level.checker.plies)))
        return 0
    matches: list[Match] = []
    for path in files:
        with refusing(OSError, BadMatchFile, at=str(path)):
            matches += read_matches(path)
    rounds = max(options.rounds, 1)
    figures: dict[str, object] = {"level": level.name, "matches": len(matches)}
    ours = analysis_speed(matches, level.name, rounds)
    figures["ours"] = changed(ours, _rounded)
    if options.peer:
        theirs = gnubgs_analysis_speed(matches, level.checker.plies, rounds)
        figures["gnubg"] = changed(theirs, _rounded)
        figures["ratio"] = round(ours["matches_per_s"] / theirs["matches_per_s"], 2)
    print(json.dumps(figures))
    return 0


def analysis_speed(matches: Sequence[Match], level: str, rounds: int = 1) -> Mapping[str, float]:
    """Return our matches and turns a second on one core."""
    get_ready()
    examiner = Examiner(load_brain(), AnalysisSettings.of(level))
    examined(matches[0], examiner)  # compiles the missing kernels
    found: list[MatchAnalysis] = []

    def analyse() -> None:
        found[:] = [examined(match, examiner) for match in matches]

    best = min(cpu_s_of(analyse) for _ in range(rounds))
    turns = sum(len(game.turns) for analysis in found for game in analysis.games)
    return {"matches_per_s": len(matches) / best, "turns_per_s": turns / best, "s": best}


def gnubgs_analysis_speed(
    matches: Sequence[Match], plies: int, rounds: int = 1
) -> Mapping[str, float]:
    """Return gnubg's matches a second on one core, without the time to load the files."""
    program = _gnubg()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, match in enumerate(matches):
            files.append(Path(folder) / f"{number}.sgf")
            files[-1].write_text(sgf.write_sgf(match), encoding="utf-8")
        loads, analyses = (
            [_gnubgs_seconds(program, files, plies, analyse=analyse) for _ in range(rounds)]
            for analyse in (False, True)
        )
    best = min(analyses) - min(loads)
    return {"matches_per_s": len(matches) / best, "s": best}


def _whole(options: Namespace, files: Sequence[Path], plies: int) -> Mapping[str, object]:
    """Return milliseconds a file, with all processes and their starts."""
    figures: dict[str, object] = {"level": options.level, "files": len(files)}
    figures["cores"] = usable_cores()
    with tempfile.TemporaryDirectory() as folder:
        archive = ("--database", f"sqlite:///{folder}/archive.db")
        level = ("--level", options.level)
        program = (*PROGRAM, "archive")
        imports = (*program, "import", *options.files, *archive)
        ours = _ms_a_file(imports, len(files), fine=(0, 1))  # 1: files were refused, and named
        analyses = _ms_a_file((*program, "analyse", *level, *archive), len(files))
    both = {name: ours[name] + analyses[name] for name in ours}
    figures |= {"import": changed(ours, _rounded), "analyse": changed(analyses, _rounded)}
    if options.peer:
        some = [file.resolve() for file in files[:: options.share]]
        commands = [*_gnubgs_settings(plies), "set confirm new off", "set confirm save off"]
        for file in some:
            commands += [f"import auto {file}", "analyse match"]
        theirs = _ms_a_file(_gnubg(), len(some), "\n".join([*commands, "exit", "y", ""]))
        figures["gnubg"] = {
            "files": len(some),
            **{name: _rounded(ms) for name, ms in theirs.items()},
        }
        figures["ratio"] = changed({name: theirs[name] / both[name] for name in both}, _rounded)
    return figures


def _gnubg() -> tuple[str, ...]:
    """Return the words of a command that runs gnubg."""
    with refusing(Unavailable):
        return str(find_gnubg()), "-t", "-q", "-r"


def _ms_a_file(
    command: Sequence[str], files: int, typed: str = "", fine: Sequence[int] = (0,)
) -> Mapping[str, float]:
    """Return the milliseconds a file of a command."""
    cost = cost_of_command(command, typed=typed, fine=fine)
    return {"cpu_ms": 1000 * cost.cpu_s / files, "wall_ms": 1000 * cost.s / files}


def _gnubgs_settings(plies: int) -> list[str]:
    kinds = ("chequerplay", "cubedecision")
    deep = [f"set analysis {kind} evaluation plies {plies}" for kind in kinds]
    return ["set display off", "set threads 1", *deep]


def _gnubgs_seconds(
    program: Sequence[str], files: Sequence[Path], plies: int, *, analyse: bool
) -> float:
    commands = _gnubgs_settings(plies)
    for file in files:
        commands += [f"load match {file}", "analyse clear match"]
        commands += ["analyse match"] * analyse
    return cost_of_command(program, typed="\n".join([*commands, "exit", "y", ""])).cpu_s
