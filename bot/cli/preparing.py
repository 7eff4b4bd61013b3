"""The work of each preparation; doing it again costs nearly nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import typeof

from sixprime.bot.cli.line.errors import refusing
from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.bearoff.databases import (
    SIDE_POINTS,
    OneSidedDatabase,
    TwoSidedDatabase,
    one_sided,
    two_sided,
)
from sixprime.engine.bearoff.files import OneSided, TwoSided
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels.evaluation import Brain, judge_results
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.kernels.moves import ONE
from sixprime.engine.kernels.pruning import rank_results
from sixprime.engine.kernels.tree import TreeSearch, worths_of_result
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import BadWeights, brain_of, load_brain, load_nets
from sixprime.engine.people import Person, chosen, play_chances
from sixprime.engine.position import MAX_CHECKERS, MatchState, Position, Step, variant_named
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.plies import Evaluation, Search
from sixprime.engine.search.rollout import RolloutSettings, of_position, play_trials

Report = Callable[[int, int], None]  # done, out of
START = Position.start()


def _compile_rules(report: Report) -> None:
    legal_plays(START, (3, 1))


def _compile_bearoff(report: Report) -> None:
    OneSidedDatabase.built(OneSided(1)).tables()
    TwoSidedDatabase.built(TwoSided(6, 1))


def _compile_nets(report: Report) -> None:
    Evaluator(_nets_alone()).outcomes(START)


def _nets_alone() -> Brain:
    """The nets without databases, which another process may be building meanwhile."""
    with refusing(BadWeights):
        return brain_of(load_nets(), databases=False)


def _compile_ranking(report: Report) -> None:
    search = _search_at_rest()  # its part that needs no move generator comes first
    board, count = search.walk.boards[0], len(search.work.scores)
    _compile_part(judge_results, search.brain, board, count, count, search.work)
    Engine("beginner", brain=_nets_alone()).move(START, dice=(3, 1))


def _compile_worths(report: Report) -> None:
    search = _search_at_rest()
    _compile_part(worths_of_result, search, 0, 1, search.walk.reply_state, ONE, search.walk.reply)


def _compile_pruning(report: Report) -> None:
    search = _search_at_rest()
    board = search.walk.boards[0]
    _compile_part(rank_results, search.brain, board, MAX_CHECKERS, 0, 0, search.work)


def _search_at_rest() -> Held[TreeSearch]:
    search = Search(_nets_alone())
    terms = search.terms(START, CubeContext.of(MatchState()), Evaluation())
    return search.scratches[0].search(terms)


def _compile_part(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel for other kernels, without its wrapper for Python."""
    kernel.inner.compile(tuple(map(typeof, arguments)))


def _compile_search(report: Report) -> None:
    engine = Engine("world-class", brain=_nets_alone())
    engine.cube(START)
    engine.move(START, dice=(2, 1))


def _compile_people(report: Report) -> None:
    candidates = Engine("expert", brain=_nets_alone()).move(START, dice=(3, 1)).candidates
    chances = play_chances(START, MatchState(), (3, 1), candidates, Person(6))
    chosen(chances, START, (3, 1), candidates, 1)


def _compile_analysis(report: Report) -> None:
    play = (Step(8, 5), Step(6, 5))
    turn = Happened(1, START, MatchState(), 0, 0, dice=(3, 1), play=play)
    Examiner(_nets_alone(), AnalysisSettings.of("expert")).turn(turn)


def _compile_rollouts(report: Report) -> None:
    rollout = of_position(START, MatchState(), RolloutSettings(trials=1))
    play_trials(rollout.match, rollout.alternatives[0], rollout.settings, 0, 1)


def _build_one_sided(report: Report) -> None:
    one_sided(progress=report)
    one_sided(SIDE_POINTS, report)


def _build_hypergammon(checkers: int, report: Report) -> None:
    start = Position.start(variant_named(f"hypergammon-{checkers}"))
    hypergammon(checkers)
    engine = Engine("expert", brain=load_brain())
    engine.cube(start)
    engine.move(start, dice=(3, 1))


WORK: dict[str, Callable[[Report], object]] = {  # by the keys of PREPARATIONS and ON_DEMAND
    "rules": _compile_rules,
    "worths": _compile_worths,
    "bearoff": _compile_bearoff,
    "one-sided": _build_one_sided,
    "two-sided": lambda report: two_sided(progress=report),
    "pruning": _compile_pruning,
    "ranking": _compile_ranking,
    "search": _compile_search,
    "nets": _compile_nets,
    "people": _compile_people,
    "analysis": _compile_analysis,
    "rollouts": _compile_rollouts,
    **{f"hypergammon-{checkers}": partial(_build_hypergammon, checkers) for checkers in (1, 2)},
}
