"""When the tutor warns: how bad a mistake must be, and at which decisions.

The grades are those of an analysis, so the two agree on what is doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.engine.analysis.judging import Thresholds
from sixprime.engine.analysis.values import Mark

GRADES = {"doubtful": Mark.DOUBTFUL, "bad": Mark.BAD, "very bad": Mark.VERY_BAD}
_WORDS = {mark: word for word, mark in GRADES.items()}


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

    def warned(self, loss: float, better: str) -> Warned | None:
        """The warning for a loss of this size, if it is wanted."""
        mark = Thresholds().mark(-loss)
        if mark < GRADES[self.least]:
            return None
        return Warned(_WORDS[mark], loss, better)
