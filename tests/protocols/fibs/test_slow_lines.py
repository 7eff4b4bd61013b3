"""Long round trips: a server executes what it receives, so nothing may be said twice."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.protocols.fibs.wire.refusals import IN_GAME, Refusal
from tests.support.bot.simulator import Link, Robot, Simulator, play_match


class Slow(Simulator):
    """A server far away: each piece takes half a round trip, and all stay in order."""

    def __init__(self, seed: int, least_s: float, most_s: float, dialect: Dialect) -> None:
        super().__init__(seed, dialect=dialect)
        self.trip = partial(self.random.uniform, least_s / 2, most_s / 2)
        self.logins: Counter[int] = Counter()

    def latency_s(self) -> float:
        return self.trip()

    def server_receives(self, link: Link, data: bytes) -> None:
        self.logins[link.sid] += data.startswith(b"login ")
        super().server_receives(link, data)


def said_in_vain(robot: Robot) -> list[str]:
    """Refusals of what was said twice, or too late."""
    late = IN_GAME | {Refusal.ANSWER_RESIGNATION}
    return [text for text in robot.refused if any(f"{why!r}" in text for why in late)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("least_s", "most_s"), [(24, 36), (30, 30), (24, 60)])
def test_nothing_is_said_twice_however_slow_the_line(
    seed: int, least_s: float, most_s: float
) -> None:
    simulator = Slow(seed, least_s, most_s, Dialect())
    play_match(simulator, 3)
    for robot in simulator.robots.values():
        assert said_in_vain(robot) == []
    assert set(simulator.logins.values()) == {1}
