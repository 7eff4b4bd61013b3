"""The phase of a position: opening, play with contact, race or bearoff."""

from __future__ import annotations

from sixprime.engine.position import Position

EARLY = 3  # turns of each player that count as the opening
HOME = 6
PHASES = ("opening", "play with contact", "race", "bearoff")


def phase_of(position: Position, action: int) -> str:
    """Return the class of a position, in the turn that begins with this action of its game."""
    mine, theirs = _rearmost(position.mine), _rearmost(position.theirs)
    if mine + theirs <= len(position.mine) - 1:
        return "bearoff" if mine <= HOME else "race"
    is_early = action < 2 * EARLY and position.checkers == sum(position.mine)
    return "opening" if is_early else "play with contact"


def _rearmost(side: tuple[int, ...]) -> int:
    """Return the point of the last checker; 0 if none is left."""
    return max((place for place, count in enumerate(side, start=1) if count), default=0)
