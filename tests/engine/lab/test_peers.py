"""Players: legal plays from each, and gnubg's are those that gnubg itself would hint at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import gnubg as gnubg_peer
from sixprime.engine.lab.measuring import peers
from sixprime.engine.lab.measuring.contestants import OurPlayer, RandomPlayer
from sixprime.engine.lab.measuring.gnubg import GnubgPeer
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.plies import Evaluation
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import parse_play
from tests.support.engine.brains import random_brain
from tests.support.gnubg.program import typed

MONEY = np.array([2, 1, 1, -1, -1])


def some_decisions(count: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Boards and dice from random games: contact, races, bars and bearoffs."""
    draws = np.random.default_rng(3)
    chooser = RandomPlayer(5)
    boards, dice = [], []
    board = Position.start().array()
    for turn in range(8 * count):
        roll = draws.integers(1, 7, size=2, dtype=np.int8)
        if turn % 8 == 0:
            boards.append(board)
            dice.append(roll)
        board = chooser.choose(board[None], roll[None])[0]
        board = np.ascontiguousarray(board[::-1])
        if Position.from_array(board).is_over():
            board = Position.start().array()
    return np.stack(boards), np.stack(dice)


def results(board: NDArray[np.int8], roll: NDArray[np.int8]) -> list[Position]:
    plays = legal_plays(Position.from_array(board), (int(roll[0]), int(roll[1])))
    return [play.result for play in plays]


@pytest.fixture(scope="module", params=[False, True], ids=["money", "one-point"])
def gnubg(request: pytest.FixtureRequest) -> Iterator[GnubgPeer]:
    with GnubgPeer(one_point=request.param) as peer:
        yield peer


def test_a_random_player_plays_legally_and_the_same_again() -> None:
    boards, dice = some_decisions(100)
    chosen = RandomPlayer(1).choose(boards, dice)
    for board, roll, result in zip(boards, dice, chosen, strict=True):
        assert Position.from_array(result) in results(board, roll)
    assert np.array_equal(chosen, RandomPlayer(1).choose(boards, dice))
    assert not np.array_equal(chosen, RandomPlayer(2).choose(boards, dice))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ours", ("ours", "", 0)),
        ("ours:2", ("ours", "", 2)),
        ("ours:runs/brain.npz", ("ours", "runs/brain.npz", 0)),
        ("ours:runs/brain.npz:1", ("ours", "runs/brain.npz", 1)),
        ("gnubg", ("gnubg", "", 0)),
        ("gnubg:1", ("gnubg", "", 1)),
        ("gnubg:/opt/gnubg:2", ("gnubg", "/opt/gnubg", 2)),
        ("random", ("random", "", 0)),
        ("level:supremo", ("level", "supremo", 0)),
    ],
)
def test_a_player_has_a_name(name: str, expected: tuple[str, str, int]) -> None:
    assert peers.parts(name) == expected


@pytest.mark.parametrize("name", ["", "gnu", "gnubg:x", "random:1", "gnubg:9"])
def test_an_unknown_player_is_refused(name: str) -> None:
    with pytest.raises(LabError, match=r"player|plies"):
        peers.parts(name)


def test_an_unknown_level_is_refused_with_the_nearest() -> None:
    with pytest.raises(LabError, match="no level 'suprem', did you mean 'supremo'"):
        peers.parts("level:suprem")


@pytest.mark.patient
def test_a_level_plays_as_deep_as_it_says() -> None:
    boards, dice = some_decisions(12)
    brain = random_brain()
    expert, one_ply = (
        OurPlayer(brain, depth=depth).choose(boards, dice)
        for depth in (PRESETS["expert"].checker, Evaluation(1))
    )
    assert np.array_equal(expert, OurPlayer(brain).choose(boards, dice))
    assert np.array_equal(one_ply, OurPlayer(brain, 1).choose(boards, dice))
    assert not np.array_equal(expert, one_ply)


def test_missing_weights_are_refused_in_one_line() -> None:
    with pytest.raises(LabError, match="no such file"):
        peers.player("ours:nowhere.npz")


@pytest.mark.parametrize("play", ["13/9 6/7", "foo", "5/1", "24/19"])
def test_an_impossible_answer_is_not_played(play: str) -> None:
    with pytest.raises(ValueError, match=r"step|blocked"):
        gnubg_peer.move(Position.start().array(), play)


@pytest.mark.gnubg
def test_gnubg_plays_what_its_own_cubeless_evaluation_likes_best(gnubg: GnubgPeer) -> None:
    boards, dice = some_decisions(50)
    chosen = gnubg.choose(boards, dice)
    for board, roll, result in zip(boards, dice, chosen, strict=True):
        found = results(board, roll)
        assert Position.from_array(result) in found
        if len(found) == 1 or any(position.is_over() for position in found):
            continue
        turned = np.stack([position.flipped().array() for position in found])
        chances = gnubg.evaluate(turned)
        worths = -chances[:, 0] if gnubg.one_point else -(chances @ MONEY)
        taken = worths[found.index(Position.from_array(result))]
        assert taken >= worths.max() - 2e-6  # six decimals are sent


@pytest.mark.gnubg
def test_gnubg_plays_what_it_hints(tmp_path: Path) -> None:
    boards, dice = some_decisions(50)
    with GnubgPeer() as peer:
        chosen = peer.choose(boards, dice)
    told = hints(boards, dice, tmp_path)
    for board, roll, result, hint in zip(boards, dice, chosen, told, strict=True):
        position, pair = Position.from_array(board), (int(roll[0]), int(roll[1]))
        legal = legal_plays(position, pair)
        expected = parse_play(hint, position, pair, legal) if legal[0].play else legal[0]
        assert Position.from_array(result) == expected.result


def hints(boards: NDArray[np.int8], dice: NDArray[np.int8], folder: Path) -> list[str]:
    """The first line of gnubg's `hint` for each decision, empty for a dance."""
    script = [
        "set jacoby off",
        "set player 0 human",
        "set player 1 human",
        "set automatic roll off",
    ]
    script += [f"set evaluation chequerplay evaluation {it}" for it in ("plies 0", "cubeful off")]
    script += ["new session"]
    for board, roll in zip(boards, dice, strict=True):
        script += ["set turn 1", f"set board {position_id(Position.from_array(board))}"]
        script += [f"set dice {roll[0]} {roll[1]}", "hint"]
    firsts = []
    for answer in typed("\n".join([*script, ""]), folder).split("The dice have been set to")[1:]:
        first = re.search(r"^ +1\. Cubeless 0-ply +(.*?) +Eq\.:", answer, re.MULTILINE)
        firsts.append(first[1] if first else "")
    return firsts


def test_a_net_of_ours_tells_chances_as_far_ahead_as_it_looks() -> None:
    brain = random_brain()
    at_once = OurPlayer(brain)
    boards, _ = some_decisions(6)
    seen = OurPlayer(brain, depth=Evaluation(1, prune=False)).evaluate(boards)
    for board, chances in zip(boards, seen, strict=True):
        wanted = np.zeros(5)
        for high in range(1, 7):
            for low in range(1, high + 1):
                after = np.stack(
                    [each.array()[::-1] for each in results(board, np.array((high, low)))]
                )
                theirs = at_once.evaluate(np.ascontiguousarray(after))
                win, gammon, backgammon, lost, lost_backgammon = theirs[(theirs @ MONEY).argmin()]
                mine = np.array((1 - win, lost, lost_backgammon, gammon, backgammon))
                wanted += mine * (1 if high == low else 2) / 36
        assert chances == pytest.approx(wanted, abs=1e-5)


@pytest.mark.gnubg
def test_gnubg_answers_the_same_again_and_knows_the_bearoff() -> None:
    boards, dice = some_decisions(20)
    bearoff = np.zeros((1, 2, 25), np.int8)
    bearoff[0, 0, 0] = bearoff[0, 1, 0] = 2  # two checkers on the ace point: the next roll wins
    two_rolls = np.zeros((1, 2, 25), np.int8)
    two_rolls[0, 0, 0], two_rolls[0, 1, 0] = 3, 1  # only a double bears off three
    with GnubgPeer() as one, GnubgPeer() as other:
        assert np.array_equal(one.choose(boards, dice), other.choose(boards, dice))
        assert np.array_equal(one.evaluate(boards), other.evaluate(boards))
        assert one.evaluate(bearoff)[0, 0] == 1.0
        assert one.evaluate(two_rolls)[0, 0] == pytest.approx(1 / 6, abs=1e-4)


@pytest.mark.gnubg
def test_a_peer_that_breaks_down_says_so() -> None:
    with GnubgPeer() as peer:
        assert peer._process is not None
        peer._process.kill()
        with pytest.raises(LabError, match="gnubg"):
            peer.choose(*some_decisions(2))
    with pytest.raises(LabError, match="closed"):
        peer.ask("version")


def test_a_missing_gnubg_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg_peer, "GNUBG", "no-such-gnubg")
    with pytest.raises(LabError, match="not installed"):
        GnubgPeer()


def test_only_the_roller_rolls_out() -> None:
    names = [f"level:{name}" for name in PRESETS]
    assert [name for name in (*names, "ours:2", "random") if peers.rolls_out(name)] == [
        "level:roller"
    ]
