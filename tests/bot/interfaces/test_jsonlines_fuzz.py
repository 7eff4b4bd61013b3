"""Nonsense put to `sixprime decide` and `sixprime hint`: one clear error each, and on it goes."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.position import MatchState, Position
from sixprime.protocols.formats.ids import match_id, position_id

START = "4HPwATDgc/ABMA"
FINISHED = position_id(Position((0,) * 25, (1,) + (0,) * 24))
OVER = "cAoAAAAAAAAE"  # a Match ID of a finished game
GOOD = json.dumps({"id": "good", "position": START, "dice": [3, 1]}).encode()


def identifier(draw: random.Random, size: int) -> str:
    """What looks like an ID and holds any bits at all."""
    return base64.b64encode(draw.randbytes(size)).decode().rstrip("=")


def value(draw: random.Random, depth: int = 0) -> Any:
    """Any JSON."""
    kind = draw.randrange(8 if depth < 3 else 6)
    if kind < 6:
        return [None, True, draw.randint(-9, 9), draw.random() * 10**300, "", "\x00é"][kind]
    if kind == 6:
        return [value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {identifier(draw, 3): value(draw, depth + 1) for _ in range(draw.randrange(4))}


def nonsense(draw: random.Random) -> bytes:
    """A line: a request with any of its parts wrong, broken bytes, or no request at all."""
    if draw.random() < 0.05:
        return draw.randbytes(draw.randrange(200)).replace(b"\n", b" ")
    state = MatchState(length=25, score=(draw.randrange(26), draw.randrange(26)))
    positions = [START, FINISHED, identifier(draw, 10), identifier(draw, 10), identifier(draw, 9)]
    request: dict[str, Any] = {
        "id": value(draw),
        "position": draw.choice([*positions, value(draw)]),
        "match": draw.choice([None, match_id(state), identifier(draw, 9), OVER, value(draw)]),
        "dice": draw.choice([None, [draw.randrange(8), draw.randrange(8)], value(draw)]),
        "cubeful": draw.choice([True, True, value(draw)]),
        "level": "grandmother",
    }
    for key in draw.sample(list(request), draw.randrange(4)):
        del request[key]
    if draw.random() < 0.9:
        request.pop("level", None)
    line = bytearray(json.dumps(request).encode())
    for _ in range(draw.choice([0, 0, 0, 1, 5])):
        line[draw.randrange(len(line))] = draw.randrange(256)
    return bytes(line).replace(b"\n", b" ")


def answers_to(lines: list[bytes], weights: str) -> list[dict[str, Any]]:
    """Of a real process, which must end in peace."""
    command = [sys.executable, "-c", "from sixprime.bot.cli.main import run; run()", "decide"]

    def feed(pipe: IO[bytes]) -> None:
        with pipe:
            for line in lines:
                pipe.write(line + b"\n")

    with subprocess.Popen(
        [*command, "--weights", weights],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as program:  # fmt: skip
        assert program.stdin
        assert program.stdout
        assert program.stderr
        feeder = threading.Thread(target=feed, args=(program.stdin,))
        feeder.start()
        answers = [json.loads(line) for line in program.stdout]
        feeder.join()
        assert program.stderr.read() == b""
        assert program.wait(timeout=60) == 0
    return answers


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_process_answers_every_line_once_whatever_it_holds(count: int, weights: str) -> None:
    draw = random.Random(count)
    lines = [GOOD if i % 50 == 49 else nonsense(draw) for i in range(count)]
    answers = answers_to(lines, weights)
    assert len(answers) == count
    for i, answer in enumerate(answers):
        assert ("error" in answer) != ("kind" in answer)
        if i % 50 == 49:
            assert (answer["id"], answer["kind"], answer["move"] != "") == ("good", "move", True)
        elif "error" in answer:
            assert list(answer) == ["id", "error"]
            assert 0 < len(answer["error"]) < 300
            assert "\n" not in answer["error"]
    errors = {answer["error"][:12] for answer in answers if "error" in answer}
    assert len(errors) > 10  # it says what is wrong, not only that something is
    assert sum("kind" in answer for answer in answers) > count // 40


NONSENSE: list[tuple[list[str], str]] = [
    (["nothing"], "position"),
    ([START, "--dice", "71"], "numbers from 1 to 6"),
    ([START, "--dice", ""], "--dice: '' names nothing"),
    ([START, "--match", "cAk"], "Match ID"),
    ([START, "--match", OVER], "the game is over"),
    ([START, "--level", "grandmother"], "did you mean 'grandmaster'?"),
    ([START, "--threads", "0"], "--threads"),
    ([FINISHED, "--dice", "31"], "over"),
    ([FINISHED], "over"),
    (["//////////////"], "osition"),
    (["board:you:me:5"], "board"),
    (["XGID=-b----E-C---eE---c-e----B-:0:0:1:77:0:0:0:0:10"], "the dice are"),
    ([START, "--weights", "/nowhere.npz"], "/nowhere.npz"),
    ([START, "--svg", "/nowhere/at/all.svg"], "No such file"),
]


@pytest.mark.parametrize(("words", "why"), NONSENSE)
def test_hint_tells_nonsense_in_one_line(
    words: list[str], why: str, weights: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--weights" not in words:
        words = [*words, "--weights", weights]
    try:
        code = main(["hint", *words])
    except SystemExit as refused:  # by the parser
        assert isinstance(refused.code, int)
        code = refused.code
    assert code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert why.lower() in told.err.lower()


def test_hint_goes_on_after_any_argument(
    weights: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draw = random.Random(7)
    for _ in range(100):
        words = [
            draw.choice([START, identifier(draw, 10), f"XGID={identifier(draw, 9)}", "board:"])
        ]
        if draw.random() < 0.5:
            words += ["--match", identifier(draw, 9)]
        if draw.random() < 0.5:
            words += ["--dice", str(draw.randrange(90))]
        status = main(["hint", *words, "--weights", weights, "--level", "expert", "--json"])
        told = capsys.readouterr()
        if status == 0:
            assert json.loads(told.out)["kind"] in ("move", "cube")
        else:
            assert status == 2
            assert told.err.count("\n") == 1
