"""The parts of the sandbox one by one: ratings, passwords, store, input, faults, settings."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.process.passwordhash import HashCost, hashed, matches
from sixprime.bot.sandbox.config import PasswordCost, SandboxConfig, load_sandbox
from sixprime.bot.sandbox.houseplayers import Ask, answer, house_names, situation
from sixprime.bot.sandbox.network.chaos import CALM, Chaos, Piece, Rates
from sixprime.bot.sandbox.network.input import InputLines
from sixprime.bot.sandbox.state.accounts import UserAccount, WaitingMessage
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Allowance
from sixprime.bot.sandbox.state.match import LastGame, UnfinishedMatch
from sixprime.bot.sandbox.state.ratings import RatedPlayer, change
from sixprime.bot.sandbox.state.server import Saves
from sixprime.bot.sandbox.state.times import whois_date
from sixprime.bot.sandbox.store import Store
from sixprime.engine.game import Answer
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.players import AimlessPlayer, EnginePlayer, PipCounter, player_named
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.engine.system.errors import ConfigError, InputError, Unavailable
from tests.support.engine.brains import random_brain
from tests.support.places import ROOT
from tests.support.sandbox.scene import Scene, account

CHEAP = HashCost(n=2, r=1, p=1)


# ---- ratings

RATED = [
    ((1500.00, 0), (1500.00, 0), 1, 0, 10.000000, -10.000000),
    ((1500.00, 0), (1500.00, 0), 5, 0, 22.360680, -22.360680),
    ((1500.00, 0), (1500.00, 400), 5, 0, 22.360680, -4.472136),
    ((1600.00, 1000), (1500.00, 1000), 1, 0, 1.884998, -1.884998),
    ((1600.00, 1000), (1500.00, 1000), 1, 1, -2.115002, 2.115002),
    ((1600.00, 1000), (1500.00, 1000), 9, 0, 4.974016, -4.974016),
    ((1600.00, 1000), (1500.00, 1000), 9, 1, -7.025984, 7.025984),
    ((1750.25, 1234), (1612.80, 150), 5, 0, 3.689064, -12.911723),
    ((1750.25, 1234), (1612.80, 150), 5, 1, -5.255208, 18.393229),
    ((1500.00, 399), (1800.00, 5000), 7, 0, 7.629468, -7.553929),
    ((1500.00, 399), (1800.00, 5000), 7, 1, -3.059367, 3.029076),
    ((1512.50, 40), (1623.41, 2115), 3, 1, -14.179895, 3.082586),
]


@pytest.mark.parametrize(("one", "two", "length", "winner", "gain", "other"), RATED)
def test_ratings_change_by_the_formula(
    one: tuple[float, int],
    two: tuple[float, int],
    length: int,
    winner: int,
    gain: float,
    other: float,
) -> None:
    made = change((RatedPlayer("a", *one), RatedPlayer("b", *two)), winner, length)
    assert made.gains == pytest.approx((gain, other), abs=6e-7)


# ---- passwords


def test_a_password_is_recognised_and_no_other_is() -> None:
    stored = hashed("secret99", b"some salt", CHEAP)
    assert "secret99" not in stored
    assert matches("secret99", stored)
    assert not matches("secret98", stored)
    assert not matches("secret99", "")
    assert not matches("secret99", "secret99")
    assert stored != hashed("secret99", b"other salt", CHEAP)


def test_the_dearest_password_check_that_can_be_set_is_not_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = PasswordCost(n=2**18, r=16)
    asked: list[int] = []

    def scrypt(*_: object, maxmem: int, **__: object) -> bytes:
        asked.append(maxmem)
        return b""

    monkeypatch.setattr(hashlib, "scrypt", scrypt)
    hashed("secret99", b"some salt", HashCost(most.n, most.r, most.p))
    assert asked[0] < 2**31 - 1


def test_no_password_shows_in_what_is_printed_of_a_session() -> None:
    scene = Scene()
    scene.connect("me")
    for line in ("guest", "name arthur", "secret77"):
        scene.send("me", line)
    assert "secret77" not in repr(scene.session("me"))
    assert "secret77" not in repr(scene.effects)


# ---- the store


def some_saves() -> Saves:
    match = UnfinishedMatch(("sixbot", "marvin"), 5, o_seat=1).next_game((6, 2), 1)
    match = match.played(legal_plays(match.position, (6, 2))[3].play).doubled()
    return Saves(
        {"sixbot": UserAccount("sixbot", "x", rating=1512.123456789, away="out", redoubles=9999)},
        {match.pair: match},
        {7: WaitingMessage(7, "sixbot", "marvin", 1.5, "hello \u00e9 'quoted'")},
        {"sixbot": LastGame("sixbot", match)},
    )


def test_rows_have_the_names_that_earlier_versions_read_and_wrote(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.db")
    store.commit(some_saves())
    store.close()
    database = sqlite3.connect(tmp_path / "x.db")
    (match,) = database.execute("SELECT body FROM unfinished_match").fetchone()
    assert set(json.loads(match)) == {
        "players", "length", "crawford_rule", "redoubles", "position", "match", "o_seat", "opening",
        "crawford_played", "games", "joined", "redoubled", "record", "last_dice", "variant",
    }  # fmt: skip
    (last,) = database.execute("SELECT body FROM last_game").fetchone()
    assert json.loads(last) == {"player": "sixbot", "table": json.loads(match)}
    database.close()


def test_what_is_committed_is_there_afterwards(tmp_path: Path) -> None:
    saves = some_saves()
    store = Store(tmp_path / "x.db")
    store.commit(saves)
    store.close()
    with closing(Store(tmp_path / "x.db")) as again:
        memory = again.memory()
    assert list(memory.accounts) == list(saves.accounts.values())
    assert list(memory.matches) == list(saves.matches.values())
    assert list(memory.messages) == list(saves.messages.values())
    assert list(memory.last_games) == list(saves.last_games.values())


def test_what_is_deleted_is_gone(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.db")
    saves = some_saves()
    store.commit(saves)
    store.commit(Saves({}, dict.fromkeys(saves.matches), {7: None}, {}))
    assert not list(store.memory().matches)
    assert not list(store.memory().messages)
    store.close()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text(
        "this is not a database, but long enough to be taken for one" * 20
    )
    with pytest.raises(Unavailable, match="file is not a database"):
        Store(tmp_path / "x.db")
    other = sqlite3.connect(tmp_path / "y.db")
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(Unavailable, match="another version"):
        Store(tmp_path / "y.db")


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "x.db")
    other.execute("CREATE TABLE customer (id)")
    other.close()
    before = (tmp_path / "x.db").read_bytes()
    with pytest.raises(Unavailable, match="not a sandbox's database"):
        Store(tmp_path / "x.db")
    assert (tmp_path / "x.db").read_bytes() == before


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store = Store(path)
    store.commit(some_saves())
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[:4_096] + b"\xa5" * (len(content) - 4_096))
    with (
        closing(Store(path)) as damaged,
        pytest.raises(Unavailable, match=r"x\.db: database disk image is malformed"),
    ):
        damaged.memory()


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.db")
    store._db.execute("PRAGMA max_page_count = 1")
    saves = some_saves()
    big = replace(saves.accounts["sixbot"], away="x" * 50_000)
    with pytest.raises(Unavailable, match=r"x\.db: database or disk is full"):
        store.commit(replace(saves, accounts={"sixbot": big}))
    store.close()


def test_a_file_in_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="unable to open"):
        Store(tmp_path / "nowhere" / "x.db")


# ---- input

TYPED = b"who\r\n\xff\xfd\x01move 8-5x\x08 6-5\r\x00one\ntwo\r\xff\xfa\x18\x00x\xff\xf0three\r\n"
LINES = ["who", "move 8-5 6-5", "one", "two", "three"]


@given(st.lists(st.integers(0, len(TYPED)), max_size=8))
def test_input_lines_do_not_depend_on_the_cuts(cuts: list[int]) -> None:
    lines, edges = InputLines(100), [0, *sorted(cuts), len(TYPED)]
    chunks = [TYPED[a:b] for a, b in pairwise(edges)]
    assert [line for chunk in chunks for line in lines.feed(chunk)] == LINES


def test_a_line_without_end_is_too_long() -> None:
    lines = InputLines(100)
    with pytest.raises(InputError):
        list(lines.feed(b"x" * 101))


def test_a_line_of_telnet_escapes_is_too_long_as_well() -> None:
    lines = InputLines(100)
    with pytest.raises(InputError):
        list(lines.feed(b"\xff\xff" * 101))


@given(st.binary(max_size=400))
def test_no_bytes_break_the_world(noise: bytes) -> None:
    scene = Scene([account("sixbot"), account("marvin")])
    scene.clip("sixbot")
    scene.connect("guest")
    for who in ("sixbot", "guest"):
        for line in InputLines(1_000).feed(noise + b"\n"):
            if scene.sids[who] not in scene.closed:
                scene.send(who, line)


def test_an_allowance_comes_back_with_time() -> None:
    allowance = Allowance(rate=2.0, burst=3.0, left=3.0, at=0.0)
    assert [allowance.spend(0.0) for _ in range(4)] == [True, True, True, False]
    assert allowance.spend(0.5)
    assert not allowance.spend(0.5)


# ---- faults


def test_a_calm_network_changes_nothing() -> None:
    assert Chaos(random.Random(1), CALM).passes(b"hello\r\n") == [Piece(0.0, b"hello\r\n")]


def test_what_comes_before_a_break_is_a_beginning_of_what_was_sent() -> None:
    for seed in range(20):
        chaos = Chaos(random.Random(seed), replace(CALM, merge=1.0))
        assert chaos.passes(b"one\r\n") == []  # waits for more
        chaos.rates = replace(CALM, cut=1.0)
        (piece,) = chaos.passes(b"two\r\n")
        assert piece.cut
        assert b"one\r\ntwo\r\n".startswith(piece.data)


@given(st.integers(0, 1_000), st.lists(st.binary(min_size=1, max_size=50), max_size=20))
def test_delays_splits_and_merges_lose_nothing(seed: int, chunks: list[bytes]) -> None:
    chaos = Chaos(random.Random(seed), replace(CALM, delay=0.5, delay_s=1, split=0.5, merge=0.3))
    pieces = [piece for chunk in chunks for piece in chaos.passes(chunk)]
    assert b"".join(piece.data for piece in pieces) + chaos.rest() == b"".join(chunks)


def test_each_fault_happens_and_a_seed_repeats_it() -> None:
    def fate(rates: Rates) -> list[Piece]:
        return Chaos(random.Random(5), rates).passes(b"one\r\ntwo\r\nthree\r\n")

    def data(rates: Rates) -> bytes:
        return b"".join(piece.data for piece in fate(rates))

    assert len(data(replace(CALM, lose=1.0)).splitlines()) == 2
    assert len(data(replace(CALM, repeat=1.0)).splitlines()) == 4
    swapped = data(replace(CALM, swap=1.0))
    assert swapped != b"one\r\ntwo\r\nthree\r\n"
    assert sorted(swapped.splitlines()) == [b"one", b"three", b"two"]
    assert len(data(replace(CALM, garbage=1.0))) > 17
    assert fate(replace(CALM, cut=1.0))[-1].cut
    assert fate(replace(CALM, half_open=1.0)) == []
    assert fate(Rates(delay=1.0)) == fate(Rates(delay=1.0))


# ---- house players


def test_house_players_have_names_that_the_server_allows() -> None:
    assert house_names(["simple", "world-class", "4ply", "simple", "simple"]) == [
        "house_simple",
        "house_world_class",
        "house_fourply",
        "house_simple_b",
        "house_simple_c",
    ]
    many = house_names(["simple"] * 300)
    assert len(set(many)) == 300
    assert many[25:28] == ["house_simple_z", "house_simple_aa", "house_simple_ab"]


def test_a_house_player_joins_plays_and_goes_on() -> None:
    scene = Scene([account("marvin")], dice=[(2, 6), (3, 1)])
    scene._happen(scene.world.employed(99, "house_simple", scene.now))
    scene.clip("marvin")
    server, player = scene.world.server, PipCounter()

    def act(wanted: Ask) -> str:
        now = situation(server, "house_simple")
        assert now is not None
        assert now.ask is wanted
        command = answer(now, player)
        scene._happen(scene.world.received(99, command, scene.now))
        return command

    assert situation(server, "house_simple") is None
    scene.send("marvin", "invite house_simple 3")
    assert act(Ask.JOIN) == "join marvin"
    assert situation(server, "house_simple") is None
    scene.send("marvin", "move 1-7 12-14")
    act(Ask.ACT)
    assert act(Ask.ACT).startswith("move ")
    scene.dice.append((5, 4))
    scene.send("marvin", "double")
    assert act(Ask.ACT) == "accept"
    scene.send("marvin", "resign g")
    assert act(Ask.ACT) == "accept"
    assert scene.account("house_simple").experience == 3


def test_no_command_of_a_house_player_is_swallowed() -> None:
    scene = Scene(dialect=Dialect(swallow_every=1))
    scene._happen(scene.world.employed(99, "house_simple", scene.now))
    assert scene.account("house_simple").has("ready")


def test_a_house_player_keeps_a_saved_match() -> None:
    scene = Scene([account("marvin")], [UnfinishedMatch(("marvin", "house_simple"), 3)])
    scene._happen(scene.world.employed(99, "house_simple", scene.now))
    scene.clip("marvin")
    scene.send("marvin", "invite house_simple 5")
    now = situation(scene.world.server, "house_simple")
    assert now is not None
    assert now.ask is Ask.DECLINE
    assert answer(now, PipCounter()).startswith("tell marvin We have a saved match.")


def test_an_invitation_that_was_declined_is_in_nobodys_way() -> None:
    scene = Scene(
        [account("marvin"), account("trillian")], [UnfinishedMatch(("marvin", "house_simple"), 3)],
        dice=[(2, 6)],
    )  # fmt: skip
    scene._happen(scene.world.employed(99, "house_simple", scene.now))
    for name in ("marvin", "trillian"):
        scene.clip(name)
        scene.send(name, "invite house_simple 5")
    first = situation(scene.world.server, "house_simple")
    assert first is not None
    assert first.inviter == "marvin"
    now = situation(scene.world.server, "house_simple", [first.moment])
    assert now is not None
    assert (now.ask, now.inviter) == (Ask.JOIN, "trillian")
    scene.send("marvin", "invite house_simple 5")  # asked again
    again = situation(scene.world.server, "house_simple", [first.moment])
    assert again is not None
    assert again.inviter == "marvin"


@pytest.mark.parametrize("player", [PipCounter(), AimlessPlayer(1)])
def test_a_player_plays_legally(player: PipCounter | AimlessPlayer) -> None:
    match = UnfinishedMatch(("a", "b"), 5).next_game((4, 2), 1)
    for _ in range(60):
        assert match.state.dice is not None
        play = player.play(match.position, match.state)
        assert play in [legal.play for legal in legal_plays(match.position, match.state.dice)]
        match = match.played(play)
        if match.won:
            return
        match = match.rolled((3, 1))


def test_the_engine_decides_wherever_fibs_asks() -> None:
    player = EnginePlayer(Engine("expert", brain=random_brain()))
    match = UnfinishedMatch(("a", "b"), 2).with_state(score=(1, 1)).next_game((4, 2), 1)
    assert player.play(match.position, match.state) in [
        legal.play for legal in legal_plays(match.position, (4, 2))
    ]
    to_roll = match.with_state(dice=None)
    assert not player.double(to_roll.position, to_roll.state)  # a dead cube
    doubled = to_roll.doubled()
    assert player.answer(doubled.position, doubled.state) is Answer.TAKE
    for seat in (0, 1):
        resigned = match.resigned(seat, 3)
        assert player.accept(resigned.position, resigned.state)
    money = UnfinishedMatch(("a", "b"), 0).next_game((4, 2), 1).with_state(dice=None).doubled()
    assert player.answer(money.position, money.state) in Answer


def test_people_of_a_pr_live_in_the_house() -> None:
    player = player_named("pr 8")
    match = UnfinishedMatch(("a", "b"), 2).next_game((4, 2), 1)
    legal = [legal.play for legal in legal_plays(match.position, (4, 2))]
    assert player.play(match.position, match.state) in legal
    names = house_names(["pr 8", "pr8"])
    assert len(set(names)) == 2
    with pytest.raises(ValueError, match="people play from pr 1 to pr 25"):
        player_named("pr 31")


def test_an_unknown_level_is_an_error() -> None:
    with pytest.raises(ValueError, match="no level 'experd', did you mean 'expert'"):
        player_named("experd")
    with pytest.raises(ValueError, match=r"no level 'nosuch', known: .*, simple, random"):
        player_named("nosuch")


# ---- settings


def test_the_shipped_file_says_exactly_the_defaults() -> None:
    shipped = load_sandbox(ROOT / "config" / "sandbox.yaml")
    assert shipped == SandboxConfig()
    named = (ROOT / "config" / "sandbox.yaml").read_text()
    for section in ("limits", "dialect"):
        for name in type(getattr(shipped, section)).model_fields:
            assert f"\n  {name}:" in named


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("limits: {idle: 3}", "limits: no setting 'idle', did you mean 'idle_s'?"),
        ("lisen: x", "no setting 'lisen', did you mean 'listen'?"),
        ("dialect: {off_word: out}", "dialect.off_word: 'out' is none of off, home"),
        (
            "dialect: {variant: chess}",
            "dialect.variant: one of standard, nackgammon, hypergammon-1",
        ),
        ("limits: {idle_s: -1}", "limits.idle_s: -1 is out of range, it has to be more than 0"),
        ("password_cost: {n: 1000}", "password_cost.n: 1000 is not a power of 2"),
        (
            "password_cost: {n: 16777216}",
            "password_cost.n: 16777216 is out of range, it has to be at most 262144",
        ),
        ("house_pause_s: .inf", "house_pause_s: inf is out of range, it has to be at most 3600"),
        ("password: x", "no setting 'password', did you mean 'password_cost'?"),
        ("listen: \udcff", "not a text file in UTF-8"),
        ("- a\n- b", "not a mapping of settings"),
        ("a: [", "line 1, column 5: "),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as error:
        load_sandbox(path)
    assert str(error.value).startswith(f"{path}: {fault}")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:4321", ("127.0.0.1", 4321)),
        ("4321", ("127.0.0.1", 4321)),
        (":0", ("127.0.0.1", 0)),
        ("[::1]:99", ("::1", 99)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert Endpoint.parse(text, LOOPBACK) == address


@pytest.mark.parametrize("text", ["nowhere", "a..b:1", "host:", "host:99999", "host:-1", ""])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not HOST:PORT"):
        Endpoint.parse(text, LOOPBACK)


def test_a_zone_that_this_machine_does_not_know_is_shown_as_utc() -> None:
    assert whois_date(0, "Nowhere/Atlantis") == "Thursday, January 01 00:00 UTC"
