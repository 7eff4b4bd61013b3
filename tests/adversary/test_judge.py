"""The judge sees the same situations as the bot, and says what is wrong."""

from __future__ import annotations

import random

from sixprime.protocols.fibs.progress import KNOWN_SITUATIONS
from sixprime.protocols.fibs.wire.board import FibsBoard, read_board
from tests.support.adversary import vocabulary
from tests.support.adversary.judge import AN_HOUR, REMEMBERED, Speech, situation_of
from tests.support.adversary.vocabulary import US

GREETING = f"1 {US} 1 h\r\n4\r\n".encode()


def near(line: str, dice: random.Random) -> str:
    """The same board but for a field or two, or the same seen otherwise."""
    fields = line.split(":")
    for _ in range(dice.choice((1, 1, 2))):
        place = dice.choice((2, 3, 4, 32, 33, 34, 35, 37, 38, 39, 40, 41, 42, 49, 50, 51, 52))
        fields[place] = dice.choice(("0", "1", "-1", "2", "5", "9999", US, fields[place]))
    return ":".join(fields)


def test_the_judge_and_the_bot_take_the_same_boards_for_the_same() -> None:
    dice = random.Random(5)
    alike = 0
    for _ in range(2_000):
        line = vocabulary.board(dice)
        lines = [line, *(near(line, dice) for _ in range(5))]
        boards = [read_board(each) for each in lines]
        ours = [
            b.situation() if isinstance(b, FibsBoard) and b.is_ours and b.opponent != US else None
            for b in boards
        ]
        judged = [situation_of(each) for each in lines]
        assert [each is None for each in ours] == [each is None for each in judged], lines
        for one, other in zip(ours, judged, strict=True):
            same = [each == one for each in ours]
            assert same == [each == other for each in judged], lines
            alike += sum(same) > 1
    assert alike > 500


def test_it_forgets_no_board_before_the_bot_does() -> None:
    assert REMEMBERED == KNOWN_SITUATIONS


def test_only_new_boards_between_greeting_and_farewell_are_progress() -> None:
    boards = [f"{vocabulary.board(random.Random(seed))}\r\n".encode() for seed in (1, 2, 3)]
    assert all(situation_of(each.decode().strip()) for each in boards)
    speech = Speech()
    speech.hears(boards[0], 1.0)
    speech.says(f"login x 1008 {US} pw", 1.0)
    speech.hears(GREETING + boards[1], 2.0)
    assert speech.progress_at == 2.0
    speech.hears(boards[1], 3.0)
    speech.hears(b"Goodbye.\r\n" + boards[2], 4.0)
    assert speech.progress_at == 2.0


def test_an_hour_of_too_many_commands_is_seen() -> None:
    speech = Speech()
    most = AN_HOUR["others"]
    said = [speech.says(f"tell user{n} hello", 700.0 + 30.0 * n) for n in range(most + 20)]
    assert said[:most] == [None] * most
    assert any(each is not None and "in an hour" in each for each in said)
