"""Clocks of a match: the seconds that each seat has used."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_S = 600.0  # of one turn: a table may be left for a night


@dataclass(slots=True)
class MatchClock:
    """Seconds by seat; time runs from `since`, in POSIX seconds."""

    match: list[float] = field(default_factory=lambda: [0.0, 0.0])
    game: list[float] = field(default_factory=lambda: [0.0, 0.0])
    since: float | None = None

    def charge(self, seat: int | None, now: float) -> None:
        """Add the time since the last call to a seat, or to nobody."""
        if seat is not None and self.since is not None:
            used = min(max(now - self.since, 0.0), LONGEST_S)
            self.match[seat] += used
            self.game[seat] += used
        self.since = now

    def begin_game(self) -> None:
        self.game = [0.0, 0.0]


def written(seconds: float) -> str:
    """Return minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
