"""The work of each preparation; doing it again costs nearly nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sixprime.bot.cli.line.errors import refusing
from sixprime.engine.analysis.examiner import Examiner, Happened
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.bearoff.databases import (
    OneSidedDatabase,
    TwoSidedDatabase,
    one_sided,
    two_sided,
)
from sixprime.engine.bearoff.files import OneSided, TwoSided
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import BadWeights, brain_of, load_brain, load_nets
from sixprime.engine.people import Person, chosen, play_chances
from sixprime.engine.position import MatchState, Position, Step, variant_named
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine
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
    Engine("beginner", brain=_nets_alone()).move(START, dice=(3, 1))


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


def _build_hypergammon(checkers: int, report: Report) -> None:
    start = Position.start(variant_named(f"hypergammon-{checkers}"))
    hypergammon(checkers)
    engine = Engine("expert", brain=load_brain())
    engine.cube(start)
    engine.move(start, dice=(3, 1))


WORK: dict[str, Callable[[Report], object]] = {  # by the keys of PREPARATIONS and ON_DEMAND
    "rules": _compile_rules,
    "bearoff": _compile_bearoff,
    "one-sided": lambda report: one_sided(progress=report),
    "two-sided": lambda report: two_sided(progress=report),
    "nets": _compile_nets,
    "ranking": _compile_ranking,
    "search": _compile_search,
    "people": _compile_people,
    "analysis": _compile_analysis,
    "rollouts": _compile_rollouts,
    **{f"hypergammon-{checkers}": partial(_build_hypergammon, checkers) for checkers in (1, 2)},
}
