"""RepBot's answers."""

from __future__ import annotations

import pytest

from sixprime.protocols.fibs.repbot import Reputation, ask, reputation
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said

MARVIN, REPBOT = Player("marvin"), Player("RepBotNG")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("marvin's reputation is 123 (GOOD)", Reputation(MARVIN, 123, "GOOD")),
        ("marvin's reputation is -45 (BAD)", Reputation(MARVIN, -45, "BAD")),
        ("marvin's reputation is -10000(BAD) (no saved games)", Reputation(MARVIN, -10000, "BAD")),
        ("User marvin has no complainers or vouchers", Reputation(MARVIN, None)),
        ("ERROR: user marvin does not exist on FIBS.", Reputation(MARVIN, None)),
        ("I don't understand you. Try 'tell RepBot help'.", None),
        ("Internal error, my apologies", None),
    ],
)
def test_an_answer_is_understood(text: str, expected: Reputation | None) -> None:
    assert reputation(Said(REPBOT, text)) == expected


def test_nobody_else_speaks_for_repbot() -> None:
    assert reputation(Said(MARVIN, "marvin's reputation is 123 (GOOD)")) is None


def test_the_question() -> None:
    assert ask(MARVIN).line() == "tell RepBotNG ask marvin"
