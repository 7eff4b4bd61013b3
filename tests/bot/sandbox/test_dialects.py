"""The habits of other servers: each is what issue 24 or an operator has seen, or made up."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.sandbox.config import load_sandbox
from sixprime.bot.sandbox.state.dialect import SPARED, Dialect, made_up
from sixprime.engine.search.players import PipCounter
from sixprime.engine.system.errors import ConfigError
from tests.support.bot.scene import Crew, config_for
from tests.support.bot.soak import play_block
from tests.support.bot.virtual import PASSWORD, VirtualLoop, VirtualServer, at_once
from tests.support.sandbox.scene import Scene, account

PROMPTS = ("It's your turn", "Please move", "Please roll")


def match_of(dialect: Dialect, dice: tuple[tuple[int, int], ...] = ()) -> Scene:
    scene = Scene(
        [account(name, "moreboards", boardstyle=3) for name in ("sixbot", "marvin")],
        (),
        dice,
        dialect,
    )
    scene.clip("sixbot")
    scene.clip("marvin")
    scene.heard("sixbot")
    return scene


def start(scene: Scene, length: int = 3) -> list[str]:
    scene.send("marvin", f"invite sixbot {length}")
    return scene.send("sixbot", "join marvin")


def test_a_command_is_unknown_and_its_short_form_is_not() -> None:
    scene = match_of(Dialect(missing=("board", "kibitz")), dice=((3, 1),))
    start(scene)
    assert scene.send("sixbot", "board") == ["** Unknown command: 'board'"]
    assert scene.send("sixbot", "b")[0].startswith("board:You:marvin:3:")
    assert scene.send("sixbot", "kibitz hello") == ["** Unknown command: 'kibitz'"]


def test_a_command_has_another_name() -> None:
    scene = match_of(Dialect(renamed={"version": "about"}))
    assert scene.send("sixbot", "version") == ["** Unknown command: 'version'"]
    assert scene.send("sixbot", "about")[0].startswith("Sixprime sandbox")


def test_only_the_board_says_that_it_is_our_turn() -> None:
    dialect = Dialect(prompts=False, please_move_opening=True)
    scene = match_of(dialect, dice=((3, 1), (6, 5), (2, 1)))
    heard = start(scene) + scene.send("sixbot", "move 8-5 6-5") + scene.heard("marvin")
    heard += (
        scene.send("marvin", "roll") + scene.send("marvin", "move 1-12") + scene.heard("sixbot")
    )
    assert not [line for line in heard if line.startswith(PROMPTS)]
    assert heard[-1].startswith("board:You:marvin:3:")


def test_an_older_board_of_the_match_comes_once_more() -> None:
    scene = match_of(Dialect(stale_boards=3), dice=((3, 1), (6, 5), (4, 2)))
    boards = [line for line in start(scene) if line.startswith("board:")]
    scene.send("sixbot", "move 8-5 6-5")
    again = scene.send("sixbot", "board")
    assert len(again) == 2
    assert again[0] != boards[0]
    assert scene.send("sixbot", "board") == [again[0]]


@pytest.mark.parametrize("habit", ["saved", "joined"])
def test_a_finished_match_stays_listed_and_can_be_resumed_in_vain(habit: str) -> None:
    scene = match_of(Dialect.model_validate({"finished": habit}), dice=((3, 1), (6, 5), (4, 2)))
    start(scene, 1)
    scene.send("sixbot", "move 8-5 6-5")
    scene.send("sixbot", "resign n")
    scene.send("marvin", "accept")
    assert scene.account("marvin").experience == 1
    assert "marvin" in scene.send("sixbot", "show saved")[1]
    scene.send("sixbot", "invite marvin")
    vain = [line.partition(":")[0] for line in scene.send("marvin", "join sixbot")[-3:]]
    last = ["Starting a new game with sixbot.", "board", "** The match is already over."]
    assert vain == last
    assert [line.partition(":")[0] for line in scene.send("marvin", "join")] == last
    assert scene.send("marvin", "roll") == ["** The game is already over."]
    scene.send("marvin", "leave")
    assert scene.send("sixbot", "leave") == ["** Error: No one to leave."]
    assert scene.account("marvin").experience == 1
    scene.drop("marvin")
    heard = scene.clip("marvin")
    assert (last[-1] in heard) == (habit == "joined")
    if habit == "joined":
        scene.send("marvin", "leave")
    start(scene, 1)  # the list does not keep them from playing
    assert scene.match("sixbot").winner is None


def test_only_the_resigner_hears_that_it_was_accepted() -> None:
    scene = match_of(Dialect(resignation="resigner"), dice=((3, 1), (6, 5), (4, 2)))
    start(scene)
    scene.send("sixbot", "move 8-5 6-5")
    scene.send("sixbot", "resign n")
    scene.heard("marvin")
    assert scene.send("marvin", "accept")[0] == "You are not playing."
    heard = scene.heard("sixbot")
    assert "score in 3 point match: sixbot-0 marvin-1" in heard
    assert scene.send("sixbot", "join") == ["** Please wait for marvin to join too."]
    scene.send("sixbot", "leave")
    assert "sixbot" not in "".join(line for line in scene.heard("marvin") if line[0] != "5")
    scene.send("sixbot", "invite marvin")
    assert "points for marvin: 1" in scene.send("marvin", "join sixbot")


def test_the_login_is_prompted_twice() -> None:
    scene = match_of(Dialect(login_prompts=2))
    scene.connect("again")
    assert scene.heard("again")[-2:] == ["login: ", "login: "]


def test_a_number_makes_up_a_dialect(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("dialect: 17\n")
    assert load_sandbox(tmp_path / "x.yaml").dialect == made_up(17)
    (tmp_path / "x.yaml").write_text("dialect: true\n")
    with pytest.raises(ConfigError, match="dialect"):
        load_sandbox(tmp_path / "x.yaml")


def test_every_habit_is_made_up_now_and_then_and_none_that_ends_all_play() -> None:
    many = [made_up(seed) for seed in range(300)]
    for name, field in Dialect.model_fields.items():
        several = len({repr(getattr(each, name)) for each in many}) > 1
        assert several is (name != "variant"), name  # bots would have to know every database
        assert any(getattr(each, name) == field.get_default() for each in many), name
    for each in many:
        assert {*each.missing, *each.renamed} <= set(SPARED)


# ---- the client, without prompts

PAIR = """
profiles:
  anna:
    account: {user: anna}
    lobby: {invite: {after_idle_s: 1, preferred: [ben], match_length: 3}}
  ben: {account: {user: ben}}
"""


async def match_s(dialect: Dialect, seed: int) -> float:
    """What a 3-point match takes if nobody thinks or pauses."""
    server = VirtualServer(seed, dialect=dialect)
    for name in ("anna", "ben"):
        server.open_account(name)
    steps = [Rung("pips", PipCounter, 5.0)]
    crew = Crew(
        config_for(4321, PAIR),
        PASSWORD,
        dial=server.dial,
        thinker=lambda _: Thinker(steps, dice=random.Random(seed), run=at_once),
    )
    task = asyncio.create_task(crew.run())
    began = 0.0
    async with asyncio.timeout(3_600):
        while not server.finished:
            if server.matches and not began:
                began = server.now
            await asyncio.sleep(0.01)
    took_s = server.now - began
    crew.service.request_stop(Stop.SAVE)
    await task
    return took_s


def test_a_match_without_prompts_takes_hardly_longer() -> None:
    def played(dialect: Dialect) -> float:
        with capture_logs(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
            return sum(runner.run(match_s(dialect, seed)) for seed in (1, 2, 3))

    usual_s = played(Dialect())
    assert played(Dialect(prompts=False)) < 1.15 * usual_s  # it learns once, in half a second
    assert played(Dialect(prompts=False, dance_board=True)) < 1.05 * usual_s


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "seed", [13, *(pytest.param(seed, marks=SLOW) for seed in (3, 10, 16, 17))]
)
def test_nothing_is_stuck_lost_or_twice_on_a_server_that_nobody_has_seen(seed: int) -> None:
    """More of them: `python -m tests.support.bot.soak --dialects 10 --matches 2000`."""
    block = play_block(seed, 12, "calm", quits=0.3, dialect=seed)
    assert not block.faults
    assert block.finished >= 12
