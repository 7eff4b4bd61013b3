"""Bots in virtual time, on good and on bad networks: nobody is stuck, nothing is lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.events import Acted, Event, MatchOver, Resigning, Sending
from sixprime.bot.sandbox.network.chaos import CALM, Rates
from sixprime.protocols.fibs import progress
from sixprime.protocols.formats.record import Cube, Resignation, Turn
from tests.support.bot.scene import Crew, check_replay, config_for, gaps
from tests.support.bot.soak import play_block
from tests.support.bot.virtual import PASSWORD, VirtualLoop, VirtualServer, at_once
from tests.support.bot.wild import PAIR, Wild

pytestmark = pytest.mark.patient


LIMIT_S = 200_000.0


async def evening(seed: int, rates: Rates, matches: int) -> tuple[Crew, VirtualServer]:
    """Two bots play so many matches through the faults; then these end, and the bots stop."""
    server = VirtualServer(seed, rates)
    for name in ("anna", "ben"):
        server.open_account(name)
    server.at(server.now + 30.0, server.tick)
    server.restart_every(rates.restart_s)
    dice = random.Random(seed)
    steps = [Rung("wild", lambda: Wild(dice), 5.0)]
    crew = Crew(
        config_for(4321, PAIR),
        PASSWORD,
        dial=server.dial,
        thinker=lambda _: Thinker(steps, dice=dice, run=at_once),
    )
    task = asyncio.create_task(crew.run())
    async with asyncio.timeout(LIMIT_S):
        for _ in iter(lambda: server.finished >= matches, True):
            await asyncio.sleep(5.0)
    server.rates = CALM
    crew.service.request_stop(Stop.FINISH)
    await asyncio.wait_for(task, LIMIT_S)
    return crew, server


def played(seed: int, rates: Rates, matches: int) -> tuple[Crew, VirtualServer, Counter[str]]:
    with capture_logs() as logs, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        crew, server = runner.run(evening(seed, rates, matches))
    return crew, server, Counter(entry["event"] for entry in logs)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_on_a_good_network_every_match_is_recorded_without_a_gap(seed: int) -> None:
    crew, server, told = played(seed, CALM, 4)
    anna, ben = crew.memories["anna"], crew.memories["ben"]
    overs = len(anna.of(MatchOver))
    assert overs >= 4
    assert overs == len(ben.of(MatchOver)) == server.finished
    assert not server.matches
    assert told["not understood"] == 0
    assert told["unexpected, connecting again"] == 0
    for memory in (anna, ben):
        for match in memory.matches:
            check_replay(match)
            assert gaps(match) == 0
    check_actions_are_durable_before_they_are_sent(anna.said + ben.said)


def check_actions_are_durable_before_they_are_sent(
    said: Iterable[tuple[str, Sequence[Event]]],
) -> None:
    words: Counter[str] = Counter()
    for line, durable in said:
        word, *rest = line.split()
        words[word] += 1
        match durable, word:
            case [Resigning(_, _, games)], "resign":
                assert rest == [" ngb"[games]]
            case [Sending(_, _, Turn(0, _, play))], "move":
                assert play is not None
                assert len(play) == len(rest)
            case [Sending(_, _, Cube(0, step))], "double" | "accept" | "reject":
                assert {"double": "double", "accept": "take", "reject": "drop"}[word] == step.value
            case [Acted(_, _, Resignation(1))], "accept" | "reject":
                pass
            case _:
                assert word not in ("resign", "move", "double", "accept", "reject"), durable
    assert all(words[word] for word in ("resign", "move", "double", "accept", "reject")), words


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_on_a_bad_network_matches_go_on_until_they_are_over(seed: int) -> None:
    crew, server, told = played(seed, Rates(), 4)
    assert crew.ended is True
    assert told["unexpected, connecting again"] == 0
    assert told["a second move is refused, leaving"] == 0
    assert server.finished >= 4
    assert told["connecting"] > 4
    anna = crew.memories["anna"]
    assert len(anna.of(MatchOver)) >= server.finished - 3  # some last lines were lost


@pytest.mark.parametrize(
    ("kind", "seed", "matches"),
    [
        ("calm", 11, 20),
        ("network", 12, 30),
        pytest.param("network", 14, 300, marks=pytest.mark.slow),
        pytest.param("foul", 15, 100, marks=pytest.mark.slow),
    ],
)
def test_an_evening_of_many_bots_is_in_the_archive_as_the_server_has_it(
    kind: str, seed: int, matches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50 matches in every run; see tests/soak.py for what is compared, and for longer ones."""
    monkeypatch.setattr(progress, "KNOWN_SITUATIONS", 300)  # full at half time, as after months
    block = play_block(seed, matches, kind, quits=0.3, files=kind == "calm")
    assert block.faults == []
    assert block.finished >= matches
    half, whole = block.reachable
    assert whole < 1.3 * half  # what the service remembers does not grow with every match
