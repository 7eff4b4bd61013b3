"""XG's choice of decisions for its PR, without heavy imports: readers of stored analyses use it."""

from __future__ import annotations

from collections.abc import Sequence

# XG's PR leaves out plays that differ by less than LEAST_CHOICE, and decisions not to double that
# make less difference than that, save more than MOST_CHOICE, or are as good as lost; all in EMG.
LEAST_CHOICE = 0.001
MOST_CHOICE = 0.2
HOPELESS = -0.9


def is_choice_of_plays(worths: Sequence[float]) -> bool:
    """Return whether XG's PR counts an unforced play, by the equities of the candidates."""
    return bool(worths) and max(worths) - min(worths) >= LEAST_CHOICE


def is_choice_of_double(equities: Sequence[float], error: float) -> bool:
    """Return whether XG's PR counts a decision not to double."""
    no_double, double_take, double_pass = equities
    changes_nothing = abs(no_double - double_take) < LEAST_CHOICE
    hopeless = max(no_double, double_take) < HOPELESS
    obvious = no_double - min(double_take, double_pass) > MOST_CHOICE
    return error <= -LEAST_CHOICE or not (changes_nothing or hopeless or obvious)
