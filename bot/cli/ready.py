"""One-off preparations: compiling kernels, building bearoff databases.

Kernels are compiled once per installation and bearoff databases are built once per user; each is a
row of PREPARATIONS, done in order, and each says how long it took. A command that needs some of
them calls `get_ready` first, which is silent unless something is missing. What several processes
need at once is compiled by one of them (sixprime.engine.compiling.kept).
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.engine.compiling.place import kernels_folder, not_kept
from sixprime.engine.system.cores import usable_cores

if TYPE_CHECKING:
    from sixprime.engine.kernels.evaluation import Brain

Report = Callable[[int, int], None]  # done, out of


@dataclass(frozen=True, slots=True)
class Preparation:
    """One thing to get ready; doing it again when it is ready costs nearly nothing."""

    key: str
    what: str
    do: Callable[[Report], None]


def get_ready(*keys: str, then: tuple[str, ...] = ()) -> None:
    """Do what this installation has not done yet, and say so; `keys` limits it, none means all.

    Another process helps, and goes on with `then` while the command works.
    """
    missing = _missing([each for each in PREPARATIONS if not keys or each.key in keys])
    if missing:
        print("first use after an installation or update; this happens once:", file=sys.stderr)
        later = [each for each in PREPARATIONS if each.key in then and each not in missing]
        with shared(missing, _missing(later)):
            for each in missing:
                prepare(each)


@contextmanager
def shared(missing: Sequence[Preparation], then: Sequence[Preparation] = ()) -> Iterator[None]:
    """While the block does these from the front, another process does them from the back.

    Not on a single core, and not without a cache to share.
    """
    keys = [each.key for each in (*reversed(missing), *then)]
    if len(keys) < 2 or usable_cores() < 2 or not _is_writable(_marks()):
        yield
        return
    helper = subprocess.Popen(
        [sys.executable, "-P", "-m", "sixprime", "warmup", *keys],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_end, helper)
    try:
        yield
    finally:
        if not then:
            _end(helper)


def _end(helper: subprocess.Popen[bytes]) -> None:
    if helper.poll() is None:
        helper.terminate()
        helper.wait()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        not_kept(error.strerror or str(error))
        return False
    return True


def _missing(preparations: Sequence[Preparation]) -> list[Preparation]:
    marks = _marks()
    return [each for each in preparations if not (marks / f"ready-{each.key}").exists()]


def prepare(preparation: Preparation) -> None:
    """Do it even if it was done before, and report the time it took."""
    from sixprime.bot.cli.main import refusing
    from sixprime.bot.cli.progress import bar
    from sixprime.engine.nets.weights import BadWeights

    begun = time.perf_counter()
    with bar(preparation.what) as report, refusing(BadWeights):
        preparation.do(report)
    print(f"{preparation.what}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
    with suppress(OSError):  # then it is reported again next time
        mark(preparation)


def mark(preparation: Preparation) -> None:
    """Record it as done for `get_ready`."""
    marks = _marks()
    marks.mkdir(parents=True, exist_ok=True)
    (marks / f"ready-{preparation.key}").touch()


def _marks() -> Path:
    """The folder with a file for each thing done; kept, and deleted, with the kernels."""
    return kernels_folder()


def _compile_rules(report: Report) -> None:
    from sixprime.engine.position import Position
    from sixprime.engine.rules import legal_plays

    legal_plays(Position.start(), (3, 1))


def _compile_bearoff(report: Report) -> None:
    from sixprime.engine.bearoff.databases import OneSidedDatabase, TwoSidedDatabase
    from sixprime.engine.bearoff.files import OneSided, TwoSided

    OneSidedDatabase.built(OneSided(1)).tables()
    TwoSidedDatabase.built(TwoSided(6, 1))


def _one_sided(report: Report) -> None:
    from sixprime.engine.bearoff.databases import one_sided

    one_sided(progress=report)


def _two_sided(report: Report) -> None:
    from sixprime.engine.bearoff.databases import two_sided

    two_sided(progress=report)


def _compile_nets(report: Report) -> None:
    from sixprime.engine.nets.evaluate import Evaluator
    from sixprime.engine.position import Position

    Evaluator(_nets_alone()).outcomes(Position.start())


def _nets_alone() -> Brain:
    """So that the search can be compiled while another process builds the databases."""
    from sixprime.engine.nets.weights import brain_of, load_nets

    return brain_of(load_nets(), databases=False)


def _compile_ranking(report: Report) -> None:
    from sixprime.engine.position import Position
    from sixprime.engine.search.decide import Engine

    Engine("beginner", brain=_nets_alone()).move(Position.start(), dice=(3, 1))


def _compile_search(report: Report) -> None:
    from sixprime.engine.position import Position
    from sixprime.engine.search.decide import Engine

    engine = Engine("world-class", brain=_nets_alone())
    engine.cube(Position.start())
    engine.move(Position.start(), dice=(2, 1))


def _compile_analysis(report: Report) -> None:
    from sixprime.engine.analysis.examiner import Examiner, Happened
    from sixprime.engine.analysis.settings import AnalysisSettings
    from sixprime.engine.position import MatchState, Position, Step

    play = (Step(8, 5), Step(6, 5))
    turn = Happened(1, Position.start(), MatchState(), 0, 0, dice=(3, 1), play=play)
    Examiner(_nets_alone(), AnalysisSettings.of("expert")).turn(turn)


def _compile_rollouts(report: Report) -> None:
    from sixprime.engine.position import MatchState, Position
    from sixprime.engine.search.rollout import RolloutSettings, of_position, play_trials

    rollout = of_position(Position.start(), MatchState(), RolloutSettings(trials=1))
    play_trials(rollout.match, rollout.alternatives[0], rollout.settings, 0, 1)


PREPARATIONS: tuple[Preparation, ...] = (
    Preparation("rules", "compiling the move generator", _compile_rules),
    Preparation("bearoff", "compiling the bearoff kernels", _compile_bearoff),
    Preparation("one-sided", "building the one-sided bearoff database, 6 points", _one_sided),
    Preparation("two-sided", "building the two-sided bearoff database, 6 checkers", _two_sided),
    Preparation("nets", "compiling the nets", _compile_nets),
    Preparation("ranking", "compiling the ranking of plays", _compile_ranking),
    Preparation("search", "compiling the search", _compile_search),
    Preparation("analysis", "compiling the analysis", _compile_analysis),
    Preparation("rollouts", "compiling the rollouts", _compile_rollouts),
)
RANKING = ("rules", "bearoff", "one-sided", "two-sided", "ranking")  # plays without looking ahead
PLAYING = (*RANKING, "nets", "search")  # all but analysis and rollouts
