"""The tutor's threshold: the least grade of a mistake, and the kinds of decisions.

The grades come from the analysis, so both agree on doubtful plays.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.engine.analysis.judging import Thresholds
from sixprime.engine.analysis.values import Mark, What

GRADES = {"doubtful": Mark.DOUBTFUL, "bad": Mark.BAD, "very bad": Mark.VERY_BAD}
_WORDS = {mark: word for word, mark in GRADES.items()}


@dataclass(frozen=True, slots=True)
class DeedJudged:
    """A decision, its loss against the best one, and that one in words."""

    what: What
    loss: float
    better: str


@dataclass(frozen=True, slots=True)
class Warned:
    """The tutor's objection to a play or a cube decision."""

    how: str
    loss: float
    better: str


@dataclass(frozen=True, slots=True)
class Tutor:
    least: str = "doubtful"  # of GRADES
    plays: bool = True
    cube: bool = True

    def warned(self, judged: DeedJudged | None) -> Warned | None:
        """Return the warning of a decision, if the player wants one of this size."""
        mark = Mark.NONE if judged is None else Thresholds().mark(-judged.loss)
        if judged is None or mark < GRADES[self.least]:
            return None
        return Warned(_WORDS[mark], judged.loss, judged.better)
