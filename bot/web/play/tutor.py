"""When the tutor speaks up: from how bad a mistake on, at which decisions.

The grades are those of an analysis, so that nothing is found doubtful afterwards that was let pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.engine.analysis.settings import Thresholds
from sixprime.engine.analysis.values import Mark

GRADES = {"doubtful": Mark.DOUBTFUL, "bad": Mark.BAD, "very bad": Mark.VERY_BAD}
_WORDS = {mark: word for word, mark in GRADES.items()}


@dataclass(frozen=True, slots=True)
class Warned:
    """What the tutor has against a play or a cube decision."""

    how: str
    loss: float
    better: str


@dataclass(frozen=True, slots=True)
class Tutor:
    """What somebody wants to be warned of."""

    least: str = "doubtful"  # of GRADES
    plays: bool = True
    cube: bool = True

    def warned(self, loss: float, better: str) -> Warned | None:
        """The warning for so large a loss, if it is wanted."""
        mark = Thresholds().mark(-loss)
        if mark < GRADES[self.least]:
            return None
        return Warned(_WORDS[mark], loss, better)
