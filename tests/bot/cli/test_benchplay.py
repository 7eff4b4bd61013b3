"""`sixprime benchplay`: the shape of its object. Figures are for people to compare."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.cli.lab.benchplay import OpponentsWaits, first_decision, total
from sixprime.bot.cli.main import main
from sixprime.bot.process.footprint import cpu_s, memory
from sixprime.protocols.fibs.session import Awaiting, Session
from sixprime.protocols.fibs.states import Awaited, ConnectionState
from sixprime.protocols.fibs.wire.commands import Login

pytestmark = pytest.mark.patient

METRICS = """\
# TYPE sixprime_moves_total counter
sixprime_moves_total{profile="a"} 3.0
sixprime_moves_total{profile="b"} 4.0
sixprime_state{profile="a",state="idle"} 1.0
sixprime_state{profile="a",state="playing"} 0.0
sixprime_state{profile="b",state="idle"} 1.0
"""

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells what a process costs"
)


def crowd(capsys: pytest.CaptureFixture[str], seconds: int) -> dict[str, Any]:
    words = f"--only crowd --profiles 2 --seconds {seconds} --level pips --pause 0.05"
    assert main(["benchplay", *words.split()]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["crowd"]
    return found


@needs_proc
@pytest.mark.slow
def test_two_profiles_play_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = crowd(capsys, 1)
    assert found["matches_at_once"]["median"] == 2
    assert found["memory_mib"]["resident"] > 0
    assert (found["errors"], found["reconnects"]) == (0, 0)


@pytest.mark.slow
@needs_proc
def test_every_turn_is_timed_and_every_decision_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = crowd(capsys, 20)
    assert found["turns"] > 0
    assert found["decisions_by_level"] == {"pips": found["decisions"]}
    assert found["decisions_within_s"]["30.0"] == found["decisions"]
    assert 0 < found["turn_ms"]["median"] <= found["turn_ms"]["p99"] <= found["turn_ms"]["most"]


@needs_proc
@pytest.mark.slow
def test_a_start_is_timed_until_the_bot_dials() -> None:
    found = first_decision("pips", starts=1)
    assert min(found["clock_s"], found["cpu_s"]) > 0


def test_an_unknown_part_and_a_pace_that_runs_backwards_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["benchplay", "--only", "speed"]) == 2
    assert "there are first_decision, single, crowd, spectators, prompts" in capsys.readouterr().err
    assert main(["benchplay", "--pace", "2", "1"]) == 2


def test_the_rows_of_a_metric_are_added_by_label() -> None:
    assert total(METRICS, "sixprime_moves_total") == 7
    assert total(METRICS, "sixprime_state", 'state="idle"') == 2
    assert total(METRICS, "sixprime_state", 'state="stopping"') == 0


def test_a_turn_lasts_as_long_as_its_opponent_waits_and_a_lost_connection_ends_none() -> None:
    session, turns = Session(Login("x", "y", "z"), 0.0), OpponentsWaits()
    for what, since in (
        (Awaited.DECISION, 1.0),
        (Awaited.OPPONENT, 2.0),
        (Awaited.DECISION, 2.5),
        (Awaited.OPPONENTS_ANSWER, 4.0),
        (Awaited.BOARD, 5.0),
        (Awaited.OPPONENT, 5.1),
        (ConnectionState.CLOSED, 9.0),
    ):
        session.waiting = Awaiting(what, since)
        turns.observe(session)
    assert turns.took_s == [0.5, 1.0]


@needs_proc
def test_what_a_process_has_for_itself_is_part_of_what_it_has() -> None:
    found = memory(os.getpid())
    assert 0 < found.own <= found.proportional <= found.resident <= found.peak
    assert found.anonymous <= found.resident
    assert cpu_s(os.getpid()) > 0


def test_a_process_that_is_gone_costs_nothing() -> None:
    gone = 2**22 + 1  # more than Linux ever numbers
    assert memory(gone).resident == 0
    assert cpu_s(gone) == 0.0
