"""`sixprime decide`, the frozen contract: one line out for each line in, whatever it holds."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from typing import Any

import pytest

from sixprime.bot.interfaces.jsonlines import LONGEST_LINE, answer, answer_all
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine
from sixprime.protocols.formats.ids import (
    match_id,
    position_id,
    read_match_id,
    read_position_id,
    xgid,
)
from sixprime.protocols.formats.notation import parse_play
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import random_rolls

ENGINE = Engine("expert", brain=random_brain())
START = "4HPwATDgc/ABMA"
FINISHED = position_id(Position((0,) * 25, (1,) + (0,) * 24))


def ask(request: object, engine: Engine = ENGINE) -> dict[str, Any]:
    found = json.loads(answer(json.dumps(request).encode(), engine))
    assert isinstance(found, dict)
    return found


def test_people_give_each_play_its_chance_and_the_reply_is_their_play() -> None:
    people, erred = Engine("pr 14", brain=random_brain()), 0
    for position, dice in random_rolls(22, 60):
        if position.is_over() or position.checkers != 15:
            continue
        for cubeful in (True, False):
            request = {"position": position_id(position), "dice": dice, "cubeful": cubeful}
            found, sober = ask(request, people), ask(request)
            chances = [each.pop("chance") for each in found["candidates"]]
            assert found["candidates"] == sober["candidates"]
            assert abs(sum(chances) - 1) < 1e-6
            assert min(chances) >= 0
            decision = people.move(position, dice=dice, cubeful=cubeful)
            played = found["candidates"][decision.chosen]
            assert (found["move"], found["result"]) == (played["move"], played["result"])
            if len(chances) == 1:
                assert chances == [1.0]
            erred += decision.chosen > 0
    assert erred > 5


def test_people_tell_their_chances_with_the_cube() -> None:
    people = Engine("pr 14", brain=random_brain())
    found = ask({"position": START}, people)
    assert sum(found["chances"][answer] for answer in ("take", "pass", "beaver")) == (
        pytest.approx(1, abs=1e-6)
    )
    assert 0 <= found["chances"]["double"] <= 1
    sober = ask({"position": START})
    assert "chances" not in sober
    assert found["equities"] == sober["equities"]


def test_a_roll_is_answered_by_every_legal_play_best_first() -> None:
    for position, dice in random_rolls(21, 40):
        if position.is_over() or position.checkers != 15:
            continue
        found = ask({"id": 7, "position": position_id(position), "match": None, "dice": dice})
        assert list(found) == ["id", "kind", "move", "result", "equity", "candidates"]
        assert (found["id"], found["kind"]) == (7, "move")
        legal = legal_plays(position, dice)
        assert len(found["candidates"]) == len(legal)
        best = found["candidates"][0]
        assert {key: found[key] for key in ("move", "result", "equity")} == {
            key: best[key] for key in ("move", "result", "equity")
        }
        equities = [each["equity"] for each in found["candidates"]]
        assert equities == sorted(equities, reverse=True)
        for each in found["candidates"]:
            assert list(each) == ["move", "result", "equity", "probabilities"]
            meant = parse_play(each["move"], position, dice, legal)
            assert read_position_id(each["result"]) == meant.result.flipped() or (
                meant.result.is_over()
            )
            assert len(each["probabilities"]) == 5


def test_a_play_is_written_as_gnubg_writes_it_hits_marked() -> None:
    found = ask({"id": 0, "position": "4HPKATDgc/ABMA", "dice": [6, 4]})
    position = read_position_id("4HPKATDgc/ABMA")
    from sixprime.protocols.formats.notation import format_play

    texts = {
        position_id(each.result.flipped()): format_play(position, each.play)
        for each in legal_plays(position, (6, 4))
    }
    assert {each["result"]: each["move"] for each in found["candidates"]} == texts
    assert any("*" in each["move"] for each in found["candidates"])


def test_without_dice_the_cube_is_answered() -> None:
    found = ask({"id": "x", "position": START, "match": None, "dice": None})
    assert list(found) == ["id", "kind", "double", "take", "action", "equities", "probabilities"]
    assert found["kind"] == "cube"
    assert list(found["equities"]) == ["no_double", "double_take", "double_pass"]
    assert found["equities"]["double_pass"] == 1.0
    assert isinstance(found["double"], bool)
    assert isinstance(found["take"], bool)
    assert len(found["probabilities"]) == 5
    assert found["action"] == "No double, take"


def test_the_match_counts_and_so_does_cubeful() -> None:
    crawford = match_id(read_match_id("8AmgACAAIAAE"))
    money, match, plain = (
        ask({"position": START, "match": m, "dice": [3, 1], "cubeful": cubeful})
        for m, cubeful in ((None, True), (crawford, True), (None, False))
    )
    assert money["equity"] != match["equity"]
    assert money["equity"] != plain["equity"]
    best = plain["candidates"][0]
    win, gammon, backgammon, lost, lost_backgammon = best["probabilities"]
    cubeless = 2 * win - 1 + gammon + backgammon - lost - lost_backgammon
    assert best["equity"] == pytest.approx(cubeless, abs=1e-5)


def test_a_dance_is_a_play_without_words() -> None:
    closed = Position((0,) * 24 + (1,), (2,) * 6 + (0,) * 17 + (3, 0))
    found = ask({"position": position_id(closed), "dice": [3, 1]})
    assert [each["move"] for each in found["candidates"]] == [""]
    assert found["result"] == position_id(closed.flipped())


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_what_json_has_no_number_for_is_not_repeated(number: str) -> None:
    line = f'{{"id": {number}, "position": "{START}"}}'
    found = json.loads(answer(line.encode(), ENGINE), parse_constant=pytest.fail)
    assert "not JSON" in found["error"]


def test_a_position_may_be_pasted_and_brings_its_match_and_roll() -> None:
    match = MatchState(length=5, score=(1, 2), dice=(3, 1))
    asked = {"position": START, "match": match_id(match), "dice": [3, 1]}
    wanted = ask(asked)
    assert wanted["kind"] == "move"
    for text in (f"GNUID={START}:{match_id(match)}", f"{xgid(Position.start(), match)} to play"):
        assert ask({"position": text}) == wanted
        assert "has its own" in ask(asked | {"position": text})["error"]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({}, "position: a Position ID is needed"),
        ([], "a request is a JSON object"),
        ({"position": 5}, "position: a Position ID is needed"),
        ({"position": "4HPwATDgc/ABM"}, "13 characters"),
        ({"position": FINISHED, "dice": [3, 1]}, "over"),
        ({"position": START, "match": 1}, "match: a Match ID is needed"),
        ({"position": START, "match": "cA0AAAAAAAAE"}, "phase 5"),
        ({"position": START, "match": "cAoAAAAAAAAE"}, "the game is over"),
        ({"position": START, "dice": [7, 1]}, "dice: 7 is not a die"),
        ({"position": START, "dice": [True, 1]}, "dice: true is not a die"),
        ({"position": START, "dice": [3]}, "dice: two numbers are needed"),
        ({"position": START, "dice": "31"}, "dice: two numbers are needed"),
        ({"position": START, "cubeful": 1}, "cubeful: true or false"),
        ({"position": START, "dcie": [3, 1]}, "did you mean 'dice'?"),
    ],
)
def test_a_bad_line_is_told_what_is_wrong_with_it(request_: object, why: str) -> None:
    if isinstance(request_, dict):
        request_ = {"id": [1, {"a": None}], **request_}
    found = ask(request_)
    assert list(found) == ["id", "error"]
    assert why in found["error"]
    assert found["id"] == ([1, {"a": None}] if isinstance(request_, dict) else None)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"{\n",
        b"\xff\xfe\n",
        b"[" * 50_000 + b"\n",
        b'{"id": NaN}\n',
        b'{"id": ' + b"9" * 5000 + b"}\n",
        b"null",
        b"x" * (3 * LONGEST_LINE) + b"\n",
        b'"\\ud800"\n',
    ],
)
def test_whatever_is_on_a_line_it_is_answered_once_and_the_next_is_too(line: bytes) -> None:
    good = json.dumps({"id": "next", "position": START, "dice": [3, 1]}).encode() + b"\n"
    out = io.StringIO()
    answer_all(io.BytesIO(line.rstrip(b"\n") + b"\n" + good), out, ENGINE)
    first, second = (json.loads(text) for text in out.getvalue().splitlines())
    assert "error" in first
    assert second["id"] == "next"
    assert second["kind"] == "move"


def fuzzed(draw: random.Random) -> bytes:
    request: dict[str, object] = {
        "id": draw.choice([1, "a", None, [2], 1.5]),
        "position": draw.choice([START, "sGfwATDgc/ABMA", "CwAAkBEAAAAAAA", FINISHED, "", 3]),
        "match": draw.choice([None, None, "cAkAAAAAAAAE", "QYkqASAAIAAE", "////////////", 0, ""]),
        "dice": draw.choice([None, [3, 1], [6, 6], [5, 4], [0, 1], [1], "x", [1.0, 2]]),
        "cubeful": draw.choice([True, True, False, None]),
    }
    for key in draw.sample(list(request), draw.choice([0, 0, 1, 2])):
        del request[key]
    line = bytearray(json.dumps(request).encode())
    for _ in range(draw.choice([0, 0, 1, 3, 20])):
        line[draw.randrange(len(line))] = draw.randrange(256)
    if draw.random() < 0.1:
        del line[draw.randrange(len(line)) :]
    return bytes(line).replace(b"\n", b" ")


def test_10_000_fuzzed_lines_are_all_answered() -> None:
    draw = random.Random(4)
    lines = [fuzzed(draw) for _ in range(10_000)]
    out = io.StringIO()
    answer_all(io.BytesIO(b"".join(line + b"\n" for line in lines)), out, ENGINE)
    answers = [json.loads(text) for text in out.getvalue().splitlines()]
    assert len(answers) == len(lines)
    assert sum("error" in each for each in answers) > 1000
    assert sum("kind" in each for each in answers) > 300


def test_each_line_is_answered_before_the_next_is_sent(weights: str) -> None:
    command = [sys.executable, "-c", "from sixprime.bot.cli.main import run; run()", "decide"]
    with subprocess.Popen(
        [*command, "--weights", weights, "--level", "beginner"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as program:
        assert program.stdin
        assert program.stdout
        for number in range(3):
            request = {"id": number, "position": START, "dice": [number + 1, 6]}
            program.stdin.write(json.dumps(request) + "\n")
            assert json.loads(program.stdout.readline())["id"] == number
        program.stdin.close()
        assert program.wait(timeout=60) == 0
