"""The golden transcripts, played by the world: what a client must understand, the sandbox sends."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.engine.position import MatchState, Phase, Position
from sixprime.protocols.fibs.wire.board import FibsBoard, read_board
from tests.support.fibs.transcripts import TRANSCRIPTS
from tests.support.sandbox.scene import Scene, account

BEGINNING = 1_699_913_600.0
EVENTS = {transcript.name: transcript.events for transcript in TRANSCRIPTS}


def scene(*toggles: str, matches: list[UnfinishedMatch], dice: list[tuple[int, int]]) -> Scene:
    """The evening of the transcripts: sixbot and marvin are logged in."""
    mine = {"moreboards", "ratings", "silent", *toggles}
    made = Scene(
        [
            account(
                "sixbot",
                *mine,
                rating=1512.5,
                experience=40,
                boardstyle=3,
                email="six@example.org",
                last_login=BEGINNING,
                last_host="bot.example.org",
            ),
            account(
                "marvin", "moreboards", "ratings", rating=1623.41, experience=2115, boardstyle=3
            ),
            account("trillian", rating=1587.2, experience=820, boardstyle=3),
        ],
        matches,
        dice,
    )
    server = made.world.server
    server.put_account(server.accounts["sixbot"].with_toggle("report", False))
    made.now = 1_699_996_400.0
    made.clip("marvin", "hyperclient_3.1", "home.example.net")
    made.now = 1_700_000_000.0
    return made


def log_in_sixbot(stage: Scene) -> None:
    stage.clip("sixbot", "sixbot_1.0", "bot.example.org")
    hush(stage)


def nobody_is_idle(stage: Scene, now: float) -> None:
    """In the transcripts every user has just typed something."""
    stage.now = now
    for session in stage.world.server.sessions.values():
        session.active = now


def hush(stage: Scene) -> None:
    """What has been heard so far is not part of the transcript."""
    for who in stage.sids:
        stage.heard(who)


class Play:
    """Several transcripts of the same events, acted out together."""

    def __init__(self, stage: Scene, **names: str) -> None:
        self.stage = stage
        self.scripts = {who: deque(EVENTS[name]) for who, name in names.items()}

    def run(self, until: str | None = None) -> None:
        """Act until nobody has a line to say, or `until` ("sixbot move") is next."""
        while True:
            for who in self.scripts:
                self._compare(who)
            speaker = next((w for w, s in self.scripts.items() if s and s[0][0] == "C"), None)
            if speaker is None:
                return
            _, line = self.scripts[speaker][0]
            if until is not None and f"{speaker} {line}".startswith(until):
                return
            self.scripts[speaker].popleft()
            nobody_is_idle(self.stage, self.stage.now)
            sid = self.stage.sids[speaker]
            self.stage._happen(self.stage.world.received(sid, line, self.stage.now))

    def skip_to(self, who: str, command: str) -> None:
        """Leave out what the transcript shows before this command."""
        while self.scripts[who][0] != ("C", command):
            self.scripts[who].popleft()

    def finished(self) -> bool:
        return not any(self.scripts.values())

    def _compare(self, who: str) -> None:
        for line in self.stage.heard(who):
            script = self.scripts[who]
            assert script, f"{who} hears more: {line}"
            kind, wanted = script.popleft()
            assert kind == "S", f"{who} should say {wanted!r} and hears {line!r}"
            assert line.rstrip() == wanted.rstrip(), who


def seated(match: UnfinishedMatch, stage: Scene) -> None:
    """Both sit at this table already; marvin has joined the next game."""
    server = stage.world.server
    server.matches[match.pair] = replace(match, joined=1)
    for name in match.players:
        server.playing[name] = match.pair


def test_an_invitation_is_joined_and_the_first_moves_are_made() -> None:
    stage = scene(matches=[], dice=[(6, 2), (5, 5)])
    server = stage.world.server
    server.put_account(server.accounts["sixbot"].with_toggle("ready", False))
    log_in_sixbot(stage)
    play = Play(stage, sixbot="login-to-first-moves", marvin="match-start-of-the-inviter")
    play.skip_to("sixbot", "set boardstyle 3")
    play.run()
    assert play.finished()


def test_the_login_says_what_a_client_expects() -> None:
    stage = scene(matches=[], dice=[])
    server = stage.world.server
    server.put_account(server.accounts["sixbot"].with_toggle("ready", False))
    lines = stage.clip("sixbot", "sixbot_1.0", "bot.example.org")
    events = [line for _, line in EVENTS["login-to-first-moves"]]
    start = events.index("1 sixbot 1699913600 bot.example.org")
    assert lines[:4] == ["", *events[start : start + 3]]
    assert lines[lines.index("4") :] == [
        "4",
        "5 marvin - - 1 0 1623.41 2115 3600 1699996400 home.example.net hyperclient_3.1 -",
        "5 sixbot - - 0 0 1512.50 40 0 1700000000 bot.example.org sixbot_1.0 six@example.org",
        "6",
    ]


def test_a_game_is_doubled_and_redoubled_and_dropped() -> None:
    rolls = [(1, 3), (5, 2), (6, 6), (4, 1), (6, 3), (5, 5), (2, 1)]
    stage = scene(matches=[], dice=rolls)
    log_in_sixbot(stage)
    match = UnfinishedMatch(("sixbot", "marvin"), 5)
    seated(match.with_state(length=5, score=(2, 1)), stage)
    play = Play(stage, sixbot="doubled-game", marvin="doubled-game-of-the-opponent")
    play.skip_to("sixbot", "join")
    play.skip_to("marvin", "join")
    play.scripts["marvin"].popleft()  # he has joined already
    play.run()
    assert play.finished()


def test_a_resignation_is_refused_and_then_accepted_and_the_match_is_rated() -> None:
    stage = scene(matches=[], dice=[(3, 1), (6, 5), (6, 4), (5, 5)])
    log_in_sixbot(stage)
    seated(UnfinishedMatch(("sixbot", "marvin"), 3), stage)
    play = Play(stage, sixbot="resignation", marvin="resignation-of-the-opponent")
    stage._happen(stage.world.received(stage.sids["sixbot"], "join", stage.now))
    play.run()
    assert play.finished()


def test_a_match_survives_two_drops() -> None:
    stage = scene("notify", matches=[], dice=[(3, 4), (6, 1), (6, 5), (4, 2)])
    server = stage.world.server
    server.put_account(server.accounts["marvin"].with_toggle("notify", True))
    log_in_sixbot(stage)
    match = UnfinishedMatch(("sixbot", "marvin"), 5)
    seated(match.with_state(length=5, score=(0, 1)), stage)
    play = Play(stage, sixbot="drop-and-resume")
    stage._happen(stage.world.received(stage.sids["sixbot"], "join", stage.now))
    stage.heard("marvin")
    assert stage.send("marvin", "move 1-5 12-15")
    play.run("sixbot invite")
    nobody_is_idle(stage, 1_700_000_060.0)
    stage.drop("marvin")
    nobody_is_idle(stage, 1_700_000_900.0)
    stage.clip("marvin", "hyperclient_3.1", "home.example.net")
    play.scripts["marvin"] = deque(EVENTS["drop-and-resume-of-the-opponent"])
    play.run("sixbot login")
    nobody_is_idle(stage, 1_700_001_500.0)
    stage.sids["old sixbot"] = stage.sids["sixbot"]
    stage.connect("sixbot", "bot.example.org")
    stage.heard("sixbot")
    events = play.scripts["sixbot"]
    while events[0][0] == "S":
        events.popleft()  # the prompt
    motd = next(i for i, (_, line) in enumerate(events) if line == "3")
    del events[motd + 2]  # the name of the server in the message of the day
    _, *lines = stage.send("sixbot", events.popleft()[1])  # the end of the prompt's line
    del lines[motd + 1]
    stage.raw[stage.sids["sixbot"]] = "\r\n".join(lines) + "\r\n"
    play.run()
    assert play.finished()
    assert stage.sids["old sixbot"] in stage.closed


def test_a_crawford_game_a_dance_a_bear_off_and_a_double_afterwards() -> None:
    board = read_board(next(line for _, line in EVENTS["crawford"] if line.startswith("board:")))
    assert isinstance(board, FibsBoard)
    match = UnfinishedMatch(
        ("sixbot", "marvin"),
        2,
        position=board.position(),
        state=board.match_state(),
        o_seat=1,
        crawford_played=True,
        games=2,
    )
    stage = scene(matches=[match], dice=[(6, 3), (6, 6), (2, 4)])
    log_in_sixbot(stage)
    play = Play(stage, sixbot="crawford", marvin="crawford-of-the-opponent")
    play.run()
    assert play.finished()


def test_a_watcher_sees_the_match_from_the_side_he_watches() -> None:
    stage = scene(matches=[], dice=[(6, 2), (5, 5)])
    log_in_sixbot(stage)
    stage.clip("trillian")
    hush(stage)
    expected = [line for kind, line in EVENTS["watching"] if kind == "S"]
    heard = without_own_line(stage.send("trillian", "watch sixbot"))
    stage.send("marvin", "invite sixbot 5")
    stage.send("sixbot", "join marvin")
    stage.send("sixbot", "move 24-18 13-11")
    stage.send("marvin", "roll")
    stage.send("marvin", "move 12-17 12-17 17-22 17-22")
    heard += without_own_line(stage.heard("trillian"))
    heard += without_own_line(stage.send("trillian", "unwatch"))
    assert heard == expected


def without_own_line(lines: list[str]) -> list[str]:
    """The transcript leaves out the watcher's own `5` line."""
    kept: list[str] = []
    for line in lines:
        if line == "6" and (not kept or not kept[-1].startswith("5 ")):
            continue
        if not line.startswith("5 trillian"):
            kept.append(line)
    return kept


def test_a_saved_match_starts_before_its_first_game() -> None:
    match = UnfinishedMatch(("sixbot", "marvin"), 5)
    assert match.state == MatchState(phase=Phase.NOT_STARTED)
    assert match.position == Position.start()
