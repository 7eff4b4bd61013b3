"""The lint of sentences finds those that a reader stumbled over, and accepts their better forms."""

from __future__ import annotations

import pytest

from tests.support.english import faults_in, faults_of
from tests.support.house import FLOORS
from tests.support.places import ROOT

SENTENCES = [
    (
        "Those of these money sessions that ended without a winner.",
        "Ids of money sessions that ended level.",
    ),
    (
        "The ids by match; first one of ours, or else the one that tells most.",
        "Duplicate ids by match, best record first.",
    ),
    (
        "What is not over, even if the bot is stopped, or something else is wrong by now.",
        "Topics still true of this bot, even once stopped.",
    ),
    (
        "What `read` makes this setup of again, sound or not.",
        "Query parameters from which `read` restores this setup.",
    ),
    (
        "The loss with the bend, where it would be `straight` without.",
        "Apply the bend to a linear rating loss.",
    ),
    (
        "Moves that can be made at all, whatever the rules and the dice allow",
        "Moves that are physically possible, ignoring dice and rules.",
    ),
    ("A text file that makes room for itself", "A log file that rotates itself."),
    ("Who does work that can be divided", "Process pools and Dask clusters."),
    (
        "Times are often missing: they only tell apart what is too short to happen once",
        "Times, often missing, only separate matches too short to be unique.",
    ),
    (
        "Tables that only the server remembers, or whose boards cannot be true, are left, and "
        "servers that begin a match whenever one is left do not keep the bot.",
        "The bot leaves tables that only the server remembers and boards that cannot be true, even "
        "on servers that start a new match each time.",
    ),
    (
        "Who has to log in goes on to the page that was asked for, and fingers drag checkers.",
        "After logging in you land on the page you asked for; touch screens can drag checkers.",
    ),
    ("I am a bot and play at level about 1500.", "I am a bot, playing at about 1500."),
    ("The engine offers to lose 2: accept?", "The engine resigns a gammon. Accept?"),
    ("now it is: move your checkers", "Your move"),
    ("Waits for us 0 s", "Waiting for us: 0 s"),
    ("millipoints a decision", "millipoints per decision"),
    ("wrong double below DP", "Doubled too early"),
]


@pytest.mark.parametrize(("stumbled", "better"), SENTENCES)
def test_a_sentence_that_is_read_twice_is_found_and_a_better_one_is_not(
    stumbled: str, better: str
) -> None:
    assert faults_of(stumbled)
    assert faults_of(better) == []


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ('def f():\n    """Is it over?"""', "question"),
        ('"""What is left."""', "headless"),
        ('class A:\n    """The match that was left."""', "no verb"),
        ("# what was\n# left of it\nx = 1", "headless"),
        ("x = 1  # who plays", "headless"),
        ("# the match that was left.", "no verb"),
    ],
)
def test_docstrings_and_comments_are_read(source: str, rule: str) -> None:
    (fault,) = faults_in(source)
    assert f" {rule}: " in fault


def test_code_examples_and_plain_sentences_are_left_alone() -> None:
    source = '"""Return the score.\n\n    What is this\n\nIt is plain.\n"""\n# a reason\n'
    assert list(faults_in(source)) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_no_sentence_of_the_source_is_read_twice(floor: str) -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{fault}"
        for path in sorted((ROOT / floor).rglob("*.py"))
        for fault in faults_in(path.read_text(encoding="utf-8"))
    ]
    assert not faults, "\n".join(faults)
